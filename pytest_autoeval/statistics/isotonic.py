"""Isotonic regression: the likeliest rates that never rise with size, and their bootstrap intervals."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from pytest_autoeval.statistics.logistic import Numbers


def falling_rates(passed: Numbers, total: Numbers) -> Numbers:
    """The likeliest rates that never rise, for each row of counts (draws, sizes): pool adjacent violators.

    A size without trials has the rate of its neighbours.
    """
    # A weight of almost nothing makes no difference, and scipy accepts no weight of 0.
    weights = np.maximum(total, 1e-9)
    rows = zip(passed / weights, weights, strict=True)
    return np.array(
        [isotonic_regression(rates, weights=weight, increasing=False).x for rates, weight in rows]
    )


def rates_at(level: float, rates: Numbers, chance: float) -> Numbers:
    """The rate at a level, for each row of falling rates.

    If answers can be guessed, the level is a share of the way up to the rate at the smallest size: from the rate at the
    largest size, or from ``chance`` if the rates do not fall so far.
    """
    if not chance:
        return np.full(len(rates), level)
    least = np.minimum(rates[:, -1], chance)
    return np.asarray(least + level * (rates[:, 0] - least))


def falling_crossing(rates: Numbers, sizes: Numbers, level: Numbers) -> Numbers:
    """The size at which each row of falling rates reaches its level, by linear interpolation.

    inf if the rate is above the level at the largest size, -inf if it is below the level at the smallest.
    """
    reached = np.sum(rates >= level[:, None], axis=1)
    above = np.clip(reached - 1, 0, len(sizes) - 2)
    row = np.arange(len(rates))
    high, low = rates[row, above], rates[row, above + 1]
    is_inner = (reached > 0) & (reached < len(sizes))
    share = np.where(is_inner, high - level, 0.0) / np.where(is_inner, high - low, 1.0)
    gap = sizes[above + 1] - sizes[above]
    between = sizes[above] + share * gap
    beyond = np.where(reached > 0, np.inf, -np.inf)
    return np.where(is_inner, between, beyond)
