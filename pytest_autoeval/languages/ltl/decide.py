"""Equivalence and entailment of formulas of linear temporal logic with past, over infinite traces: always decidable.

What two formulas differ on is looked for among the shortest traces first; a symbolic tableau finds the others, or
proves that there are none.
"""

from __future__ import annotations

import time
from typing import Literal

from pytest_autoeval.languages.base import LimitError, Outcome, Verdict
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.limits import check_size
from pytest_autoeval.languages.ltl.oracle.lassos import find_word
from pytest_autoeval.languages.ltl.oracle.normal import TemporalNormaliser, negated
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ltl.witness import TraceWitness

Relation = Literal["equivalence", "entailment"]
#: What a verdict is called when the relation holds, and when it does not.
_OUTCOMES: dict[Relation, tuple[Outcome, Outcome]] = {
    "equivalence": ("equivalent", "different"),
    "entailment": ("entails", "does not entail"),
}


def equivalence(left: Temporal, right: Temporal, timeout: float) -> Verdict:
    """Whether two formulas hold at the start of the same infinite traces; the witness is a short lasso.

    ``timeout`` is in seconds, at most 10.
    """
    return _decide(left, right, "equivalence", timeout)


def entailment(left: Temporal, right: Temporal, timeout: float) -> Verdict:
    """Whether ``right`` holds at the start of every trace on which ``left`` does; otherwise as :func:`equivalence`."""
    return _decide(left, right, "entailment", timeout)


def _decide(left: Temporal, right: Temporal, relation: Relation, timeout: float) -> Verdict:
    started = time.perf_counter()
    try:
        check_size(left)
        check_size(right)
        method, lasso = _counterexample(left, right, relation, timeout)
        witness = None if lasso is None else _checked(left, right, relation, lasso)
    except (GaveUpError, LimitError) as problem:
        reason = problem.problem if isinstance(problem, LimitError) else str(problem)
        return Verdict("undecided", "symbolic tableau", reason=reason, seconds=time.perf_counter() - started)
    outcome = _OUTCOMES[relation][witness is not None]
    return Verdict(outcome, method, witness, seconds=time.perf_counter() - started)


def _counterexample(left: Temporal, right: Temporal, relation: Relation, timeout: float) -> tuple[str, Lasso | None]:
    """What decided, and a lasso against the relation, if there is one."""
    normaliser = TemporalNormaliser()
    first, second = normaliser.literal(left), normaliser.literal(right)
    fails = normaliser.differ(first, second) if relation == "equivalence" else normaliser.both(first, negated(second))
    form = normaliser.form(fails)
    method, word = find_word(form, timeout)
    return method, None if word is None else word.lasso(form.atoms, normaliser.atoms)


def _checked(left: Temporal, right: Temporal, relation: Relation, lasso: Lasso) -> TraceWitness:
    """The witness, after an evaluator of its own has confirmed it; never one that was not confirmed."""
    found = TraceWitness(lasso, holds(left, lasso), holds(right, lasso))
    if (found.left == found.right) if relation == "equivalence" else (found.right or not found.left):
        raise GaveUpError("internal: a trace that was found did not survive its check; please report it")
    return found
