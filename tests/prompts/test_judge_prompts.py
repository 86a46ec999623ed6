"""The prompts of the judge: each says what signs mean and when formulas mean the same; the examples are right."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from pytest_autoeval import prompts
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.prompts.template import Example, PromptTemplate
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import PromptChoice, Subject, Trial

LANGUAGES = ("propositional", "first_order", "regex", "ltl")
SIGNS = {
    "propositional": "¬∧∨⊕→↔⊤⊥",
    "first_order": "¬∧∨⊕→↔⊤⊥∀∃=",
    "regex": "*()",
    "ltl": "!&|XFGURWYZOHST",
}
SAME = {
    "propositional": "no assignment tells them apart",
    "first_order": "any domain with at least one thing in it",
    "regex": "the same set of strings",
    "ltl": "no infinite trace tells them apart",
}
INTERFACES: tuple[str, ...] = ("reasoning", "direct")
each_prompt = pytest.mark.parametrize(
    ("name", "interface"), [(name, interface) for name in LANGUAGES for interface in INTERFACES]
)
each_language = pytest.mark.parametrize("name", LANGUAGES)


def load(name: str, interface: str) -> PromptTemplate:
    return prompts.load("judge", name, interface=interface)


def pairs(name: str, interface: str) -> list[tuple[str, str]]:
    return [(example.slots["formula"], example.slots["other"]) for example in load(name, interface).examples]


@each_prompt
def test_the_user_turn_is_the_two_formulas_under_their_labels(name: str, interface: str) -> None:
    turns = load(name, interface).render({"formula": "one", "other": "two"}, few_shot=False)
    assert [role for role, _ in turns] == ["system", "user"]
    assert turns[-1][1] == "First formula:\none\n\nSecond formula:\ntwo"
    assert "${" not in turns[0][1]


@each_prompt
def test_the_prompt_explains_signs_and_meaning_and_how_to_answer(name: str, interface: str) -> None:
    system = load(name, interface).system
    assert all(sign in system for sign in SIGNS[name])
    assert SAME[name] in system
    asks_for_reasons = [line for line in system.splitlines() if line in ("Answer: yes", "Answer: no")]
    assert len(asks_for_reasons) == (2 if interface == "reasoning" else 0)
    assert ("one word" in system) is (interface == "direct")


@each_prompt
def test_half_of_the_examples_say_yes(name: str, interface: str) -> None:
    answers = [example.answer.splitlines()[-1].removeprefix("Answer: ") for example in load(name, interface).examples]
    assert sorted(answers) == ["no", "no", "yes", "yes"]


@each_prompt
def test_examples_give_reasons_where_they_are_asked_for_and_only_there(name: str, interface: str) -> None:
    for example in load(name, interface).examples:
        assert ("\n\nAnswer: " in example.answer) is (interface == "reasoning")
        assert (len(example.answer.split()) > 20) is (interface == "reasoning")


@each_language
def test_both_interfaces_show_the_same_pairs(name: str) -> None:
    assert pairs(name, "reasoning") == pairs(name, "direct")


@each_language
def test_example_formulas_stand_in_canonical_notation(name: str) -> None:
    lang = language(name)
    for pair in pairs(name, "direct"):
        assert tuple(lang.format(lang.parse(text)) for text in pair) == pair


class Shown:
    """The subject that an example is about; what is right says the decision procedure."""

    def __init__(self, name: str, example: Example) -> None:
        lang = language(name)
        self.language = name
        self.formula: Formula = lang.parse(example.slots["formula"])
        self.vocabulary: Vocabulary = lang.symbols(self.formula)
        outcome = lang.equivalent(self.formula, example.slots["other"]).outcome
        assert outcome in ("equivalent", "different")
        self.facts = {"other": example.slots["other"], "expected": outcome == "equivalent"}


@each_prompt
def test_the_answers_of_the_examples_are_right(name: str, interface: str) -> None:
    for example in load(name, interface).examples:
        trial = Trial(cast("Any", None), PromptChoice(interface=interface), cast("Subject", Shown(name, example)))
        judgement = task("judge").judge(example.answer, trial)
        assert judgement.outcome == "correct", judgement.message


@each_prompt
def test_refining_asks_for_the_form_that_was_asked_for(name: str, interface: str) -> None:
    refine = load(name, interface).refine
    assert ("give the reasons again" in refine) is (interface == "reasoning")
    assert ("final answer alone" in refine) is (interface == "direct")


def test_every_shipped_file_is_loaded_under_its_own_name() -> None:
    shipped = {path.stem for path in (Path(prompts.__file__).parent / "judge").glob("*.toml")}
    assert shipped == {f"{name}.{interface}" for name in LANGUAGES for interface in INTERFACES}
