"""The falling rates nearest to what passed at each size, with no shape assumed, and how they vary from draw to draw."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from pytest_autoeval.statistics.logistic import Numbers


def falling_rates(passed: Numbers, total: Numbers) -> Numbers:
    """For each row of counts (draws, sizes) the likeliest rates that never rise: pool adjacent violators.

    A size without trials takes the rate of its neighbours.
    """
    weights = np.maximum(total, 1e-9)
    return np.array(
        [
            isotonic_regression(row, weights=weight, increasing=False).x
            for row, weight in zip(passed / weights, weights, strict=True)
        ]
    )


def falling_crossing(rates: Numbers, sizes: Numbers, level: float) -> Numbers:
    """Where each row of falling rates reaches a level, between sizes on a straight line.

    inf where it is above the level even at the largest size, -inf where it is below it at the smallest.
    """
    reached = np.sum(rates >= level, axis=1)
    last = np.clip(reached - 1, 0, len(sizes) - 2)
    row = np.arange(len(rates))
    high, low = rates[row, last], rates[row, last + 1]
    inner = (reached > 0) & (reached < len(sizes))
    share = np.where(inner, high - level, 0.0) / np.where(inner, high - low, 1.0)
    between = sizes[last] + share * (sizes[last + 1] - sizes[last])
    return np.where(inner, between, np.where(reached > 0, np.inf, -np.inf))
