"""Phrases for propositions: the same, similar, matched one to one."""

from __future__ import annotations

import itertools
import random

import pytest

from pytest_autoeval.tasks.phrases import (
    best_matching,
    distinctive_similarities,
    is_found,
    jaccard,
    similarity,
    spelling_similarity,
    words_of,
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("the door is open", "The door is open."),
        ("the door opens", "the door will open"),
        ("the door opens", "the door is opening"),
        ("the light doesn't flash", "the light does not flash"),
        ("the agent tries", "the agent will try"),
        ("A guard sleeps", "the guard sleeps"),
    ],
)
def test_forms_that_change_nothing_are_the_same_words(left: str, right: str) -> None:
    assert words_of(left) == words_of(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("the door is open", "the door is not open"),
        ("Mary loves John", "John loves Mary"),
        ("the door is closed", "the door closes"),
        ("the user may leave", "the user leaves"),
        ("sensor a fails", "sensor b fails"),
        ("the train is at platform a", "the train is at platform"),
        ("the speed is > 50", "the speed is < 50"),
        ("the temperature is below -5", "the temperature is below 5"),
    ],
)
def test_forms_that_say_something_else_are_other_words(left: str, right: str) -> None:
    assert words_of(left) != words_of(right)


def test_similarities_by_hand() -> None:
    # door locked | door unlocked: one of two words
    assert similarity("the door is locked", "the door is unlocked") == pytest.approx(1 / 2)
    assert jaccard("the door is locked", "the door is unlocked") == pytest.approx(1 / 3)
    # two letters inserted into 20
    assert spelling_similarity("the door is locked", "The door is unlocked.") == pytest.approx(
        18 / 20
    )
    # red, light, on, at, night | blue, light, on, at, night: one of five words
    assert similarity("red light on at night", "blue light on at night") == pytest.approx(4 / 5)
    assert jaccard("", "") == 0.0


def test_a_phrase_counts_as_found_up_to_one_word_in_five_but_not_negated() -> None:
    assert is_found("the red light shines brightly tonight", "the red light shines tonight")
    assert not is_found("the red light shines", "the blue light shines")
    assert not is_found(
        "the first red light shines at night", "the first red light does not shine at night"
    )


def test_the_best_matching_is_the_best_of_all() -> None:
    numbers = random.Random(5)
    for _ in range(200):
        rows, columns = numbers.randint(0, 5), numbers.randint(0, 5)
        table = [
            [numbers.choice([0.0, 0.25, 0.5, 0.5, 0.75, 1.0]) for _ in range(columns)]
            for _ in range(rows)
        ]
        found = best_matching(table)
        size = min(rows, columns)
        best = max(
            sum(table[i][j] for i, j in zip(some, others, strict=True))
            for some in itertools.permutations(range(rows), size)
            for others in itertools.combinations(range(columns), size)
        )
        assert sum(table[i][j] for i, j in found) == pytest.approx(best)
        assert len(found) == len({i for i, _ in found}) == len({j for _, j in found}) == size


def test_only_distinctive_words_are_evidence() -> None:
    doors = ["door A is open", "door B is open"]
    assert distinctive_similarities(doors, doors) == [[1.0, 0.0], [0.0, 1.0]]
    assert distinctive_similarities(["door B gets opened", "door A gets opened"], doors) == [
        [0.0, 1.0],
        [1.0, 0.0],
    ]
    granted = distinctive_similarities(
        ["a request arrives", "it is granted"], ["the request is made", "a grant follows"]
    )
    assert granted[0][0] > granted[0][1] == 0.0
    assert granted[1][1] > granted[1][0] == 0.0
    assert distinctive_similarities(["p", "q"], ["rain falls", "snow falls"]) == [
        [0.0, 0.0],
        [0.0, 0.0],
    ]
