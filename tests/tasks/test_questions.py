"""Questions with one right answer: outcomes and rows, in each interface."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.scripted import Scripted, message_of, part_of, performed, slots_of
from support.task_items import Item, item, ltl_item

from pytest_autoeval import prompts
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.models.base import Reply
from pytest_autoeval.outcomes import Label
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.answer_readers import read_label

SAME = ltl_item("!F x1", other="G !x1", expected=True, pair="rewritten")
DIFFERENT = ltl_item("F G x1", other="G F x1", expected=False, pair="edited")
TRACE = "x1 & !x2; cycle{!x1 & x2}"
SATISFYING = ltl_item("G (x1 -> F x2)", trace=TRACE, expected=True)
WELL_FORMED = ltl_item("x1 U x2", text="x1 U x2", expected=True)
ILL_FORMED = ltl_item("x1 U x2", text="x1 U & false", expected=False)
YES_NO: dict[str, Item] = {"judge": SAME, "judge_trace": SATISFYING, "well_formed": WELL_FORMED}


@pytest.mark.parametrize(("name", "interface"), [(name, one) for name in YES_NO for one in task(name).interfaces])
@pytest.mark.parametrize(
    ("answer", "outcome", "answered"),
    [
        ("yes", "correct", True),
        ("**No**, it is not so.", "wrong answer", False),
        ("It may or may not be so.", "unreadable answer", None),
        ("I cannot determine whether it is so.", "refused or empty", None),
        (Reply("yes", finish_reason="content_filter"), "refused or empty", None),
        (Reply("yes", finish_reason="length"), "truncated", None),
    ],
)
def test_an_answer_leads_to_its_outcome(
    name: str, answer: Reply | str, outcome: str, answered: bool | None, interface: str
) -> None:
    trial = performed(name, YES_NO[name], answer, interface=interface)
    assert trial.outcome == outcome
    assert part_of(trial, Answered).value is answered


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("judge", DIFFERENT),
        ("judge_trace", ltl_item("G (x1 -> x2)", trace=TRACE, expected=False)),
        ("well_formed", ILL_FORMED),
    ],
)
def test_a_no_is_right_if_expected(name: str, subject: Item) -> None:
    assert performed(name, subject, "no").outcome == "correct"
    trial = performed(name, subject, "yes")
    assert (trial.outcome, message_of(trial)) == ("wrong answer", "the answer is yes, but should be no")
    assert part_of(trial, Answered).value is True


@pytest.mark.parametrize(("name", "lacks"), [("judge", "other"), ("judge_trace", "trace"), ("well_formed", "text")])
def test_a_sample_of_another_kind_is_refused_with_what_it_lacks(name: str, lacks: str) -> None:
    with pytest.raises(AutoevalError, match=f"the sample has no '{lacks}'"):
        slots_of(name, ltl_item())


# --- formulas, traces, strings ---


def test_the_judge_asks_for_reasons_by_default_and_shows_both_formulas() -> None:
    assert task("judge").asked_interface("", embeds=False) == "reasoning"
    assert slots_of("judge", SAME, "reasoning") == {"formula": "!F x1", "other": "G !x1"}


def test_a_wrong_yes_gets_the_witness() -> None:
    trial = performed("judge", DIFFERENT, "Answer: yes")
    assert trial.witness is not None
    shown = trial.witness.to_json()
    assert (shown["kind"], shown["left"], shown["right"]) == ("trace", False, True)
    assert trial.verdict is not None
    assert trial.verdict.method
    for subject, answer in ((SAME, "no"), (SAME, "yes"), (DIFFERENT, "no")):
        assert performed("judge", subject, answer).witness is None


def test_a_pair_that_the_verifier_knows_better_is_an_error_not_the_models_failure() -> None:
    wrong = ltl_item("!F x1", other="G !x1", expected=False)
    with pytest.raises(AutoevalError, match="are equivalent, and the data set says that they are not"):
        performed("judge", wrong, "Answer: yes")


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("propositional", "p1 ∧ p2", "p1 ∨ p2"),
        ("first_order", "∀x1. ∃x2. R(x1, x2)", "∃x2. ∀x1. R(x1, x2)"),
        ("regex", "(01)*", "0*1*"),
    ],
)
def test_every_language_shows_its_witness(name: str, first: str, second: str) -> None:
    lang = language(name)
    subject = Item(lang.parse(first), lang.symbols(lang.parse(first)), {"other": second, "expected": False}, name)
    assert str(performed("judge", subject, "yes").witness or "")


def test_python_shows_formula_and_trace_as_code() -> None:
    slots = slots_of("judge_trace", SATISFYING, "python")
    assert slots["formula"].startswith("Always(LImplies(")
    assert slots["trace"] == 'Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False, "x2": True}])'
    assert slots_of("judge_trace", SATISFYING, "detailed") == {"formula": "G (x1 -> F x2)", "trace": TRACE}


def test_the_string_is_asked_about_as_it_is_whatever_its_language_is_called() -> None:
    trial = performed("well_formed", replace(ILL_FORMED, language="strings"), "no")
    assert isinstance(trial.model, Scripted)
    assert trial.model.asked[0][-1].content == "String:\nx1 U & false"


# --- traces that models write ---

WANTED_SATISFYING = ltl_item("G (x1 -> F x2)", expected="satisfying")
WANTED_VIOLATING = ltl_item("G (x1 -> F x2)", expected="violating")


@pytest.mark.parametrize(
    ("answer", "outcome", "answered"),
    [
        ("x1 & !x2; cycle{!x1 & x2}", "correct", "satisfying"),
        ("```\nx1; cycle{x2}\n```", "correct", "satisfying"),
        ("x1 & !x2; cycle{!x1 & !x2}", "wrong answer", "violating"),
        ("x1 & !x2; !x1 & x2", "malformed trace", None),
        ("x1 & !x3; cycle{x2}", "malformed trace", None),
        ("I'm sorry, but I can't help with that.", "refused or empty", None),
        (Reply("cycle{x2}", finish_reason="length"), "truncated", None),
    ],
)
def test_a_trace_leads_to_its_outcome(answer: Reply | str, outcome: str, answered: str | None) -> None:
    trial = performed("write_trace", WANTED_SATISFYING, answer)
    assert trial.outcome == outcome
    assert part_of(trial, Answered).value == answered


def test_a_violating_trace_is_right_where_one_is_wanted() -> None:
    trial = performed("write_trace", WANTED_VIOLATING, "x1; cycle{!x1}")
    assert trial.outcome == "correct"
    assert trial.part(Answered) == Answered(value="violating", trace="x1 & !x2; cycle{!x1 & !x2}")
    trial = performed("write_trace", WANTED_VIOLATING, "cycle{x1 & x2}")
    assert trial.outcome == "wrong answer"
    assert "the trace is satisfying, but should be violating" in message_of(trial)
    assert "cycle{x1 & x2}" in message_of(trial)


def test_traces_in_python() -> None:
    answer = 'traceToFind = Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False, "x2": True}])'
    trial = performed("write_trace", WANTED_SATISFYING, answer, interface="python")
    assert (trial.outcome, trial.compliant, trial.recovered) == ("correct", True, False)
    assert part_of(trial, Answered).trace == "x1 & !x2; cycle{!x1 & x2}"
    answer = 'traceToFind = Trace(prefix=[{"x1": True}], loop=[])'
    assert performed("write_trace", WANTED_SATISFYING, answer, interface="python").outcome == "malformed trace"


def test_the_wanted_kind_is_put_in_words() -> None:
    assert slots_of("write_trace", WANTED_VIOLATING, "minimal") == {
        "formula": "G (x1 -> F x2)",
        "wanted": "a violating trace",
    }
    with pytest.raises(AutoevalError, match="'either'; known are: satisfying, violating"):
        slots_of("write_trace", ltl_item(expected="either"), "minimal")


# --- conclusions ---

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
def test_the_outcome_is_whether_the_label_is_the_right_one(name: str, expected: str, answered: str) -> None:
    for answer in (f"Reasons.\n\nAnswer: {answered}", json.dumps({"reasoning": "Reasons.", "answer": answered})):
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
    assert (task("entailment_english").form, task("entailment_formulas").form) == ("english", "formulas")


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
            lines = [line.partition(". ")[2] for line in example.slots["premises"].strip().splitlines()]
            premises = " ∧ ".join(f"({line})" for line in lines)
            entailed = lang.entails(premises, example.slots["conclusion"]).outcome == "entails"
            excluded = lang.entails(premises, f"¬({example.slots['conclusion']})").outcome == "entails"
            assert (entailed, excluded) == (label == "True", label == "False")
