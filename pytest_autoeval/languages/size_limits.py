"""The largest texts and formulas. Both are checked before anything recurs over them."""

from __future__ import annotations

from pytest_autoeval.languages.base import LimitError, Tree

#: Characters of a text.
MAX_LENGTH = 20_000
#: Height of a tree, and nesting of brackets. Recursion over such a tree, three frames a level, fits into the default
#: stack even from a depth of 400 frames.
MAX_DEPTH = 150
#: Nesting of function symbols.
MAX_TERM_DEPTH = 40
#: Formulas and terms of a tree, with repeats.
MAX_NODES = 20_000
#: Seconds after which even a brief decision ends.
PATIENCE = 10.0


def check_length(text: str) -> None:
    """Raises :class:`LimitError` for a text that is too long."""
    if len(text) > MAX_LENGTH:
        problem = f"the text has {len(text):,} characters; at most {MAX_LENGTH:,} are read"
        raise LimitError(problem, text, MAX_LENGTH)


def check_canonical(formula: Tree, text: str) -> None:
    """Raises :class:`LimitError` if a text is within the limits but the canonical text of its formula is not.

    The canonical text of a formula of logic has fewer than eight times as many characters as any other.
    """
    if len(text) > MAX_LENGTH // 8:
        check_length(str(formula))


def check_size(formula: Tree) -> None:
    """Raises :class:`LimitError` for a tree that is deeper or larger than a text could make it.

    Trees built in Python have passed no parser: call this before anything that recurs over them.
    """
    if formula.height > MAX_DEPTH:
        raise too_deep("", 0)
    if formula.size > MAX_NODES:
        raise LimitError(f"the formula has more than {MAX_NODES:,} parts; use a smaller one", "", 0)


def too_deep(text: str, offset: int) -> LimitError:
    """The error for a text that is nested deeper than the limits."""
    problem = f"nested too deeply; at most {MAX_DEPTH} levels, {MAX_TERM_DEPTH} of function symbols, are allowed"
    return LimitError(problem, text, offset)
