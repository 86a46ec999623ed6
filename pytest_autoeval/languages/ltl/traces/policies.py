"""From states as they were written down to the infinite trace that they stand for.

A written trace says where its loop begins, or breaks off with an ellipsis: ``[…];[…];...``. Model checkers mark the
loop; listings of their traces often lost the mark, and what repeats is then a convention: a policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.ltl.traces.lasso import Lasso, State

#: ``last-state``: the last state repeats. ``whole-trace``: all of it repeats. ``earliest-equal``: the last state closes
#: the loop that its earliest equal begins, as model checkers print it; where it has none, all of it repeats.
LoopPolicy = Literal["last-state", "whole-trace", "earliest-equal"]

#: What fits published traces best.
DEFAULT_POLICY: LoopPolicy = "earliest-equal"


class UnreadableTraceError(AutoevalError):
    """A text is no trace; the message says why."""


@dataclass(frozen=True, slots=True)
class Outline:
    """States as written. ``loop_at``: the number of the state at which the loop begins, None where nothing says so.

    ``goes_on``: an ellipsis ends it. ``is_closed``: the loop was marked as model checkers do, who write the state that
    begins the loop again at its end.
    """

    states: tuple[State, ...]
    loop_at: int | None = None
    goes_on: bool = False
    is_closed: bool = False

    def trace(self, atoms: Sequence[str], policy: LoopPolicy | None) -> tuple[Lasso, LoopPolicy | None]:
        """The infinite trace, and the policy that it takes to see one; raises :class:`UnreadableTraceError`.

        Without a policy the loop has to be explicit.
        """
        if not self.states:
            raise UnreadableTraceError("the trace has no states")
        if self.loop_at is None:
            if self.goes_on and policy is not None:
                return closed(atoms, self.states, policy), policy
            raise UnreadableTraceError("the trace has no loop, but it has to be infinite: write the loop as cycle{…}")
        loop = self.states[self.loop_at :]
        if not loop:
            raise UnreadableTraceError("the loop of the trace has no states")
        if self.is_closed and len(loop) > 1 and loop[0] == loop[-1]:
            loop = loop[:-1]
        return Lasso(tuple(atoms), self.states[: self.loop_at], loop), None


def closed(atoms: Sequence[str], states: Sequence[State], policy: LoopPolicy = DEFAULT_POLICY) -> Lasso:
    """The infinite trace that a policy makes of a finite listing of at least one state."""
    start, end = 0, len(states)
    if policy == "last-state":
        start = end - 1
    elif policy == "earliest-equal" and (earliest := states.index(states[-1])) < end - 1:
        start, end = earliest, end - 1
    return Lasso(tuple(atoms), tuple(states[:start]), tuple(states[start:end]))
