"""How large an expression may be: whatever is read or decided is measured first."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.regex.syntax import Expression, Repeat, fold

#: Characters of a text.
MAX_LENGTH = 20_000
#: Height of a tree, and parentheses inside parentheses.
MAX_NESTING = 200
#: Each number in a ``{m,n}``.
MAX_REPETITIONS = 100
#: Symbols of an expression once every ``{m,n}`` is written out.
MAX_POSITIONS = 20_000
#: Symbols of one character class.
MAX_CLASS = 1_000


def check_size(expression: Expression) -> None:
    """Raises :class:`LimitError` for a tree that is higher or larger than a text could make it.

    Trees built in Python have passed no parser: call this before anything that takes time or recurs over them.
    """
    height, positions = fold(expression, _extent)
    if height > MAX_NESTING:
        raise too_deep("", 0)
    if positions > MAX_POSITIONS:
        raise LimitError(f"written out it has {positions:,} symbols; at most {MAX_POSITIONS:,} are taken", "", 0)


def written_out(expression: Expression) -> int:
    """How many leaves a tree has once every ``{m,n}`` is written out."""
    return fold(expression, _extent)[1]


def too_deep(text: str, offset: int) -> LimitError:
    """The error for what is nested deeper than the limits."""
    return LimitError(f"nested too deeply; at most {MAX_NESTING} levels are taken", text, offset)


def _extent(node: Expression, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Height, and number of leaves when repetitions are written out."""
    if not parts:
        return 1, 1
    height = 1 + max([part_height for part_height, _ in parts])
    positions = sum([part_positions for _, part_positions in parts])
    if isinstance(node, Repeat):
        positions *= max(node.minimum + 1 if node.maximum is None else node.maximum, 1)
    return height, positions
