"""The prompts to translate, choose and rank: labelled blocks, what a sentence means, examples that are right."""

from __future__ import annotations

from typing import Any, cast

import pytest
from support.prompt_examples import Shown, judged

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.verbalization import read_verbal
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.prompts.template import Example

INTERFACES: tuple[str, ...] = ("structured", "text")
PROMPTS = [
    ("logical_translation", ""),
    *(
        (f"{name}_{form}", interface)
        for name in ("most_similar", "ranking")
        for form in ("formulas", "english")
        for interface in INTERFACES
    ),
]
TONGUE = language("first_order")
each_prompt = pytest.mark.parametrize(("name", "interface"), PROMPTS)
each_interface = pytest.mark.parametrize("interface", INTERFACES)


def examples(name: str, interface: str) -> tuple[Example, ...]:
    return prompts.load(name, "first_order", interface=interface).examples


def listed(text: str) -> list[str]:
    """The texts of a numbered list."""
    lines = text.splitlines()
    assert [line.partition(". ")[0] for line in lines] == [
        str(number) for number in range(1, len(lines) + 1)
    ]
    return [line.partition(". ")[2] for line in lines]


def ontology(example: Example) -> Ontology:
    """What the symbols of an example stand for; who begins with a small letter is somebody."""
    symbols = []
    for line in example.slots["symbols"].splitlines():
        shown, _, gloss = line.partition(": ")
        name, _, places = shown.partition("(")
        parameters = tuple(places.rstrip(")").split(", ")) if places else ()
        negative = gloss.replace(" is ", " is not ").replace(" trusts ", " does not trust ")
        symbols.append(
            Symbol(
                name,
                parameters,
                gloss,
                negative.replace(" opens ", " does not open "),
                is_term=not parameters,
            )
        )
    assert Ontology(tuple(symbols)).listed() == example.slots["symbols"]
    return Ontology(tuple(symbols))


def shown(formula: Sentence, known: Ontology, **facts: Any) -> Shown:
    return Shown(formula, "first_order", known.vocabulary, facts)


@each_prompt
def test_the_prompt_explains_what_a_sentence_means(name: str, interface: str) -> None:
    system = prompts.load(name, "first_order", interface=interface).system
    for parts in (
        "at least one thing in it",
        "nothing more is known|Nothing is known but",
        "but not both",
        "A unless B",
    ):
        assert any(part in system for part in parts.split("|"))
    signs = all(sign in system for sign in "¬∧∨⊕→↔⊤⊥∀∃=")
    assert signs is not name.endswith("_english")


@each_prompt
def test_the_form_of_the_answer_is_explained_and_the_examples_follow_it(
    name: str, interface: str
) -> None:
    template = prompts.load(name, "first_order", interface=interface)
    assert ("object of JSON" in template.system) is (interface == "structured")
    assert ("\nAnswer: " in template.system) is (interface == "text")
    for example in template.examples:
        assert example.answer.startswith('{"reasoning": ') is (interface == "structured")
        assert example.answer.splitlines()[-1].startswith("Answer: ") is (interface == "text")


@pytest.mark.parametrize("name", ["most_similar", "ranking"])
def test_both_interfaces_and_both_forms_show_the_same_examples(name: str) -> None:
    for form in ("formulas", "english"):
        structured, text = (examples(f"{name}_{form}", interface) for interface in INTERFACES)
        assert [example.slots for example in structured] == [example.slots for example in text]
    for interface in INTERFACES:
        formulas, english = (
            examples(f"{name}_{form}", interface) for form in ("formulas", "english")
        )
        assert [example.answer for example in formulas] == [example.answer for example in english]
        for one, other in zip(formulas, english, strict=True):
            slot = "options" if name == "most_similar" else "candidates"
            known = ontology(one)
            read = [TONGUE.format(read_verbal(text, known)) for text in listed(other.slots[slot])]
            assert read == listed(one.slots[slot])
            assert one.slots["sentence"] == other.slots["sentence"]


@each_interface
def test_examples_choose_the_only_option_that_means_what_the_other_examples_say(
    interface: str,
) -> None:
    """Each sentence is one of a pattern whose formula is known, so that the right number is computed."""
    meant = {
        "Every nurse trusts Mara.": "¬∃x. (Nurse(x) ∧ ¬Trusts(x, mara))",
        "There is a key that opens every door.": "¬∀x. (¬Key(x) ∨ ∃y. (Door(y) ∧ ¬Opens(x, y)))",
        "If the shop is open, then the mill is not.": "¬(Open(shop) ∧ Open(mill))",
    }
    numbers = []
    for example in examples("most_similar_formulas", interface):
        formula = cast("Sentence", TONGUE.parse(meant[example.slots["sentence"]]))
        candidates = listed(example.slots["options"])
        same = [
            n
            for n, text in enumerate(candidates, 1)
            if TONGUE.equivalent(formula, text).outcome == "equivalent"
        ]
        assert len(same) == 1
        subject = shown(formula, ontology(example), candidates=candidates, expected=same[0])
        assert judged("most_similar_formulas", interface, subject, example).outcome == "correct"
        numbers += same
    assert sorted(numbers) == [1, 2, 3]


@each_interface
def test_examples_rank_what_means_the_same_first_and_the_opposite_last(interface: str) -> None:
    meant = {
        "Every nurse trusts Mara.": "¬∃x. (Nurse(x) ∧ ¬Trusts(x, mara))",
        "Some key opens the gate.": "¬∀x. (Key(x) → ¬Opens(x, gate))",
        "If the shop is open, then the mill is not.": "¬(Open(shop) ∧ Open(mill))",
    }
    for example in examples("ranking_formulas", interface):
        formula = cast("Sentence", TONGUE.parse(meant[example.slots["sentence"]]))
        candidates = listed(example.slots["candidates"])
        assert [TONGUE.format(TONGUE.parse(text)) for text in candidates] == candidates
        same, opposite = (
            [
                n
                for n, text in enumerate(candidates, 1)
                if TONGUE.equivalent(other, text).outcome == "equivalent"
            ]
            for other in (TONGUE.format(formula), f"¬({TONGUE.format(formula)})")
        )
        assert (len(same), len(opposite), len(candidates)) == (2, 2, 7)
        subject = shown(
            formula, ontology(example), candidates=candidates, expected=[same, opposite]
        )
        assert judged("ranking_formulas", interface, subject, example).outcome == "correct"


def test_examples_translate_the_sentences_as_the_prompt_says_they_are_meant() -> None:
    meant = {
        "Only charged robots follow Kim.": "¬∃x. (Follows(x, kim) ∧ (¬Charged(x) ∨ ¬Robot(x)))",
        "For every door there is exactly one key that opens it.": (
            "∀x. (Door(x) → ((∃y. (Key(y) ∧ Opens(y, x))) ∧ "
            "∀y. ∀z. ((Key(y) ∧ Opens(y, x) ∧ Key(z) ∧ Opens(z, x)) → y = z)))"
        ),
        "No well is deeper than the old well unless it is covered.": "¬∃x. (Deeper(x, oldWell) ∧ ¬Covered(x))",
    }
    for example in examples("logical_translation", ""):
        formula = cast("Sentence", TONGUE.parse(meant[example.slots["sentence"]]))
        subject = shown(
            formula,
            ontology(example),
            ontology=ontology(example).to_facts(),
            sentence=example.slots["sentence"],
        )
        assert judged("logical_translation", "", subject, example).outcome == "equivalent"
        assert TONGUE.format(TONGUE.parse(example.answer)) == example.answer
        assert TONGUE.read(example.answer).compliant
