"""Calls in flight, calls per minute, calls and cost of a run: within one process and over several."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from support.chat_server import SOON, Answer, ChatServer, Received, always, completion, echo, error, first
from support.recording_worker import spend

from pytest_autoeval.models import (
    CallError,
    ConfigurationError,
    LimitReachedError,
    Message,
    ModelPool,
    ModelSettings,
    Price,
)
from pytest_autoeval.models.limits import Budget, Pace, RunState, Slots

PROCESSES = multiprocessing.get_context("spawn")
#: With the token counts of the test server, a call costs 0.01 USD.
PRICES = {"some-model": Price(100.0, 0.0)}


@pytest.fixture(params=["memory", "directory"])
def state_dir(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "state" if request.param == "directory" else None


def ask_until_stopped(settings: ModelSettings, prompts: int = 20) -> tuple[int, str]:
    """How many calls were answered, and what stopped them."""
    with ModelPool(settings) as pool:
        for number in range(prompts):
            try:
                pool.chat("some-model").complete([Message("user", f"prompt {number}")])
            except LimitReachedError as error:
                return number, str(error)
    return prompts, ""


def test_no_more_calls_are_made_than_allowed(server: ChatServer, state_dir: Path | None) -> None:
    answered, problem = ask_until_stopped(ModelSettings(base_url=server.url, state_dir=state_dir, max_calls=5))
    assert answered == len(server.requests) == 5
    assert "--autoeval-max-calls=5 is reached" in problem


def test_no_more_is_spent_than_allowed(server: ChatServer, state_dir: Path | None) -> None:
    settings = ModelSettings(base_url=server.url, state_dir=state_dir, max_cost=0.05, prices=PRICES)
    answered, problem = ask_until_stopped(settings)
    assert answered == len(server.requests) == 5
    assert "--autoeval-max-cost=0.05 is reached: this run has spent 0.0500 USD" in problem


def test_calls_in_flight_are_taken_to_cost_as_much_as_the_dearest() -> None:
    budget = Budget(None, 1.0, RunState(None))
    budget.reserve()
    budget.settle(0.3)
    budget.reserve()
    budget.reserve()
    with pytest.raises(LimitReachedError, match="2 calls in flight"):
        budget.reserve()
    budget.settle(0.1)
    budget.reserve()


@pytest.mark.parametrize("limit", [{"max_calls": 0}, {"max_cost": 0.0}])
def test_a_limit_of_nothing_allows_nothing(server: ChatServer, limit: dict[str, Any]) -> None:
    assert ask_until_stopped(ModelSettings(base_url=server.url, prices=PRICES, **limit))[0] == 0
    assert not server.requests


def test_a_failed_call_counts_as_one_call_whatever_its_retries(server: ChatServer) -> None:
    server.behaviour = first(*[Answer(500, error("oops"), SOON)] * 3)
    with ModelPool(ModelSettings(base_url=server.url, max_calls=2)) as pool:
        model = pool.chat("some-model")
        with pytest.raises(CallError):
            model.complete([Message("user", "one")])
        model.complete([Message("user", "two")])
        with pytest.raises(LimitReachedError):
            model.complete([Message("user", "three")])


def test_replays_and_remembered_answers_are_free(server: ChatServer, tmp_path: Path) -> None:
    def settings(**limits: Any) -> ModelSettings:
        return ModelSettings(base_url=server.url, cassettes=tmp_path, record_mode="new_episodes", **limits)

    ask_until_stopped(settings())
    assert ask_until_stopped(settings(max_calls=0)) == (20, "")
    assert ask_until_stopped(settings(max_cost=0.0)) == (20, "")
    with ModelPool(settings(max_calls=1)) as pool:
        for _ in range(3):
            pool.chat("some-model").complete([Message("user", "something new")])


def test_a_cost_limit_needs_a_price(server: ChatServer) -> None:
    with (
        ModelPool(ModelSettings(base_url=server.url, max_cost=1.0)) as pool,
        pytest.raises(ConfigurationError, match=r"needs the price of some-model.*--autoeval-price"),
    ):
        pool.chat("some-model").complete([Message("user", "Hello")])
    assert not server.requests


def test_a_cost_limit_needs_token_counts(server: ChatServer) -> None:
    server.behaviour = always(Answer(body={"choices": completion("Hi")["choices"]}))
    with ModelPool(ModelSettings(base_url=server.url, max_cost=1.0, prices=PRICES)) as pool:
        for prompt in ("one", "two"):
            with pytest.raises(ConfigurationError, match="reports no token counts"):
                pool.chat("some-model").complete([Message("user", prompt)])
    assert len(server.requests) == 1


def test_processes_share_the_budget_and_the_slots(server: ChatServer, tmp_path: Path) -> None:
    workers = [
        PROCESSES.Process(
            target=spend, args=(server.url, tmp_path, [f"{worker}: {number}" for number in range(20)], 30)
        )
        for worker in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(server.requests) == 30
    assert server.most_in_flight <= 2


def test_calls_in_flight_stay_within_the_slots(server: ChatServer, state_dir: Path | None) -> None:
    gates = [Event() for _ in range(30)]
    full = Barrier(3 + 1, timeout=20)

    def behave(request: Received) -> Answer:
        number = int(request.prompt)
        if number < 3:
            full.wait()  # three at once do come in: the limit is used up
        return Answer(body=completion(request.prompt), gate=gates[number])

    server.behaviour = behave
    settings = ModelSettings(base_url=server.url, concurrency=3, state_dir=state_dir)
    with ModelPool(settings) as pool, ThreadPoolExecutor(12) as threads:
        model = pool.chat("some-model")
        replies = [threads.submit(model.complete, [Message("user", str(number))]) for number in range(30)]
        full.wait()
        for gate in gates:
            gate.set()
        assert [int(reply.result().text) for reply in replies] == list(range(30))
    assert server.most_in_flight == 3


def test_a_slot_of_another_worker_is_waited_for(tmp_path: Path) -> None:
    stop = Event()
    one, other = Slots(1, tmp_path, stop), Slots(1, tmp_path, stop)
    order: list[str] = []
    started = Event()

    def take() -> None:
        started.set()
        with other.slot():
            order.append("other")

    waiting = Thread(target=take)
    with one.slot():
        waiting.start()
        started.wait()
        order.append("one")
    waiting.join(20)
    assert order == ["one", "other"]


@pytest.mark.parametrize("shared", [True, False])
def test_who_waits_for_a_slot_is_told_when_the_run_stops(tmp_path: Path, shared: bool) -> None:
    stop = Event()
    one = Slots(1, tmp_path, stop)
    other = Slots(1, tmp_path, stop) if shared else one
    with one.slot(), ThreadPoolExecutor(1) as threads:

        def take() -> None:
            with other.slot():
                pass

        waiting = threads.submit(take)
        stop.set()
        with pytest.raises(CallError, match="stopped"):
            waiting.result(20)


class Clock:
    """Time that passes only by waiting, and the stop signal that waits with it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.stopped = False

    def __call__(self) -> float:
        return self.now

    def wait(self, timeout: float) -> bool:
        self.now += timeout
        return self.stopped


