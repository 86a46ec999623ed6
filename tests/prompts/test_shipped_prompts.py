"""The shipped prompts of the round trip: what they explain, and that the worked examples are right."""

from __future__ import annotations

from pathlib import Path

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
EXAMPLES = {"propositional": 2, "first_order": 2, "regex": 2, "ltl": 3}
HEADINGS = {"informalize": "Formula:", "autoformalize": "Description:"}
PAYLOADS = {"informalize": "formula", "autoformalize": "description"}

each_template = pytest.mark.parametrize(("task", "name"), [(task, name) for task in TASKS for name in LANGUAGES])
each_language = pytest.mark.parametrize("name", LANGUAGES)


def slots(task: str, payload: str) -> dict[str, str]:
    return {PAYLOADS[task]: payload, "vocabulary": "Names: n1, n2"}


@each_template
@pytest.mark.parametrize("few_shot", [False, True])
def test_last_turn_ends_with_the_payload_under_its_heading(task: str, name: str, few_shot: bool) -> None:
    role, content = prompts.load(task, name).render(slots(task, "the payload"), few_shot=few_shot)[-1]
    assert role == "user"
    assert content.endswith(f"\n{HEADINGS[task]}\nthe payload")
    assert "Names: n1, n2" in content


@each_template
def test_examples_are_earlier_turns_of_the_same_form(task: str, name: str) -> None:
    template = prompts.load(task, name)
    plain = template.render(slots(task, "x"), few_shot=False)
    shown = template.render(slots(task, "x"), few_shot=True)
    assert [role for role, _ in plain] == ["system", "user"]
    assert [role for role, _ in shown] == ["system", *["user", "assistant"] * EXAMPLES[name], "user"]
    assert (shown[0], shown[-1]) == (plain[0], plain[-1])
    for question, answer in zip(shown[1:-1:2], shown[2:-1:2], strict=True):
        assert f"\n{HEADINGS[task]}\n" in question[1]
        assert "Names: n1, n2" not in question[1]
        assert "${" not in question[1] + answer[1]


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


def test_every_shipped_file_is_loaded_under_its_own_name() -> None:
    shipped = (path for task in TASKS for path in (Path(prompts.__file__).parent / task).glob("*.toml"))
    assert {(path.parent.name, path.stem) for path in shipped} == {(task, name) for task in TASKS for name in LANGUAGES}
