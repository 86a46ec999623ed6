"""What a comparison can see: power by enumeration, and numbers that agree with each other."""

from __future__ import annotations

import random
from math import ceil, comb, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from pytest_autoeval.statistics.drops import BoundedTest
from pytest_autoeval.statistics.exact_bounds import clopper_pearson
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.pass_rate import score_interval
from pytest_autoeval.statistics.planned_pairs import planned_pairs
from pytest_autoeval.statistics.power import (
    pairs_needed,
    power_of_comparison,
    power_of_exclusion,
    power_to_exclude,
    power_to_find,
    samples_to_decide,
    smallest_detectable_drop,
    threshold_plan,
)


def single(pairs: int, changed: int) -> PairedTest:
    """A comparison in which so many formulas changed, half of them either way."""
    won = changed // 2
    outcomes = [(0, 1)] * won + [(1, 0)] * (changed - won) + [(1, 1)] * (pairs - changed)
    return paired_test([((before, 1), (after, 1)) for before, after in outcomes])


comparisons = st.integers(5, 400).flatmap(
    lambda n: st.builds(single, st.just(n), st.integers(0, n))
)
levels = st.sampled_from([0.05, 0.01, 0.1])


def enumerated(drop: float, pairs: int, churn: float, alpha: float) -> float:
    """The power, by going through every number of lost and won formulas: an oracle that knows only the p-value."""
    won_chance = min(churn, 1 - drop) / 2
    lost_chance = won_chance + drop
    power = 0.0
    for lost in range(pairs + 1):
        for won in range(pairs - lost + 1):
            if lost and binomtest(lost, lost + won, alternative="greater").pvalue < alpha:
                ways = comb(pairs, lost) * comb(pairs - lost, won)
                tied = max(0.0, 1 - won_chance - lost_chance)
                power += ways * lost_chance**lost * won_chance**won * tied ** (pairs - lost - won)
    return power


@pytest.mark.parametrize(
    ("drop", "pairs", "churn", "alpha"),
    [
        (0.2, 18, 0.1, 0.05),
        (0.5, 7, 0.0, 0.05),
        (0.3, 12, 1.0, 0.1),
        (1.0, 5, 0.2, 0.05),
        (0.4, 14, 0.3, 0.01),
    ],
)
def test_power_is_that_of_the_exact_test(
    drop: float, pairs: int, churn: float, alpha: float
) -> None:
    assert isclose(
        power_of_comparison(drop, pairs, churn, alpha=alpha), enumerated(drop, pairs, churn, alpha)
    )


def test_far_out_the_normal_distribution_continues_the_exact_power() -> None:
    for drop in (0.0045, 0.006):
        exact = power_of_comparison(drop, 99_000, 1.0 - drop, alpha=0.05)
        assert isclose(
            power_of_comparison(drop, 101_000, 1.0 - drop, alpha=0.05), exact, abs_tol=0.02
        )


@given(comparisons, levels, st.sampled_from([0.8, 0.9]))
@settings(max_examples=40, deadline=None)
def test_the_smallest_drop_is_the_one_at_which_the_power_is_reached(
    test: PairedTest, alpha: float, power: float
) -> None:
    drop = smallest_detectable_drop(test, alpha=alpha, power=power)
    if drop is None:
        assert power_to_find(test.before, test, alpha=alpha) < power
        return
    assert 0.0 < drop <= test.before
    assert pairs_needed(drop - 1e-6, test, alpha=alpha, power=power) > test.pairs


@given(comparisons, st.floats(0.02, 0.5), levels)
@settings(max_examples=40, deadline=None)
def test_more_is_asked_for_where_the_drop_is_not_detectable(
    test: PairedTest, drop: float, alpha: float
) -> None:
    """Where it is detectable, more may be needed to exclude it: the interval of a pass is stricter than the test."""
    smallest = smallest_detectable_drop(test, alpha=alpha)
    if smallest is None or smallest > drop:
        assert pairs_needed(drop, test, alpha=alpha) > test.pairs


