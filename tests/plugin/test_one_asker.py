"""One process asks: limits are exact with workers, nothing is paid twice, and a run leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.flat_rows import lasting_rows
from support.formula_server import sensible
from support.small_project import PLUGINS, start_pytest

from .conftest import Rows, Run, Suite, said

ROUND_TRIPS = """
@pytest.mark.autoeval("propositional", operators=[{size}], samples=8, threshold=0)
def test_size_{size}(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
#: 32 samples, of which no two ask the same.
FOUR_SUITES = "import pytest\n" + "".join(ROUND_TRIPS.format(size=size) for size in range(1, 5))
COUNTED = """
from pathlib import Path
from itertools import count

class Counted:
    def __init__(self):
        Path(f"made-{id(self)}").touch()
    def complete(self, messages, *, repeat=0):
        return "p1"

def pytest_autoeval_register(registry):
    registry.add_model("counted", Counted)
"""


@pytest.mark.parametrize("workers", ["0", "4"])
def test_a_model_of_ones_own_is_made_once(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    pytester.makeconftest(COUNTED)
    suite(FOUR_SUITES)
    run("--autoeval-model=counted", "-n", workers).assert_outcomes(passed=4)
    assert len(list(pytester.path.glob("made-*"))) == 1


def test_a_limit_of_calls_holds_with_workers_and_ends_samples(suite: Suite, run: Run) -> None:
    suite(FOUR_SUITES)
    with ChatServer(sensible) as server:
        result = run(
            "--autoeval-model=m",
            f"--autoeval-base-url={server.url}",
            "-n4",
            "--autoeval-max-calls=37",
        )
        assert "--autoeval-max-calls=37 is reached" in said(result)
        # A sample makes two calls. Only a worker in which no sample has ended may start one with the last call.
        assert 36 <= len(server.requests) <= 37
        assert "calls 37; " in said(result) or "calls 36; " in said(result)


def test_a_limit_of_cost_is_exact_with_workers(suite: Suite, run: Run) -> None:
    """A call costs 0.01 USD with the token counts of the server."""
    suite(FOUR_SUITES)
    with ChatServer(sensible) as server:
        limit = (
            "--autoeval-max-cost=0.30",
            "--autoeval-price=m=100/0",
            "--autoeval-max-tokens=none",
        )
        result = run("--autoeval-model=m", f"--autoeval-base-url={server.url}", "-n4", *limit)
        assert "--autoeval-max-cost=0.3 is reached: this run has spent 0.3000 USD" in said(result)
        assert len(server.requests) == 30


def test_the_pace_is_that_of_the_whole_run(suite: Suite, run: Run) -> None:
    suite(FOUR_SUITES)
    with ChatServer(sensible) as server:
        pace = ("--autoeval-rpm=1200", "--autoeval-max-calls=30")
        run("--autoeval-model=m", f"--autoeval-base-url={server.url}", "-n4", *pace)
        arrived = sorted(request.at for request in server.requests)
    assert len(arrived) == 30
    assert arrived[-1] - arrived[0] >= 29 * 60 / 1200 * 0.98


def test_a_worker_without_key_asks_and_answers_like_any_other(
    pytester: pytest.Pytester,
    suite: Suite,
    run: Run,
    rows: Rows,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suite(FOUR_SUITES)
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    bare = f"--tx=2*popen//env:OPENAI_API_KEY=//env:HOME={tmp_path / 'home'}//env:TMPDIR={tmp_path / 'tmp'}"
    with ChatServer(sensible) as server:
        asked = ("--autoeval-model=m", f"--autoeval-base-url={server.url}")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-controller")
        run(*asked, "--autoeval-results=alone.jsonl", apart=True)
        server.requests.clear()
        run(*asked, "--autoeval-results=spread.jsonl", "-d", bare)
        keys = {
            request.headers.get("authorization", request.headers.get("Authorization"))
            for request in server.requests
        }
    assert keys == {"Bearer sk-of-the-controller"}
    alone, spread = (lasting_rows(pytester.path / name) for name in ("alone.jsonl", "spread.jsonl"))
    assert alone == spread


LEAVING = """
import pytest
from pathlib import Path

def left(what):
    with open("left", "a") as file:
        file.write(what + "\\n")

@pytest.fixture(scope="session", autouse=True)
def session():
    yield
    left("session")

@pytest.fixture(scope="module", autouse=True)
def module():
    yield
    left("module")

@pytest.fixture(autouse=True)
def function():
    yield
    left("function")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_run_tears_down_the_fixtures_of_all_workers(
    pytester: pytest.Pytester, suite: Suite, run: Run, name: str
) -> None:
    del run
    pytester.makeconftest(LEAVING)
    suite(FOUR_SUITES)
    arrivals, gate, busy = count(), Event(), Event()

    def behave(request: Received) -> Answer:
        if next(arrivals) >= 12:
            busy.set()
            gate.wait()
        return sensible(request)

    with ChatServer(behave) as server:
        typed = [
            *PLUGINS,
            "-pno:cacheprovider",
            "-n2",
            "--autoeval-model=m",
            f"--autoeval-base-url={server.url}",
        ]
        process = start_pytest(Path.cwd(), typed, dict(os.environ))
        try:
            assert busy.wait(60)
            os.kill(process.pid, getattr(signal, name))
            output, _ = process.communicate(timeout=60)
        finally:
            gate.set()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert "KeyboardInterrupt" in output, output
    assert Counter(Path("left").read_text().split()) == {"session": 2, "module": 2, "function": 2}


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_nothing_is_paid_twice_after_an_interruption(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    """Calls that are on their way when the run is interrupted are answered soon after, and their answers are kept."""
    suite(FOUR_SUITES)
    arrivals, busy = count(), Event()

    def behave(request: Received) -> Answer:
        if next(arrivals) == 30:
            busy.set()
        Event().wait(0.05)
        return sensible(request)

    with ChatServer(behave) as server:
        typed = [
            "--autoeval-model=m",
            f"--autoeval-base-url={server.url}",
            "-n",
            workers,
            "--autoeval-concurrency=8",
        ]
        process = start_pytest(Path.cwd(), [*PLUGINS, *typed], dict(os.environ))
        assert busy.wait(60)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        cut = len(server.requests)
        resumed = run(*typed, "--autoeval-resume", cache=True)
        resumed.assert_outcomes(passed=4)
        paid = Counter(json.dumps(request.body, sort_keys=True) for request in server.requests)
    assert cut < sum(paid.values())
    assert set(paid.values()) == {1}


ASYNC = """
import httpx2
import pytest
from pytest_autoeval import autoeval

@pytest.fixture(scope="session")
def client():
    return httpx2.AsyncClient(base_url="{url}")

@autoeval("propositional", operators=range(3), samples=20, verified=False)
async def test_own_pipeline(sample, client):
    asked = {{"model": "m", "messages": [{{"role": "user", "content": sample.text}}]}}
    assert (await client.post("/chat/completions", json=asked)).status_code == 200
"""


def test_a_client_of_the_session_answers_every_async_body(
    suite: Suite, run: Run, rows: Rows
) -> None:
    with ChatServer(sensible) as server:
        suite(ASYNC.format(url=server.url))
        run("--autoeval-results=out.jsonl", "--autoeval-concurrency=16").assert_outcomes(passed=1)
    assert [row["outcome"] for row in rows("out.jsonl")] == ["passed"] * len(server.requests)
    assert len(server.requests) == 60


ASYNC_ASKING = """
from threading import Barrier
from pytest_autoeval import autoeval

TOGETHER = Barrier(4)

@autoeval("propositional", operators=[1], samples=4)
async def test_asking(sample, llm, assert_equivalent):
    TOGETHER.wait(30)
    assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)
"""


def test_async_bodies_that_ask_by_our_fixtures_do_not_wait_for_each_other(
    suite: Suite, run: Run
) -> None:
    suite(ASYNC_ASKING)
    run("--autoeval-concurrency=4").assert_outcomes(passed=1)


def test_runs_in_one_process_leave_no_thread_and_no_stream(suite: Suite, run: Run) -> None:
    suite()
    run()  # what is imported may start something for good
    before, streams = set(threading.enumerate()), (sys.stdout, sys.stderr, sys.stdout.write)
    for _ in range(2):
        run("--autoeval-results=out.jsonl", "-s").assert_outcomes(passed=1)
    left = {thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()}
    assert not {name for name in left if name.startswith(("autoeval", "offline", "asyncio"))}, left
    assert (sys.stdout, sys.stderr, sys.stdout.write) == streams
