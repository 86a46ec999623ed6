"""The design effect of repeated formulas, and the interval that rests on it."""

from __future__ import annotations

from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.statistics.clusters import design_effect
from pytest_autoeval.statistics.pass_rate import PassRate

clusters = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=12
)


@given(clusters)
def test_the_design_effect_lies_between_independence_and_mere_repetition(
    found: list[tuple[int, int]],
) -> None:
    effect = design_effect(found)
    trials = sum(total for _, total in found)
    assert effect >= 1.0
    if trials:
        assert effect <= sum(total * total for _, total in found) / trials + 1e-9


@given(st.lists(st.integers(0, 1), max_size=20))
def test_one_trial_each_is_independent(passed: list[int]) -> None:
    assert design_effect([(one, 1) for one in passed]) == 1.0


@pytest.mark.parametrize("repeats", [2, 5])
@pytest.mark.parametrize("passing", [0, 7, 20])
def test_repeats_that_always_agree_tell_no_more_than_one(passing: int, repeats: int) -> None:
    found = [(repeats, repeats)] * passing + [(0, repeats)] * (20 - passing)
    assert isclose(design_effect(found), repeats)
    interval = PassRate(passing * repeats, 0, 20 * repeats, design_effect(found)).interval()
    alone = PassRate(passing, 0, 20).interval()
    assert isclose(interval.low, alone.low, abs_tol=1e-9)
    assert isclose(interval.high, alone.high, abs_tol=1e-9)


def test_independent_repeats_count_nearly_in_full() -> None:
    random = np.random.default_rng(3)
    found = [(int(passed), 5) for passed in random.binomial(5, 0.5, 400)]
    assert design_effect(found) < 1.2


def test_with_many_formulas_it_is_the_ratio_of_variances() -> None:
    """An oracle of its own: the variance of the pooled rate over resampled formulas, over the binomial one."""
    random = np.random.default_rng(4)
    passed = random.binomial(4, random.beta(2, 1, 400))
    resampled = random.choice(passed, (4000, 400)).mean(axis=1) / 4
    rate = passed.mean() / 4
    ratio = resampled.var() / (rate * (1 - rate) / 1600)
    assert isclose(design_effect([(int(one), 4) for one in passed]), ratio, rel_tol=0.08)


@pytest.mark.parametrize(
    ("shape", "repeats"), [((4.0, 0.7), 3), ((0.3, 0.3), 5), ((30.0, 3.0), 10)]
)
def test_the_interval_covers_the_rate_of_all_formulas(
    shape: tuple[float, float], repeats: int
) -> None:
    random = np.random.default_rng(5)
    truth, runs, missed = shape[0] / sum(shape), 400, 0
    for _ in range(runs):
        passed = random.binomial(repeats, random.beta(*shape, 60))
        found = [(int(one), repeats) for one in passed]
        interval = PassRate(int(passed.sum()), 0, 60 * repeats, design_effect(found)).interval()
        missed += not interval.low <= truth <= interval.high
    assert missed / runs <= 0.05 + 4 * sqrt(0.05 * 0.95 / runs)


def test_nothing_at_all_and_impossible_counts() -> None:
    assert design_effect([]) == 1.0
    assert design_effect([(0, 0)]) == 1.0
    with pytest.raises(ValueError, match="must lie in"):
        design_effect([(3, 2)])
    with pytest.raises(ValueError, match="at least 1"):
        PassRate(1, 0, 2, 0.5)
