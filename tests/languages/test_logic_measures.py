"""Measures and symbols of formulas."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages import Vocabulary, language

FIRST_ORDER = language("first_order")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p", {"operators": 0, "depth": 1, "atoms": 1, "quantifiers": 0, "alternation_depth": 0}),
        ("¬p", {"operators": 0, "operators_with_literal_negations": 1, "negations": 1, "depth": 2}),
        ("¬¬p", {"operators": 1, "operators_with_literal_negations": 2, "depth": 3}),
        ("¬(p ∧ q)", {"operators": 2, "negations": 1, "conjunctions": 1, "depth": 3}),
        (
            "∀x. (P(x) → Q(x))",
            {"operators": 2, "depth": 3, "universals": 1, "implications": 1, "quantifiers": 1},
        ),
        (
            "p ∨ q ⊕ r ↔ p",
            {"disjunctions": 1, "exclusive_disjunctions": 1, "biconditionals": 1, "operators": 3},
        ),
        (
            "p ∧ p ∧ ¬p ∧ a = b",
            {"atoms": 4, "distinct_atoms": 2, "conjunctions": 3, "operators": 3},
        ),
        (
            "∃x. ∀y. R(x, y)",
            {"existentials": 1, "universals": 1, "quantifiers": 2, "alternation_depth": 2},
        ),
    ],
)
def test_each_operator_and_quantifier_is_counted(text: str, expected: dict[str, int]) -> None:
    measures = FIRST_ORDER.measure(text)
    assert {name: measures[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("∀x. ∃y. ∀z. R(x, y, z)", 3),
        ("∀x. ¬∃y. R(x, y)", 1),
        ("∀x. ¬∀y. R(x, y)", 2),
        ("∀x. (∀y. R(x, y)) → p", 2),
        ("∀x. (p ↔ ∀y. R(x, y))", 2),
    ],
)
def test_alternation_depth_is_that_of_the_negation_normal_form(text: str, depth: int) -> None:
    assert FIRST_ORDER.measure(text)["alternation_depth"] == depth


def test_symbols_are_listed_in_order_of_appearance() -> None:
    formula = FIRST_ORDER.parse("q ∧ ∀x. (P(x, a) → Q(f(x)) ∧ p) ∧ x = b")
    assert FIRST_ORDER.symbols(formula) == Vocabulary(
        propositions=("q", "p"),
        predicates=(("P", 2), ("Q", 1)),
        functions=(("f", 1),),
        constants=("a", "b"),
        variables=("x",),
    )
    outside = FIRST_ORDER.parse("(∀x. P(x)) ∧ P(x)")
    assert FIRST_ORDER.symbols(outside).constants == ("x",)


VOCABULARY = Vocabulary(
    propositions=("p",),
    predicates=(("P", 1), ("R", 2)),
    functions=(("f", 1),),
    constants=("a", "b"),
    variables=("x1",),
)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("p ∧ ∀x1. (P(f(x1)) → R(a, b))", ()),
        ("Q(a) ∧ P(c)", ("unknown predicate Q", "unknown constant c")),
        ("P(a, b)", ("P with 2 arguments instead of 1",)),
        ("P(f)", ("f with no arguments instead of 1",)),
        ("P(x1)", ("unbound variable x1",)),
        ("(∀y. P(y)) ∧ P(y)", ("unbound variable y",)),
        ("∀anything. P(anything)", ()),
        ("(∀a. P(a)) ∧ P(a)", ()),
        ("Q(a) ∧ Q(b)", ("unknown predicate Q",)),
        (
            "a → P(p)",
            (
                "a as a proposition, but it is a constant or function",
                "p as a constant, but it is a proposition or predicate",
            ),
        ),
    ],
)
def test_symbols_that_a_vocabulary_lacks_are_named(text: str, phrases: tuple[str, ...]) -> None:
    assert FIRST_ORDER.foreign(FIRST_ORDER.parse(text), VOCABULARY) == phrases
