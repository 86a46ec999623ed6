"""Adaptive sampling: which sizes tell most about the horizon of a model, and when it is known precisely enough.

The psi method with a discrete posterior, asking in batches. Sources: L. L. Kontsevich and C. W. Tyler, "Bayesian
adaptive estimation of psychometric slope and threshold", Vision Research 39 (1999), 2729-2737; A. B. Watson, "QUEST+",
Journal of Vision 17 (2017), 3:10; nuisance parameters are marginalised as by N. Prins, "The psi-marginal adaptive
method", Journal of Vision 13 (2013), 7:3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_autoeval.statistics.horizon import Horizon, fit_curve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

#: The grid: so many thresholds and widths on either scale of size, and rates of failure at sizes that are no trouble.
_THRESHOLDS, _WIDTHS = 48, 9
_LAPSES = (0.0, 0.02, 0.05, 0.1, 0.2)
#: The thresholds reach beyond the sizes by these shares of their range.
_BELOW, _ABOVE = 0.2, 0.4
#: Horizons that differ by less than this factor are one.
_BIN = 1.04
#: The first batch is spread evenly over the sizes; a later one is a share of what is known, between these bounds.
_FIRST, _SHARE, _FEWEST, _MOST = 10, 0.2, 5, 64
#: Fewer make no curve.
FEWEST_FORMULAS, FEWEST_SIZES = 20, 3


def known_to(horizon: Horizon) -> float:
    """How precisely a horizon is known: half the width of its 95 % interval over its value.

    Beyond the sizes nothing is asked, so an open end of the interval counts as the end of the sizes, and a horizon
    outside as there. 0 where the whole interval lies outside.
    """
    least, largest = horizon.least, horizon.largest
    low, high = (horizon.low, horizon.high)
    if horizon.bound == "above":
        value, low, high = largest, largest if low is None else low, largest
    elif horizon.bound == "below":
        value, low, high = least, least, least if high is None else high
    else:
        value = horizon.value or least
        low, high = least if low is None else low, largest if high is None else high
    return 0.0 if high <= low else (high - low) / 2 / value if value > 0 else float("inf")


class SizeChooser:
    """Chooses the sizes of the next formulas by how earlier ones ended, until horizons are known precisely.

    ``precision`` is the largest :func:`known_to` of the horizons at all ``levels``. What is chosen depends on the sizes
    and the results alone, whatever the order of the results within a batch. Raises :class:`ValueError` for no sizes.
    """

    def __init__(self, sizes: Iterable[int], *, precision: float, levels: Sequence[float] = (0.5,)) -> None:
        self._sizes = sorted(set(sizes))
        if not self._sizes:
            raise ValueError("there are no sizes to choose from")
        self._precision, self._levels = precision, tuple(levels)
        self._open = dict.fromkeys(self._sizes)
        self._results: Counter[tuple[int, bool]] = Counter()
        #: How precisely the horizon is known that is known worst; None where no curve can be fitted.
        self.reached: float | None = None

    @property
    def done(self) -> bool:
        """Whether all horizons are known as precisely as asked, or no size is left."""
        return not self._open or (self.reached is not None and self.reached <= self._precision)

    @property
    def batch(self) -> int:
        """How many formulas to ask next: a share of those that are known, so that the last batch wastes few."""
        known = self._results.total()
        if not known:
            return _FIRST
        wanted = max(_FEWEST, int(known * _SHARE))
        if self.reached is not None:  # the width falls with the square root of the number
            wanted = min(wanted, max(_FEWEST, int(known * ((self.reached / self._precision) ** 2 - 1))))
        return min(wanted, _MOST)

    def leave_out(self, size: int) -> None:
        """There are no further formulas of a size."""
        self._open.pop(size, None)

    def next(self, count: int) -> list[int]:
        """The sizes of the next formulas, in ascending order; a size may stand there several times."""
        import numpy as np

        sizes = list(self._open)
        if not sizes or count < 1:
            return []
        if not self._results:
            places = np.linspace(0, len(sizes) - 1, count).round().astype(int)
            return [sizes[place] for place in places]
        grid = self._grid
        columns = np.array([self._sizes.index(size) for size in sizes])
        weights = self._weights
        chosen = []
        for _ in range(count):
            column = columns[np.argmax(grid.information(weights, columns))]
            chosen.append(self._sizes[column])
            weights = grid.after(weights, column)
        return sorted(chosen)

    def add(self, results: Iterable[tuple[int, bool]]) -> None:
        """Adds the results of a whole batch: the size of each formula, and whether it passed."""
        self._results.update(results)
        curve = None
        if self._results.total() >= FEWEST_FORMULAS:
            formulas = [(float(size), int(passed), 1) for size, passed in sorted(self._results.elements())]
            curve = fit_curve(formulas, levels=self._levels)
        self.reached = None if curve is None else max(map(known_to, curve.horizons))

    @cached_property
    def _grid(self) -> Grid:
        return Grid(self._sizes, self._levels)

    @property
    def _weights(self) -> Numbers:
        """The posterior over the grid."""
        import numpy as np

        grid = self._grid
        evidence = np.log(grid.prior)
        for (size, passed), times in sorted(self._results.items()):
            rate = grid.rates[:, self._sizes.index(size)]
            evidence = evidence + times * np.log(rate if passed else 1 - rate)
        weights: Numbers = np.exp(evidence - evidence.max())
        weights /= weights.sum()
        return weights


class Grid:
    """Curves of pass rate over size: every threshold with every width and lapse, on size and on its logarithm.

    ``rates`` has the probability to pass, a row for each curve and a column for each size. ``bins`` has a column for
    each level: the number of the bin that the curve's horizon at that level falls into.
    """

    def __init__(self, sizes: Sequence[int], levels: Sequence[float]) -> None:
        import numpy as np

        rates, priors, horizons = [], [], []
        x = np.array(sizes, dtype=float)
        lapse_prior = 1.0 / (1.0 + 20.0 * np.array(_LAPSES))
        for scale, back in ((lambda size: size, lambda place: place), (np.log1p, np.expm1)):
            places = scale(x)
            reach = max(places[-1] - places[0], scale(1.0))
            thresholds = np.linspace(places[0] - _BELOW * reach, places[-1] + _ABOVE * reach, _THRESHOLDS)
            widths = np.geomspace(reach / 150, reach, _WIDTHS)
            threshold, width, lapse = (
                part.ravel()[:, None] for part in np.meshgrid(thresholds, widths, np.array(_LAPSES), indexing="ij")
            )
            rate = (1 - lapse) / (1 + np.exp(np.clip((places - threshold) / width, -50, 50)))
            rates.append(np.clip(rate, 1e-4, 1 - 1e-4))
            priors.append(np.broadcast_to(lapse_prior, (_THRESHOLDS, _WIDTHS, len(_LAPSES))).ravel())
            asked = np.array(levels)
            odds = np.clip((1 - lapse) / asked - 1, 1e-12, None)
            place = np.where(1 - lapse > asked, threshold + width * np.log(odds), places[0] - reach)
            horizons.append(back(np.minimum(place, places[-1] + reach)))
        self.rates: Numbers = np.vstack(rates)
        prior = np.concatenate(priors)
        self.prior: Numbers = prior / prior.sum()
        first, last = max(x[0], 0.5), max(x[-1], 0.5)
        horizon = np.clip(np.vstack(horizons), first * 0.999, last * 1.001)
        self.bins = (np.log(horizon / first) / np.log(_BIN)).round().astype(int)

    def after(self, weights: Numbers, column: int) -> Numbers:
        """The posterior to expect when a size was asked that has not answered: its evidence by the expected answer."""
        import numpy as np

        rate = self.rates[:, column]
        expected = weights @ rate
        changed: Numbers = weights * np.exp(expected * np.log(rate) + (1 - expected) * np.log(1 - rate))
        changed /= changed.sum()
        return changed

    def information(self, weights: Numbers, columns: Any) -> Numbers:
        """By how much one answer of each size lowers the entropy of the horizons, expected under the posterior."""
        import numpy as np

        rates = self.rates[:, columns]
        total = np.zeros(len(columns))
        for level in range(self.bins.shape[1]):
            bins = self.bins[:, level]
            order = np.argsort(bins, kind="stable")
            starts = np.flatnonzero(np.diff(bins[order], prepend=-1))
            mass = np.add.reduceat(weights[order], starts)
            mean = (
                np.add.reduceat((weights[:, None] * rates)[order], starts, axis=0) / np.maximum(mass, 1e-300)[:, None]
            )
            total += _entropy(mass @ mean) - mass @ _entropy(mean)
        return total


def _entropy(rate: Any) -> Any:
    """Of one answer that passes at a rate, in nats."""
    import numpy as np

    safe = np.clip(rate, 1e-12, 1 - 1e-12)
    return -safe * np.log(safe) - (1 - safe) * np.log(1 - safe)
