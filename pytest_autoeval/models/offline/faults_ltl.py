"""Faults in linear temporal logic that were reported of real models, and a student's slips.

Source: the study of translation to temporal logic, section 5: temporal operators mis-scoped or wrongly nested, G and F
confused (future formulas), Y and H confused, ``=`` written for ``<->`` (past formulas), chains of X miscounted
(traces), propositions other than the given ones (section 1), strong and weak readings that entail each other one way
only (over- and under-specification). Without guidance, several models take a whole sentence for one proposition, which
hides its structure; others list more than the sentence states. Ill-formed formulas that are accepted are called the
most critical failure of syntactic judgement: up to 41 % of them.
"""

from __future__ import annotations

from itertools import count

from pytest_autoeval.languages import Formula, language_of
from pytest_autoeval.languages.base import substitute
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.models.offline.answer_key import Propositions
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Misreading, Slip, Wording, everywhere

LTL = ("ltl",)

_INVENTED_NAME = "event"
_INVENTED_PHRASE = "the system keeps running"
_UNARY_TAKEN_FOR: dict[type[ltl.Unary], type[ltl.Unary]] = {
    ltl.Always: ltl.Eventually,
    ltl.Eventually: ltl.Always,
    ltl.Next: ltl.Eventually,
    ltl.Once: ltl.Historically,
    ltl.Historically: ltl.Once,
    ltl.Yesterday: ltl.Once,
    ltl.WeakYesterday: ltl.Yesterday,
}
_BINARY_TAKEN_FOR: dict[type[ltl.Binary], type[ltl.Binary]] = {
    ltl.And: ltl.Or,
    ltl.Or: ltl.And,
    ltl.Xor: ltl.Or,
    ltl.Implies: ltl.Iff,
    ltl.Iff: ltl.Implies,
    ltl.Until: ltl.WeakUntil,
    ltl.WeakUntil: ltl.Until,
    ltl.Release: ltl.WeakUntil,
    ltl.Triggered: ltl.Since,
    ltl.Since: ltl.Triggered,
}


# What goes wrong at one place


def other_operator(formula: Formula) -> Formula | None:
    """F for G, G for F, W for U, | for & and the like."""
    match formula:
        case ltl.Unary(operand) if type(formula) in _UNARY_TAKEN_FOR:
            return _UNARY_TAKEN_FOR[type(formula)](operand)
        case ltl.Binary(left, right):
            return _BINARY_TAKEN_FOR[type(formula)](left, right)
        case _:
            return None


def forgotten_operator(formula: Formula) -> Formula | None:
    """A negation or a temporal operator over one formula left out."""
    return formula.operand if isinstance(formula, ltl.Unary) else None


def narrow_scope(formula: Formula) -> Formula | None:
    """A negation or a temporal operator over a connective put on its first part alone."""
    match formula:
        case ltl.Unary(ltl.And() | ltl.Or() | ltl.Xor() | ltl.Implies() | ltl.Iff() as compound):
            return type(compound)(type(formula)(compound.left), compound.right)
        case _:
            return None


def swapped_operands(formula: Formula) -> Formula | None:
    """An implication, until or since turned about."""
    if isinstance(formula, ltl.Implies | ltl.Until | ltl.WeakUntil | ltl.Release | ltl.Since | ltl.Triggered):
        return type(formula)(formula.right, formula.left)
    return None


def other_order(formula: Formula) -> Formula | None:
    """The negation of what eventually or always holds, where that of what holds eventually or always is meant."""
    match formula:
        case ltl.Not(ltl.Always() | ltl.Eventually() | ltl.Next() as temporal):
            return type(temporal)(ltl.Not(temporal.operand))
        case _:
            return None


def forgotten_part(formula: Formula) -> Formula | None:
    """The last part of a chain left out."""
    return formula.left if isinstance(formula, ltl.And | ltl.Or | ltl.Xor) else None


SLIPS = (other_operator, forgotten_operator, narrow_scope, swapped_operands, other_order, forgotten_part)


