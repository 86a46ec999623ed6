"""Choosing among candidates and ranking them, in formulas and in English, by words and by vectors."""

from __future__ import annotations

import math
import random
from textwrap import indent

import pytest
from support.scripted import Placing, message_of, part_of, performed, performed_by, slots_of
from support.task_items import (
    CANDIDATES,
    CHOICES,
    IN_WORDS,
    ONTOLOGY,
    SENTENCE,
    choice_item,
    item,
    ranking_item,
)

from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.record.witness_words import GIVEN_AND_MODELS, with_sides
from pytest_autoeval.studies.first_order_translation.choices import cosine
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import UnsuitableSampleError

each_form = pytest.mark.parametrize("form", ["formulas", "english"])


# --- choices ---


@each_form
@pytest.mark.parametrize(
    ("answer", "outcome", "answered", "problem"),
    [
        ('{"reasoning": "It is so.", "answer": 3}', "correct", 3, None),
        ("Answer: 3", "correct", 3, None),
        ("Answer: 1", "wrong answer", 1, None),
        ("Answer: 5", "invalid answer", None, "out of range"),
        ("I cannot tell.", "invalid answer", None, "no number"),
        ("", "refused or empty", None, None),
        ("I'm sorry, I am not sure.\nAnswer: 3", "correct", 3, None),
        (Reply("Answer: 3", finish_reason="length"), "truncated", None, None),
        (Reply("", refusal="no"), "refused or empty", None, None),
    ],
)
def test_a_choice_leads_to_its_outcome(
    form: str, answer: Reply | str, outcome: str, answered: int | None, problem: str | None
) -> None:
    trial = performed(f"most_similar_{form}", choice_item(), answer, interface="text")
    assert trial.outcome == outcome
    part = part_of(trial, Answered)
    assert (part.value, part.problem) == (answered, problem)
    assert trial.chance == 1 / 4
    assert (trial.verdict is None) == (outcome != "wrong answer")


@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_wrong_formula_is_shown_with_what_it_differs_on(number: int) -> None:
    trial = performed("most_similar_formulas", choice_item(), f"Answer: {number}", interface="text")
    assert trial.translation == CHOICES[number - 1]
    # Of the syntax of an answer that has no formula.
    assert (trial.compliant, trial.recovered) == (
        None,
        None,
    )
    assert trial.verdict is not None
    assert trial.verdict.outcome == "different"
    assert f"the answer is {number}, but should be 3" in message_of(trial)
    witness = with_sides(str(trial.witness), GIVEN_AND_MODELS)
    assert indent(witness, "    ") in message_of(trial)


def test_a_wrong_sentence_is_shown_with_what_its_formula_differs_on() -> None:
    trial = performed("most_similar_english", choice_item(), "Answer: 4", interface="text")
    assert trial.translation is None
    assert trial.witness is not None
    assert all(sentence in message_of(trial) for sentence in IN_WORDS[2:4])


def test_a_choice_that_the_verifier_knows_to_be_right_is_an_error_of_the_data() -> None:
    doubled = item(
        candidates=["∀y. (Cube(y) → Large(y))", CHOICES[2]],
        candidates_english=IN_WORDS[:2],
        expected=2,
    )
    with pytest.raises(UnsuitableSampleError, match="are equivalent"):
        performed("most_similar_formulas", doubled, "Answer: 1", interface="text")


def test_formulas_come_with_the_glossary_and_sentences_without() -> None:
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(CHOICES, 1))
    assert slots_of("most_similar_formulas", choice_item(), "text") == {
        "symbols": ONTOLOGY.listed(),
        "sentence": SENTENCE,
        "options": listed,
    }
    listed = "1. Sentence A.\n2. Sentence B.\n3. Sentence C.\n4. Sentence D."
    assert slots_of("most_similar_english", choice_item(), "text") == {
        "sentence": SENTENCE,
        "options": listed,
    }
    with pytest.raises(UnsuitableSampleError, match="'candidates'"):
        slots_of("most_similar_formulas", item(), "text")


# --- rankings ---


