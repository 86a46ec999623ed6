"""The Wilson interval against published values and against the equation that defines it."""

from __future__ import annotations

from math import isclose, sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.statistics import PassRate, wilson

counts = st.integers(1, 2000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))
confidences = st.floats(0.5, 0.999)


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_published_values(successes: int, total: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, Table I, method 3."""
    interval = wilson(successes, total)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def bound_by_bisection(rate: float, total: int, z: float, inside: float, outside: float) -> float:
    """Where the score test stops accepting: an oracle that uses the test's definition and no closed form."""
    for _ in range(200):
        middle = (inside + outside) / 2
        accepted = abs(rate - middle) <= z * sqrt(middle * (1 - middle) / total)
        inside, outside = (middle, outside) if accepted else (inside, middle)
    return inside


@given(counts, confidences)
def test_bounds_are_where_the_score_test_stops_accepting(count: tuple[int, int], confidence: float) -> None:
    successes, total = count
    rate, z = successes / total, NormalDist().inv_cdf(0.5 + confidence / 2)
    interval = wilson(successes, total, confidence)
    assert isclose(interval.low, bound_by_bisection(rate, total, z, rate, 0.0), abs_tol=1e-9)
    assert isclose(interval.high, bound_by_bisection(rate, total, z, rate, 1.0), abs_tol=1e-9)


@given(counts, confidences)
def test_interval_holds_the_rate_and_stays_within_0_and_1(count: tuple[int, int], confidence: float) -> None:
    successes, total = count
    interval = wilson(successes, total, confidence)
    assert 0.0 <= interval.low <= successes / total <= interval.high <= 1.0


@given(counts, confidences)
def test_interval_is_symmetric_in_successes_and_failures(count: tuple[int, int], confidence: float) -> None:
    successes, total = count
    interval, mirrored = wilson(successes, total, confidence), wilson(total - successes, total, confidence)
    assert isclose(interval.low, 1.0 - mirrored.high, abs_tol=1e-12)
    assert isclose(interval.high, 1.0 - mirrored.low, abs_tol=1e-12)


@given(counts, confidences)
def test_more_confidence_needs_a_wider_interval(count: tuple[int, int], confidence: float) -> None:
    narrow, wide = wilson(*count, confidence), wilson(*count, (1 + confidence) / 2)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@given(st.integers(0, 50), st.integers(1, 50))
def test_more_samples_at_the_same_rate_narrow_the_interval(successes: int, failures: int) -> None:
    few = wilson(successes, successes + failures)
    many = wilson(10 * successes, 10 * (successes + failures))
    assert many.high - many.low < few.high - few.low


def test_no_observation_tells_nothing() -> None:
    interval = wilson(0, 0)
    assert (interval.low, interval.high) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "total"), [(-1, 5), (6, 5), (0, -1)])
def test_impossible_counts_are_refused(successes: int, total: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} of {total}"):
        wilson(successes, total)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95.0, float("nan")])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, confidence)


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100))
def test_undecided_samples_open_the_rate_between_two_bounds(passed: int, undecided: int, failed: int) -> None:
    rate = PassRate(passed, undecided, passed + undecided + failed)
    interval = rate.interval()
    assert 0.0 <= interval.low <= rate.lower <= rate.upper <= interval.high <= 1.0
    assert (rate.lower == rate.upper) == (undecided == 0 and rate.total > 0)


@given(counts)
def test_without_undecided_samples_the_interval_is_wilsons(count: tuple[int, int]) -> None:
    assert PassRate(count[0], 0, count[1]).interval() == wilson(*count)


@pytest.mark.parametrize("counts", [(-1, 0, 5), (0, -1, 5), (3, 3, 5)])
def test_counts_that_do_not_add_up_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="do not add up"):
        PassRate(*counts)
