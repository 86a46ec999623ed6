"""A run that was cut off, by whatever cause, is continued: what was answered is not asked again, and no row differs."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from filelock import FileLock
from support.chat_server import Answer, Behaviour, ChatServer, Received, error
from support.formula_server import sensible
from support.small_project import PLUGINS, Process, start_pytest

from pytest_autoeval.record.file import read_file
from pytest_autoeval.running.run_folder import RunFolder, name_of_run

from .conftest import ROUND_TRIP, Run, Suite, lasting, said

TWO_SUITES = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(2), samples=4, threshold=0)
def test_small(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)

@pytest.mark.autoeval("propositional", operators=range(2, 4), samples=4, threshold=0)
def test_large(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
MISTAKEN = ROUND_TRIP.replace("{more}", "").replace(
    "sample), sample.formula", "sample), sample.formul"
)
SAMPLES, CALLS, AT_ONCE = 16, 32, 4
PATIENCE = 120.0
IN_FLIGHT = (f"--autoeval-concurrency={AT_ONCE}", "--autoeval-results=out.jsonl")


def held(after: int, gate: Event) -> Behaviour:
    """Answers so many requests, and holds the others back until the gate opens."""
    arrivals = count()

    def behave(request: Received) -> Answer:
        if next(arrivals) >= after:
            gate.wait()
        return sensible(request)

    return behave


def refusing(*numbers: int) -> Behaviour:
    """Refuses these requests, the first is 0, for good."""
    arrivals = count()
    return lambda request: (
        Answer(400, error("no", "content_filter"))
        if next(arrivals) in numbers
        else sensible(request)
    )


@pytest.fixture
def server(suite: Suite, run: Run) -> Iterator[ChatServer]:
    del run  # nor any key
    suite(TWO_SUITES)
    with ChatServer(sensible) as server:
        yield server


def arguments(server: ChatServer, *more: str) -> tuple[str, ...]:
    return ("--autoeval-model=m", f"--autoeval-base-url={server.url}", *IN_FLIGHT, *more)


@contextmanager
def stuck(server: ChatServer, workers: str) -> Iterator[Process]:
    """A run of which 12 calls were answered and 4 never will be."""
    gate = Event()
    server.behaviour = held(12, gate)
    typed = [*PLUGINS, *arguments(server, "-n", workers)]
    process = start_pytest(Path.cwd(), typed, dict(os.environ))
    try:
        deadline = time.monotonic() + PATIENCE
        while len(server.requests) < 12 + AT_ONCE or not Path("out.jsonl").stat().st_size:
            assert time.monotonic() < deadline, "the model was never asked so often"
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        yield process
    finally:
        gate.set()
        server.behaviour = sensible
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()  # its workers too have ended


def folders() -> list[Path]:
    return list(Path(".pytest_cache/d/autoeval").glob("*"))


def nothing_is_taken_from_a_run_that_lives(run: Run, server: ChatServer) -> None:
    before = server.requests[:]
    server.behaviour = sensible
    locked = run(*arguments(server), cache=True)
    assert locked.ret == pytest.ExitCode.USAGE_ERROR
    assert "out.jsonl: another run is writing its results to this file" in said(locked)
    beside = run(
        *arguments(server, "--autoeval-results=other.jsonl", "--autoeval-resume"), cache=True
    )
    assert beside.ret == pytest.ExitCode.USAGE_ERROR
    assert "--autoeval-resume: another process runs or continues this run now" in said(beside)
    assert len(folders()) == 1
    server.requests[:] = before


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_killed_run_is_continued(run: Run, server: ChatServer, workers: str) -> None:
    with stuck(server, workers) as process:
        if workers == "0":
            nothing_is_taken_from_a_run_that_lives(run, server)
        os.kill(process.pid, signal.SIGKILL)
        # Its workers end with it, and do not wait for their answers.
        process.communicate(timeout=PATIENCE)
        assert len(server.requests) == 12 + AT_ONCE
    cut = read_file("out.jsonl").samples
    assert cut
    result = run(*arguments(server, "-n", workers, "--autoeval-resume"), cache=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["autoeval: continues the run of *: 12 answers of it are kept; *out.jsonl.interrupted-*"]
    )
    (taken,) = re.findall(r"continued from an earlier run: (\d+) samples, 12 calls", said(result))
    assert 0 < int(taken) <= 6
    asked = Counter(str(request.body) for request in server.requests)
    assert (len(asked), asked.total()) == (CALLS, CALLS + AT_ONCE)
    assert not folders()
    (aside,) = Path().glob("out.jsonl.interrupted-*")
    assert len(read_file(aside).samples) == len(cut)
    undisturbed = ("--autoeval-results=whole.jsonl", "-p", "no:cacheprovider")
    assert run(*arguments(server), *undisturbed).ret == 0
    assert lasting("out.jsonl") == lasting("whole.jsonl")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_sigterm_ends_a_run_that_can_be_continued(server: ChatServer, workers: str) -> None:
    with stuck(server, workers) as process:
        os.kill(process.pid, signal.SIGTERM)
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert re.search(r"interrupted: \d+ samples? ran; [12] suites? could not be judged", output)
    assert "\n--autoeval-resume continues this run: 12 answers are kept" in output
    assert "INTERNALERROR" not in output


def test_an_error_is_asked_again_and_nothing_else(run: Run, server: ChatServer) -> None:
    server.behaviour = refusing(20, 21)
    first = run(*arguments(server), cache=True)
    assert first.ret == pytest.ExitCode.TESTS_FAILED
    answered = len(server.requests) - 2
    first.stdout.fnmatch_lines(
        [f"--autoeval-resume continues this run: {answered} answers are kept"]
    )
    server.requests.clear()
    assert run(*arguments(server, "--autoeval-resume"), cache=True).ret == 0
    assert len(server.requests) == CALLS - answered
    assert not folders()
    server.requests.clear()
    again = run(*arguments(server, "--autoeval-resume"), cache=True)
    again.stdout.fnmatch_lines(
        ["*--autoeval-resume: no interrupted run of these tests, models and options was found; *"]
    )
    assert "--autoeval-resume found no interrupted run" in said(again)
    assert "continued from" not in said(again)
    assert again.ret == 0
    assert len(server.requests) == CALLS


def test_a_new_run_says_what_it_finds_and_deletes_nothing(run: Run, server: ChatServer) -> None:
    server.behaviour = refusing(9)
    run(*arguments(server, "-x"), cache=True)
    server.behaviour = sensible
    other = run(
        *arguments(server, "--autoeval-samples=1", "--autoeval-results=other.jsonl"), cache=True
    )
    assert "did not end well" not in said(other)
    result = run(*arguments(server), cache=True)
    result.stdout.fnmatch_lines(
        [
            "autoeval: the run of * did not end well: --autoeval-resume continues it (* answers kept)*"
        ]
    )
    assert len(folders()) == 1


def test_mode_once_goes_on_recording_when_it_is_continued(run: Run, server: ChatServer) -> None:
    server.behaviour = refusing(20, 21)
    assert run(*arguments(server, "--autoeval-record-mode=once"), cache=True).ret == 1
    assert (
        run(*arguments(server, "--autoeval-record-mode=once", "--autoeval-resume"), cache=True).ret
        == 0
    )
    assert len(list(Path("cassettes/m").iterdir())) == CALLS
    server.requests.clear()
    assert run(*arguments(server, "--autoeval-record-mode=once"), cache=True).ret == 0
    assert not server.requests


FORGETFUL = """
from itertools import count
from pytest_autoeval.models import Reply

