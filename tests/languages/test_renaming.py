"""Symbols renamed all at once: names are swapped, places exchanged, nothing is captured."""

from __future__ import annotations

from typing import cast

import pytest

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.renaming import Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.syntax import Sentence

FIRST_ORDER = language("first_order")
SWAP = Renaming({("P", 1): Replacement("Q"), ("Q", 1): Replacement("P")})


def after(text: str, renaming: Renaming) -> str:
    return str(renamed(cast("Sentence", FIRST_ORDER.parse(text)), renaming))


def constants(**names: str) -> Renaming:
    return Renaming(terms={(old, 0): Replacement(new) for old, new in names.items()})


@pytest.mark.parametrize(
    ("text", "renaming", "expected"),
    [
        ("∀x. (P(x) → Q(x))", SWAP, "∀x. (Q(x) → P(x))"),
        ("R(a, b)", constants(a="b", b="a"), "R(b, a)"),
        ("R(a, b)", Renaming({("R", 2): Replacement("S", (1, 0))}), "S(b, a)"),
        (
            "P(f(a, b))",
            Renaming(terms={("f", 2): Replacement("g", (1, 0)), ("b", 0): Replacement("f")}),
            "P(g(f, a))",
        ),
        ("P(a) ∨ ¬P(b)", Renaming({("P", 1): Replacement("Q", negated=True)}), "¬Q(a) ∨ ¬¬Q(b)"),
        ("a = b", constants(a="c"), "c = b"),
        ("p → q", Renaming({("p", 0): Replacement("q"), ("q", 0): Replacement("p")}), "q → p"),
        # a predicate and a constant of one name
        ("a(a)", constants(a="b"), "a(b)"),
        # bound names are no constants
        ("∀a. P(a)", constants(a="b"), "∀a. P(a)"),
        ("P(a) ∧ ∀a. P(a)", constants(a="b"), "P(b) ∧ ∀a. P(a)"),
        # and capture none
        ("∀x. R(x, a)", constants(a="x"), "∀x_1. R(x_1, x)"),
        ("∃x. (R(x, a) ∧ ∀x. R(a, x))", constants(a="x"), "∃x_1. (R(x_1, x) ∧ ∀x_1. R(x, x_1))"),
        ("∀x. R(x_1, R(x, a))", constants(a="x"), "∀x_2. R(x_1, R(x_2, x))"),
        ("⊤ → (⊥ ⊕ P(a))", SWAP, "⊤ → (⊥ ⊕ Q(a))"),
    ],
)
def test_symbols_are_replaced_at_the_same_time(
    text: str, renaming: Renaming, expected: str
) -> None:
    assert after(text, renaming) == expected


def test_renaming_back_gives_the_formula_again() -> None:
    text = "∀x. ((P(x) ∧ R(x, a)) → ∃y. (Q(y) ∧ R(y, f(x))))"
    there = Renaming(
        {("P", 1): Replacement("Q"), ("Q", 1): Replacement("P"), ("R", 2): Replacement("R", (1, 0))}
    )
    assert after(after(text, there), there) == text
    assert after(text, Renaming()) == text
