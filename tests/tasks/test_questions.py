"""Questions of yes or no: outcomes and rows, in each interface."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.scripted import Scripted, message_of, part_of, performed, slots_of
from support.task_items import Item, ltl_item

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks import task

SAME = ltl_item("!F x1", other="G !x1", expected=True, pair="rewritten")
DIFFERENT = ltl_item("F G x1", other="G F x1", expected=False, pair="edited")
TRACE = "x1 & !x2; cycle{!x1 & x2}"
SATISFYING = ltl_item("G (x1 -> F x2)", trace=TRACE, expected=True)
WELL_FORMED = ltl_item("x1 U x2", text="x1 U x2", expected=True)
ILL_FORMED = ltl_item("x1 U x2", text="x1 U & false", expected=False)
YES_NO: dict[str, Item] = {"judge": SAME, "judge_trace": SATISFYING, "well_formed": WELL_FORMED}


@pytest.mark.parametrize(
    ("name", "interface"),
    # The form of the ∀uto∃val paper is for other languages than temporal logic.
    [(name, form) for name in YES_NO for form in task(name).interfaces if form != "paper"],
)
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
    assert (trial.outcome, message_of(trial)) == (
        "wrong answer",
        "the answer is yes, but should be no",
    )
    assert part_of(trial, Answered).value is True


@pytest.mark.parametrize(
    ("name", "lacks"), [("judge", "other"), ("judge_trace", "trace"), ("well_formed", "text")]
)
def test_a_sample_of_another_kind_is_refused_with_what_it_lacks(name: str, lacks: str) -> None:
    with pytest.raises(AutoevalError, match=f"the sample has no '{lacks}'"):
        slots_of(name, ltl_item())


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
    with pytest.raises(
        AutoevalError, match="are equivalent, and the data set says that they are not"
    ):
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
    subject = Item(
        lang.parse(first),
        lang.symbols(lang.parse(first)),
        {"other": second, "expected": False},
        name,
    )
    assert str(performed("judge", subject, "yes").witness or "")


def test_python_shows_formula_and_trace_as_code() -> None:
    slots = slots_of("judge_trace", SATISFYING, "python")
    assert slots["formula"].startswith("Always(LImplies(")
    assert (
        slots["trace"]
        == 'Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False, "x2": True}])'
    )
    assert slots_of("judge_trace", SATISFYING, "detailed") == {
        "formula": "G (x1 -> F x2)",
        "trace": TRACE,
    }


def test_the_string_is_asked_about_as_it_is_whatever_its_language_is_called() -> None:
    trial = performed("well_formed", replace(ILL_FORMED, language="strings"), "no")
    assert isinstance(trial.model, Scripted)
    assert trial.model.asked[0][-1].content == "String:\nx1 U & false"
