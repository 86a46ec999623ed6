"""Whether a figure fell, and whether a drop is excluded: one case for each way to it, also with missing values."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.statistics.drops import BoundedTest, confidence_of
from pytest_autoeval.statistics.paired import PairedTest, paired_test


def single(won: int, lost: int, pairs: int, confidence: float = 0.95) -> PairedTest:
    outcomes = [(0, 1)] * won + [(1, 0)] * lost + [(1, 1)] * (pairs - won - lost)
    return paired_test([((before, 1), (after, 1)) for before, after in outcomes], confidence)


def whole(won: int, lost: int, pairs: int) -> BoundedTest:
    """The test of pairs of which none is missing."""
    test = single(won, lost, pairs)
    return BoundedTest(test, test)


@pytest.mark.parametrize(
    ("won", "lost", "pairs", "verdict"),
    [
        (0, 8, 40, "failed"),  # significant, and the drop may well be as large
        (20, 60, 2000, "failed"),  # significant, although a drop of 5 points is excluded
        (0, 0, 200, "passed"),  # the interval excludes it
        (20, 22, 700, "passed"),  # not significant, and excluded
        # A drop of 5 points would have been found in 80 % of runs, but is not excluded.
        (
            5,
            11,
            300,
            "inconclusive",
        ),
        (20, 31, 500, "inconclusive"),
        (1, 2, 20, "inconclusive"),  # too few to tell
        (0, 4, 30, "inconclusive"),  # nearly significant is not significant
        (9, 0, 30, "passed"),  # so much better that a drop is excluded
    ],
)
def test_each_way_to_a_verdict(won: int, lost: int, pairs: int, verdict: str) -> None:
    assert whole(won, lost, pairs).decision(0.05, 0.05) == verdict


@pytest.mark.parametrize(
    ("alpha", "confidence"), [(0.1, 0.95), (0.05, 0.95), (0.025, 0.95), (0.005, 0.99)]
)
def test_a_drop_is_excluded_by_an_interval_of_at_least_95_percent(
    alpha: float, confidence: float
) -> None:
    assert confidence_of(alpha) == pytest.approx(confidence)


def test_a_true_drop_passes_in_few_runs() -> None:
    """Of 2,000 runs of 400 formulas whose rate fell by 5 points, at most 5 % exclude the drop."""
    chance = random.Random(1)
    passed = 0
    for _ in range(2000):
        lost = sum(chance.random() < 0.065 for _ in range(400))
        won = sum(chance.random() < 0.015 for _ in range(400 - lost))
        passed += whole(won, lost, 400).decision(0.05, 0.05) == "passed"
    assert passed <= 0.05 * 2000


def test_an_unchanged_figure_fails_in_few_runs() -> None:
    """Of 2,000 runs of 200 formulas of which 10 % change without a reason, at most 5 % fail."""
    chance = random.Random(2)
    failed = 0
    for _ in range(2000):
        changed = sum(chance.random() < 0.1 for _ in range(200))
        lost = sum(chance.random() < 0.5 for _ in range(changed))
        failed += whole(changed - lost, lost, 200).fell(0.05)
    assert failed <= 0.05 * 2000


def test_at_the_level_itself_nothing_is_significant() -> None:
    test = whole(0, 4, 30)
    assert test.p_value == 0.0625
    assert not test.fell(0.0625)
    assert test.fell(0.0626)


def test_a_drop_as_large_as_the_interval_allows_is_not_excluded() -> None:
    test = whole(3, 5, 400)
    end = -test.worst.interval.low
    assert not test.excludes(end)
    assert test.excludes(end + 1e-9)


def test_no_pairs_decide_nothing() -> None:
    nothing = BoundedTest(paired_test([]), paired_test([]))
    assert nothing.p_value is None
    assert not nothing.fell(1.0)
    assert not nothing.excludes(1.0)
    assert nothing.decision(0.05, 0.05) == "inconclusive"


@pytest.mark.parametrize(
    ("worst", "best", "verdict"),
    [
        ((0, 8, 40), (0, 8, 40), "failed"),
        ((0, 12, 40), (0, 4, 40), "inconclusive"),  # it fell only if the missing ones are lost
        ((0, 12, 40), (0, 8, 40), "failed"),  # it fell even if all missing ones are kept
        ((0, 10, 400), (0, 0, 400), "passed"),  # excluded even if all missing ones are lost
        ((0, 30, 400), (0, 0, 400), "inconclusive"),  # excluded only if they are kept
    ],
)
def test_missing_values_decide_nothing(
    worst: tuple[int, int, int], best: tuple[int, int, int], verdict: str
) -> None:
    assert BoundedTest(single(*worst), single(*best)).decision(0.05, 0.05) == verdict


@given(
    st.integers(0, 20),
    st.integers(0, 20),
    st.integers(0, 60),
    st.integers(0, 10),
    st.floats(0.01, 0.5),
)
def test_more_missing_values_make_no_decision_easier(
    won: int, lost: int, tied: int, missing: int, drop: float
) -> None:
    pairs = won + lost + tied + missing
    bounded = BoundedTest(single(won, lost + missing, pairs), single(won, lost, pairs))
    for known in (whole(won, lost, pairs), whole(won, lost + missing, pairs)):
        if bounded.decision(drop, 0.05) == "failed":
            assert known.fell(0.05)
        if bounded.decision(drop, 0.05) == "passed":
            assert known.excludes(drop)
