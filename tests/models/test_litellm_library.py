"""LiteLLM itself, where it is installed: its mock responses, and what its providers make of a server's answers."""

from __future__ import annotations

import os
from threading import Event
from typing import Any

import pytest
from support.chat_server import Answer, Behaviour, ChatServer, always, echo, error, first

from pytest_autoeval.models import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Message,
    ModelError,
    ModelPool,
    ModelSettings,
    Reply,
    StructuredOutputsUnsupportedError,
)

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytestmark = pytest.mark.extra("litellm")
HELLO = [Message("system", "Be brief."), Message("user", "Hello")]
CLAUDE, GPT = "litellm/anthropic/claude-sonnet-4-5", "litellm/openai/gpt-4o"


def ask(
    name: str,
    schema: AnswerSchema | None = None,
    parameters: dict[str, Any] | None = None,
    **more: Any,
) -> Reply:
    with ModelPool(ModelSettings(parameters=parameters or {}, **{"patience": 0.0, **more})) as pool:
        return pool.chat(name).complete(HELLO, schema=schema)


def ask_at(server: ChatServer, name: str, **more: Any) -> Reply:
    url = server.url if name == GPT else server.url.removesuffix("/v1")
    return ask(name, parameters={"api_base": url, "api_key": "sk-of-this-test"}, **more)


def test_a_mock_response_is_a_reply_with_its_price() -> None:
    reply = ask(CLAUDE, parameters={"mock_response": "Hi"}, max_cost=1.0)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Hi", 10, 20)
    assert reply.cost == pytest.approx(0.00033)


@pytest.mark.parametrize(
    ("name", "ended", "message"),
    [
        (
            "RateLimitError",
            ConfigurationError,
            "anthropic .* limits the rate .429: litellm.RateLimitError",
        ),
        (
            "InternalServerError",
            ConfigurationError,
            "anthropic .* failed .500: litellm.InternalServerError",
        ),
        (
            "ContextWindowExceededError",
            CallError,
            "refused this request .400: litellm.ContextWindow",
        ),
    ],
)
def test_a_mock_error_ends_like_that_of_a_server(
    name: str, ended: type[ModelError], message: str
) -> None:
    with pytest.raises(ended, match=message):
        ask(CLAUDE, parameters={"mock_response": f"litellm.{name}"})


def test_parameters_and_limits_reach_the_server(server: ChatServer) -> None:
    assert (
        ask_at(server, GPT, temperature=0.5, max_tokens=7, max_cost=1.0).text == "You said: Hello"
    )
    assert (
        server.requests[0].body.items()
        >= {"model": "gpt-4o", "temperature": 0.5, "max_tokens": 7}.items()
    )


THOUGHT = {
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [
        {"type": "thinking", "thinking": "q?", "signature": "s"},
        {"type": "text", "text": "p"},
    ],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 5},
}


def test_thoughts_are_counted_and_not_read(server: ChatServer) -> None:
    server.behaviour = always(Answer(body=THOUGHT))
    reply = ask_at(server, CLAUDE)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("p", 3, 5)
    assert reply.reasoning_tokens


@pytest.mark.parametrize("name", [GPT, CLAUDE])
@pytest.mark.parametrize(
    ("status", "ended", "message"),
    [
        (400, CallError, "refused this request .400: .*no way"),
        (401, ConfigurationError, "refuses the key .*401: "),
        (403, CallError, "refused this request .403: "),
        (404, CallError, "refused this request .404: "),
        (429, ConfigurationError, r"limits the rate .429: .* it asks to wait: 0\.25"),
        (500, ConfigurationError, "failed .500: "),
        (503, ConfigurationError, "limits the rate .503: "),
    ],
)
def test_each_status_is_understood(
    server: ChatServer, name: str, status: int, ended: type[ModelError], message: str
) -> None:
    server.behaviour = always(
        Answer(status, error("no way with sk-of-this-test"), {"retry-after": "0.25"})
    )
    with pytest.raises(ended, match=message) as caught:
        ask_at(server, name)
    assert "sk-of" not in str(caught.value)
    assert len(server.requests) == 1  # the library itself does not try again


@pytest.mark.parametrize("name", [GPT, CLAUDE])
def test_a_limited_rate_is_waited_out(server: ChatServer, name: str) -> None:
    then: Behaviour = echo if name == GPT else always(Answer(body=THOUGHT))
    server.behaviour = first(Answer(429, error("slow down"), {"retry-after": "0"}), then=then)
    assert ask_at(server, name, patience=60.0).text
    assert len(server.requests) == 2


@pytest.mark.parametrize("name", [GPT, CLAUDE])
def test_a_late_answer_and_a_server_that_is_not_there(server: ChatServer, name: str) -> None:
    gate = Event()
    server.behaviour = always(Answer(body={}, gate=gate))
    with pytest.raises(
        ConfigurationError, match=r"no answer from .* in time .*raise --autoeval-timeout"
    ):
        ask_at(server, name, timeout=0.2)
    gate.set()
    with pytest.raises(ConfigurationError, match="cannot be reached"):
        ask(name, parameters={"api_base": "http://127.0.0.1:9/v1", "api_key": "sk-of-this-test"})


@pytest.mark.parametrize(
    ("name", "variable"), [(GPT, "OPENAI_API_KEY"), (CLAUDE, "ANTHROPIC_API_KEY")]
)
def test_a_key_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, variable: str
) -> None:
    for one in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(one, raising=False)
    with pytest.raises(ConfigurationError, match=f"needs a key .*; set {variable}$"):
        ask(name)


def test_what_a_provider_does_not_take_is_said_before_anything_is_sent() -> None:
    with pytest.raises(CallError, match=r"does not support parameters: \['seed'\]"):
        ask(CLAUDE, seed=3, parameters={"api_key": "sk-of-this-test"})
    with pytest.raises(StructuredOutputsUnsupportedError, match="does not accept this schema"):
        ask(
            "litellm/anthropic/claude-2",
            AnswerSchema("choice", "{}"),
            parameters={"api_key": "sk-of-this-test"},
        )
