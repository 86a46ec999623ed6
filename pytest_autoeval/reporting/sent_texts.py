"""Stores a text that many prompts share, such as a system prompt, once in a results file or a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from pytest_autoeval.reporting.row import Row

#: Texts shorter than this, in characters, are not replaced by a digest.
_SHORTEST = 64
#: Hexadecimal digits of a digest: enough for millions of texts.
_DIGITS = 16


def shared_texts(rows: Sequence[Row]) -> dict[str, str]:
    """Every long text that occurs in several messages of the rows, with its digest."""
    times = Counter(message["content"] for message in _messages(rows))
    return {
        text: sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
        for text, number in times.items()
        if number > 1 and len(text) >= _SHORTEST
    }


def shortened(row: Row, digests: Mapping[str, str], known: Container[str]) -> Row:
    """The row with a ``digest`` in place of each ``known`` text in its messages, and beside other shared texts."""

    def brief(message: Mapping[str, str]) -> dict[str, str]:
        text = message["content"]
        content = {} if text in known else {"content": text}
        return {"role": message["role"], **content, "digest": digests[text]} if text in digests else dict(message)

    calls = [
        call if call.messages is None else replace(call, messages=list(map(brief, call.messages))) for call in row.calls
    ]
    return replace(row, calls=tuple(calls))


def shared_once(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with each shared text only in the first of them."""
    digests = shared_texts(rows)
    known: set[str] = set()
    for row in rows:
        yield shortened(row, digests, known)
        known.update(message["content"] for message in _messages([row]))


def fill_in(rows: Iterable[Row]) -> None:
    """Restores the texts that :func:`shared_once` left out. A text whose first row is missing becomes empty."""
    shared = [message for message in _messages(rows) if "digest" in message]
    texts = {message["digest"]: message["content"] for message in shared if "content" in message}
    for message in shared:
        message.setdefault("content", texts.get(message.pop("digest"), ""))


def _messages(rows: Iterable[Row]) -> Iterator[dict[str, str]]:
    return (message for row in rows for call in row.calls for message in call.messages or ())
