"""The mean of several pass rates: against fractions, the exact distribution of draws, and what the interval covers."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from pytest_autoeval.statistics.over_suites import mean_rate

trials = st.integers(1, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(st.lists(trials, min_size=1, max_size=8), min_size=1, max_size=4))
def test_each_suite_has_the_same_weight(suites: list[list[tuple[int, int]]]) -> None:
    exact = [Fraction(sum(passed for passed, _ in one), sum(total for _, total in one)) for one in suites]
    found = mean_rate(suites)
    assert found.mean == pytest.approx(float(sum(exact) / len(exact)))
    assert found == mean_rate([suite[::-1] for suite in suites])
    equal = all(len({Fraction(*formula) for formula in one}) == 1 for one in suites)
    assert (found.low is None, found.high is None) == (equal, equal)
    if found.low is not None and found.high is not None:
        assert 0.0 <= found.low <= found.mean <= found.high <= 1.0


def test_the_interval_of_one_suite_is_that_of_a_binomial_distribution() -> None:
    found = mean_rate([[(1, 1)] * 70 + [(0, 1)] * 30])
    assert found.low == pytest.approx(binom(100, 0.7).ppf(0.025) / 100, abs=0.015)
    assert found.high == pytest.approx(binom(100, 0.7).ppf(0.975) / 100, abs=0.015)


def test_the_interval_of_several_suites_is_that_of_their_sum() -> None:
    # Draws over all formulas together would also vary by the difference between the suites.
    found = mean_rate([[(1, 1)] * 198 + [(0, 1)] * 2, [(1, 1)] * 20 + [(0, 1)] * 180])
    spread = np.sqrt(0.99 * 0.01 / 200 + 0.1 * 0.9 / 200) / 2
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def test_the_interval_holds_the_true_mean_in_about_95_per_cent_of_runs() -> None:
    random_numbers = random.Random(4)
    rates = (0.7, 0.8, 0.9)
    hits = 0
    for _ in range(300):
        found = mean_rate([[(int(random_numbers.random() < rate), 1) for _ in range(60)] for rate in rates])
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.8 <= found.high
    assert 0.9 <= hits / 300 <= 0.99


def test_what_has_no_mean_is_refused() -> None:
    wrong: list[list[list[tuple[int, int]]]] = [[], [[]], [[(1, 1)], []]]
    for suites in wrong:
        with pytest.raises(ValueError, match="needs"):
            mean_rate(suites)


@pytest.mark.parametrize("number", [3, 7, 30, 49])
def test_the_mean_of_suites_that_passed_everything_is_exactly_one(number: int) -> None:
    assert mean_rate([[(1, 1), (2, 2)]] * number).mean == 1.0
