"""The offline models over HTTP: with OpenAI's client, and with what no client should send."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from pytest_autoeval.datasets import Item
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.models import ModelPool, ModelSettings
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.offline_models import offline_models
from pytest_autoeval.models.offline.server import OfflineServer
from pytest_autoeval.models.protocols import ConfigurationError, Message


def ask(client: openai.OpenAI, model: str, text: str, **more: Any) -> Any:
    return client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": text}], **more
    )


def post(
    url: str, content: bytes, path: str = "/v1/chat/completions", **headers: str
) -> tuple[int, Any]:
    """The status and the JSON that an arbitrary request gets."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    try:
        connection.request("POST", path, content, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_openai_client_gets_a_completion(client: openai.OpenAI) -> None:
    completion = ask(
        client, "offline/faithful", "Formula: p1 ∧ ¬p2", seed=3, temperature=0.1, max_tokens=100
    )
    assert completion.choices[0].message.content == "p1 holds and p2 does not hold."
    assert completion.choices[0].message.role == "assistant"
    assert completion.choices[0].finish_reason == "stop"
    assert completion.model == "offline/faithful"
    assert completion.usage.prompt_tokens == 4
    assert completion.usage.completion_tokens == 7


def test_content_may_come_in_parts(client: openai.OpenAI) -> None:
    parts = [{"type": "text", "text": "Formula: p1 "}, {"type": "text", "text": "∨ p2"}]
    messages: Any = [
        {"role": "developer", "content": "Answer alone."},
        {"role": "user", "content": parts},
    ]
    completion = client.chat.completions.create(model="offline/faithful", messages=messages)
    assert completion.choices[0].message.content == "p1 holds or p2 holds."


def test_models_are_listed_and_an_unknown_one_is_not_found(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == [name for name, _ in offline_models()]
    with pytest.raises(
        openai.NotFoundError, match="Did you mean 'offline/quantifier-swap'"
    ) as caught:
        ask(client, "offline/quantifer-swap", "Formula: p1")
    assert (caught.value.code, caught.value.param) == ("model_not_found", "model")


MODEL = {"model": "offline/faithful"}
MESSAGE = {"role": "user", "content": "Formula: p1"}


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object"),
        (b"{}", "model must be"),
        (MODEL, "messages must be"),
        (MODEL | {"messages": ["p1"]}, "messages[0].role"),
        (MODEL | {"messages": [MESSAGE, {"role": "wizard", "content": "p1"}]}, "messages[1].role"),
        (MODEL | {"messages": [{"role": "user"}]}, "messages[0].content"),
        (MODEL | {"messages": [MESSAGE], "seed": "7"}, "seed must be"),
        (MODEL | {"messages": [MESSAGE], "stream": True}, "stream must be false"),
        (
            MODEL | {"messages": [MESSAGE], "response_format": {"type": "json_object"}},
            "must be text or json_schema",
        ),
    ],
)
def test_a_bad_request_is_answered_in_the_shape_of_openai(
    url: str, body: Any, complaint: str
) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, answer = post(url, content)
    assert status == 400
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    assert complaint in answer["error"]["message"]
    assert answer["error"]["type"] == "invalid_request_error"


def test_other_places_are_not_found(url: str) -> None:
    status, answer = post(url, b"{}", "/v1/responses")
    assert status == 404
    assert "POST /v1/chat/completions" in answer["error"]["message"]


def test_a_body_of_unknown_or_excessive_length_is_refused(url: str) -> None:
    for length in ("", "many", "99999999999"):
        status, answer = post(url, b"", **{"Content-Length": length})
        assert status == 400
        assert "Content-Length" in answer["error"]["message"]


def test_a_mistake_in_a_language_of_ones_own_is_said_and_not_retried(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_self: object, _formula: object) -> str:
        raise KeyError("no word for this")

    monkeypatch.setattr(type(language("propositional")), "describe", broken)
    asked = {
        "model": "offline/faithful",
        "messages": [{"role": "user", "content": "Formula:\np1 ∧ p2"}],
    }
    status, answer = post(url, json.dumps(asked).encode())
    assert status == 400
    assert "KeyError: 'no word for this'" in answer["error"]["message"]


def test_a_stopped_server_answers_no_more(url: str) -> None:
    server = OfflineServer()
    address = urlsplit(server.start()).netloc
    server.stop()
    server.stop()
    with pytest.raises(OSError, match="refused"):
        http.client.HTTPConnection(address).connect()


def test_a_port_in_use_is_told(url: str) -> None:
    port = urlsplit(url).port
    assert port is not None
    with pytest.raises(
        ConfigurationError, match=rf"127\.0\.0\.1:{port} .*in use.*choose another port"
    ):
        OfflineServer(port=port).start()
    with pytest.raises(ConfigurationError, match="choose another port"):
        OfflineServer(port=99_999).start()


def test_the_models_of_a_pool_know_what_its_answer_key_was_taught() -> None:
    formula = language("ltl").parse("G x1")
    facts = {"sentence": "The bridge holds.", "propositions": [["the bridge holds", "x1"]]}
    key = AnswerKey()
    key.add_meanings(
        [Item("own", "ltl", Vocabulary(propositions=("x1",)), "custom", 1, 0, 0, formula, facts)]
    )
    question = [Message("user", "Sentence:\nThe bridge holds.")]
    with ModelPool(ModelSettings(), key) as taught, ModelPool(ModelSettings()) as other:
        assert taught.chat("offline/faithful").complete(question).text == '"the bridge holds": x1'
        assert "I cannot tell" in other.chat("offline/faithful").complete(question).text
