"""The shipped prompts of the round trip: what they explain, and that the worked examples are right."""

from __future__ import annotations

import pytest

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.prompts.template import PromptTemplate
from pytest_autoeval.tasks.leakage import leaks

LANGUAGES = ("propositional", "first_order", "regex", "ltl")
TASKS = ("informalize", "autoformalize")
SIGNS = {
    "propositional": "¬∧∨⊕→↔⊤⊥",
    "first_order": "¬∧∨⊕→↔⊤⊥∀∃=",
    "regex": "*()",
    "ltl": "!&|XFGURWYZOHST",
}

each_template = pytest.mark.parametrize(("task", "name"), [(task, name) for task in TASKS for name in LANGUAGES])
each_language = pytest.mark.parametrize("name", LANGUAGES)


@each_template
def test_the_prompt_explains_the_notation_and_asks_for_the_answer_alone(task: str, name: str) -> None:
    system = prompts.load(task, name).system
    assert all(sign in system for sign in SIGNS[name])
    assert "alone." in system.splitlines()[-1]


@each_language
def test_both_directions_show_the_same_examples(name: str) -> None:
    there, back = (prompts.load(task, name) for task in TASKS)
    assert [(example.slots["formula"], example.answer) for example in there.examples] == [
        (example.answer, example.slots["description"]) for example in back.examples
    ]
    assert [example.slots["vocabulary"] for example in there.examples] == [
        example.slots["vocabulary"] for example in back.examples
    ]


def example_formulas(template: PromptTemplate) -> list[tuple[str, str]]:
    return [(example.slots["formula"], example.answer) for example in template.examples]


@each_language
def test_example_formulas_stand_in_canonical_notation(name: str) -> None:
    lang = language(name)
    for formula, _ in example_formulas(prompts.load("informalize", name)):
        assert lang.format(lang.parse(formula)) == formula


@each_language
def test_example_descriptions_do_not_leak(name: str) -> None:
    lang = language(name)
    for formula, description in example_formulas(prompts.load("informalize", name)):
        assert not leaks(description, lang.parse(formula), lang)


@each_language
def test_example_vocabularies_hold_the_names_that_the_formula_uses(name: str) -> None:
    lang = language(name)
    for example in prompts.load("informalize", name).examples:
        used = lang.symbols(lang.parse(example.slots["formula"]))
        listed = example.slots["vocabulary"].replace(",", " ").split()
        assert used.names | set(used.alphabet) <= set(listed)
