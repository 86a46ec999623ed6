"""Complexity measures of regular expressions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from support.regex_expressions import closed_expressions, strict_expressions

from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.syntax import Concat, Expression, Star


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("0", 1),
        ("01", 2),
        ("(0*)*", 2),
        ("(01)*", 3),
        ("(01)*0", 4),
        ("((01)*0)*1*", 6),
    ],
)
def test_depth_is_the_height_of_the_derivation(text: str, depth: int) -> None:
    assert REGEX.measure(text)["depth"] == depth


def test_counts_are_those_of_the_tree() -> None:
    measures = REGEX.measure("(01)*0*1|1+0{2}")
    wanted = {
        "operators": 5,
        "stars": 2,
        "unions": 1,
        "repetitions": 2,
        "concatenations": 4,
        "symbols": 6,
    }
    assert {name: measures[name] for name in wanted} == wanted
    assert (measures["distinct_symbols"], measures["length"]) == (2, 15)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0*", (1, 1)),
        ("(0*1*)*", (1, 1)),
        ("(01)*", (3, 5)),
        ("ε", (2, 2)),
        ("∅", (1, 1)),
        ("(0|1)*0(0|1){3}", (16, 32)),
    ],
)
def test_the_minimal_automaton_is_complete_and_counts_pairs_of_states(
    text: str, size: tuple[int, int]
) -> None:
    measures = REGEX.measure(text)
    assert (measures["states"], measures["edges"]) == size


def test_density_is_edges_over_ordered_pairs() -> None:
    assert REGEX.measure("(01)*")["density"] == 5 / 6
    assert REGEX.measure("0*")["density"] == 0.0


@given(closed_expressions(max_leaves=5))
@settings(max_examples=35)
def test_states_are_the_classes_of_what_may_still_follow(expression: Expression) -> None:
    alphabet = REGEX.symbols(expression).alphabet or ("0",)
    quotients = {
        "".join(prefix): frozenset(
            "".join(suffix)
            for length in range(5)
            for suffix in product(alphabet, repeat=length)
            if REGEX.entails("".join((*prefix, *suffix)) or "ε", expression).outcome == "entails"
        )
        for length in range(4)
        for prefix in product(alphabet, repeat=length)
    }
    states = REGEX.measure(expression)["states"]
    if states <= 4:  # then prefixes and suffixes of that length tell all states apart
        assert states == len(set(quotients.values()))


@given(strict_expressions())
def test_the_automaton_depends_on_the_language_alone(expression: Expression) -> None:
    again = Concat((Star(expression), Star(Star(expression))))
    for name in ("states", "edges", "density"):
        assert REGEX.measure(again)[name] == REGEX.measure(Star(expression))[name]


def test_automaton_measures_are_left_out_where_the_automaton_is_too_large() -> None:
    for text in ("(0|1)*0(0|1){30}", "0" * 5_000):
        measures = REGEX.measure(text)
        assert "depth" in measures
        assert not {"states", "edges", "density"} & measures.keys()