def test_requests_are_spaced_evenly(state_dir: Path | None) -> None:
    clock = Clock()
    pace = Pace(30, RunState(state_dir), clock, clock=clock)  # type: ignore[arg-type]
    starts = []
    for _ in range(5):
        pace.wait()
        starts.append(clock.now)
    assert [later - earlier for earlier, later in pairwise(starts)] == [2.0, 2.0, 2.0, 2.0]
    clock.now += 60
    pace.wait()
    assert clock.now == starts[-1] + 60


def test_workers_share_the_pace(tmp_path: Path) -> None:
    clock = Clock()
    workers = [Pace(60, RunState(tmp_path), clock, clock=clock) for _ in range(3)]  # type: ignore[arg-type]
    for worker in workers:
        worker.wait()
    assert clock.now == 1002.0


def test_without_a_rate_nothing_waits() -> None:
    clock = Clock()
    Pace(None, RunState(None), clock, clock=clock).wait()  # type: ignore[arg-type]
    assert clock.now == 1000.0


def test_who_waits_for_the_pace_is_told_when_the_run_stops() -> None:
    clock = Clock()
    clock.stopped = True
    pace = Pace(60, RunState(None), clock, clock=clock)  # type: ignore[arg-type]
    pace.wait()
    with pytest.raises(CallError, match="stopped"):
        pace.wait()


def test_retries_keep_the_pace_too(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[None] = []
    monkeypatch.setattr(Pace, "wait", lambda _: waits.append(None))
    server.behaviour = first(Answer(500, error("oops"), SOON), Answer(500, error("oops"), SOON), then=echo)
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        pool.chat("some-model").complete([Message("user", "Hello")])
    assert len(waits) == len(server.requests) == 3


def test_records_of_a_run_lose_no_update(state_dir: Path | None) -> None:
    state = RunState(state_dir)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(200):
            threads.submit(state.update, "count", lambda record: {"count": record.get("count", 0) + 1})
    assert state.read("count") == {"count": 200}
    assert state.read("nothing yet") == {}
