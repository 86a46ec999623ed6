"""Pairs of formulas: judged rightly by the faithful model in every language, and otherwise by each fault."""

from __future__ import annotations

import pytest

from pytest_autoeval import prompts
from pytest_autoeval.datasets import Item, data_set
from pytest_autoeval.languages import formulas_of, language
from pytest_autoeval.models.offline.answering import answer
from pytest_autoeval.models.protocols import Message

SETS = (
    "judge_propositional",
    "judge_ksat",
    "judge_first_order",
    "judge_regex",
    "judge_ltl",
    "judge_past_ltl",
)
PAIRS = {
    "propositional": [("¬(p1 ∧ p2)", "¬p1 ∨ ¬p2", True), ("p1 → p2", "p2 → p1", False)],
    "first_order": [
        ("¬∀x1. P(x1)", "∃x2. ¬P(x2)", True),
        ("∀x1. ∃x2. R(x1, x2)", "∃x2. ∀x1. R(x1, x2)", False),
    ],
    "regex": [("0(10)*", "(01)*0", True), ("0*1*", "(01)*", False)],
    "ltl": [("!F x1", "G !x1", True), ("G (x1 -> Y x2)", "G (x1 -> O x2)", False)],
}
EVERY_PAIR = [(name, *pair) for name, pairs in PAIRS.items() for pair in pairs]


def asked(name: str, first: str, second: str, interface: str = "direct") -> list[Message]:
    """The conversation of a shipped prompt."""
    slots = {"formula": first, "other": second}
    rendered = prompts.load("judge", name, interface=interface).render(slots, few_shot=False)
    return [Message(role, content) for role, content in rendered]


def said(
    model: str,
    name: str,
    first: str,
    second: str,
    interface: str = "direct",
    seed: int | None = None,
) -> str:
    """What a model answers to a shipped prompt."""
    return answer(f"offline/{model}", asked(name, first, second, interface), seed).text


def items(name: str, sizes: tuple[int, ...] = (3, 5), count: int = 6) -> list[Item]:
    """Pairs of a data set."""
    pairs = data_set(name)
    assert pairs is not None
    return [item for size in sizes for item in pairs.items(size, count)]


@pytest.mark.parametrize("name", SETS)
def test_the_faithful_model_judges_every_pair_rightly(name: str) -> None:
    pairs = items(name)
    assert {item.facts["expected"] for item in pairs} == {True, False}
    for item in pairs:
        right = "yes" if item.facts["expected"] else "no"
        assert said("faithful", item.language, item.text, item.facts["other"]) == right
        assert said("faithful", item.language, item.facts["other"], item.text) == right


@pytest.mark.parametrize(("name", "first", "second", "same"), EVERY_PAIR)
def test_reasons_come_first_where_they_are_asked_for(
    name: str, first: str, second: str, same: bool
) -> None:
    reasons, empty, last = said("faithful", name, first, second, "reasoning").rsplit("\n", 2)
    assert (empty, last) == ("", "Answer: yes" if same else "Answer: no")
    assert ("there is none" in reasons) is same
    witness = language(name).equivalent(first, second).witness
    assert same or str(witness).split(maxsplit=1)[0] in reasons


@pytest.mark.parametrize(
    ("name", "first", "second", "same"),
    [
        ("propositional", "p1", "¬(¬p1)", True),
        ("first_order", "∃x. P(x)", "∀x. P(x)", False),
        ("regex", "a", "b", False),
    ],
)
def test_the_answer_has_the_form_of_the_paper_where_it_is_asked_for(
    name: str, first: str, second: str, same: bool
) -> None:
    reasons, empty, last = said("faithful", name, first, second, "paper").rsplit("\n", 2)
    assert (empty, last) == ("", "[Answer] yes" if same else "[Answer] no")
    assert ("there is none" in reasons) is same


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("p1", "p2", "propositional"),
        ("p1", "∀x1. P(x1)", "first_order"),
        ("ab", "ab*", "regex"),
        ("p|q", "q|p", "propositional"),
        ("a|b", "[ab]", "regex"),
    ],
)
def test_a_pair_is_of_the_first_language_that_writes_both_so(
    first: str, second: str, name: str
) -> None:
    for texts in ((first, second), (second, first)):
        found = formulas_of(*texts)
        assert found is not None
        assert found[0].name == name


@pytest.mark.parametrize(
    ("first", "second"), [("p1 ∧", "p2"), ("∀x1. P(x1)", "(01)*"), ("G p1", "∃x1. P(x1)")]
)
def test_what_is_no_pair_of_one_language_is_not_judged(first: str, second: str) -> None:
    assert formulas_of(first, second) is None
    assert said("faithful", "ltl", first, second).startswith("I cannot tell what this says")


@pytest.mark.parametrize(("interface", "before"), [("direct", ""), ("reasoning", "Answer: ")])
def test_yes_sayer_and_no_sayer_ignore_the_formulas(interface: str, before: str) -> None:
    for name, first, second, _ in EVERY_PAIR:
        assert said("yes-sayer", name, first, second, interface).splitlines()[-1] == f"{before}yes"
        assert said("no-sayer", name, first, second, interface).splitlines()[-1] == f"{before}no"


def test_looks_are_no_meaning() -> None:
    assert said("lookalike", "propositional", "(p1 ∧ p2) ∨ p3", "(p1 ∧ p2) ∨ p4") == "yes"
    assert said("lookalike", "propositional", "¬(p1 ∧ p2 ∧ p3)", "p1 → (p2 → ¬p3)") == "no"


@pytest.mark.parametrize(
    ("fault", "name", "first", "second"),
    [
        ("negation-scope", "propositional", "¬(p1 ∧ p2)", "p2 → ¬p1"),
        ("double-negation", "propositional", "¬¬p1", "p1"),
        ("globally-for-eventually", "ltl", "G x1", "x1 & X G x1"),
    ],
)
def test_who_misreads_a_formula_misjudges_it(
    fault: str, name: str, first: str, second: str
) -> None:
    assert said(fault, name, first, second) != said("faithful", name, first, second)