class Forgetful:
    calls = count()
    gone = None
    def complete(self, messages, *, repeat=0):
        if next(self.calls) == 5:
            type(self).gone = messages  # several samples may ask this, and in any order
        if messages == self.gone:
            raise OSError("gone")
        print(repr(messages), file=open("calls", "a"))
        return Reply("p1", cost=0.5, seconds=0.25)

def pytest_autoeval_register(registry):
    registry.add_model("forgetful", Forgetful)
"""


def test_a_model_of_ones_own_is_not_asked_again(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite(TWO_SUITES)
    pytester.makeconftest(FORGETFUL)
    typed = (
        "--autoeval-model=forgetful",
        "--autoeval-results=out.jsonl",
        "--autoeval-shrink-budget=0",
    )
    run(*typed, cache=True)
    before = Path("calls").read_text().splitlines()
    run(*typed, "--autoeval-resume", cache=True)
    asked = Path("calls").read_text().splitlines()
    assert len(before) < len(asked) == len(set(asked))
    calls = [call for row in read_file("out.jsonl").samples for call in row.calls if call.seconds]
    assert {(call.cost, call.seconds, call.replayed) for call in calls} == {(0.5, 0.25, False)}


def test_without_a_cache_nothing_can_be_continued(run: Run, server: ChatServer) -> None:
    result = run(*arguments(server, "--autoeval-resume"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "--autoeval-resume: answers are kept in pytest's cache, and '-p no:cacheprovider' turns it off"
        in said(result)
    )
    assert not server.requests


def test_the_next_run_removes_what_a_killed_one_left_among_the_temporary_files(
    run: Run, server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "pytest-autoeval-of-mine").mkdir()
    for name in ("killed", "living"):
        left = tmp_path / f"pytest-autoeval-{name}"
        left.mkdir()
        (left / "run.json").write_text('{"when": "now", "asks": ""}')
        (left / "lock").touch()
    with FileLock(left / "lock"):
        assert run(*arguments(server)).ret == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "pytest-autoeval-of-mine",
        "pytest-autoeval-living",
    }


def test_the_folders_of_runs_that_start_in_one_second_have_the_order_of_the_runs() -> None:
    """A batch that one run planned and the next one found is read in this order."""
    started = datetime(2026, 3, 29, 12, 0, 59, 999_990, tzinfo=UTC)
    names = [name_of_run(started + timedelta(microseconds=step)) for step in range(20)]
    assert names == sorted(set(names))


def test_a_folder_that_another_run_is_removing_is_no_obstacle(
    run: Run, server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Runs that begin and end at the same time share the folder for temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "pytest-autoeval-ending"
    left.mkdir()
    (left / "run.json").write_text('{"when": "now", "asks": ""}')
    (left / "lock").touch()
    read_text = Path.read_text

    def gone(file: Path, *arguments: str, **more: str) -> str:
        if file.parent == left:
            file.unlink()
        return read_text(file, *arguments, **more)

    monkeypatch.setattr(Path, "read_text", gone)
    assert run(*arguments(server)).ret == 0


def test_no_other_run_can_take_a_folder_that_is_removed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(pytester.parseconfigure("-pno:asyncio"))
    (folder.path / "answers-1.jsonl").write_text("{}\n")
    useless: list[bool] = []
    folder.ended_well = True
    with monkeypatch.context() as patch:  # a lock that is deleted must find its own release
        patch.setattr(
            FileLock,
            "release",
            lambda _lock: useless.append(not (folder.path / "run.json").exists()),
        )
        folder.close()
    assert useless == [True]
    assert not folder.path.exists()


def test_a_mistake_in_the_body_is_no_reason_to_continue(suite: Suite, run: Run) -> None:
    suite(MISTAKEN)
    first = run(cache=True)
    assert "has no attribute 'formul'" in said(first)
    assert "resume" not in said(first)
    assert "resume" not in said(run(cache=True))


def test_answers_of_a_server_are_kept_through_a_mistake_in_the_body(
    suite: Suite, run: Run, server: ChatServer
) -> None:
    suite(MISTAKEN)
    asked = (f"--autoeval-base-url={server.url}", "--autoeval-model=m")
    assert "resume" not in said(run(*asked, cache=True))
    again = run(*asked, cache=True)
    again.stdout.fnmatch_lines(
        [
            "autoeval: the run of * did not end well: --autoeval-resume continues it (32 answers kept)*"
        ]
    )
