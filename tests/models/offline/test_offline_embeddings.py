"""The offline embedding model, by itself and behind its server."""

from __future__ import annotations

import http.client
import json
import math
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.models import ModelPool, ModelSettings
from pytest_autoeval.models.offline.server import DIMENSIONS, bag_of_words

NAME = "offline/bag-of-words"


def likeness(first: str, second: str) -> float:
    return sum(a * b for a, b in zip(bag_of_words(first), bag_of_words(second), strict=True))


@given(st.text())
def test_every_text_has_a_vector_of_length_one(text: str) -> None:
    vector = bag_of_words(text)
    assert len(vector) == DIMENSIONS
    assert math.hypot(*vector) == pytest.approx(1.0)


def test_texts_are_alike_as_far_as_they_share_words() -> None:
    sentence = "Every cube is large."
    assert likeness(sentence, "every  CUBE is large .") == pytest.approx(1.0)
    assert likeness(sentence, "Every cube is small.") > likeness(
        sentence, "No tetrahedron adjoins anything"
    )
    assert likeness("∀x. Cube(x)", "∃x. Cube(x)") < 1.0


def test_vectors_are_the_same_on_every_machine() -> None:
    assert [bucket for bucket, number in enumerate(bag_of_words("every cube")) if number] == [
        32,
        49,
        52,
        60,
        61,
    ]


def test_openai_s_client_gets_its_vectors_in_both_encodings(client: openai.OpenAI) -> None:
    texts = ["Every cube is large.", "p"]
    for encoding in ("float", "base64"):
        embedded = client.embeddings.create(model=NAME, input=texts, encoding_format=encoding)
        assert [item.index for item in embedded.data] == [0, 1]
        assert embedded.usage.prompt_tokens == 6
    usual = client.embeddings.create(model=NAME, input="p").data[0].embedding
    assert usual == pytest.approx(bag_of_words("p"))


def test_it_answers_no_conversation_and_the_others_embed_nothing(client: openai.OpenAI) -> None:
    with pytest.raises(
        openai.BadRequestError, match=f"{NAME} is an embedding model: use /embeddings"
    ):
        client.chat.completions.create(
            model=NAME, messages=[{"role": "user", "content": "Formula: p"}]
        )
    with pytest.raises(openai.BadRequestError, match="offline/faithful is a chat model"):
        client.embeddings.create(model="offline/faithful", input="p")
    with pytest.raises(openai.NotFoundError, match="there is no offline model"):
        client.embeddings.create(model="offline/bag-of-letters", input="p")


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"input": "p"}, "model must be"),
        ({"model": NAME}, "input must be"),
        ({"model": NAME, "input": [[1, 2]]}, "input must be"),
        ({"model": f"{NAME}?strength=1", "input": "p"}, "no option 'strength'"),
    ],
)
def test_a_request_that_is_wrong_is_told_so(url: str, body: dict[str, Any], complaint: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    connection.request("POST", "/v1/embeddings", json.dumps(body))
    response = connection.getresponse()
    told = json.loads(response.read())["error"]
    connection.close()
    assert response.status == 400
    assert complaint in told["message"]


def test_it_is_asked_over_http_like_any_other_and_replayed(tmp_path: Path) -> None:
    texts = ["Every cube is large.", "∀x. (Cube(x) → Large(x))"]
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="once", max_cost=0.01)) as pool:
        live = pool.embedder(f"{NAME}?instruction").embed(texts, "formulas")
        plain = pool.embedder(NAME).embed(texts, "formulas")
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as pool:
        replayed = pool.embedder(NAME).embed(texts, "formulas")
    assert live.vectors != plain.vectors == replayed.vectors
    assert plain.vectors == tuple(pytest.approx(bag_of_words(text)) for text in texts)
    assert (live.reply.cost, replayed.reply.replayed) == (0.0, True)
