"""The canonical text of a formula.

Parentheses stand around a binary formula inside another, except in a chain of the same ∧, ∨ or ⊕ nested to the left;
around a binary body of a quantifier; around what a negation denies unless that is an atom, a negation or quantified.
"""

from __future__ import annotations

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
QUANTIFIERS: dict[type[Quantified], str] = {Forall: "∀", Exists: "∃"}
#: What the strict syntax reads as ⊤ and ⊥; a proposition of that name is written with empty parentheses.
TRUTH_WORDS = ("true", "false")


def to_text(formula: Sentence) -> str:
    """The canonical text, which the strict parser turns back into the same tree."""
    pieces: list[str] = []
    pending: list[Formula | str] = [formula]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            pieces.append(part)
        else:
            pending.extend(reversed(_parts(part)))
    return "".join(pieces)


def term_text(term: Term) -> str:
    """The text of a term."""
    return f"{term.name}({', '.join(map(term_text, term.arguments))})" if term.arguments else term.name


def _parts(formula: Formula) -> list[Formula | str]:  # noqa: PLR0911  (a case a node)
    match formula:
        case Atom(predicate, ()):
            return [f"{predicate}()" if predicate in TRUTH_WORDS else predicate]
        case Atom(predicate, arguments):
            return [f"{predicate}({', '.join(map(term_text, arguments))})"]
        case Equal(left, right):
            return [f"{term_text(left)} = {term_text(right)}"]
        case Top():
            return ["⊤"]
        case Bottom():
            return ["⊥"]
        case Not(operand):
            return ["¬", *_enclosed(operand, enclose=isinstance(operand, Binary | Equal))]
        case Quantified(variable, body):
            return [f"{QUANTIFIERS[type(formula)]}{variable}. ", *_enclosed(body, enclose=isinstance(body, Binary))]
        case Binary(left, right):
            sign = f" {SIGNS[type(formula)]} "
            return [
                *_enclosed(left, enclose=not _stands_left(left, formula)),
                sign,
                *_enclosed(right, enclose=isinstance(right, Binary)),
            ]
    raise TypeError(f"not a formula of logic: {type(formula).__name__}")


def _enclosed(formula: Formula, *, enclose: bool) -> list[Formula | str]:
    return ["(", formula, ")"] if enclose else [formula]


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
