"""Premises and a conclusion: True, False or Uncertain, in English and in logic, by schema and by text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from logic_items import LogicItem
from ontology_items import item
from scripted import performed, slots_of

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.answers.entailment_words import LABELS, read_label

STORY: dict[str, Any] = {
    "premises": ["Every cube is large.", "Block a is a cube."],
    "premises_formulas": ["∀x. (Cube(x) → Large(x))", "Cube(a)"],
    "conclusion": "Block a is large.",
    "conclusion_formula": "Large(a)",
}
TASKS = ("entailment_english", "entailment_formulas")


def subject(expected: str = "True") -> LogicItem:
    return item("Large(a)", **STORY, expected=expected, label=expected)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("expected", LABELS)
@pytest.mark.parametrize("answered", LABELS)
def test_the_outcome_is_whether_the_label_is_the_right_one(name: str, expected: str, answered: str) -> None:
    for answer in (f"Reasons.\n\nAnswer: {answered}", json.dumps({"reasoning": "Reasons.", "answer": answered})):
        trial = performed(name, subject(expected), answer, interface="text")
        assert trial.outcome == ("correct" if answered == expected else "wrong answer")
        assert trial.notes["answered"] == answered
    if answered != expected:
        assert trial.notes["message"] == f"the answer is {answered}, and should be {expected}"


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("Answer: True or Uncertain", "unreadable answer"),
        ("Answer: not true", "unreadable answer"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        (Reply("Answer: True", finish_reason="length"), "truncated"),
    ],
)
def test_no_label_is_guessed(name: str, answer: Reply | str, outcome: str) -> None:
    trial = performed(name, subject(), answer, interface="text")
    assert (trial.outcome, trial.notes["answered"]) == (outcome, None)


def test_the_form_is_what_is_shown() -> None:
    assert slots_of("entailment_english", subject(), "text") == {
        "premises": "1. Every cube is large.\n2. Block a is a cube.",
        "conclusion": "Block a is large.",
    }
    assert slots_of("entailment_formulas", subject(), "text") == {
        "premises": "1. ∀x. (Cube(x) → Large(x))\n2. Cube(a)",
        "conclusion": "Large(a)",
    }
    assert performed("entailment_english", subject(), "Answer: True").notes["form"] == "english"
    assert performed("entailment_formulas", subject(), "Answer: True").notes["form"] == "formulas"


@pytest.mark.parametrize("name", TASKS)
def test_a_schema_allows_the_three_labels_and_is_sent_only_where_it_is_asked_for(name: str) -> None:
    schema = task(name).schema
    assert schema is not None
    assert schema.value["properties"]["answer"] == {"type": "string", "enum": ["True", "False", "Uncertain"]}
    assert list(schema.value["properties"]) == ["reasoning", "answer"]
    answer = json.dumps({"reasoning": "It is false that a is small.", "answer": "True"})
    structured = performed(name, subject(), answer, interface="structured")
    in_words = performed(name, subject(), answer, interface="text")
    assert (structured.outcome, structured.notes["structured"]) == ("correct", True)
    assert structured.model.schemas == [schema]  # type: ignore[union-attr]
    assert in_words.model.schemas == [None]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", TASKS)
def test_what_is_sent_has_the_labels_of_the_exercise(name: str) -> None:
    trial = performed(name, subject(), "Answer: True", interface="text")
    asked = trial.model.asked[0][-1].content  # type: ignore[union-attr]
    assert asked.startswith("Premises:\n1. ")
    assert "\n\nConclusion:\n" in asked


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("interface", ["structured", "text"])
def test_examples_of_the_prompt_are_right(name: str, interface: str) -> None:
    """Each of the three labels once; those in logic are what the verifier says."""
    examples = prompts.load(name, "first_order", interface=interface).examples
    labels = [read_label(example.answer, example.slots["conclusion"]).label for example in examples]
    assert {*labels} == {*LABELS}
    if name == "entailment_formulas":
        lang = language("first_order")
        for example, label in zip(examples, labels, strict=True):
            lines = [line.partition(". ")[2] for line in example.slots["premises"].strip().splitlines()]
            premises = " ∧ ".join(f"({line})" for line in lines)
            conclusion = example.slots["conclusion"]
            entailed = lang.entails(premises, conclusion).outcome == "entails"
            excluded = lang.entails(premises, f"¬({conclusion})").outcome == "entails"
            assert (entailed, excluded) == (label == "True", label == "False")
