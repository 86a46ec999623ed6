"""Finds out whether a pass-rate test checks anything. Without a check, every model would pass."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import dedent
from types import FunctionType

#: The number of samples that run first, to see whether a body that does not name `assert_equivalent` verifies anything.
NUMBER_OF_FIRST_SAMPLES = 5
NOTHING_VERIFIED = (
    "nothing was verified: call `assert_equivalent`, or assert something; "
    "`verified=False` in the marker allows this"
)
NOTHING_ASKED = "the body asked no model and compared nothing"
_ASSERT_EQUIVALENT = "assert_equivalent"
#: Functions and methods of our fixtures that ask the model.
_ASKING = frozenset(
    {"round_trip", "perform", "informalize", "autoformalize", "ask", "conversation"}
)


class AssertionScan:
    """What the source of a test function shows about its checks.

    The source is that of the function, and of the functions of its module that it refers to. ``has_own_assertions``:
    the source has an ``assert`` statement that can fail, a ``raise`` statement that fails a sample, or a name such as
    ``assertEqual`` or ``pytest.fail``.
    ``names_assert_equivalent``: the source has the name `assert_equivalent`. ``asks_model``: it asks the model with
    our fixtures. Without a function, our own body has all three.
    """

    def __init__(self, function: Callable[..., object] | None) -> None:
        self.names_assert_equivalent = self.has_own_assertions = self.asks_model = function is None
        if function is None:
            return
        body = inspect.unwrap(getattr(function, "__func__", function))
        for scanned, nodes in _functions(body, set()):
            names = _loaded(nodes)
            calls = {_name(node.func) for node in nodes if isinstance(node, ast.Call)}
            self.names_assert_equivalent |= _ASSERT_EQUIVALENT in names | calls
            self.asks_model |= not _ASKING.isdisjoint(calls)
            may_fail = any(_may_fail(node, scanned, is_body=scanned is body) for node in nodes)
            own_names = (names | calls) - {_ASSERT_EQUIVALENT}
            asserts = any(name == "fail" or name.startswith("assert") for name in own_names)
            self.has_own_assertions |= may_fail or asserts


def _may_fail(node: ast.AST, function: FunctionType, *, is_body: bool) -> bool:
    """Whether a node is a statement that can fail a sample.

    No such statement is an assertion of a constant, of a condition and message in brackets, or of the name of an
    outcome, which is never empty; nor a ``raise`` that only passes an exception on. A function that the body calls may
    guard its arguments: a sample with its `KeyError` ends in an error, so that this is no check of an answer.
    """
    if isinstance(node, ast.Assert):
        return not isinstance(node.test, ast.Constant | ast.Tuple) and _name(node.test) != "outcome"
    return (
        isinstance(node, ast.Raise)
        and node.exc is not None
        and (is_body or not _is_error(node.exc, function))
    )


def _is_error(raised: ast.expr, function: FunctionType) -> bool:
    """Whether what is raised is known to be an exception other than a failed assertion."""
    name = _name(raised.func if isinstance(raised, ast.Call) else raised)
    kind = function.__globals__.get(name, getattr(builtins, name, None))
    return (
        isinstance(kind, type)
        and issubclass(kind, Exception)
        and not issubclass(kind, AssertionError)
    )


def _loaded(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that a function uses and does not set: the variable ``assertion`` of a function is no check."""
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - own


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _functions(
    function: object, seen: set[object]
) -> Iterator[tuple[FunctionType, Sequence[ast.AST]]]:
    """A function and the functions of its module that it names, each with its syntax nodes.

    Functions without source code are left out.
    """
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    try:
        nodes = list(ast.walk(ast.parse(dedent(inspect.getsource(function)))))
    except (OSError, SyntaxError):
        return
    yield function, nodes
    for node in nodes:
        named = function.__globals__.get(node.id) if isinstance(node, ast.Name) else None
        if getattr(named, "__module__", None) == function.__module__:
            yield from _functions(named, seen)
