"""How large a formula may be: every text and every tree is measured before anything recurs over it."""

from __future__ import annotations

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import Formula, LimitError
from pytest_autoeval.languages.ltl.syntax import Temporal

#: Characters of a text.
MAX_LENGTH = 20_000
#: Height of a tree, and brackets inside brackets: recursion over a tree, three frames a level, fits into the
#: interpreter's default stack even when that is 400 frames deep already.
MAX_DEPTH = 150
#: Nodes of a tree, repeated ones counted each time.
MAX_NODES = 20_000


def check_size(formula: Temporal) -> None:
    """Raises :class:`LimitError` for a tree that is deeper or larger than a text could make it.

    Trees built in Python have passed no parser: call this before anything that recurs over them. Raises
    :class:`AutoevalError` for a tree with nodes of another language.
    """
    if not is_temporal(formula):
        raise AutoevalError("the formula has parts that are none of linear temporal logic")


def is_temporal(formula: Formula) -> bool:
    """Whether every node of a tree is one of this language's; raises :class:`LimitError` for too large a tree."""
    if hasattr(formula, "_size_is_checked"):
        return isinstance(formula, Temporal)
    nodes = depth = 0
    level: list[Formula] = [formula]
    while level:
        depth += 1
        nodes += len(level)
        if depth > MAX_DEPTH:
            raise too_deep("", 0)
        if nodes > MAX_NODES:
            raise LimitError(f"the formula has more than {MAX_NODES:,} parts; use a smaller one", "", 0)
        if not all(isinstance(node, Temporal) for node in level):
            return False
        level = [child for node in level for child in node.children()]
    mark_checked(formula)
    return True


def mark_checked(formula: Formula) -> None:
    """Notes at a tree's root that it is one of this language's and within the limits."""
    object.__setattr__(formula, "_size_is_checked", True)


def too_deep(text: str, offset: int) -> LimitError:
    """The error for what is nested deeper than the limits."""
    return LimitError(f"nested too deeply; at most {MAX_DEPTH} levels are taken", text, offset)
