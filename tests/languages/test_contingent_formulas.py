"""A formula that a cheap look finds contingent holds in one case and fails in another."""

from __future__ import annotations

from itertools import product

import pytest

from pytest_autoeval import sample_formulas
from pytest_autoeval.languages import Language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.contract import trivial_kind
from pytest_autoeval.languages.first_order.language import FIRST_ORDER
from pytest_autoeval.languages.logic.syntax import Not, Or
from pytest_autoeval.languages.ltl import LANGUAGE as LTL
from pytest_autoeval.languages.ltl import syntax as temporal
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.propositional.language import PROPOSITIONAL
from pytest_autoeval.languages.regex import LANGUAGE as REGEX


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_a_contingent_formula_takes_both_values_in_its_truth_table(size: int) -> None:
    texts = sample_formulas("propositional", operators=size, count=200, seed=3, exclude=())
    contingent = 0
    for text in texts:
        formula = PROPOSITIONAL.parse(str(text))
        names = sorted(PROPOSITIONAL.symbols(formula).propositions)
        rows = product((False, True), repeat=len(names))
        values = {evaluate(formula, dict(zip(names, row, strict=True))) for row in rows}
        is_contingent = PROPOSITIONAL.is_contingent(formula)
        # So few propositions take all their values in the sampled rows.
        assert is_contingent == (values == {False, True}), text
        contingent += is_contingent
    assert contingent > len(texts) / 2


@pytest.mark.parametrize("size", [2, 4, 7])
def test_a_contingent_formula_of_first_order_differs_from_both_trivial_ones(size: int) -> None:
    contingent = 0
    for text in sample_formulas("first_order", operators=size, count=60, seed=3, exclude=()):
        formula = FIRST_ORDER.parse(str(text))
        if FIRST_ORDER.is_contingent(formula):
            contingent += 1
            for trivial in FIRST_ORDER.trivial().values():
                verdict = FIRST_ORDER.equivalent(formula, trivial)
                assert verdict.outcome == VerdictOutcome.DIFFERENT, text
    assert contingent > 30


@pytest.mark.parametrize("grammar", ["ltl", "past_ltl"])
@pytest.mark.parametrize("size", [1, 3, 7, 20])
def test_a_contingent_temporal_formula_differs_from_both_trivial_ones(
    grammar: str, size: int
) -> None:
    contingent = 0
    formulas = sample_formulas(grammar, operators=size, count=60, seed=3, exclude=(), warn=False)
    for formula in formulas:
        if LTL.is_contingent(formula):
            contingent += 1
            for trivial in LTL.trivial().values():
                # The witness of the verdict is checked by an evaluator that shares no code with the search.
                verdict = LTL.equivalent(formula, trivial)
                assert verdict.outcome == VerdictOutcome.DIFFERENT, str(formula)
    assert contingent > len(formulas) / 2


@pytest.mark.parametrize("size", [2, 6])
def test_trivial_temporal_formulas_are_not_contingent(size: int) -> None:
    for formula in sample_formulas("past_ltl", operators=size, count=50, seed=3, exclude=()):
        tautology = LTL.parse(f"({formula}) | !({formula})")
        for trivial, kind in ((tautology, "tautology"), (temporal.Not(tautology), "contradiction")):
            assert not LTL.is_contingent(trivial)
            assert trivial_kind(trivial, LTL) == kind


@pytest.mark.parametrize("grammar", ["regex", "boolean_regex"])
@pytest.mark.parametrize("depth", [1, 3, 5])
def test_a_contingent_expression_differs_from_both_trivial_ones(grammar: str, depth: int) -> None:
    contingent = 0
    expressions = sample_formulas(
        grammar, operators=depth, count=200, seed=3, exclude=(), warn=False
    )
    for expression in expressions:
        if REGEX.is_contingent(expression):
            contingent += 1
            for alphabet in ("", "0", "01", "012", "ab"):
                for trivial in REGEX.trivial(tuple(alphabet)).values():
                    verdict = REGEX.equivalent(expression, trivial)
                    assert verdict.outcome == VerdictOutcome.DIFFERENT, str(expression)
    # Nearly all large ones have a complement, which may match nothing: no cheap look decides.
    assert contingent or grammar == "boolean_regex"


@pytest.mark.parametrize(
    ("text", "contingent"),
    [
        *(
            ("a", True),
            ("ab*", True),
            ("a|b", True),
            ("a+", True),
            ("a{1,2}", True),
            ("(a?b)+", True),
        ),
        *(("a*", False), ("a?", False), ("a{0,2}", False), ("a?|b", False), ("(a*)+", False)),
        *(("a*b?", False), ("a{0}", False), ("a&b", False), ("~(a)", False)),
        *(("(ab)*", True), ("a*(bb)*", True), ("(a|bb)?", True), ("(a*b*)*", False)),
        # Over {b}, it matches all strings: no string with an a matches.
        ("b*a{0}", False),
    ],
)
def test_a_contingent_expression_rejects_the_empty_string_or_one_of_its_symbols(
    text: str, contingent: bool
) -> None:
    assert REGEX.is_contingent(REGEX.parse(text)) == contingent


@pytest.mark.parametrize("lang", [PROPOSITIONAL, FIRST_ORDER])
def test_trivial_formulas_are_not_contingent(lang: Language) -> None:
    for text in sample_formulas("propositional", operators=4, count=50, seed=3, exclude=()):
        formula = PROPOSITIONAL.parse(str(text))
        tautology = Or(formula, Not(formula))
        for trivial, kind in ((tautology, "tautology"), (Not(tautology), "contradiction")):
            assert not lang.is_contingent(trivial)
            assert trivial_kind(trivial, lang) == kind
