"""What a body asks only hands requests over: to the pool of its process, or over a wire to that of another one."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from support.chat_server import NO_SCHEMA, Answer, ChatServer, always, completion

from pytest_autoeval.models import (
    AnswerSchema,
    Chat,
    ConfigurationError,
    Message,
    ModelError,
    ModelPool,
    ModelSettings,
    RecordingMissError,
    StructuredOutputsUnsupportedError,
    TransientError,
)
from pytest_autoeval.models.asking import Models
from pytest_autoeval.models.protocols import only_embeds

HELLO = [Message("user", "Hello")]


def over_a_wire(pool: ModelPool) -> Callable[..., Future[Any]]:
    """What a worker submits to: requests, answers and errors are pickled on their way."""

    def submit(*request: Any, **more: Any) -> Future[Any]:
        arrived, kwargs = pickle.loads(pickle.dumps((request, more)))
        answered = pool.submit(*arrived, **kwargs)
        there: Future[Any] = Future()
        try:
            there.set_result(pickle.loads(pickle.dumps(answered.result(20))))
        except ModelError as error:
            there.set_exception(pickle.loads(pickle.dumps(error)))
        return there

    return submit


def test_a_worker_s_model_gives_what_that_of_the_pool_gives(server: ChatServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        here, there = pool.chat("m"), Models(over_a_wire(pool)).chat("m")
        first = there.complete(HELLO, repeat=1, limit=7)
        assert first.text == "You said: Hello"
        again = here.complete(HELLO, repeat=1)
        assert (again.text, again.messages, again.repeated) == (first.text, first.messages, True)
        assert not there.recorded(HELLO)
        server.behaviour = always(
            Answer(body={"data": [{"embedding": [0.5, 1.0]}], "usage": {"prompt_tokens": 2}})
        )
        embedded = Models(over_a_wire(pool)).embedder("embeddings/mine").embed(["p"], "english")
        assert (embedded.vectors, embedded.reply.prompt_tokens) == (((0.5, 1.0),), 2)
        assert pool.traffic().attempts == pool.traffic().answered == 2


def test_errors_keep_their_kind_their_text_and_their_notes(
    server: ChatServer, tmp_path: Any
) -> None:
    server.behaviour = always(NO_SCHEMA)
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        with pytest.raises(StructuredOutputsUnsupportedError, match="does not accept this schema"):
            Models(over_a_wire(pool)).chat("m").complete(HELLO, schema=AnswerSchema("choice", "{}"))
        assert list(pool.refused_schemas()) == ["m"]
    server.behaviour = always(Answer(body=completion("yes")))
    kept = {"cassettes": tmp_path, "base_url": server.url}
    with ModelPool(ModelSettings(**kept, record_mode="new_episodes")) as pool:
        pool.chat("m").complete(HELLO)
    with ModelPool(ModelSettings(**kept, record_mode="none")) as pool:
        with pytest.raises(RecordingMissError, match="no recording") as caught:
            Models(over_a_wire(pool)).chat("m").complete(HELLO, repeat=1)
        assert "this request is repeat 1" in caught.value.__notes__[0]
    copy = pickle.loads(pickle.dumps(TransientError("busy", 2.5)))
    assert (str(copy), copy.retry_after) == ("busy", 2.5)


def test_a_model_is_known_by_its_name_and_nothing_is_asked() -> None:
    def submit(*_: Any, **__: Any) -> Future[Any]:
        raise AssertionError

    models = Models(submit, own=["embeddings/own", "offline/own"])
    assert only_embeds(models.open("embeddings/mine"))
    assert only_embeds(models.open("local/minilm?instruction"))
    for name in ("gpt", "offline/faithful", "embeddings/own", "offline/own"):
        chat: Chat = models.chat(name)
        assert chat.name == name
        assert models.open(name) is chat
    for name, problem in {
        "offline/faithfull": "Did you mean",
        "embeddings/": "names no model",
    }.items():
        with pytest.raises(ConfigurationError, match=problem):
            models.open(name)
    with pytest.raises(ConfigurationError, match="name a chat model"):
        models.chat("embeddings/mine")


def test_a_request_is_handed_over_without_waiting(server: ChatServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool, ThreadPoolExecutor(4) as threads:
        futures = [pool.submit("m", "complete", HELLO, repeat=number) for number in range(200)]
        assert not futures[0].cancel()  # nobody can give up what others may wait for
        assert {future.result(20).text for future in futures} == {"You said: Hello"}
        assert list(
            threads.map(
                lambda number: pool.chat("m").complete(HELLO, repeat=number).replayed, range(200)
            )
        )
    assert len(server.requests) == 200


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (("m", "no_such_method"), AttributeError),
        (("m", "complete", 7), TypeError),
        (("offline/no-such-model", "complete", []), ConfigurationError),
    ],
)
def test_a_request_that_makes_no_sense_fails_alone(request_: Any, error: type[Exception]) -> None:
    with ModelPool(ModelSettings()) as pool, pytest.raises(error):
        pool.submit(*request_).result(20)
