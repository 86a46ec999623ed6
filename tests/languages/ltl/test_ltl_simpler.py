"""The smaller neighbours of temporal formulas."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from support.ltl_formulas import formulas, random_formula

from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.ltl.syntax import Temporal

LTL = language("ltl")
NAMES = ("a", "b", "c", "d")
VOCABULARY = Vocabulary(propositions=NAMES)
RANKS = {
    **dict.fromkeys(
        (
            "exclusive_disjunctions",
            "implications",
            "biconditionals",
            "until",
            "since",
            "weak_yesterday",
        ),
        1,
    ),
    **dict.fromkeys(("release", "weak_until", "triggered"), 2),
}


def texts(text: str, vocabulary: Vocabulary | None = None) -> list[str]:
    return [str(neighbour) for neighbour in LTL.simpler(LTL.parse(text), vocabulary)]


def descent(formula: Formula) -> tuple[float, ...]:
    """The documented order in which every neighbour is smaller, computed apart."""
    measures = LTL.measure(formula)
    names = LTL.symbols(formula).propositions
    ranks = sum(rank * measures[name] for name, rank in RANKS.items())
    places = sum(NAMES.index(name) if name in NAMES else len(NAMES) for name in names)
    return measures["nodes"], ranks, len(names), places


@pytest.mark.parametrize(
    ("text", "neighbours"),
    [
        ("a", []),
        ("G F a", ["a", "F a", "G a"]),
        ("a U b", ["a", "b", "a & b", "a | b"]),
        ("a T b", ["a", "b", "a & b", "a | b", "a S b"]),
        (
            "G (a -> F b)",
            [
                "a",
                "b",
                "G a",
                "G b",
                "G F b",
                "a -> F b",
                "G (a -> b)",
                "G (a & F b)",
                "G (a | F b)",
            ],
        ),
    ],
)
def test_neighbours_most_drastic_first(text: str, neighbours: list[str]) -> None:
    assert texts(text) == neighbours


def test_names_give_way_to_earlier_ones_of_the_vocabulary() -> None:
    assert texts("c", VOCABULARY) == ["a"]
    assert texts("x9", VOCABULARY) == ["a"]
    assert texts("a", VOCABULARY) == []
    assert texts("b & d", VOCABULARY) == ["b", "d", "a & d", "b & a"]


def test_of_one_size_those_of_different_atoms_come_first() -> None:
    assert texts("(b & a) U b")[:5] == ["b", "a", "b & a", "a U b", "b U b"]


@given(formulas(("a", "b", "d", "x9")))
@settings(max_examples=105)
def test_every_neighbour_is_smaller_and_distinct(formula: Temporal) -> None:
    for vocabulary in (None, VOCABULARY):
        neighbours = list(LTL.simpler(formula, vocabulary))
        assert len(set(neighbours)) == len(neighbours)
        for neighbour in neighbours:
            assert LTL.owns(neighbour)
            assert descent(neighbour) < descent(formula)


def test_whatever_step_is_taken_it_ends_at_one_leaf() -> None:
    rng = random.Random(5)
    for nodes in range(1, 40):
        formula: Formula = random_formula(rng, nodes, ["b", "d", "x9"])
        while smaller := list(LTL.simpler(formula, VOCABULARY)):
            formula = rng.choice(smaller[-5:])
        assert str(formula) in ("a", "true", "false")
