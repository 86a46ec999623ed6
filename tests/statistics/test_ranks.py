"""Models side by side: against McNemar's test, every flip of signs, scipy's ranks, and what the intervals cover."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isclose
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata

from pytest_autoeval.statistics.over_suites import mean_ranks
from pytest_autoeval.statistics.paired import two_sided_test

Trials = tuple[int, int]
#: A formula with as many trials before as after. With other numbers two tests count (`test_paired.py`).
pair = st.integers(1, 3).flatmap(
    lambda n: st.tuples(*[st.tuples(st.integers(0, n), st.just(n))] * 2)
)
#: Suites of formulas, each with the rates of three models.
formulas = st.lists(
    st.tuples(*[st.sampled_from([0.0, 1 / 3, 0.5, 1.0])] * 3), min_size=1, max_size=8
)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 9))
def test_with_one_trial_each_it_is_the_two_sided_binomial_test(
    won: int, lost: int, tied: int
) -> None:
    outcomes = [(1, 0)] * won + [(0, 1)] * lost + [(1, 1)] * tied
    test, p_value = two_sided_test([((before, 1), (after, 1)) for after, before in outcomes])
    if not outcomes:
        assert p_value is None
        return
    assert p_value is not None
    assert isclose(p_value, binomtest(won, won + lost).pvalue if won + lost else 1.0, rel_tol=1e-9)
    assert (test.won, test.lost, test.tied) == (won, lost, tied)


@given(st.lists(pair, min_size=1, max_size=6))
@settings(max_examples=50)
def test_with_repeats_it_is_the_share_of_flips_that_lie_as_far_from_none(
    pairs: list[tuple[Trials, Trials]],
) -> None:
    changes = [Fraction(*after) - Fraction(*before) for before, after in pairs]
    sums = [
        sum((sign * change for sign, change in zip(signs, changes, strict=True)), Fraction(0))
        for signs in product((1, -1), repeat=len(changes))
    ]
    expected = sum(abs(one) >= abs(sum(changes, Fraction(0))) for one in sums) / len(sums)
    assert two_sided_test(pairs)[1] == pytest.approx(expected)
    assert two_sided_test([(after, before) for before, after in pairs])[1] == pytest.approx(
        expected
    )


@given(st.lists(formulas, min_size=1, max_size=4))
@settings(max_examples=50)
def test_ranks_are_those_of_scipy_and_equal_models_share_theirs(
    suites: list[list[tuple[float, ...]]],
) -> None:
    # Sums of thirds are rounded, or equal rates would not be equal.
    ranks = [rankdata(-np.mean(np.asarray(suite), axis=0).round(9)) for suite in suites]
    found = mean_ranks(suites)
    assert [one.mean for one in found] == pytest.approx(list(np.mean(ranks, axis=0)))
    assert all(1.0 <= (one.low or 0) <= one.mean <= (one.high or 4) <= 3.0 for one in found)
    # Neither the order of suites and formulas nor that of models changes a figure, but for the draws' own scatter.
    turned = mean_ranks([[rates[::-1] for rates in suite[::-1]] for suite in suites[::-1]])
    assert [one.mean for one in turned[::-1]] == pytest.approx([one.mean for one in found])
    assert mean_ranks([suite[::-1] for suite in suites]) == found


@pytest.mark.parametrize("rates", [(0.85, 0.8, 0.65), (0.8, 0.8, 0.8)])
def test_the_interval_covers_the_mean_rank_that_such_runs_have(rates: tuple[float, ...]) -> None:
    random, suites, size = np.random.default_rng(3), 3, 60
    runs = []
    for _ in range(150):
        # The models fail on the same formulas more often.
        hard = random.random((suites, size, 1)) * 0.3 - 0.15
        passed = random.random((suites, size, 3)) < np.asarray(rates) + hard
        runs.append(
            [(rank.mean, rank.low, rank.high) for rank in mean_ranks(passed.astype(float).tolist())]
        )
    means, lows, highs = np.moveaxis(np.asarray(runs), -1, 0)
    covered = ((lows <= means.mean(axis=0)) & (means.mean(axis=0) <= highs)).mean(axis=0)
    # In 150 runs a share of 95 % is seen as 91.5 % or more.
    assert covered.min() > 0.91
    assert (highs - lows)[:, 2].mean() < (0.7 if rates[0] > rates[2] else 1.6)


def test_the_rank_over_suites_with_the_same_formulas_is_as_uncertain_as_that_of_one() -> None:
    passed = (np.random.default_rng(6).random((60, 2)) < 0.8).astype(float).tolist()
    one = mean_ranks([passed])
    assert mean_ranks([passed] * 8, [range(60)] * 8) == one
    assert mean_ranks([passed] * 8)[0] != one[0]


def test_models_that_are_the_same_are_equal() -> None:
    assert [(rank.mean, rank.low, rank.high) for rank in mean_ranks([[(1.0, 1.0)] * 9] * 4)] == [
        (1.5, 1.5, 1.5)
    ] * 2


def test_thirty_suites_of_four_models_take_less_than_a_second() -> None:
    suites = (
        (np.random.default_rng(1).random((30, 400, 4)) < [0.9, 0.85, 0.8, 0.75])
        .astype(float)
        .tolist()
    )
    begun = process_time()
    mean_ranks(suites)
    assert process_time() - begun < 1.0


@pytest.mark.parametrize("suites", [[], [[]], [[(1.0, 0.0)], []]])
def test_ranks_need_formulas(suites: list[list[tuple[float, ...]]]) -> None:
    with pytest.raises(ValueError, match="each suite needs formulas"):
        mean_ranks(suites)
