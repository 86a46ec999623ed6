"""Do two formulas mean the same: outcomes and rows, in each interface."""

from __future__ import annotations

import pytest
from ltl_items import LtlItem, item
from scripted import performed, slots_of

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks import task

SAME = item("!F x1", other="G !x1", expected=True, pair="rewritten")
DIFFERENT = item("F G x1", other="G F x1", expected=False, pair="edited")


@pytest.mark.parametrize("interface", ["reasoning", "direct"])
@pytest.mark.parametrize(
    ("answer", "outcome", "answered"),
    [
        ("yes", "correct", True),
        ("The two formulas are equivalent.", "correct", True),
        ("Both say that x1 never holds.\n\nAnswer: yes", "correct", True),
        ("no", "wrong answer", False),
        ("They differ.", "wrong answer", False),
        ("It may or may not be so.", "unreadable answer", None),
        ("Answer: yes\nAnswer: no", "unreadable answer", None),
        ("I cannot determine whether they are equivalent.", "refused or empty", None),
        ("<think>They are equivalent.", "refused or empty", None),
        (Reply("First, F x1 says that", finish_reason="length"), "truncated", None),
    ],
)
def test_an_answer_leads_to_its_outcome(
    answer: Reply | str, outcome: str, answered: bool | None, interface: str
) -> None:
    trial = performed("judge", SAME, answer, interface=interface)
    assert trial.outcome == outcome
    assert trial.notes.get("answered") is answered
    assert trial.findings()["interface"] == interface


def test_reasons_go_before_the_answer_only_where_they_were_asked_for() -> None:
    answer = "They are not equivalent, one would think.\nBut they are.\nNo.\n\nAnswer: yes"
    assert performed("judge", SAME, answer, interface="reasoning").outcome == "correct"
    assert performed("judge", SAME, "No.\n\nAnswer: yes", interface="direct").outcome == "unreadable answer"


def test_the_default_asks_for_reasons() -> None:
    trial = performed("judge", SAME, "Answer: yes")
    assert trial.notes["interface"] == "reasoning"
    assert task("judge").interfaces == ("reasoning", "direct")


def test_who_takes_two_formulas_for_the_same_is_shown_where_they_differ() -> None:
    trial = performed("judge", DIFFERENT, "Answer: yes")
    assert (trial.outcome, trial.notes["message"]) == ("wrong answer", "the answer is yes, and should be no")
    witness = trial.findings()["witness"]
    assert (witness["kind"], witness["left"], witness["right"]) == ("trace", False, True)
    assert trial.findings()["verdict_method"]


@pytest.mark.parametrize(
    ("subject", "answer"), [(SAME, "Answer: no"), (SAME, "Answer: yes"), (DIFFERENT, "Answer: no")]
)
def test_no_other_answer_needs_a_verdict(subject: LtlItem, answer: str) -> None:
    assert performed("judge", subject, answer).findings()["witness"] is None


def test_a_pair_that_the_verifier_knows_better_is_an_error_not_the_models_failure() -> None:
    wrong = item("!F x1", other="G !x1", expected=False)
    with pytest.raises(AutoevalError, match="are equivalent, and the data set says that they are not"):
        performed("judge", wrong, "Answer: yes")


def test_both_formulas_fill_the_prompt_in_canonical_notation() -> None:
    assert slots_of("judge", SAME, "reasoning") == {"formula": "!F x1", "other": "G !x1"}


def test_an_answer_that_repeats_the_formulas_is_read_by_what_it_says_of_them() -> None:
    assert performed("judge", SAME, "`!F x1` is equivalent to `G !x1`.").outcome == "correct"
    assert performed("judge", SAME, "!F x1 and F x1 are not equivalent.").outcome == "unreadable answer"


def test_self_refinement_keeps_both_answers() -> None:
    trial = performed("judge", SAME, "Answer: no", "Answer: yes", prompting="self-refine")
    assert (trial.outcome, trial.notes["first_outcome"]) == ("correct", "wrong answer")


def test_a_sample_without_a_second_formula_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(AutoevalError, match="the sample has no 'other'"):
        slots_of("judge", item(), "direct")


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
    subject = LtlItem(lang.parse(first), lang.symbols(lang.parse(first)), {"other": second, "expected": False}, name)
    assert performed("judge", subject, "yes").findings()["witness_text"]
