"""Correlations and predictive power, against scipy and every order of a few scores."""

from __future__ import annotations

from itertools import permutations
from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, permutation_test, rankdata, somersd, spearmanr

from pytest_autoeval.statistics.correlation import Correlation, pearson, predictive_power, spearman

scores = st.integers(0, 6).map(float)
pairs = st.lists(st.tuples(scores, scores), min_size=3, max_size=6)


def sides(found: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [here for here, _ in found], [there for _, there in found]


@given(pairs)
@settings(max_examples=50)
def test_spearmans_p_value_is_the_share_of_all_orders(found: list[tuple[float, float]]) -> None:
    here, there = sides(found)
    correlation = spearman(here, there)
    if len(set(here)) == 1 or len(set(there)) == 1:
        assert correlation == Correlation(None, None, len(found))
        return
    assert correlation.coefficient is not None
    assert isclose(correlation.coefficient, spearmanr(here, there).statistic, abs_tol=1e-12)
    ranks, others = rankdata(here) - (len(here) + 1) / 2, rankdata(there) - (len(here) + 1) / 2
    seen = abs(ranks @ others)
    as_far = [abs(ranks @ np.array(order)) >= seen - 1e-9 for order in permutations(others)]
    assert correlation.p_value is not None
    assert isclose(correlation.p_value, sum(as_far) / len(as_far))


def test_six_models_as_scipys_permutation_test_has_it() -> None:
    here, there = [1.0, 2, 3, 4, 5, 6], [2.0, 1, 4, 3, 6, 5]

    def coefficient(order: Any) -> float:
        return float(spearmanr(order, there).statistic)

    expected = permutation_test(
        (here,), coefficient, permutation_type="pairings", n_resamples=720
    ).pvalue
    assert isclose(spearman(here, there).p_value or 0.0, expected)


def test_nine_models_are_near_the_t_distribution() -> None:
    here, there = [1.0, 2, 3, 4, 5, 6, 7, 8, 9], [2.0, 1, 4, 3, 7, 8, 6, 5, 9]
    assert isclose(
        spearman(here, there).p_value or 0.0, spearmanr(here, there).pvalue, abs_tol=0.005
    )


def test_ten_models_have_scipys_p_value() -> None:
    random = np.random.default_rng(1)
    here, there = random.random(10).tolist(), random.random(10).tolist()
    assert spearman(here, there).p_value == spearmanr(here, there).pvalue
    assert pearson(here, there).p_value == pearsonr(here, there).pvalue


def test_three_models_in_one_order_prove_little() -> None:
    assert spearman([1, 2, 3], [4, 5, 6]) == Correlation(1.0, 2 / 6, 3)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ([1.0, 2.0], [1.0, 2.0]),
        ([], []),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]),
        ([1.0] * 3, [2.0] * 3),
    ],
)
def test_no_number_is_invented(here: list[float], there: list[float]) -> None:
    for correlation in (pearson(here, there), spearman(here, there)):
        assert correlation == Correlation(None, None, len(here))


@given(pairs)
@settings(max_examples=50)
def test_predictive_power_is_somers_d_on_a_scale_from_0_to_1(
    found: list[tuple[float, float]],
) -> None:
    here, there = sides(found)
    power = predictive_power(here, there)
    assert power.pairs + power.skipped == len(found) * (len(found) - 1) / 2
    if len(set(here)) == 1:
        assert power.probability is None
    else:
        expected = (1 + somersd(here, there).statistic) / 2 if len(set(there)) > 1 else 0.5
        assert power.probability is not None
        assert isclose(power.probability, expected, abs_tol=1e-12)


def test_ties_are_told_apart() -> None:
    power = predictive_power([1.0, 2.0, 2.0, 3.0], [5.0, 5.0, 6.0, 4.0])
    assert (power.agreeing, power.opposed, power.tied, power.skipped) == (1, 3, 1, 1)
    assert power.probability == 1.5 / 5


@pytest.mark.parametrize("figure", [pearson, spearman, predictive_power])
def test_sides_of_different_length_are_refused(figure: Any) -> None:
    with pytest.raises(ValueError, match=r"length|shorter|longer"):
        figure([1.0, 2.0, 3.0], [1.0, 2.0])
