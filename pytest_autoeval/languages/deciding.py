"""What all decision procedures share: giving up, witnesses, and the check of witnesses."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from pytest_autoeval.languages.base import LimitError, Relation, Verdict, VerdictOutcome, Witness
from pytest_autoeval.languages.isolation import GaveUpError, session

#: The outcomes of a relation that holds, and that does not.
OUTCOMES: dict[Relation, tuple[VerdictOutcome, VerdictOutcome]] = {
    "equivalence": (VerdictOutcome.EQUIVALENT, VerdictOutcome.DIFFERENT),
    "entailment": (VerdictOutcome.ENTAILS, VerdictOutcome.DOES_NOT_ENTAIL),
}


#: z3's own deterministic measure of work. The slowest machines do this much in a second.
_RLIMIT_A_SECOND = 1_000_000


class CheckedWitness(Witness, Protocol):
    """A witness with the values of both formulas, from an evaluator that shares no code with the procedure."""

    @property
    def left(self) -> bool: ...

    @property
    def right(self) -> bool: ...


class Assignment(Struct, frozen=True):
    """A value for each name of two formulas, and the truth values of the formulas."""

    values: Mapping[str, bool | int]
    left: bool
    right: bool

    def __str__(self) -> str:
        values = [f"{name} = {_in_lower_case(value)}" for name, value in self.values.items()]
        listed = ", ".join(values) or "any assignment"
        left = _in_lower_case(self.left)
        right = _in_lower_case(self.right)
        return f"{listed} (left: {left}, right: {right})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, ``values`` by name, and the values of the formulas, ``left`` and ``right``."""
        return {
            "kind": "assignment",
            "values": dict(self.values),
            "left": self.left,
            "right": self.right,
        }


def _in_lower_case(value: bool | int) -> str:
    return str(value).lower()


def decided(
    relation: Relation, method: str, search: Callable[[], tuple[str, CheckedWitness | None]]
) -> Verdict:
    """The verdict of a search for a witness against a relation. The search returns the method and the witness, or None.

    ``method`` is reported if the search gives up: with :class:`GaveUpError`, with :class:`LimitError`, or because its
    witness fails the check.
    """
    started = time.perf_counter()
    holds, fails = OUTCOMES[relation]
    try:
        method, witness = search()
        # A witness that fails the check costs the verdict, whatever the procedure claims.
        _check(relation, witness)
    except (GaveUpError, LimitError) as problem:
        reason = problem.problem if isinstance(problem, LimitError) else str(problem)
        seconds = time.perf_counter() - started
        return Verdict(VerdictOutcome.UNDECIDED, method, reason=reason, seconds=seconds)
    outcome = holds if witness is None else fails
    return Verdict(outcome, method, witness, seconds=time.perf_counter() - started)


def _check(relation: Relation, witness: CheckedWitness | None) -> None:
    if witness is None:
        return
    if relation == "equivalence":
        refutes = witness.left != witness.right
    else:
        refutes = witness.left and not witness.right
    if not refutes:
        raise GaveUpError("internal: what was found did not survive its check; please report it")


def model_of(script: str, timeout: float, **options: str) -> Mapping[str, bool | int] | None:
    """A model of an SMT-LIB script by z3, as values of its constants; None if it is unsatisfiable.

    z3 runs in its own process, with a limit of memory and of ``timeout`` seconds. ``options`` are z3's, such as
    ``logic="QF_LIA"``. A constant that does not matter may be missing. Raises :class:`GaveUpError`.
    """
    with session("pytest_autoeval.languages.smt", timeout) as worker:
        answer = worker.call("solve", script, int(timeout * _RLIMIT_A_SECOND), options)
    if answer.outcome == "unknown":
        raise GaveUpError(f"z3 gave up: {answer.reason}")
    if answer.outcome != "sat":
        return None
    values: Mapping[str, bool | int] = answer.values
    return values
