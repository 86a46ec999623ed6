"""A stack on which little room is left."""

from __future__ import annotations

from collections.abc import Callable


def at_depth(frames: int, action: Callable[[], None]) -> None:
    """Calls a function from a stack that many frames deep."""
    if frames == 0:
        action()
    else:
        at_depth(frames - 1, action)
