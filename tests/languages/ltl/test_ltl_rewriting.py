"""Temporal formulas written otherwise: laws at every position of random traces, by the definitions of the operators."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from support.lassos import random_lasso
from support.ltl_formulas import formulas, random_formula
from support.naive_semantics import NaiveSemantics

from pytest_autoeval.languages import Formula, language
from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.ltl.syntax import Temporal

LTL = language("ltl")
ATOMS = ("a", "b")


@pytest.mark.parametrize("seed", range(6))
def test_laws_hold_at_every_position(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(120):
        formula = random_formula(rng, rng.randint(2, 7), ATOMS)
        written = list(LTL.rewritings(formula))
        for _ in range(10):
            semantics = NaiveSemantics(random_lasso(rng, ATOMS, 3, 3))
            for position in (0, 1, 2, 4):
                truth = semantics.holds(formula, position)
                different = [
                    other
                    for other in written
                    if isinstance(other, Temporal) and semantics.holds(other, position) is not truth
                ]
                assert not different, f"{formula} at {position}: {different}"


@given(formulas(max_leaves=6))
def test_changes_keep_the_size_and_the_names(formula: Temporal) -> None:
    names = LTL.symbols(formula)
    kept = LTL.measure(formula)["nodes"]
    for other in changed(formula):
        assert other != formula
        assert LTL.measure(other)["nodes"] == kept
        assert set(LTL.symbols(other).propositions) <= set(names.propositions)


def changed(formula: Formula) -> list[Formula]:
    names = LTL.symbols(formula)
    return [
        replaced_at(formula, path, new)
        for path, node in places(formula)
        for new in LTL.edits(node, names)
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("!X a", "X !a"),
        ("G a", "!F !a"),
        ("!(a U b)", "!a R !b"),
        ("a S b", "!(!a T !b)"),
        ("F a", "a | X F a"),
        ("a S b", "b | (a & Y (a S b))"),
        ("a W b", "(a U b) | G a"),
        ("a R b", "b W (a & b)"),
        ("X (a U b)", "X a U X b"),
        ("F G F a", "G F a"),
        ("a U (a U b)", "a U b"),
    ],
)
def test_a_law_is_known(before: str, after: str) -> None:
    assert LTL.parse(after) in list(LTL.rewritings(LTL.parse(before)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F a", "G a"),
        ("a U b", "a W b"),
        ("a U b", "b U a"),
        ("G F a", "F G a"),
        ("!G a", "G !a"),
        ("G (a & b)", "G a & b"),
        ("Z a", "Y a"),
    ],
)
def test_a_change_is_known(before: str, after: str) -> None:
    formula = LTL.parse(before)
    assert LTL.parse(after) in list(LTL.edits(formula, LTL.symbols(formula)))
