"""The default limit of an answer's length: sent to servers that the user names, and no part of a recorded request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, Received, always, completion, echo, error

from pytest_autoeval.models import Message, ModelPool, ModelSettings, Price, Reply

HELLO = [Message("user", "Hello")]


def asked(server: ChatServer, *, limit: int | None = 64, repeat: int = 0, **settings: Any) -> Reply:
    with ModelPool(ModelSettings(base_url=server.url, **settings)) as pool:
        return pool.chat("some-model").complete(HELLO, repeat=repeat, limit=limit)


def limits(server: ChatServer) -> list[int | None]:
    return [request.body.get("max_tokens") for request in server.requests]


def cut_off(tokens: int = 64, **message: Any) -> Answer:
    """An answer that ends at the limit; its message may show thoughts."""
    body = completion(
        "", finish_reason="length", message={"role": "assistant", "content": "First", **message}
    )
    return Answer(body=body | {"usage": {"prompt_tokens": 10, "completion_tokens": tokens}})


def test_the_default_limit_is_sent_where_the_user_sets_none(server: ChatServer) -> None:
    asked(server)
    asked(server, max_tokens=7)
    asked(server, max_tokens="none")
    asked(server, limit=None)
    assert limits(server) == [64, 7, None, None]


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_completion_tokens": 9},
        {"reasoning_effort": "low"},
        {"chat_template_kwargs": {"enable_thinking": True}},
        {"thinking": {"type": "enabled", "budget_tokens": 1000}},
    ],
)
def test_no_limit_is_sent_beside_parameters_of_a_model_that_thinks(
    server: ChatServer, parameters: dict[str, Any]
) -> None:
    asked(server, parameters=parameters)
    assert limits(server) == [None]


@pytest.mark.parametrize("url", [None, "https://api.openai.com/v1"])
@pytest.mark.parametrize("model", ["some-model", "offline/faithful", "own", "litellm/openai/x"])
def test_only_a_server_that_the_user_names_is_sent_the_limit(
    monkeypatch: pytest.MonkeyPatch, url: str | None, model: str
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with ModelPool(ModelSettings(base_url=url, own={"own": object})) as pool:
        assert pool.longest_answer(model, 64) is None
    with ModelPool(ModelSettings(base_url="http://127.0.0.1:1/v1", own={"own": object})) as pool:
        assert pool.longest_answer(model, 64) == (64 if model == "some-model" else None)


def test_the_default_limit_is_no_part_of_a_recorded_request(
    server: ChatServer, tmp_path: Path
) -> None:
    asked(server, limit=None, cassettes=tmp_path, record_mode="once")
    [before] = tmp_path.rglob("*.yaml")
    assert asked(server, cassettes=tmp_path, record_mode="none").replayed
    asked(server, repeat=1, cassettes=tmp_path, record_mode="new_episodes")
    assert limits(server) == [None, 64]
    after = next(file for file in tmp_path.rglob("*.yaml") if file != before)
    assert after.read_text("utf-8") == before.read_text("utf-8")


def test_a_reply_says_that_it_ended_at_the_default_limit(
    server: ChatServer, tmp_path: Path
) -> None:
    server.behaviour = always(cut_off())
    recorded: dict[str, Any] = {"cassettes": tmp_path, "record_mode": "once"}
    assert [asked(server, **recorded).limit, asked(server, **recorded).limit] == [64, 64]
    with ModelPool(
        ModelSettings(cassettes=tmp_path, record_mode="none")
    ) as pool:  # no server is named
        assert pool.chat("some-model").complete(HELLO, limit=64).limit == 64
    assert asked(server, max_tokens=64).limit is None
    server.behaviour = always(cut_off(30))  # where the context ended
    assert asked(server).limit is None


@pytest.mark.parametrize(
    "message",
    [
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm."},
        {"content": "<think>Let me see"},
        {"content": ""},
    ],
)
def test_a_model_that_is_cut_off_while_it_thinks_is_asked_again_without_a_limit(
    server: ChatServer, message: dict[str, Any]
) -> None:
    def behaviour(request: Received) -> Answer:
        return cut_off(**message) if "max_tokens" in request.body else echo(request)

    server.behaviour = behaviour
    settings = ModelSettings(
        base_url=server.url, prices={"some-model": Price(0.0, 1_000_000.0)}, max_cost=1000.0
    )
    with ModelPool(settings) as pool:
        for repeat in range(2):
            assert (
                pool.chat("some-model").complete(HELLO, repeat=repeat, limit=64).text
                == "You said: Hello"
            )
    assert limits(server) == [64, None, None]
    assert pool.traffic().cost == 64 + 2 * 10


def test_a_thinking_model_that_comes_to_an_end_has_no_limit_from_then_on(
    server: ChatServer,
) -> None:
    answer = completion(
        "Hello", message={"role": "assistant", "content": "<think>Hm.</think>Hello"}
    )
    server.behaviour = always(Answer(body=answer))
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        for repeat in range(2):
            pool.chat("some-model").complete(HELLO, repeat=repeat, limit=64)
    assert limits(server) == [64, None]


def test_a_limit_that_has_no_room_in_the_context_is_left_out(server: ChatServer) -> None:
    refusal = Answer(
        400, error("This model's maximum context length is 60 tokens, but you requested 74.")
    )
    server.behaviour = lambda request: refusal if "max_tokens" in request.body else echo(request)
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        for repeat in range(2):
            assert (
                pool.chat("some-model").complete(HELLO, repeat=repeat, limit=64).text
                == "You said: Hello"
            )
    assert limits(server) == [64, None, 64, None]
