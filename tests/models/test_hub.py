"""Several workers, one limiter: over the hub they are as one, and a death on either side is noticed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.recording_worker import spend

from pytest_autoeval.models import CallError, ConfigurationError, LimitReachedError, ModelSettings
from pytest_autoeval.models.hub import Address, Hub, HubClient
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import AttemptEnd, Grant

PROCESSES = multiprocessing.get_context("spawn")
ANSWERED = AttemptEnd(ended="answered")


def hold(address: Address) -> None:
    """A worker that takes both places in the window, and is killed there."""
    limits = HubClient(address)
    limits.acquire("remote", "m")
    limits.acquire("remote", "m")
    limits.tell("holding", os.getpid())
    limits.acquire("remote", "m")


def hub_of_its_own(address: SimpleQueue[Address]) -> None:
    """A controlling process, which is killed."""
    hub = Hub(Limiter(ModelSettings(concurrency=(1, 1))))
    hub.limiter.acquire("remote", "m")
    address.put(hub.address)
    signal.pause()


@pytest.fixture
def frugal() -> Iterator[Hub]:
    hub = Hub(Limiter(ModelSettings(concurrency=(2, 2), max_calls=30)))
    yield hub
    hub.close()


def test_processes_share_the_budget_and_the_window(server: ChatServer, frugal: Hub) -> None:
    prompts = [[f"{worker}: {number}" for number in range(20)] for worker in range(2)]
    arguments = [(server.url, frugal.address, asked) for asked in prompts]
    workers = [PROCESSES.Process(target=spend, args=one) for one in arguments]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(server.requests) == 30
    assert server.most_in_flight <= 2


def test_a_worker_that_dies_gives_back_what_it_held_and_waits_no_more(hub: Hub) -> None:
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    hub.heard = lambda topic, value: told.put((topic, value))
    worker = PROCESSES.Process(target=hold, args=(hub.address,))
    worker.start()
    assert told.get(timeout=60) == ("holding", worker.pid)
    other = HubClient(hub.address)
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(other.acquire, "remote", "m") for _ in range(2)]
        assert not any(one.done() for one in waiting)
        os.kill(worker.pid or 0, signal.SIGKILL)
        for one in waiting:
            one.result(20)
    worker.join(20)
    assert hub.limiter.traffic().in_flight == 2
    other.close()


def test_a_controller_that_dies_stops_its_workers() -> None:
    address = PROCESSES.SimpleQueue()
    controller = PROCESSES.Process(target=hub_of_its_own, args=(address,))
    controller.start()
    limits = HubClient(address.get())
    with ThreadPoolExecutor(2) as threads:
        waiting: list[Future[Any]]
        waiting = [threads.submit(limits.acquire, "remote", "m"), threads.submit(limits.pause, 60.0)]
        assert not any(one.done() for one in waiting)
        os.kill(controller.pid or 0, signal.SIGKILL)
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
    controller.join(20)
    with pytest.raises(CallError, match="stopped"):
        HubClient(("\0nobody listens here", b"key"))


def test_what_the_limiter_refuses_reaches_the_worker(frugal: Hub) -> None:
    one, other = HubClient(frugal.address), HubClient(frugal.address)
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
    one, other = HubClient(hub.address), HubClient(hub.address)
    assert one.agree("name", None) is None
    assert other.agree("name", False) is False
    assert one.agree("name", True) is False
    for client in (one, other):
        client.close()


def test_a_stranger_is_sent_away_and_the_hub_goes_on(hub: Hub) -> None:
    with pytest.raises((AuthenticationError, EOFError, OSError)):
        Client(hub.address[0], authkey=b"a guess")
    client = HubClient(hub.address)
    client.acquire("remote", "m")
    client.close()


def test_a_worker_that_comes_as_the_hub_closes_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(Limiter(ModelSettings()))

    def connect(address: str, authkey: bytes) -> Connection[Any, Any]:
        Client(address, authkey=authkey).close()  # the worker is faster
        return Client(address, authkey=authkey)

    monkeypatch.setattr("pytest_autoeval.models.hub.Client", connect)
    closing = Thread(target=hub.close, daemon=True)
    closing.start()
    closing.join(20)
    assert not closing.is_alive()


def test_a_client_that_closes_has_not_lost_its_hub(hub: Hub) -> None:
    client = HubClient(hub.address)
    with ThreadPoolExecutor(1) as threads:
        pause = threads.submit(client.pause, 60.0)
        client.close()
        with pytest.raises(CallError, match="stopped"):
            pause.result(20)
    with pytest.raises(CallError, match="stopped"):
        client.acquire("remote", "m")
    hub.close()
    assert not client.lost.is_set()
