"""The largest texts and formulas. Both are checked before anything recurs over them.

Propositional and temporal formulas may be large: what reads and decides them does not recur, and a chain such as
``a ∧ b ∧ c`` counts as one level there. What does recur, such as the English of a formula, checks the height.
"""

from __future__ import annotations

from pytest_autoeval.languages.base import LimitError, Tree

#: Characters of a text.
MAX_LENGTH = 20_000
#: Characters of a propositional or temporal formula in the strict notation. It is decided in less than 1 GB.
MAX_LARGE_LENGTH = 100_000
#: Height of a tree, and nesting of brackets. Recursion over such a tree, three frames a level, fits into the default
#: stack even from a depth of 400 frames.
MAX_DEPTH = 150
#: Nesting of function symbols.
MAX_TERM_DEPTH = 40
#: Formulas and terms of a tree, with repeats.
MAX_NODES = 20_000
#: The same for a propositional or temporal formula.
MAX_LARGE_NODES = 50_000
#: Seconds after which even a brief decision ends.
PATIENCE = 10.0


def check_length(text: str, longest: int = MAX_LENGTH) -> None:
    """Raises :class:`LimitError` for a text that is too long."""
    if len(text) > longest:
        problem = f"the text has {len(text):,} characters; at most {longest:,} are read"
        raise LimitError(problem, text, longest)


def check_canonical(formula: Tree, text: str, longest: int = MAX_LENGTH) -> None:
    """Raises :class:`LimitError` if a text is within the limits but the canonical text of its formula is not.

    The canonical text of a formula of logic has fewer than eight times as many characters as any other.
    """
    if len(text) > longest // 8:
        check_length(str(formula), longest)


def check_size(formula: Tree) -> None:
    """Raises :class:`LimitError` for a tree that is too high for recursion, or too large.

    Trees built in Python have passed no parser: call this before anything that recurs over them.
    """
    _check(formula, formula.height, MAX_NODES)


def check_large_size(formula: Tree) -> None:
    """Raises :class:`LimitError` for a tree that is deeper or larger than a text could make it.

    It may still be too high for recursion, because a chain of any length counts as one level.
    """
    _check(formula, formula.levels, MAX_LARGE_NODES)


def _check(formula: Tree, levels: int, most_nodes: int) -> None:
    if levels > MAX_DEPTH:
        raise too_deep("", 0)
    if formula.size > most_nodes:
        raise LimitError(
            f"the formula has more than {most_nodes:,} parts; use a smaller one", "", 0
        )


def too_deep(text: str, offset: int) -> LimitError:
    """The error for a text that is nested deeper than the limits."""
    problem = f"nested too deeply; at most {MAX_DEPTH} levels, {MAX_TERM_DEPTH} of function symbols, are allowed"
    return LimitError(problem, text, offset)
