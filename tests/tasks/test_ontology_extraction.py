"""The symbols of a sentence: which answer is right, which is not, and why."""

from __future__ import annotations

import pytest
from ontology_items import item
from scripted import performed, slots_of

from pytest_autoeval.models.base import Reply

SUBJECT = item("∀x. (Cube(x) → Larger(x, a))", sentence="Every cube is larger than block a.")
RIGHT = "Cube(x): x is a cube\nLarger(x, y): x is larger than y\na: block a"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (RIGHT, "correct"),
        ("IsCube(x): x is a cube\nLargerThan(x, y): x is larger than y\nthe_a: block a", "correct"),
        (RIGHT.replace("Larger(x, y)", "Larger(x)"), "wrong answer"),
        (f"{RIGHT}\nSmall(x): x is small", "wrong answer"),
        ("Cube(x): x is a cube\nLarger(x, y): x is larger than y", "wrong answer"),
        ("Every cube is larger than block a.", "unreadable answer"),
        ("∀x. (Cube(x) → Larger(x, a))", "unreadable answer"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        (Reply(RIGHT, finish_reason="length"), "truncated"),
    ],
)
def test_an_answer_leads_to_its_outcome(answer: Reply | str, outcome: str) -> None:
    trial = performed("ontology_extraction", SUBJECT, answer)
    assert trial.outcome == outcome
    assert trial.notes["symbols_recall"] == (1.0 if outcome == "correct" else trial.notes["symbols_recall"])
    assert {"matched", "symbols_precision", "symbols_f1", "arity_right", "missing", "surplus", "wrong_arity"} <= {
        *trial.notes
    }


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("No symbol is needed.", "correct"),
        ("None.", "correct"),
        ("No predicates or constants are needed.", "correct"),
        ("There are no symbols.", "correct"),
        ("Thing(x): x is a thing", "wrong answer"),
        ("Something exists.", "unreadable answer"),
    ],
)
def test_a_sentence_may_need_no_symbol(answer: str, outcome: str) -> None:
    trial = performed("ontology_extraction", item("∃x. ∃y. ¬(x = y)", sentence="There are two things."), answer)
    assert trial.outcome == outcome
    assert (trial.notes["symbols_f1"] == 1.0) is (outcome == "correct")
    assert performed("ontology_extraction", SUBJECT, "No symbol is needed.").outcome == "wrong answer"


def test_only_what_the_formula_uses_is_expected() -> None:
    assert performed("ontology_extraction", SUBJECT, "Nothing.").notes["missing"] == ["Cube", "Larger", "a"]


def test_a_wrong_answer_shows_what_is_wrong_with_it() -> None:
    answer = "Cube(x): x is a cube\nLarger(x): x is larger\nRed(x): x is red"
    message = performed("ontology_extraction", SUBJECT, answer).notes["message"]
    assert message.startswith("missing: a; surplus: Red; wrong number of places: Larger/1 for Larger/2\n")
    assert "    Larger(x, y): x is larger than y" in message


def test_the_model_is_shown_the_sentence_alone() -> None:
    assert slots_of("ontology_extraction", SUBJECT) == {"statement": SUBJECT.facts["sentence"]}
    trial = performed("ontology_extraction", SUBJECT, RIGHT)
    asked = trial.model.asked[0][-1].content  # type: ignore[union-attr]
    assert asked == "Statement to analyse:\nEvery cube is larger than block a."


def test_examples_of_the_prompt_are_read_as_they_are_meant() -> None:
    from pytest_autoeval import prompts
    from pytest_autoeval.tasks.answers.signature_text import read_signature

    for example in prompts.load("ontology_extraction", "first_order").examples:
        read = read_signature(example.answer)
        assert len(read.symbols) == len(example.answer.strip().splitlines())
        assert not read.rest.strip()