@pytest.mark.parametrize(
    ("drop", "pairs", "churn", "confidence"),
    [
        (0.2, 40, 0.1, 0.95),
        (0.1, 60, 0.0, 0.95),
        (0.3, 12, 1.0, 0.95),
        (0.15, 50, 0.3, 0.98),
        (0.05, 20, 0.1, 0.95),
    ],
)
def test_a_drop_is_excluded_as_often_as_the_interval_says(
    drop: float, pairs: int, churn: float, confidence: float
) -> None:
    """By going through every number of lost and won formulas: an oracle that knows only the interval."""
    expected = 0.0
    for lost in range(pairs + 1):
        for won in range(pairs - lost + 1):
            ways = comb(pairs, lost) * comb(pairs - lost, won)
            chance = ways * (churn / 2) ** (lost + won) * (1 - churn) ** (pairs - lost - won)
            if chance > 1e-12 and score_interval(won, lost, pairs, confidence).low > -drop:
                expected += chance
    assert isclose(
        power_of_exclusion(drop, pairs, churn, confidence=confidence), expected, abs_tol=1e-9
    )


def test_far_out_the_normal_distribution_continues_the_exact_chance_of_an_exclusion() -> None:
    exact = power_of_exclusion(0.0085, 99_000, 1.0)
    assert 0.2 < exact < 0.9
    assert isclose(power_of_exclusion(0.0085, 101_000, 1.0), exact, abs_tol=0.02)
    assert power_of_exclusion(0.05, 0, 0.1) == 0.0


@given(comparisons, st.floats(0.02, 0.3))
@settings(max_examples=40)
def test_smaller_drops_higher_power_and_stricter_levels_need_more_pairs(
    test: PairedTest, drop: float
) -> None:
    needed = pairs_needed(drop, test, alpha=0.05)
    # The exact power is not quite monotone in the number of pairs, so that a search may end a little later.
    slack = 0.9
    assert pairs_needed(drop / 2, test, alpha=0.05) >= slack * needed
    assert pairs_needed(drop, test, alpha=0.01) >= slack * needed
    assert pairs_needed(drop, test, alpha=0.05, power=0.95) >= slack * needed


def test_more_pairs_see_smaller_drops_and_more_churn_hides_them() -> None:
    drops = [
        smallest_detectable_drop(single(pairs, pairs // 10), alpha=0.05) or 1.0
        for pairs in (20, 50, 200, 1000)
    ]
    assert drops == sorted(drops, reverse=True)
    hidden = [
        smallest_detectable_drop(single(200, changed), alpha=0.05) or 1.0
        for changed in (0, 10, 40, 120)
    ]
    assert hidden == sorted(hidden)


def test_where_nothing_changed_the_answer_is_still_sensible() -> None:
    """About seven lost formulas and no won one make a drop significant four times in five."""
    drop = smallest_detectable_drop(single(100, 0), alpha=0.05)
    assert drop is not None
    assert 0.05 < drop < 0.10


def test_repeats_that_disagree_see_more_than_copies() -> None:
    copies = paired_test([((5, 5), (5, 5))] * 45 + [((5, 5), (0, 5))] * 2 + [((0, 5), (5, 5))] * 2)
    mixed = paired_test(
        [((4, 5), (5, 5)), ((5, 5), (4, 5)), ((4, 5), (4, 5)), ((3, 5), (4, 5))] * 12
    )
    seen = [smallest_detectable_drop(test, alpha=0.05) or 1.0 for test in (mixed, copies)]
    assert seen[0] < seen[1]


def test_three_pairs_show_nothing_and_no_pairs_need_many() -> None:
    assert smallest_detectable_drop(single(3, 0), alpha=0.05) is None
    assert smallest_detectable_drop(paired_test([]), alpha=0.05) is None
    assert pairs_needed(0.05, paired_test([]), alpha=0.05) > pairs_needed(
        0.05, single(100, 10), alpha=0.05
    )
    assert pairs_needed(1e-5, single(20, 0), alpha=0.01) > 10**8


def test_a_rate_cannot_fall_below_0() -> None:
    """A third of 60 formulas passed: that they all fail is found, but not if only a few of them passed."""
    third = paired_test([((1, 1), (1, 1))] * 20 + [((0, 1), (0, 1))] * 40)
    few = paired_test([((1, 1), (1, 1))] * 4 + [((0, 1), (0, 1))] * 56)
    drop = smallest_detectable_drop(third, alpha=0.05)
    assert drop is not None
    assert drop <= 1 / 3
    assert smallest_detectable_drop(few, alpha=0.05) is None


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"alpha": 1.0}, {"alpha": 0.05, "power": 1.0}])
def test_impossible_levels_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        smallest_detectable_drop(single(10, 2), **wrong)
    with pytest.raises(ValueError, match="between 0 and 1"):
        pairs_needed(0.1, single(10, 2), **wrong)


