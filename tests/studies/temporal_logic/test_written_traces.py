"""Traces that models write: outcomes, in text and in Python."""

from __future__ import annotations

import pytest
from support.scripted import message_of, part_of, performed, slots_of
from support.task_items import ltl_item

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Answered

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
def test_a_trace_leads_to_its_outcome(
    answer: Reply | str, outcome: str, answered: str | None
) -> None:
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
    answer = (
        'traceToFind = Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False, "x2": True}])'
    )
    trial = performed("write_trace", WANTED_SATISFYING, answer, interface="python")
    assert (trial.outcome, trial.compliant, trial.recovered) == ("correct", True, False)
    assert part_of(trial, Answered).trace == "x1 & !x2; cycle{!x1 & x2}"
    answer = 'traceToFind = Trace(prefix=[{"x1": True}], loop=[])'
    assert (
        performed("write_trace", WANTED_SATISFYING, answer, interface="python").outcome
        == "malformed trace"
    )


def test_the_wanted_kind_is_put_in_words() -> None:
    assert slots_of("write_trace", WANTED_VIOLATING, "minimal") == {
        "formula": "G (x1 -> F x2)",
        "wanted": "a violating trace",
    }
    with pytest.raises(AutoevalError, match="'either'; known are: satisfying, violating"):
        slots_of("write_trace", ltl_item(expected="either"), "minimal")
