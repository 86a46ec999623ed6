"""Counted repetitions as rows of copies, for the automata."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression

#: Whether something holds, in this order: "and" takes the least, "or" the greatest, and "not" the mirror.
_NO, _DEPENDS, _YES = range(3)


def counted(node: regex.Repeat | regex.Optional) -> tuple[list[Expression], Expression, int]:
    """A counted repetition as required parts, and a part that follows up to so many times.

    If the empty string matches a part, all of its copies are optional. So ``((a?){2}){3}`` is ``a`` up to six times.
    """
    if isinstance(node, regex.Optional):
        minimum, maximum = 0, 1
    elif node.maximum is None:
        return [node.inner] * node.minimum, regex.Star(node.inner), 1
    else:
        minimum, maximum = node.minimum, node.maximum
    inner = node.inner
    if isinstance(inner, regex.Repeat | regex.Optional):
        required, optional, count = counted(inner)
        if not required:
            return [], optional, count * maximum
    if fold(inner, _matches_empty) == _YES:
        minimum = 0
    return [inner] * minimum, inner, maximum - minimum


def _matches_empty(node: Expression, operands: Sequence[int]) -> int:
    """Whether the empty string matches: no, it depends on what is beside a word boundary, or yes."""
    match node:
        case regex.WordBoundary():
            return _DEPENDS
        case regex.Concat() | regex.Intersection():
            return min(operands)
        case regex.Union():
            return max(operands)
        case regex.Complement():
            return _YES - operands[0]
    # A plus, or a repetition of at least one, has no other choice than its operand.
    if isinstance(node, regex.Plus) or (isinstance(node, regex.Repeat) and node.minimum > 0):
        return operands[0]
    matches = isinstance(node, regex.Epsilon | regex.Star | regex.Optional | regex.Repeat)
    return _YES if matches else _NO


def written_out(node: regex.Repeat) -> list[Expression]:
    """The factors of a counted repetition: ``a{2,3}`` is ``aaa?``, ``a{2,}`` is ``aaa*``."""
    required = [node.inner] * node.minimum
    if node.maximum is None:
        return [*required, regex.Star(node.inner)]
    return [*required, *[regex.Optional(node.inner)] * (node.maximum - node.minimum)]
