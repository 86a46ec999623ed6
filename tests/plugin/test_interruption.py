"""Ctrl-C, a kill, a crash: what ran is kept and shown, and nothing passes that did not run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select

import pytest
from support.small_project import PLUGINS, Process, start_pytest

from pytest_autoeval import __main__ as command

from .conftest import Rows, Run, Suite, marked

SILENT = """
from itertools import count
from pathlib import Path
from threading import Event

class Silent:
    '''Answers for some samples, then says so, and never answers again.'''
    asked = count()
    def complete(self, messages, *, repeat=0):
        if next(self.asked) >= 16:
            while not Path("out.jsonl").read_bytes():  # the first row is on its way
                Event().wait(0.01)
            Path("silence").write_text("now")
            Event().wait()
        return "p1"

def pytest_autoeval_register(registry):
    registry.add_model("silent", Silent)
"""
PATIENCE = 60.0


@contextmanager
def started(workers: str) -> Iterator[Process]:
    """A run in a process group of its own, once some samples have left their rows and calls are in flight."""
    os.mkfifo("silence")
    silence = os.open("silence", os.O_RDONLY | os.O_NONBLOCK)
    few = "--autoeval-concurrency=8"  # fewer than samples, so that some get their second answer
    typed = [*PLUGINS, "-pno:cacheprovider", "-n", workers, "--autoeval-model=silent", few]
    typed += ["--autoeval-results=out.jsonl"]
    process = start_pytest(Path.cwd(), typed, dict(os.environ))
    try:
        assert select([silence], [], [], PATIENCE)[0], "the model was never asked so often"
        yield process
    finally:
        os.close(silence)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ctrl_c_shows_and_keeps_what_ran(
    pytester: pytest.Pytester, suite: Suite, rows: Rows, workers: str
) -> None:
    pytester.makeconftest(SILENT)
    suite(more=", threshold=0")
    with started(workers) as process:
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    kept = rows("out.jsonl")
    assert 1 <= len(kept) < 16
    assert f"interrupted: {len(kept)} samples ran; 1 suite could not be judged" in output
    assert "KeyboardInterrupt" in output
    assert "INTERNALERROR" not in output
    assert "reproduce" in output
    assert all(row["unfinished"] for row in kept)


def test_a_suite_whose_worker_died_does_not_pass(suite: Suite, run: Run, rows: Rows) -> None:
    suite(
        """
        import os
        from pathlib import Path

        import pytest

        @pytest.mark.autoeval("propositional", operators=range(3), samples=9, threshold=0.1)
        def test_deadly(sample, round_trip, assert_equivalent):
            if sample.operators == 2 and '"kind":"sample","suite":1' in Path("out.jsonl").read_text():
                os._exit(3)
            assert_equivalent(round_trip(sample), sample.formula)

        @pytest.mark.autoeval("propositional", operators=1, samples=2, threshold=0.1)
        def test_lively(sample, round_trip, assert_equivalent):
            assert_equivalent(round_trip(sample), sample.formula)
        """
    )
    result = run("-n", "2", "--autoeval-concurrency=1", "--autoeval-results=out.jsonl", "-rA")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines_random(
        [
            "FAILED test_suite.py::test_deadly?offline/faithful? - worker*crashed*",
            "PASSED test_suite.py::test_lively?offline/faithful?",
            "interrupted: * samples ran; 1 suite could not be judged",
        ]
    )
    left = {row["suite"].rpartition("::")[2]: row["unfinished"] for row in rows("out.jsonl")}
    assert left == {"test_deadly": True, "test_lively": False}
    assert command.main(["report", "out.jsonl"]) == pytest.ExitCode.INTERRUPTED


def test_a_suite_that_could_not_be_set_up_does_not_pass(suite: Suite, run: Run) -> None:
    fixture = "@pytest.fixture\ndef fragile():\n    raise OSError('no such device')"
    suite(
        marked(
            '"propositional", operators=range(3), samples=2, threshold=0.1',
            "TRIP",
            "sample, fragile",
            fixture,
        )
    )
    result = run()
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


TERMINATED_CHILD = """
import multiprocessing, os, signal
import pytest

def waits(pipe):
    pipe.send("ready")
    pipe.recv()

def test_child():
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=waits, args=(there,))
    child.start()
    assert here.recv() == "ready"
    child.terminate()
    child.join()
    assert child.exitcode == -signal.SIGTERM

def test_handler():
    assert (signal.getsignal(signal.SIGTERM) is signal.SIG_DFL) == {default}

{mark}
def test_it({argument}):
    pass
"""


@pytest.mark.parametrize("has_suites", [True, False])
def test_sigterm_ends_the_children_of_other_tests_as_ever(
    suite: Suite, run: Run, has_suites: bool
) -> None:
    mark = (
        '@pytest.mark.autoeval("propositional", operators=1, samples=2, verified=False)'
        if has_suites
        else ""
    )
    source = TERMINATED_CHILD.replace("{mark}", mark).replace(
        "{argument}", "sample" if has_suites else ""
    )
    suite(source.replace("{default}", str(not has_suites)))
    run(apart=True).assert_outcomes(passed=3)
