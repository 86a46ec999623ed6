"""Embedding models behind a server: what is sent, what becomes of the vectors, and what is recorded of them."""

from __future__ import annotations

import math
import struct
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Answer, Behaviour, ChatServer, Received, always, completion

from pytest_autoeval.models import (
    CallError,
    ConfigurationError,
    Embedded,
    ModelPool,
    ModelSettings,
    Price,
)
from pytest_autoeval.models.model_names import ModelOptionError, is_embedder

TEXTS = ["Every cube is large.", "∀x. (Cube(x) → Large(x))", ""]
NAME = "embeddings/org/some-embedder"


def data(*vectors: Any, **more: Any) -> Answer:
    """A response with these vectors, numbered in their order."""
    items = [
        {"object": "embedding", "index": at, "embedding": vector}
        for at, vector in enumerate(vectors)
    ]
    return Answer(
        body={"object": "list", "model": "m", "data": items, "usage": {"prompt_tokens": 12}, **more}
    )


def vector_of(text: str) -> list[float]:
    return [len(text) + 0.5, text.count(" ") - 0.25, 1 / 3]


def embeds(request: Received) -> Answer:
    return data(*map(vector_of, request.body["input"]))


def near(vector: tuple[float, ...]) -> Any:
    return pytest.approx(vector, rel=1e-6)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(embeds) as server:
        yield server


def embed(
    server: ChatServer, texts: list[str] = TEXTS, *, name: str = NAME, **settings: Any
) -> Embedded:
    with ModelPool(ModelSettings(base_url=server.url, **settings)) as pool:
        return pool.embedder(name).embed(texts, "english")


def test_texts_are_sent_in_one_request_and_their_vectors_come_back(server: ChatServer) -> None:
    embedded = embed(server, prices={NAME: Price(5.0, 20.0)})
    [request] = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "org/some-embedder",
        "input": TEXTS,
        "encoding_format": "float",
    }
    assert [near(vector) for vector in embedded.vectors] == list(map(vector_of, TEXTS))
    reply = embedded.reply
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens, reply.replayed) == (
        "",
        12,
        0,
        False,
    )
    assert (reply.model, reply.system_fingerprint) == ("m", "")
    assert reply.cost == pytest.approx(0.00006)
    assert reply.seconds > 0
    assert len(reply.prompt_digest) == 64
    assert reply.messages == [{"role": "input", "content": text} for text in TEXTS]


@pytest.mark.parametrize(
    ("option", "form", "sent"),
    [
        ("", "english", "p"),
        ("?instruction=Query:%20", "english", "Query: p"),
        ("?instruction=Say:%20&formula_instruction=Sign:%20", "english", "Say: p"),
        ("?instruction=Say:%20&formula_instruction=Sign:%20", "formulas", "Sign: p"),
        ("?formula_instruction=Sign:%20&instruction=Say:%20", "formulas", "Sign: p"),
        ("?formula_instruction=Sign:%20", "english", "p"),
        ("?formula_instruction=Sign:%20", "formulas", "Sign: p"),
        ("?instruction=Instruct:+logic%0AQuery:", "formulas", "Instruct: logic\nQuery:p"),
    ],
)
def test_an_instruction_stands_before_every_text(
    server: ChatServer, option: str, form: Any, sent: str
) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        pool.embedder(f"embeddings/m{option}").embed(["p", "p"], form)
    assert server.requests[0].body["input"] == [sent, sent]
    assert server.requests[0].body["model"] == "m"


@pytest.mark.parametrize("option", ["?instruction", "?instruction="])
def test_the_usual_instruction_speaks_of_the_text_s_form(server: ChatServer, option: str) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        embedder = pool.embedder(f"embeddings/m{option}")
        digests = {
            embedder.embed(["p"], form).reply.prompt_digest for form in ("english", "formulas")
        }
    [[sentence], [formula]] = [request.body["input"] for request in server.requests]
    assert "sentence" in sentence
    assert "formula" in formula
    assert sentence.endswith(": p")
    assert formula.endswith(": p")
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("embeddings/text-embedding-3-large", True),
        ("offline/bag-of-words?instruction", True),
        ("local/minilm?instruction", True),
        ("offline/faithful", False),
        ("gpt-5-mini", False),
    ],
)
def test_a_name_tells_whether_a_model_only_embeds(name: str, *, is_one: bool) -> None:
    assert is_embedder(name) is is_one


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "embeddings/m?instructions=a",
            r"has no option 'instructions'\. Did you mean 'instruction'\?",
        ),
        ("offline/bag-of-words?strength=1", "offline/bag-of-words has no option 'strength'"),
        ("local/minilm?instruction=a&device=cuda", "local/minilm has no option 'device'"),
        (
            "embeddings/m?instruction=a&instruction=b",
            "takes each option once; for formulas there is formula_instruction",
        ),
        ("embeddings/m?formula_instructon=a", r"Did you mean 'formula_instruction'\?"),
    ],
)
def test_an_option_that_there_is_not_is_told_when_the_model_is_opened(
    name: str, problem: str
) -> None:
    with ModelPool(ModelSettings()) as pool, pytest.raises(ModelOptionError, match=problem):
        pool.open(name)


