"""The threads of a process that run bodies: those of the current suite first, then those of the next."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Job(Generic[T, R]):
    """Pieces of work for a crew, done in their order by one function; iterating yields the results as they come.

    The function must not raise. Each piece is done in a copy of the context in which the job was made.
    """

    def __init__(self, work: Callable[[T], R], pieces: Iterable[T]) -> None:
        self._work = work
        self._context = copy_context()
        self._todo = deque(pieces)
        self._in_work = 0
        self._lock = threading.Lock()
        self._done: queue.SimpleQueue[R | None] = queue.SimpleQueue()
        #: Set when nobody waits for the results any more.
        self.abandoned = False
        self._end_if_done()

    @property
    def waiting(self) -> int:
        """The number of pieces that nobody has started."""
        return len(self._todo)

    def stop(self) -> None:
        """No further piece is started; those in work come to their end."""
        with self._lock:
            self._todo.clear()
            self._end_if_done()

    def abandon(self) -> None:
        """No further piece is started, and nobody waits for those in work."""
        self.abandoned = True
        self.stop()

    def do_one(self) -> None:
        """Does the next piece, if one is left."""
        with self._lock:
            if not self._todo:
                return
            piece = self._todo.popleft()
            self._in_work += 1
        result = self._context.copy().run(self._work, piece)
        with self._lock:
            self._in_work -= 1
            self._done.put(result)
            self._end_if_done()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to start, and nothing in work."""
        return not self._todo and not self._in_work

    def __iter__(self) -> Iterator[R]:
        while (result := self._done.get()) is not None:
            yield result
        self._done.put(None)  # so that a second iteration ends too

    def _end_if_done(self) -> None:
        if self.is_done:
            self._done.put(None)


class Crew:
    """At most ``size`` threads, started as they are needed. They are daemons: calls in flight hold up no exit."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._jobs: deque[Job[Any, Any]] = deque()
        self._changed = threading.Condition()
        self._threads = self._idle = 0

    def start(self, job: Job[Any, Any], *, later: bool = False) -> None:
        """Begins a job; ``later``: behind all others, else before them."""
        with self._changed:
            self._jobs = deque(each for each in self._jobs if not each.is_done)
            if later:
                self._jobs.append(job)
            else:
                self._jobs.appendleft(job)
            waiting = sum(each.waiting for each in self._jobs)
            for _ in range(min(waiting - self._idle, self.size - self._threads)):
                self._threads += 1
                threading.Thread(target=self._serve, name="autoeval-body", daemon=True).start()
            self._changed.notify(waiting)

    def abandon(self) -> None:
        """Abandons all jobs."""
        with self._changed:
            while self._jobs:
                self._jobs.popleft().abandon()

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (job := next((job for job in self._jobs if job.waiting), None)) is None:
                    self._idle += 1
                    self._changed.wait()
                    self._idle -= 1
            job.do_one()
