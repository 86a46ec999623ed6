"""Shrinking of a formula on which a model fails: greedy, structural, in parallel rounds, within a budget.

Each step goes to the first smaller neighbour that fails in the same way. The result is a local minimum: no single
simplification of it fails. This is delta debugging over trees (after Misherghi and Su, *HDD*, ICSE 2006), with the
neighbourhood that each language defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from pytest_autoeval.languages import Formula

#: How many neighbours are tried at once. Fixed: results must not depend on the number of parallel calls.
ROUND = 8

#: For each formula, whether it fails in the same way, at the given repeat.
Probe = Callable[[Sequence[Formula], int], Sequence[bool]]


class Shrunk(Struct, frozen=True):
    """The result of shrinking.

    ``spent`` is the number of round trips; ``repeats`` are the result's failures and tries after the first one.
    """

    formula: Formula
    minimal: bool
    spent: int
    repeats: tuple[int, int]


class _Tries:
    """What is known about the failures of formulas, within a budget of round trips."""

    def __init__(self, fails: Probe, budget: int) -> None:
        self._fails, self._budget = fails, budget
        self._known: dict[tuple[Formula, int], bool] = {}

    @property
    def spent(self) -> int:
        return len(self._known)

    @property
    def is_over(self) -> bool:
        return self.spent >= self._budget

    def make(self, formulas: Sequence[Formula], repeat: int) -> None:
        """Tries the formulas that were not tried at this repeat, as far as the budget goes."""
        untried = [
            formula for formula in dict.fromkeys(formulas) if (formula, repeat) not in self._known
        ]
        affordable = untried[: max(0, self._budget - self.spent)]
        if not affordable:
            return
        for formula, failed in zip(affordable, self._fails(affordable, repeat), strict=True):
            self._known[formula, repeat] = failed

    def failed(self, formula: Formula, repeat: int) -> bool | None:
        """Whether a formula failed at a repeat; None if it was not tried."""
        return self._known.get((formula, repeat))

    def passed(self, formula: Formula) -> bool:
        """Whether a formula passed, at the first try or when it was repeated."""
        return False in (self.failed(formula, 0), self.failed(formula, 1))


def shrink(
    start: Formula, neighbours: Callable[[Formula], Iterator[Formula]], fails: Probe, budget: int
) -> Shrunk:
    """The smallest failing formula reachable from ``start``, which is known to fail, within ``budget`` round trips.

    ``neighbours`` gives the smaller formulas of one, most drastic first; ``fails`` makes the round trips.
    """
    tries = _Tries(fails, budget)

    def step(current: Formula) -> Formula | None:
        """The first neighbour that fails twice; None if there is none, or the budget is spent."""
        candidates = neighbours(current)
        while batch := list(islice(candidates, ROUND)):
            tries.make(batch, 0)
            for candidate in batch:
                if tries.failed(candidate, 0):
                    tries.make([candidate], 1)  # a smaller failure counts only if it repeats
                    if tries.failed(candidate, 1):
                        return candidate
            if tries.is_over:
                break
        return None

    current = start
    while (smaller := step(current)) is not None:
        current = smaller
    minimal = all(map(tries.passed, neighbours(current)))
    repeated = tries.failed(current, 1)
    repeats = (int(repeated or 0), int(repeated is not None))
    return Shrunk(current, minimal, tries.spent, repeats)
