"""Within a process, equal requests are asked once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from pytest_autoeval.models import AnswerSchema, CallError, Message, Reply
from pytest_autoeval.models.memory import RememberingModel

HELLO = [Message("user", "Hello")]


class MoodyModel:
    """Answers differently each time; fails as often as it is told to; waits where it is told to."""

    name = "moody"

    def __init__(self, failures: int = 0) -> None:
        self.calls = 0
        self.failures = failures
        self.asked = Event()
        self.gate = Event()
        self.gate.set()
        self.closed = False

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, **_: Any) -> Reply:
        self.calls += 1
        self.asked.set()
        self.gate.wait(20)
        if self.calls <= self.failures:
            failure = CallError(f"failure {self.calls}")
            failure.add_note("a note")
            raise failure
        return Reply(f"{messages[-1].content} {repeat} {self.calls}", cost=0.25, seconds=1.5)

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        return repeat == 1

    def close(self) -> None:
        self.closed = True


def test_equal_requests_get_one_answer_that_is_paid_once() -> None:
    moody = MoodyModel()
    model = RememberingModel(moody)
    first, second = model.complete(HELLO), model.complete(list(HELLO))
    assert first == Reply("Hello 0 1", cost=0.25, seconds=1.5)
    assert second == Reply("Hello 0 1", cost=0.0, seconds=0.0, replayed=True)
    assert moody.calls == 1


def test_other_messages_and_other_repeats_are_asked_anew() -> None:
    moody = MoodyModel()
    model = RememberingModel(moody)
    model.complete(HELLO)
    model.complete(HELLO, repeat=1)
    model.complete([Message("system", "Hello")])
    assert moody.calls == 3


def test_equal_requests_at_the_same_time_wait_for_one_answer() -> None:
    moody = MoodyModel()
    moody.gate.clear()
    model = RememberingModel(moody)
    with ThreadPoolExecutor(16) as threads:
        replies = [threads.submit(model.complete, HELLO) for _ in range(16)]
        moody.asked.wait(20)
        moody.gate.set()
        assert {reply.result().text for reply in replies} == {"Hello 0 1"}
    assert moody.calls == 1


def test_a_failure_is_told_to_all_who_wait_and_then_forgotten() -> None:
    moody = MoodyModel(failures=1)
    moody.gate.clear()
    model = RememberingModel(moody)
    with ThreadPoolExecutor(2) as threads:
        leader = threads.submit(model.complete, HELLO)
        moody.asked.wait(20)
        waiting = threads.submit(model.complete, HELLO)
        # The second has no way to tell that it waits: it either joins the failure or asks anew, and both are right.
        moody.gate.set()
        with pytest.raises(CallError, match="failure 1"):
            leader.result()
        told = waiting.exception()
        assert told is None or (str(told), told.__notes__) == ("failure 1", ["a note"])
    assert model.complete(HELLO).text == "Hello 0 2"
