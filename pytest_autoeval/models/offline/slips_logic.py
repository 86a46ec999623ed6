"""What a student gets wrong at one operator of a propositional or first-order formula."""

from __future__ import annotations

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.logic.chains import joined, parts_of
from pytest_autoeval.languages.logic.syntax import And, Binary, Exists, Forall, Iff, Implies, Not, Or, Xor

_TAKEN_FOR: dict[type[Binary], type[Binary]] = {And: Or, Or: And, Xor: Or, Implies: Iff, Iff: Implies}


def other_connective(formula: Formula) -> Formula | None:
    """∧ for ∨, ∨ for ∧ or ⊕, ↔ for →, → for ↔."""
    return _TAKEN_FOR[type(formula)](formula.left, formula.right) if isinstance(formula, Binary) else None


def converse(formula: Formula) -> Formula | None:
    """The implication turned about."""
    return Implies(formula.right, formula.left) if isinstance(formula, Implies) else None


def forgotten_part(formula: Formula) -> Formula | None:
    """The last part of a chain left out."""
    if isinstance(formula, And | Or | Xor):
        return joined(type(formula), parts_of(formula)[:-1])
    return None


def dropped_negation(formula: Formula) -> Formula | None:
    """The negation left out."""
    return formula.operand if isinstance(formula, Not) else None


def narrow_negation(formula: Formula) -> Formula | None:
    """The negation of a compound put on its first part alone."""
    match formula:
        case Not(Binary() as compound):
            first, *rest = parts_of(compound)
            return joined(type(compound), [Not(first), *rest])
        case _:
            return None


def other_quantifier(formula: Formula) -> Formula | None:
    """∃ for ∀, ∀ for ∃."""
    match formula:
        case Forall(variable, body):
            return Exists(variable, body)
        case Exists(variable, body):
            return Forall(variable, body)
        case _:
            return None


SLIPS = (other_connective, converse, forgotten_part, dropped_negation, narrow_negation, other_quantifier)
