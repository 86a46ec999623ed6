"""The canonical text of a formula.

Parentheses stand around a binary formula inside another, except in a chain of the same ∧, ∨ or ⊕ nested to the left;
around a binary body of a quantifier; around what a negation denies unless that is an atom, a negation or quantified.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
)

SIGNS: dict[type[Binary], str] = {And: "∧", Or: "∨", Xor: "⊕", Implies: "→", Iff: "↔"}
_CONSTANTS: dict[type[Sentence], str] = {Top: "⊤", Bottom: "⊥"}
QUANTIFIERS: dict[type[Quantified], str] = {Forall: "∀", Exists: "∃"}
#: What the strict syntax reads as ⊤ and ⊥; a proposition of that name is written with empty parentheses.
TRUTH_WORDS = ("true", "false")


def to_text(formula: Sentence) -> str:
    """The canonical text, which the strict parser turns back into the same tree."""
    if not hasattr(formula, "_text"):
        object.__setattr__(formula, "_text", _written(formula))
    return formula._text  # type: ignore[attr-defined, no-any-return]  # noqa: SLF001


def term_text(term: Term) -> str:
    """The text of a term."""
    return f"{term.name}({', '.join(map(term_text, term.arguments))})" if term.arguments else term.name


def _written(formula: Sentence) -> str:
    pieces: list[str] = []
    pending: list[Any] = [formula]  # what is still to be written, the next part last; texts stand for themselves
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is str:
            pieces.append(part)
        elif kind is Atom:
            pieces.append(_atom_text(part))
        elif kind in SIGNS:
            right_enclosed = isinstance(part.right, Binary)
            pending += (")", part.right, f" {SIGNS[kind]} (") if right_enclosed else (part.right, f" {SIGNS[kind]} ")
            if _stands_left(part.left, part):
                pending.append(part.left)
            else:
                pieces.append("(")
                pending += (")", part.left)
        elif kind is Not:
            enclosed = isinstance(part.operand, Binary | Equal)
            pending += (")", part.operand, "¬(") if enclosed else (part.operand, "¬")
        elif kind in QUANTIFIERS:
            head = f"{QUANTIFIERS[kind]}{part.variable}. "
            pending += (")", part.body, f"{head}(") if isinstance(part.body, Binary) else (part.body, head)
        elif kind is Equal:
            pieces.append(f"{term_text(part.left)} = {term_text(part.right)}")
        elif kind in _CONSTANTS:
            pieces.append(_CONSTANTS[kind])
        else:
            raise TypeError(f"not a formula of logic: {kind.__name__}")
    return "".join(pieces)


@lru_cache(maxsize=4096)
def _atom_text(atom: Atom) -> str:
    if not atom.arguments:
        return f"{atom.predicate}()" if atom.predicate in TRUTH_WORDS else atom.predicate
    return f"{atom.predicate}({', '.join(map(term_text, atom.arguments))})"


def _stands_left(left: Formula, parent: Binary) -> bool:
    """Whether the left operand needs no parentheses: a quantifier at its end would reach over the sign."""
    if isinstance(left, Binary):
        chain = type(left) is type(parent) and isinstance(left, And | Or | Xor)
        return chain and not _ends_quantified(left.right)
    return not _ends_quantified(left)


def _ends_quantified(formula: Formula) -> bool:
    while isinstance(formula, Not):
        formula = formula.operand
    return isinstance(formula, Quantified)
