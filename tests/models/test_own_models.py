"""Models that a `conftest.py` added: recorded, limited, retried and redacted as those behind a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Barrier, current_thread
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pytest_autoeval import language
from pytest_autoeval.models import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    LimitReachedError,
    Message,
    ModelPool,
    ModelSettings,
    Price,
    RecordingMissError,
    Reply,
    StructuredOutputsUnsupportedError,
    TransientError,
)
from pytest_autoeval.models.journal import Journal

HELLO = [Message("user", "Hello")]
SCHEMA = AnswerSchema("choice", '{"type": "object"}')


class Plain:
    """Knows of no schemas."""

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        return f"{messages[-1].content} {repeat}"


class Structured:
    """Says which schema it was given."""

    def complete(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None
    ) -> Reply:
        return Reply(schema.name if schema else "no schema")


class Passing:
    """Takes whatever it is given, and may pass it on to something that does not."""

    def complete(self, messages: Sequence[Message], **more: Any) -> str:
        return " ".join(sorted(more))


def says(*answers: str | Reply | Exception) -> Callable[[], Any]:
    """What makes a model that gives these answers in turn, and has no others."""
    left = list(answers)

    def complete(_messages: object, *, repeat: int) -> str | Reply:
        del repeat
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return lambda: SimpleNamespace(complete=complete)


def pool_of(
    factory: Callable[[], Any], journal: Journal | None = None, **settings: Any
) -> ModelPool:
    return ModelPool(ModelSettings(own={"own": factory}, **settings), journal=journal)


def test_a_model_with_a_parameter_for_it_is_given_the_schema() -> None:
    model = pool_of(Structured).chat("own")
    assert model.complete(HELLO, schema=SCHEMA).text == "choice"
    assert model.complete(HELLO).text == "no schema"


@pytest.mark.parametrize(("kind", "text"), [(Plain, "Hello 0"), (Passing, "repeat")])
def test_any_other_is_told_of_no_schema(kind: type, text: str) -> None:
    model = pool_of(kind).chat("own")
    with pytest.raises(StructuredOutputsUnsupportedError, match="no parameter 'schema'"):
        model.complete(HELLO, schema=SCHEMA)
    assert model.complete(HELLO).text == text


def test_one_object_is_made_for_a_run_and_asked_by_as_many_threads_as_calls_may_be_in_flight() -> (
    None
):
    made: list[object] = []
    all_are_here = Barrier(8, timeout=20)

    class Counted:
        def __init__(self) -> None:
            made.append(self)

        def complete(self, messages: Sequence[Message], *, repeat: int) -> str:
            all_are_here.wait()
            return f"{current_thread().ident}"

    with pool_of(Counted, concurrency=(8, 8)) as pool:
        replies = [pool.submit("own", "complete", HELLO, repeat=number) for number in range(16)]
        assert len({reply.result(20).text for reply in replies}) <= 8 + 1  # one made the model
    assert len(made) == 1


def test_a_model_that_cannot_be_made_stops_the_run() -> None:
    def fails() -> Any:
        raise OSError("no weights")

    with pool_of(fails) as pool:
        for _ in range(2):
            with pytest.raises(ConfigurationError, match="own: OSError: no weights"):
                pool.chat("own").complete(HELLO)


def test_what_it_was_asked_and_what_it_says_hold_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-in-a-prompt")
    answers = "sk-planted-in-a-prompt", ValueError("no access with sk-planted-in-a-prompt")
    model = pool_of(says(*answers)).chat("own")
    reply = model.complete([Message("user", "my key is sk-planted-in-a-prompt")])
    assert [dict(message) for message in reply.messages] == [
        {"role": "user", "content": "my key is [REDACTED]"}
    ]
    assert reply.text == "[REDACTED]"
    with pytest.raises(
        CallError, match=r"own: ValueError: no access with \[REDACTED\] \(test_own_models.py:\d+\)"
    ):
        model.complete(HELLO)


def test_an_error_that_this_package_raised_for_it_names_its_own_line() -> None:
    class Careless:
        def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
            return str(language("propositional").parse("p1 *"))

    with pytest.raises(CallError, match=r"own: FormulaSyntaxError: .* \(test_own_models.py:\d+\)"):
        pool_of(Careless).chat("own").complete(HELLO)


WHOLE = Reply(
    text="p",
    finish_reason="length",
    prompt_tokens=3,
    completion_tokens=5,
    reasoning_tokens=2,
    cost=0.5,
    seconds=0.25,
    model="own-2",
    system_fingerprint="fp_7",
)


def test_its_answers_are_recorded_and_replayed_without_it(tmp_path: Path) -> None:
    recording = pool_of(says(WHOLE), cassettes=tmp_path, record_mode="new_episodes").chat("own")
    assert not recording.recorded(HELLO)
    first = recording.complete(HELLO)
    assert replace(first, prompt_digest="", messages=()) == WHOLE
    replaying = pool_of(says(), cassettes=tmp_path, record_mode="none").chat("own")
    assert replaying.recorded(HELLO)
    assert not replaying.recorded(HELLO, repeat=1)
    assert not replaying.recorded(HELLO, schema=SCHEMA)
    assert replaying.complete(HELLO) == replace(first, cost=0.0, seconds=0.0, replayed=True)
    with pytest.raises(RecordingMissError):
        replaying.complete(HELLO, repeat=1)


def test_a_run_that_is_continued_takes_its_answers_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    first = pool_of(says(WHOLE), journal).chat("own").complete(HELLO)
    journal.close()
    again = pool_of(says(), Journal(None, [tmp_path])).chat("own").complete(HELLO)
    assert again == replace(first, taken_over=True)


def test_it_may_ask_to_be_asked_again() -> None:
    pool = pool_of(says(TransientError("busy", retry_after=0.0), "p"), concurrency=(1, 4))
    assert pool.chat("own").complete(HELLO).text == "p"
    impatient = pool_of(says(*[TransientError("busy", 0.0)] * 9), patience=0.0).chat("own")
    with pytest.raises(ConfigurationError, match="own: busy; it has answered nothing for 0 s"):
        impatient.complete(HELLO)


def test_five_equal_errors_stop_the_run_where_it_never_answered() -> None:
    model = pool_of(says(*[OSError("gone")] * 5, "p")).chat("own")
    for _ in range(4):
        with pytest.raises(CallError, match="own: OSError: gone"):
            model.complete(HELLO)
    for _ in range(2):  # the sixth call is not made
        with pytest.raises(ConfigurationError, match="own: OSError: gone"):
            model.complete(HELLO)


def test_an_error_about_one_question_leaves_the_others_alone() -> None:
    model = pool_of(says(ValueError("no such rule"), "p")).chat("own")
    with pytest.raises(CallError, match="own: ValueError: no such rule"):
        model.complete(HELLO)
    assert model.complete(HELLO).text == "p"


def test_calls_and_cost_are_limited() -> None:
    model = pool_of(says("p", "q"), max_calls=1).chat("own")
    model.complete(HELLO)
    with pytest.raises(LimitReachedError, match="max-calls=1"):
        model.complete(HELLO, repeat=1)
    model = pool_of(says(WHOLE, "q"), max_cost=0.5).chat("own")
    model.complete(HELLO)
    with pytest.raises(LimitReachedError, match=r"max-cost=0\.5"):
        model.complete(HELLO, repeat=1)
    with pytest.raises(ConfigurationError, match="own: no cost and no token counts are reported"):
        pool_of(says("p"), max_cost=1.0).chat("own").complete(HELLO)


def test_a_price_counts_where_it_says_no_cost() -> None:
    priced = {"own": Price(1_000_000, 2_000_000)}
    model = pool_of(says(replace(WHOLE, cost=None), WHOLE), prices=priced).chat("own")
    assert [model.complete(HELLO, repeat=number).cost for number in range(2)] == [13.0, 0.5]


def test_the_recordings_of_a_served_model_of_its_name_are_not_its_own(tmp_path: Path) -> None:
    pool_of(says("mine"), cassettes=tmp_path, record_mode="new_episodes").chat("own").complete(
        HELLO
    )
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as served:
        assert not served.chat("own").recorded(HELLO)


def test_no_parameter_reaches_it_or_its_recordings(tmp_path: Path) -> None:
    kept: dict[str, Any] = {"cassettes": tmp_path, "record_mode": "new_episodes"}
    pool_of(Passing, **kept, temperature=0.5, max_tokens=9, parameters={"top_p": 1}).chat(
        "own"
    ).complete(HELLO)
    assert pool_of(Passing, **kept).chat("own").recorded(HELLO)


def test_its_name_wins_and_it_is_closed_with_the_pool() -> None:
    closed: list[bool] = []
    made = SimpleNamespace(
        complete=lambda _messages, *, repeat: f"p{repeat}", close=lambda: closed.append(True)
    )
    names = ("offline/faithful", "embeddings/mine", "litellm/mine")
    with ModelPool(ModelSettings(own=dict.fromkeys(names, lambda: made))) as pool:
        assert [pool.chat(name).complete(HELLO).text for name in names] == ["p0"] * 3
        assert pool.open("embeddings/mine") is pool.chat("embeddings/mine")
        assert not closed
    assert closed == [True] * 3
