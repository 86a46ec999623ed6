"""The mean of several pass rates: against fractions, the exact distribution of draws, and what the interval covers."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from pytest_autoeval.statistics.over_suites import MeanRate, mean_rate

trials = st.integers(1, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(st.lists(trials, min_size=1, max_size=8), min_size=1, max_size=4))
def test_each_suite_has_the_same_weight(suites: list[list[tuple[int, int]]]) -> None:
    exact = [
        Fraction(sum(passed for passed, _ in one), sum(total for _, total in one)) for one in suites
    ]
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
        found = mean_rate(
            [[(int(random_numbers.random() < rate), 1) for _ in range(60)] for rate in rates]
        )
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.8 <= found.high
    assert 0.9 <= hits / 300 <= 0.99


@pytest.mark.parametrize("shared", [2, 6])
def test_suites_with_the_same_formulas_show_no_more_than_one_of_them(shared: int) -> None:
    random_numbers = np.random.default_rng(5)
    hits = apart = 0
    for _ in range(300):
        formulas = [(int(passed), 1) for passed in random_numbers.random(60) < 0.8]
        together = mean_rate([formulas] * shared, [range(60)] * shared)
        hits += (together.low or 0.0) <= 0.8 <= (together.high or 1.0)
        alone = mean_rate([formulas] * shared)
        apart += (alone.low or 0.0) <= 0.8 <= (alone.high or 1.0)
    assert 0.9 <= hits / 300 <= 0.99
    assert apart < hits


def test_clusters_within_a_suite_are_drawn_as_a_whole() -> None:
    rows = [(int(number < 70), 1) for number in range(100)]
    single, tens = mean_rate([rows]), mean_rate([rows], [[number // 10 for number in range(100)]])
    assert tens.mean == single.mean
    assert _width(tens) == pytest.approx(_width(single) * np.sqrt(10), rel=0.1)


def test_suites_without_common_formulas_have_the_figures_that_they_have_without_clusters() -> None:
    suites = [[(1, 1)] * 30 + [(0, 1)] * 9, [(2, 3)] * 8 + [(0, 3)] * 4, [(1, 1)] * 5]
    clusters = [
        [f"{number} {formula}" for formula in range(len(suite))]
        for number, suite in enumerate(suites)
    ]
    assert mean_rate(suites, clusters) == mean_rate(suites)


def test_a_suite_shares_formulas_with_another_also_through_a_third() -> None:
    first, third = [(1, 1)] * 12 + [(0, 1)] * 8, [(0, 1)] * 8 + [(1, 1)] * 12
    # The middle suite joins the two; without it they are drawn apart.
    names = [
        [f"a{number}" for number in range(20)],
        ["a0", "c0"],
        [f"c{number}" for number in range(20)],
    ]
    joined = mean_rate([first, [(1, 1), (0, 1)], third], names)
    assert joined.mean == pytest.approx(0.6 * 2 / 3 + 0.5 / 3)
    assert joined == mean_rate(
        [first[::-1], [(0, 1), (1, 1)], third], [names[0][::-1], ["c0", "a0"], names[2]]
    )


def test_a_cluster_for_each_formula_is_needed() -> None:
    with pytest.raises(ValueError, match="each formula of each suite needs a cluster"):
        mean_rate([[(1, 1), (0, 1)]], [["a"]])


def _width(mean: MeanRate) -> float:
    assert mean.low is not None
    assert mean.high is not None
    return mean.high - mean.low


def test_what_has_no_mean_is_refused() -> None:
    wrong: list[list[list[tuple[int, int]]]] = [[], [[]], [[(1, 1)], []]]
    for suites in wrong:
        with pytest.raises(ValueError, match="needs"):
            mean_rate(suites)


@pytest.mark.parametrize("number", [3, 7, 30, 49])
def test_the_mean_of_suites_that_passed_everything_is_exactly_one(number: int) -> None:
    assert mean_rate([[(1, 1), (2, 2)]] * number).mean == 1.0


def test_one_cluster_shows_nothing_about_others() -> None:
    suites, names = [[(1, 1), (0, 1)], [(1, 1), (1, 1)]], [["a", "a"], ["a", "a"]]
    assert mean_rate(suites, names).mean == 0.75
    assert (mean_rate(suites, names).low, mean_rate(suites, names).high) == (None, None)
