"""Many runs in little time: each in a fork of a process that has imported what a run imports."""

from __future__ import annotations

import os
import resource
import signal
import sys
from multiprocessing import get_context
from pathlib import Path

from support.small_project import Process, SmallProject

#: What takes longest to import. The modules of pytest's plugins stay out: pytest wants to import those itself.
_PRELOADED = [
    *(
        "pytest",
        "hypothesis",
        "lark",
        "execnet",
        "openai.resources.chat.completions.completions",
        "httpx2",
        "httpcore2",
    ),
    *("scipy.stats", "z3", "pytest_autoeval.datasets.catalogue"),
    *("pytest_autoeval.languages.propositional.decide", "pytest_autoeval.languages.logic.language"),
    *(
        "pytest_autoeval.models.upstream",
        "pytest_autoeval.models.failures",
        "pytest_autoeval.models.offline.answer_key",
    ),
    *("pytest_autoeval.running.controller", "pytest_autoeval.running.items", "pytest_autoeval.running.suites"),
]
#: Plugins that look for lost objects at the end, which takes longer than a run.
_SLOW = ("-pno:unraisableexception", "-pno:threadexception", "-pno:faulthandler")
#: What was imported before pytest came is imported as it is.
_UNTOUCHED = "-Wignore::pytest.PytestAssertRewriteWarning"
_PRINTED = "printed.txt"


class ForkedProject(SmallProject):
    """A project whose runs begin at once. ``largest_file`` is where its disk is full, in bytes; None: nowhere."""

    largest_file: int | None = None

    def start(self, *arguments: str, **environment: str) -> Process:
        """Begins a run."""
        run = (self.folder, self.arguments(*_SLOW, _UNTOUCHED, *arguments), self.environment(**environment))
        return Fork(self.folder / _PRINTED, *run, self.largest_file)


class Fork:
    """A run in a fork; it prints into a file. The arguments behind that are those of :func:`_run`."""

    def __init__(self, printed: Path, *run: object) -> None:
        forking = get_context("forkserver")
        forking.set_forkserver_preload(_PRELOADED)
        self._printed = printed
        self._process = forking.Process(target=_run, args=run)
        self._process.start()
        self.pid = self._process.pid or 0
        self.returncode = 0

    def poll(self) -> int | None:
        """The exit code, or None while the run goes on."""
        return self._process.exitcode

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[str, object]:  # noqa: A002
        """Waits for the run, kills it when the time is over, and returns what it printed."""
        self._process.join(timeout)
        if self._process.is_alive():
            os.killpg(self.pid, signal.SIGKILL)
            self._process.join()
        self.returncode = self._process.exitcode or 0
        return self._printed.read_text(encoding="utf-8", errors="replace"), input


def _run(folder: Path, arguments: list[str], environment: dict[str, str], largest_file: int | None) -> None:
    import pytest

    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    printed = os.open(_PRINTED, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    sys.exit(int(pytest.main(arguments)))
