"""What a student gets wrong at one operator of a formula of linear temporal logic."""

from __future__ import annotations

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Binary,
    Eventually,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Release,
    Since,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)

_UNARY_TAKEN_FOR: dict[type[Unary], type[Unary]] = {
    Always: Eventually,
    Eventually: Always,
    Next: Eventually,
    Once: Historically,
    Historically: Once,
    Yesterday: Once,
    WeakYesterday: Yesterday,
}
_BINARY_TAKEN_FOR: dict[type[Binary], type[Binary]] = {
    And: Or,
    Or: And,
    Xor: Or,
    Implies: Iff,
    Iff: Implies,
    Until: WeakUntil,
    WeakUntil: Until,
    Release: WeakUntil,
    Triggered: Since,
    Since: Triggered,
}


def other_operator(formula: Formula) -> Formula | None:
    """F for G, G for F, W for U, | for & and the like."""
    match formula:
        case Unary(operand) if type(formula) in _UNARY_TAKEN_FOR:
            return _UNARY_TAKEN_FOR[type(formula)](operand)
        case Binary(left, right):
            return _BINARY_TAKEN_FOR[type(formula)](left, right)
        case _:
            return None


def forgotten_operator(formula: Formula) -> Formula | None:
    """A negation or a temporal operator over one formula left out."""
    return formula.operand if isinstance(formula, Unary) else None


def narrow_scope(formula: Formula) -> Formula | None:
    """A negation or a temporal operator over a connective put on its first part alone."""
    match formula:
        case Unary(And() | Or() | Xor() | Implies() | Iff() as compound):
            return type(compound)(type(formula)(compound.left), compound.right)
        case _:
            return None


def swapped_operands(formula: Formula) -> Formula | None:
    """An implication, until or since turned about."""
    if isinstance(formula, Implies | Until | WeakUntil | Release | Since | Triggered):
        return type(formula)(formula.right, formula.left)
    return None


def other_order(formula: Formula) -> Formula | None:
    """The negation of what eventually or always holds, where that of what holds eventually or always is meant."""
    match formula:
        case Not(Always() | Eventually() | Next() as temporal):
            return type(temporal)(Not(temporal.operand))
        case _:
            return None


def forgotten_part(formula: Formula) -> Formula | None:
    """The last part of a chain left out."""
    return formula.left if isinstance(formula, And | Or | Xor) else None


SLIPS = (other_operator, forgotten_operator, narrow_scope, swapped_operands, other_order, forgotten_part)
