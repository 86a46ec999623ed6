"""Shrinking of a formula on which a model fails: greedy, structural, in parallel rounds, within a budget.

Each step goes to the first smaller neighbour that fails in the same way. The result is a local minimum: no single
simplification of it fails. This is delta debugging over trees (after Misherghi and Su, *HDD*, ICSE 2006), with the
neighbourhood that each language defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_autoeval.languages import Formula

#: How many neighbours are tried at once. Fixed: results must not depend on the number of parallel calls.
ROUND = 8

#: For each formula, whether it fails in the same way, at the given repeat.
Probe = Callable[[Sequence[Formula], int], Sequence[bool]]


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result of shrinking.

    ``spent`` is the number of round trips; ``repeats`` are the result's failures and tries after the first one.
    """

    formula: Formula
    minimal: bool
    spent: int
    repeats: tuple[int, int]


def shrink(
    start: Formula, neighbours: Callable[[Formula], Iterator[Formula]], fails: Probe, budget: int
) -> Shrunk:
    """The smallest failing formula reachable from ``start``, which is known to fail, within ``budget`` round trips.

    ``neighbours`` gives the smaller formulas of one, most drastic first; ``fails`` makes the round trips.
    """
    known: dict[tuple[Formula, int], bool] = {}

    def probe(formulas: Sequence[Formula], repeat: int) -> None:
        """Adds to ``known`` which formulas fail, within the budget."""
        unknown = [formula for formula in dict.fromkeys(formulas) if (formula, repeat) not in known]
        if fresh := unknown[: max(0, budget - len(known))]:
            known.update(
                zip([(formula, repeat) for formula in fresh], fails(fresh, repeat), strict=True)
            )

    def step(current: Formula) -> Formula | None:
        candidates = neighbours(current)
        while batch := list(islice(candidates, ROUND)):
            probe(batch, 0)
            for candidate in batch:
                if known.get((candidate, 0)):
                    probe([candidate], 1)  # a smaller failure counts only if it repeats
                    if known.get((candidate, 1)):
                        return candidate
            if len(known) >= budget:
                break
        return None

    current = start
    while (smaller := step(current)) is not None:
        current = smaller
    minimal = all(
        False in (known.get((near, 0)), known.get((near, 1))) for near in neighbours(current)
    )
    confirmed = known.get((current, 1))
    repeats = (int(confirmed or 0), int(confirmed is not None))
    return Shrunk(current, minimal, len(known), repeats)
