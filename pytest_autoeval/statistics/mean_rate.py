"""The mean of the pass rates of several suites, with a bootstrap interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pytest_autoeval.statistics.clusters import Trials

#: The number of bootstrap draws, and their seed. It is not an option, so that a report repeats the figures of its run.
_DRAWS, _SEED = 1000, 0


@dataclass(frozen=True, slots=True)
class MeanRate:
    """The mean of pass rates and the ends of its interval; None if every draw gives the same mean."""

    mean: float
    low: float | None
    high: float | None


def mean_rate(suites: Sequence[Sequence[Trials]], confidence: float = 0.95) -> MeanRate:
    """The mean of the pass rates of some suites, each with equal weight, with a percentile bootstrap interval.

    ``suites[s][f]`` are the passed and all trials of formula ``f`` of suite ``s``. The bootstrap draws formulas within
    each suite (a stratified bootstrap), so the interval is about runs with other formulas of these suites. If the
    formulas of each suite have equal results, all draws are equal and show nothing about other formulas: there is no
    interval. Equal arguments give equal intervals. The interval is widened to hold the mean. Raises
    :class:`ValueError`.

    Sources: B. Efron and R. Tibshirani, "An introduction to the bootstrap" (1993), section 13.3; A. Davison and D.
    Hinkley, "Bootstrap methods and their application" (1997), section 3.2.
    """
    import numpy as np

    if not suites or not all(suites):
        raise ValueError("a mean rate needs suites, and each suite needs formulas")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
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
    tail = (1.0 - confidence) / 2
    low, high = map(float, np.quantile(drawn / len(suites), [tail, 1.0 - tail]))
    return MeanRate(mean, min(low, mean), max(high, mean))
