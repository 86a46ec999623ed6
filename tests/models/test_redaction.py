"""A planted key, organisation and cookie appear nowhere: every byte that is written or shown is searched."""

from __future__ import annotations

import json
import logging
import traceback
from base64 import b64encode
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chat_server import SOON, Answer, ChatServer, Received, completion, error

from pytest_autoeval.models import Message, ModelError, ModelPool, ModelSettings, RecordMode
from pytest_autoeval.models.redaction import REDACTED, Redactor, masked, shown_url

KEY = "sk-planted-0123456789"
ORGANISATION = "org-planted-abcdef"
PROJECT = "proj-planted-uvwxyz"
COOKIE = "cookie-planted-987654"
PASSWORD = "password-planted"
HEADER = "custom-planted-header"
SECRETS = (KEY, ORGANISATION, PROJECT, COOKIE, PASSWORD, HEADER)
GOSSIP = " ".join(SECRETS)
COOKIES = {"set-cookie": f"session={COOKIE}; Path=/; HttpOnly", "openai-organization": ORGANISATION}


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", ORGANISATION)
    monkeypatch.setenv("OPENAI_PROJECT_ID", PROJECT)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Tenant: {HEADER}")


def run(server: ChatServer, directory: Path, mode: RecordMode) -> str:
    """All that a run shows: replies, errors with their tracebacks, warnings."""
    url = server.url.replace("//", f"//user-planted:{PASSWORD}@")
    settings = ModelSettings(
        base_url=url, cassettes=directory / "cassettes", record_mode=mode, patience=0.0
    )
    shown = [repr(settings)]
    with ModelPool(settings) as pool:
        for prompt in ("Hello", f"My key is {KEY}, my friend"):
            try:
                shown.append(repr(pool.chat("some-model").complete([Message("user", prompt)])))
            except ModelError as problem:
                shown += [repr(problem), "".join(traceback.format_exception(problem))]
    return "\n".join(shown)


def assert_clean(shown: str, directory: Path) -> None:
    written = b"".join(
        str(file).encode() + file.read_bytes() for file in directory.rglob("*") if file.is_file()
    )
    for secret in SECRETS:
        assert secret not in shown
        assert secret.encode() not in written


def test_nothing_secret_is_written_or_shown_of_answers(
    server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.behaviour = lambda request: Answer(
        body=completion(f"{request.prompt} {GOSSIP}") | {"gossip": {GOSSIP: [GOSSIP]}},
        headers=COOKIES,
    )
    shown = run(server, tmp_path, "new_episodes")
    assert server.requests[0].headers["openai-organization"] == ORGANISATION
    assert f"messages=[{{'role': 'user', 'content': 'My key is {REDACTED}, my friend'}}]" in shown
    assert len(list(tmp_path.rglob("*.yaml"))) == 2
    assert_clean(shown + run(server, tmp_path, "none"), tmp_path)
    assert_clean(caplog.text, tmp_path)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401, error(f"Incorrect API key provided: {GOSSIP}"), COOKIES),
        Answer(404, error(f"no such model in {GOSSIP}"), COOKIES),
        Answer(400, error(GOSSIP, param=GOSSIP), COOKIES),
        Answer(429, error(GOSSIP), COOKIES | {"retry-after": GOSSIP} | SOON),
        Answer(500, GOSSIP.encode(), COOKIES | SOON),
        Answer(200, f"<html>{GOSSIP}".encode(), COOKIES),
        Answer(200, {"error": {"message": GOSSIP}}, COOKIES),
        Answer(200, {"choices": [GOSSIP]}, COOKIES),
        Answer(200, [GOSSIP], COOKIES),
        Answer(200, b"", COOKIES | {"x-gossip": f"\x01{GOSSIP}"}),
        Answer(302, b"", COOKIES | {"location": f"http://{PASSWORD}.invalid/{KEY}"}),
        Answer(drop=True),
    ],
)
def test_nothing_secret_is_written_or_shown_of_failures(
    server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: Answer
) -> None:
    caplog.set_level(logging.DEBUG)

    def behave(_request: Received) -> Answer:
        return answer

    server.behaviour = behave
    shown = run(server, tmp_path, "all")
    assert "Error(" in shown
    assert_clean(shown, tmp_path)
    assert_clean(caplog.text, tmp_path)


def test_a_miss_shows_nothing_secret(server: ChatServer, tmp_path: Path) -> None:
    run(server, tmp_path, "new_episodes")
    with (
        ModelPool(ModelSettings(cassettes=tmp_path / "cassettes", record_mode="none")) as pool,
        pytest.raises(ModelError) as caught,
    ):
        pool.chat("some-model").complete([Message("user", f"Hello {KEY}")])
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["EMPTY", "none", "ollama", "test"])
def test_a_key_that_is_no_secret_garbles_no_text(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert Redactor.of_run(None, {}).text(f"an {key} text") == f"an {key} text"


def test_the_longer_of_two_secrets_that_begin_alike_is_hidden_whole() -> None:
    redactor = Redactor(["secret-one", "secret-one-and-more"])
    assert redactor.text("a secret-one-and-more b secret-one c") == f"a {REDACTED} b {REDACTED} c"


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("päss/word+1", "a p%C3%A4ss/word%2B1 b p%C3%A4ss%2Fword%2B1 c"),
        ("two words 1", "a two+words+1 b two%20words%201 c"),
        ('quo"ted\\key', r"a quo\"ted\\key b quo\"ted\\key c"),
        ("first-line\nsecond-line", r"a first-line\nsecond-line b second-line c"),
        ("user:pw", "a user:pw b dXNlcjpwdw== c"),
        ("\udcffescaped-bytes", "a \udcffescaped-bytes b \udcffescaped-bytes c"),
        ("a?b>c~d?e>f~", "a YT9iPmN-ZD9lPmZ- b YT9iPmN+ZD9lPmZ+ c"),
    ],
)
def test_a_secret_is_hidden_in_each_form(secret: str, text: str) -> None:
    assert Redactor([secret]).text(text) == f"a {REDACTED} b {REDACTED} c"