def dropped_next(formula: Formula) -> Formula | None:
    """A next left out; section 5 reports of traces that steps of X are lost."""
    return formula.operand if isinstance(formula, ltl.Next) else None


def weak_until(formula: Formula) -> Formula | None:
    """An until that does not promise its right side; a formula weaker than the one described."""
    return ltl.WeakUntil(formula.left, formula.right) if isinstance(formula, ltl.Until) else None


def confused(one: type[ltl.Unary], other: type[ltl.Unary]) -> Slip:
    """One operator taken for the other, and the other for the one; section 5 reports the confusion both ways."""

    def slip(formula: Formula) -> Formula | None:
        if isinstance(formula, one | other):
            return other(formula.operand) if isinstance(formula, one) else one(formula.operand)
        return None

    return slip


# What goes wrong in a formula as a whole


def mis_scoped(formula: Formula) -> Formula:
    """Puts an operator over a connective on the connective's first part; section 5's main cause of wrong formulas."""
    is_temporal = isinstance(formula, ltl.FutureOperator | ltl.PastOperator)
    if is_temporal and (narrow := narrow_scope(formula)) is not None:
        return narrow.map_children(mis_scoped)
    return formula.map_children(mis_scoped)


def new_atom(formula: Formula) -> Formula:
    """Calls the first proposition by a name that was not given; section 1: models do not keep to the given mapping."""
    names = language_of(formula).symbols(formula).propositions
    if not names:
        return formula
    new = next(name for number in count() if (name := f"{_INVENTED_NAME}{number or ''}") not in names)
    return substitute(formula, {ltl.Atom(names[0]): ltl.Atom(new)})


def equals_for_iff(formula: Formula, text: str) -> Answer:
    """Equality for equivalence; section 5 reports it of past formulas. A notation without ``<->`` stays as it is."""
    return Answer(text.replace("<->", "=") if language_of(formula).name in LTL else text)


# What goes wrong with sentences and strings


class OverExtracts(Behaviour):
    """Lists a proposition that the sentence does not state."""

    def find(self, sentence: str, propositions: Propositions) -> Propositions:  # noqa: ARG002
        used = {name for _, name in propositions}
        names = (f"x{number}" for number in count(len(propositions) + 1))
        return (*propositions, (_INVENTED_PHRASE, next(name for name in names if name not in used)))


class WholeSentence(Behaviour):
    """Takes a sentence for one proposition."""

    def find(self, sentence: str, propositions: Propositions) -> Propositions:
        return ((sentence.rstrip(".!?"), next((name for _, name in propositions), "x1")),)


class AcceptsAll(Behaviour):
    """Calls whatever it is shown well-formed."""

    def accept(self, text: str, *, well_formed: bool) -> bool:  # noqa: ARG002
        return True


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading(
        "globally-for-eventually",
        "takes G and F for each other: reads G p1 as F p1, F p1 as G p1",
        everywhere(confused(ltl.Always, ltl.Eventually)),
        LTL,
    ),
    Misreading("dropped-next", "drops the next operator: reads X p1 as p1", everywhere(dropped_next), LTL),
    Misreading(
        "weak-until",
        "reads U as W: p1 U p2 as p1 W p2, which holds without p2 ever coming",
        everywhere(weak_until),
        LTL,
    ),
    Misreading(
        "mis-scoped",
        "lets a temporal operator's scope shrink to the first part: reads G (p1 -> F p2) as (G p1) -> F p2",
        mis_scoped,
        LTL,
    ),
    Misreading(
        "yesterday-for-historically",
        "takes Y and H for each other: reads H p1 as Y p1",
        everywhere(confused(ltl.Yesterday, ltl.Historically)),
        LTL,
    ),
    Misreading("new-atom", "invents a proposition in place of the first one", new_atom, LTL),
    Wording("equals-for-iff", "writes = where <-> is meant, in temporal logic", equals_for_iff),
    OverExtracts("over-extracts", "lists a proposition more than a sentence states"),
    WholeSentence("whole-sentence", "takes a whole sentence for one proposition"),
    AcceptsAll("accepts-all", "calls every string well-formed"),
)
