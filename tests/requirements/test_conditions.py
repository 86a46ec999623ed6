"""Conditions of rules: each law is one row, and the verifier says whether the rewritten rule means the same."""

from __future__ import annotations

import random

import pytest
from support.ltl_formulas import random_formula

from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.requirements.conditions import meeting, rules_of

#: Language, formula, condition and effect.
RULES = [
    ("ltl", "G (c -> e)", "c", "e"),
    ("ltl", "G (!c | e)", "c", "e"),
    ("ltl", "G (e | !c)", "c", "e"),
    ("ltl", "!(F (c & !e))", "c", "e"),
    ("ltl", "!!G (c -> F e)", "c", "F e"),
    ("ltl", "!(true U (c & !e))", "c", "e"),
    ("ltl", "(c -> e) W false", "c", "e"),
    ("ltl", "false R (c -> e)", "c", "e"),
    ("ltl", "G G (c -> e)", "c", "e"),
    ("ltl", "G H ((c & Z !c) -> e)", "c & Z !c", "e"),
    ("ltl", "G ((c -> e) W r)", "c", "r | e"),
    ("ltl", "G (r R (c -> e))", "c", "e"),
    ("ltl", "G !(c & d)", "c", "!d"),
    ("ltl", "G (!a | !b | c)", "a & b", "c"),
    ("ltl", "G (c -> d -> e)", "c & d", "e"),
    ("ltl", "G (c -> !d)", "c", "!d"),
    ("ltl", "G (c -> (e U d))", "c", "e U d"),
    ("ltl", "G (c -> (!e | d))", "c", "!e | d"),
    ("ltl", "(c -> e) W r", "c & !O r", "e"),
    ("ltl", "r R (c -> e)", "c & !Y O r", "e"),
    ("ltl", "!(!r U (c & !e))", "c & !Y O !!r", "e"),
    ("ltl", "c -> G e", "c & !Y true", "G e"),
    ("ltl", "!c | X e", "c & !Y true", "X e"),
    ("propositional", "c → e", "c", "e"),
    ("propositional", "¬c ∨ e", "c", "e"),
    ("propositional", "¬(c ∧ ¬e)", "c", "e"),
    ("propositional", "¬(c ∧ d)", "c", "¬d"),
    ("propositional", "c → (d → e)", "c ∧ d", "e"),
    ("first_order", "∀x (C(x) → E(x))", "C(y)", "E(y)"),
    ("first_order", "∀x (¬C(x) ∨ E(x))", "C(y)", "E(y)"),
    ("first_order", "¬∃x (C(x) ∧ ¬E(x))", "C(y)", "E(y)"),
    ("first_order", "¬∃x (C(x) ∧ D(x))", "C(y)", "¬D(y)"),
    ("first_order", "∀x ∀y (R(x, y) → E(y))", "R(z, u)", "E(u)"),
    ("first_order", "∀x (C(x) → ∀y (R(x, y) → E(y)))", "C(z) ∧ R(z, u)", "E(u)"),
    ("first_order", "∀x (C(x) → ∃y R(x, y))", "C(z)", "∃y. R(z, y)"),
    ("first_order", "∀x ∀x (C(x) → E(x))", "C(z)", "E(z)"),
    ("first_order", "∀x (∃y R(x, y) → ∀x E(x))", "∃y. R(z, y)", "∀x. E(x)"),
    ("first_order", "∃x C(x) → Open(door)", "∃x. C(x)", "Open(door)"),
    ("first_order", "∀x (x = c → E(f(x, y)))", "z = c", "E(f(z, y))"),
]
#: Formulas without a condition. An until demands its end too, and "exactly if" demands both directions.
OTHERS = [
    *(
        ("ltl", text)
        for text in (
            "G e",
            "F c",
            "G (a | b)",
            "(c -> e) U r",
            "G (c <-> e)",
            "G (c -> e) & G (d -> e)",
        )
    ),
    *(("ltl", text) for text in ("F (c -> e)", "(G (c -> e)) W r", "G F c", "c & e")),
    *(("propositional", text) for text in ("c ∨ e", "c ↔ e", "c", "c ∧ (c → e)")),
    *(
        ("first_order", text)
        for text in ("∃x (C(x) → E(x))", "∀x C(x)", "∀x ∃y (C(y) → E(x))", "C(a)")
    ),
    ("regex", "0*1"),
]


@pytest.mark.parametrize(("name", "text", "condition", "effect"), RULES)
def test_a_rule_has_the_condition_of_its_implication(
    name: str, text: str, condition: str, effect: str
) -> None:
    lang = language(name)
    formula = lang.parse(text)
    (rule,) = rules_of([formula])
    assert rule is not None
    shown = lang.format(rule.condition), lang.format(rule.effect)
    if name == "first_order":  # fresh names of variables are not part of the law
        known = lang.parse(f"({condition}) ∧ ({effect})")
        assert len(lang.format(known)) == len(
            lang.format(lang.parse(f"({shown[0]}) ∧ ({shown[1]})"))
        )
    else:
        assert shown == (lang.format(lang.parse(condition)), lang.format(lang.parse(effect)))
    assert lang.equivalent(rule.rewritten(), formula).outcome == VerdictOutcome.EQUIVALENT


@pytest.mark.parametrize(("name", "text"), OTHERS)
def test_a_formula_that_no_law_rewrites_has_no_condition(name: str, text: str) -> None:
    assert rules_of([language(name).parse(text)]) == [None]


def test_every_rewritten_random_formula_is_equivalent() -> None:
    """Random formulas hit the laws in combinations that no table lists."""
    rng, lang, rules = random.Random(4), language("ltl"), 0
    for _ in range(1500):
        formula = random_formula(rng, rng.randint(2, 7), ("a", "b", "c"))
        (rule,) = rules_of([formula])
        if rule is not None:
            rules += 1
            assert (
                lang.equivalent(rule.rewritten(), formula).outcome == VerdictOutcome.EQUIVALENT
            ), str(formula)
    assert rules > 80


def test_variables_of_two_rules_stay_apart() -> None:
    lang = language("first_order")
    texts = ["∀x ∀y (R(x, y) → E(x))", "∀y ∀x (R(x, y) ∧ ∃x C(x) → E(y))", "∀x (C(x) → E(x))"]
    first, second, third = rules_of([lang.parse(text) for text in texts])
    assert first is not None
    assert second is not None
    assert third is not None
    assert not {*first.variables} & {*second.variables}
    both = "∃x ∃y (R(x, y) ∧ {} ∧ ∃z C(z))"
    ways = f"({both.format('R(x, y)')}) ∨ ({both.format('R(y, x)')})"
    assert (
        lang.equivalent(meeting([first, second]), lang.parse(ways)).outcome
        == VerdictOutcome.EQUIVALENT
    )
    one = lang.parse("∃x ∃y (R(x, y) ∧ (C(x) ∨ C(y)))")
    assert lang.equivalent(meeting([first, third]), one).outcome == VerdictOutcome.EQUIVALENT
