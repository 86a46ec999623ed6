"""Tests whether the horizon of a model fell below that of a baseline on the same formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import TYPE_CHECKING

from pytest_autoeval.statistics.drops import Decision, confidence_of, judge_drop
from pytest_autoeval.statistics.horizon import GUESSING, Curve, Horizon, fit_curve

if TYPE_CHECKING:
    from pytest_autoeval.statistics.logistic import Numbers

#: Size of one formula, and its (passed, total) before and after.
Pair = tuple[float, tuple[int, int], tuple[int, int]]

_DRAWS = 1000
_POWER = 0.8
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class HorizonDrop:
    """The relative change of a horizon: -0.1 is 10 % lower; None if one lies outside the drawn sizes.

    ``low`` and ``high`` are the ends of the interval at the corrected level; a horizon outside counts as the largest or
    the smallest size. If one certainly fell from beyond the largest size, ``low`` is -1. ``p_value`` is one-sided (it
    fell). ``needed`` is the number of formulas that would decide, if more are needed.
    """

    before: Horizon
    after: Horizon
    change: float | None
    low: float
    high: float
    p_value: float
    needed: int | None
    decision: Decision


def judge_horizon_drop(
    pairs: Sequence[Pair], *, drop: float, alpha: float, level: float = 0.5, chance: float = 0.0
) -> HorizonDrop | None:
    """Tests whether the horizon at ``level`` fell by ``drop`` (0.1 for 10 %), as :func:`judge_drop` decides for a rate.

    ``alpha`` is the level of the one-sided test, corrected for all comparisons that are judged together. None with too
    few formulas or sizes for a curve. A paired bootstrap (B. Efron, 1979): formulas are resampled with their results
    before and after, and both curves are fitted. A model that may be guessing has the smallest size as horizon.
    """
    both = [(size, first, second) for size, first, second in pairs if first[1] and second[1]]
    before = fit_curve([(size, *first) for size, first, _ in both], levels=(level,), chance=chance, with_points=False)
    after = fit_curve([(size, *second) for size, _, second in both], levels=(level,), chance=chance, with_points=False)
    if before is None or after is None:
        return None
    import numpy as np

    first, second = _redrawn(both, before, after, level)
    changes = _relative(first, second)
    tail = (1.0 - confidence_of(alpha)) / 2.0
    low, high = np.quantile(changes, (tail, 1.0 - tail)).tolist()
    old, new = before.horizons[0], after.horizons[0]
    if old.bound or new.bound:
        # If all formulas pass, all resampled ones pass. The intervals of the horizons show how little that means.
        (old_low, old_high), (new_low, new_high) = old.ends, new.ends
        widest = _relative(np.array([old_high, old_low]), np.array([new_low, new_high]))
        low, high = min(low, float(widest[0])), max(high, float(widest[1]))
    error = (high - low) / (2 * _NORMAL.inv_cdf(1.0 - tail))
    # Found if it fell by the drop, and excluded if it did not: the interval has the stricter level.
    detectable = (_NORMAL.inv_cdf(1.0 - tail) + _NORMAL.inv_cdf(_POWER)) * error
    p_value = _p_value(second - first)
    if old.bound == "above" and p_value < alpha:
        low = -1.0
    needed = ceil(len(both) * (detectable / drop) ** 2)
    decision = judge_drop(low, p_value, drop=drop, alpha=alpha)
    return HorizonDrop(
        old,
        new,
        None if old.value is None or new.value is None else float(_relative(np.array(old.value), np.array(new.value))),
        low,
        high,
        p_value,
        needed if decision == "inconclusive" and needed > len(both) else None,
        decision,
    )


def _redrawn(pairs: Sequence[Pair], before: Curve, after: Curve, level: float) -> tuple[Numbers, Numbers]:
    """The horizons before and after of resampled formulas, limited to the sizes."""
    import numpy as np

    from pytest_autoeval.statistics.isotonic import falling_crossing, falling_rates, rates_at
    from pytest_autoeval.statistics.logistic import crossing, fit, guessing_gain
    from pytest_autoeval.statistics.size_counts import from_unit, resample, sums_by_size, to_unit

    table = np.array([(size, *first, *second) for size, first, second in pairs], dtype=float)
    sizes, table[:, 0] = np.unique(table[:, 0], return_inverse=True)
    rows, draws = resample(table, _DRAWS)
    horizons = []
    for curve, column in ((before, 1), (after, 3)):
        passed, total = sums_by_size(rows, draws, column), sums_by_size(rows, draws, column + 1)
        curves, heights = fit(to_unit(curve.scale, sizes, sizes), passed, total, curve.chance)
        if "isotonic" in {before.method, after.method}:
            falling = falling_rates(passed, total)
            crossings = falling_crossing(falling, sizes, rates_at(level, falling, curve.chance))
        else:
            crossings = from_unit(curve.scale, crossing(curves, level).clip(0, 1), sizes)
        if curve.chance:
            crossings = np.where(guessing_gain(passed, total, curve.chance, heights) < GUESSING, sizes[0], crossings)
        horizons.append(crossings.clip(sizes[0], sizes[-1]))
    return horizons[0], horizons[1]


def _relative(before: Numbers, after: Numbers) -> Numbers:
    """The relative change; 0 if the horizon was 0."""
    import numpy as np

    return np.asarray(np.where(before > 0, after / np.where(before > 0, before, 1) - 1, 0.0))


def _p_value(changes: Numbers) -> float:
    """The share of changes that are not a fall, extended by the normal distribution if there are few."""
    import numpy as np

    rises = int(np.sum(changes >= 0))
    share = (1 + rises) / (len(changes) + 1)
    if rises >= 10 or not (spread := float(np.std(changes))):
        return share
    return min(share, _NORMAL.cdf(float(np.mean(changes)) / spread))
