"""The exact interval of a proportion against published values, scipy, and the tails that define it."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc
from scipy.stats import beta, binom

from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.exact_bounds import (
    at_least,
    beta_quantile,
    clopper_pearson,
    incomplete_beta,
)

counts = st.integers(1, 2000).flatmap(
    lambda total: st.tuples(st.integers(0, total), st.just(total))
)
confidences = st.floats(0.5, 0.999)
parameters = st.floats(0.05, 3000)


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_intervals_are_those_of_a_published_table(
    successes: int, total: int, low: float, high: float
) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, Table I, method 5."""
    ends = clopper_pearson(successes, total)
    assert tuple(round(end, 4) for end in ends) == (low, high)


@given(counts, confidences)
def test_at_each_end_the_observed_number_lies_in_the_tail(
    count: tuple[int, int], confidence: float
) -> None:
    """The definition: at the lower end so many successes or more have the probability of the tail."""
    successes, total = count
    low, high = clopper_pearson(successes, total, confidence)
    tail = (1 - confidence) / 2
    assert (
        low == 0.0
        if successes == 0
        else isclose(binom.sf(successes - 1, total, low), tail, rel_tol=1e-6)
    )
    assert (
        high == 1.0
        if successes == total
        else isclose(binom.cdf(successes, total, high), tail, rel_tol=1e-6)
    )


@given(st.floats(0, 1), parameters, parameters)
def test_the_distribution_is_that_of_scipy(value: float, first: float, second: float) -> None:
    assert isclose(
        incomplete_beta(value, first, second),
        betainc(first, second, value),
        rel_tol=1e-8,
        abs_tol=1e-12,
    )


@given(st.floats(1e-6, 1 - 1e-6), parameters, parameters)
def test_the_quantile_is_that_of_scipy(chance: float, first: float, second: float) -> None:
    assert isclose(
        beta_quantile(chance, first, second),
        beta.ppf(chance, first, second),
        rel_tol=1e-7,
        abs_tol=1e-9,
    )


@given(counts, st.floats(0.01, 0.99))
def test_the_tail_is_that_of_the_binomial_distribution(count: tuple[int, int], rate: float) -> None:
    passed, samples = count
    assert isclose(
        at_least(passed, samples, rate),
        binom.sf(passed - 1, samples, rate),
        rel_tol=1e-6,
        abs_tol=1e-12,
    )
    assert at_least(samples + 1, samples, rate) == 0.0


@pytest.mark.parametrize("total", [20, 45, 100])
@pytest.mark.parametrize("rate", [0.5, 0.85, 0.95, 0.99])
def test_neither_side_errs_more_often_than_promised(total: int, rate: float) -> None:
    """Exactly, over all outcomes: at rates near 1 a score interval would err in about 10 % of cases."""
    below = above = 0.0
    for passed in range(total + 1):
        low, high = clopper_pearson(passed, total)
        chance = binom.pmf(passed, total, rate)
        above += chance if low > rate else 0.0
        below += chance if high < rate else 0.0
    assert above <= 0.025
    assert below <= 0.025


@given(counts, confidences)
def test_interval_holds_the_rate_and_stays_within_0_and_1(
    count: tuple[int, int], confidence: float
) -> None:
    successes, total = count
    low, high = clopper_pearson(successes, total, confidence)
    assert 0.0 <= low <= successes / total <= high <= 1.0


@given(counts, confidences)
def test_interval_is_symmetric_in_successes_and_failures(
    count: tuple[int, int], confidence: float
) -> None:
    successes, total = count
    low, high = clopper_pearson(successes, total, confidence)
    mirrored = clopper_pearson(total - successes, total, confidence)
    assert isclose(low, 1.0 - mirrored[1], abs_tol=1e-9)
    assert isclose(high, 1.0 - mirrored[0], abs_tol=1e-9)


@given(counts, confidences)
def test_more_confidence_needs_a_wider_interval(count: tuple[int, int], confidence: float) -> None:
    narrow, wide = (
        clopper_pearson(*count, confidence),
        clopper_pearson(*count, (1 + confidence) / 2),
    )
    assert wide[0] <= narrow[0]
    assert narrow[1] <= wide[1]


@given(st.integers(0, 50), st.integers(1, 50))
def test_more_samples_at_the_same_rate_narrow_the_interval(successes: int, failures: int) -> None:
    few = clopper_pearson(successes, successes + failures)
    many = clopper_pearson(10 * successes, 10 * (successes + failures))
    assert many[1] - many[0] < few[1] - few[0]


def test_no_observation_tells_nothing() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "total"), [(-1, 5), (6, 5), (0, -1)])
def test_impossible_counts_are_refused(successes: int, total: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} of {total}"):
        clopper_pearson(successes, total)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95.0, float("nan")])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        clopper_pearson(1, 2, confidence)


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100))
def test_undecided_samples_open_the_rate_between_two_bounds(
    passed: int, undecided: int, failed: int
) -> None:
    rate = PassRate(passed, undecided, passed + undecided + failed)
    interval = rate.interval()
    assert 0.0 <= interval.low <= rate.lower <= rate.upper <= interval.high <= 1.0
    assert (rate.lower == rate.upper) == (undecided == 0 and rate.total > 0)


@given(counts)
def test_without_undecided_samples_the_interval_is_the_exact_one(count: tuple[int, int]) -> None:
    interval = PassRate(count[0], 0, count[1]).interval()
    assert (interval.low, interval.high) == clopper_pearson(*count)


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((-1, 0, 5), "-1 passed of 5"),
        ((0, -1, 5), "0 passed and -1 undecided of 5"),
        ((3, 3, 5), "3 passed and 3 undecided of 5"),
        ((13, 0, 0), "13 passed of 0"),
    ],
)
def test_counts_that_do_not_add_up_are_refused(counts: tuple[int, int, int], shown: str) -> None:
    with pytest.raises(ValueError, match=f"^the counts do not add up: {shown}$"):
        PassRate(*counts)
