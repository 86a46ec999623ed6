"""The paired test of formulas in clusters, whose differences change together."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval.statistics.clusters import Trials
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.sign_flips import lower_tail_probability

Pair = tuple[Trials, Trials]


def of_repeats(repeats: int) -> st.SearchStrategy[Pair]:
    passed = st.tuples(st.integers(0, repeats), st.just(repeats))
    return st.tuples(passed, passed)


def clustered(most: int) -> st.SearchStrategy[list[tuple[Pair, int]]]:
    """Pairs with equal repeats, each with its cluster."""
    return st.integers(1, 3).flatmap(
        lambda repeats: st.lists(
            st.tuples(of_repeats(repeats), st.integers(0, 4)), min_size=1, max_size=most
        )
    )


def result(entries: list[tuple[Pair, int]], confidence: float = 0.95) -> PairedTest:
    return paired_test(
        [pair for pair, _ in entries], confidence, [cluster for _, cluster in entries]
    )


def by_enumeration(entries: list[tuple[Pair, int]]) -> Fraction:
    """The share of all choices of signs, one for each cluster, whose sum is at most the observed one."""
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for ((before, tried_before), (after, tried_after)), cluster in entries:
        sums[cluster] += Fraction(after, tried_after) - Fraction(before, tried_before)
    observed = sum(sums.values())
    choices = [*product((-1, 1), repeat=len(sums))]
    as_low = sum(
        sum(sign * value for sign, value in zip(signs, sums.values(), strict=True)) <= observed
        for signs in choices
    )
    return Fraction(as_low, len(choices))


@settings(max_examples=300)
@given(clustered(12))
def test_the_p_value_is_that_of_all_signs_of_whole_clusters(
    entries: list[tuple[Pair, int]],
) -> None:
    assert result(entries).p_value == pytest.approx(float(by_enumeration(entries)), abs=1e-12)


@given(st.lists(of_repeats(2), min_size=1, max_size=30))
def test_clusters_of_one_pair_change_nothing(pairs: list[Pair]) -> None:
    assert paired_test(pairs, 0.95, range(len(pairs))) == paired_test(pairs)


@given(clustered(20), st.randoms())
def test_neither_the_order_nor_the_names_of_clusters_matter(
    entries: list[tuple[Pair, int]], chance: object
) -> None:
    shuffled = list(entries)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    first = result(entries)
    other = paired_test(
        [pair for pair, _ in shuffled], 0.95, [f"cluster {-number}" for _, number in shuffled]
    )
    assert other.p_value == first.p_value
    assert other.effect == pytest.approx(first.effect)
    assert other.interval.low == pytest.approx(first.interval.low)
    assert other.interval.high == pytest.approx(first.interval.high)


@settings(max_examples=200)
@given(clustered(40), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_claims_no_change_that_the_test_does_not(
    entries: list[tuple[Pair, int]], confidence: float
) -> None:
    test = result(entries, confidence)
    better = result(
        [((after, before), cluster) for (before, after), cluster in entries], confidence
    )
    tail = (1 - confidence) / 2
    assert test.p_value is not None
    assert better.p_value is not None
    assert test.interval.low <= test.difference + 1e-9
    assert test.interval.high >= test.difference - 1e-9 or test.interval.high == 0.0
    assert test.interval.high >= 0.0 or test.p_value <= tail
    assert test.interval.low <= 0.0 or better.p_value <= tail


@given(clustered(40))
def test_a_pair_shows_at_most_as_much_as_alone_and_at_least_a_share_of_its_cluster(
    entries: list[tuple[Pair, int]],
) -> None:
    sizes: dict[int, int] = defaultdict(int)
    for _, cluster in entries:
        sizes[cluster] += 1
    assert 1.0 <= result(entries).effect <= max(sizes.values()) + 1e-9


def test_formulas_that_are_copied_show_no_more_than_once() -> None:
    """Each of 20 formulas stands in four suites, with the same outcome: as if there were one suite."""
    alone = [((1, 1), (0, 1))] * 6 + [((1, 1), (1, 1))] * 14
    copied = [pair for pair in alone for _ in range(4)]
    numbers = [number for number in range(20) for _ in range(4)]
    together, independent = paired_test(copied, 0.95, numbers), paired_test(copied)
    assert together.p_value == paired_test(alone).p_value == 0.5**6
    assert independent.p_value == 0.5**24
    assert together.effect == pytest.approx(4.0)
    assert together.interval.low == pytest.approx(paired_test(alone).interval.low)
    assert together.interval.high == pytest.approx(paired_test(alone).interval.high)
    assert independent.interval.high < together.interval.high


def test_formulas_of_a_cluster_that_change_by_themselves_keep_most_of_their_weight() -> None:
    pairs = [((1, 1), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (1, 1)), ((1, 1), (1, 1))] * 100
    numbers = [number // 2 for number in range(len(pairs))]
    independent = [(number * 7919) % len(pairs) // 2 for number in range(len(pairs))]
    assert paired_test(pairs, 0.95, numbers).effect == 1.0, "in each cluster one won and one lost"
    assert 1.0 <= paired_test(pairs, 0.95, independent).effect < 1.4


def test_with_other_repeats_the_larger_p_value_counts() -> None:
    """Each formula passed four of five times, and now failed once: such single answers are often luck."""
    pairs: list[Pair] = [((4, 5), (0, 1))] * 5
    flipped = lower_tail_probability({-4: 5})
    test = paired_test(pairs, 0.95, range(5))
    assert flipped == 0.5**5
    # Of six trials of a formula four passed; that the only one of this run is one of the other two has chance 1/3.
    assert test.p_value == pytest.approx(max(flipped, (1 / 3) ** 5))


def test_pairs_and_clusters_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="2 pairs need as many clusters, not 1"):
        paired_test([((1, 1), (1, 1))] * 2, 0.95, [1])


def test_without_pairs_nothing_is_claimed() -> None:
    test = paired_test([], 0.95, [])
    assert (test.p_value, test.interval.low, test.interval.high, test.independent) == (
        None,
        -1.0,
        1.0,
        0.0,
    )


def test_few_differences_are_never_rarer_than_that_all_are_lost() -> None:
    """Sizes without a common unit are too much work for the exact distribution: its replacement is no smaller."""
    sizes = {-(10**9 + 7): 1, -(10**9 + 9): 1, -(10**9 + 21): 1, -(10**9 + 33): 1}
    assert lower_tail_probability(sizes) == 0.5**4