@each_form
@pytest.mark.parametrize(
    ("answer", "outcome", "scores", "problem"),
    [
        ("Answer: 2, 5, 3, 6, 7, 1, 4", "correct", (True, True), None),
        ('{"reasoning": "x", "answer": [5, 2, 7, 6, 3, 4, 1]}', "correct", (True, True), None),
        ("Answer: 2, 5, 3, 6, 1, 7, 4", "wrong answer", (True, False), None),
        ("Answer: 1, 4, 3, 6, 7, 2, 5", "wrong answer", (False, False), None),
        ("Answer: 2, 5, 3, 6, 7, 1", "invalid answer", (False, False), "not a permutation"),
        ("Answer: 2, 5, 3, 6, 7, 1, 1", "invalid answer", (False, False), "not a permutation"),
        ("Answer: 2, 5, 3, 6, 7, 1, 8", "invalid answer", (False, False), "out of range"),
        ("2 and 5 come first.", "invalid answer", (False, False), "no number"),
        ("", "refused or empty", (False, False), None),
        (
            Reply("Answer: 2, 5, 3, 6, 7, 1, 4", finish_reason="length"),
            "truncated",
            (False, False),
            None,
        ),
    ],
)
def test_an_order_leads_to_its_outcome_and_scores(
    form: str, answer: Reply | str, outcome: str, scores: tuple[bool, bool], problem: str | None
) -> None:
    trial = performed(f"ranking_{form}", ranking_item(), answer, interface="text")
    part = part_of(trial, Answered)
    assert trial.outcome == outcome
    assert (part.ranking_equivalence, part.ranking_negation) == scores
    assert part.problem == problem
    assert (part.value is None) == (outcome not in ("correct", "wrong answer"))


def test_the_order_is_kept_and_the_wrong_places_are_reported() -> None:
    trial = performed(
        "ranking_formulas", ranking_item(), "Answer: 2, 3, 5, 6, 1, 7, 4", interface="text"
    )
    assert part_of(trial, Answered).value == [2, 3, 5, 6, 1, 7, 4]
    assert message_of(trial) == (
        "the first two are 2 and 3, but should be 2 and 5; the last two are 4 and 7, but should be 1 and 4"
    )


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("most_similar", {"type": "integer"}),
        ("ranking", {"type": "array", "items": {"type": "integer"}}),
    ],
)
def test_the_schema_wants_the_answer_after_the_reasons(
    name: str, answer: dict[str, object]
) -> None:
    schema = task(f"{name}_english").schema
    assert schema is not None
    assert list(schema.value["properties"]) == ["reasoning", "answer"]
    assert schema.value["properties"]["answer"] == answer


# --- vectors ---


def placing(*similarities: float, texts: list[str] = CHOICES) -> Placing:
    """An embedder to which the candidates are as similar to the sentence as given."""
    vectors = {
        text: (value, math.sqrt(1 - value**2))
        for text, value in zip(texts, similarities, strict=True)
    }
    return Placing({SENTENCE: (2.0, 0.0), **vectors})


@pytest.mark.parametrize(
    ("similarities", "outcome", "answered"),
    [
        ((0.1, 0.2, 0.9, 0.8), "correct", 3),
        ((0.1, 0.95, 0.9, 0.8), "wrong answer", 2),
        ((0.9, 0.2, 0.9, 0.9), "wrong answer", 1),
        ((0.1, 0.2, 0.9, 0.8999999), "wrong answer", 4),
    ],
)
def test_the_highest_similarity_chooses_and_ties_go_against_the_model(
    similarities: tuple[float, ...], outcome: str, answered: int
) -> None:
    trial = performed_by(placing(*similarities), "most_similar_formulas", choice_item())
    part = part_of(trial, Answered)
    assert (trial.outcome, part.value, part.structured) == (outcome, answered, None)
    assert part.similarities == [round(value, 6) for value in similarities]
    assert (trial.verdict is None) == (outcome == "correct")


