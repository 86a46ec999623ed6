"""How requests are told apart: digests, and the folder and file of a recording. The same on every machine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

from pytest_autoeval.models.base import Message

METHOD = "POST"
#: Relative to the base URL: neither host nor port is part of a recording's identity.
Route = Literal["/chat/completions", "/embeddings"]
CHAT: Route = "/chat/completions"
EMBEDDINGS: Route = "/embeddings"
_LONGEST_SLUG = 80


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no white space, ASCII only."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def digest_of(value: Any) -> str:
    """The SHA-256 of a JSON value, in hexadecimal."""
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """A conversation as a request's body carries it."""
    return [{"role": message.role, "content": message.content} for message in messages]


def prompt_digest(messages: Sequence[Message]) -> str:
    """The SHA-256 of a conversation, in hexadecimal: no model, parameter or host takes part."""
    return digest_of(wire_messages(messages))


def folder_of(model: str) -> str:
    """The name of a model's folder: ``offline/faithful`` becomes ``offline--faithful``."""
    plain = model.replace("/", "--")
    slug = re.sub(r"[^A-Za-z0-9._=-]", "_", plain)[:_LONGEST_SLUG]
    if slug == plain and not slug.startswith("."):
        return slug
    # What was lost in the slug still tells two models apart.
    return f"{slug.lstrip('.')}-{sha256(model.encode()).hexdigest()[:8]}"


def file_of(request_body: Mapping[str, Any], repeat: int, route: Route = CHAT) -> str:
    """The name of a request's file: 32 digits of its digest, and the number of its repeat."""
    return f"{digest_of({'method': METHOD, 'path': route, 'body': request_body})[:32]}-{repeat}.yaml"
