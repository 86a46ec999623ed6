"""The verdict on a drop: one case for each way to it."""

from __future__ import annotations

import random

import pytest

from pytest_autoeval.statistics.drops import confidence_of, judge_drop
from pytest_autoeval.statistics.paired import PairedTest, paired_test


def single(won: int, lost: int, pairs: int) -> PairedTest:
    outcomes = [(0, 1)] * won + [(1, 0)] * lost + [(1, 1)] * (pairs - won - lost)
    return paired_test([((before, 1), (after, 1)) for before, after in outcomes])


@pytest.mark.parametrize(
    ("won", "lost", "pairs", "verdict"),
    [
        (0, 8, 40, "failed"),  # significant, and the drop may well be as large
        (20, 60, 2000, "passed"),  # significant, but a drop of 5 points is excluded
        (0, 0, 200, "passed"),  # the interval excludes it
        (20, 22, 700, "passed"),  # not significant, and excluded
        (5, 11, 300, "inconclusive"),  # a drop of 5 points would have been found in 80 % of runs, but is not excluded
        (20, 31, 500, "inconclusive"),
        (1, 2, 20, "inconclusive"),  # too few to tell
        (0, 4, 30, "inconclusive"),  # nearly significant is not significant
        (9, 0, 30, "passed"),  # so much better that a drop is excluded
    ],
)
def test_each_way_to_a_verdict(won: int, lost: int, pairs: int, verdict: str) -> None:
    test = single(won, lost, pairs)
    assert judge_drop(test.interval.low, test.p_value, drop=0.05, alpha=0.05) == verdict


@pytest.mark.parametrize(("alpha", "confidence"), [(0.1, 0.95), (0.05, 0.95), (0.025, 0.95), (0.005, 0.99)])
def test_what_is_excluded_is_excluded_at_the_corrected_level(alpha: float, confidence: float) -> None:
    assert confidence_of(alpha) == pytest.approx(confidence)


def test_a_true_drop_passes_in_few_runs() -> None:
    """Of 2,000 runs of 400 formulas whose rate fell by 5 points, at most 5 % exclude the drop."""
    chance = random.Random(1)
    passed = 0
    for _ in range(2000):
        lost = sum(chance.random() < 0.065 for _ in range(400))
        won = sum(chance.random() < 0.015 for _ in range(400 - lost))
        test = single(won, lost, 400)
        passed += judge_drop(test.interval.low, test.p_value, drop=0.05, alpha=0.05) == "passed"
    assert passed <= 0.05 * 2000


def test_the_corrected_p_value_counts() -> None:
    test = single(0, 8, 40)
    assert judge_drop(test.interval.low, 0.2, drop=0.05, alpha=0.05) == "inconclusive"


def test_at_the_level_itself_nothing_is_significant() -> None:
    test = single(0, 4, 30)
    assert test.p_value == 0.0625
    assert judge_drop(test.interval.low, test.p_value, drop=0.05, alpha=0.0625) == "inconclusive"
    assert judge_drop(test.interval.low, test.p_value, drop=0.05, alpha=0.0626) == "failed"


def test_no_pairs_decide_nothing() -> None:
    assert judge_drop(paired_test([]).interval.low, None, drop=0.05, alpha=0.05) == "inconclusive"
