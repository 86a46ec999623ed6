"""A run that stops: nothing more is asked, what is paid for is kept, nobody waits, and no thread is left."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, completion

from pytest_autoeval.models import CallError, Message, ModelPool, ModelSettings
from pytest_autoeval.models.journal import Journal


def prompt(text: object) -> list[Message]:
    return [Message("user", f"{text}")]


def threads_of_ours() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("autoeval")}


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = threads_of_ours()
    yield
    assert threads_of_ours() <= before


@pytest.fixture
def gate() -> Iterator[Event]:
    gate = Event()
    yield gate
    gate.set()


def first_request_of(server: ChatServer, answer: Answer) -> Event:
    """Lets a server answer so; the event is set when it is asked."""
    asked = Event()

    def behave(request: Any) -> Answer:
        asked.set()
        return answer

    server.behaviour = behave
    return asked


def assert_cut_off(
    pool: ModelPool, model: str, asked: Event, end: Callable[[], None], within: float = 0
) -> None:
    """A call that was made gets its error within some seconds of the end of the run."""
    waiting = pool.submit(model, "complete", prompt("one"))
    asked.wait(20)
    end()
    with pytest.raises(CallError, match="stopped"):
        waiting.result(within)


def test_who_waits_for_a_turn_is_told_at_once_and_the_answer_in_flight_is_kept(
    server: ChatServer, gate: Event, tmp_path: Path
) -> None:
    asked = first_request_of(server, Answer(body=completion("paid for"), gate=gate))
    settings = ModelSettings(base_url=server.url, concurrency=(1, 1))
    with ModelPool(settings, journal=Journal(tmp_path)) as pool:
        flying = pool.submit("m", "complete", prompt("one"))
        asked.wait(20)
        waiting = [pool.submit("m", "complete", prompt(number)) for number in range(20)]
        pool.stop()
        for call in (*waiting, pool.submit("m", "complete", prompt("late"))):
            with pytest.raises(CallError, match="the run was stopped before this call was made"):
                call.result(20)
        gate.set()
        assert flying.result(20).text == "paid for"
    assert len(server.requests) == 1
    with ModelPool(settings, journal=Journal(None, [tmp_path])) as pool:
        assert pool.chat("m").complete(prompt("one")).taken_over
    assert len(server.requests) == 1


def test_a_call_that_is_not_answered_in_time_is_cut_off(server: ChatServer, gate: Event) -> None:
    asked = first_request_of(server, Answer(body=completion("too late"), gate=gate))
    pool = ModelPool(ModelSettings(base_url=server.url))
    flying = pool.submit("m", "complete", prompt("one"))
    asked.wait(20)
    pool.close()
    with pytest.raises(CallError, match="the run was stopped while this call was made"):
        flying.result(0)
    pool.close()
    pool.stop()


def test_a_retry_is_not_waited_for(server: ChatServer) -> None:
    asked = first_request_of(server, Answer(429, b"", {"retry-after": "60"}))
    pool = ModelPool(ModelSettings(base_url=server.url))
    assert_cut_off(pool, "m", asked, pool.close)


def test_pools_may_follow_each_other_and_one_that_asked_nothing_has_no_thread(
    server: ChatServer,
) -> None:
    before = threads_of_ours()
    for number in range(3):
        with ModelPool(ModelSettings(base_url=server.url)) as pool:
            assert threads_of_ours() <= before
            assert pool.chat("m").complete(prompt(number)).text == f"You said: {number}"
    with ModelPool(ModelSettings()):
        pass
    with ModelPool(ModelSettings()) as pool:
        assert (pool.traffic().attempts, pool.refused_schemas(), pool.used_recordings()) == (
            0,
            {},
            [],
        )


def test_a_forked_process_asks_by_itself(server: ChatServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        pool.chat("m").complete(prompt("parent"))
        child = multiprocessing.get_context("fork").Process(target=_ask, args=(pool,))
        child.start()
        child.join(60)
        assert child.exitcode == 0
        assert (
            pool.chat("m").complete(prompt("parent once more")).text == "You said: parent once more"
        )
    assert {request.prompt for request in server.requests} == {
        "parent",
        "child",
        "parent once more",
    }


def _ask(pool: ModelPool) -> None:
    assert pool.chat("m").complete(prompt("child")).text == "You said: child"
    pool.close()


def test_ctrl_c_gets_out_of_a_call_at_once(server: ChatServer, gate: Event) -> None:
    main = threading.get_ident()

    def behave(request: Any) -> Answer:
        signal.pthread_kill(main, signal.SIGINT)
        return Answer(body=completion("late"), gate=gate)

    server.behaviour = behave
    with ModelPool(ModelSettings(base_url=server.url)) as pool, pytest.raises(KeyboardInterrupt):
        pool.chat("m").complete(prompt("one"))


class HostileError(Exception):
    """Its text cannot be made."""

    def __str__(self) -> str:
        raise SystemExit(3)


def _raises(error: BaseException) -> Callable[..., str]:
    def complete(_messages: object, *, repeat: int) -> str:
        raise error

    return complete


def _raises_on_the_loop(error: BaseException) -> Callable[..., Any]:
    async def complete(_messages: object, *, repeat: int) -> str:
        raise error

    return complete


@pytest.mark.parametrize("on_the_loop", [False, True])
@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        SystemExit(3),
        KeyboardInterrupt(),
        StopIteration(),
        GeneratorExit(),
        HostileError(),
    ],
    ids=repr,
)
def test_whatever_a_model_of_one_s_own_raises_is_an_error_of_its_call(
    error: BaseException, on_the_loop: bool
) -> None:
    class Mine:
        calls = 0

        def __init__(self) -> None:
            self.complete: Callable[..., Any] = self.answer
            self.raising = (_raises_on_the_loop if on_the_loop else _raises)(error)

        async def answer(self, messages: Any, *, repeat: int) -> str:
            return "fine"

    mine = Mine()
    with ModelPool(ModelSettings(own={"mine": lambda: mine})) as pool:
        model = pool.chat("mine")
        assert model.complete(prompt("one")).text == "fine"
        mine.complete = mine.raising
        with pytest.raises(
            CallError, match=r"mine: .*(Error|Exit|Interrupt|Iteration|HostileError)"
        ):
            model.complete(prompt("two"))
        mine.complete = mine.answer
        assert model.complete(prompt("three")).text == "fine"


def test_a_task_of_somebody_else_s_ends_no_other_call(server: ChatServer) -> None:
    """Of a library that a model uses, for example: a SystemExit in a task ends an event loop."""

    class Mine:
        async def complete(self, messages: Any, *, repeat: int) -> str:
            async def leave() -> None:
                raise SystemExit(3)

            self.task = asyncio.create_task(leave())
            await asyncio.sleep(0.01)
            return "fine"

    with ModelPool(ModelSettings(base_url=server.url, own={"mine": Mine})) as pool:
        assert pool.chat("mine").complete(prompt("one")).text == "fine"
        assert pool.chat("m").complete(prompt("two")).text == "You said: two"


def test_a_model_of_one_s_own_that_hangs_does_not_hold_up_the_end(gate: Event) -> None:
    asked = Event()

    class Hangs:
        def complete(self, messages: Any, *, repeat: int) -> str:
            asked.set()
            gate.wait(60)
            return "late"

    before = set(threading.enumerate())
    pool = ModelPool(ModelSettings(own={"hangs": Hangs}))
    assert_cut_off(pool, "hangs", asked, pool.close)
    gate.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(20)


def test_a_model_of_one_s_own_that_cannot_be_cut_off_keeps_nobody_waiting(
    gate: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_autoeval.models.pool._ENDING", 0.5)
    asked = Event()

    class Stubborn:
        async def complete(self, messages: Any, *, repeat: int) -> str:
            asked.set()
            while not gate.is_set():
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(60)
            return "late"

    pool = ModelPool(ModelSettings(own={"stubborn": Stubborn}))
    assert_cut_off(pool, "stubborn", asked, pool.stop, within=20)
    gate.set()
    pool.close()


def test_all_connections_are_closed(server: ChatServer) -> None:
    with (
        ModelPool(ModelSettings(base_url=server.url, concurrency=(8, 8))) as pool,
        ThreadPoolExecutor(8) as threads,
    ):
        list(threads.map(pool.chat("m").complete, map(prompt, range(40))))
    port = int(server.url.split(":")[2].removesuffix("/v1"))
    assert not _sockets_to(port)


def _sockets_to(port: int) -> list[int]:
    """The open sockets of this process that are connected to a port of this machine."""
    descriptors = []
    for descriptor in range(3, 1024):
        try:
            with socket.socket(fileno=descriptor) as connection:
                try:
                    if connection.getpeername()[1] == port:
                        descriptors.append(descriptor)
                finally:
                    connection.detach()
        except (OSError, IndexError):
            continue
    return descriptors
