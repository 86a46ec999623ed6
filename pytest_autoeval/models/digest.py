"""Digests that tell requests apart: the same on every machine, in every process, for every server."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from pytest_autoeval.models.base import Message


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no white space, ASCII only."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """A conversation as a request's body carries it."""
    return [{"role": message.role, "content": message.content} for message in messages]


def prompt_digest(messages: Sequence[Message]) -> str:
    """The SHA-256 of a conversation, in hexadecimal: no model, parameter or host takes part."""
    return _digest(wire_messages(messages))


def inputs_digest(inputs: Sequence[str]) -> str:
    """The SHA-256 of texts to embed, in hexadecimal: no model, parameter or host takes part."""
    return _digest(list(inputs))


def request_digest(method: str, path: str, body: Mapping[str, Any]) -> str:
    """The first 32 hexadecimal digits of the SHA-256 of a request; ``path`` is relative to the base URL."""
    return _digest({"method": method, "path": path, "body": body})[:32]


def _digest(value: Any) -> str:
    return sha256(canonical_json(value).encode("ascii")).hexdigest()
