"""The stratified test: against statsmodels, Fisher's exact test, and every way to shuffle a small table."""

from __future__ import annotations

from itertools import product
from math import comb, isclose, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from pytest_autoeval.statistics import stratified
from pytest_autoeval.statistics.stratified import stratified_difference

Trials = tuple[int, int]
Stratum = tuple[Trials, Trials]
trials = st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
strata = st.lists(st.tuples(trials, trials), min_size=1, max_size=4)


def table(stratum: Stratum) -> list[list[int]]:
    return [[passed, total - passed] for passed, total in stratum]


@pytest.mark.extra("statsmodels")
@given(strata)
@settings(max_examples=50)
def test_the_score_is_mantels_and_haenszels(found: list[Stratum]) -> None:
    from statsmodels.stats.contingency_tables import StratifiedTable

    test = stratified_difference(found)
    if test.score is None:
        assert all(one[0] + other[0] in (0, one[1] + other[1]) for one, other in found)
        return
    theirs = StratifiedTable([np.array(table(stratum), dtype=float) for stratum in found])
    assert isclose(
        test.score**2,
        theirs.test_null_odds(correction=False).statistic,
        rel_tol=1e-9,
        abs_tol=1e-12,
    )


def shuffled(found: list[Stratum]) -> float:
    """The chance of as few passes inside, from every way in which each stratum's passes can fall: an oracle."""
    seen = sum(inside[0] for inside, _ in found)
    ranges = [range(inside[1] + 1) for inside, _ in found]
    whole = few = 0
    for counts in product(*ranges):
        ways = 1
        for count, (inside, outside) in zip(counts, found, strict=True):
            rest = inside[0] + outside[0] - count
            ways *= comb(inside[1], count) * comb(outside[1], rest) if rest >= 0 else 0
        whole += ways
        few += ways if sum(counts) <= seen else 0
    return few / whole


@given(strata)
def test_the_p_value_is_the_share_of_all_shuffles_within_strata(found: list[Stratum]) -> None:
    test = stratified_difference(found)
    if test.p_value is not None:
        assert isclose(test.p_value, shuffled(found), rel_tol=1e-9)


@pytest.mark.parametrize("stratum", [((3, 10), (9, 12)), ((0, 5), (5, 5)), ((30, 60), (45, 70))])
def test_of_one_stratum_it_is_fishers_test(stratum: Stratum) -> None:
    expected = fisher_exact(np.array(table(stratum)), alternative="less").pvalue
    assert isclose(stratified_difference([stratum]).p_value or 0.0, expected, rel_tol=1e-9)


def test_size_does_not_pass_for_a_difference() -> None:
    """Inside has the large formulas, which fail more often everywhere: pooled it looks worse, and it is not."""
    found = [((9, 10), (90, 100)), ((50, 100), (5, 10))]
    test = stratified_difference(found)
    assert test.p_value is not None
    assert test.p_value > 0.4
    assert isclose(test.difference or 0.0, 0.0, abs_tol=1e-12)
    pooled = stratified_difference([((59, 110), (95, 110))])
    assert pooled.p_value is not None
    assert pooled.p_value < 1e-6


def test_the_difference_is_the_weighted_one() -> None:
    """Weights 10·10/20 and 20·60/80 of differences −0.2 and −0.1."""
    test = stratified_difference([((6, 10), (8, 10)), ((8, 20), (30, 60))])
    assert isclose(test.difference or 0.0, (5 * -0.2 + 15 * -0.1) / 20)


def test_dependent_trials_and_large_tables_use_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [((300, 400), (700, 850)), ((150, 300), (240, 400))]
    exact = stratified_difference(found)
    dependent = stratified_difference(found, design_effect=4.0)
    assert isclose(dependent.score or 0.0, (exact.score or 0.0) / 2)
    assert (dependent.p_value or 0.0) > (exact.p_value or 0.0)
    monkeypatch.setattr(stratified, "MOST_WORK", 0)
    approximate = stratified_difference(found)
    assert approximate.p_value != exact.p_value
    assert isclose(approximate.p_value or 0.0, exact.p_value or 0.0, rel_tol=0.2)


def test_where_there_is_nothing_to_compare_nothing_is_said() -> None:
    assert stratified_difference([]).p_value is None
    assert stratified_difference([((3, 4), (0, 0)), ((0, 0), (1, 2))]).difference is None
    same = stratified_difference([((4, 4), (6, 6))])
    assert (same.difference, same.score, same.p_value) == (0.0, None, None)
    with pytest.raises(ValueError, match="must lie in"):
        stratified_difference([((3, 2), (1, 1))])
    with pytest.raises(ValueError, match="at least 1"):
        stratified_difference([((1, 2), (1, 1))], design_effect=0.5)


def test_false_alarms_stay_below_the_level() -> None:
    random, runs, alarms = np.random.default_rng(8), 600, 0
    for _ in range(runs):
        found = []
        for rate in (0.95, 0.8, 0.6):
            inside, outside = random.integers(5, 30, 2).tolist()
            found.append(
                (
                    (int(random.binomial(inside, rate)), inside),
                    (int(random.binomial(outside, rate)), outside),
                )
            )
        p_value = stratified_difference(found).p_value
        alarms += p_value is not None and p_value < 0.05
    assert 0.005 < alarms / runs <= 0.05 + 4 * sqrt(0.05 * 0.95 / runs)