@pytest.mark.parametrize("drop", [0.0, -0.1, 1.1, float("nan")])
def test_impossible_drops_are_refused(drop: float) -> None:
    with pytest.raises(ValueError, match="a drop must be"):
        pairs_needed(drop, single(10, 2), alpha=0.05)


@given(st.floats(0, 1), st.floats(0.01, 0.99), st.sampled_from([1.0, 2.5]))
@settings(deadline=None)
def test_so_many_samples_decide_and_one_fewer_do_not(
    rate: float, threshold: float, effect: float
) -> None:
    needed = samples_to_decide(rate, threshold, design_effect=effect)
    if needed is None or needed > 10**6 or abs(rate - threshold) < 1e-6:
        assert abs(rate - threshold) < 0.01
        return

    def decided(samples: int) -> bool:
        low, high = clopper_pearson(rate * samples / effect, samples / effect)
        return low >= threshold - 1e-12 if rate > threshold else high < threshold + 1e-12

    if needed > 90_000:  # beyond, a formula replaces the search
        assert decided(ceil(1.01 * needed))
        return
    assert decided(needed)
    assert needed == 1 or not decided(needed - 1) or isclose(rate, threshold, abs_tol=1e-3)


def test_deciding_at_the_threshold_and_at_the_ends() -> None:
    assert samples_to_decide(0.9, 0.9) is None
    assert samples_to_decide(0.95, 1.0) == 1
    assert samples_to_decide(0.05, 0.0) == 1
    assert samples_to_decide(1.0, 0.9) == 36
    with pytest.raises(ValueError, match="out of range"):
        samples_to_decide(1.5, 0.9)


@given(
    st.integers(1, 100),
    st.sampled_from([0.0, 0.5, 0.85, 0.9, 1.0]),
    st.booleans(),
    st.floats(0.02, 0.98),
)
@settings(max_examples=15, deadline=None)
def test_a_threshold_decides_as_often_as_the_binomial_distribution_says(
    samples: int, threshold: float, interval: bool, rate: float
) -> None:
    def verdict(passed: int) -> str:
        low = high = passed / samples
        if interval:
            low, high = binomtest(passed, samples).proportion_ci(method="exact")
        return "passed" if low >= threshold else "failed" if high < threshold else "inconclusive"

    plan = threshold_plan(samples, threshold, interval=interval)
    chance = {"passed": 0.0, "failed": 0.0, "inconclusive": 0.0}
    for passed in range(samples + 1):
        # Floating point may put the end of an interval on either side of the threshold.
        if (
            not interval
            or min(abs(end - threshold) for end in clopper_pearson(passed, samples)) > 1e-9
        ):
            assert verdict(passed) == (
                "passed"
                if passed >= plan.passes_from
                else "failed"
                if passed <= plan.fails_to
                else "inconclusive"
            )
        side = (
            "passed"
            if passed >= plan.passes_from
            else "failed"
            if passed <= plan.fails_to
            else "inconclusive"
        )
        chance[side] += binom.pmf(passed, samples, rate)
    assert plan.chances(rate) == pytest.approx((chance["passed"], chance["failed"]), abs=1e-9)
    if plan.passing_rate:
        assert binom.sf(plan.passes_from - 1, samples, plan.passing_rate) == pytest.approx(0.8)
    if plan.failing_rate is not None:
        assert binom.cdf(plan.fails_to, samples, plan.failing_rate) == pytest.approx(0.8)


