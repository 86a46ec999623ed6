"""The drop of a horizon: each way to a verdict, what lies outside the sizes, and how often the verdict errs."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.special import expit

from pytest_autoeval.statistics import horizon_drop
from pytest_autoeval.statistics.horizon_drop import HorizonDrop, Pair, judge_horizon_drop


def pairs(
    before: float, after: float, count: int, *, sizes: int = 21, width: float = 1.5, random: np.random.Generator
) -> list[Pair]:
    """Formulas of which half end alike before and after, unless their horizon lies between."""
    size = np.arange(count) % sizes
    luck = random.random(count)
    again = np.where(random.random(count) < 0.5, random.random(count), luck)
    first, second = luck < expit((before - size) / width), again < expit((after - size) / width)
    return [(float(x), (int(a), 1), (int(b), 1)) for x, a, b in zip(size, first, second, strict=True)]


def judged(before: float, after: float, count: int, seed: int = 1) -> HorizonDrop:
    result = judge_horizon_drop(pairs(before, after, count, random=np.random.default_rng(seed)), drop=0.1, alpha=0.05)
    assert result is not None
    return result


def test_a_fall_is_found() -> None:
    result = judged(10, 8, 600)
    assert result.decision == "failed"
    assert result.p_value < 0.001
    assert result.change is not None
    assert result.low < result.change < result.high < 0
    assert result.low < -0.2 < result.high


def test_what_stayed_passes() -> None:
    result = judged(10, 10, 1000)
    assert result.decision == "passed"
    assert result.needed is None


def test_a_fall_too_small_to_matter_passes() -> None:
    result = judged(10, 9.6, 20_000)
    assert result.decision == "passed"
    assert result.p_value < 0.05


def test_too_few_to_tell() -> None:
    result = judged(10, 10, 60, seed=2)
    assert result.decision == "inconclusive"
    assert result.needed is not None
    assert judged(10, 10, 2 * result.needed, seed=2).decision == "passed"


def test_beyond_the_largest_size_the_largest_counts() -> None:
    assert judged(1000, 1000, 630).decision == "passed"
    few = [(float(size), (1, 1), (1, 1)) for size in range(21)]
    unsure = judge_horizon_drop(few, drop=0.1, alpha=0.05, level=0.9)  # all pass, but may not at nine tenths
    assert unsure is not None
    assert unsure.decision == "inconclusive"
    fell = judged(1000, 10, 200)
    assert fell.decision == "failed"
    assert fell.change is None
    assert fell.high < -0.4


def test_a_small_fall_from_beyond_the_largest_size_may_be_a_large_one() -> None:
    fell = judged(1000, 19, 1200)
    assert (fell.before.bound, fell.after.bound) == ("above", "")
    assert fell.high > -0.1
    assert (fell.decision, fell.low) == ("failed", -1.0)


def test_under_the_smallest_size_nothing_can_fall() -> None:
    result = judged(-1000, -1000, 630)
    assert (result.decision, result.change) == ("passed", None)


def test_a_corrected_level_asks_for_more() -> None:
    data = pairs(10, 8.8, 400, random=np.random.default_rng(2))
    loose, strict = (judge_horizon_drop(data, drop=0.1, alpha=alpha) for alpha in (0.05, 1e-9))
    assert loose is not None
    assert strict is not None
    assert (loose.decision, strict.decision) == ("failed", "inconclusive")


def test_too_little_for_a_curve() -> None:
    assert judge_horizon_drop([(float(size), (1, 1), (1, 1)) for size in range(19)], drop=0.1, alpha=0.05) is None
    unpaired: list[Pair] = [(float(size), (1, 1), (0, 0)) for size in range(40)]
    assert judge_horizon_drop(unpaired, drop=0.1, alpha=0.05) is None


def test_where_no_logistic_curve_fits_the_rates_only_fall() -> None:
    random = np.random.default_rng(1)
    size = np.arange(1200) % 30
    rate = np.where(size < 8, 0.95, np.where(size < 25, 0.65, 0.05))
    first = random.random(1200) < rate
    second = first & (size < 15)
    data: list[Pair] = [(float(x), (int(a), 1), (int(b), 1)) for x, a, b in zip(size, first, second, strict=True)]
    result = judge_horizon_drop(data, drop=0.1, alpha=0.05)
    assert result is not None
    assert result.decision == "failed"
    assert -0.45 < result.low < result.high < -0.35


def test_the_verdict_seldom_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a fall it seldom fails, with the fall that was asked about it seldom passes."""
    monkeypatch.setattr(horizon_drop, "_DRAWS", 100)
    random = np.random.default_rng(1)
    for after, wrong in ((3.0, "failed"), (2.7, "passed")):
        results = [
            judge_horizon_drop(pairs(3, after, 240, sizes=6, width=0.8, random=random), drop=0.1, alpha=0.05)
            for _ in range(20)
        ]
        errors = sum(result is not None and result.decision == wrong for result in results)
        assert errors / 20 <= 0.05 + 4 * sqrt(0.05 * 0.95 / 20)
