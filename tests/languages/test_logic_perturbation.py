"""Perturbations: every elementary edit, once, and nothing else."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from support.independent_logic import edits_between
from support.logic_formulas import first_order, parsed

from pytest_autoeval.languages.logic.laws import perturbations
from pytest_autoeval.languages.logic.syntax import Atom, Binary, Equal, Quantified, Sentence, Xor


def test_every_edit_of_a_formula() -> None:
    edited = [(kind, str(other)) for kind, other in perturbations(parsed("∀x. (P(x) → ¬(x = a))"))]
    assert edited == [
        ("quantifier", "∃x. (P(x) → ¬(x = a))"),
        ("connective", "∀x. (P(x) ∧ ¬(x = a))"),
        ("connective", "∀x. (P(x) ∨ ¬(x = a))"),
        ("connective", "∀x. (P(x) ↔ ¬(x = a))"),
        ("negation", "∀x. (¬P(x) → ¬(x = a))"),
        ("negation", "∀x. (P(x) → x = a)"),
    ]


def test_exclusive_disjunction_comes_only_where_it_is_used() -> None:
    assert not any("⊕" in str(other) for _, other in perturbations(parsed("P(a) ∨ Q(a)")))
    edited = {str(other) for _, other in perturbations(parsed("(P(a) ⊕ Q(a)) ∧ P(b)"))}
    assert {"P(a) ⊕ Q(a) ⊕ P(b)", "(P(a) ∨ Q(a)) ∧ P(b)"} <= edited


def test_a_negation_that_stands_before_more_than_an_atom_stays() -> None:
    edited = {str(other) for _, other in perturbations(parsed("¬(P(a) ∧ ¬¬Q(a))"))}
    assert "P(a) ∧ ¬¬Q(a)" not in edited
    assert {"¬(P(a) ∧ ¬Q(a))", "¬(¬P(a) ∧ ¬¬Q(a))"} <= edited
    assert not any("¬¬¬" in text for text in edited)


@given(first_order(max_leaves=8))
def test_a_perturbation_is_one_elementary_edit_away(formula: Sentence) -> None:
    for kind, other in perturbations(formula):
        assert [*edits_between(formula, other)] == [kind]


@given(first_order(max_leaves=8))
def test_every_place_is_edited_and_no_formula_comes_twice(formula: Sentence) -> None:
    edited = list(perturbations(formula))
    assert len({str(other) for _, other in edited}) == len(edited)
    nodes = list(formula.subformulas())
    others = 4 if any(isinstance(node, Xor) for node in nodes) else 3
    places = Counter(
        {
            "connective": others * sum(isinstance(node, Binary) for node in nodes),
            "quantifier": sum(isinstance(node, Quantified) for node in nodes),
            "negation": sum(isinstance(node, Atom | Equal) for node in nodes),
        }
    )
    assert Counter(kind for kind, _ in edited) == +places
