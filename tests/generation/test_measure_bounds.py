"""Formulas within bounds of a measure: those that would be drawn anyway, without the others."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval.generation.drawing import prevalence
from pytest_autoeval.generation.drawing_errors import DrawingError, FewerFormulasWarning
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.generation.strategies import formulas
from pytest_autoeval.languages import language


@pytest.mark.parametrize(
    ("grammar", "size", "measure", "bounds", "least", "most"),
    [
        ("propositional", 4, "depth", (4, 5), 4, 5),
        ("propositional", 4, "distinct_atoms", 3, 3, 3),
        ("first_order", 6, "quantifiers", range(1, 3), 1, 2),
        ("ltl", 4, "temporal_depth", (None, 1), 0, 1),
        ("ltl", 4, "temporal_depth", (2, None), 2, 99),
        ("regex", 9, "states", [2, 7], 2, 7),
        ("regex", 5, "density", (0.25, 0.5), 0.25, 0.5),
    ],
)
def test_the_others_are_skipped(
    grammar: str, size: int, measure: str, bounds: Any, least: float, most: float
) -> None:
    lang = language(grammar)
    everything = sample_formulas(grammar, size, 150, seed=3)
    kept = sample_formulas(grammar, size, 25, seed=3, measures={measure: bounds})
    within = [formula for formula in everything if least <= lang.measure(formula)[measure] <= most]
    assert 0 < len(within) < 150
    assert len(kept) == 25
    # The same formulas in the same order: the bounds change nothing but which are left out.
    shared = min(len(within), len(kept))
    assert kept[:shared] == within[:shared]
    assert all(least <= lang.measure(formula)[measure] <= most for formula in kept)


def test_all_bounds_hold_and_trivial_formulas_may_be_left_out_as_well() -> None:
    lang = language("propositional")
    bounds = {"distinct_atoms": (1, 2), "conjunctions": 1}
    names = ["p", "q", "r"]
    found = sample_formulas("propositional", 3, 40, vocabulary=names, measures=bounds, exclude=None)
    assert {lang.measure(formula)["conjunctions"] for formula in found} == {1}
    assert {lang.measure(formula)["distinct_atoms"] for formula in found} == {1, 2}
    assert prevalence(found, lang) == {"tautology": 0.0, "contradiction": 0.0, "undecided": 0.0}


def test_a_small_space_is_drawn_to_its_end() -> None:
    names = {"vocabulary": ["p"], "warn": False}
    everything = sample_formulas("propositional", 2, 1_000, **names)  # type: ignore[arg-type]
    deep = [
        formula
        for formula in everything
        if language("propositional").measure(formula)["depth"] == 4
    ]
    found = sample_formulas("propositional", 2, 1_000, **names, measures={"depth": 4})  # type: ignore[arg-type]
    assert found.available == len(deep) > 0
    assert {*map(str, found)} == {*map(str, deep)}
    assert not found.too_rare


def test_formulas_that_are_too_rare_are_told() -> None:
    told = "yielded only 0 distinct .* with states from 500, and then 1,000 others in a row: they are rare, or"
    with pytest.warns(FewerFormulasWarning, match=told):
        found = sample_formulas("regex", 12, 2, measures={"states": (500, None)})
    assert found.too_rare
    assert found.available is None
    assert found.exhausted


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ({"detph": 3}, "there is no measure 'detph'; known are: .* Did you mean 'depth'"),
        ({"states": 3}, "there is no measure 'states'"),
        (
            {"depth": (5, 2)},
            r"depth is \(5, 2\); give a number, the smallest and the largest, or a range",
        ),
        *(
            ({"depth": wrong}, "measures: depth is ")
            for wrong in ("3", None, (), (None, None), range(3, 3), True)
        ),
        ({"depth": range(1, 9, 2)}, "measures: depth is "),
        (["depth"], "give bounds by the names of measures, such as"),
    ],
)
def test_bounds_that_cannot_be_meant_are_refused(bounds: Any, told: str) -> None:
    with pytest.raises(DrawingError, match=told):
        sample_formulas("propositional", 3, 1, measures=bounds)


@given(st.data())
@settings(max_examples=20)
def test_a_strategy_keeps_the_bounds(data: st.DataObject) -> None:
    formula = data.draw(formulas("ltl", max_operators=4, measures={"distinct_atoms": (1, 2)}))
    assert language("ltl").measure(formula)["distinct_atoms"] <= 2


def test_what_no_formula_of_the_grammar_counts_is_zero() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sample_formulas("ltl", 2, 3, measures={"since": 0})
