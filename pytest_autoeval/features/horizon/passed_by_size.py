"""How many formulas of each size passed, and the curve that is fitted to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from pytest_autoeval.features.horizon.fit import FEWEST_FORMULAS, LEVELS, Curve, Formula, fit_curve
from pytest_autoeval.judging.item_groups import Item, trials
from pytest_autoeval.record.lines import Sample


@dataclass(frozen=True, slots=True)
class PassedBySize:
    """For each size how many formulas passed so many of so many trials; the task's chance."""

    counts: tuple[tuple[Formula, int], ...] = ()
    chance: float = 0.0

    @classmethod
    def of(cls, items: Mapping[Item, Sequence[Sample]], measure: str = "") -> PassedBySize:
        """The counts over a measure of the formulas, or over the sizes at which they were drawn."""
        counts: Counter[Formula] = Counter()
        for samples in items.values():
            first = samples[0]
            size = first.measures.get(measure) if measure else first.size
            # A formula may lack a measure that others of the suite have.
            if size is not None and size >= 0:
                counts[size, *trials(samples)] += 1
        # Sorted, so that equal counts are equal whatever the order of the samples.
        formulas = tuple(sorted(counts.items()))
        return cls(formulas, chance_of(items.values()))

    @classmethod
    def over(
        cls, items: Mapping[Item, Sequence[Sample]], measures: Sequence[str]
    ) -> dict[str, PassedBySize]:
        """The counts over each of several measures that the formulas have. The trials are counted once."""
        counts: dict[str, Counter[Formula]] = {name: Counter() for name in measures}
        for tried in items.values():
            values = tried[0].measures
            counted = trials(tried)
            for name, formulas in counts.items():
                size = values.get(name)
                if size is not None and size >= 0:
                    formulas[size, *counted] += 1
        chance = chance_of(items.values())
        return {
            name: cls(tuple(sorted(of_measure.items())), chance)
            for name, of_measure in counts.items()
            if of_measure
        }

    @property
    def formulas(self) -> list[Formula]:
        """One entry for each formula, as the fit needs them."""
        return [formula for formula, times in self.counts for _ in range(times)]

    @property
    def curve(self) -> Curve | None:
        """The curve over the sizes, fitted at the first access; None with too few formulas."""
        # Nothing heavy is loaded if there are too few.
        return None if sum(times for _, times in self.counts) < FEWEST_FORMULAS else _fitted(self)


def chance_of(trials: Iterable[Sequence[Sample]]) -> float:
    """The mean pass rate of pure guessing, over formulas with their trials; 0 without formulas."""
    chances = [tried[0].chance for tried in trials]
    return fmean(chances) if chances else 0.0


@lru_cache(maxsize=512)
def _fitted(passed: PassedBySize) -> Curve | None:
    return fit_curve(passed.formulas, levels=LEVELS, chance=passed.chance)
