"""`litellm/PROVIDER/MODEL`: asked by a library in this process, and recorded, limited and redacted as a server is."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from support.fake_litellm import DRIPS, ERRORS, MODEL, FakeLiteLLM

from pytest_autoeval.models import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Message,
    ModelError,
    ModelPool,
    ModelSettings,
    Price,
    Reply,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.models.protocols import wire_messages

HELLO = [Message("system", "Be brief."), Message("user", "Hello")]
NAME = f"litellm/anthropic/{MODEL}"
SCHEMA = AnswerSchema("choice", '{"type": "object"}')


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLiteLLM:
    fake = FakeLiteLLM()
    monkeypatch.setitem(sys.modules, "litellm", fake)
    return fake


def ask(name: str = NAME, **settings: Any) -> Reply:
    with ModelPool(ModelSettings(**settings)) as pool:
        return pool.chat(name).complete(HELLO)


def error(name: str, message: str = "told so", cause: Exception | None = None) -> Exception:
    made: Exception = ERRORS[name](message)
    made.__cause__ = cause
    return made


def test_a_conversation_is_asked_without_retries_of_the_library(library: FakeLiteLLM) -> None:
    library.answers += ["Hi"]
    given = {"top_p": 0.9, "reasoning_effort": "low"}
    reply = ask(temperature=0.5, seed=7, max_tokens=64, timeout=9.0, parameters=given)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Hi", 100, 10)
    assert reply.messages == wire_messages(HELLO)
    [asked] = library.asked
    asked.pop("messages")
    assert (library.closed, *library.in_memory_llm_clients_cache.cache_dict) == (
        1,
        "another loop's",
    )
    limits = {"timeout": 9.0, "num_retries": 0, "max_retries": 0}
    assert asked == {
        "model": f"anthropic/{MODEL}",
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 64,
        **given,
        **limits,
    }


def test_its_table_gives_the_price_where_the_user_gave_none(library: FakeLiteLLM) -> None:
    library.answers += ["Hi"] * 3
    assert ask(max_cost=1.0).cost == pytest.approx((100 * 3 + 10 * 15) / 1_000_000)
    assert ask(prices={NAME: Price(1.0, 20.0)}).cost == pytest.approx(0.0003)
    assert ask("litellm/anthropic/other").cost is None
    with pytest.raises(
        ConfigurationError, match="max-cost needs the price of litellm/anthropic/other"
    ):
        ask("litellm/anthropic/other", max_cost=1.0)


def test_answers_are_replayed_without_the_library(
    library: FakeLiteLLM, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library.answers += ["Hi"]
    kept: dict[str, Any] = {
        "cassettes": tmp_path,
        "parameters": {"api_key": "sk-given-as-a-parameter"},
    }
    ask(record_mode="new_episodes", **kept)
    assert library.asked[0]["api_key"] == "sk-given-as-a-parameter"
    assert "sk-given" not in "".join(file.read_text() for file in tmp_path.rglob("*.yaml"))
    monkeypatch.setitem(sys.modules, "litellm", None)
    reply = ask(record_mode="none", **kept)
    assert (reply.text, reply.replayed, reply.cost) == ("Hi", True, 0.0)
    with pytest.raises(
        ConfigurationError, match=r"need LiteLLM .*: pip install 'pytest-autoeval\[litellm\]'$"
    ):
        ask("litellm/anthropic/other")


def test_a_limited_rate_has_fewer_calls_in_flight_and_is_asked_again(library: FakeLiteLLM) -> None:
    library.answers += [error("RateLimitError"), "Hi"]
    with ModelPool(ModelSettings(concurrency=(2, 8))) as pool:
        assert pool.chat(NAME).complete(HELLO).text == "Hi"
        assert (pool.traffic().window, pool.traffic().why_fewer) == (4, "rate limited")


WANTS = "anthropic (through LiteLLM) needs a key (401: litellm.AuthenticationError: told so); set ANTHROPIC_API_KEY"
KINDS: dict[str, tuple[Exception, type[ModelError], str]] = {
    "no key": (error("AuthenticationError"), ConfigurationError, WANTS),
    "no such model": (error("NotFoundError"), CallError, "refused this request (404: "),
    "bad request": (error("BadRequestError"), CallError, "refused this request (400: "),
    "too long": (error("ContextWindowExceededError"), CallError, "refused this request (400: "),
    "filtered": (error("ContentPolicyViolationError"), CallError, "refused this request (400: "),
    "late": (
        error("Timeout"),
        ConfigurationError,
        "no answer from anthropic (through LiteLLM) in time",
    ),
    "limited": (error("RateLimitError"), ConfigurationError, "limits the rate (429: "),
    "overloaded": (error("ServiceUnavailableError"), ConfigurationError, "limits the rate (503: "),
    "broken": (error("InternalServerError"), ConfigurationError, "failed (500: "),
    "cut": (error("APIConnectionError"), ConfigurationError, "failed (500: "),
    "unknown to the library": (
        error("APIConnectionError", cause=error("AuthenticationError")),
        ConfigurationError,
        "anthropic (through LiteLLM) needs a key (401: ",
    ),
    "not there": (
        error("APIConnectionError", cause=type("ConnectError", (Exception,), {})()),
        ConfigurationError,
        "cannot be reached (ConnectError: litellm.APIConnectionError: told so); check api_base in",
    ),
    "a package is missing": (
        error(
            "APIConnectionError",
            "No module named 'boto3'\nTraceback (most recent call last)",
            ImportError("boto3"),
        ),
        ConfigurationError,
        f"{NAME}: litellm.APIConnectionError: No module named 'boto3'",
    ),
    "unforeseen": (
        error("APIConnectionError", cause=KeyError("x")),
        ConfigurationError,
        "told so (fake_litellm.py:",
    ),
    "no error of the library": (
        ValueError("no such region"),
        ConfigurationError,
        "ValueError: no such region (fake_",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_error_ends_like_that_of_a_server(library: FakeLiteLLM, kind: str) -> None:
    raised, ended, message = KINDS[kind]
    library.answers += [raised]
    with pytest.raises(ended) as caught:
        ask(patience=0.0)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(library.asked) == 1
    assert caught.value.__cause__ is None


def test_the_deadline_is_that_of_the_whole_call(library: FakeLiteLLM) -> None:
    library.answers += [DRIPS]
    with pytest.raises(
        ConfigurationError, match=r"no answer from anthropic \(through LiteLLM\) in time"
    ):
        ask(patience=0.0, timeout=0.05)


def test_a_schema_that_a_provider_does_not_take_is_not_sent_again(library: FakeLiteLLM) -> None:
    library.answers += [
        error(
            "UnsupportedParamsError", "anthropic does not support parameters: ['response_format']"
        )
    ]
    with ModelPool(ModelSettings()) as pool:
        for _ in range(2):
            with pytest.raises(StructuredOutputsUnsupportedError):
                pool.chat(NAME).complete(HELLO, schema=SCHEMA)
    [asked] = library.asked
    assert asked["response_format"]["json_schema"]["name"] == "choice"


def test_no_key_of_any_provider_is_shown_or_logged(
    library: FakeLiteLLM, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = "secret-of-a-provider"
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", key)
    refusal = error("BadRequestError", f"https://x.test/v1?key=k2&b=1 {key}")
    # Amid answers, a refusal is tried a second time.
    library.answers += [
        f"My key is {key}",
        refusal,
        refusal,
    ]
    with ModelPool(ModelSettings()) as pool:
        assert pool.chat(NAME).complete(HELLO).text == "My key is [REDACTED]"
        with pytest.raises(CallError, match=r"https://x.test/v1\?… \[REDACTED\]\), 2 attempts$"):
            pool.chat(NAME).complete(HELLO, repeat=1)
        logging.getLogger("LiteLLM").error("with %s", key, exc_info=ValueError(key))
    assert caplog.text.count("[REDACTED]") == 2
    assert key not in caplog.text
