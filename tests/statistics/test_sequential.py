"""The sequential test keeps its promise: exactly, for every whole run, and in simulated ones."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from functools import cache
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.statistics.sequential import reaches


def exactly(needed: int, passes: int, seen: int, planned: int, alpha: Fraction) -> bool | None:
    """The same decision in whole numbers: an oracle that knows no logarithm, and counts orders one by one."""
    ways = [
        Fraction(comb(planned - seen, total - passes), comb(planned, total)) if total >= passes else Fraction(0)
        for total in range(planned + 1)
    ]
    short, enough = ways[: max(needed, 0)], ways[max(needed, 0) :]
    if not any(short):
        return True
    if not any(enough):
        return False
    if sum(enough) / len(enough) >= max(short) / alpha:
        return True
    return False if sum(short) / len(short) >= max(enough) / alpha else None


def chance_of_an_error(needed: int, total: int, planned: int, alpha: float, looks: range) -> float:
    """The probability, by counting, that looking so ends in the wrong answer where the whole run has ``total``."""
    under_way: dict[int, float] = {0: 1.0}
    wrong, last = 0.0, 0
    for seen in (*looks, planned):
        reached: dict[int, float] = defaultdict(float)
        for passes, chance in under_way.items():
            left, drawn = planned - last, seen - last
            for more in range(drawn + 1):
                ways = comb(total - passes, more) * comb(left - (total - passes), drawn - more)
                if ways:
                    reached[passes + more] += chance * ways / comb(left, drawn)
        under_way, last = {}, seen
        for passes, chance in reached.items():
            answer = reaches(needed, passes=passes, seen=seen, planned=planned, alpha=alpha)
            if answer is None:
                under_way[passes] = chance
            elif answer is not (total >= needed):
                wrong += chance
    assert not under_way, "a whole run leaves nothing open"
    return wrong


runs = st.integers(1, 60).flatmap(
    lambda planned: st.tuples(
        st.just(planned),
        st.integers(0, planned).flatmap(lambda seen: st.tuples(st.just(seen), st.integers(0, seen))),
        st.integers(-2, planned + 2),
    )
)


@given(runs, st.sampled_from([Fraction(1, 100), Fraction(1, 20), Fraction(1, 5)]))
def test_decisions_are_those_of_exact_arithmetic(run: tuple[int, tuple[int, int], int], alpha: Fraction) -> None:
    planned, (seen, passes), needed = run
    decided = reaches(needed, passes=passes, seen=seen, planned=planned, alpha=float(alpha))
    exact = exactly(needed, passes, seen, planned, alpha)
    # Where the odds are 1/alpha to the last digit, rounding may leave it open.
    tie = exact != exactly(needed, passes, seen, planned, alpha * Fraction(99_999, 100_000))
    assert decided == exact or (tie and decided is None)


@pytest.mark.parametrize(("planned", "needed", "step"), [(40, 36, 1), (60, 54, 5), (60, 30, 4), (50, 3, 10)])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_error_rate_holds_for_every_whole_run(planned: int, needed: int, step: int, alpha: float) -> None:
    chances = [
        chance_of_an_error(needed, total, planned, alpha, range(step, planned, step)) for total in range(planned + 1)
    ]
    assert max(chances) <= alpha
    assert max(chances) > 0.0, "it stops before it is certain"


@cache
def remembered(needed: int, passes: int, seen: int, planned: int, alpha: float) -> bool | None:
    """The test, which 2,000 runs ask the same many times."""
    return reaches(needed, passes=passes, seen=seen, planned=planned, alpha=alpha)


def simulated(rate: float, planned: int, threshold: float, alpha: float, batch: int, seed: int) -> tuple[bool, float]:
    """One run at a true rate: whether the early answer is that of the whole run, and the share that was not run."""
    chance = random.Random(seed)
    trials = [chance.random() < rate for _ in range(planned)]
    needed = next(total for total in range(planned + 1) if total / planned >= threshold)
    for seen in (*range(batch, planned, batch), planned):
        answer = remembered(needed, sum(trials[:seen]), seen, planned, alpha)
        if answer is not None:
            return answer is (sum(trials) >= needed), 1 - seen / planned
    raise AssertionError("a whole run leaves nothing open")


@pytest.mark.parametrize(
    ("rate", "saves"), [(0.5, 0.8), (0.75, 0.55), (0.85, 0.2), (0.9, 0.05), (0.95, 0.25), (0.99, 0.5)]
)
def test_two_thousand_runs_err_at_most_as_promised_and_save_calls(rate: float, saves: float) -> None:
    ends = [simulated(rate, planned=200, threshold=0.9, alpha=0.05, batch=20, seed=seed) for seed in range(2000)]
    assert sum(not right for right, _ in ends) / len(ends) <= 0.05
    assert sum(saved for _, saved in ends) / len(ends) >= saves


@pytest.mark.parametrize(
    ("passes", "seen", "answer"), [(90, 92, True), (0, 11, False), (89, 99, None), (90, 100, True), (89, 100, False)]
)
def test_what_the_rest_cannot_change_is_certain_at_any_rate(passes: int, seen: int, answer: bool | None) -> None:
    assert reaches(90, passes=passes, seen=seen, planned=100, alpha=1e-12) is answer


def test_nothing_is_decided_before_anything_was_seen() -> None:
    assert reaches(90, passes=0, seen=0, planned=100, alpha=0.05) is None


@given(runs)
def test_more_certainty_never_turns_an_answer_round(run: tuple[int, tuple[int, int], int]) -> None:
    planned, (seen, passes), needed = run
    strict, loose = (reaches(needed, passes=passes, seen=seen, planned=planned, alpha=alpha) for alpha in (0.01, 0.2))
    assert strict in {None, loose}


@pytest.mark.parametrize(("passes", "seen", "planned"), [(-1, 5, 9), (6, 5, 9), (5, 10, 9)])
def test_impossible_counts_are_refused(passes: int, seen: int, planned: int) -> None:
    with pytest.raises(ValueError, match="do not add up"):
        reaches(3, passes=passes, seen=seen, planned=planned, alpha=0.05)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_impossible_error_rates_are_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="error rate"):
        reaches(3, passes=1, seen=2, planned=9, alpha=alpha)


@pytest.mark.parametrize("passes", range(270, 301, 3))
def test_long_runs_are_decided_as_exactly_as_short_ones(passes: int) -> None:
    run = {"passes": passes, "seen": 300, "planned": 900}
    assert reaches(810, **run, alpha=0.01) == exactly(810, **run, alpha=Fraction(1, 100))


def test_a_hundred_thousand_trials_are_no_trouble() -> None:
    seen = {
        passes: reaches(90_000, passes=passes, seen=20_000, planned=100_000, alpha=1e-9)
        for passes in (17_700, 18_000, 18_300)
    }
    assert seen == {17_700: False, 18_000: None, 18_300: True}
