"""Choosing among a formula and its perturbations, in formulas and in English: outcomes and rows."""

from __future__ import annotations

import math

import pytest
from logic_items import CHOICES, IN_WORDS, ONTOLOGY, choice_item, item
from scripted import Placing, Scripted, performed, performed_by, slots_of

from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks.trial import UnsuitableSampleError

FORMS = pytest.mark.parametrize("form", ["formulas", "english"])
SENTENCE = "Every cube is large."


@FORMS
@pytest.mark.parametrize(
    ("answer", "outcome", "answered", "problem"),
    [
        ('{"reasoning": "It is so.", "answer": 3}', "correct", 3, None),
        ("Answer: 3", "correct", 3, None),
        ('{"reasoning": "It is so.", "answer": 2}', "wrong answer", 2, None),
        ("Answer: 1", "wrong answer", 1, None),
        ("Answer: 5", "invalid answer", None, "out of range"),
        ("I cannot tell.", "invalid answer", None, "no number"),
        ("Answer: 3 or 4", "invalid answer", None, "several numbers"),
        ("", "refused or empty", None, None),
        ("I'm sorry, but I can't help with that.", "refused or empty", None, None),
        ("I'm sorry, I am not sure.\nAnswer: 3", "correct", 3, None),
        (Reply("Answer: 3", finish_reason="length"), "truncated", None, None),
        (Reply("", refusal="no"), "refused or empty", None, None),
    ],
)
def test_an_answer_leads_to_its_outcome(
    form: str, answer: Reply | str, outcome: str, answered: int | None, problem: str | None
) -> None:
    trial = performed(f"most_similar_{form}", choice_item(), answer, interface="text")
    assert trial.outcome == outcome
    assert (trial.notes["answered"], trial.notes["problem"], trial.notes["form"]) == (answered, problem, form)


def test_a_wrong_formula_is_shown_with_what_it_differs_on() -> None:
    trial = performed("most_similar_formulas", choice_item(), "Answer: 2", interface="text")
    row = trial.findings()
    assert row["translation"] == "∀x. (Cube(x) ∧ Large(x))"
    assert (row["compliant"], row["recovered"]) == (None, None)  # of the syntax of an answer that has no formula
    assert row["witness_text"] in trial.notes["message"]
    assert row["witness"]["left"] is True
    assert row["witness"]["right"] is False
    assert "chosen is 2, and should be 3" in trial.notes["message"]
    assert CHOICES[1] in trial.notes["message"]


def test_a_wrong_sentence_is_shown_with_what_its_formula_differs_on() -> None:
    trial = performed("most_similar_english", choice_item(), "Answer: 4", interface="text")
    row = trial.findings()
    assert row["translation"] is None
    assert row["witness"] is not None
    assert IN_WORDS[3] in trial.notes["message"]
    assert IN_WORDS[2] in trial.notes["message"]


def test_the_witness_separates_the_chosen_formula_from_the_right_one() -> None:
    for number in (1, 2, 4):
        trial = performed("most_similar_formulas", choice_item(), f"Answer: {number}", interface="text")
        assert trial.verdict is not None
        assert trial.verdict.outcome == "different"
        assert trial.findings()["translation"] == CHOICES[number - 1]


def test_right_and_invalid_answers_need_no_verdict() -> None:
    for answer in ("Answer: 3", "Answer: 9", "no"):
        assert performed("most_similar_formulas", choice_item(), answer, interface="text").verdict is None


def test_a_choice_that_the_verifier_knows_to_be_right_is_an_error_of_the_data() -> None:
    doubled = item(candidates=["∀y. (Cube(y) → Large(y))", CHOICES[2]], candidates_english=IN_WORDS[:2], expected=2)
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
    assert slots_of("most_similar_english", choice_item(), "text") == {"sentence": SENTENCE, "options": listed}


def test_a_sample_without_candidates_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(UnsuitableSampleError, match="'candidates'"):
        slots_of("most_similar_formulas", item(), "text")


# --- embedders ---


def placing(*similarities: float, texts: list[str] = CHOICES) -> Placing:
    """An embedder to which the options are as similar to the sentence as given."""
    vectors = {text: (value, math.sqrt(1 - value**2)) for text, value in zip(texts, similarities, strict=True)}
    return Placing({SENTENCE: (2.0, 0.0), **vectors})


@pytest.mark.parametrize(
    ("similarities", "outcome", "answered"),
    [
        ((0.1, 0.2, 0.9, 0.8), "correct", 3),
        ((-0.5, -0.4, -0.1, -0.3), "correct", 3),
        ((0.1, 0.95, 0.9, 0.8), "wrong answer", 2),
        ((0.1, 0.2, 0.9, 0.9), "wrong answer", 4),
        ((0.9, 0.2, 0.9, 0.9), "wrong answer", 1),
        ((0.1, 0.2, 0.9, 0.8999999), "wrong answer", 4),
        ((0.1, 0.2, 0.9, 0.89999), "correct", 3),
    ],
)
def test_the_highest_similarity_chooses_and_ties_go_against_the_model(
    similarities: tuple[float, ...], outcome: str, answered: int
) -> None:
    trial = performed_by(placing(*similarities), "most_similar_formulas", choice_item())
    assert (trial.outcome, trial.notes["answered"], trial.notes["structured"]) == (outcome, answered, None)
    assert trial.notes["similarities"] == [round(value, 6) for value in similarities]
    assert (trial.verdict is None) == (outcome == "correct")


def test_the_sentence_is_embedded_as_english_and_the_options_in_their_form() -> None:
    model = placing(0.1, 0.2, 0.9, 0.8)
    trial = performed_by(model, "most_similar_formulas", choice_item())
    assert model.given == [((SENTENCE,), "english"), (tuple(CHOICES), "formulas")]
    assert [(call["stage"], call["prompt_tokens"]) for call in trial.calls] == [
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
        (CHOICES[0], (0.0, 0.0)),
        (CHOICES[2], (math.nan, 1.0)),
        (CHOICES[1], (math.inf, 1.0)),
        (CHOICES[3], (1.0, 0.0, 0.0)),
        (SENTENCE, ()),
    ],
)
def test_a_vector_without_a_direction_is_an_invalid_answer(text: str, vector: tuple[float, ...]) -> None:
    model = placing(0.1, 0.2, 0.9, 0.8)
    model.vectors = {**model.vectors, text: vector}
    trial = performed_by(model, "most_similar_formulas", choice_item())
    assert trial.outcome == "invalid answer"
    assert (trial.notes["problem"], trial.notes["answered"], trial.notes["similarities"]) == ("no number", None, None)
    assert "placing gives a vector that has no direction" in trial.notes["message"]
    assert len(trial.calls) == 2


def test_a_model_that_speaks_is_not_asked_for_vectors() -> None:
    model = Scripted("Answer: 3")
    trial = performed_by(model, "most_similar_formulas", choice_item(), interface="text")
    assert "similarities" not in trial.notes
    assert len(model.asked) == 1
