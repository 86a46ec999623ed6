"""pass@k, pass^k and the spread over repeats, against drawing all subsets."""

from __future__ import annotations

from itertools import combinations
from math import isclose
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.statistics.repeat_statistics import pass_at_k, pass_hat_k, spread

counts = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))
)


@given(counts)
def test_they_are_the_shares_of_all_subsets_of_k_attempts(count: tuple[int, int, int]) -> None:
    passed, total, k = count
    subsets = list(combinations([True] * passed + [False] * (total - passed), k))
    assert isclose(
        pass_at_k(passed, total, k), sum(map(any, subsets)) / len(subsets), abs_tol=1e-12
    )
    assert isclose(
        pass_hat_k(passed, total, k), sum(map(all, subsets)) / len(subsets), abs_tol=1e-12
    )


@given(counts)
def test_one_attempt_is_the_plain_rate_and_more_attempts_help_or_hurt(
    count: tuple[int, int, int],
) -> None:
    passed, total, k = count
    rate = passed / total
    assert isclose(pass_at_k(passed, total, 1), rate, abs_tol=1e-12)
    assert isclose(pass_hat_k(passed, total, 1), rate, abs_tol=1e-12)
    assert pass_hat_k(passed, total, k) <= rate + 1e-12 <= pass_at_k(passed, total, k) + 2e-12


def test_a_value_by_hand() -> None:
    """1 − C(7, 5) / C(10, 5) = 11/12: 3 of 10 samples right, 5 drawn."""
    assert isclose(pass_at_k(3, 10, 5), 11 / 12)


@pytest.mark.parametrize(
    ("passed", "total", "k"), [(3, 2, 1), (-1, 2, 1), (1, 2, 0), (1, 2, 3), (0, 0, 1)]
)
def test_impossible_counts_are_refused(passed: int, total: int, k: int) -> None:
    for estimate in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="must lie in"):
            estimate(passed, total, k)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_spread_is_mean_and_sample_deviation(rates: list[float]) -> None:
    found = spread(rates)
    assert isclose(found.mean, fmean(rates), abs_tol=1e-12)
    assert found.deviation is not None
    assert isclose(found.deviation, stdev(rates), abs_tol=1e-12)
    assert found.count == len(rates)


def test_one_rate_has_no_deviation_and_no_rate_no_mean() -> None:
    assert spread([0.5]).deviation is None
    with pytest.raises(ValueError, match="no rates"):
        spread([])
