"""The paired test: against McNemar's, every flip of signs, every shuffle of trials, and what its interval covers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb, isclose, sqrt
from operator import mul
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact

from pytest_autoeval.statistics import sign_flips, unequal_repeats
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.pass_rate import score_interval
from pytest_autoeval.statistics.stratified import stratified_difference
from pytest_autoeval.statistics.unequal_repeats import lower_tail_of_unequal

Trials = tuple[int, int]
one_trial = st.tuples(
    st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)
)
trials = st.integers(1, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
repeated = st.lists(st.tuples(trials, trials), min_size=1, max_size=9)


def single(won: int, lost: int, passing: int, failing: int = 0) -> PairedTest:
    """The test of so many formulas with one trial each."""
    outcomes = [(0, 1)] * won + [(1, 0)] * lost + [(1, 1)] * passing + [(0, 0)] * failing
    return paired_test([((before, 1), (after, 1)) for before, after in outcomes])


@given(one_trial)
def test_one_trial_each_is_mcnemars_exact_test(counts: tuple[int, int, int, int]) -> None:
    won, lost, passing, failing = counts
    if not sum(counts):
        return
    test = single(*counts)
    assert test.p_value is not None
    expected = binomtest(lost, won + lost, alternative="greater").pvalue if won + lost else 1.0
    assert isclose(test.p_value, expected, rel_tol=1e-9)
    two_sided = binomtest(lost, won + lost).pvalue if won + lost else 1.0
    assert isclose(
        min(1.0, 2 * min(test.p_value, single(lost, won, passing, failing).p_value or 0.0)),
        two_sided,
    )
    assert (test.pairs, test.won, test.lost, test.tied) == (
        sum(counts),
        won,
        lost,
        passing + failing,
    )
    assert isclose(test.before, (passing + lost) / sum(counts))
    assert isclose(test.difference, test.after - test.before, abs_tol=1e-12)
    assert test.step == 1.0


def possible(before: Trials, after: Trials) -> dict[Fraction, Fraction]:
    """The differences that one formula with other repeats may show if nothing changed, with their chances."""
    change = Fraction(*after) - Fraction(*before)
    if before[1] == after[1] or (before[0] in (0, before[1]) and after[0] in (0, after[1])):
        return (
            {change: Fraction(1, 2), -change: Fraction(1, 2)} if change else {change: Fraction(1)}
        )
    passes = before[0] + after[0]
    ways = {
        Fraction(here, after[1]) - Fraction(passes - here, before[1]): comb(after[1], here)
        * comb(before[1], passes - here)
        for here in range(after[1] + 1)
        if 0 <= passes - here <= before[1]
    }
    return {difference: Fraction(number, sum(ways.values())) for difference, number in ways.items()}


def as_low(pairs: list[tuple[Trials, Trials]]) -> float:
    """The chance of a sum of differences as low as the one seen, by counting all sums."""
    sums = {Fraction(0): Fraction(1)}
    for pair in pairs:
        counted: dict[Fraction, Fraction] = {}
        for (whole, chance), (change, share) in product(sums.items(), possible(*pair).items()):
            counted[whole + change] = counted.get(whole + change, Fraction(0)) + chance * share
        sums = counted
    seen = sum((Fraction(*after) - Fraction(*before) for before, after in pairs), Fraction(0))
    return float(sum(chance for whole, chance in sums.items() if whole <= seen))


@given(repeated)
def test_with_repeats_it_is_the_share_of_all_flips_of_signs(
    pairs: list[tuple[Trials, Trials]],
) -> None:
    changes = [Fraction(*after) - Fraction(*before) for before, after in pairs]
    twelfths = [int(12 * change) for change in changes]  # one to four trials each
    flips = [sum(map(mul, twelfths, signs)) for signs in product((1, -1), repeat=len(changes))]
    test = paired_test(pairs)
    share = sum(flip <= sum(twelfths) for flip in flips) / len(flips)
    if all(before[1] == after[1] for before, after in pairs):
        assert test.p_value == share
    else:
        assert test.p_value is not None
        assert isclose(test.p_value, max(share, as_low(pairs)), rel_tol=1e-9)
    assert isclose(test.difference, float(sum(changes) / len(changes)), abs_tol=1e-12)
    assert isclose(
        test.mean_square, float(sum(change**2 for change in changes) / len(changes)), abs_tol=1e-12
    )
    assert 0.0 < test.step <= 1.0


@given(trials, trials)
def test_one_formula_whose_trials_differ_is_fishers_exact_test(
    before: Trials, after: Trials
) -> None:
    is_unanimous = before[0] in (0, before[1]) and after[0] in (0, after[1])
    if is_unanimous or before[1] == after[1]:
        return
    table = [[after[0], after[1] - after[0]], [before[0], before[1] - before[0]]]
    expected = fisher_exact(table, alternative="less").pvalue
    assert isclose(lower_tail_of_unequal({(before, after): 1}), expected, rel_tol=1e-9)


@given(one_trial)
def test_with_one_trial_each_both_tests_are_the_same(counts: tuple[int, int, int, int]) -> None:
    won, lost, passing, _ = counts
    changed = [((0, 1), (1, 1))] * won + [((1, 1), (0, 1))] * lost + [((1, 1), (1, 1))] * passing
    conditional = stratified_difference([(after, before) for before, after in changed]).p_value
    test = paired_test(changed)
    assert isclose(1.0 if conditional is None else conditional, test.p_value or 1.0, rel_tol=1e-9)


def test_with_many_formulas_and_other_repeats_the_normal_distribution_stands_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(4)
    rates = random.beta(4, 1, 400)
    counts = zip(
        random.binomial(5, rates).tolist(),
        random.binomial(8, rates - 0.02).clip(0).tolist(),
        strict=True,
    )
    pairs = [((before, 5), (after, 8)) for before, after in counts]
    exact = paired_test(pairs).p_value
    monkeypatch.setattr(unequal_repeats, "MOST_WORK", 0)
    assert paired_test(pairs).p_value == pytest.approx(exact, rel=0.1)


@given(repeated, st.sampled_from([0.95, 0.8, 0.99]))
def test_an_interval_without_0_means_that_a_test_rejects(
    pairs: list[tuple[Trials, Trials]], confidence: float
) -> None:
    test = paired_test(pairs, confidence)
    rose = paired_test([(after, before) for before, after in pairs], confidence).p_value
    tail = (1 - confidence) / 2
    if test.interval.high < 0:
        assert test.p_value is not None
        assert test.p_value <= tail
    if test.interval.low > 0:
        assert rose is not None
        assert rose <= tail


@given(repeated)
def test_what_is_seen_does_not_depend_on_the_order_of_formulas(
    pairs: list[tuple[Trials, Trials]],
) -> None:
    assert paired_test(pairs) == paired_test(pairs[::-1])


@given(repeated)
def test_the_interval_holds_the_difference(pairs: list[tuple[Trials, Trials]]) -> None:
    test = paired_test(pairs)
    assert -1.0 <= test.interval.low <= test.difference <= test.interval.high <= 1.0
    wide = paired_test(pairs, confidence=0.99).interval
    assert wide.low <= test.interval.low
    assert test.interval.high <= wide.high


def test_copies_of_one_trial_tell_nothing_new() -> None:
    once = single(3, 8, 60, 9)
    outcomes = [(0, 1)] * 3 + [(1, 0)] * 8 + [(1, 1)] * 60 + [(0, 0)] * 9
    copied = paired_test([((7 * before, 7), (7 * after, 7)) for before, after in outcomes])
    assert copied.p_value == once.p_value
    assert isclose(copied.interval.low, once.interval.low, abs_tol=1e-9)
    assert isclose(copied.interval.high, once.interval.high, abs_tol=1e-9)


def test_small_probabilities_are_as_precise_as_large_ones() -> None:
    for lost, won in ((60, 0), (900, 100), (1060, 1000)):
        p_value = single(won, lost, 10).p_value
        assert p_value is not None
        assert isclose(
            p_value, binomtest(lost, won + lost, alternative="greater").pvalue, rel_tol=1e-9
        )
    assert (single(0, 3000, 0).p_value or 0.0) >= 0.0


def test_past_the_bound_of_work_the_normal_distribution_stands_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(2)
    changes: dict[int, int] = {}
    for change in random.integers(-53, 50, 800).tolist():
        changes[change] = changes.get(change, 0) + 1
    exact = sign_flips.lower_tail_probability(changes)
    monkeypatch.setattr(sign_flips, "MOST_WORK", 0)
    assert sign_flips.lower_tail_probability(changes) != exact
    assert isclose(sign_flips.lower_tail_probability(changes), exact, rel_tol=0.02)
    assert 0.001 < exact < 0.2


def test_no_pairs_tell_nothing() -> None:
    test = paired_test([])
    assert (test.pairs, test.p_value, test.interval.low, test.interval.high) == (0, None, -1.0, 1.0)


@pytest.mark.parametrize(
    "pair", [((1, 0), (0, 1)), ((2, 1), (0, 1)), ((0, 1), (-1, 1)), ((0, 0), (0, 1))]
)
def test_impossible_counts_are_refused(pair: tuple[Trials, Trials]) -> None:
    with pytest.raises(ValueError, match="needs trials"):
        paired_test([pair])
    with pytest.raises(ValueError, match="confidence"):
        paired_test([((0, 1), (1, 1))], confidence=1.0)


def deviate(truth: float, won: int, lost: int, total: int) -> float:
    """The score statistic, its nuisance parameter found by search: an oracle that solves no equation."""
    share = np.linspace(max(0.0, -truth), (1 - truth) / 2, 200_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = sum(
            np.where(count == 0, 0.0, count * np.log(chance))
            for count, chance in (
                (won, share + truth),
                (lost, share),
                (total - won - lost, 1 - 2 * share - truth),
            )
        )
    best = share[np.nanargmax(likelihood)]
    return float((won - lost - total * truth) / sqrt(total * (2 * best + truth - truth**2)))


@pytest.mark.parametrize(
    ("won", "lost", "total"), [(3, 9, 60), (0, 4, 50), (20, 11, 80), (1, 0, 12), (5, 5, 10)]
)
def test_the_interval_ends_where_the_score_test_begins_to_reject(
    won: int, lost: int, total: int
) -> None:
    interval, z = score_interval(won, lost, total), NormalDist().inv_cdf(0.975)
    assert isclose(deviate(interval.low, won, lost, total), z, abs_tol=2e-3)
    assert isclose(deviate(interval.high, won, lost, total), -z, abs_tol=2e-3)


@given(one_trial)
def test_the_interval_is_symmetric_in_won_and_lost(counts: tuple[int, int, int, int]) -> None:
    won, lost, total = counts[0], counts[1], sum(counts)
    interval, mirrored = score_interval(won, lost, total), score_interval(lost, won, total)
    assert isclose(interval.low, -mirrored.high, abs_tol=1e-9)
    assert isclose(interval.high, -mirrored.low, abs_tol=1e-9)


def test_an_interval_of_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="do not add up"):
        score_interval(3, 3, 5)
    with pytest.raises(ValueError, match="confidence"):
        score_interval(1, 1, 5, 95)


CHANGES: dict[str, Callable[[np.random.Generator], tuple[Any, Any]]] = {
    "formulas always pass or fail": lambda random: (
        random.random(60) < 0.9,
        random.random(60) < 0.05,
    ),
    "formulas pass by chance": lambda random: (np.full(60, 0.9), np.full(60, 0.05)),
    "formulas differ": lambda random: (random.beta(4, 0.7, 60), np.full(60, 0.05)),
}


@pytest.mark.parametrize("repeats", [1, 4])
@pytest.mark.parametrize("name", CHANGES)
def test_the_interval_covers_the_true_difference(name: str, repeats: int) -> None:
    random, runs = np.random.default_rng(11), 400
    outside, below = 0, 0
    for _ in range(runs):
        before, lowered = CHANGES[name](random)
        after = before * (1 - lowered)
        truth = -0.05 * (0.9 if name != "formulas differ" else 4 / 4.7)
        counts = zip(random.binomial(repeats, before), random.binomial(repeats, after), strict=True)
        interval = paired_test(
            [((int(count), repeats), (int(other), repeats)) for count, other in counts]
        ).interval
        outside += not interval.low <= truth <= interval.high
        below += truth < interval.low
    assert outside / runs <= 0.05 + 4 * sqrt(0.05 * 0.95 / runs)
    assert below / runs <= 0.025 + 4 * sqrt(0.025 * 0.975 / runs)
