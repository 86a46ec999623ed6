"""How large a formula may be: every text and every tree is measured before anything recurs over it."""

from __future__ import annotations

from typing import Any

from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.logic.syntax import Atom, Binary, Equal, Not, Quantified, Sentence, Term

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
    if hasattr(formula, "_size_is_checked"):
        return
    nodes = depth = 0
    terms: list[Term] = []
    level: list[Any] = [formula]
    while level:
        depth += 1
        nodes += len(level)
        if depth > MAX_DEPTH:
            raise too_deep("", 0)
        _check_count(nodes + len(terms))
        below: list[Any] = []
        for node in level:
            match node:
                case Atom():
                    terms += node.arguments
                case Binary():
                    below += (node.left, node.right)
                case Not():
                    below.append(node.operand)
                case Quantified():
                    below.append(node.body)
                case Equal():
                    terms += (node.left, node.right)
        level = below
    _check_terms(terms, nodes)
    mark_checked(formula)


def mark_checked(formula: Sentence) -> None:
    """Notes at a tree's root that it is within the limits."""
    object.__setattr__(formula, "_size_is_checked", True)


def _check_terms(level: list[Term], nodes: int) -> None:
    depth = 0
    while level:
        depth += 1
        nodes += len(level)
        if depth > MAX_TERM_DEPTH:
            raise too_deep("", 0)
        _check_count(nodes)
        level = [argument for term in level for argument in term.arguments]


def _check_count(nodes: int) -> None:
    if nodes > MAX_NODES:
        raise LimitError(f"the formula has more than {MAX_NODES:,} parts; use a smaller one", "", 0)


def too_deep(text: str, offset: int) -> LimitError:
    """The error for what is nested deeper than the limits."""
    problem = f"nested too deeply; at most {MAX_DEPTH} levels, {MAX_TERM_DEPTH} of function symbols, are taken"
    return LimitError(problem, text, offset)
