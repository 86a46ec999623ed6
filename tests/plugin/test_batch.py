"""`--autoeval-batch`: the same rows as a live run, asked in batches."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.batch_server import BatchServer, Faults, failing
from support.chat_server import Behaviour
from support.formula_server import erring
from support.small_project import Ran, SmallProject

#: A run that does not wait long for further requests and looks often.
HASTY = """
from pytest_autoeval.features.batches import connection as batches
batches.QUIET, batches.FIRST_PAUSE, batches.LONGEST_PAUSE, batches.TICK = 0.5, 0.02, 0.05, 0.02
"""
SAMPLES = 60
SIZES = "operators=range(1, 4), samples=20, threshold=0.99"


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    (tmp_path / "conftest.py").write_text(HASTY)
    return SmallProject(tmp_path, SIZES, cache=True)


def options(server: BatchServer, *more: str) -> list[str]:
    return ["--autoeval-model=a", f"--autoeval-base-url={server.url}", *more]


def live(folder: Path, behaviour: Behaviour) -> Ran:
    with BatchServer(behaviour) as server:
        return SmallProject(folder, SIZES).run(*options(server, "--autoeval-shrink-budget=0"))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A live run."""
    return live(tmp_path_factory.mktemp("live"), erring)


@pytest.fixture(scope="module")
def before_with_failures(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A live run with a server that fails now and then."""
    return live(tmp_path_factory.mktemp("live"), failing(erring))


def facts(ran: Ran) -> list[object]:
    """The rows, but for times, cost, and what messages of errors say about the server and its attempts."""
    return [
        (row["formula"], row["outcome"], [call["messages"] for call in row["calls"]])
        for row in ran.lasting
    ]


def test_rows_are_those_of_the_live_run(project: SmallProject, before: Ran) -> None:
    with BatchServer(erring) as server:
        ran = project.run(*options(server, "--autoeval-batch", "--autoeval-price=a=1/10"))
        assert ran.lasting == before.lasting
        assert ran.code == before.code
        assert not server.requests
        assert len(server.batches) == 2
        assert not server.twice
        assert {call.cost for row in ran.rows for call in row.calls if not call.replayed} == {
            (100 + 100) / 1e6 / 2
        }


def test_workers_share_the_batches(project: SmallProject, before: Ran) -> None:
    with BatchServer(erring) as server:
        ran = project.run(*options(server, "--autoeval-batch", "--autoeval-model=b", "-n2"))
        assert ran.of("a").lasting == before.of("a").lasting
        assert len(server.batches) == 4  # a batch has one model


@pytest.mark.parametrize("workers", [0, 2])
def test_suites_share_the_batches_also_over_runs_that_only_submit(
    project: SmallProject, workers: int
) -> None:
    suite = (project.folder / "test_suite.py").read_text()
    suites = (suite.replace("test_round_trip", f"test_{number}") for number in range(3))
    (project.folder / "test_suite.py").write_text("".join(suites))
    with BatchServer(erring) as server:
        ran = project.run(*options(server, "--autoeval-batch", f"-n{workers}"))
        assert len(ran.rows) == 3 * SAMPLES
        assert workers or len(server.batches) == 2
        before, number = ran, len(server.batches)
        asks = options(server, "--autoeval-batch=submit", f"-n{workers}")
        ran = project.carry_out(*asks)
        assert (ran.code, ran.rows) == (10, [])
        while ran.code == 10 and len(server.batches) < 4 * number:
            ran = project.carry_out(*asks, "--autoeval-resume")
        assert ran.lasting == before.lasting
        assert ran.code == 1


def test_with_all_faults_each_sample_ends_as_it_would_have_live(
    project: SmallProject, before_with_failures: Ran
) -> None:
    faults = Faults(expired=frozenset({1}), limited=2, unmade=1, broken=3, looks=3)
    faults.ready.set()
    with BatchServer(failing(erring), faults) as server:
        ran = project.run(*options(server, "--autoeval-batch"))
        assert facts(ran) == facts(before_with_failures)
        assert {"error", "equivalent", "different"} <= ran.outcomes.keys()
        assert not server.twice


def test_submit_beside_a_failing_test_fails(project: SmallProject) -> None:
    (project.folder / "test_other.py").write_text("def test_it():\n    assert False\n")
    with BatchServer(erring) as server:
        ran = project.carry_out(*options(server, "--autoeval-batch=submit"))
        assert ran.code == pytest.ExitCode.TESTS_FAILED
        assert "this command continues the run" in ran.text


def test_submit_ends_at_once_and_its_command_continues(project: SmallProject, before: Ran) -> None:
    faults = Faults()
    with BatchServer(erring, faults) as server:
        asks = options(server, "--autoeval-batch=submit")
        first = project.carry_out(*asks)
        assert first.code == 10
        assert "batch_1 is not answered yet; this command continues" in first.text
        assert "--autoeval-batch=submit --autoeval-resume" in first.text
        again = project.carry_out(*asks, "--autoeval-resume")
        assert (again.code, len(server.batches)) == (10, 1)
        faults.ready.set()
        second = project.carry_out(*asks, "--autoeval-resume")
        assert (second.code, len(server.batches)) == (10, 2)
        last = project.carry_out(*asks, "--autoeval-resume")
        assert last.lasting == before.lasting
        assert last.code == before.code
        assert not server.twice


@pytest.fixture
def impatient() -> Iterator[Faults]:
    faults = Faults(limited=1, unmade=1, broken=4, slow=0.2)
    yield faults
    faults.ready.set()


@pytest.mark.parametrize("workers", [0, 2])
def test_killed_and_resumed_runs_upload_no_request_twice(
    project: SmallProject, before_with_failures: Ran, impatient: Faults, workers: int
) -> None:
    with BatchServer(failing(erring), impatient) as server:
        asks = options(server, "--autoeval-batch", f"-n{workers}")
        resume: list[str] = []
        for kills in range(3):
            process = project.start(*asks, *resume)
            resume = ["--autoeval-resume"]
            ends = time.monotonic() + 20
            while len(server.batches) < 1 + kills // 2 and time.monotonic() < ends:
                time.sleep(0.01)
            if kills == 1:
                impatient.ready.set()
            time.sleep(0.05 * kills)
            os.kill(process.pid, signal.SIGKILL)
            project.end_of(process)
        ran = project.carry_out(*asks, *resume)
        assert facts(ran) == facts(before_with_failures)
        assert not server.twice


def test_an_interrupted_run_keeps_its_batches(
    project: SmallProject, before: Ran, impatient: Faults
) -> None:
    with BatchServer(erring, impatient) as server:
        asks = options(server, "--autoeval-batch")
        process = project.start(*asks)
        while not server.batches:
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGINT)
        ran = project.end_of(process)
        assert "--autoeval-resume continues this run: batches are kept" in ran.text
        impatient.ready.set()
        ran = project.carry_out(*asks, "--autoeval-resume")
        assert ran.lasting == before.lasting
        assert not server.twice


def test_recordings_come_first_and_are_written(project: SmallProject) -> None:
    with BatchServer(erring) as server:
        asks = options(server, "--autoeval-batch", "--autoeval-record-mode=new_episodes")
        before = project.run(*asks, "--autoeval-samples=10")
        assert len(project.recordings()) == len(server.settled)
        known = set(server.settled)
        ran = project.run(*asks)
        assert not server.twice
        assert len(project.recordings()) == len(server.settled) > len(known)
        replayed = project.run("--autoeval-model=a", "--autoeval-record-mode=none")
        assert replayed.lasting == ran.lasting
        assert len(before.rows) == SAMPLES // 2


def test_the_budget_holds_at_half_the_price(project: SmallProject) -> None:
    with BatchServer(erring) as server:
        asks = options(
            server, "--autoeval-batch", "--autoeval-price=a=0.01/10", "--autoeval-max-tokens=11"
        )
        ran = project.run(*asks, "--autoeval-max-cost=0.0055")
        spent = sum(call.cost or 0 for row in ran.rows for call in row.calls)
        assert ran.code == 10
        assert 0.0025 < spent <= 0.0055
        assert len(server.batches) <= 10
        assert "--autoeval-max-cost=0.0055 is reached" in ran.text


def test_the_limit_of_calls_holds_and_the_rest_is_asked_later(
    project: SmallProject, before: Ran
) -> None:
    with BatchServer(erring) as server:
        asks = options(server, "--autoeval-batch")
        ran = project.carry_out(*asks, "--autoeval-max-calls=30")
        assert (ran.code, len(server.settled)) == (10, 30)
        ran = project.carry_out(*asks, "--autoeval-resume")
        assert ran.lasting == before.lasting
        assert not server.twice


def test_a_file_ends_at_the_limit_of_lines(project: SmallProject) -> None:
    with (project.folder / "conftest.py").open("a") as conftest:
        conftest.write("batches.MOST_LINES = 25\n")
    with BatchServer(erring) as server:
        ran = project.run(*options(server, "--autoeval-batch"))
        assert len(ran.rows) == SAMPLES
        assert max(map(len, server.lines.values())) == 25


def test_a_smaller_concurrency_makes_smaller_batches(project: SmallProject) -> None:
    with BatchServer(erring) as server:
        ran = project.run(*options(server, "--autoeval-batch", "--autoeval-concurrency=20"))
        assert len(ran.rows) == SAMPLES
        assert max(map(len, server.lines.values())) == 20


def test_no_secret_is_written_or_printed(project: SmallProject) -> None:
    secret = "a-key-that-nobody-may-see-0815"
    with BatchServer(erring, Faults(refused=frozenset({1}))) as server:
        more = f'--autoeval-parameters={{"api_key": "{secret}"}}'
        ran = project.run(*options(server, "--autoeval-batch", more), OPENAI_API_KEY=f"sk-{secret}")
        assert secret not in ran.text
        written = [
            path
            for path in project.folder.rglob("*")
            if path.is_file() and secret.encode() in path.read_bytes()
        ]
        assert not written
        [lines] = server.lines.values()
        assert lines[0]["body"]["api_key"] == secret


def test_shrinking_is_off_unless_asked_for(project: SmallProject) -> None:
    with BatchServer(erring) as server:
        ran = project.run(*options(server, "--autoeval-batch", "--autoeval-shrink-budget=4"))
        assert ran.code == 1
        assert len(server.batches) > 2


def test_a_failed_or_cancelled_batch_ends_the_run_and_is_asked_again(
    project: SmallProject, before: Ran
) -> None:
    faults = Faults(refused=frozenset({1}), cancelled=frozenset({2}))
    faults.ready.set()
    with BatchServer(erring, faults) as server:
        asks = options(server, "--autoeval-batch")
        ran = project.carry_out(*asks)
        assert (
            "batch_1 was refused (Enqueued token limit reached); a smaller --autoeval-concurrency"
            in ran.text
        )
        ran = project.carry_out(*asks, "--autoeval-resume")
        assert "batch_2 was cancelled; --autoeval-resume asks for the rest again" in ran.text
        ran = project.carry_out(*asks, "--autoeval-resume")
        assert ran.lasting == before.lasting


def test_a_server_without_batches_is_refused_in_one_line(project: SmallProject) -> None:
    with BatchServer(erring, has_batches=False) as server:
        ran = project.run(*options(server, "--autoeval-batch"))
        assert f"a: the server at {server.url} does not serve GET /batches (404)" in ran.text
        assert not server.batches


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (
            "offline/faithful",
            "offline/faithful is built in and has no batches; name a model of a server",
        ),
        ("litellm/openai/x", "litellm/openai/x is called through LiteLLM, one call at a time"),
    ],
)
def test_models_without_batches_are_refused(
    project: SmallProject, model: str, problem: str
) -> None:
    ran = project.run(f"--autoeval-model={model}", "--autoeval-batch")
    assert ran.code == 4
    assert f"--autoeval-batch: {problem}" in ran.text


def test_a_run_that_is_going_on_is_not_continued_by_another(
    project: SmallProject, impatient: Faults
) -> None:
    with BatchServer(erring, impatient) as server:
        asks = options(server, "--autoeval-batch")
        process = project.start(*asks)
        while not server.batches:
            time.sleep(0.01)
        other = project.carry_out(
            *asks, "--autoeval-resume", "--autoeval-results=other.jsonl", "--junitxml=other.xml"
        )
        assert other.code == pytest.ExitCode.USAGE_ERROR
        assert "--autoeval-resume: another process runs or continues this run now" in other.text
        impatient.ready.set()
        assert project.end_of(process).code == 1
        assert not server.twice
