"""Reading the body of an embeddings response, whatever a server put into it."""

from __future__ import annotations

import math
import struct
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.models.base import CallError
from pytest_autoeval.models.completion import excerpt, read_list, token_count

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors that a response has, in the order of the texts, and the tokens of these."""

    vectors: tuple[Vector, ...]
    prompt_tokens: int | None
    completion_tokens: int | None = 0


def read_vectors(payload: Any, count: int) -> Vectors:
    """The vectors of a decoded response to ``count`` texts.

    Raises :class:`CallError` where there are fewer or more, and where they are not of one length or hold anything but
    finite numbers. A vector of zeros is a model's answer, if a poor one.
    """
    items = read_list(payload, "data")
    if len(items) != count:
        raise CallError(f"the server's response has {len(items)} vectors for {count} texts")
    vectors = [_vector(item, number) for number, item in enumerate(items)]
    if len(lengths := {len(vector) for vector in vectors}) > 1:
        raise CallError(f"the server's response has vectors of several lengths: {sorted(lengths)}")
    usage = payload.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    tokens = token_count(usage.get("prompt_tokens"))
    return Vectors(
        vectors=tuple(vectors[position] for position in _positions(items)),
        prompt_tokens=token_count(usage.get("total_tokens")) if tokens is None else tokens,
    )


def trimmed(payload: Any) -> Any:
    """What is kept of a response that could be read: its vectors as OpenAI's protocol writes them in base64.

    A thousand numbers a vector would make recordings of megabytes, which nobody reads either.
    """
    items = payload["data"]
    written = [
        {**({"index": item["index"]} if "index" in item else {}), "embedding": packed(_vector(item, number))}
        for number, item in enumerate(items)
    ]
    return {**{key: payload[key] for key in ("model", "usage") if key in payload}, "data": written}


def packed(vector: Vector) -> str:
    """A vector as single-precision numbers, the lowest byte first, in base64."""
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def _vector(item: Any, number: int) -> Vector:
    """The vector of an item, rounded to single precision, which a recording holds too."""
    embedding = item.get("embedding") if isinstance(item, dict) else None
    try:
        vector = _unpacked(embedding) if isinstance(embedding, str) else _single_precision(embedding)
    except (ValueError, TypeError, OverflowError, struct.error):
        raise CallError(f"the server's response has no vector of numbers at data[{number}]: {_shown(item)}") from None
    if not all(map(math.isfinite, vector)):
        raise CallError(f"the server's response has a vector at data[{number}] with a number that is not finite")
    return vector


def _unpacked(text: str) -> Vector:
    content = b64decode(text, validate=True)
    return struct.unpack(f"<{len(content) // 4}f", content)


def _single_precision(embedding: Any) -> Vector:
    if not isinstance(embedding, list) or any(isinstance(number, bool) for number in embedding):
        raise TypeError("not a list of numbers")
    return struct.unpack(f"<{len(embedding)}f", struct.pack(f"<{len(embedding)}f", *embedding))


def _positions(items: list[Any]) -> list[int]:
    """Where the vector of each text stands: by the indices, or in order where there are none."""
    indices = [item.get("index") for item in items]
    if all(index is None for index in indices):
        return list(range(len(items)))
    whole = [index for index in indices if isinstance(index, int) and not isinstance(index, bool)]
    if sorted(whole) != list(range(len(items))):
        raise CallError(
            f"the server's response numbers its vectors {excerpt(repr(indices))}, not 0 to {len(items) - 1}"
        )
    return sorted(range(len(items)), key=whole.__getitem__)


def _shown(item: Any) -> str:
    return excerpt(repr(item)[:1000])
