"""Comparison of models on the same formulas: which of two is better, and mean ranks over suites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.statistics.clusters import Trials
from pytest_autoeval.statistics.paired import PairedTest, paired_test

#: The number of bootstrap draws, and their seed. It is not an option, so that a report repeats the figures of its run.
_DRAWS, _SEED = 1000, 0


@dataclass(frozen=True, slots=True)
class MeanRank:
    """A model's mean rank over suites (1 is best) and its interval."""

    mean: float
    low: float
    high: float


def two_sided_test(pairs: Sequence[tuple[Trials, Trials]]) -> tuple[PairedTest, float | None]:
    """The paired test and its two-sided p-value, None without pairs; with one trial each McNemar's exact test."""
    test = paired_test(pairs)
    tail = test if test.difference <= 0 else paired_test([(after, before) for before, after in pairs])
    # The distribution under random sign flips is symmetric.
    return test, None if tail.p_value is None else min(1.0, 2 * tail.p_value)


def mean_ranks(suites: Sequence[Sequence[Sequence[float]]], confidence: float = 0.95) -> list[MeanRank]:
    """The mean rank of each model over some suites, with bootstrap intervals.

    ``suites[s][f][m]`` is the pass rate (0…1) of model ``m`` on formula ``f`` of suite ``s``. In a suite the highest
    mean rate has rank 1; equal rates share the mean of their ranks. The bootstrap draws formulas within each suite, the
    same for all models, so the interval is about runs with other formulas of these suites. Equal arguments give equal
    intervals. The interval is widened to hold the mean rank. Raises :class:`ValueError`.

    Sources: B. Efron and R. Tibshirani, "An introduction to the bootstrap" (1993), section 13.3; H. Goldstein and D.
    Spiegelhalter, "League tables and their limitations", Journal of the Royal Statistical Society A 159 (1996).
    """
    import numpy as np

    if not suites or not all(suites):
        raise ValueError("ranks need suites, and each suite needs formulas")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    random = np.random.default_rng(_SEED)
    seen: Any = 0.0
    drawn: Any = 0.0
    for formulas in suites:
        # Formulas with the same results for all models are drawn together.
        kinds, times = np.unique(np.asarray(formulas, dtype=float), axis=0, return_counts=True)
        seen += _ranks(times @ kinds / len(formulas))
        drawn += _ranks(random.multinomial(len(formulas), times / len(formulas), size=_DRAWS) @ kinds / len(formulas))
    means = seen / len(suites)
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(drawn / len(suites), [tail, 1.0 - tail], axis=0)
    ends = zip(means, np.minimum(low, means), np.maximum(high, means), strict=True)
    return [MeanRank(*map(float, three)) for three in ends]


def _ranks(rates: Any) -> Any:
    """The rank of each model (last axis) by its rate: the highest has 1, equal ones share their mean rank."""
    rounded = rates.round(9)  # equal rates may differ by how they were summed
    beside, own = rounded[..., None, :], rounded[..., :, None]
    return ((beside > own).sum(axis=-1) + 1 + (beside >= own).sum(axis=-1)) / 2
