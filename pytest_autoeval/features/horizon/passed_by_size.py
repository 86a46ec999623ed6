"""How many formulas of each size passed, and the curve that is fitted to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log
from statistics import fmean
from typing import TypeGuard

from msgspec import Struct

from pytest_autoeval.features.horizon.fit import (
    FEWEST_FORMULAS,
    FEWEST_SIZES,
    LEVELS,
    Curve,
    Formula,
    Horizon,
    fit_curve,
)
from pytest_autoeval.features.horizon.likelihood_drop import likelihood_drop
from pytest_autoeval.judging.item_groups import Item, trials
from pytest_autoeval.record.lines import Sample

#: A drop in log-likelihood that the fit, which ends within a tolerance, cannot overlook.
_MARGIN = 0.1


class PassedBySize(Struct, frozen=True):
    """How many formulas of each size passed so many of so many trials; and the task's chance to pass by guessing."""

    counts: tuple[tuple[Formula, int], ...] = ()
    chance: float = 0.0

    @classmethod
    def of(cls, items: Mapping[Item, Sequence[Sample]], measure: str = "") -> PassedBySize:
        """The counts over a measure of the formulas, or over the sizes at which they were drawn."""
        counts: Counter[Formula] = Counter()
        for samples in items.values():
            first = samples[0]
            size = first.measures.get(measure) if measure else first.size
            if is_known(size):
                counts[size, *trials(samples)] += 1
        return cls(_in_order(counts), _mean_chance(items.values()))

    @classmethod
    def over(
        cls, items: Mapping[Item, Sequence[Sample]], measures: Sequence[str]
    ) -> dict[str, PassedBySize]:
        """The counts over each of several measures that the formulas have. The trials are counted once."""
        counts_by_measure: dict[str, Counter[Formula]] = {name: Counter() for name in measures}
        for samples in items.values():
            values = samples[0].measures
            passed_and_total = trials(samples)
            for name, counts in counts_by_measure.items():
                size = values.get(name)
                if is_known(size):
                    counts[size, *passed_and_total] += 1
        chance = _mean_chance(items.values())
        return {
            name: cls(_in_order(counts), chance)
            for name, counts in counts_by_measure.items()
            if counts
        }

    @property
    def formulas(self) -> list[Formula]:
        """One entry for each formula, as the fit needs them."""
        return [formula for formula, times in self.counts for _ in range(times)]

    @property
    def curve(self) -> Curve | None:
        """The curve over the sizes, fitted at the first access; None with too few formulas."""
        number_of_formulas = sum(times for _, times in self.counts)
        # The fit would refuse too few formulas as well, but would load NumPy first.
        if number_of_formulas < FEWEST_FORMULAS:
            return None
        return _fitted(self)

    def horizon(self, level: float) -> Horizon | None:
        """The horizon of the curve at one of :data:`LEVELS`; None with too few formulas."""
        beyond_all_sizes = self._horizon_beyond_all_sizes(level)
        if beyond_all_sizes is not None:
            return beyond_all_sizes
        curve = self.curve
        return None if curve is None else curve.horizon(level)

    def _horizon_beyond_all_sizes(self, level: float) -> Horizon | None:
        """The horizon of a suite without any failure, if it is known without the fit, which would load NumPy.

        A falling curve with its horizon at a drawn size passes the largest size with at most this level. If so many
        passes are too unlikely there, the whole interval lies beyond the largest size.
        """
        if self.chance or not all(0 < passed == total for (_, passed, total), _ in self.counts):
            return None
        sizes = {size for (size, _, _), _ in self.counts}
        if len(sizes) < FEWEST_SIZES or sum(times for _, times in self.counts) < FEWEST_FORMULAS:
            return None
        trials = sum(total * times for (_, _, total), times in self.counts)
        # Equal trials of one formula count as one: this is the design effect of a suite without any failure.
        effect = sum(total**2 * times for (_, _, total), times in self.counts) / trials
        largest = max(sizes)
        at_largest = sum(
            total * times for (size, _, total), times in self.counts if size == largest
        )
        drop = at_largest / effect * -log(level)
        if drop <= likelihood_drop(trials / effect) + _MARGIN:
            return None
        return Horizon(
            level, None, float(largest), None, "above", float(min(sizes)), float(largest)
        )


def is_known(size: float | None) -> TypeGuard[float]:
    """Whether a formula has a size. It may lack a measure that others of the suite have."""
    return size is not None and size >= 0


def _in_order(counts: Counter[Formula]) -> tuple[tuple[Formula, int], ...]:
    """Sorted, so that equal counts are equal whatever the order of the samples."""
    return tuple(sorted(counts.items()))


def _mean_chance(samples_of_formulas: Iterable[Sequence[Sample]]) -> float:
    """The mean pass rate of pure guessing, over the formulas with their samples; 0 without formulas."""
    chances = [samples[0].chance for samples in samples_of_formulas]
    return fmean(chances) if chances else 0.0


# A matrix, its legend and the section of a suite ask for the same curve.
@lru_cache(maxsize=512)
def _fitted(passed: PassedBySize) -> Curve | None:
    return fit_curve(passed.formulas, levels=LEVELS, chance=passed.chance)
