"""OpenAI's protocol, as far as the offline models need it: JSON in, JSON out, no sockets."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from pytest_autoeval.models.base import Message
from pytest_autoeval.models.names import BAG_OF_WORDS, ModelOptionError, is_embedder
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.catalogue import UnknownOfflineModelError, check_model, offline_models
from pytest_autoeval.models.offline.conversation import answer
from pytest_autoeval.models.responses import packed

Json = dict[str, Any]

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
DIMENSIONS = 64
_WORD = re.compile(r"\w+|[^\w\s]")


class RequestError(Exception):
    """A request that gets an error for an answer: in OpenAI's words what is wrong, and with its HTTP status."""

    def __init__(
        self, message: str, parameter: str | None = None, *, status: int = 400, code: str | None = None
    ) -> None:
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
    name, messages, seed = _name(body), body.get("messages"), body.get("seed")
    if is_embedder(name):
        raise RequestError(f"{name} only embeds texts: ask it at /embeddings", "model")
    if not isinstance(messages, list) or not messages:
        raise RequestError("messages must be a list of at least one message", "messages")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise RequestError("seed must be an integer", "seed")
    if body.get("n") not in (None, 1):
        raise RequestError("n must be 1: offline models give one answer; ask again with another seed", "n")
    if body.get("stream"):
        raise RequestError("stream must be false: offline models answer in one piece", "stream")
    read = [_message(message, at) for at, message in enumerate(messages)]
    structured = _is_structured(body.get("response_format"))
    with _reported_to_the_client():
        given = answer(name, read, seed, structured=structured, answer_key=answer_key)
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    message = {"role": "assistant", "content": given.text, "refusal": None}
    # The tokens are a rough count: words.
    asked, written = sum(len(message.content.split()) for message in read), len(given.text.split())
    return {
        "id": f"chatcmpl-{digest[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": given.finish_reason}],
        "usage": {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written},
    }


def embeddings(body: Json) -> Json:
    """The answer to ``POST /v1/embeddings``; raises :class:`RequestError`."""
    name, given, encoding = _name(body), body.get("input"), body.get("encoding_format", "float")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise RequestError("input must be a text or a list of at least one text", "input")
    model(name)
    if not is_embedder(name):
        raise RequestError(f"{name} answers conversations and embeds no texts: ask {BAG_OF_WORDS}", "model")
    if encoding not in ("float", "base64"):
        raise RequestError("encoding_format must be float or base64", "encoding_format")
    if body.get("dimensions") is not None:
        raise RequestError(f"{BAG_OF_WORDS} has its own number of dimensions", "dimensions")
    vectors = map(bag_of_words, texts)
    tokens = sum(len(_WORD.findall(text)) for text in texts)  # words, signs included
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": at, "embedding": packed(vector) if encoding == "base64" else vector}
            for at, vector in enumerate(vectors)
        ],
        "model": name,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def bag_of_words(text: str) -> tuple[float, ...]:
    """Words and pairs of neighbouring words, counted in hashed buckets: a vector of length 1, equal on every machine.

    It sees nothing of what is said in other words, and next to nothing of the words' order: it shows what can be had
    with no understanding at all. The hashing trick is that of Weinberger et al., Feature Hashing for Large Scale
    Multitask Learning (2009), without signs, so that no text's vector vanishes.
    """
    words = ["", *_WORD.findall(text.casefold())]  # the first word has a neighbour too
    features = [*words, *map(" ".join, pairwise(words))]
    hashes = (hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest() for feature in features)
    counts = Counter(int.from_bytes(digest) % DIMENSIONS for digest in hashes)
    length = math.sqrt(sum(number * number for number in counts.values()))
    return tuple(counts[bucket] / length for bucket in range(DIMENSIONS))


def parsed(content: bytes) -> Json:
    """The JSON object in a request's body; raises :class:`RequestError`."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise RequestError(f"the body of the request is not JSON: {problem}") from None
    if not isinstance(body, dict):
        raise RequestError("the body of the request must be a JSON object")
    return body


@contextmanager
def _reported_to_the_client() -> Iterator[None]:
    """Turns a model's name that is wrong into the error that a client knows."""
    try:
        yield
    except UnknownOfflineModelError as problem:
        raise RequestError(str(problem), "model", status=404, code="model_not_found") from None
    except ModelOptionError as problem:
        raise RequestError(str(problem), "model", code="invalid_option") from None


def _name(body: Json) -> str:
    name = body.get("model")
    if not isinstance(name, str):
        raise RequestError("model must be the name of an offline model", "model")
    return name


def _is_structured(response_format: Any) -> bool:
    """Whether the answer is to keep to a schema. The offline models know those of our tasks; they read none."""
    kind = response_format.get("type") if isinstance(response_format, dict) else response_format
    if kind not in (None, "text", "json_schema"):
        raise RequestError("response_format.type must be text or json_schema", "response_format", code="invalid_value")
    return bool(kind == "json_schema")


def _message(message: Any, at: int) -> Message:
    where = f"messages[{at}]"
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(f"{where}.role must be one of {', '.join(_ROLES)}", where)
    content = message.get("content")
    if isinstance(content, list):
        pieces = [part.get("text") if isinstance(part, dict) else None for part in content]
        content = "".join(piece for piece in pieces if isinstance(piece, str))
    if not isinstance(content, str):
        raise RequestError(f"{where}.content must be text", where)
    return Message(_ROLES[role], content)  # type: ignore[arg-type]


def _model(name: str) -> Json:
    return {"id": name, "object": "model", "created": 0, "owned_by": "pytest-autoeval"}
