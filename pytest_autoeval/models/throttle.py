"""How fast a run asks: calls in flight and requests per minute, over all threads of all workers together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock
from typing import TYPE_CHECKING

from pytest_autoeval.models.base import CallError
from pytest_autoeval.models.state import Record, RunState

if TYPE_CHECKING:
    from filelock import BaseFileLock

_POLL = 0.01  # seconds between looks at slots that other workers hold


def _stopped() -> CallError:
    return CallError("the run was stopped before this call was made")


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
        self._lock = Lock()
        self._held: set[int] = set()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Waits for a slot and holds it for the body of the ``with``."""
        while not self._here.acquire(timeout=0.2):
            if self._stop.is_set():
                raise _stopped()
        try:
            if self._stop.is_set():
                raise _stopped()
            if self._directory is None:
                yield
            else:
                with self._shared_slot(self._directory):
                    yield
        finally:
            self._here.release()

    @contextmanager
    def _shared_slot(self, directory: Path) -> Iterator[None]:
        while (taken := self._try_slots(directory)) is None:
            if self._stop.wait(_POLL):
                raise _stopped()
        number, lock = taken
        try:
            yield
        finally:
            lock.release()
            with self._lock:
                self._held.discard(number)

    def _try_slots(self, directory: Path) -> tuple[int, BaseFileLock] | None:
        from filelock import FileLock, Timeout

        with self._lock:
            for step in range(self._count):
                number = (os.getpid() + step) % self._count  # workers start at different slots: fewer collisions
                if number in self._held:
                    continue
                lock = FileLock(directory / f"slot-{number}.lock", thread_local=False)
                try:
                    lock.acquire(blocking=False)
                except Timeout:
                    continue
                self._held.add(number)
                return number, lock
        return None


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
