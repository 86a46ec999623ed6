"""Adaptive sampling: which sizes to ask next, and when the horizon is known precisely enough.

The psi method with a discrete posterior, asking in batches. Sources: L. L. Kontsevich and C. W. Tyler, "Bayesian
adaptive estimation of psychometric slope and threshold", Vision Research 39 (1999), 2729-2737; A. B. Watson, "QUEST+",
Journal of Vision 17 (2017), 3:10; nuisance parameters are marginalised as by N. Prins, "The psi-marginal adaptive
method", Journal of Vision 13 (2013), 7:3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from pytest_autoeval.statistics.horizon import FEWEST_FORMULAS, fit_curve, known_to
from pytest_autoeval.statistics.logistic import Numbers

#: The grid: numbers of thresholds and widths on either scale of size, and rates of failure at easy sizes.
_THRESHOLDS, _WIDTHS = 48, 9
_LAPSES = (0.0, 0.02, 0.05, 0.1, 0.2)
#: Rates of guessing, as shares of a task's chance.
_GUESSES = (0.5, 0.8, 1.0)
#: The thresholds reach beyond the sizes by these shares of their range.
_BELOW, _ABOVE = 0.2, 0.4
#: Horizons that differ by less than this factor count as equal.
_BIN = 1.04
#: The first batch is spread evenly over the sizes. A later one is a share of the known results, between these bounds.
_FIRST, _SHARE, _FEWEST, _MOST = 10, 0.2, 5, 64
#: A batch is chosen in about this number of steps, each for one size.
_CHOICES = 8
#: With fewer formulas an interval may be narrow by luck, and a run that ends then covers too rarely.
_FEWEST_KNOWN = 80


class SizeChooser:
    """Chooses the sizes of the next formulas from earlier results, until all horizons are known precisely.

    ``precision`` is the largest allowed :func:`known_to` of the horizons at all ``levels``; ``chance`` as in
    :func:`fit_curve`. The order of results within a batch does not matter. Raises :class:`ValueError` without sizes.
    """

    def __init__(
        self, sizes: Iterable[int], *, precision: float, levels: Sequence[float] = (0.5,), chance: float = 0.0
    ) -> None:
        self._sizes = sorted(set(sizes))
        if not self._sizes:
            raise ValueError("there are no sizes to choose from")
        self._precision, self._levels, self.chance = precision, tuple(levels), chance
        self._open = set(self._sizes)
        self._results: Counter[tuple[int, bool]] = Counter()
        self._reached = self._known = False
        self._grid = Grid(self._sizes, self._levels, chance)
        self._weights = self._grid.prior

    @property
    def done(self) -> bool:
        """Whether all horizons are known to the precision, or no size is left."""
        return self._known or not self._open

    @property
    def batch(self) -> int:
        """The number of formulas in the next batch: a share of the known ones, so that the last one stays small."""
        known = self._results.total()
        if not known:
            return _FIRST
        wanted = known * _SHARE
        if known >= _FEWEST_KNOWN and not self._reached:  # the width falls with the square root of the number
            wanted = min(wanted, known * ((self._width / self._precision) ** 2 - 1))
        return int(min(max(wanted, _FEWEST), _MOST))

    def leave_out(self, size: int) -> None:
        """Removes a size without further formulas."""
        self._open.discard(size)

    def next(self, count: int) -> list[int]:
        """The sizes of the next formulas, ascending, with repeats."""
        sizes = sorted(self._open)
        if not sizes or count < 1:
            return []
        if not self._results:
            places = np.linspace(0, len(sizes) - 1, count).round().astype(int)
            return [sizes[place] for place in places]
        closed = [at for at, size in enumerate(self._sizes) if size not in self._open]
        weights = self._weights
        chosen: list[int] = []
        while left := count - len(chosen):
            information = self._grid.information(weights)
            information[closed] = -1.0
            column = int(information.argmax())
            times = min(left, 1 + count // _CHOICES)
            chosen += times * [self._sizes[column]]
            weights = self._grid.after(weights, column, times)
        return sorted(chosen)

    def add(self, results: Iterable[tuple[int, bool]]) -> None:
        """Adds the results of a whole batch: the size of each formula, and whether it passed."""
        self._results.update(results)
        passed, failed = ([self._results[size, kind] for size in self._sizes] for kind in (True, False))
        self._weights = self._grid.posterior(passed, failed)
        known = self._results.total()
        # The first interval that is narrow enough is often narrow by luck. So the posterior must be as narrow too, and
        # both must stay so for one more batch.
        before, self._reached = self._reached, False
        if known < FEWEST_FORMULAS or self._width > self._precision:
            return
        formulas = [(float(size), int(passed), 1) for size, passed in sorted(self._results.elements())]
        curve = fit_curve(formulas, levels=self._levels, chance=self.chance, with_points=False)
        reached = inf if curve is None else max(map(known_to, curve.horizons))
        self._reached = reached <= self._precision and known >= _FEWEST_KNOWN
        self._known = reached == 0.0 or (before and self._reached)

    @property
    def _width(self) -> float:
        """Half the width of the 95 % interval under the posterior over its middle; the largest over the levels."""
        return self._grid.width(self._weights)


class Grid:
    """Curves of pass rate over size: every threshold with every width, lapse and rate of guessing, on size and its log.

    ``prior`` has the weights of the curves.
    """

    def __init__(self, sizes: Sequence[int], levels: Sequence[float], chance: float) -> None:
        guesses = [chance * share for share in _GUESSES] if chance else [0.0]
        x = np.array(sizes, dtype=float)
        rates, horizons = [], []
        for scale, back in ((lambda size: size, lambda place: place), (np.log1p, np.expm1)):
            places = scale(x)
            reach = max(places[-1] - places[0], scale(1.0))
            thresholds = np.linspace(places[0] - _BELOW * reach, places[-1] + _ABOVE * reach, _THRESHOLDS)
            axes = np.meshgrid(thresholds, np.geomspace(reach / 150, reach, _WIDTHS), _LAPSES, guesses, indexing="ij")
            threshold, width, lapse, guess = (axis.reshape(-1, 1) for axis in axes)
            rate = guess + (1 - lapse - guess) / (1 + np.exp(np.clip((places - threshold) / width, -50, 50)))
            rates.append(np.clip(rate, 1e-4, 1 - 1e-4))
            top = np.ones_like(lapse) if chance else 1 - lapse
            odds = top / np.array(levels) - 1
            place = np.where(odds > 0, threshold + width * np.log(np.maximum(odds, 1e-9)), places[0] - reach)
            horizons.append(back(np.minimum(place, places[-1] + reach)))
        self._rates: Numbers = np.vstack(rates)
        self._passing, self._failing = np.log(self._rates), np.log(1 - self._rates)
        likely = np.repeat(1 / (1 + 20 * np.array(_LAPSES)), len(guesses))
        self.prior: Numbers = np.tile(likely, len(self._rates) // len(likely))
        self.prior /= self.prior.sum()
        first, last = max(x[0], 0.5), max(x[-1], 0.5)
        clipped = np.clip(np.vstack(horizons), first / _BIN, last * _BIN)
        #: For each level: the order of the curves' horizons, their rates in it, and the horizon and start of each bin.
        self._bins = []
        for horizon in clipped.T:
            number = np.log(horizon / first) / np.log(_BIN)
            order = number.argsort(kind="stable")
            kinds, starts = np.unique(number[order].round(), return_index=True)
            self._bins.append((order, self._rates[order], first * _BIN**kinds, starts))

    def posterior(self, passed: Sequence[int], failed: Sequence[int]) -> Numbers:
        """The weights of the curves after these numbers of passed and failed formulas of each size."""
        evidence = np.log(self.prior) + self._passing @ np.array(passed) + self._failing @ np.array(failed)
        weights: Numbers = np.exp(evidence - evidence.max())
        weights /= weights.sum()
        return weights

    def after(self, weights: Numbers, column: int, times: int) -> Numbers:
        """The posterior after the expected answer at a size."""
        rate = self._rates[:, column]
        expected = weights @ rate
        evidence = expected * self._passing[:, column] + (1 - expected) * self._failing[:, column]
        changed: Numbers = weights * np.exp(times * evidence)
        changed /= changed.sum()
        return changed

    def information(self, weights: Numbers) -> Numbers:
        """The expected decrease of the entropy of the horizons by one answer at each size."""
        total = np.zeros(self._rates.shape[1])
        for order, rates, _, starts in self._bins:
            ordered = weights[order]
            mass = np.add.reduceat(ordered, starts)
            passing = np.add.reduceat(ordered[:, None] * rates, starts, axis=0)
            mean = passing / np.maximum(mass, 1e-300)[:, None]
            total += _entropy(passing.sum(axis=0)) - mass @ _entropy(mean)
        return total

    def width(self, weights: Numbers) -> float:
        """Half the width of the 95 % interval of a horizon over its middle; the largest over the levels."""
        worst = 0.0
        for order, _, horizons, starts in self._bins:
            below = np.add.reduceat(weights[order], starts).cumsum()
            low, high = (horizons[min(np.searchsorted(below, share), len(below) - 1)] for share in (0.025, 0.975))
            worst = max(worst, float((high - low) / (high + low)))
        return worst


def _entropy(rate: Numbers) -> Numbers:
    """The entropy of one answer that passes at a rate, in nats."""
    safe = np.clip(rate, 1e-12, 1 - 1e-12)
    entropy: Numbers = -safe * np.log(safe) - (1 - safe) * np.log(1 - safe)
    return entropy
