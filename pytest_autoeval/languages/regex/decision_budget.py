"""The time and the memory that one decision on regular expressions may take."""

from __future__ import annotations

from pytest_autoeval.languages.isolation import GaveUpError, TimeLimit

#: Bytes for the states of one decision; they are counted, not measured.
MAX_MEMORY = 256 * 1024 * 1024


class DecisionBudget:
    """A budget of ``seconds`` of processor time of this thread, and of ``memory`` bytes, which are those left.

    Code under a budget calls :meth:`spend` every few milliseconds.
    """

    def __init__(self, seconds: float, memory: int = MAX_MEMORY) -> None:
        self._seconds = seconds
        self.time = TimeLimit(seconds)
        self.memory = memory

    def spend(self, memory: int = 0) -> None:
        """Takes ``memory`` bytes; raises :class:`GaveUpError` if the memory or the time is used up."""
        self.memory -= memory
        if self.memory < 0:
            raise GaveUpError("the automata have too many states")
        if self.time.is_over:
            raise GaveUpError(f"no answer within {self._seconds:g} s")
