"""Which samples may start under `--autoeval-max-calls`: those whose calls the rest of the limit still allows.

Without this, all threads ask the first questions of samples, and the limit is reached before any sample has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock
from typing import Any, Literal, NamedTuple

from pytest_autoeval.models.model_names import is_local
from pytest_autoeval.models.protocols import LimitReachedError
from pytest_autoeval.tasks.trial import Trial
from pytest_autoeval.text import count

#: The calls of a sample of a suite in which none has ended: more than those of most tasks. If so many are left for
#: each sample, all start at once. Otherwise the first one runs alone, and shows how many calls a sample makes.
_UNKNOWN = 8
#: Seconds after which a sample that waits asks again: calls of other processes may have ended.
_PAUSE = 0.05


class Admission(NamedTuple):
    """Whether a sample may start: if not, ``wait`` until another one has ended. ``attempts`` are those of the run."""

    verdict: Literal["yes", "wait", "no"]
    attempts: int


class _UnderWay(NamedTuple):
    """The samples of a process that are under way: the calls that they need in all, and those they had so far."""

    needed: int = 0
    answered: int = 0


class SampleBudget:
    """Decides for all processes of a run; thread-safe.

    A call in flight counts as made and as needed, so that the rest is never overestimated.
    """

    def __init__(self, most: int, attempts: Callable[[], int]) -> None:
        self._most = most
        self._attempts = attempts
        self._lock = Lock()
        self._by_process: dict[object, _UnderWay] = {}

    def admits(self, process: object, needed: int, answered: int) -> Admission:
        """Whether one more sample may start, if the samples of its process then need and had so many calls."""
        with self._lock:
            attempts = self._attempts()
            elsewhere = [state for name, state in self._by_process.items() if name != process]
            all_needed = needed + sum(state.needed for state in elsewhere)
            all_answered = answered + sum(state.answered for state in elsewhere)
            # All attempts but the answers that samples under way had: those of samples that ended, and failed ones.
            spent = attempts - all_answered
            if spent + all_needed <= self._most:
                self._by_process[process] = _UnderWay(needed, answered)
                return Admission("yes", attempts)
            # A sample under way may need fewer calls than expected, so that this one fits once that has ended.
            is_any_under_way = any(state.needed for state in self._by_process.values())
            return Admission("wait" if is_any_under_way else "no", attempts)

    def keep(self, process: object, needed: int, answered: int) -> None:
        """Samples of a process have ended: the others need and had so many calls."""
        with self._lock:
            self._by_process[process] = _UnderWay(needed, answered)

    def forget(self, process: object) -> None:
        """A process has ended, and its samples with it."""
        with self._lock:
            self._by_process.pop(process, None)


class SamplesUnderWay:
    """The samples of this process. With a limit of calls, each waits here until its calls fit into the limit.

    ``services`` has the methods ``admits`` and ``keep`` of the process that leads the run.
    """

    def __init__(self, services: Any, most: int | None) -> None:
        self._services = services
        self._most = most
        self._changed = Condition()
        #: The trials under way, each with the calls that it is expected to need.
        self._trials: list[tuple[Trial, int]] = []
        #: The most calls of a sample that has ended, by the numbers of the suites.
        self._longest: dict[int, int] = {}

    @contextmanager
    def of(self, trial: Trial, suite: int, is_stopped: Callable[[], bool]) -> Iterator[None]:
        """Inside this ``with`` a trial runs. Raises :class:`LimitReachedError` if its calls do not fit any more."""
        # A model in this process makes no calls that the limit counts.
        if self._most is None or is_local(trial.model.name):
            yield
            return
        self._wait_for_turn(trial, suite, is_stopped)
        try:
            yield
        finally:
            with self._changed:
                self._trials = [entry for entry in self._trials if entry[0] is not trial]
                self._longest[suite] = max(_paid(trial), self._longest.get(suite, 0))
                self._services.keep(*self._state())
                self._changed.notify_all()

    def _wait_for_turn(self, trial: Trial, suite: int, is_stopped: Callable[[], bool]) -> None:
        with self._changed:
            while not is_stopped():
                expected = self._longest.get(suite, _UNKNOWN)
                admission = self._asked(expected)
                if admission.verdict == "no" and suite not in self._longest:
                    # Nothing runs, and nobody knows yet how many calls the sample needs: perhaps fewer, as others did.
                    expected = min(filter(None, self._longest.values()), default=1)
                    admission = self._asked(expected)
                if admission.verdict == "yes":
                    self._trials.append((trial, expected))
                    return
                if admission.verdict == "no":
                    raise LimitReachedError(self._reached(admission.attempts, expected))
                self._changed.wait(_PAUSE)
        raise LimitReachedError(f"--autoeval-max-calls={self._most}: the suite ended before")

    def _asked(self, expected: int) -> Admission:
        needed, answered = self._state()
        admission: Admission = self._services.admits(needed + expected, answered)
        return admission

    def _state(self) -> tuple[int, int]:
        """The calls that the trials under way need in all, and those that they had so far."""
        paid = [_paid(trial) for trial, _ in self._trials]
        needed = [
            max(expected, number) for (_, expected), number in zip(self._trials, paid, strict=True)
        ]
        return sum(needed), sum(paid)

    def _reached(self, attempts: int, expected: int) -> str:
        rest = ""
        if self._most is not None and attempts < self._most:
            rest = f", and a sample may need {expected}"
        return f"--autoeval-max-calls={self._most} is reached: this run has made {count(attempts, 'call')}{rest}"


def _paid(trial: Trial) -> int:
    """How many of the calls of a trial a server answered."""
    return sum(call.asked for call in list(trial.calls))
