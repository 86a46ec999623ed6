"""Runs hard decisions in child processes that can be killed: bounded in time and memory for any input.

A worker is a Python process that waits for requests on its standard input. It survives a decision and serves the next;
after a decision's time limit it is killed and replaced when next needed. It ends with its parent, because its standard
input then closes.

Limits are processor time, so that a verdict does not depend on how busy the machine is. Wall-clock time is only a
backstop, ten times as long. On Windows, which has no timer of processor time, a thread of the worker checks it. The
operating system enforces the memory limit; macOS and Windows do not, and there only z3's own limit holds.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeAlias

from pytest_autoeval.errors import AutoevalError, start_thread

#: Address space of a worker, in bytes. A decision that needs more ends, and nothing else does.
MEMORY_LIMIT = 1 << 30
#: Seconds for a worker to start and import its module; not part of a decision's time limit.
STARTUP_LIMIT = 120.0


#: By how much wall-clock time may exceed the processor time of a decision.
BACKSTOP = 10.0
#: Why a decision ended without an answer, if its time was over.
OVER = "no decision within the time limit"


class GaveUpError(AutoevalError):
    """A decision in a worker ended without an answer: out of time, out of memory, or by an error of its solver."""


class TimeLimit:
    """``seconds`` of processor time of the current thread, with a backstop of wall-clock time."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.thread_time() + seconds
        self._earliest = time.monotonic() + seconds
        self._latest = time.monotonic() + BACKSTOP * seconds

    @property
    def left(self) -> float:
        """The remaining seconds, 0 or less if none remain."""
        return min(self._ends - time.thread_time(), self._latest - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether no seconds remain. Wall-clock time, an upper bound of processor time, is checked first: it is
        cheaper.
        """
        return time.monotonic() >= self._earliest and self.left <= 0


#: The module, the function, its arguments, and the limit from now on; None does not change it.
_Request: TypeAlias = tuple[str, str, tuple[Any, ...], float | None]
#: Seconds between two looks at the processor time, where there is no timer.
_LOOK = 0.02
#: What a shell shows for a process that its limit of processor time ended: 128 and SIGXCPU.
_EXIT_CODE = 152
#: The exit codes of a worker that has used up its processor time.
_ENDED_BY_LIMIT = {_EXIT_CODE, -getattr(signal, "SIGPROF", 0)}


def usable_cores() -> int:
    """The number of cores for this process, by its affinity and by its container's limit (cgroup 1 and 2)."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:  # macOS and Windows
        count = os.cpu_count() or 1
    limit = _cores_of_container(Path("/sys/fs/cgroup"))
    return max(1, math.ceil(min(count, limit)))


def _cores_of_container(root: Path) -> float:
    with contextlib.suppress(OSError, ValueError):
        quota, period = (root / "cpu.max").read_text("ascii").split()
        if quota == "max":
            return math.inf
        return int(quota) / int(period)
    with contextlib.suppress(OSError, ValueError):
        quota, period = (
            (root / "cpu" / f"cpu.cfs_{name}_us").read_text("ascii") for name in ("quota", "period")
        )
        if int(quota) > 0:
            return int(quota) / int(period)
        return math.inf
    return math.inf


def share_of_cores() -> int:
    """The cores of this process. xdist's workers of one run share them; each has at least one."""
    variable = os.environ.get("PYTEST_XDIST_WORKER_COUNT", "")
    workers = int(variable) if variable.isdecimal() else 1
    return max(1, usable_cores() // max(1, workers))


class Worker:
    """A child process that runs functions of one package's modules on request."""

    def __init__(self) -> None:
        # The child sees the same modules as its parent, installed or not. A fixed hash seed makes it deterministic.
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({MEMORY_LIMIT})"
        self._process = subprocess.Popen(  # noqa: S603 (our own code)
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            start_new_session=True,  # a Ctrl-C at the terminal is the parent's business
        )
        #: The limit of the next request: seconds of processor time, 0 for none.
        self.limit: float | None = None
        #: The processor time of the process when it last answered.
        self.seconds = 0.0

    def load(self, module: str) -> None:
        """Imports the module whose functions will be called, and checks that the worker answers."""
        self._module, self.limit = module, 0.0
        with killing_after(STARTUP_LIMIT, self.kill):
            self.call("")

    def call(self, function: str, *arguments: object) -> Any:
        """The value of a function of the module. Arguments and value must be picklable.

        Raises :class:`GaveUpError` if time or memory runs out or the function raises an exception.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump((self._module, function, arguments, self.limit), self._process.stdin)
            self._process.stdin.flush()
            self.limit = None
            self.seconds, succeeded, value = pickle.load(self._process.stdout)  # noqa: S301 (from our own child)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            raise GaveUpError(self._why_ended()) from None
        if not succeeded:
            raise GaveUpError(value)
        return value

    def _why_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process.wait(1) in _ENDED_BY_LIMIT:
                return OVER
        return "the process that decides ended, most likely for want of memory"

    def kill(self) -> None:
        """Ends the process at once and leaves no zombie."""
        self._process.kill()
        self._process.wait()

    def abandon(self) -> None:
        """Closes only the pipes: in a fork, the process belongs to the parent."""
        pipe: Any
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.raw.close()  # what is still buffered has no reader, and in a fork the buffer's lock may be held
        if self._process.returncode is None:
            # Else its finaliser warns of a process that this one cannot wait for.
            self._process.returncode = 0


@contextlib.contextmanager
def killing_after(seconds: float, kill: Callable[[], object]) -> Iterator[None]:
    """Kills a process if the block takes longer, and then raises :class:`GaveUpError`."""
    lock = threading.Lock()
    over = False
    expired = False

    def expire() -> None:
        nonlocal expired
        with lock:
            if not over:
                expired = True
                kill()

    timer = threading.Timer(max(seconds, 0.0), expire)
    # The backstop may be minutes away, and must not keep a process alive that ends.
    timer.daemon = True
    start_thread(timer)
    try:
        yield
    except GaveUpError:
        if expired:
            raise GaveUpError(OVER) from None
        raise
    finally:
        with lock:
            over = True
        timer.cancel()


class Pool:
    """Workers for the open sessions, at most one for each usable core; safe with threads and forks."""

    def __init__(self, size: int | None = None) -> None:
        self._size = size or share_of_cores()
        self.forget()

    def forget(self) -> None:
        """Starts without workers in a fork: they belong to the parent."""
        for worker in getattr(self, "_workers", ()):
            worker.abandon()
        self._places = threading.BoundedSemaphore(self._size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._workers: set[Worker] = set()

    @contextlib.contextmanager
    def session(self, module: str, timeout: float) -> Iterator[Worker]:
        """A worker that has imported ``module``, for at most ``timeout`` seconds of its processor time.

        Waiting for a free worker and starting one do not count, so that a verdict does not depend on the number of
        decisions.
        """
        if timeout <= 0:
            raise GaveUpError(OVER)
        with self._places:
            worker = self._take(module)
            try:
                worker.limit = timeout
                with killing_after(BACKSTOP * timeout, worker.kill):
                    yield worker
            except BaseException:
                self._drop(worker)  # it may still be busy, or owe an answer to nobody
                raise
            with self._lock:
                self._idle.append(worker)

    def _take(self, module: str) -> Worker:
        """A worker that answers: an idle one that is still alive, else a new one."""
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            worker = idle or Worker()
            with self._lock:
                self._workers.add(worker)
            try:
                worker.load(module)
            except BaseException as problem:
                self._drop(worker)
                # An idle worker may have died, and another is tried. What ends a new one would end the next.
                if idle is None or not isinstance(problem, GaveUpError):
                    raise
            else:
                return worker

    def _drop(self, worker: Worker) -> None:
        with self._lock:
            self._workers.discard(worker)
        worker.kill()
        worker.abandon()

    def close(self) -> None:
        with self._lock:
            self._idle = []
        for worker in list(self._workers):
            self._drop(worker)


_POOL = Pool()
session = _POOL.session
atexit.register(_POOL.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOL.forget)


def serve(memory_limit: int) -> None:
    """The main loop of a worker: answers requests on standard input until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory_limit)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a solver prints must not end up among the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    limit_time = _time_limit()
    while True:
        module, function, arguments, limit = requests.get()
        if limit is not None:
            limit_time(limit)
        answer = _answer(module, function, arguments)
        pickle.dump((time.process_time(), *answer), answers)
        answers.flush()


def _time_limit() -> Callable[[float], object]:
    """Ends this process after this number of further seconds of processor time; 0 for no limit."""
    if hasattr(signal, "setitimer"):
        # The default action: the system ends the process, whatever it is doing.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        return lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
    ends = [math.inf]

    def watch() -> None:
        while time.process_time() < ends[0]:
            time.sleep(_LOOK)
        os._exit(_EXIT_CODE)

    def limit(seconds: float) -> None:
        ends[0] = time.process_time() + seconds if seconds else math.inf

    threading.Thread(target=watch, daemon=True).start()
    return limit


def _receive(stream: IO[bytes], requests: queue.SimpleQueue[_Request]) -> None:
    """Queues the requests in a thread of its own, so that a busy worker notices the end of its parent."""
    while True:
        try:
            requests.put(pickle.load(stream))  # noqa: S301 (from our own parent)
        except BaseException:  # noqa: BLE001 (whatever it is, nobody is left to tell)
            os._exit(0)


def _answer(module: str, function: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        loaded = import_module(module)
        return True, getattr(loaded, function)(*arguments) if function else None
    except MemoryError:
        return False, "the decision ran out of memory"
    except Exception as problem:  # noqa: BLE001 (the parent says it)
        return False, f"{type(problem).__name__}: {problem}"


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    with contextlib.suppress(OSError, ValueError):  # not on every system that has it
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
