"""How temporal formulas are measured, and what the shipped grammars draw."""

from __future__ import annotations

import random

import pytest
from support.ltl_formulas import random_formula

from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.ltl.syntax import Binary, FutureOperator, Not, PastOperator, Unary

LTL = language("ltl")


def measured(text: str) -> dict[str, int | float]:
    return {name: value for name, value in LTL.measure(text).items() if value}


def test_an_atom_has_no_operator() -> None:
    assert measured("x1") == {
        "depth": 1,
        "nodes": 1,
        "atoms": 1,
        "distinct_atoms": 1,
        "future": 1,
        "past": 1,
    }


def test_each_operator_of_a_response_is_counted() -> None:
    assert measured("G (a -> F b)") == {
        "operators": 3,
        "operators_with_literal_negations": 3,
        "depth": 4,
        "temporal_depth": 2,
        "nodes": 5,
        "always": 1,
        "implications": 1,
        "eventually": 1,
        "atoms": 2,
        "distinct_atoms": 2,
        "future": 1,
    }


def test_past_and_future_are_told_apart() -> None:
    both = [
        (LTL.measure(text)["future"], LTL.measure(text)["past"])
        for text in ("a | b", "X a", "Y a", "X Y a")
    ]
    assert both == [(1, 1), (1, 0), (0, 1), (0, 0)]


def test_temporal_nesting_is_the_longest_way_down_not_the_deepest_leaf() -> None:
    assert LTL.measure("G F a & (((((a & b) | c) & b) | c) & b)")["temporal_depth"] == 2
    assert LTL.measure("G F a & (((((a & b) | c) & b) | c) & b)")["depth"] == 7
    assert LTL.measure("a U (b S (c W d))")["temporal_depth"] == 3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("X a", "next"), ("F a", "eventually"), ("G a", "always"), ("a U b", "until"), ("a R b", "release"),
        ("a W b", "weak_until"), ("Y a", "yesterday"), ("Z a", "weak_yesterday"), ("O a", "once"),
        ("H a", "historically"), ("a S b", "since"), ("a T b", "triggered"), ("a & b", "conjunctions"),
        ("a | b", "disjunctions"), ("a xor b", "exclusive_disjunctions"), ("a -> b", "implications"),
        ("a <-> b", "biconditionals"),
    ],
)  # fmt: skip
def test_each_operator_has_a_count(text: str, name: str) -> None:
    counts = LTL.measure(text)
    assert (counts[name], counts["operators"], counts["nodes"]) == (1, 1, 1 + counts["atoms"])


def test_measures_agree_with_a_count_by_recursion() -> None:
    rng = random.Random(11)
    for nodes in range(1, 60):
        tree = random_formula(rng, nodes, ["a", "b", "c"])
        measures = LTL.measure(tree)
        assert measures["nodes"] == nodes
        assert measures["operators"] == operators(tree)
        assert measures["temporal_depth"] == nesting(tree)


def operators(tree: Formula) -> int:
    literal = isinstance(tree, Not) and not tree.operand.children()
    return (
        isinstance(tree, Unary | Binary)
        - literal
        + sum(operators(child) for child in tree.children())
    )


def nesting(tree: Formula) -> int:
    return isinstance(tree, FutureOperator | PastOperator) + max(
        (nesting(child) for child in tree.children()), default=0
    )


def test_the_grammar_ltl_draws_formulas_of_the_future_alone() -> None:
    assert all(
        LTL.measure(formula)["future"]
        for size in range(21)
        for formula in sample_formulas("ltl", size, 10)
    )


@pytest.mark.parametrize(("grammar", "unary", "binary"), [("ltl", 3, 5), ("past_ltl", 6, 6)])
def test_each_tree_has_one_derivation(grammar: str, unary: int, binary: int) -> None:
    # Trees whose innermost negations are free: a literal is an atom with or without one, and else a negation counts.
    trees = [2]
    for size in range(1, 7):
        above_one = unary * trees[-1] + (trees[-1] - (size == 1))
        trees.append(
            above_one + binary * sum(trees[left] * trees[size - 1 - left] for left in range(size))
        )
    space = formula_space(grammar)
    assert [space.derivations(size) for size in range(7)] == trees
