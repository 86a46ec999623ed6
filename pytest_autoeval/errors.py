"""The root of every error that pytest-autoeval raises; each room derives its own from it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AutoevalError(Exception):
    """A mistake that the caller can correct: the message says what was wrong, where, and what to do."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that there is not: `` Did you mean 'ltl'?``, or nothing where none is near."""
    near = difflib.get_close_matches(str(name).casefold(), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def unknown_name(kind: str, name: str, known: Iterable[str], instead: str = "") -> str:
    """The message about a name that does not exist; ``instead`` says what may be given in place of a name."""
    listed = list(known)
    return f"there is no {kind} {name!r}; known are: {', '.join(listed)}{instead}.{did_you_mean(name, listed)}"
