"""Lists of variables behind a quantifier: compliant only where the prompt asks for them, and read the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.scripted import Scripted

from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.logic.variable_lists import allowing_lists
from pytest_autoeval.tasks.round_trip import Llm
from pytest_autoeval.tasks.trial import PromptChoice, Trial, in_trial

LANG = language("first_order")
NAMES = Vocabulary(predicates=(("P", 1), ("R", 2)), constants=("c1",))


@pytest.mark.parametrize(
    ("answer", "same_as"),
    [
        ("∀x1 x2. R(x1, x2)", "∀x1. ∀x2. R(x1, x2)"),
        ("all x1 x2. R(x1, x2)", "∀x1. ∀x2. R(x1, x2)"),
        ("exists x y. (P(x) ∧ all z x1. R(z, x1))", "∃x. ∃y. (P(x) ∧ ∀z. ∀x1. R(z, x1))"),
        ("  ¬∃x y z. (R(x, y) ∧ R(y, z))\n", "¬∃x. ∃y. ∃z. (R(x, y) ∧ R(y, z))"),
    ],
)
def test_a_list_is_compliant_and_means_what_it_meant(answer: str, same_as: str) -> None:
    before = LANG.read(answer, vocabulary=NAMES)
    assert (before.compliant, before.recovered) == (False, True)
    after = allowing_lists(before, answer, LANG.parse)
    assert (after.compliant, after.recovered) == (True, False)
    assert after.formula == before.formula == LANG.parse(same_as)


@pytest.mark.parametrize(
    "answer",
    [
        "The formula is ∀x1 x2. R(x1, x2)",  # prose around it
        "`∀x1 x2. R(x1, x2)`",
        "∀x1, x2. R(x1, x2)",  # a comma is another notation
        "∀x1 x2 R(x1, x2)",  # no dot
        "∀x1 x2. R(x1, x2) and P(c1)",  # a word in place of a sign
        "no formula here",
        "",
    ],
)
def test_nothing_else_becomes_compliant(answer: str) -> None:
    before = LANG.read(answer, vocabulary=NAMES)
    assert not before.compliant
    assert allowing_lists(before, answer, LANG.parse) == before


@pytest.mark.parametrize("answer", ["∀x1. ∀x2. R(x1, x2)", "P(c1)"])
def test_the_strict_notation_stays_compliant(answer: str) -> None:
    before = LANG.read(answer, vocabulary=NAMES)
    assert before.compliant
    assert allowing_lists(before, answer, LANG.parse) is before


@pytest.mark.parametrize(
    ("key", "compliant"),
    [("variable_lists = true", True), ("variable_lists = false", False), ("", False)],
)
def test_a_prompt_says_whether_it_asks_for_lists(key: str, compliant: bool, tmp_path: Path) -> None:
    template = tmp_path / "autoformalize" / "first_order.toml"
    template.parent.mkdir()
    template.write_text(f'{key}\nuser = "${{description}} ${{vocabulary}}"\n', "utf-8")
    trial = Trial(Scripted("all x1 x2. R(x1, x2)"), PromptChoice(folders=(tmp_path,)))
    with in_trial(trial):
        formula = Llm().autoformalize(
            "Everything is R to everything.", like=LANG.parse("∀x1. ∀x2. R(x1, x2)")
        )
    assert formula == LANG.parse("∀x1. ∀x2. R(x1, x2)")
    assert (trial.compliant, trial.recovered) == (compliant, not compliant)
