"""Runs the bodies of a process: in threads, and in one event loop for `async` bodies."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextvars import copy_context
from time import monotonic
from typing import Any, Generic, TypeVar

from pytest_autoeval.errors import NoThreadError, start_thread

T = TypeVar("T")
R = TypeVar("R")

#: Seconds that cancelled coroutines have to clean up.
_CLEANING = 1.0
#: Seconds that threads at work have to end, once the run is over.
_PARTING = 0.5


def _no_work(_piece: Any) -> Any:
    raise AssertionError("the job has ended")


class Job(Generic[T, R]):
    """Pieces of work for a crew. One function does them in order; iterating yields the results as they come.

    Each piece runs in a copy of the context in which the job was made. An exception of the function ends the iteration.
    With ``more_to_come`` the job does not end before :meth:`Crew.complete` adds the rest.
    """

    def __init__(
        self, work: Callable[[T], R], pieces: Iterable[T], *, more_to_come: bool = False
    ) -> None:
        self._work: Callable[[T], R] = work
        self._more_to_come = more_to_come
        self._context = copy_context()
        self._todo = deque(pieces)
        self._in_work = 0
        self._lock = threading.Lock()
        self._done: queue.SimpleQueue[R | BaseException | None] = queue.SimpleQueue()
        self.stopped = False
        #: Set when nobody waits for the results any longer.
        self.abandoned = False
        self._end_if_done()

    @property
    def waiting(self) -> int:
        """The number of pieces that have not been started."""
        return len(self._todo)

    def complete(self, pieces: Iterable[T]) -> None:
        with self._lock:
            self._more_to_come = False
            if not self.stopped:
                self._todo.extend(pieces)
            self._end_if_done()

    def stop(self) -> None:
        """Starts no further piece; pieces that were started finish."""
        with self._lock:
            self.stopped, self._more_to_come = True, False
            self._todo.clear()
            self._end_if_done()

    def abandon(self) -> None:
        """Starts no further piece, and ends the iteration without waiting for those that were started."""
        self.abandoned = True
        self.stop()
        # Pieces may still be in work, and then nothing else ends the iteration.
        self._done.put(None)

    def do_one(self) -> None:
        with self._lock:
            if not self._todo:
                return
            piece = self._todo.popleft()
            self._in_work += 1
        try:
            # In a copy of its own: each body sets variables of the context, such as the current trial.
            result: R | BaseException = self._context.copy().run(self._work, piece)
        except BaseException as error:  # noqa: BLE001  (whoever waits must hear of it)
            result = error
        # In one step: the end of the job must stand behind its last result.
        with self._lock:
            self._in_work -= 1
            self._done.put(result)
            self._end_if_done()

    @property
    def is_done(self) -> bool:
        return not self._todo and not self._in_work and not self._more_to_come

    def __iter__(self) -> Iterator[R]:
        while (result := self._done.get()) is not None:
            if isinstance(result, BaseException):
                self.stop()
                problem = RuntimeError("a sample could not be brought to its end")
                raise problem from result
            yield result
        self._done.put(None)  # so that a second iteration ends too

    def _end_if_done(self) -> None:
        if self.is_done:
            self._done.put(None)
            # The function refers to its job, and to a suite with all its trials. Without this circle they are freed as
            # soon as nobody needs them. A search for circles through all formulas would take longer.
            self._work = _no_work


class Crew:
    """At most ``size`` threads, started when needed. They are daemons: calls in flight do not delay the exit."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._jobs: deque[Job[Any, Any]] = deque()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False

    def start(self, job: Job[Any, Any], *, later: bool = False) -> None:
        """Starts a job; with ``later`` behind all other jobs, else before them."""
        with self._changed:
            self._forget_done_jobs()
            if later:
                self._jobs.append(job)
            else:
                # A suite that shrinks its failures must not wait for the samples of the next suite.
                self._jobs.appendleft(job)
            self._wake()

    def complete(self, job: Job[T, Any], pieces: Iterable[T]) -> None:
        """Adds the last pieces to a job that was started with ``more_to_come``."""
        with self._changed:
            job.complete(pieces)
            self._wake()

    def _wake(self) -> None:
        waiting = sum(job.waiting for job in self._jobs)
        for _ in range(min(waiting - self._idle, self.size - len(self._threads))):
            thread = threading.Thread(target=self._serve, name="autoeval-body", daemon=True)
            # Where the system allows no more threads, those that have started do all the work.
            try:
                start_thread(thread)
            except NoThreadError:
                if not self._threads:
                    raise
                self.size = len(self._threads)
                break
            self._threads.append(thread)
        # Threads that have just started look for work themselves; this wakes the idle ones.
        self._changed.notify(waiting)

    def abandon(self) -> None:
        with self._changed:
            while self._jobs:
                self._jobs.popleft().abandon()

    def close(self) -> None:
        """Abandons all jobs and ends the threads, except those that are blocked in a user's body."""
        self.abandon()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        # One end for all threads. Many blocked ones would otherwise take this time each.
        end = monotonic() + _PARTING
        for thread in self._threads:
            thread.join(max(0.0, end - monotonic()))

    def _forget_done_jobs(self) -> None:
        """A job holds a suite with all its trials: a crew without work must not keep it alive."""
        self._jobs = deque(job for job in self._jobs if not job.is_done)

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (job := next((job for job in self._jobs if job.waiting), None)) is None:
                    if self._closed:
                        return
                    self._forget_done_jobs()
                    self._idle += 1
                    self._changed.wait()
                    self._idle -= 1
            job.do_one()
            del job  # nor must an idle thread


class BodyLoop:
    """One event loop in a thread of its own, started with the first body; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, body: Coroutine[Any, Any, Any]) -> Any:
        """Runs a body in the caller's context and returns its result. The caller waits."""
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=loop.run_forever, name="autoeval-async-bodies", daemon=True
                )
                try:
                    start_thread(thread)
                except NoThreadError:
                    loop.close()
                    raise
                self._loop, self._thread = loop, thread
        return asyncio.run_coroutine_threadsafe(body, self._loop).result()

    def close(self) -> None:
        """Cancels running bodies and ends the loop and its thread."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None:
            return

        async def end() -> None:
            unfinished = [
                task for task in asyncio.all_tasks() if task is not asyncio.current_task()
            ]
            for task in unfinished:
                task.cancel()
            # `asyncio.wait` refuses an empty set.
            if unfinished:
                await asyncio.wait(unfinished, timeout=_CLEANING)
            await loop.shutdown_asyncgens()
            loop.stop()

        asyncio.run_coroutine_threadsafe(end(), loop)
        # Longer than the coroutines get, since the loop has to end behind them.
        thread.join(2 * _CLEANING)
        if not thread.is_alive():  # else a body blocks the loop
            loop.close()
