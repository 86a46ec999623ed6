"""Faults in linear temporal logic that were reported of real models.

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
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Misreading, Wording, everywhere, taken_for

LTL = ("ltl",)

_INVENTED_NAME = "event"
_INVENTED_PHRASE = "the system keeps running"

# What goes wrong at one place


def narrow_scope(formula: Formula) -> Formula | None:
    """A negation or a temporal operator over a connective put on its first part alone."""
    match formula:
        case ltl.Unary(ltl.And() | ltl.Or() | ltl.Xor() | ltl.Implies() | ltl.Iff() as compound):
            return type(compound)(type(formula)(compound.left), compound.right)
        case _:
            return None


def dropped_next(formula: Formula) -> Formula | None:
    """A next left out; section 5 reports of traces that steps of X are lost."""
    return formula.operand if isinstance(formula, ltl.Next) else None


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
        everywhere(taken_for({ltl.Always: ltl.Eventually, ltl.Eventually: ltl.Always})),
        LTL,
    ),
    Misreading("dropped-next", "drops the next operator: reads X p1 as p1", everywhere(dropped_next), LTL),
    Misreading(
        "weak-until",
        "reads U as W: p1 U p2 as p1 W p2, which holds without p2 ever coming",
        everywhere(taken_for({ltl.Until: ltl.WeakUntil})),
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
        everywhere(taken_for({ltl.Yesterday: ltl.Historically, ltl.Historically: ltl.Yesterday})),
        LTL,
    ),
    Misreading("new-atom", "invents a proposition in place of the first one", new_atom, LTL),
    Wording("equals-for-iff", "writes = where <-> is meant, in temporal logic", equals_for_iff),
    OverExtracts("over-extracts", "lists a proposition more than a sentence states"),
    WholeSentence("whole-sentence", "takes a whole sentence for one proposition"),
    AcceptsAll("accepts-all", "calls every string well-formed"),
)
