"""Traces that models write: checked by the evaluator, each malformed one reported."""

from __future__ import annotations

import pytest
from scripted import performed, slots_of
from task_items import ltl_item

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.base import Reply

SATISFYING = ltl_item("G (x1 -> F x2)", expected="satisfying")
VIOLATING = ltl_item("G (x1 -> F x2)", expected="violating")


@pytest.mark.parametrize(
    ("answer", "outcome", "answered"),
    [
        ("x1 & !x2; cycle{!x1 & x2}", "correct", "satisfying"),
        ("cycle{!x1 & !x2}", "correct", "satisfying"),
        ("cycle{x2}", "correct", "satisfying"),
        ("```\nx1; cycle{x2}\n```", "correct", "satisfying"),
        ("x1 & !x2; cycle{!x1 & !x2}", "wrong answer", "violating"),
        ("x1 & !x2; !x1 & x2", "malformed trace", None),
        ("x1 & !x2; cycle{}", "malformed trace", None),
        ("x1 & !x3; cycle{x2}", "malformed trace", None),
        ("There is such a trace.", "malformed trace", None),
        ("I'm sorry, but I can't help with that.", "refused or empty", None),
        (Reply("cycle{x2}", finish_reason="length"), "truncated", None),
    ],
)
def test_an_answer_leads_to_its_outcome(answer: Reply | str, outcome: str, answered: str | None) -> None:
    trial = performed("write_trace", SATISFYING, answer)
    assert trial.outcome == outcome
    assert trial.notes.get("answered") == answered


def test_a_violating_trace_is_right_where_one_is_wanted() -> None:
    trial = performed("write_trace", VIOLATING, "x1; cycle{!x1}")
    assert trial.outcome == "correct"
    assert trial.findings()["trace"] == "x1 & !x2; cycle{!x1 & !x2}"
    assert (trial.notes["expected"], trial.notes["answered"]) == ("violating", "violating")
    trial = performed("write_trace", VIOLATING, "cycle{x1 & x2}")
    assert trial.outcome == "wrong answer"
    assert "the trace is satisfying, and should be violating" in trial.notes["message"]
    assert "cycle{x1 & x2}" in trial.notes["message"]


def test_traces_in_python() -> None:
    answer = 'traceToFind = Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False, "x2": True}])'
    trial = performed("write_trace", SATISFYING, answer, interface="python")
    assert (trial.outcome, trial.findings()["compliant"]) == ("correct", True)
    assert trial.notes["trace"] == "x1 & !x2; cycle{!x1 & x2}"
    answer = 'traceToFind = Trace(prefix=[{"x1": True}], loop=[])'
    assert performed("write_trace", SATISFYING, answer, interface="python").outcome == "malformed trace"


def test_the_wanted_kind_is_put_in_words() -> None:
    assert slots_of("write_trace", VIOLATING, "minimal") == {
        "formula": "G (x1 -> F x2)",
        "wanted": "a violating trace",
    }
    with pytest.raises(AutoevalError, match="'either'; known are: satisfying, violating"):
        slots_of("write_trace", ltl_item(expected="either"), "minimal")


def test_past_formulas_are_judged_from_the_first_position() -> None:
    subject = ltl_item("G (x1 -> O x2)", expected="violating")
    assert performed("write_trace", subject, "x1; cycle{x2}").outcome == "correct"
    assert performed("write_trace", subject, "x2; cycle{x1}").outcome == "wrong answer"


def test_self_refinement_keeps_both_answers() -> None:
    trial = performed("write_trace", SATISFYING, "x1; x2", "cycle{x2}", prompting="self-refine")
    assert trial.outcome == "correct"
    assert (trial.notes["first_answer"], trial.notes["first_outcome"]) == ("x1; x2", "malformed trace")
