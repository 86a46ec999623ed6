"""Reads the body of a response, a completion or vectors, and checks its form."""

from __future__ import annotations

import math
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.thoughts import without_thoughts
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.protocols import CallError, Reply, json_or_none, json_value
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.server_errors import (
    UnusableReplyError,
    broken_off,
    error_in,
    finish_reason,
)

Vector = tuple[float, ...]

#: A member that is added to a response whose answer ends at a limit that is not part of the request's identity.
SENT_LIMIT = "autoeval_limit"
#: Characters of a server's text in a message.
_EXCERPT = 200
#: Tokens of one call; a larger count is ignored.
_TOO_MANY = 10**12
#: The beginning of a stream of events, and the data of an event.
_EVENT = lazy_pattern(r"\s*(?:data|event|id|retry)?:")
_DATA = lazy_pattern(r"^data:(.*)$", re.MULTILINE)
#: In the type of a part of the content: it is a thought.
_THOUGHT = lazy_pattern(r"think|thought|reason|analysis", re.IGNORECASE)
#: Members without meaning for the answer: left out, so that equal answers give equal recordings.
_VOLATILE = ("id", "created", "object", "service_tier")
#: The types of JSON values with others inside.
_NESTED = (dict, list)
#: The types of a message's content.
_CONTENTS = (str, list, dict, type(None))
#: Characters of a name of the server's; a longer text is no name.
_LONGEST_NAME = 200


def excerpt(text: str) -> str:
    """The beginning of a text on one line, for a message; unprintable characters are escaped, as in ``\\x1b``."""
    line = " ".join(text.split())
    beginning = "".join(
        sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line[:_EXCERPT]
    )
    return beginning if len(line) <= _EXCERPT else f"{beginning}…"


def decode(content: bytes, redactor: Redactor) -> Any:
    """The JSON value of a response's body, as :func:`cleaned`.

    Raises :class:`UnusableReplyError` if it is not JSON, and :class:`ServerError` if it is a stream that ends in one.
    """
    try:
        return cleaned(json_value(content), redactor)
    except (ValueError, RecursionError):
        text = content.decode("utf-8", "replace")
    if not text.strip():
        raise UnusableReplyError("the server's response is empty", is_foreign=True)
    if _EVENT.match(text):
        raise _stream_error(text, redactor)
    start = excerpt(redactor.message(text[: 4 * _EXCERPT]))
    raise UnusableReplyError(
        f"the server's response is not JSON: it begins with {start!r}; is the base URL right?",
        is_foreign=True,
    )


def _stream_error(stream: str, redactor: Redactor) -> CallError:
    """The error for a stream of events: the one that an event reports, or that no stream was asked for."""
    for event in _DATA.finditer(stream):
        value = json_or_none(event[1])
        error = None if value is None else error_in(cleaned(value, redactor))
        if error is not None:
            return error
    return UnusableReplyError(
        "the server's response is a stream of events, which was not asked for; switch streaming off at the server",
        is_foreign=True,
    )


def cleaned(payload: Any, redactor: Redactor) -> Any:
    """A decoded response without secrets, empty members, and members that differ at every call, such as ``id``.

    Raises :class:`RecursionError` if it is nested too deep.
    """
    payload = redactor.json(payload, weak=True)
    if isinstance(payload, dict):
        payload = _without_blanks(
            {key: value for key, value in payload.items() if key not in _VOLATILE}
        )
    return payload


