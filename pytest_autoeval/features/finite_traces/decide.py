"""Equivalence and entailment on finite traces, by the procedure for infinite traces: complete.

A finite trace stands for the infinite traces that begin with it, on which a fresh proposition holds at its steps and at
none after them. Each formula is put into a formula over these.

Source: De Giacomo and Vardi, "Linear temporal logic and linear dynamic logic on finite traces" (IJCAI 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.features.finite_traces.evaluate import FiniteTrace, FiniteTraceWitness, holds
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.base import Relation, Verdict, fold
from pytest_autoeval.languages.deciding import decided
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.ltl import decide as on_infinite_traces
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.evaluate import TraceWitness
from pytest_autoeval.languages.size_limits import check_large_size

#: Holds at the steps of the trace. It is not a name that a text can have, so it is none of a formula's names.
_STEP = ltl.Atom("a step")
#: There is a first step, and after some step there are no more.
_IS_FINITE = ltl.And(_STEP, ltl.Until(_STEP, ltl.Always(ltl.Not(_STEP))))
#: The connectives, which are the same on infinite traces.
_SAME: dict[type[OnFiniteTraces], type[ltl.Temporal]] = {
    syntax.Top: ltl.Top,
    syntax.Bottom: ltl.Bottom,
    syntax.Not: ltl.Not,
    syntax.And: ltl.And,
    syntax.Or: ltl.Or,
    syntax.Xor: ltl.Xor,
    syntax.Implies: ltl.Implies,
    syntax.Iff: ltl.Iff,
}


def decide(
    relation: Relation,
    left: OnFiniteTraces,
    right: OnFiniteTraces,
    timeout: float,
    most_nodes: int | None = None,
) -> Verdict:
    """Whether two formulas hold on the same finite traces, or ``right`` wherever ``left`` does.

    ``timeout`` and ``most_nodes`` are those of the procedure for infinite traces.
    """

    def search() -> tuple[str, FiniteTraceWitness | None]:
        check_large_size(left)
        check_large_size(right)
        verdict = on_infinite_traces.decide(
            relation, with_steps(left), with_steps(right), timeout, most_nodes
        )
        if verdict.reason:
            raise GaveUpError(verdict.reason)
        if verdict.witness is None:
            return verdict.method, None
        assert isinstance(verdict.witness, TraceWitness)
        names = dict.fromkeys((*syntax.names_of(left), *syntax.names_of(right)))
        trace = _cut(verdict.witness, tuple(names))
        return verdict.method, FiniteTraceWitness(trace, holds(left, trace), holds(right, trace))

    return decided(relation, "symbolic tableau", search)


def with_steps(formula: OnFiniteTraces) -> ltl.Temporal:
    """The formula of the infinite traces that stand for the finite traces of a formula."""
    return ltl.And(_IS_FINITE, fold(formula, _within_steps))


def _within_steps(node: OnFiniteTraces, parts: Sequence[ltl.Temporal]) -> ltl.Temporal:  # noqa: PLR0911 (cases)
    """A node over its parts. It has the right value at each step of the trace; after them its value does not matter."""
    match node, parts:
        case syntax.Atom(name), _:
            return ltl.Atom(name)
        case syntax.StrongNext(), [a]:
            return ltl.Next(ltl.And(_STEP, a))
        case syntax.Next(), [a]:
            return ltl.Next(ltl.Implies(_STEP, a))
        case syntax.Eventually(), [a]:
            return ltl.Eventually(ltl.And(_STEP, a))
        case syntax.Always(), [a]:
            return ltl.Always(ltl.Implies(_STEP, a))
        case syntax.Until(), [a, b]:
            return ltl.Until(a, ltl.And(_STEP, b))
        case syntax.WeakUntil(), [a, b]:
            return ltl.WeakUntil(ltl.Implies(_STEP, a), ltl.And(_STEP, b))
        case syntax.Release(), [a, b]:
            return ltl.Release(ltl.And(_STEP, a), ltl.Implies(_STEP, b))
    return _SAME[type(node)](*parts)


def _cut(witness: TraceWitness, names: tuple[str, ...]) -> FiniteTrace:
    """The finite trace that an infinite trace stands for. Its last step is in the prefix or in the loop."""
    states = takewhile(lambda state: _STEP.name in state, witness.lasso.states)
    return FiniteTrace(tuple(state & frozenset(names) for state in states), names)
