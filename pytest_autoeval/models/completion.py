"""Reading the body of a response, a chat completion above all, whatever a server put into it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.models.base import CallError
from pytest_autoeval.models.redaction import Redactor

_EXCERPT = 200  # characters of a server's words that a message shows
_VOLATILE = ("id", "created", "object", "system_fingerprint", "service_tier")


@dataclass(frozen=True, slots=True)
class Completion:
    """What a response says; the fields are those of :class:`~pytest_autoeval.models.base.Reply`."""

    text: str
    finish_reason: str
    refusal: str
    prompt_tokens: int | None
    completion_tokens: int | None


def excerpt(text: str) -> str:
    """The beginning of a text on one line, for a message; what cannot be seen is written out, as in ``\\x1b``."""
    line = " ".join(text.split())
    shown = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line[:_EXCERPT])
    return shown if len(line) <= _EXCERPT else f"{shown}…"


def decode(content: bytes, redactor: Redactor) -> Any:
    """The JSON value of a response's body, without secrets and without what differs at every call.

    Raises :class:`CallError` where the body is no JSON.
    """
    try:
        payload = redactor.json(json.loads(content))
        if isinstance(payload, dict):
            payload = _without_blanks({key: value for key, value in payload.items() if key not in _VOLATILE})
    except (ValueError, RecursionError):
        start = excerpt(redactor.text(content[: 4 * _EXCERPT].decode("utf-8", "replace")))
        raise CallError(
            f"the server's response is not JSON: it begins with {start!r}; is the base URL right?"
        ) from None
    return payload


def read_completion(payload: Any) -> Completion:
    """The first choice of a decoded response.

    Raises :class:`CallError` where there is none; an empty text is an answer, a missing choice is not.
    """
    choice = read_list(payload, "choices")[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise CallError(f"the server's response has a choice without a message: {excerpt(repr(choice))}")
    usage = payload.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        text=_text(message.get("content")),
        finish_reason=_text(choice.get("finish_reason")) or "unknown",
        refusal=_text(message.get("refusal")),
        prompt_tokens=token_count(usage.get("prompt_tokens")),
        completion_tokens=token_count(usage.get("completion_tokens")),
    )


def read_list(payload: Any, key: str) -> list[Any]:
    """The list, not empty, that a decoded response is about; raises :class:`CallError` where there is none."""
    if not isinstance(payload, dict):
        raise CallError(f"the server's response is no JSON object but {excerpt(repr(payload))}")
    found = payload.get(key)
    if not isinstance(found, list) or not found:
        error = payload.get("error")
        detail = f": {excerpt(json.dumps(error, ensure_ascii=False))}" if error else ""
        raise CallError(f"the server's response has no {key}{detail}")
    return found


def token_count(value: Any) -> int | None:
    """A number of tokens as a server reports it, or None where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(content: Any) -> str:
    """A content's text: a string, or the texts of its parts, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text(part.get("text")) if isinstance(part, dict) else _text(part) for part in content)
    return ""


def _without_blanks(value: Any) -> Any:
    """A JSON value without members that say nothing: null and empty lists."""
    if isinstance(value, dict):
        members = ((key, _without_blanks(member)) for key, member in value.items())
        return {key: member for key, member in members if member is not None and member != []}
    if isinstance(value, list):
        return [_without_blanks(item) for item in value]
    return value