def test_what_a_threshold_cannot_decide_has_no_rate() -> None:
    few = threshold_plan(7, 0.9, interval=True)
    assert few.passing_rate is None
    assert few.chances(1.0) == (0.0, 0.0)
    assert threshold_plan(7, 0.0).failing_rate is None
    assert threshold_plan(7, 0.0).passing_rate == 0.0
    needed = samples_to_decide(1.0, 0.9)
    assert needed is not None
    assert threshold_plan(needed - 1, 0.9, interval=True).passing_rate is None
    assert threshold_plan(needed, 0.9, interval=True).passing_rate is not None


@pytest.mark.parametrize(
    ("before", "drop", "pairs", "repeats", "level"),
    [
        (0.9, 0.1, 150, 1, 0.05),
        (0.8, 0.05, 300, 1, 0.05),
        (0.95, 0.05, 400, 1, 0.01),
        (0.7, 0.15, 60, 3, 0.05),
    ],
)
def test_drops_are_found_as_often_as_in_simulated_runs(
    before: float, drop: float, pairs: int, repeats: int, level: float
) -> None:
    """Simulated runs are judged as real ones; the drop consists of formulas that then always fail."""
    chance, runs, found = random.Random(7), 400, 0
    for _ in range(runs):
        formulas = []
        for _ in range(pairs):
            after = 0.0 if chance.random() < drop / before else before
            passed = [
                sum(chance.random() < rate for _ in range(repeats)) for rate in (before, after)
            ]
            formulas.append(((passed[0], repeats), (passed[1], repeats)))
        test = paired_test(formulas)
        found += BoundedTest(test, test).decision(drop, level) == "failed"
    churn = 2 * before * (1 - before)  # all answers are independent
    plan = planned_pairs(pairs, before, churn, repeats=(repeats, repeats))
    planned = power_to_find(drop, plan, alpha=level)
    assert 0.2 < planned < 0.98
    assert abs(found / runs - planned) < 0.08  # three standard errors


@given(
    st.floats(0.5, 0.98),
    st.floats(0.02, 0.3),
    st.integers(9, 900),
    st.sampled_from([0.05, 0.01]),
    st.sampled_from([1, 3]),
)
@settings(max_examples=30, deadline=None)
def test_more_formulas_are_needed_if_and_only_if_the_power_is_too_low(
    before: float, drop: float, pairs: int, level: float, repeats: int
) -> None:
    plan = planned_pairs(pairs, before, 0.1 * before, repeats=(repeats, repeats))
    needed = pairs_needed(drop, plan, alpha=level)
    found, excluded = power_to_find(drop, plan, alpha=level), power_to_exclude(drop, plan)
    # The exact power is not quite monotone in the number of formulas.
    assert needed > pairs if min(found, excluded) < 0.8 else needed <= 1.1 * pairs


@pytest.mark.parametrize("changed", [0, 4, 10])
@pytest.mark.parametrize("pairs", [20, 45, 100])
def test_a_plan_and_a_comparison_with_the_same_churn_have_the_same_power(
    pairs: int, changed: int
) -> None:
    """One definition of power: what the plan says before the run, the report says after it."""
    test = single(pairs, changed)
    plan = planned_pairs(pairs, test.before, changed / pairs)
    assert isclose(plan.churn, test.churn)
    assert pairs_needed(0.05, plan, alpha=0.05) == pairs_needed(0.05, test, alpha=0.05)
    assert smallest_detectable_drop(plan, alpha=0.05) == pytest.approx(
        smallest_detectable_drop(test, alpha=0.05)
    )
    assert isclose(power_to_find(0.1, plan, alpha=0.05), power_to_find(0.1, test, alpha=0.05))


def test_pairs_that_change_together_show_less() -> None:
    pairs = [((1, 1), (1, 1))] * 80 + [((1, 1), (0, 1))] * 10 + [((0, 1), (1, 1))] * 10
    alone, together = paired_test(pairs), paired_test(pairs, clusters=[n // 2 for n in range(100)])
    assert together.effect > 1.5
    assert power_to_find(0.15, together, alpha=0.05) < power_to_find(0.15, alone, alpha=0.05)
    assert power_to_exclude(0.15, together) < power_to_exclude(0.15, alone)
    assert pairs_needed(0.05, together, alpha=0.05) > 1.5 * pairs_needed(0.05, alone, alpha=0.05)
