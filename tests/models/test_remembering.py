"""Within a run, equal requests are asked once; what was answered is remembered on disk."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace

from pytest_autoeval.models import (
    CallError,
    Chat,
    Message,
    ModelError,
    ModelPool,
    ModelSettings,
    Reply,
)
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.protocols import wire_messages

HELLO = [Message("user", "Hello")]


class Moody:
    """Answers differently each time; fails as often as it is told to; waits where it is told to."""

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.asked = Event()
        self.gate = Event()
        self.gate.set()

    def complete(self, messages: Sequence[Message], *, repeat: int) -> Reply:
        self.calls += 1
        self.asked.set()
        self.gate.wait(20)
        if self.calls <= self.failures:
            raise ModelError(f"failure {self.calls}")
        return Reply(f"{messages[-1].content} {repeat} {self.calls}", cost=0.25, seconds=1.5)


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture(params=["in a file of the run", "in a temporary file"])
def model(moody: Moody, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chat]:
    journal = Journal(tmp_path if request.param == "in a file of the run" else None)
    with ModelPool(ModelSettings(own={"moody": lambda: moody}), journal=journal) as pool:
        yield pool.chat("moody")


def test_equal_requests_get_one_answer_that_is_paid_once(model: Chat, moody: Moody) -> None:
    first, second = model.complete(HELLO), model.complete(list(HELLO))
    assert (first.text, first.cost, first.seconds, first.replayed) == (
        "Hello 0 1",
        0.25,
        1.5,
        False,
    )
    assert second == replace(first, cost=0.0, seconds=0.0, repeated=True)
    assert second.messages == wire_messages(HELLO)
    assert moody.calls == 1


def test_other_messages_and_other_repeats_are_asked_anew(model: Chat, moody: Moody) -> None:
    model.complete(HELLO)
    model.complete(HELLO, repeat=1)
    model.complete([Message("system", "Hello")])
    assert moody.calls == 3


def test_equal_requests_at_the_same_time_wait_for_one_answer(model: Chat, moody: Moody) -> None:
    moody.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        replies = [threads.submit(model.complete, HELLO) for _ in range(16)]
        moody.asked.wait(20)
        moody.gate.set()
        assert {reply.result().text for reply in replies} == {"Hello 0 1"}
    assert moody.calls == 1


def test_a_failure_is_told_to_all_who_wait_and_then_forgotten(model: Chat, moody: Moody) -> None:
    moody.failures = 1
    moody.gate.clear()
    with ThreadPoolExecutor(2) as threads:
        leader = threads.submit(model.complete, HELLO)
        moody.asked.wait(20)
        waiting = threads.submit(model.complete, HELLO)
        # The second has no way to tell that it waits: it either joins the failure or asks anew, and both are right.
        moody.gate.set()
        with pytest.raises(ModelError, match="failure 1"):
            leader.result()
        told = waiting.exception()
        assert told is None or (str(told) == "failure 1" and told is not leader.exception())
    assert model.complete(HELLO).text == "Hello 0 2"


def test_memory_holds_neither_questions_nor_answers(tmp_path: Path) -> None:
    class Echo:
        async def complete(self, messages: Sequence[Message], *, repeat: int) -> str:
            return messages[-1].content

    with ModelPool(ModelSettings(own={"echo": Echo}), journal=Journal(tmp_path)) as pool:
        model = pool.chat("echo")

        def grown(numbers: range) -> float:
            before = tracemalloc.get_traced_memory()[0]
            for number in numbers:
                model.complete([Message("user", f"{number} {'p ∧ q ' * 1000}")])
            gc.collect()
            return (tracemalloc.get_traced_memory()[0] - before) / len(numbers)

        tracemalloc.start()
        try:
            grown(range(300))
            assert grown(range(300, 900)) < 400  # bytes a call, for the index; a question has 6,000
        finally:
            tracemalloc.stop()
        assert model.complete([Message("user", f"7 {'p ∧ q ' * 1000}")]).repeated


def test_an_answer_of_an_interrupted_run_is_taken_over_once_and_then_remembered(
    moody: Moody, tmp_path: Path
) -> None:
    settings = ModelSettings(own={"moody": lambda: moody})
    with ModelPool(settings, journal=Journal(tmp_path)) as pool:
        first = pool.chat("moody").complete(HELLO)
    with ModelPool(settings, journal=Journal(None, [tmp_path])) as pool:
        again = [pool.chat("moody").complete(HELLO) for _ in range(2)]
    taken_over = replace(first, taken_over=True)
    assert again == [taken_over, replace(taken_over, cost=0.0, seconds=0.0, repeated=True)]
    assert pool.journal.taken_over == 1


def test_only_what_a_continued_run_left_open_goes_to_the_event_loop(
    moody: Moody, tmp_path: Path
) -> None:
    """A future that is done when it is given was answered by the thread that asked."""
    settings = ModelSettings(own={"moody": lambda: moody})
    prompts = [[Message("user", text)] for text in ("one", "two", "three")]
    with ModelPool(settings, journal=Journal(tmp_path)) as pool:
        first = [pool.chat("moody").complete(prompt) for prompt in prompts[:2]]
    with ModelPool(settings, journal=Journal(None, [tmp_path])) as pool:
        assert pool.submit("moody", "complete", prompts[0]).result(20).taken_over
        known = pool.submit("moody", "complete", prompts[1])
        assert known.done()
        assert known.result() == replace(first[1], taken_over=True)
        moody.gate.clear()
        new = pool.submit("moody", "complete", prompts[2])
        assert not new.done()
        moody.gate.set()
        assert not new.result(20).taken_over
        # A mistake is reported by the future, wherever it is met.
        mistaken = pool.submit("moody", "complete", ["no message"])
        assert isinstance(mistaken.exception(20), AttributeError)
        pool.stop()
        assert isinstance(pool.submit("moody", "complete", prompts[1]).exception(), CallError)
    assert moody.calls == 3
    assert pool.journal.taken_over == 2


def test_a_failure_that_an_earlier_release_kept_as_an_answer_is_asked_again(
    moody: Moody, tmp_path: Path
) -> None:
    settings = ModelSettings(own={"moody": lambda: moody})
    with ModelPool(settings, journal=Journal(tmp_path)) as pool:
        for text in ("one", "two"):
            pool.chat("moody").complete([Message("user", text)])
    (file,) = tmp_path.glob("*.jsonl")
    one, two = file.read_text().splitlines(keepends=True)
    failure = f'{two[: two.index("{")]}{{"error":{{"message":"overloaded"}}}}]\n'
    file.write_text(one + failure)
    with ModelPool(settings, journal=Journal(None, [tmp_path])) as pool:
        replies = [pool.chat("moody").complete([Message("user", text)]) for text in ("one", "two")]
        again = pool.chat("moody").complete([Message("user", "two")])
    assert [reply.taken_over for reply in replies] == [True, False]
    assert again == replace(replies[1], cost=0.0, seconds=0.0, repeated=True)
    assert moody.calls == 3


def test_an_answer_that_is_taken_over_is_recorded(moody: Moody, tmp_path: Path) -> None:
    own = {"moody": lambda: moody}
    with ModelPool(ModelSettings(own=own), journal=Journal(tmp_path)) as pool:
        for text in ("one", "two"):
            pool.chat("moody").complete([Message("user", text)])
    recording = ModelSettings(own=own, cassettes=tmp_path / "recordings", record_mode="all")
    with ModelPool(recording, journal=Journal(None, [tmp_path])) as pool:
        for text in ("one", "two"):
            assert pool.chat("moody").complete([Message("user", text)]).taken_over
    assert len([*(tmp_path / "recordings").rglob("*.yaml")]) == 2
    assert moody.calls == 2
