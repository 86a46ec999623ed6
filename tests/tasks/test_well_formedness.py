"""Is a string a formula: outcomes and rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ltl_items import item
from scripted import Scripted, performed, slots_of

from pytest_autoeval.models.base import Reply

WELL_FORMED = item("x1 U x2", text="x1 U x2", expected=True)
ILL_FORMED = item("x1 U x2", text="x1 U & false", expected=False)


@pytest.mark.parametrize(
    ("answer", "outcome", "answered"),
    [
        ("yes", "correct", True),
        ("Well-formed.", "correct", True),
        ("The string x1 U x2 is well-formed.", "correct", True),
        ("no", "wrong answer", False),
        ("malformed", "wrong answer", False),
        ("x1 U x2", "unreadable answer", None),
        ("Yes. So it is ill-formed.", "unreadable answer", None),
        ("", "refused or empty", None),
        (Reply("no", finish_reason="max_tokens"), "truncated", None),
    ],
)
def test_an_answer_leads_to_its_outcome(answer: Reply | str, outcome: str, answered: bool | None) -> None:
    trial = performed("well_formed", WELL_FORMED, answer)
    assert trial.outcome == outcome
    assert trial.notes.get("answered") is answered


def test_an_ill_formed_string_wants_a_no() -> None:
    assert performed("well_formed", ILL_FORMED, "no").outcome == "correct"
    assert performed("well_formed", ILL_FORMED, "x1 U & false is not well-formed").outcome == "correct"
    assert performed("well_formed", ILL_FORMED, "yes").outcome == "wrong answer"


def test_the_string_is_asked_about_as_it_is_whatever_its_language_is_called() -> None:
    trial = performed("well_formed", replace(ILL_FORMED, language="strings"), "no")
    assert isinstance(trial.model, Scripted)
    assert trial.model.asked[0][-1].content == "String:\nx1 U & false"
    assert slots_of("well_formed", ILL_FORMED, "minimal") == {"string": "x1 U & false"}


def test_self_refinement_keeps_both_answers() -> None:
    trial = performed("well_formed", ILL_FORMED, "no", "yes", prompting="self-refine", interface="minimal")
    assert (trial.outcome, trial.notes["first_answer"], trial.notes["first_outcome"]) == (
        "wrong answer",
        "no",
        "correct",
    )
