"""Classes of equal meaning and their entropy, against an enumeration of all partitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isclose, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.requirements.agreement_bounds import (
    Bounds,
    agreement,
    mean_of,
    sort_by_meaning,
)

Pair = tuple[int, int]


def partitions(number: int) -> Iterator[list[list[int]]]:
    """All partitions of 0…number-1, by placing each member into an old or a new part."""
    if number == 0:
        yield []
        return
    for smaller in partitions(number - 1):
        for at in range(len(smaller)):
            yield [part + [number - 1] * (place == at) for place, part in enumerate(smaller)]
        yield [*smaller, [number - 1]]


def entropy_of(sizes: Sequence[int]) -> float:
    whole = sum(sizes)
    return sum(-size / whole * log2(size / whole) for size in sizes)


@st.composite
def compared(draw: st.DrawFn) -> tuple[list[int], set[frozenset[int]]]:
    """The true meaning of each answer, and the pairs on which the verifier gives up."""
    meanings = draw(st.lists(st.integers(0, 3), min_size=1, max_size=7))
    pairs = list(map(frozenset, combinations(range(len(meanings)), 2)))
    return meanings, set(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()


@given(compared())
def test_the_classes_contain_the_truth_and_nothing_unproved(
    case: tuple[list[int], set[frozenset[int]]],
) -> None:
    meanings, hard = case
    asked: list[Pair] = []

    def verdict(left: int, right: int) -> bool | None:
        asked.append((left, right))
        return None if frozenset((left, right)) in hard else meanings[left] == meanings[right]

    found = sort_by_meaning(len(meanings), verdict)
    assert sorted(answer for some in found.classes for answer in some) == list(range(len(meanings)))
    assert list(found.classes) == sorted(found.classes)
    for some in found.classes:
        assert len({meanings[answer] for answer in some}) == 1
    for first, second in combinations(range(len(found.classes)), 2):
        if (first, second) not in found.undecided:
            assert meanings[found.classes[first][0]] != meanings[found.classes[second][0]]
    assert len(asked) == len(set(asked)) <= len(meanings) * (len(meanings) - 1) // 2
    if not hard:
        assert not found.undecided
        assert len(found.classes) == len(set(meanings))


def test_one_answer_of_each_class_is_compared() -> None:
    asked = []

    def same(left: int, right: int) -> bool:
        asked.append((left, right))
        return left % 2 == right % 2

    assert sort_by_meaning(100, same).classes == (tuple(range(0, 100, 2)), tuple(range(1, 100, 2)))
    assert len(asked) < 200


def test_an_answer_that_equals_two_undecided_classes_joins_them() -> None:
    verdicts = {(0, 1): None, (0, 2): True, (1, 2): True}
    assert sort_by_meaning(3, lambda left, right: verdicts[left, right]).classes == ((0, 1, 2),)


def test_an_answer_of_one_class_separates_two_undecided_classes() -> None:
    verdicts = {(0, 1): None, (0, 2): True, (1, 2): False}
    found = sort_by_meaning(3, lambda left, right: verdicts[left, right])
    assert (found.classes, found.undecided) == (((0, 2), (1,)), frozenset())


@st.composite
def sizes_with_undecided(draw: st.DrawFn) -> tuple[list[int], set[Pair], int]:
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    pairs = list(combinations(range(len(sizes)), 2))
    undecided = set(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()
    return sizes, undecided, draw(st.integers(0, 3))


@given(sizes_with_undecided())
def test_the_bounds_are_the_extremes_over_all_possible_merges(
    case: tuple[list[int], set[Pair], int],
) -> None:
    sizes, undecided, unread = case
    possible = [
        [sum(sizes[place] for place in part) for part in parts]
        for parts in partitions(len(sizes))
        if all(pair in undecided for part in parts for pair in combinations(part, 2))
    ]
    found = agreement(sizes, undecided, unread)
    assert found.total == sum(sizes) + unread
    assert found.largest == Bounds(min(map(max, possible)), max(map(max, possible)))
    assert found.classes == Bounds(min(map(len, possible)), max(map(len, possible)))
    entropies = [entropy_of(merged) for merged in possible]
    assert isclose(found.entropy.low, min(entropies), abs_tol=1e-9)
    assert isclose(found.entropy.high, max(entropies), abs_tol=1e-9)


def test_many_connected_classes_have_a_valid_lower_bound() -> None:
    sizes = [1] * 30
    chain = [(place, place + 1) for place in range(29)]
    found = agreement(sizes, chain)
    assert found.classes == Bounds(1, 30)
    assert found.largest == Bounds(1, 30)
    assert found.entropy.low == 0.0
    assert isclose(found.entropy.high, log2(30))


def test_answers_without_a_formula_lower_the_share_and_make_no_class() -> None:
    found = agreement([2, 1], (), unread=1)
    assert (found.total, found.largest, found.classes) == (4, Bounds(2, 2), Bounds(2, 2))
    assert isclose(found.entropy.high, entropy_of([2, 1]))
    nothing = agreement([], (), unread=3)
    assert (nothing.total, nothing.largest, nothing.entropy) == (3, Bounds(0, 0), Bounds(0, 0))


def test_the_mean_has_an_interval_by_question() -> None:
    found = mean_of([Bounds(0, 0)] * 10 + [Bounds(1, 2)] * 10)
    assert (found.number, found.low, found.high) == (20, 0.5, 1.0)
    assert 0.2 < found.interval.low < 0.4
    assert 1.2 < found.interval.high < 1.6
    assert found == mean_of([Bounds(0, 0)] * 10 + [Bounds(1, 2)] * 10)
    with pytest.raises(ValueError, match="no values"):
        mean_of([])
