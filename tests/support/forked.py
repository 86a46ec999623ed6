"""Starts pytest quickly: forks a server process that has already imported everything a run imports."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import time
from contextlib import suppress
from itertools import pairwise
from multiprocessing import forkserver, get_context
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING

import pytest
from execnet.gateway_base import ExecModel, Popen2IO, ThreadExecModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.context import ForkServerContext

    from execnet.xspec import XSpec

_ROOT = Path(__file__).parents[2]
#: The modules that a run imports: its heavy packages, and all of ours.
PRELOADED = [
    "pytest",
    "hypothesis",
    "lark",
    "execnet",
    "filelock",
    "openai.resources.chat.completions.completions",
    *("httpx2", "httpcore2", "scipy.stats", "scipy.optimize", "z3"),
    *(
        ".".join(path.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(_ROOT.glob("pytest_autoeval/**/*.py"))
        if path.stem != "plots"
    ),
]
#: Silences pytest's warning that the preloaded modules are not rewritten.
_UNTOUCHED = "-Wignore::pytest.PytestAssertRewriteWarning"


def workers_of(arguments: Sequence[str]) -> int:
    """The number of xdist workers that a command line requests, on this host."""
    asked = [
        argument.removeprefix("-n") for argument in arguments if re.fullmatch(r"-n\d+", argument)
    ]
    asked += [number for name, number in pairwise(arguments) if name == "-n" and number.isdigit()]
    if asked:
        return int(asked[-1])
    return sum(argument.startswith("--tx=popen") for argument in arguments)


def run_pytest(arguments: list[str]) -> int:
    """Runs what `python -m pytest` runs."""
    _patch_xdist_workers(workers_of(arguments))
    # Not among the arguments, which a summary repeats.
    os.environ["PYTEST_ADDOPTS"] = f"{_UNTOUCHED} {os.environ.get('PYTEST_ADDOPTS', '')}"
    return int(pytest.main(arguments))


def run_on_terminal(arguments: list[str]) -> int:
    """Runs pytest with the other arguments on the terminal that the first argument names."""
    name, *typed = arguments
    terminal = os.open(name, os.O_RDWR)
    os.dup2(terminal, 0)
    os.dup2(terminal, 1)
    return run_pytest(typed)


class Fork:
    """A run of ``program``, by default pytest, in a fork; has the parts of ``subprocess.Popen`` that the tests use.

    The run leads a process group. It and its workers hold a lock on its output file: all have ended when the lock is
    free.
    """

    def __init__(
        self,
        folder: Path,
        arguments: list[str],
        environment: dict[str, str],
        program: Callable[[list[str]], int] = run_pytest,
    ) -> None:
        file, printed = mkstemp()
        os.close(file)
        self._printed = Path(printed)
        self._process = _forkserver_context().Process(
            target=_run, args=(printed, folder, arguments, environment, program)
        )
        self._process.start()
        self.pid = self._process.pid or 0
        self.returncode = 0

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.exitcode

    def communicate(self, input: None = None, timeout: float = 120.0) -> tuple[str, object]:  # noqa: A002
        """Waits for the run and its workers, and returns what they printed.

        Kills them and raises TimeoutError when the time is over.
        """
        end = time.monotonic() + timeout
        self._process.join(timeout)
        with suppress(FileNotFoundError):
            while self._process.is_alive() or not _all_ended(self._printed):
                if time.monotonic() > end:
                    os.killpg(self.pid, signal.SIGKILL)
                    self._process.join()
                    printed = self._printed.read_text(errors="replace")
                    raise TimeoutError(f"the run did not end in {timeout} s:\n{printed}")
                time.sleep(0.005)
            self._text = self._printed.read_text(encoding="utf-8", errors="replace")
            self._printed.unlink()
        self.returncode = self._process.exitcode or 0
        return self._text, input


# Pytester drops modules that a test was the first to import. Therefore ``forkserver`` is imported here: each new import
# would start one more server, and all of them would stay until the tests end.
forkserver.set_forkserver_preload([*PRELOADED, "support.prepared"])


def _all_ended(printed: Path) -> bool:
    """Whether no process holds the lock on a run's output file."""
    import fcntl  # not on Windows

    with printed.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _forkserver_context() -> ForkServerContext:
    with pytest.MonkeyPatch.context() as patch:
        # Where the server finds `support.prepared`.
        patch.setenv("PYTHONPATH", str(_ROOT / "tests"))
        forkserver.ensure_running()
    return get_context("forkserver")


def _run(
    printed: str,
    folder: Path,
    arguments: list[str],
    environment: dict[str, str],
    program: Callable[[list[str]], int],
) -> None:
    """The main function of a fork."""
    import fcntl

    gc.freeze()  # what was imported is never collected
    os.setsid()
    # Tests that a shell runs with `&` ignore the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, str(folder))  # as `python -m` does
    file = os.open(printed, os.O_WRONLY)
    fcntl.flock(file, fcntl.LOCK_EX)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.exit(program(arguments))


class _Worker(Popen2IO):
    """A fork that waits to become an xdist worker, and the connection to it; ``others`` started before it."""

    def __init__(self, others: list[_Worker]) -> None:
        (child_in, parent_out), (parent_in, child_out) = os.pipe(), os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.dup2(child_in, 0)
            os.dup2(child_out, 1)
            for other in others:
                other.close_read()
                other.close_write()
            for end in (child_in, parent_out, parent_in, child_out):
                os.close(end)
            # Execnet keeps the descriptor, but drops the file object.
            sys.stdin = os.fdopen(0, closefd=False)
            if program := sys.stdin.readline():  # empty if this worker was not needed
                exec(eval(program), {"__name__": "__main__"})
            sys.exit()
        os.close(child_in)
        os.close(child_out)
        super().__init__(
            os.fdopen(parent_out, "wb"), os.fdopen(parent_in, "rb", 0), ThreadExecModel()
        )

    def wait(self) -> int:
        """Waits for its end."""
        return os.waitpid(self._pid, 0)[1]

    def kill(self) -> None:
        """Ends it."""
        os.kill(self._pid, signal.SIGKILL)


def _patch_xdist_workers(number: int) -> None:
    """Makes xdist use this number of forked workers, and a spare for a crash; xdist starts further ones itself."""
    from execnet import gateway_io

    workers: list[_Worker] = []
    for _ in range(number + 1 if number else 0):
        workers.append(_Worker(workers))
    original_create_io = gateway_io.create_io

    def next_worker(spec: XSpec, execmodel: ExecModel) -> Popen2IO:
        if not workers:
            return original_create_io(spec, execmodel)
        worker = workers.pop(0)
        worker.execmodel = execmodel
        return worker

    gateway_io.create_io = next_worker  # type: ignore[assignment]
