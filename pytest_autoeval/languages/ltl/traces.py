"""Infinite traces that a formula can be judged on: lassos, a finite prefix and a loop that repeats for ever."""

from __future__ import annotations

from dataclasses import dataclass

State = frozenset[str]


@dataclass(frozen=True, slots=True)
class Lasso:
    """An ultimately periodic trace: the states of ``prefix``, then those of ``loop`` for ever.

    A state is the set of the propositions that hold in it; ``atoms`` are all that the trace speaks of, in the order in
    which they are shown. ``loop`` is never empty.
    """

    atoms: tuple[str, ...]
    prefix: tuple[State, ...]
    loop: tuple[State, ...]

    def __post_init__(self) -> None:
        if not self.loop:
            raise ValueError("the loop of a lasso has at least one state")

    @property
    def states(self) -> tuple[State, ...]:
        """Prefix and one turn of the loop."""
        return (*self.prefix, *self.loop)
