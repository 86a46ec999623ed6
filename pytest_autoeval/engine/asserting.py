"""Finds out whether a pass-rate test checks anything. Without a check, every model would pass."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from textwrap import dedent
from types import FunctionType

#: The number of samples that run first, to see whether a body that does not name `assert_equivalent` verifies anything.
NUMBER_OF_FIRST_SAMPLES = 5
NOTHING_VERIFIED = (
    "nothing was verified: call `assert_equivalent`, or assert something; `verified=False` in the marker allows this"
)
_ASSERT_EQUIVALENT = "assert_equivalent"


class AssertionScan:
    """What the source of a test function shows about its checks.

    The source is that of the function, and of the functions of its module that it refers to. ``has_own_assertions``:
    the source has an ``assert`` statement that can fail, a ``raise`` statement, or a name such as ``assertEqual`` or
    ``pytest.fail``.
    ``names_assert_equivalent``: the source has the name `assert_equivalent`. Without a function, our own body has both.
    """

    def __init__(self, function: Callable[..., object] | None) -> None:
        self.names_assert_equivalent = self.has_own_assertions = function is None
        if function is None:
            return
        nodes = list(_nodes(inspect.unwrap(getattr(function, "__func__", function)), set()))
        named = {name for node in nodes if (name := _name(node))}
        self.names_assert_equivalent = _ASSERT_EQUIVALENT in named
        has_statement = any(isinstance(node, ast.Raise) or _may_fail(node) for node in nodes)
        self.has_own_assertions = has_statement or any(
            name == "fail" or name.startswith("assert") for name in named - {_ASSERT_EQUIVALENT}
        )


def _may_fail(node: ast.AST) -> bool:
    """Whether a node is an assertion that can fail: of no constant, and of no condition and message in brackets."""
    return isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant | ast.Tuple)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _nodes(function: object, seen: set[object]) -> Iterator[ast.AST]:
    """The syntax nodes of a function and of the functions of its module that it names; empty without source code."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    try:
        nodes = list(ast.walk(ast.parse(dedent(inspect.getsource(function)))))
    except (OSError, SyntaxError):
        return
    yield from nodes
    for node in nodes:
        named = function.__globals__.get(node.id) if isinstance(node, ast.Name) else None
        if getattr(named, "__module__", None) == function.__module__:
            yield from _nodes(named, seen)
