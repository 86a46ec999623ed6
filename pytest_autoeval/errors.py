"""The root of every error that pytest-autoeval raises; each room derives its own from it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AutoevalError(Exception):
    """A mistake that the caller can correct: the message says what was wrong, where, and what to do."""


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """The end of a message about an unknown name: `` Did you mean 'ltl'?``, or nothing where no known name is near."""
    near = [repr(one) for one in difflib.get_close_matches(str(name).casefold(), list(known), n=most)]
    return f" Did you mean {' or '.join(filter(None, [', '.join(near[:-1]), near[-1]]))}?" if near else ""


def unknown_name(kind: str, name: str, known: Iterable[str], *, instead: str = "", command: str = "") -> str:
    """The message about an unknown name, with the nearest known names.

    It lists all known names, or names the ``command`` that does. ``instead`` says what else may be given.
    """
    listed = list(known)
    if command:
        return f"there is no {kind} {name!r}.{did_you_mean(name, listed, 3)} `{command}` lists all {len(listed)}."
    return f"there is no {kind} {name!r}; known are: {', '.join(listed)}{instead}.{did_you_mean(name, listed)}"
