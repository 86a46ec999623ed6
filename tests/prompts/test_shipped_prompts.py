"""The prompts of the round trip and of the judge: what they explain, and that the worked examples are right."""

from __future__ import annotations

import pytest
from support.prompt_examples import Shown, judged

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.prompts.template import PromptTemplate

LANGUAGES = ("propositional", "first_order", "regex", "ltl")
OF_PAPER = ("propositional", "first_order", "regex")
TASKS = ("informalize", "autoformalize")
SIGNS = {
    "propositional": "¬∧∨⊕→↔⊤⊥",
    "first_order": "¬∧∨⊕→↔⊤⊥∀∃=",
    "regex": "*()",
    "ltl": "!&|XFGURWYZOHST",
}

each_template = pytest.mark.parametrize(
    ("task", "name"), [(task, name) for task in TASKS for name in LANGUAGES]
)
#: Each language with each form of the prompts of a round trip.
each_form = pytest.mark.parametrize(
    ("name", "form"), [*((name, "") for name in LANGUAGES), *((name, "paper") for name in OF_PAPER)]
)
each_language = pytest.mark.parametrize("name", LANGUAGES)


@each_template
def test_the_prompt_explains_the_notation_and_asks_for_the_answer_alone(
    task: str, name: str
) -> None:
    system = prompts.load(task, name).system
    assert all(sign in system for sign in SIGNS[name])
    assert "alone." in system.splitlines()[-1]


@each_form
def test_both_directions_show_the_same_examples(name: str, form: str) -> None:
    there, back = (prompts.load(task, name, interface=form) for task in TASKS)
    assert [(example.slots["formula"], example.answer) for example in there.examples] == [
        (example.answer, example.slots["description"]) for example in back.examples
    ]
    assert [example.slots.get("vocabulary") for example in there.examples] == [
        example.slots.get("vocabulary") for example in back.examples
    ]


@each_form
def test_examples_are_canonical_do_not_leak_and_use_their_vocabulary(name: str, form: str) -> None:
    lang = language(name)
    for example in prompts.load("informalize", name, interface=form).examples:
        formula = lang.parse(example.slots["formula"])
        assert lang.format(formula) == example.slots["formula"]
        assert not copied(example.answer, formula, lang)
        if form == "paper":  # its examples list no names
            continue
        used, listed = lang.symbols(formula), example.slots["vocabulary"].replace(",", " ").split()
        assert used.names | set(used.alphabet) <= set(listed)


# --- the judge ---

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
each_prompt_and_paper = pytest.mark.parametrize(
    ("name", "interface"),
    [
        (name, form)
        for name in LANGUAGES
        for form in (*INTERFACES, "paper")
        if form != "paper" or name in OF_PAPER
    ],
)


def load(name: str, interface: str) -> PromptTemplate:
    return prompts.load("judge", name, interface=interface)


def pairs(name: str, interface: str) -> list[tuple[str, str]]:
    return [
        (example.slots["formula"], example.slots["other"])
        for example in load(name, interface).examples
    ]


@each_prompt
def test_the_prompt_explains_signs_and_meaning_and_how_to_answer(name: str, interface: str) -> None:
    system = load(name, interface).system
    assert all(sign in system for sign in SIGNS[name])
    assert SAME[name] in system
    asks_for_reasons = [
        line for line in system.splitlines() if line in ("Answer: yes", "Answer: no")
    ]
    assert len(asks_for_reasons) == (2 if interface == "reasoning" else 0)
    assert ("one word" in system) is (interface == "direct")


@each_prompt
def test_half_of_the_examples_say_yes(name: str, interface: str) -> None:
    answers = [
        example.answer.splitlines()[-1].removeprefix("Answer: ")
        for example in load(name, interface).examples
    ]
    assert sorted(answers) == ["no", "no", "yes", "yes"]


@each_prompt
def test_examples_give_reasons_where_they_are_asked_for_and_only_there(
    name: str, interface: str
) -> None:
    for example in load(name, interface).examples:
        assert ("\n\nAnswer: " in example.answer) is (interface == "reasoning")
        assert (len(example.answer.split()) > 20) is (interface == "reasoning")


@each_language
def test_all_interfaces_show_the_same_pairs(name: str) -> None:
    assert pairs(name, "reasoning") == pairs(name, "direct")
    assert name not in OF_PAPER or pairs(name, "paper") == pairs(name, "direct")


@each_language
def test_example_formulas_stand_in_canonical_notation(name: str) -> None:
    lang = language(name)
    for pair in pairs(name, "direct"):
        assert tuple(lang.format(lang.parse(text)) for text in pair) == pair


@each_prompt_and_paper
def test_the_answers_of_the_examples_are_right(name: str, interface: str) -> None:
    lang = language(name)
    for example in load(name, interface).examples:
        assert (example.answer.splitlines()[-1] in ("[Answer] yes", "[Answer] no")) is (
            interface == "paper"
        )
        formula, other = lang.parse(example.slots["formula"]), example.slots["other"]
        expected = lang.equivalent(formula, other).outcome == "equivalent"
        subject = Shown(
            formula, name, lang.symbols(formula), {"other": other, "expected": expected}
        )
        assert judged("judge", interface, subject, example).outcome == "correct"


@each_prompt
def test_refining_asks_for_the_form_that_was_asked_for(name: str, interface: str) -> None:
    refine = load(name, interface).refine
    assert ("give the reasons again" in refine) is (interface == "reasoning")
    assert ("final answer alone" in refine) is (interface == "direct")
