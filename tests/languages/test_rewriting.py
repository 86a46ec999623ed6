"""Formulas of logic and regular expressions written otherwise: laws by brute force, changes by their size."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from support.logic_formulas import first_order, models, propositional, value
from support.regex_expressions import (
    boolean_expressions,
    closed_expressions,
    strict_expressions,
    strings,
)

from pytest_autoeval.languages import Formula, Language, language
from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.first_order.evaluate import evaluate
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.regex.rewriting import is_strict
from pytest_autoeval.languages.regex.syntax import Expression

PROPOSITIONAL, FIRST_ORDER, REGEX = (
    language(name) for name in ("propositional", "first_order", "regex")
)
#: Models that a law is tried in, of each size.
_MODELS = 500


def anywhere(lang: Language, formula: Formula) -> list[Formula]:
    """The formulas that one law makes of a formula, wherever it is used."""
    return [
        replaced_at(formula, path, new)
        for path, node in places(formula)
        for new in lang.rewritings(node)
    ]


def changed_anywhere(lang: Language, formula: Formula) -> list[Formula]:
    names = lang.symbols(formula)
    return [
        replaced_at(formula, path, new)
        for path, node in places(formula)
        for new in lang.edits(node, names)
    ]


@given(propositional(names=4, max_leaves=8))
def test_laws_of_connectives_keep_the_truth_table(formula: Sentence) -> None:
    names = PROPOSITIONAL.symbols(formula).propositions
    rows = [
        dict(zip(names, values, strict=True))
        for values in product((False, True), repeat=len(names))
    ]
    for written in anywhere(PROPOSITIONAL, formula):
        assert isinstance(written, Sentence)
        assert set(PROPOSITIONAL.symbols(written).propositions) <= set(names)
        assert [value(formula, row) for row in rows] == [value(written, row) for row in rows], str(
            written
        )


@given(first_order(max_leaves=4, equality=False))
@settings(max_examples=42)
def test_laws_of_quantifiers_hold_in_every_small_model(formula: Sentence) -> None:
    signature = joint_signature(formula)
    written = [other for other in anywhere(FIRST_ORDER, formula) if isinstance(other, Sentence)]
    for size in (1, 2):
        for model in models(signature, size, _MODELS):
            truth = evaluate(formula, model)
            assert [str(other) for other in written if evaluate(other, model) is not truth] == []


@given(first_order(max_leaves=4))
@settings(max_examples=42)
def test_a_law_leaves_no_variable_unbound(formula: Sentence) -> None:
    names = FIRST_ORDER.symbols(formula)
    for written in anywhere(FIRST_ORDER, formula):
        assert set(FIRST_ORDER.symbols(written).constants) <= set(names.constants)


@given(
    closed_expressions(max_leaves=6)
    | strict_expressions(max_leaves=8)
    | boolean_expressions(max_leaves=6)
)
def test_laws_of_regular_expressions_keep_the_strings(expression: Expression) -> None:
    expected = strings(expression, 6, "01")
    for written in anywhere(REGEX, expression):
        assert isinstance(written, Expression)
        assert strings(written, 6, "01") == expected, str(written)


@given(strict_expressions(max_leaves=8))
def test_the_strict_notation_stays_strict(expression: Expression) -> None:
    for other in (*anywhere(REGEX, expression), *changed_anywhere(REGEX, expression)):
        assert isinstance(other, Expression)
        assert is_strict(other)
        assert REGEX.parse(str(other)) == other


@given(propositional(names=3, max_leaves=8))
def test_changes_of_propositional_formulas_keep_the_size(formula: Sentence) -> None:
    check_sizes(PROPOSITIONAL, formula)


@given(first_order(max_leaves=5))
def test_changes_of_first_order_formulas_keep_the_size(formula: Sentence) -> None:
    check_sizes(FIRST_ORDER, formula)
    names = FIRST_ORDER.symbols(formula)
    for other in changed_anywhere(FIRST_ORDER, formula):
        assert FIRST_ORDER.symbols(other).names <= names.names | set(names.variables)


@given(strict_expressions(max_leaves=8))
def test_changes_of_regular_expressions_keep_signs_and_symbols(expression: Expression) -> None:
    kept = ("operators", "stars", "symbols")
    for other in changed_anywhere(REGEX, expression):
        assert other != expression
        assert [REGEX.measure(other)[key] for key in kept] == [
            REGEX.measure(expression)[key] for key in kept
        ]


def check_sizes(lang: Language, formula: Formula) -> None:
    nodes = sum(1 for _ in formula.subformulas())
    for other in changed_anywhere(lang, formula):
        assert sum(1 for _ in other.subformulas()) == nodes, str(other)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("propositional", "¬(p ∧ q)", "¬p ∨ ¬q"),
        ("propositional", "p ∧ (q ∨ r)", "(p ∧ q) ∨ (p ∧ r)"),
        ("propositional", "¬¬p", "p"),
        ("propositional", "p → q", "¬q → ¬p"),
        ("propositional", "p ∨ (q ∨ r)", "p ∨ q ∨ r"),
        ("propositional", "p ↔ q", "¬(p ⊕ q)"),
        ("propositional", "(p → q) ∧ (q → p)", "p ↔ q"),
        ("first_order", "¬∀x. P(x)", "∃x. ¬P(x)"),
        ("first_order", "∀x. P(x)", "∀y. P(y)"),
        ("first_order", "∀x. R(x, y)", "∀z. R(z, y)"),
        ("first_order", "∀x. (P(x) ∧ Q(x))", "(∀x. P(x)) ∧ ∀x. Q(x)"),
        ("first_order", "(∀x. P(x)) → q", "∃x. (P(x) → q)"),
        ("regex", "(0*)*", "0*"),
        ("regex", "00*", "0*0"),
        ("regex", "(01)*0", "0(10)*"),
        ("regex", "(0*1*)*", "(1*0*)*"),
        ("regex", "0(0|1)", "00|01"),
        ("regex", "0+", "00*"),
    ],
)
def test_a_law_is_known(name: str, before: str, after: str) -> None:
    lang = language(name)
    assert lang.tree(after) in list(lang.rewritings(lang.tree(before)))


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("propositional", "p ∧ q", "p ∨ q"),
        ("propositional", "p → q", "q → p"),
        ("propositional", "p ∧ (q ∨ r)", "q ∧ (p ∨ r)"),
        ("first_order", "∀x. P(x)", "∃x. P(x)"),
        ("first_order", "∀x. ∃y. R(x, y)", "∃y. ∀x. R(x, y)"),
        ("first_order", "R(a, b)", "R(b, a)"),
        ("regex", "01*", "0*1"),
        ("regex", "01*", "(01)*"),
    ],
)
def test_a_change_is_known(name: str, before: str, after: str) -> None:
    lang = language(name)
    formula = lang.tree(before)
    assert lang.tree(after) in list(lang.edits(formula, lang.symbols(formula)))