def read_completion(payload: Any) -> Reply:
    """The first choice of a decoded response, whose text may be empty.

    Raises :class:`UnusableReplyError` if there is none, and :class:`ServerError` if the server reports a failure.
    """
    # Not simply the first of the list: some servers send choices out of order.
    choice = _first_choice(payload)
    error = broken_off(choice)
    if error is not None:
        raise error
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise UnusableReplyError(
            f"the server's response has a choice without a message: {excerpt(repr(choice))}"
        )
    refusal = message.get("refusal")
    fields = message.get("provider_specific_fields")  # LiteLLM moves OpenAI's refusal there
    if not refusal and isinstance(fields, dict):
        refusal = fields.get("refusal")
    completion_tokens = _tokens(payload, "completion_tokens")
    return Reply(
        text=_content(message) or _tool_input(message),
        finish_reason=finish_reason(choice) or "unknown",
        refusal=_text(refusal),
        prompt_tokens=_tokens(payload, "prompt_tokens"),
        completion_tokens=completion_tokens,
        filled=completion_tokens is not None and payload.get(SENT_LIMIT) == completion_tokens,
        reasoning_tokens=_tokens(payload, "completion_tokens_details", "reasoning_tokens"),
        model=_name(payload, "model"),
        system_fingerprint=_name(payload, "system_fingerprint"),
    )


def failure_of(payload: Any) -> CallError | None:
    """The failure of the server that a kept or recorded response is instead of an answer, or None."""
    error = error_in(payload)
    if error is not None:
        return error
    choices = payload.get("choices") if isinstance(payload, dict) else None
    if not isinstance(choices, list) or not choices:
        return None
    return broken_off(_first_choice(payload))


def _first_choice(payload: Any) -> Any:
    """The choice with the lowest index; choices may come in any order, and without an index."""
    choices = _list(payload, "choices")
    if len(choices) == 1:
        return choices[0]

    def index(position: int) -> int:
        choice = choices[position]
        number = choice.get("index") if isinstance(choice, dict) else None
        if isinstance(number, str) and number.isdecimal():
            number = int(number)
        return number if isinstance(number, int) and number >= 0 else position

    return choices[min(range(len(choices)), key=index)]


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if not isinstance(content, _CONTENTS):
        raise UnusableReplyError(
            f"the server's response has a message that is no text: {excerpt(repr(content))}"
        )
    return _text(content)


def _tool_input(message: Mapping[str, Any]) -> str:
    """The input of the first custom tool that the model called: a constrained answer of OpenAI's."""
    match message.get("tool_calls"):
        case [{"custom": {"input": str(text)}}, *_]:
            return text
    return ""


def has_reasoning(payload: Any, reply: Reply) -> bool:
    """Whether a valid completion shows hidden reasoning; one that was cut off before its first word does."""
    message = _first_choice(payload)["message"]
    if reply.reasoning_tokens or message.get("reasoning_content") or message.get("reasoning"):
        return True
    if without_thoughts(reply.text) != reply.text:
        return True
    return reply.truncated and not reply.text.strip()


def read_embedding(payload: Any, count: int) -> Reply:
    """The token counts of a decoded response with ``count`` vectors; raises :class:`UnusableReplyError`."""
    read_vectors(payload, count)  # a response without vectors is an error
    tokens = _tokens(payload, "prompt_tokens")
    return Reply(
        text="",
        prompt_tokens=_tokens(payload, "total_tokens") if tokens is None else tokens,
        completion_tokens=0,
        model=_name(payload, "model"),
        system_fingerprint=_name(payload, "system_fingerprint"),
    )


def read_vectors(payload: Any, count: int) -> tuple[Vector, ...]:
    """The vectors of a decoded response to ``count`` texts, in the order of the texts.

    Raises :class:`UnusableReplyError` if their number is not ``count``, if they differ in length, or if an element is
    not a finite number. A vector of zeros is allowed.
    """
    items = _list(payload, "data")
    if len(items) != count:
        raise UnusableReplyError(
            f"the server's response has {len(items)} vectors for {count} texts"
        )
    vectors = [_vector(item, number) for number, item in enumerate(items)]
    lengths = {len(vector) for vector in vectors}
    if len(lengths) > 1:
        raise UnusableReplyError(
            f"the server's response has vectors of several lengths: {sorted(lengths)}"
        )
    indices = [item.get("index", number) for number, item in enumerate(items)]
    if sorted(indices) != list(range(count)):
        raise UnusableReplyError(
            f"the server's response numbers its vectors {excerpt(repr(indices))}, not 0 to {count - 1}"
        )
    return tuple(vectors[indices.index(number)] for number in range(count))


