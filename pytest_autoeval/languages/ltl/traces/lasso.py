"""Infinite traces that a formula can be judged on: lassos, a finite prefix and a loop that repeats for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

State = frozenset[str]
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Lasso:
    """An ultimately periodic trace: the states of ``prefix``, then those of ``loop`` for ever.

    A state is the set of the propositions that hold in it; ``atoms`` are all that the trace speaks of, in the order in
    which they are shown. ``loop`` is never empty. ``str`` is the canonical text.
    """

    atoms: tuple[str, ...]
    prefix: tuple[State, ...]
    loop: tuple[State, ...]

    def __post_init__(self) -> None:
        if not self.loop:
            raise ValueError("the loop of a lasso has at least one state")
        if strange := frozenset().union(*self.states).difference(self.atoms):
            raise ValueError(f"the trace has states over {', '.join(sorted(strange))}, which are not among its atoms")

    def __str__(self) -> str:
        return to_text(self)

    @property
    def states(self) -> tuple[State, ...]:
        """Prefix and one turn of the loop."""
        return (*self.prefix, *self.loop)

    def state(self, position: int) -> State:
        """The state at a position (from 0) of the infinite trace."""
        turned = position - len(self.prefix)
        return self.prefix[position] if turned < 0 else self.loop[turned % len(self.loop)]

    def reduced(self) -> Lasso:
        """The same infinite trace with the shortest loop and prefix: two lassos are one trace if these are equal."""
        return Lasso(self.atoms, *shortest(self.prefix, self.loop))


def to_text(lasso: Lasso) -> str:
    """The canonical text: ``parse_trace(to_text(lasso)) == lasso``."""
    states = [_state_text(state, lasso.atoms) for state in lasso.states]
    start = len(lasso.prefix)
    return "; ".join([*states[:start], f"cycle{{{'; '.join(states[start:])}}}"])


def shortest(prefix: tuple[S, ...], loop: tuple[S, ...]) -> tuple[tuple[S, ...], tuple[S, ...]]:
    """The shortest prefix and loop of the same infinite sequence: one for equal sequences."""
    size = len(loop)
    period = next(turn for turn in range(1, size + 1) if size % turn == 0 and loop[:turn] * (size // turn) == loop)
    loop = loop[:period]
    while prefix and prefix[-1] == loop[-1]:
        prefix, loop = prefix[:-1], (*loop[-1:], *loop[:-1])
    return prefix, loop


def _state_text(state: State, atoms: Sequence[str]) -> str:
    return " & ".join(atom if atom in state else f"!{atom}" for atom in atoms) or "1"
