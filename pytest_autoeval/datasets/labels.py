"""Yes and no, as data say them."""

from __future__ import annotations

from typing import Any

_YES = frozenset(("satisfying", "satisfies", "satisfied", "positive", "same", "equivalent", "yes", "true", "1"))
_NO = frozenset(("violating", "violates", "violated", "negative", "different", "no", "false", "0"))


def label(value: Any) -> bool:
    """What a label says; raises :class:`ValueError` for what is none."""
    word = str(value).strip().casefold()
    if word not in _YES | _NO:
        raise ValueError(f"{value!r} is neither yes nor no: write one of {', '.join(sorted(_YES | _NO))}")
    return word in _YES