def trimmed(payload: Any) -> Any:
    """A valid response with vectors in the form to record: base64, as OpenAI's protocol has it, to save megabytes."""
    response = {
        key: payload[key] for key in ("model", "system_fingerprint", "usage") if key in payload
    }
    response["data"] = []
    for number, item in enumerate(payload["data"]):
        entry = {"index": item["index"]} if "index" in item else {}
        entry["embedding"] = packed(_vector(item, number))
        response["data"].append(entry)
    return response


def packed(vector: Vector) -> str:
    """A vector as single-precision numbers, the lowest byte first, in base64."""
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def _list(payload: Any, key: str) -> list[Any]:
    """The list under a key; raises :class:`UnusableReplyError` if it is missing or empty, or :class:`ServerError`."""
    if not isinstance(payload, dict):
        problem = f"the server's response is not a JSON object but {excerpt(repr(payload))}"
        raise UnusableReplyError(problem, is_foreign=True)
    error = error_in(payload)
    if error is not None:
        raise error
    items = payload.get(key)
    if not isinstance(items, list) or not items:
        raise UnusableReplyError(f"the server's response has no {key}")
    return items


def _tokens(payload: Any, *keys: str) -> int | None:
    """A token count of the response, or None if it is missing or impossible."""
    value: Any = payload.get("usage")
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < _TOO_MANY else None


def _name(payload: Any, key: str) -> str:
    """A name that the server gives itself; empty if it gives none."""
    name = payload.get(key)
    return name if isinstance(name, str) and len(name) <= _LONGEST_NAME else ""


def _text(content: Any) -> str:
    """The text of a message's content: a string, or the parts of a list that are the answer and no thought.

    Raises :class:`UnusableReplyError` for a text of which it is not known what it is.
    """
    match content:
        case str():
            return content
        case list():
            return "".join(map(_text, content))
        case {"thought": True}:
            return ""
        case {"type": str(kind)} if _THOUGHT.search(kind):
            return ""
        case {"type": str(kind), "text": str()} if not kind.endswith("text"):
            raise UnusableReplyError(
                f"the server's response has a part of a type that is not known: {excerpt(kind)!r}"
            )
        case {"text": str(text)} | {"text": {"value": str(text)}}:
            return text
    return ""


def _without_blanks(value: Any) -> Any:
    """A JSON value without members that are null, empty lists or empty tables."""
    if isinstance(value, dict):
        kept: dict[str, Any] = {}
        for key, member in value.items():
            if isinstance(member, _NESTED):
                inner = _without_blanks(member)
                if inner:
                    kept[key] = inner
            elif member is not None:
                kept[key] = member
        return kept
    if isinstance(value, list):
        return [_without_blanks(item) for item in value]
    return value


def _vector(item: Any, number: int) -> Vector:
    """The vector of an item, rounded to single precision as in a recording."""
    embedding: Any = item.get("embedding") if isinstance(item, dict) else None
    try:
        if isinstance(embedding, list) and not any(
            isinstance(number, bool) for number in embedding
        ):
            embedding = packed(tuple(embedding))
        content = b64decode(embedding, validate=True)
        vector = struct.unpack(f"<{len(content) // 4}f", content)
    except (ValueError, TypeError, OverflowError, struct.error):
        problem = f"the server's response has no vector of numbers at data[{number}]: {excerpt(repr(item)[:1000])}"
        raise UnusableReplyError(problem) from None
    if not all(map(math.isfinite, vector)):
        raise UnusableReplyError(
            f"the server's response has a vector at data[{number}] with a number that is not finite"
        )
    return vector