def test_a_chat_model_is_no_embedder_and_an_embedder_answers_no_conversation(
    server: ChatServer,
) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        with pytest.raises(ConfigurationError, match="'some-model' is not an embedding model"):
            pool.embedder("some-model")
        with pytest.raises(ConfigurationError, match="is an embedding model"):
            pool.chat(NAME)
        assert pool.open(NAME) is pool.embedder(NAME)
        assert pool.open("some-model") is pool.chat("some-model")


def packed(*numbers: float) -> str:
    return b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


@pytest.mark.parametrize(
    "response",
    [
        data([0.5, 1], [2, 0.25]),
        data(packed(0.5, 1), packed(2, 0.25)),
        Answer(
            body={
                "data": [{"index": 1, "embedding": [2, 0.25]}, {"index": 0, "embedding": [0.5, 1]}]
            }
        ),
        Answer(body={"data": [{"embedding": [0.5, 1]}, {"embedding": [2, 0.25]}]}),
    ],
    ids=["numbers", "base64", "in any order", "without numbers of their own"],
)
def test_vectors_are_read_in_every_shape_that_servers_give_them(
    server: ChatServer, response: Answer
) -> None:
    server.behaviour = always(response)
    assert embed(server, ["a", "b"]).vectors == ((0.5, 1.0), (2.0, 0.25))


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [({"prompt_tokens": 7, "total_tokens": 9}, 7), ({"total_tokens": 9}, 9), (None, None)],
)
def test_tokens_are_counted_as_far_as_the_server_tells(
    server: ChatServer, usage: Any, tokens: int | None
) -> None:
    server.behaviour = always(data([1.0], usage=usage))
    reply = embed(server, ["a"], prices={NAME: Price(1.0, 1.0)}).reply
    assert reply.prompt_tokens == tokens
    assert (reply.cost is None) is (tokens is None)


def at(*indices: Any) -> Answer:
    return Answer(body={"data": [{"index": index, "embedding": [1.0]} for index in indices]})


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (always(data([1.0])), "has 1 vectors for 2 texts"),
        (always(data([1.0], [1.0, 2.0])), r"several lengths: \[1, 2\]"),
        (always(data([1.0], [math.nan])), r"data\[1\] with a number that is not finite"),
        (always(data([1.0], [1e300])), r"no vector of numbers at data\[1\]"),
        (always(data([1.0], [True])), r"no vector of numbers at data\[1\]"),
        (always(data([1.0], "not base64!")), r"no vector of numbers at data\[1\]"),
        (always(Answer(body={"data": [[1.0], [1.0]]})), r"no vector of numbers at data\[0\]"),
        (always(at(0, 0)), r"numbers its vectors \[0, 0\], not 0 to 1"),
        (always(Answer(body=completion("Hello"))), "has no data"),
    ],
)
def test_a_call_that_failed_for_good_says_why(
    server: ChatServer, behaviour: Behaviour, problem: str
) -> None:
    server.behaviour = behaviour
    with pytest.raises(CallError, match=problem) as caught:
        embed(server, ["a", "b"])
    assert str(caught.value).startswith(f"{NAME}: ")
    assert str(caught.value).isprintable()


def test_a_recording_answers_without_a_server(server: ChatServer, tmp_path: Path) -> None:
    live = embed(server, cassettes=tmp_path, record_mode="once")
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as pool:
        embedder = pool.embedder(NAME)
        assert embedder.recorded_texts(TEXTS, "english")
        assert not embedder.recorded_texts(TEXTS, "english", repeat=1)
        assert not embedder.recorded_texts(TEXTS[:2], "english")
        replayed = embedder.embed(TEXTS, "english")
        assert pool.used_recordings() == [
            f"embeddings--org--some-embedder/{file.name}" for file in files(tmp_path)
        ]
    assert replayed.vectors == live.vectors
    assert (replayed.reply.replayed, replayed.reply.cost, replayed.reply.seconds) == (
        True,
        0.0,
        0.0,
    )
    assert replayed.reply.prompt_tokens == live.reply.prompt_tokens
    assert replayed.reply.prompt_digest == live.reply.prompt_digest


def files(cassettes: Path) -> list[Path]:
    return sorted(cassettes.rglob("*.yaml"))


def test_a_recording_names_its_path_and_is_small(server: ChatServer, tmp_path: Path) -> None:
    server.behaviour = lambda request: data(
        *([1 / (n + 1) for n in range(1000)] for _ in request.body["input"])
    )
    embed(server, cassettes=tmp_path, record_mode="once")
    [file] = files(tmp_path)
    text = file.read_text(encoding="utf-8")
    assert "uri: /embeddings" in text
    assert "Every cube is large." in text
    assert len(text) < 3 * 1000 * 4 * 1.4 + 1000
    assert len(text.splitlines()) < 50
