"""Orders of candidates by their likeness to a sentence: the three scores, and rows."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from logic_items import CANDIDATES, IN_WORDS, item, ranking_item
from scripted import Placing, performed, performed_by

from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks import task

SENTENCE = "Every cube is large."


@pytest.mark.parametrize("form", ["formulas", "english"])
@pytest.mark.parametrize(
    ("answer", "outcome", "scores", "problem"),
    [
        ("Answer: 2, 5, 3, 6, 7, 1, 4", "correct", (True, True), None),
        ("Answer: 5, 2, 7, 6, 3, 4, 1", "correct", (True, True), None),
        ('{"reasoning": "x", "answer": [5, 2, 7, 6, 3, 4, 1]}', "correct", (True, True), None),
        ("Answer: 2, 5, 3, 6, 1, 7, 4", "wrong answer", (True, False), None),
        ("Answer: 2, 3, 5, 6, 7, 1, 4", "wrong answer", (False, True), None),
        ("Answer: 1, 4, 3, 6, 7, 2, 5", "wrong answer", (False, False), None),
        ("Answer: 1, 2, 3, 4, 5, 6, 7", "wrong answer", (False, False), None),
        ("Answer: 2, 5, 3, 6, 7, 1", "invalid answer", (False, False), "not a permutation"),
        ("Answer: 2, 5, 3, 6, 7, 1, 8", "invalid answer", (False, False), "out of range"),
        ("2 and 5 come first.", "invalid answer", (False, False), "no number"),
        ("", "refused or empty", (False, False), None),
        (Reply("Answer: 2, 5, 3, 6, 7, 1, 4", finish_reason="length"), "truncated", (False, False), None),
    ],
)
def test_an_answer_leads_to_its_outcome_and_scores(
    form: str, answer: Reply | str, outcome: str, scores: tuple[bool, bool], problem: str | None
) -> None:
    trial = performed(f"ranking_{form}", ranking_item(), answer, interface="text")
    notes = trial.notes
    assert trial.outcome == outcome
    assert (notes["ranking_equivalence"], notes["ranking_negation"]) == scores
    assert notes["problem"] == problem
    assert (notes["answered"] is None) == (outcome not in ("correct", "wrong answer"))
    assert notes["form"] == form


def test_the_order_is_kept_and_the_wrong_places_are_reported() -> None:
    trial = performed("ranking_formulas", ranking_item(), "Answer: 2, 3, 5, 6, 1, 7, 4", interface="text")
    assert trial.notes["answered"] == [2, 3, 5, 6, 1, 7, 4]
    assert trial.notes["message"] == (
        "the first two are 2 and 3, and should be 2 and 5; the last two are 4 and 7, and should be 1 and 4"
    )


def test_without_perturbations_top_and_bottom_are_all_there_is() -> None:
    four = item(candidates=CANDIDATES[:2] + CANDIDATES[3:5], candidates_english=IN_WORDS[:4], expected=[[2, 4], [1, 3]])
    right = [
        order
        for order in permutations((1, 2, 3, 4))
        if performed("ranking_formulas", four, f"Answer: {order}", interface="text").outcome == "correct"
    ]
    assert right == [(2, 4, 1, 3), (2, 4, 3, 1), (4, 2, 1, 3), (4, 2, 3, 1)]


def placing(*similarities: float) -> Placing:
    vectors = {text: (value, math.sqrt(1 - value**2)) for text, value in zip(CANDIDATES, similarities, strict=True)}
    return Placing({SENTENCE: (1.0, 0.0), **vectors})


@pytest.mark.parametrize(
    ("similarities", "scores"),
    [
        ((0.1, 0.9, 0.5, 0.2, 0.8, 0.6, 0.7), (True, True)),
        ((0.1, 0.9, 0.5, 0.6, 0.8, 0.6, 0.7), (True, False)),
        ((0.1, 0.9, 0.85, 0.2, 0.8, 0.6, 0.7), (False, True)),
        ((0.1, 0.9, 0.8, 0.2, 0.8, 0.6, 0.7), (False, True)),  # a perturbation is as near as the equivalent
        ((0.1, 0.9, 0.5, 0.5, 0.8, 0.6, 0.7), (True, False)),  # a perturbation is as far as a negation
        ((0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9), (False, False)),
        (
            (0.1, 0.9, 0.5, 0.1, 0.9, 0.5, 0.5),
            (True, True),
        ),  # ties within the two sets and between them are of no account
    ],
)
def test_embedders_rank_by_falling_similarity_and_ties_go_against_them(
    similarities: tuple[float, ...], scores: tuple[bool, bool]
) -> None:
    trial = performed_by(placing(*similarities), "ranking_formulas", ranking_item())
    assert (trial.notes["ranking_equivalence"], trial.notes["ranking_negation"]) == scores
    assert trial.outcome == ("correct" if all(scores) else "wrong answer")
    order = trial.notes["answered"]
    assert sorted(order) == [*range(1, 8)]
    ranked = [similarities[number - 1] for number in order]
    assert ranked == sorted(similarities, reverse=True)


def test_a_vector_without_a_direction_has_neither_score() -> None:
    model = placing(0.1, 0.9, 0.5, 0.2, 0.8, 0.6, 0.7)
    model.vectors = {**model.vectors, CANDIDATES[0]: (0.0, 0.0)}
    trial = performed_by(model, "ranking_formulas", ranking_item())
    assert trial.outcome == "invalid answer"
    assert (trial.notes["ranking_equivalence"], trial.notes["ranking_negation"]) == (False, False)


def test_the_schema_wants_a_list_of_numbers_after_the_reasons() -> None:
    schema = task("ranking_english").schema
    assert schema is not None
    assert list(schema.value["properties"]) == ["reasoning", "answer"]
    assert schema.value["properties"]["answer"] == {"type": "array", "items": {"type": "integer"}}
