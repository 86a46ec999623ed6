"""Neighbours for shrinking: they are smaller, and bound names stay bound."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.logic_formulas import grown

from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import uses

FIRST_ORDER = language("first_order")
VOCABULARY = Vocabulary(
    propositions=("p1", "p2", "p3"),
    predicates=(("P", 1), ("R", 2), ("Q", 1)),
    functions=(("f", 1), ("g", 1)),
    constants=("a", "b", "c"),
    variables=("x1", "x2"),
)

terms = st.recursive(
    st.sampled_from(["x1", "x2", "y", "a", "b", "c", "d"]).map(fol.Term),
    lambda inner: st.builds(
        lambda name, term: fol.Term(name, (term,)), st.sampled_from(["f", "g", "h"]), inner
    ),
    max_leaves=2,
)
leaves: st.SearchStrategy[fol.Sentence] = st.one_of(
    st.sampled_from(["p1", "p2", "p3", "q"]).map(fol.Atom),
    st.builds(lambda name, term: fol.Atom(name, (term,)), st.sampled_from(["P", "Q", "S"]), terms),
    st.builds(lambda left, right: fol.Atom("R", (left, right)), terms, terms),
    st.builds(fol.Equal, terms, terms),
)
quantified = st.tuples(
    st.sampled_from([fol.Forall, fol.Exists]), st.sampled_from(["x1", "x2", "y"])
)
formulas = grown(leaves, 6, quantified)


def measure_of_descent(formula: fol.Sentence) -> tuple[int, int, int, int]:
    """The documented order in which every neighbour is smaller, computed apart."""
    measures = FIRST_ORDER.measure(formula)
    names = dict.fromkeys(uses(formula))
    rank = int(
        measures["implications"] + measures["exclusive_disjunctions"] + measures["biconditionals"]
    )
    known = {
        "proposition": VOCABULARY.propositions,
        "predicate": tuple(name for name, _ in VOCABULARY.predicates),
        "function": tuple(name for name, _ in VOCABULARY.functions),
        "constant": VOCABULARY.constants,
        "variable": VOCABULARY.variables,
    }
    places = sum(
        known[use.kind].index(use.name) if use.name in known[use.kind] else 99 for use in names
    )
    return formula.size, rank, len(names), places


@given(formulas)
@settings(max_examples=105)
def test_every_neighbour_is_smaller_and_distinct(formula: fol.Sentence) -> None:
    neighbours = list(FIRST_ORDER.simpler(formula, VOCABULARY))
    assert len(set(neighbours)) == len(neighbours)
    for neighbour in neighbours:
        assert isinstance(neighbour, fol.Sentence)
        assert measure_of_descent(neighbour) < measure_of_descent(formula)
        assert FIRST_ORDER.parse(FIRST_ORDER.format(neighbour)) == neighbour


@given(formulas)
@settings(max_examples=105)
def test_no_neighbour_frees_a_bound_name(formula: fol.Sentence) -> None:
    free = set(FIRST_ORDER.symbols(formula).constants)
    for neighbour in FIRST_ORDER.simpler(formula, VOCABULARY):
        assert set(FIRST_ORDER.symbols(neighbour).constants) <= free | set(VOCABULARY.constants)
    for neighbour in FIRST_ORDER.simpler(formula):
        assert set(FIRST_ORDER.symbols(neighbour).constants) <= free


@given(formulas)
@settings(max_examples=35)
def test_greedy_steps_end_at_an_atom_with_the_first_names(formula: fol.Sentence) -> None:
    while neighbours := list(FIRST_ORDER.simpler(formula, VOCABULARY)):
        assert isinstance(neighbours[0], fol.Sentence)
        formula = neighbours[0]
    assert FIRST_ORDER.measure(formula)["operators"] <= FIRST_ORDER.measure(formula)["quantifiers"]
    names = VOCABULARY.names | set(VOCABULARY.variables)
    for use in uses(formula):  # a name stays where the vocabulary has no other of its kind left
        alike = {
            other.name
            for other in uses(formula)
            if (other.kind, other.arity) == (use.kind, use.arity)
        }
        assert use.name in names or len(alike & names) >= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p1", []),
        ("p1 ∧ p2", ["p1", "p2"]),
        ("p1 → p1", ["p1", "p1 ∧ p1", "p1 ∨ p1"]),
        ("∀x1. p1", ["p1"]),
        ("∀x1. P(x1)", ["P(a)"]),
        ("P(b)", ["P(a)"]),
        ("∃x2. P(x2)", ["P(a)", "∃x1. P(x1)"]),
    ],
)
def test_the_neighbours_of_small_formulas(text: str, expected: list[str]) -> None:
    assert [
        str(neighbour) for neighbour in FIRST_ORDER.simpler(FIRST_ORDER.parse(text), VOCABULARY)
    ] == expected


def test_of_one_size_those_of_different_atoms_come_first() -> None:
    neighbours = [
        str(neighbour)
        for neighbour in FIRST_ORDER.simpler(FIRST_ORDER.parse("(p1 ∧ p1) ∧ (p1 ∨ p2)"))
    ]
    assert neighbours.index("p1 ∨ p2") < neighbours.index("p1 ∧ p1")
    assert neighbours.index("p1 ∧ p1 ∧ p2") < neighbours.index("p1 ∧ p1 ∧ p1")


def test_different_names_stay_different() -> None:
    neighbours = [
        str(neighbour)
        for neighbour in FIRST_ORDER.simpler(FIRST_ORDER.parse("P(c) ∧ P(b)"), VOCABULARY)
    ]
    assert neighbours == ["P(c)", "P(b)", "P(a) ∧ P(b)", "P(c) ∧ P(a)"]


def test_without_a_constant_a_quantifier_that_binds_stays() -> None:
    assert [
        str(neighbour) for neighbour in FIRST_ORDER.simpler(FIRST_ORDER.parse("∀x. P(x)"))
    ] == []


def test_a_constant_never_takes_the_place_of_a_variable_where_it_would_be_bound() -> None:
    neighbours = {
        str(neighbour)
        for neighbour in FIRST_ORDER.simpler(FIRST_ORDER.parse("∀x. ∀a. R(x, a)"), VOCABULARY)
    }
    assert "∀a. R(a, a)" not in neighbours


def test_the_most_drastic_neighbours_come_first() -> None:
    formula = FIRST_ORDER.parse("(p1 ∧ p2) ∨ (p3 → ¬(p1 ∧ p3))")
    sizes = [
        neighbour.size
        for neighbour in FIRST_ORDER.simpler(formula)
        if isinstance(neighbour, fol.Sentence)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] == 1
