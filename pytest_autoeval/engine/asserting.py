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

    The source is that of the function, and of the functions of its module that it refers to. Without a function, our
    own body is run, for which all three attributes are True.

    Attributes:
        has_own_assertions: the source has an ``assert`` statement that can fail, a ``raise`` statement that fails a
            sample, or a name such as ``assertEqual`` or ``pytest.fail``.
        names_assert_equivalent: the source has the name `assert_equivalent`.
        asks_model: the source asks the model with our fixtures.
    """

    def __init__(self, function: Callable[..., object] | None) -> None:
        self.names_assert_equivalent = self.has_own_assertions = self.asks_model = function is None
        if function is None:
            return
        body = inspect.unwrap(getattr(function, "__func__", function))
        for scanned, nodes in _functions(body, set()):
            names = _names_used(nodes)
            calls = {_name_of(node.func) for node in nodes if isinstance(node, ast.Call)}
            # A called method, such as `self.assertEqual`, is among the calls alone: it is no name of its own.
            names_and_calls = names | calls
            self.names_assert_equivalent |= _ASSERT_EQUIVALENT in names_and_calls
            self.asks_model |= not _ASKING.isdisjoint(calls)
            may_fail = any(_may_fail(node, scanned, is_body=scanned is body) for node in nodes)
            asserts = any(map(_is_assertion, names_and_calls - {_ASSERT_EQUIVALENT}))
            self.has_own_assertions |= may_fail or asserts


def _is_assertion(name: str) -> bool:
    return name == "fail" or name.startswith("assert")


def _may_fail(node: ast.AST, function: FunctionType, *, is_body: bool) -> bool:
    """Whether a node is a statement that can fail a sample.

    Some statements look like checks and are none: an assertion of a constant, of a condition and message in brackets,
    or of the name of an outcome, which is never empty; and a ``raise`` that only passes an exception on. A function
    that the body calls may guard its arguments: a sample with its `KeyError` ends in an error, so that this is no check
    of an answer.
    """
    if isinstance(node, ast.Assert):
        is_always_true = isinstance(node.test, ast.Constant | ast.Tuple)
        return not is_always_true and _name_of(node.test) != "outcome"
    # A bare `raise` passes an exception on.
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    return is_body or not _raises_error(node.exc, function)


def _raises_error(raised: ast.expr, function: FunctionType) -> bool:
    """Whether what is raised is known to be an exception other than a failed assertion."""
    name = _name_of(raised.func if isinstance(raised, ast.Call) else raised)
    kind = function.__globals__.get(name, getattr(builtins, name, None))
    return (
        isinstance(kind, type)
        and issubclass(kind, Exception)
        and not issubclass(kind, AssertionError)
    )


def _names_used(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that a function uses and does not set: the variable ``assertion`` of a function is no check."""
    names = [node for node in nodes if isinstance(node, ast.Name)]
    names_set = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - names_set


def _name_of(node: ast.AST) -> str:
    """The name, or the last name after a period: ``fail`` for ``pytest.fail``; empty for another expression."""
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
        if not isinstance(node, ast.Name):
            continue
        value = function.__globals__.get(node.id)
        if getattr(value, "__module__", None) == function.__module__:
            yield from _functions(value, seen)
