"""Means over several suites with equal weight, with bootstrap intervals: of pass rates, and of the ranks of models.

The bootstrap draws formulas within each suite (a stratified bootstrap), so an interval is about runs with other
formulas of these suites. Equal arguments give equal intervals. An interval is widened to hold the mean.

Sources: B. Efron and R. Tibshirani, "An introduction to the bootstrap" (1993), section 13.3; A. Davison and D. Hinkley,
"Bootstrap methods and their application" (1997), section 3.2; for ranks, H. Goldstein and D. Spiegelhalter, "League
tables and their limitations", Journal of the Royal Statistical Society A 159 (1996).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pytest_autoeval.statistics.clusters import Trials

#: The number of bootstrap draws, and their seed. It is not an option, so that a report repeats the figures of its run.
_DRAWS, _SEED = 1000, 0
_TAIL = (1.0 - 0.95) / 2
_ENDS = (_TAIL, 1.0 - _TAIL)


@dataclass(frozen=True, slots=True)
class MeanRate:
    """A mean over suites and the ends of its 95 % interval; None if every draw gives the same mean rate."""

    mean: float
    low: float | None
    high: float | None


def mean_rate(suites: Sequence[Sequence[Trials]]) -> MeanRate:
    """The mean of the pass rates of some suites.

    ``suites[s][f]`` are the passed and all trials of formula ``f`` of suite ``s``. If the formulas of each suite have
    equal results, all draws are equal and show nothing about other formulas: there is no interval. Raises
    :class:`ValueError`.
    """
    import numpy as np

    _check(suites)
    random = np.random.default_rng(_SEED)
    rates, drawn = [], np.zeros(_DRAWS)
    for formulas in suites:
        # Formulas with equal results are drawn together, in an order that does not depend on that of the formulas.
        kinds = dict(sorted(Counter(formulas).items()))
        times: Any = np.array([*kinds.values()])
        passed, trials = np.array([*kinds]).T
        rates.append(float(times @ passed / (times @ trials)))
        draws = random.multinomial(len(formulas), times / len(formulas), size=_DRAWS)
        drawn += draws @ passed / (draws @ trials)
    mean = fmean(rates)  # exactly 1 if every rate is 1
    if all(len({passed / trials for passed, trials in formulas}) == 1 for formulas in suites):
        return MeanRate(mean, None, None)
    low, high = map(float, np.quantile(drawn / len(suites), _ENDS))
    return MeanRate(mean, min(low, mean), max(high, mean))


def mean_ranks(suites: Sequence[Sequence[Sequence[float]]]) -> list[MeanRate]:
    """The mean rank of each model over some suites; 1 is best.

    ``suites[s][f][m]`` is the pass rate (0…1) of model ``m`` on formula ``f`` of suite ``s``. In a suite the highest
    mean rate has rank 1; equal rates share the mean of their ranks. The same formulas are drawn for all models. Raises
    :class:`ValueError`.
    """
    import numpy as np

    _check(suites)
    random = np.random.default_rng(_SEED)
    seen: Any = 0.0
    drawn: Any = 0.0
    for formulas in suites:
        # Formulas with the same results for all models are drawn together.
        kinds, times = np.unique(np.asarray(formulas, dtype=float), axis=0, return_counts=True)
        seen += _ranks(times @ kinds / len(formulas))
        drawn += _ranks(random.multinomial(len(formulas), times / len(formulas), size=_DRAWS) @ kinds / len(formulas))
    means = seen / len(suites)
    low, high = np.quantile(drawn / len(suites), _ENDS, axis=0)
    ends = zip(means, np.minimum(low, means), np.maximum(high, means), strict=True)
    return [MeanRate(*map(float, three)) for three in ends]


def _check(suites: Sequence[Sequence[object]]) -> None:
    if not suites or not all(suites):
        raise ValueError("a mean over suites needs suites, and each suite needs formulas")


def _ranks(rates: Any) -> Any:
    """The rank of each model (last axis) by its rate: the highest has 1, equal ones share their mean rank."""
    rounded = rates.round(9)  # equal rates may differ by how they were summed
    beside, own = rounded[..., None, :], rounded[..., :, None]
    return ((beside > own).sum(axis=-1) + 1 + (beside >= own).sum(axis=-1)) / 2
