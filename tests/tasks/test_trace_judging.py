"""Does a trace satisfy a formula: outcomes and rows, in each interface."""

from __future__ import annotations

import pytest
from ltl_items import item
from scripted import performed, slots_of

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.base import Reply

TRACE = "x1 & !x2; cycle{!x1 & x2}"
SATISFYING = item("G (x1 -> F x2)", trace=TRACE, expected=True)
VIOLATING = item("G (x1 -> x2)", trace=TRACE, expected=False)


@pytest.mark.parametrize("interface", ["minimal", "detailed", "python"])
@pytest.mark.parametrize(
    ("answer", "outcome", "answered"),
    [
        ("yes", "correct", True),
        ("The trace satisfies the formula.", "correct", True),
        ("no", "wrong answer", False),
        ("It is violated.", "wrong answer", False),
        ("It may or may not.", "unreadable answer", None),
        ("I cannot determine whether the trace satisfies the formula.", "refused or empty", None),
        (Reply("yes", finish_reason="length"), "truncated", None),
        (Reply("yes", finish_reason="content_filter"), "refused or empty", None),
    ],
)
def test_an_answer_leads_to_its_outcome(
    answer: Reply | str, outcome: str, answered: bool | None, interface: str
) -> None:
    trial = performed("judge_trace", SATISFYING, answer, interface=interface)
    assert trial.outcome == outcome
    assert trial.notes.get("answered") is answered
    assert trial.findings()["interface"] == interface


def test_a_violating_trace_wants_a_no() -> None:
    trial = performed("judge_trace", VIOLATING, "**No**, x1 holds and x2 does not.")
    assert (trial.outcome, trial.notes["expected"], trial.notes["answered"]) == ("correct", False, False)
    trial = performed("judge_trace", VIOLATING, "Yes.")
    assert trial.outcome == "wrong answer"
    assert trial.notes["message"] == "the answer is yes, and should be no"


def test_python_shows_formula_and_trace_as_code() -> None:
    slots = slots_of("judge_trace", SATISFYING, "python")
    assert slots["formula"].startswith("Always(LImplies(")
    assert slots["trace"] == (
        'Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False, "x2": True}])'
    )  # fmt: skip
    assert slots_of("judge_trace", SATISFYING, "detailed") == {"formula": "G (x1 -> F x2)", "trace": TRACE}


def test_an_answer_that_repeats_the_question_is_read_by_what_it_says_of_it() -> None:
    answer = 'Always(LImplies(AtomicProposition("x1"), Eventually(AtomicProposition("x2")))) holds: yes'
    assert performed("judge_trace", SATISFYING, answer, interface="python").outcome == "correct"


def test_self_refinement_keeps_both_answers() -> None:
    trial = performed("judge_trace", SATISFYING, "no", "yes", prompting="self-refine")
    assert (trial.outcome, trial.notes["first_answer"], trial.notes["first_outcome"]) == (
        "correct",
        "no",
        "wrong answer",
    )


def test_a_sample_without_a_trace_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(AutoevalError, match="the sample has no 'trace'"):
        slots_of("judge_trace", item(), "detailed")
