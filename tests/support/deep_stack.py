"""Calls a function with little room left on the stack."""

from __future__ import annotations

from collections.abc import Callable


def at_depth(frames: int, action: Callable[[], None]) -> None:
    """Calls a function from a stack of the given depth in frames."""
    if frames == 0:
        action()
    else:
        at_depth(frames - 1, action)
