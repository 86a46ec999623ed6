"""How much and how fast a run asks, over all threads of all workers together: the records that workers share, the
budget of calls and cost, the calls in flight, and the requests per minute."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock
from typing import Any

from pytest_autoeval.models.base import CallError, LimitReachedError

Record = dict[str, Any]

_CENT_DUST = 1e-9  # USD; sums of floats do not meet a limit exactly
_POLL = 0.01  # seconds between looks at slots that other workers hold


class RunState:
    """Named JSON records that are changed by one thread of one process at a time.

    Args:
        directory: shared by all workers of the run, made if it is missing; None keeps the records in memory.
    """

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._memory: dict[str, Record] = {}
        self._lock = Lock()
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)

    def read(self, name: str) -> Record:
        """A record as it stands, empty if there is none yet."""
        if self._directory is None:
            return self._memory.get(name, {})
        try:
            # Records are replaced whole, so reading one needs no lock.
            record: Record = json.loads((self._directory / f"{name}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return record

    def update(self, name: str, change: Callable[[Record], Record]) -> Record:
        """Replaces a record by what ``change`` makes of it, in one step for all workers, and returns it."""
        with self._lock:
            if self._directory is None:
                self._memory[name] = change(self.read(name))
                return self._memory[name]
            from filelock import FileLock

            # The operating system drops the lock of a killed worker, and the record is whole at every moment.
            with FileLock(self._directory / f"{name}.lock", poll_interval=0.001, thread_local=False):
                record = change(self.read(name))
                draft = self._directory / f"{name}.draft"
                draft.write_text(json.dumps(record), encoding="utf-8")
                draft.replace(self._directory / f"{name}.json")
                return record


class Budget:
    """Counts the calls that were made and what they cost; replayed answers are never counted.

    A call in flight is taken to cost as much as the dearest one so far, so that many at once do not overshoot.

    Args:
        max_calls: calls that the run may make; None: any number.
        max_cost: USD that the run may spend; None: any sum.
        state: where the workers keep the count.
    """

    def __init__(self, max_calls: int | None, max_cost: float | None, state: RunState) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._is_limited = max_calls is not None or max_cost is not None
        self._state = state

    def reserve(self) -> None:
        """Takes one call out of the budget, before it is made; :meth:`settle` must follow.

        Raises :class:`LimitReachedError`, and takes nothing, where the budget does not allow the call.
        """
        if self._is_limited:
            self._state.update("budget", self._reserved)

    def settle(self, cost: float) -> None:
        """Books what a reserved call did cost, in USD; 0 for one that failed."""

        def book(record: Record) -> Record:
            return {
                **record,
                "in_flight": record["in_flight"] - 1,
                "spent": record["spent"] + cost,
                "dearest": max(record["dearest"], cost),
            }

        if self._is_limited:
            self._state.update("budget", book)

    def _reserved(self, record: Record) -> Record:
        record = record or {"calls": 0, "in_flight": 0, "spent": 0.0, "dearest": 0.0}
        if self._max_calls is not None and record["calls"] >= self._max_calls:
            raise LimitReachedError(
                f"--autoeval-max-calls={self._max_calls} is reached: this run has made {record['calls']} calls; "
                "raise the limit, or replay recordings, which are free"
            )
        if self._max_cost is not None:
            expected = record["spent"] + (record["in_flight"] + 1) * record["dearest"]
            if expected > self._max_cost + _CENT_DUST or record["spent"] > self._max_cost - _CENT_DUST:
                raise LimitReachedError(
                    f"--autoeval-max-cost={self._max_cost:g} is reached: this run has spent {record['spent']:.4f} USD, "
                    f"with {record['in_flight']} calls in flight and {record['dearest']:.4f} USD for the dearest; "
                    "raise the limit, or replay recordings, which are free"
                )
        return {**record, "calls": record["calls"] + 1, "in_flight": record["in_flight"] + 1}


class Slots:
    """At most ``count`` calls in flight; a killed worker's slots come free by themselves.

    Args:
        count: 1 or more.
        directory: where the lock files of the slots stand; None: there is one process.
        stop: set when the run ends; whoever waits then gets a :class:`CallError`.
    """

    def __init__(self, count: int, directory: Path | None, stop: Event) -> None:
        self._count = count
        self._directory = directory
        self._stop = stop
        self._here = BoundedSemaphore(count)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Waits for a slot and holds it for the body of the ``with``."""
        while not self._here.acquire(timeout=0.2):
            if self._stop.is_set():
                raise _stopped()
        try:
            if self._stop.is_set():
                raise _stopped()
            with nullcontext() if self._directory is None else self._shared_slot(self._directory):
                yield
        finally:
            self._here.release()

    def _shared_slot(self, directory: Path) -> AbstractContextManager[object]:
        """The lock of a slot that no other worker or thread holds."""
        from filelock import FileLock, Timeout

        # Workers start at different slots: fewer collisions.
        numbers = [(os.getpid() + step) % self._count for step in range(self._count)]
        while True:
            for number in numbers:
                with suppress(Timeout):
                    return FileLock(directory / f"slot-{number}.lock", thread_local=False).acquire(blocking=False)
            if self._stop.wait(_POLL):
                raise _stopped()


class Pace:
    """Requests evenly spaced at a rate: a burst that uses up a minute's allowance at once is what servers refuse.

    Args:
        rpm: requests per minute, more than 0; None: no limit.
        state: where the workers keep the time of the next request.
        stop: set when the run ends; whoever waits then gets a :class:`CallError`.
        clock: seconds, the same for all processes of this machine.
    """

    def __init__(
        self, rpm: float | None, state: RunState, stop: Event, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval = 60.0 / rpm if rpm else 0.0
        self._state = state
        self._stop = stop
        self._clock = clock

    def wait(self) -> None:
        """Returns when the next request may start."""
        if not self._interval:
            return
        now = self._clock()

        def book(record: Record) -> Record:
            start = max(now, record.get("next", now))
            return {"start": start, "next": start + self._interval}

        delay = self._state.update("pace", book)["start"] - now
        if delay > 0 and self._stop.wait(delay):
            raise _stopped()


def _stopped() -> CallError:
    return CallError("the run was stopped before this call was made")
