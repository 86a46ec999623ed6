"""Conclusions with a label: outcomes, in each form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.scripted import message_of, part_of, performed, slots_of
from support.task_items import Item, item

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.outcomes import Label
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.answer_readers import read_label

STORY: dict[str, Any] = {
    "premises": ["Every cube is large.", "Block a is a cube."],
    "premises_formulas": ["∀x. (Cube(x) → Large(x))", "Cube(a)"],
    "conclusion": "Block a is large.",
    "conclusion_formula": "Large(a)",
}
each_form = pytest.mark.parametrize("name", ["entailment_english", "entailment_formulas"])


def conclusion(expected: str = "True") -> Item:
    return item("Large(a)", **STORY, expected=expected, label=expected)


@each_form
@pytest.mark.parametrize("expected", tuple(Label))
@pytest.mark.parametrize("answered", tuple(Label))
def test_the_outcome_is_whether_the_label_is_the_right_one(
    name: str, expected: str, answered: str
) -> None:
    for answer in (
        f"Reasons.\n\nAnswer: {answered}",
        json.dumps({"reasoning": "Reasons.", "answer": answered}),
    ):
        trial = performed(name, conclusion(expected), answer, interface="text")
        assert trial.outcome == ("correct" if answered == expected else "wrong answer")
        assert part_of(trial, Answered).value == answered
    if answered != expected:
        assert message_of(trial) == f"the answer is {answered}, but should be {expected}"


@each_form
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("Answer: True or Uncertain", "unreadable answer"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        (Reply("Answer: True", finish_reason="length"), "truncated"),
    ],
)
def test_no_label_is_guessed(name: str, answer: Reply | str, outcome: str) -> None:
    trial = performed(name, conclusion(), answer, interface="text")
    assert (trial.outcome, part_of(trial, Answered).value) == (outcome, None)


def test_the_form_decides_the_slots() -> None:
    assert slots_of("entailment_english", conclusion(), "text") == {
        "premises": "1. Every cube is large.\n2. Block a is a cube.",
        "conclusion": "Block a is large.",
    }
    assert slots_of("entailment_formulas", conclusion(), "text") == {
        "premises": "1. ∀x. (Cube(x) → Large(x))\n2. Cube(a)",
        "conclusion": "Large(a)",
    }
    assert (task("entailment_english").form, task("entailment_formulas").form) == (
        "english",
        "formulas",
    )


@each_form
def test_a_schema_allows_the_three_labels_and_is_sent_only_where_it_is_asked_for(name: str) -> None:
    schema = task(name).schema
    assert schema is not None
    assert schema.value["properties"]["answer"] == {"type": "string", "enum": [*Label]}
    assert list(schema.value["properties"]) == ["reasoning", "answer"]
    answer = json.dumps({"reasoning": "It is false that a is small.", "answer": "True"})
    structured = performed(name, conclusion(), answer, interface="structured")
    in_words = performed(name, conclusion(), answer, interface="text")
    assert (structured.outcome, part_of(structured, Answered).structured) == ("correct", True)
    assert structured.model.schemas == [schema]  # type: ignore[union-attr]
    assert in_words.model.schemas == [None]  # type: ignore[union-attr]


@each_form
@pytest.mark.parametrize("interface", ["structured", "text"])
def test_examples_of_the_prompt_are_right(name: str, interface: str) -> None:
    """Each of the three labels once; those in logic are what the verifier says."""
    examples = prompts.load(name, "first_order", interface=interface).examples
    labels = [read_label(example.answer) for example in examples]
    assert {*labels} == {*Label}
    if name == "entailment_formulas":
        lang = language("first_order")
        for example, label in zip(examples, labels, strict=True):
            lines = [
                line.partition(". ")[2] for line in example.slots["premises"].strip().splitlines()
            ]
            premises = " ∧ ".join(f"({line})" for line in lines)
            entailed = lang.entails(premises, example.slots["conclusion"]).outcome == "entails"
            excluded = (
                lang.entails(premises, f"¬({example.slots['conclusion']})").outcome == "entails"
            )
            assert (entailed, excluded) == (label == "True", label == "False")