@given(st.binary(max_size=5), st.text(min_size=8).filter(str.strip), st.binary(max_size=5))
def test_base64_of_a_secret_amid_other_bytes_does_not_show_it(
    before: bytes, secret: str, after: bytes
) -> None:
    content = secret.strip().encode("utf-8", "replace")
    shown = Redactor([content.decode()]).text(b64encode(before + content + after).decode())
    assert (
        len(content) < 8 or len(shown.replace(REDACTED, "")) <= len(b64encode(before + after)) + 8
    )


_SIGNS = st.sampled_from(
    ["a", "1", "sk-", '"', "\\", "\n", "é", "\u2028", "\x01", "\ud800", "/", "%", " "]
)
_TEXTS = st.lists(_SIGNS, max_size=8).map("".join)


@given(
    secrets=st.lists(_TEXTS, max_size=3),
    value=st.recursive(
        _TEXTS,
        lambda parts: (
            st.lists(parts, max_size=3) | st.dictionaries(st.just("content") | _TEXTS, parts)
        ),
    ),
    weak=st.booleans(),
)
def test_a_value_that_needs_no_walk_is_what_a_walk_makes_of_it(
    secrets: list[str], value: Any, *, weak: bool
) -> None:
    redactor = Redactor(["planted-secret", *secrets])
    assert redactor.json([value, "planted-secret"], weak=weak)[0] == redactor.json(value, weak=weak)


def test_a_short_secret_is_left_in_answers_alone() -> None:
    redactor = Redactor(["ollama", "abc", "x", "k3y7"])
    answer = {"content": "ollama, abc, x", "refusal": None, "role": "abc"}
    response = {
        "choices": [{"message": {**answer, "thoughts": "abc"}, "finish_reason": "x"}],
        "x": {"abc": ["x abc"]},
    }
    assert redactor.json(response, weak=True) == {
        "choices": [{"message": {**answer, "thoughts": REDACTED}, "finish_reason": "x"}],
        REDACTED: {REDACTED: [f"{REDACTED} {REDACTED}"]},
    }
    assert (
        redactor.message("the key abc, not abcd, of ollama")
        == f"the key {REDACTED}, not abcd, of {REDACTED}"
    )
    assert redactor.text("ollama has abc and k3y7") == f"ollama has abc and {REDACTED}"


def test_parameters_that_are_secret_are_sent_and_not_shown(
    server: ChatServer, tmp_path: Path
) -> None:
    parameters = {
        "top_p": 0.9,
        "api_key": "abc",
        "extra_headers": {"X-Any": "header-planted", "list": ["item-planted"]},
        "more": [{"auth_token": "token-planted", "effort": "low", "max_tokens": 5}],
    }
    server.behaviour = lambda request: Answer(body=completion(json.dumps(request.body)))
    settings = ModelSettings(
        base_url=server.url, parameters=parameters, cassettes=tmp_path, record_mode="all"
    )
    with ModelPool(settings) as pool:
        text = pool.chat("some-model").complete([Message("user", "Hello")]).text
    assert {name: server.requests[0].body[name] for name in parameters} == parameters
    assert masked(parameters) == {
        "top_p": 0.9,
        "api_key": REDACTED,
        "extra_headers": {"X-Any": REDACTED, "list": [REDACTED]},
        "more": [{"auth_token": REDACTED, "effort": "low", "max_tokens": 5}],
    }
    assert "planted" not in text + "".join(
        file.read_text("utf-8") for file in tmp_path.rglob("*.yaml")
    )


def test_a_cookie_for_each_answer_costs_no_more_and_more() -> None:
    redactor = Redactor(["some-secret"])
    began = process_time()
    for number in range(1000):
        redactor.learn_cookies([f"session=cookie-of-{number}; Path=/"])
    assert process_time() - began < 5
    assert (
        redactor.text("cookie-of-999 cookie-of-1 some-secret")
        == f"{REDACTED} cookie-of-1 {REDACTED}"
    )


def test_urls_are_shown_without_what_may_be_secret() -> None:
    assert shown_url("http://user:p@ss@host:1/v1?key=x&y=z") == "http://host:1/v1?…"
    text = (
        'HTTP Request: POST http://u:p@host/v1?k=v "HTTP/1.1 200 OK", and https://other/?q me@here'
    )
    assert (
        shown_url(text)
        == 'HTTP Request: POST http://host/v1?… "HTTP/1.1 200 OK", and https://other/?… me@here'
    )


def test_environment_and_urls_hold_secrets() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-first\nsecond-line",
        "OPENAI_CUSTOM_HEADERS": "X-One: header-one\nX-Two:header-two",
        "OPENAI_BASE_URL": "http://host/v1?code=query-code",
        "https_proxy": "http://proxy-user:proxy-word@proxy:1",
    }
    redactor = Redactor.of_run("https://user-name:pass%2Fword@host/v1", {}, environment)
    secrets = "sk-first second-line header-one header-two query-code proxy-user proxy-word user-name pass/word"
    assert set(redactor.text(secrets).split()) == {REDACTED}
    assert redactor.text("https host v1 proxy X-One code") == "https host v1 proxy X-One code"
