"""Bounds on the time and the memory that one decision may take."""

from __future__ import annotations

import time

from pytest_autoeval.errors import AutoevalError

#: Bytes that the states of one decision may take; what a state takes is counted, not measured.
MAX_MEMORY = 256 * 1024 * 1024


class ExhaustedError(AutoevalError):
    """The time or the memory of a decision is used up."""


class DecisionBudget:
    """What is left of ``seconds`` of wall-clock time and of ``memory`` bytes.

    Whatever runs under a budget calls :meth:`spend` often: between two calls a few milliseconds may pass.
    """

    def __init__(self, seconds: float, memory: int = MAX_MEMORY) -> None:
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._memory = memory

    def spend(self, memory: int = 0) -> None:
        """Takes ``memory`` bytes; raises :class:`ExhaustedError` when they, or the time, are not left."""
        self._memory -= memory
        if self._memory < 0:
            raise ExhaustedError("the automata have too many states")
        if time.monotonic() > self._deadline:
            raise ExhaustedError(f"no answer within {self.seconds:g} s")
