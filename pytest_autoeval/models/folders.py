"""Where a recording stands: a folder for each model, a file for each request and repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal

from pytest_autoeval.models.digest import request_digest

METHOD = "POST"
#: Relative to the base URL: neither host nor port is part of a recording's identity.
Route = Literal["/chat/completions", "/embeddings"]
CHAT: Route = "/chat/completions"
EMBEDDINGS: Route = "/embeddings"
_LONGEST_SLUG = 80


def folder_of(model: str) -> str:
    """The name of a model's folder: ``offline/faithful`` becomes ``offline--faithful``."""
    plain = model.replace("/", "--")
    slug = re.sub(r"[^A-Za-z0-9._=-]", "_", plain)[:_LONGEST_SLUG]
    if slug == plain and not slug.startswith("."):
        return slug
    # What was lost in the slug still tells two models apart.
    return f"{slug.lstrip('.')}-{sha256(model.encode()).hexdigest()[:8]}"


def file_of(request_body: Mapping[str, Any], repeat: int, route: Route = CHAT) -> str:
    """The name of a request's file: its digest and the number of its repeat."""
    return f"{request_digest(METHOD, route, request_body)}-{repeat}.yaml"
