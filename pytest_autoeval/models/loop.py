"""The event loop of all calls, in a thread of its own, with daemon threads for blocking work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from pytest_autoeval.errors import NoThreadError, start_thread

_T = TypeVar("_T")
#: Seconds that a thread may take to end. A thread that hangs in foreign code is abandoned.
_PARTING = 1.0


class CallLoop(asyncio.SelectorEventLoop):
    """An event loop that runs in a daemon thread from :meth:`start` to :meth:`end`.

    ``run_in_executor(None, …)``, and so `asyncio.to_thread` and DNS look-ups, use a daemon thread: a function that
    never returns does not keep the process alive. The threads of a `ThreadPoolExecutor` would. Every exception of a
    thread, of any type, reaches the future.
    """

    def __init__(self) -> None:
        super().__init__()
        self._thread = Thread(target=self._run, name="autoeval-asker", daemon=True)
        self._ended = False
        self._work: SimpleQueue[tuple[asyncio.Future[Any], Callable[[], Any]] | None] = (
            SimpleQueue()
        )
        self._threads: list[Thread] = []
        self._idle = 0  # only the loop's own thread counts
        self._queued = 0  # jobs without a thread, because no further one could be started

    def start(self) -> None:
        start_thread(self._thread)

    def end(self) -> None:
        """Stops, cancels the remaining tasks, and joins all threads; called by another thread."""
        self._ended = True
        self.call_soon_threadsafe(self.stop)
        self._thread.join(_PARTING)
        for _ in self._threads:
            self._work.put(None)
        ends = time.monotonic() + _PARTING
        for thread in self._threads:
            thread.join(max(0.0, ends - time.monotonic()))
        if not self._thread.is_alive():
            self.close()

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., _T], *args: Any
    ) -> asyncio.Future[_T]:
        if executor is not None:
            return super().run_in_executor(executor, func, *args)
        future: asyncio.Future[_T] = self.create_future()
        # Without a limit of threads: work that waits behind a function that never returns would wait for ever.
        if self._idle:
            self._idle -= 1
        else:
            self._start_another()
        self._work.put((future, lambda: func(*args)))
        return future

    def _start_another(self) -> None:
        """Starts a thread for a job, or lets the job wait for another thread; raises :class:`NoThreadError`."""
        thread = Thread(target=self._do, name="autoeval-blocking", daemon=True)
        try:
            start_thread(thread)
        except NoThreadError:
            if not self._threads:
                raise
            self._queued += 1
        else:
            self._threads.append(thread)

    def _do(self) -> None:
        while (job := self._work.get()) is not None:
            future, work = job
            result: Any = None
            error: BaseException | None = None
            try:
                result = work()
            except BaseException as problem:  # noqa: BLE001  (the caller decides)
                error = problem
                if isinstance(problem, StopIteration):  # a future does not take it
                    error = RuntimeError(repr(problem))
            # An idle thread must not keep alive what its last job used.
            del job, work
            with suppress(RuntimeError):  # the loop is closed
                self.call_soon_threadsafe(self._done, future, result, error)
            del future, result, error

    def _done(self, future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
        if self._queued:
            self._queued -= 1
        else:
            self._idle += 1
        if future.cancelled():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def _run(self) -> None:
        while not self._ended:
            # A task of the user's code may raise SystemExit, which ends a loop.
            with suppress(BaseException):
                self.run_forever()
        remaining = asyncio.all_tasks(self)
        for task in remaining:
            task.cancel()
        with suppress(BaseException):
            ends = asyncio.wait(remaining, timeout=_PARTING / 2) if remaining else asyncio.sleep(0)
            self.run_until_complete(ends)
            self.run_until_complete(self.shutdown_asyncgens())


class MadeOnce(Generic[_T]):
    """A value that the first :meth:`get` makes; concurrent calls share it.

    After a failure, the next call tries again.
    """

    def __init__(self, make: Callable[..., Awaitable[_T]]) -> None:
        self._make = make
        self._lock = asyncio.Lock()
        #: The value, in a list of length 1; empty before.
        self.made: list[_T] = []

    async def get(self, *arguments: object) -> _T:
        """The value; ``arguments`` go to the function that makes it."""
        if not self.made:
            async with self._lock:
                if not self.made:
                    self.made.append(await self._make(*arguments))
        return self.made[0]
