"""Planned looks: the shares of the error, and what a look may decide."""

from __future__ import annotations

import random
from itertools import product

import pytest

from pytest_autoeval.statistics.look_levels import (
    LOOKS,
    certain_decision,
    confidence_at,
    fell_at,
    share_of_look,
    threshold_decision,
)
from pytest_autoeval.statistics.paired import paired_test
from pytest_autoeval.statistics.pass_rate import PassRate


def test_the_shares_add_up_to_the_whole_error() -> None:
    shares = [share_of_look(look) for look in range(1, LOOKS + 1)]

    assert [round(share, 4) for share in shares] == [0.0001, 0.004, 0.0426, 0.2155, 0.7379]
    assert sum(shares) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("look", [0, LOOKS + 1])
def test_there_are_five_looks(look: int) -> None:
    with pytest.raises(ValueError, match="a look is in 1…5"):
        share_of_look(look)


def test_the_interval_of_a_look_is_wider_than_that_of_one_test() -> None:
    assert confidence_at(5, 0.05) == pytest.approx(1 - 0.05 * 0.737856)
    assert all(confidence_at(look, 0.05) > 0.95 for look in range(1, LOOKS + 1))


@pytest.mark.parametrize(
    ("passed", "undecided", "total", "threshold", "look", "decision"),
    [
        (40, 0, 40, 0.5, 1, "passed"),
        (2, 0, 40, 0.9, 1, "failed"),
        (36, 0, 40, 0.9, 5, "inconclusive"),
        (0, 0, 0, 0.9, 5, "inconclusive"),
        (0, 40, 40, 0.5, 1, "inconclusive"),
        # What decides at the end may be too little for an early look.
        (32, 0, 40, 0.6, 5, "passed"),
        (32, 0, 40, 0.6, 1, "inconclusive"),
    ],
)
def test_the_interval_at_a_look_decides(
    passed: int, undecided: int, total: int, threshold: float, look: int, decision: str
) -> None:
    assert threshold_decision(PassRate(passed, undecided, total), threshold, look) == decision


def test_repeats_that_agree_count_once() -> None:
    assert threshold_decision(PassRate(40, 0, 40), 0.6, 2) == "passed"
    assert threshold_decision(PassRate(40, 0, 40, design_effect=5.0), 0.6, 2) == "inconclusive"


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_a_certain_decision_is_that_of_every_rest(threshold: float) -> None:
    for ran, left in product(range(8), range(8)):
        for passed in range(ran + 1):
            ends = {
                "passed" if (passed + more) / (ran + counted) >= threshold else "failed"
                for counted in range(left + 1)
                for more in range(counted + 1)
                if ran + counted
            }
            found = certain_decision(passed, ran, left, threshold)
            if ran:
                assert found == (ends.pop() if len(ends) == 1 else "inconclusive"), (
                    passed,
                    ran,
                    left,
                )
            else:
                assert found == "inconclusive"


@pytest.mark.parametrize(
    ("p_value", "look", "fell"),
    [(None, 5, False), (0.03, 5, True), (0.03, 4, False), (3e-6, 1, True), (4e-6, 1, False)],
)
def test_a_fall_at_a_look_needs_a_p_value_below_the_share_of_the_level(
    p_value: float | None, look: int, fell: bool
) -> None:
    assert fell_at(p_value, 0.05, look) is fell


def test_an_unchanged_model_rarely_falls_at_any_look() -> None:
    """More looks would make more errors, if each had the whole level."""
    drawn, runs = random.Random(1), 600
    reds = {"shared": 0, "whole": 0}
    for _ in range(runs):
        pairs = [((drawn.random() < 0.7, 1), (drawn.random() < 0.7, 1)) for _ in range(100)]
        p_values = [paired_test(pairs[: 20 * look]).p_value for look in range(1, LOOKS + 1)]
        reds["shared"] += any(fell_at(p, 0.05, look) for look, p in enumerate(p_values, 1))
        reds["whole"] += any(p is not None and p < 0.05 for p in p_values)

    assert reds["shared"] <= 0.05 * runs < reds["whole"]


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_a_model_at_its_threshold_is_rarely_decided_wrongly(rate: float) -> None:
    drawn, runs = random.Random(2), 800
    decided = {"passed": 0, "failed": 0, "inconclusive": 0}
    for _ in range(runs):
        outcomes = [drawn.random() < rate for _ in range(100)]
        rates = [PassRate(sum(outcomes[: 20 * look]), 0, 20 * look) for look in range(1, LOOKS + 1)]
        found = [threshold_decision(one, rate, look) for look, one in enumerate(rates, 1)]
        decided[next((one for one in found if one != "inconclusive"), "inconclusive")] += 1

    assert max(decided["passed"], decided["failed"]) <= 0.025 * runs
