"""Several workers, one limiter: over the hub they are as one, and a death on either side is noticed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Barrier, BrokenBarrierError, Event, Semaphore
from typing import Any
from unittest.mock import Mock

import pytest
from support.chat_server import ChatServer
from support.hub_workers import client_of, pipe, processes
from support.recording_worker import hold, spend

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models import CallError, ConfigurationError, LimitReachedError, ModelSettings, RecordingMissError
from pytest_autoeval.models.hub import Hub, HubClient
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import AttemptEnd, Grant

ANSWERED = AttemptEnd(ended="answered")


@pytest.fixture
def frugal() -> Iterator[Hub]:
    hub = Hub(Limiter(ModelSettings(concurrency=(2, 2), max_calls=30)))
    yield hub
    hub.close()


def test_processes_share_the_budget_and_the_window(server: ChatServer, frugal: Hub) -> None:
    with processes(frugal, 2) as workers:
        for worker in workers:
            worker.start(spend, server.url, [f"{worker.pid}: {number}" for number in range(20)])
        for worker in workers:
            worker.join()
    assert len(server.requests) == 30
    assert server.most_in_flight <= 2


def test_a_worker_that_dies_gives_back_what_it_held_and_waits_no_more(hub: Hub) -> None:
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    hub.hear = lambda topic, value: told.put((topic, value))
    other = client_of(hub)
    with processes(hub, 1) as [worker], ThreadPoolExecutor(2) as threads:
        worker.start(hold, 2)
        assert told.get(timeout=60) == ("holding", 2)
        waiting = [threads.submit(other.acquire, "remote", "m") for _ in range(2)]
        assert not any(one.done() for one in waiting)
        os.kill(worker.pid, signal.SIGKILL)
        for one in waiting:
            one.result(20)
    assert hub.limiter.traffic().in_flight == 2
    other.close()


def test_a_controller_that_is_gone_stops_its_workers(frugal: Hub) -> None:
    ours, its = pipe()
    frugal.connect(ours)
    limits = HubClient(its)
    held = [frugal.limiter.acquire("remote", "m") for _ in range(2)]
    assert len(held) == 2
    with ThreadPoolExecutor(2) as threads:
        waiting: list[Future[Any]]
        waiting = [threads.submit(limits.acquire, "remote", "m"), threads.submit(limits.pause, 60.0)]
        assert not any(one.done() for one in waiting)
        ours.close()
        for one in waiting:
            with pytest.raises(CallError, match="stopped"):
                one.result(20)
    assert limits.lost.is_set()
    with pytest.raises(CallError, match="stopped"):
        limits.acquire("remote", "m")
    grant = Grant(0, 0)
    limits.release("remote", "m", grant, ANSWERED)
    with pytest.raises(CallError, match="stopped"):
        limits.release("remote", "m", grant, AttemptEnd(ended="failed"))


def test_what_the_limiter_refuses_reaches_the_worker(frugal: Hub) -> None:
    one, other = client_of(frugal), client_of(frugal)
    grant = one.acquire("remote", "m")
    with pytest.raises(ConfigurationError, match="mend it"):
        one.release("remote", "m", grant, AttemptEnd(ended="useless", message="mend it"))
    with pytest.raises(ConfigurationError, match="mend it"):
        other.acquire("remote", "m")
    for _ in range(29):
        other.release("remote", "another", other.acquire("remote", "another"), ANSWERED)
    with pytest.raises(LimitReachedError, match="--autoeval-max-calls=30 is reached"):
        one.acquire("remote", "another")
    for client in (one, other):
        client.close()


def test_workers_agree_on_the_first_value(hub: Hub) -> None:
    one, other = client_of(hub), client_of(hub)
    assert one.agree("name", None) is None
    assert other.agree("name", False) is False
    assert one.agree("name", True) is False
    for client in (one, other):
        client.close()


def test_a_worker_is_answered_whatever_happens(hub: Hub) -> None:
    def miss() -> None:
        error = RecordingMissError("not recorded")
        error.add_note("nearest: 1")
        raise error

    def fail() -> None:
        raise AutoevalError("no such file")

    client = client_of(hub, echo=lambda *values: values, miss=miss, fail=fail, crash=lambda: 1 / 0)
    deep = {"text": "\ud800 ∀x", "numbers": [1.5, None, True, 10**30]}
    assert client.ask("echo", deep, "two") == [deep, "two"]
    with pytest.raises(RecordingMissError, match="not recorded") as missed:
        client.ask("miss")
    assert missed.value.__notes__ == ["nearest: 1"]
    with pytest.raises(AutoevalError, match="no such file"):
        client.ask("fail")
    for topic in ("crash", "unknown"):
        with pytest.raises(ConfigurationError, match=rf"{topic}: \w+Error"):
            client.ask(topic)
    client.close()


def test_what_was_told_is_heard_before_what_is_sent_afterwards(hub: Hub) -> None:
    heard: list[int] = []
    hub.hear = lambda _topic, value: heard.append(value)
    client = client_of(hub)
    for number in range(100):
        client.tell("number", number)
    client.agree("name", None)
    assert heard == list(range(100))
    client.close()


def test_a_worker_that_reads_nothing_keeps_no_other_waiting(hub: Hub) -> None:
    full = Event()
    ours, its = pipe()
    hub.connect(Mock(wraps=ours, send=lambda _: full.wait(60)), {})
    its.send(json.dumps([0, "acquire", ["remote", "m"]]))
    client = client_of(hub)
    with ThreadPoolExecutor(1) as threads:
        try:
            assert threads.submit(client.acquire, "remote", "m").result(20)
        finally:
            full.set()
    client.close()


def test_one_worker_is_heard_at_a_time(hub: Hub) -> None:
    hears, both = Semaphore(0), Barrier(2)
    together: list[bool] = []

    def hear(_topic: str, _value: Any) -> None:
        try:
            both.wait(0.2)
            together.append(True)
        except BrokenBarrierError:
            both.reset()
        hears.release()

    hub.hear = hear
    clients = client_of(hub), client_of(hub)
    for client in clients:
        client.tell("failures", 1)
    for client in clients:
        assert hears.acquire(timeout=20)
        client.close()
    assert not together


def test_what_was_asked_before_the_end_of_the_run_is_done(hub: Hub) -> None:
    begun, done, gate = Event(), Event(), Event()

    def slow() -> None:
        begun.set()
        gate.wait(60)
        done.set()

    client = client_of(hub, slow=slow)
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(client.ask, "slow")
        begun.wait(60)
        gate.set()
        hub.close()
        assert done.is_set()
        asked.exception(60)  # the answer may have come first, or the end
    assert client.lost.wait(20)


def test_a_client_that_closes_has_not_lost_its_hub(hub: Hub) -> None:
    client = client_of(hub)
    with ThreadPoolExecutor(1) as threads:
        pause = threads.submit(client.pause, 60.0)
        client.close()
        with pytest.raises(CallError, match="stopped"):
            pause.result(20)
    with pytest.raises(CallError, match="stopped"):
        client.acquire("remote", "m")
    hub.close()
    assert not client.lost.is_set()
