"""A planted key, organisation and cookie appear nowhere: every byte that is written or shown is searched."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest
from support.chat_server import SOON, Answer, ChatServer, Received, completion, error

from pytest_autoeval.models import Message, ModelError, ModelPool, ModelSettings, RecordMode
from pytest_autoeval.models.redaction import REDACTED, Redactor

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
    settings = ModelSettings(base_url=url, cassettes=directory / "cassettes", record_mode=mode, patience=0.0)
    shown = [repr(settings)]
    with ModelPool(settings) as pool:
        for prompt in ("Hello", f"My key is {KEY}, my friend"):
            try:
                shown.append(repr(pool.chat("some-model").complete([Message("user", prompt)])))
            except ModelError as problem:
                shown += [repr(problem), "".join(traceback.format_exception(problem))]
    return "\n".join(shown)


def assert_clean(shown: str, directory: Path) -> None:
    written = b"".join(str(file).encode() + file.read_bytes() for file in directory.rglob("*") if file.is_file())
    for secret in SECRETS:
        assert secret not in shown
        assert secret.encode() not in written


def test_nothing_secret_is_written_or_shown_of_answers(
    server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.behaviour = lambda request: Answer(
        body=completion(f"{request.prompt} {GOSSIP}") | {"gossip": {GOSSIP: [GOSSIP]}}, headers=COOKIES
    )
    shown = run(server, tmp_path, "new_episodes")
    assert server.requests[0].headers["openai-organization"] == ORGANISATION
    assert f"messages=[{{'role': 'user', 'content': 'My key is {REDACTED}, my friend'}}]" in shown
    assert len(list(tmp_path.rglob("*.yaml"))) == 2
    assert_clean(shown + run(server, tmp_path, "none"), tmp_path)
    assert_clean(caplog.text, tmp_path)
    assert "set-cookie" in caplog.text.lower()  # the log that would have told it was really written


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
