"""OpenAI's protocol, as far as the offline models need it: JSON in, JSON out, no sockets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_autoeval.models.base import Message
from pytest_autoeval.models.names import BAG_OF_WORDS, UnknownEmbedderOptionError, is_embedder
from pytest_autoeval.models.offline import check_model, offline_models
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.behaviour import Answer, OfflineOptionError
from pytest_autoeval.models.offline.catalogue import UnknownOfflineModelError
from pytest_autoeval.models.offline.conversation import answer
from pytest_autoeval.models.offline.embeddings import bag_of_words, word_count
from pytest_autoeval.models.responses import packed

Json = dict[str, Any]

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


class RequestError(Exception):
    """A request that gets an error for an answer: with its HTTP status, and in OpenAI's words what is wrong."""

    def __init__(self, status: int, message: str, *, parameter: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter
        self.code = code

    def body(self) -> Json:
        """The error as OpenAI's servers send it."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": str(self), "type": kind, "param": self.parameter, "code": self.code}}


def models() -> Json:
    """The answer to ``GET /v1/models``."""
    return {"object": "list", "data": [_model(name) for name, _ in offline_models()]}


def model(name: str) -> Json:
    """The answer to ``GET /v1/models/NAME``; raises :class:`RequestError`."""
    with _reported_to_the_client():
        check_model(name)
    return _model(name)


def completion(body: Json, answer_key: AnswerKey) -> Json:
    """The answer to ``POST /v1/chat/completions``; equal requests get equal answers, to the byte.

    ``answer_key`` is what the models know of given sentences. Raises :class:`RequestError`.
    """
    name, messages, seed = _request(body)
    structured = _is_structured(body.get("response_format"))
    with _reported_to_the_client():
        given = answer(name, messages, seed, structured=structured, answer_key=answer_key)
    return _completion(body, name, messages, given)


def embeddings(body: Json) -> Json:
    """The answer to ``POST /v1/embeddings``; raises :class:`RequestError`."""
    name, texts, encoding = _name(body), _texts(body.get("input")), body.get("encoding_format", "float")
    with _reported_to_the_client():
        check_model(name)
    if not is_embedder(name):
        raise RequestError(
            400, f"{name} answers conversations and embeds no texts: ask {BAG_OF_WORDS}", parameter="model"
        )
    if encoding not in ("float", "base64"):
        raise RequestError(400, "encoding_format must be float or base64", parameter="encoding_format")
    if body.get("dimensions") is not None:
        raise RequestError(400, f"{BAG_OF_WORDS} has its own number of dimensions", parameter="dimensions")
    vectors = map(bag_of_words, texts)
    tokens = sum(map(word_count, texts))
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": at, "embedding": packed(vector) if encoding == "base64" else vector}
            for at, vector in enumerate(vectors)
        ],
        "model": name,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def chunks(whole: Json) -> Iterator[Json]:
    """The same answer in the pieces that a client gets that asked for a stream."""
    choice = whole["choices"][0]
    common = {**whole, "object": "chat.completion.chunk"}
    usage = common.pop("usage")
    delta = {"role": "assistant", "content": choice["message"]["content"]}
    yield common | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield common | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], "usage": usage}


def parsed(content: bytes) -> Json:
    """The JSON object in a request's body; raises :class:`RequestError`."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise RequestError(400, f"the body of the request is not JSON: {problem}") from None
    if not isinstance(body, dict):
        raise RequestError(400, "the body of the request must be a JSON object")
    return body


@contextmanager
def _reported_to_the_client() -> Iterator[None]:
    """Turns a model's name that is wrong into the error that a client knows."""
    try:
        yield
    except UnknownOfflineModelError as problem:
        raise RequestError(404, str(problem), parameter="model", code="model_not_found") from None
    except (OfflineOptionError, UnknownEmbedderOptionError) as problem:
        raise RequestError(400, str(problem), parameter="model", code="invalid_option") from None


def _request(body: Json) -> tuple[str, list[Message], int | None]:
    name, messages, seed = _name(body), body.get("messages"), body.get("seed")
    if is_embedder(name):
        raise RequestError(400, f"{name} only embeds texts: ask it at /embeddings", parameter="model")
    if not isinstance(messages, list) or not messages:
        raise RequestError(400, "messages must be a list of at least one message", parameter="messages")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise RequestError(400, "seed must be an integer", parameter="seed")
    if body.get("n") not in (None, 1):
        raise RequestError(
            400, "n must be 1: offline models give one answer; ask again with another seed", parameter="n"
        )
    return name, [_message(message, at) for at, message in enumerate(messages)], seed


def _name(body: Json) -> str:
    name = body.get("model")
    if not isinstance(name, str):
        raise RequestError(400, "model must be the name of an offline model", parameter="model")
    return name


def _is_structured(response_format: Any) -> bool:
    """Whether the answer is to keep to a schema. The offline models know those of our tasks; they read none."""
    if response_format is None:
        return False
    kind = response_format.get("type") if isinstance(response_format, dict) else None
    if kind == "text":
        return False
    if kind != "json_schema":
        raise RequestError(
            400, "response_format.type must be text or json_schema", parameter="response_format", code="invalid_value"
        )
    return True


def _texts(given: Any) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise RequestError(400, "input must be a text or a list of at least one text", parameter="input")
    return texts


def _message(message: Any, at: int) -> Message:
    where = f"messages[{at}]"
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(400, f"{where}.role must be one of {', '.join(_ROLES)}", parameter=where)
    content = message.get("content")
    if isinstance(content, list):
        pieces = [part.get("text") if isinstance(part, dict) else None for part in content]
        content = "".join(piece if isinstance(piece, str) else "" for piece in pieces)
    if not isinstance(content, str):
        raise RequestError(400, f"{where}.content must be text", parameter=where)
    return Message(_ROLES[role], content)  # type: ignore[arg-type]


def _completion(body: Json, name: str, messages: list[Message], given: Answer) -> Json:
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    asked = sum(_tokens(message.content) for message in messages)
    written = _tokens(given.text)
    message = {"role": "assistant", "content": given.text, "refusal": None}
    return {
        "id": f"chatcmpl-{digest[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": given.finish_reason}],
        "usage": {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written},
    }


def _tokens(text: str) -> int:
    """A rough count: words."""
    return len(text.split())


def _model(name: str) -> Json:
    return {"id": name, "object": "model", "created": 0, "owned_by": "pytest-autoeval"}
