"""Counted repetitions as rows of copies, for the automata."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression


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
    if fold(inner, _is_nullable):
        minimum = 0
    return [inner] * minimum, inner, maximum - minimum


def _is_nullable(node: Expression, operands: Sequence[bool]) -> bool:
    """Whether the empty string matches for certain: a word boundary depends on what is beside it."""
    match node:
        case regex.Concat() | regex.Intersection():
            return all(operands)
        case regex.Union() | regex.Plus():
            return any(operands)
        case regex.Complement():
            return not operands[0]
        case regex.Repeat(_, minimum, _):
            return minimum == 0 or operands[0]
    return isinstance(node, regex.Epsilon | regex.Star | regex.Optional)


def written_out(node: regex.Repeat) -> list[Expression]:
    """The factors of a counted repetition: ``a{2,3}`` is ``aaa?``, ``a{2,}`` is ``aaa*``."""
    required = [node.inner] * node.minimum
    if node.maximum is None:
        return [*required, regex.Star(node.inner)]
    return [*required, *[regex.Optional(node.inner)] * (node.maximum - node.minimum)]
