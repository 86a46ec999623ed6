"""How large a formula may be: every text and every tree is measured before anything recurs over it."""

from __future__ import annotations

from pytest_autoeval.languages.base import Formula, LimitError
from pytest_autoeval.languages.logic.syntax import Atom, Equal, Sentence, Term

#: Characters of a text.
MAX_LENGTH = 20_000
#: Height of a tree, and brackets inside brackets: recursion over a tree, three frames a level, fits into the
#: interpreter's default stack even when that is 400 frames deep already.
MAX_DEPTH = 150
#: Function symbols inside function symbols.
MAX_TERM_DEPTH = 40
#: Formulas and terms of a tree, repeated ones counted each time.
MAX_NODES = 20_000


def check_size(formula: Sentence) -> None:
    """Raises :class:`LimitError` for a tree that is deeper or larger than a text could make it.

    Trees built in Python have passed no parser: call this before anything that recurs over them.
    """
    nodes = 0
    pending: list[tuple[Formula | Term, int, int]] = [(formula, 1, 0)]
    while pending:
        node, depth, term_depth = pending.pop()
        nodes += 1
        if depth > MAX_DEPTH or term_depth > MAX_TERM_DEPTH:
            raise too_deep("", 0)
        if nodes > MAX_NODES:
            raise LimitError(f"the formula has more than {MAX_NODES:,} parts; use a smaller one", "", 0)
        match node:
            case Atom(_, arguments) | Term(_, arguments):
                pending.extend((argument, depth, term_depth + 1) for argument in arguments)
            case Equal(left, right):
                pending.append((left, depth, 1))
                pending.append((right, depth, 1))
            case Formula():
                pending.extend((child, depth + 1, 0) for child in node.children())


def too_deep(text: str, offset: int) -> LimitError:
    """The error for what is nested deeper than the limits."""
    problem = f"nested too deeply; at most {MAX_DEPTH} levels, {MAX_TERM_DEPTH} of function symbols, are taken"
    return LimitError(problem, text, offset)
