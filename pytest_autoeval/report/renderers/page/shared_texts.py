"""Stores a text that many prompts share, such as a system prompt, once in a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from pytest_autoeval.record.lines import Sample

#: Texts shorter than this, in characters, are not replaced by a digest.
_SHORTEST = 64
#: Hexadecimal digits of a digest: enough for millions of texts.
_DIGITS = 16


def shared_texts(samples: Iterable[Sample]) -> dict[str, str]:
    """Every long text that occurs in several messages of the samples, with its digest."""
    calls = (call for sample in samples for call in sample.calls)
    messages = (message for call in calls for message in call.messages or ())
    times = Counter(message.content or "" for message in messages)
    return {
        # A text with half of a surrogate pair cannot be encoded, and its digest need only be the same each time.
        text: sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
        for text, number in times.items()
        if number > 1 and len(text) >= _SHORTEST
    }


def with_digests(
    calls: Iterable[Mapping[str, Any]], digests: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The calls, as plain types, with a digest in place of each shared text."""

    def brief(message: Mapping[str, str]) -> dict[str, str]:
        text = message["content"]
        return (
            {"role": message["role"], "digest": digests[text]} if text in digests else dict(message)
        )

    return [
        {**call, "messages": call["messages"] and list(map(brief, call["messages"]))}
        for call in calls
    ]