@pytest.mark.parametrize(
    ("similarities", "scores"),
    [
        ((0.1, 0.9, 0.5, 0.2, 0.8, 0.6, 0.7), (True, True)),
        # A perturbation is as near as the equivalent.
        (
            (0.1, 0.9, 0.8, 0.2, 0.8, 0.6, 0.7),
            (False, True),
        ),
        # A perturbation is as far as a negation.
        (
            (0.1, 0.9, 0.5, 0.5, 0.8, 0.6, 0.7),
            (True, False),
        ),
        ((0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9), (False, False)),
        # Ties within the sets are of no account.
        (
            (0.1, 0.9, 0.5, 0.1, 0.9, 0.5, 0.5),
            (True, True),
        ),
    ],
)
def test_embedders_rank_by_falling_similarity_and_ties_go_against_them(
    similarities: tuple[float, ...], scores: tuple[bool, bool]
) -> None:
    trial = performed_by(
        placing(*similarities, texts=CANDIDATES), "ranking_formulas", ranking_item()
    )
    assert (
        part_of(trial, Answered).ranking_equivalence,
        part_of(trial, Answered).ranking_negation,
    ) == scores
    assert trial.outcome == ("correct" if all(scores) else "wrong answer")
    order = part_of(trial, Answered).value
    assert sorted(order) == [*range(1, 8)]
    assert [similarities[number - 1] for number in order] == sorted(similarities, reverse=True)


def test_the_sentence_is_embedded_as_english_and_the_options_in_their_form() -> None:
    model = placing(0.1, 0.2, 0.9, 0.8)
    trial = performed_by(model, "most_similar_formulas", choice_item())
    assert model.given == [((SENTENCE,), "english"), (tuple(CHOICES), "formulas")]
    assert [(call.stage, call.prompt_tokens) for call in trial.calls] == [
        ("embed sentence", 1),
        ("embed candidates", 4),
    ]
    english = placing(0.1, 0.2, 0.9, 0.8, texts=IN_WORDS[:4])
    assert performed_by(english, "most_similar_english", choice_item()).outcome == "correct"
    assert english.given[1] == (tuple(IN_WORDS[:4]), "english")


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        (SENTENCE, (0.0, 0.0)),
        (CHOICES[2], (math.nan, 1.0)),
        (CHOICES[3], (1.0, 0.0, 0.0)),
        (SENTENCE, ()),
    ],
)
def test_a_vector_without_a_direction_is_an_invalid_answer(
    text: str, vector: tuple[float, ...]
) -> None:
    model = placing(0.1, 0.2, 0.9, 0.8)
    model.vectors = {**model.vectors, text: vector}
    trial = performed_by(model, "most_similar_formulas", choice_item())
    assert trial.outcome == "invalid answer"
    assert trial.part(Answered) == Answered(problem="no number", similarities=None)
    assert "placing gave a vector without a cosine" in message_of(trial)
    assert len(trial.calls) == 2


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((1.0, 0.0), (3.0, 0.0), 1.0),
        ((1.0, 0.0), (0.0, 2.0), 0.0),
        ((1.0, 1.0), (1.0, 0.0), math.sqrt(0.5)),
        ((1e300, 1e300), (1e300, 1e300), 1.0),
        ((1.0, 2.0), (0.0, 0.0), None),
        ((1.0, 2.0), (-math.inf, 0.0), None),
        ((1.0, 2.0), (), None),
        ((1.0, 2.0), (1.0, 2.0, 3.0), None),
    ],
)
def test_cosines_by_hand(
    left: tuple[float, ...], right: tuple[float, ...], expected: float | None
) -> None:
    assert cosine(left, right) == (None if expected is None else pytest.approx(expected))
    assert cosine(right, left) == cosine(left, right)


def test_length_is_of_no_account_and_the_cosine_never_leaves_its_range() -> None:
    numbers = random.Random(7)
    for _ in range(50):
        left, right = ([numbers.uniform(-1, 1) for _ in range(384)] for _ in range(2))
        value = cosine(left, right)
        assert value == pytest.approx(
            math.fsum(x * y for x, y in zip(left, right, strict=True))
            / (math.hypot(*left) * math.hypot(*right))
        )
        assert cosine([1000 * x for x in left], right) == pytest.approx(value)
        assert -1 <= (cosine(left, left) or 2) <= 1
