"""Misreadings of linear temporal logic that were reported of real models.

Source: the study of translation to temporal logic, section 5: temporal operators mis-scoped or wrongly nested, G and F
confused (future formulas), Y and H confused, ``=`` written for ``<->`` (past formulas), chains of X miscounted
(traces), propositions other than the given ones (section 1), strong and weak readings that entail each other one way
only (over- and under-specification).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from pytest_autoeval.languages import Formula, language_of
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Eventually,
    FutureOperator,
    Historically,
    Iff,
    Implies,
    Next,
    Or,
    PastOperator,
    Unary,
    Until,
    WeakUntil,
    Xor,
    Yesterday,
)
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Misreading, Wording

LTL = ("ltl",)

_INVENTED = "event"


def globally_for_eventually(formula: Formula) -> Formula:
    """Swaps always and eventually; section 5 reports the confusion both ways."""
    return _swapped(formula, Always, Eventually)


def dropped_next(formula: Formula) -> Formula:
    """Leaves out every next; section 5 reports of traces that steps of X are lost."""
    return dropped_next(formula.operand) if isinstance(formula, Next) else formula.map_children(dropped_next)


def weak_until(formula: Formula) -> Formula:
    """Forgets that an until promises its right side; a formula weaker than the one described."""
    read = formula.map_children(weak_until)
    return WeakUntil(read.left, read.right) if isinstance(read, Until) else read


def mis_scoped(formula: Formula) -> Formula:
    """Puts an operator over a connective on the connective's first part; section 5's main cause of wrong formulas."""
    match formula:
        case Unary(And() | Or() | Xor() | Implies() | Iff() as compound) if _is_temporal(formula):
            first, second = compound.children()
            return compound.with_children((mis_scoped(formula.with_children((first,))), mis_scoped(second)))
        case _:
            return formula.map_children(mis_scoped)


def yesterday_for_historically(formula: Formula) -> Formula:
    """Swaps yesterday and historically; section 5 reports of past formulas that they are confused."""
    return _swapped(formula, Yesterday, Historically)


def new_atom(formula: Formula) -> Formula:
    """Calls the first proposition by a name that was not given; section 1: models do not keep to the given mapping."""
    names = dict.fromkeys(atom.name for atom in _atoms(formula))
    if not names:
        return formula
    old = next(iter(names))
    new = next(name for number in count() if (name := f"{_INVENTED}{number or ''}") not in names)
    return _renamed(formula, Atom(old), Atom(new))


def equals_for_iff(formula: Formula, text: str) -> Answer:
    """Equality for equivalence; section 5 reports it of past formulas. A notation without ``<->`` stays as it is."""
    return Answer(text.replace("<->", "=") if language_of(formula).name in LTL else text)


def _swapped(formula: Formula, one: type[Unary], other: type[Unary]) -> Formula:
    read = formula.map_children(lambda child: _swapped(child, one, other))
    if isinstance(read, one | other):
        return other(read.operand) if isinstance(read, one) else one(read.operand)
    return read


def _is_temporal(formula: Formula) -> bool:
    return isinstance(formula, FutureOperator | PastOperator)


def _atoms(formula: Formula) -> Iterator[Atom]:
    """The atoms from left to right."""
    return (node for node in formula.subformulas() if isinstance(node, Atom))


def _renamed(formula: Formula, old: Atom, new: Atom) -> Formula:
    return new if formula == old else formula.map_children(lambda child: _renamed(child, old, new))


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading(
        "globally-for-eventually",
        "takes G and F for each other: reads G p1 as F p1, F p1 as G p1",
        globally_for_eventually,
        languages=LTL,
    ),
    Misreading("dropped-next", "drops the next operator: reads X p1 as p1", dropped_next, languages=LTL),
    Misreading(
        "weak-until", "reads U as W: p1 U p2 as p1 W p2, which holds without p2 ever coming", weak_until, languages=LTL
    ),
    Misreading(
        "mis-scoped",
        "lets a temporal operator's scope shrink to the first part: reads G (p1 -> F p2) as (G p1) -> F p2",
        mis_scoped,
        languages=LTL,
    ),
    Misreading(
        "yesterday-for-historically",
        "takes Y and H for each other: reads H p1 as Y p1",
        yesterday_for_historically,
        languages=LTL,
    ),
    Misreading("new-atom", "invents a proposition in place of the first one", new_atom, languages=LTL),
    Wording("equals-for-iff", "writes = where <-> is meant, in temporal logic", equals_for_iff),
)
