"""Simulated runs before and after: which formulas pass, as the gates see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Literal

import numpy as np

#: The pass rate of all simulated models before.
RATE = 0.85
#: The chance of a formula that is neither certain to pass nor certain to fail.
UNSTEADY = 0.75
#: How many rows are drawn at once: they fit into memory, and numpy's overhead is small.
_ROWS_AT_ONCE = 1_000_000

Side = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class World:
    """A model before and after, and the suites that it answers.

    Each of the ``suites`` has ``formulas``. A formula passes for certain, fails for certain, or passes with chance
    0.75; so many are of the last kind that a share ``churn`` of the formulas changes between two runs with one trial
    each, although nothing changed. Each formula is tried ``repeats`` times before and ``repeats_after`` times after.
    For a share ``alike`` of the formulas all trials of one run end alike.

    ``shared`` suites have the same formulas, and ``rows`` formulas of a suite belong to one document. ``correlation``
    is that of the results of two such rows. ``errors`` of the samples end in an error: any, or if ``hiding`` only those
    of the new run that would have failed.

    The pass rate of the ``falling`` suites falls by ``drop``: some formulas then always fail, or if ``weakening`` all
    unsteady ones pass less often. With ``chosen`` the baseline is the best of so many runs.
    """

    suites: int = 1
    formulas: int = 60
    churn: float = 0.1
    repeats: int = 1
    repeats_after: int = 1
    alike: float = 1.0
    shared: int = 1
    rows: int = 1
    correlation: float = 0.0
    errors: float = 0.0
    hiding: bool = False
    drop: float = 0.0
    falling: Literal["all", "third", "one"] = "all"
    weakening: bool = False
    models: int = 1
    chosen: int = 1

    def __post_init__(self) -> None:
        if self.suites % self.shared or self.formulas % self.rows:
            raise ValueError(f"the clusters do not fill the suites: {self}")

    @property
    def fallen(self) -> int:
        """The number of suites that fall."""
        return {"all": self.suites, "third": self.suites // 3, "one": 1}[self.falling]

    @property
    def difference(self) -> float:
        """The true difference over all pairs."""
        return -self.drop * self.fallen / self.suites

    @property
    def in_cluster(self) -> int:
        """The rows of a cluster over all suites."""
        return self.rows * self.shared

    @cached_property
    def kinds(self) -> list[tuple[Side, Side, Side, Side]]:
        """What each code of :meth:`runs` means: passed and lost trials, before and after, at worst and at best."""
        found = []
        for code in range((self.repeats + 1) ** 2 * self.base_after):
            before, after = divmod(code, self.base_after)
            passed_before, lost_before = divmod(before, self.repeats + 1)
            passed_after, lost_after = divmod(after, self.repeats_after + 1)
            worst = (passed_before + lost_before, self.repeats), (passed_after, self.repeats_after)
            best = (passed_before, self.repeats), (passed_after + lost_after, self.repeats_after)
            found.append((*worst, *best))
        return found

    @property
    def base_after(self) -> int:
        """The number of codes of a formula after."""
        return (self.repeats_after + 1) ** 2

    def runs(self, number: int, random: np.random.Generator) -> Iterator[Any]:
        """So many runs, each an array with a code for each formula (last axis) of each suite of each model."""
        at_once = max(1, _ROWS_AT_ONCE // (self.models * self.suites * self.formulas))
        for first in range(0, number, at_once):
            yield from _Draw(self, min(at_once, number - first), random).codes()


class _Draw:
    """Some runs of a world, drawn together."""

    def __init__(self, world: World, number: int, random: np.random.Generator) -> None:
        self.world, self.random = world, random
        self.shape = (number, world.models * world.suites, world.formulas)
        self.copies = None
        if world.correlation:
            # Two rows of a cluster that copy it have equal results; both do so with this chance squared.
            self.copies = random.random(self.shape) < sqrt(world.correlation)

    def uniform(self) -> Any:
        """A number in 0…1 for each row; rows that copy their cluster have its number."""
        own = self.random.random(self.shape)
        if self.copies is None:
            return own
        world = self.world
        number, suites, formulas = self.shape
        common = self.random.random((number, suites // world.shared, formulas // world.rows))
        return np.where(
            self.copies, common.repeat(world.shared, axis=1).repeat(world.rows, axis=2), own
        )

    def codes(self) -> Any:
        world = self.world
        unsteady = self.uniform() < self._unsteady
        steady_rate = (RATE - UNSTEADY * self._unsteady) / (1 - self._unsteady)
        before = np.where(unsteady, UNSTEADY, self.uniform() < steady_rate)
        after = before
        if world.drop:
            falls = (np.arange(self.shape[1]) % world.suites < world.fallen)[None, :, None]
            if world.weakening:
                after = np.where(falls & unsteady, UNSTEADY - world.drop / self._unsteady, before)
            else:
                after = np.where(falls & (self.uniform() < world.drop / RATE), 0.0, before)
        alike = None
        if max(world.repeats, world.repeats_after) > 1 and world.alike:
            alike = self.uniform() < world.alike
        passed_after, lost_after = self._trials(
            after, world.repeats_after, alike, hiding=world.hiding
        )
        passed_before, lost_before = self._baseline(before, alike)
        code_before = passed_before * (world.repeats + 1) + lost_before
        return (
            code_before * world.base_after + passed_after * (world.repeats_after + 1) + lost_after
        )

    @property
    def _unsteady(self) -> float:
        """The share of unsteady formulas."""
        return self.world.churn / (2 * UNSTEADY * (1 - UNSTEADY))

    def _baseline(self, chance: Any, alike: Any) -> tuple[Any, Any]:
        """The baseline: one run, or the one with the highest rate over all suites."""
        world = self.world
        best = self._trials(chance, world.repeats, alike)
        for _ in range(world.chosen - 1):
            other = self._trials(chance, world.repeats, alike)
            better = other[0].sum(axis=(1, 2)) > best[0].sum(axis=(1, 2))
            best = tuple(
                np.where(better[:, None, None], theirs, ours)
                for theirs, ours in zip(other, best, strict=True)
            )
        return best

    def _trials(
        self, chance: Any, repeats: int, alike: Any, *, hiding: bool = False
    ) -> tuple[Any, Any]:
        """How many trials of each formula passed, and how many were lost to errors."""
        world = self.world
        passed = np.zeros(self.shape, dtype=np.int64)
        lost = np.zeros(self.shape, dtype=np.int64)
        first = self.uniform()
        for repeat in range(repeats):
            trial = first
            if repeat and alike is not None:
                trial = np.where(alike, first, self.uniform())
            elif repeat:
                trial = self.uniform()
            passes = trial < chance
            if world.errors:
                if hiding:
                    errs = ~passes & (self.random.random(self.shape) < world.errors / (1 - RATE))
                else:
                    errs = self.random.random(self.shape) < (0.0 if world.hiding else world.errors)
                lost += errs
                passes &= ~errs
            passed += passes
        return passed, lost
