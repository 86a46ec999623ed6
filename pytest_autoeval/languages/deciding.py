"""What all decision procedures share: giving up, witnesses, and the check of a witness."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_autoeval.languages.base import LimitError, Relation, Verdict, VerdictOutcome, Witness
from pytest_autoeval.languages.isolation import GaveUpError, session

#: What a verdict is called when the relation holds, and when it does not.
OUTCOMES: dict[Relation, tuple[VerdictOutcome, VerdictOutcome]] = {
    "equivalence": (VerdictOutcome.EQUIVALENT, VerdictOutcome.DIFFERENT),
    "entailment": (VerdictOutcome.ENTAILS, VerdictOutcome.DOES_NOT_ENTAIL),
}


#: z3's own measure of work, deterministic; the slowest machines do this much of it in a second.
_RLIMIT_A_SECOND = 1_000_000


class CheckedWitness(Witness, Protocol):
    """A witness with the values of both formulas, by an evaluator that shares nothing with the procedure."""

    @property
    def left(self) -> bool: ...

    @property
    def right(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value for each name of two formulas, and the values that the formulas take under it."""

    values: Mapping[str, bool | int]
    left: bool
    right: bool

    def __str__(self) -> str:
        listed = ", ".join(f"{name} = {str(value).lower()}" for name, value in self.values.items()) or "any assignment"
        return f"{listed} (left: {str(self.left).lower()}, right: {str(self.right).lower()})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, ``values`` by name, and the values of the formulas, ``left`` and ``right``."""
        return {"kind": "assignment", "values": dict(self.values), "left": self.left, "right": self.right}


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
        return Verdict(VerdictOutcome.UNDECIDED, method, reason=reason, seconds=time.perf_counter() - started)
    return Verdict(holds if witness is None else fails, method, witness, seconds=time.perf_counter() - started)


def _check(relation: Relation, witness: CheckedWitness | None) -> None:
    if witness is None:
        return
    refutes = witness.left != witness.right if relation == "equivalence" else witness.left and not witness.right
    if not refutes:
        raise GaveUpError("internal: what was found did not survive its check; please report it")


def model_of(script: str, timeout: float, **options: str) -> Mapping[str, bool | int] | None:
    """The values of the constants that satisfy a script in the notation of SMT-LIB, by z3; None where none do.

    z3 runs in a process of its own, with a limit of memory and of ``timeout`` seconds. ``options`` are z3's, such as
    ``logic="QF_LIA"``. A constant that does not matter may be missing. Raises :class:`GaveUpError`.
    """
    with session("pytest_autoeval.languages.smt", timeout) as worker:
        answer = worker.call("solve", script, int(timeout * _RLIMIT_A_SECOND), options)
    if answer.outcome == "unknown":
        raise GaveUpError(f"z3 gave up: {answer.reason}")
    found: Mapping[str, bool | int] | None = answer.values if answer.outcome == "sat" else None
    return found
