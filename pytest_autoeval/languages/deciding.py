"""What all decision procedures have in common: giving up, and the check of whatever they find."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Literal, Protocol

from pytest_autoeval.languages.base import Formula, Language, LimitError, Outcome, Verdict, Witness
from pytest_autoeval.languages.isolation import GaveUpError

Relation = Literal["equivalence", "entailment"]
#: What a verdict is called when the relation holds, and when it does not.
OUTCOMES: dict[Relation, tuple[Outcome, Outcome]] = {
    "equivalence": ("equivalent", "different"),
    "entailment": ("entails", "does not entail"),
}


class CheckedWitness(Witness, Protocol):
    """A witness with the values of both formulas, by an evaluator that shares nothing with the procedure."""

    @property
    def left(self) -> bool: ...

    @property
    def right(self) -> bool: ...


class DecidingLanguage(Language):
    """A language with one decision procedure for both relations."""

    @abstractmethod
    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        """Whether a relation holds between two trees."""

    def decide_equivalence(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        return self.decide("equivalence", left, right, timeout)

    def decide_entailment(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        return self.decide("entailment", left, right, timeout)


def decided(relation: Relation, method: str, search: Callable[[], tuple[str, CheckedWitness | None]]) -> Verdict:
    """The verdict that a search for a witness against a relation comes to: what decided, and the witness found.

    ``method`` is named where the search gives up: by :class:`GaveUpError`, by :class:`LimitError`, or because its
    witness does not survive the check.
    """
    started = time.perf_counter()
    holds, fails = OUTCOMES[relation]
    try:
        method, witness = search()
        _check(relation, witness)
    except (GaveUpError, LimitError) as problem:
        reason = problem.problem if isinstance(problem, LimitError) else str(problem)
        return Verdict("undecided", method, reason=reason, seconds=time.perf_counter() - started)
    return Verdict(holds if witness is None else fails, method, witness, seconds=time.perf_counter() - started)


def _check(relation: Relation, witness: CheckedWitness | None) -> None:
    if witness is None:
        return
    refutes = witness.left != witness.right if relation == "equivalence" else witness.left and not witness.right
    if not refutes:
        raise GaveUpError("internal: what was found did not survive its check; please report it")
