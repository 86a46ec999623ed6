"""Calls, cost and pace of a run at a real server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest
from support.chat_server import (
    SOON,
    Answer,
    ChatServer,
    Received,
    always,
    completion,
    echo,
    error,
    first,
)

from pytest_autoeval.models import (
    CallError,
    ConfigurationError,
    LimitReachedError,
    Message,
    ModelPool,
    ModelSettings,
    Price,
    upstream,
)
from pytest_autoeval.models.limiter import Grant, Limiter

#: With the token counts of the test server, a call costs 0.01 USD.
PRICES = {"some-model": Price(100.0, 0.0)}


def ask_until_stopped(settings: ModelSettings, prompts: int = 20) -> tuple[int, str]:
    """How many calls were answered, and what stopped them."""
    with ModelPool(settings) as pool:
        for number in range(prompts):
            try:
                pool.chat("some-model").complete([Message("user", f"prompt {number}")])
            except LimitReachedError as error:
                return number, str(error)
    return prompts, ""


def test_no_more_calls_are_made_than_allowed(server: ChatServer) -> None:
    answered, problem = ask_until_stopped(ModelSettings(base_url=server.url, max_calls=5))
    assert answered == len(server.requests) == 5
    assert "--autoeval-max-calls=5 is reached" in problem


def test_no_more_is_spent_than_allowed(server: ChatServer) -> None:
    settings = ModelSettings(base_url=server.url, max_cost=0.05, prices=PRICES)
    answered, problem = ask_until_stopped(settings)
    assert answered == len(server.requests) == 5
    assert "--autoeval-max-cost=0.05 is reached: this run has spent 0.0500 USD" in problem


def test_a_budget_of_one_call_pays_one_call_however_many_ask(server: ChatServer) -> None:
    settings = ModelSettings(
        base_url=server.url, max_cost=0.01, prices=PRICES, concurrency=(64, 64)
    )
    with ModelPool(settings) as pool, ThreadPoolExecutor(16) as threads:
        model = pool.chat("some-model")
        calls = [
            threads.submit(model.complete, [Message("user", str(number))]) for number in range(16)
        ]
        refused = [call.exception() for call in calls]
    assert len(server.requests) == 1
    assert sum(isinstance(one, LimitReachedError) for one in refused) == 15


def test_the_pace_counts_from_when_a_request_leaves(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, int]] = []
    leave = Limiter.left

    def left(limits: Limiter, grant: Grant) -> None:
        seen.append((limits._leaving is grant, len(server.requests)))
        leave(limits, grant)

    monkeypatch.setattr(Limiter, "left", left)
    with ModelPool(ModelSettings(base_url=server.url, rpm=6000)) as pool:
        for number in range(3):
            pool.chat("some-model").complete([Message("user", f"prompt {number}")])
    assert [requests for is_first, requests in seen if is_first] == [0, 1, 2]


@pytest.mark.parametrize("limit", [{"max_calls": 0}, {"max_cost": 0.0}])
def test_a_limit_of_nothing_allows_nothing(server: ChatServer, limit: dict[str, Any]) -> None:
    assert ask_until_stopped(ModelSettings(base_url=server.url, prices=PRICES, **limit))[0] == 0
    assert not server.requests


def test_each_attempt_counts(server: ChatServer) -> None:
    server.behaviour = first(Answer(500, error("oops"), SOON), Answer(503, error("busy"), SOON))
    assert ask_until_stopped(ModelSettings(base_url=server.url, max_calls=5))[0] == 3
    assert len(server.requests) == 5


def test_replays_and_remembered_answers_are_free(server: ChatServer, tmp_path: Path) -> None:
    def settings(**limits: Any) -> ModelSettings:
        return ModelSettings(
            base_url=server.url, cassettes=tmp_path, record_mode="new_episodes", **limits
        )

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
            with pytest.raises(ConfigurationError, match="no token counts are reported"):
                pool.chat("some-model").complete([Message("user", prompt)])
    assert len(server.requests) == 1


def test_calls_in_flight_stay_within_the_window(server: ChatServer) -> None:
    gates = [Event() for _ in range(30)]
    full, come = Barrier(3 + 1, timeout=20), count()

    def behave(request: Received) -> Answer:
        if next(come) < 3:
            full.wait()  # three at once do come in, whichever they are: the limit is used up
        return Answer(body=completion(request.prompt), gate=gates[int(request.prompt)])

    server.behaviour = behave
    settings = ModelSettings(base_url=server.url, concurrency=(3, 3))
    with ModelPool(settings) as pool, ThreadPoolExecutor(12) as threads:
        model = pool.chat("some-model")
        replies = [
            threads.submit(model.complete, [Message("user", str(number))]) for number in range(30)
        ]
        full.wait()
        for gate in gates:
            gate.set()
        assert [int(reply.result().text) for reply in replies] == list(range(30))
    assert server.most_in_flight == 3


def test_a_call_that_fails_while_others_are_answered_is_a_sample_s_error(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "_FIRST_WAIT", 0.0)
    done = Event()

    def behave(request: Received) -> Answer:
        return Answer(500, error("oops")) if request.prompt == "poison" else echo(request)

    def ask_others() -> None:
        number = count()
        while not done.is_set():
            model.complete([Message("user", f"prompt {next(number)}")])

    server.behaviour = behave
    with ModelPool(ModelSettings(base_url=server.url)) as pool, ThreadPoolExecutor(1) as threads:
        model = pool.chat("some-model")
        others = threads.submit(ask_others)
        try:
            with pytest.raises(CallError, match=r"failed \(500: oops\), \d+ attempts"):
                model.complete([Message("user", "poison")])
        finally:
            done.set()
        others.result(20)
