"""Verdicts on formulas that are known to be valid, and on formulas that are nearly so."""

from __future__ import annotations

from functools import cache

import pytest
from support.first_order_families import FIRST_ORDER_FAMILIES
from support.independent_logic import holds_in, profile
from support.logic_formulas import parsed
from support.pelletier import NO_THEOREMS, NOT_PROVED, PELLETIER
from support.valid_formulas import PREDICATES, edited, rank_of, valid_formulas

from pytest_autoeval.languages import language, smt
from pytest_autoeval.languages.first_order import prover
from pytest_autoeval.languages.logic.syntax import Sentence, Top

FIRST_ORDER = language("first_order")
COUNT = 100


@cache
def valid(rank: int) -> list[Sentence]:
    return valid_formulas(rank, COUNT, seed=23)


@cache
def true_everywhere(formula: Sentence) -> bool:
    """Whether the formula holds in all models of one and two elements, by an evaluator of the tests' own."""
    return all(
        models == (1 << (1 << sum(size**arity for arity in PREDICATES.values()))) - 1
        for size in (1, 2)
        for models in profile(formula, PREDICATES, ("a",), size)
    )


@pytest.mark.parametrize(
    "number", [number for number in PELLETIER if number not in {*NO_THEOREMS, *NOT_PROVED}]
)
def test_pelletiers_problem_is_proved(number: int) -> None:
    formula = parsed(PELLETIER[number])
    assert FIRST_ORDER.equivalent(formula, Top()).outcome == "equivalent"
    assert FIRST_ORDER.entails(Top(), formula).outcome == "entails"


@pytest.mark.parametrize("number", NO_THEOREMS)
def test_a_problem_that_is_no_theorem_is_refuted(number: int) -> None:
    assert FIRST_ORDER.equivalent(PELLETIER[number], "⊤").outcome == "different"


@pytest.mark.parametrize("number", NOT_PROVED)
def test_a_theorem_is_never_refuted(number: int) -> None:
    assert FIRST_ORDER.equivalent(PELLETIER[number], "⊤", timeout=0.2).outcome != "different"


@pytest.mark.parametrize("rank", [3, 4])
def test_random_valid_formulas_are_proved(rank: int) -> None:
    for formula in valid(rank):
        assert rank_of(formula) == rank
        assert true_everywhere(formula)
        assert FIRST_ORDER.equivalent(formula, Top()).outcome == "equivalent", str(formula)
        assert FIRST_ORDER.entails(Top(), formula).outcome == "entails", str(formula)


@pytest.mark.parametrize("rank", [3, 4])
def test_what_fails_in_a_small_model_is_refuted_there(rank: int) -> None:
    refuted = 0
    for seed, formula in enumerate(valid(rank)):
        other = edited(formula, seed)
        verdict = FIRST_ORDER.equivalent(formula, other)
        if true_everywhere(other):
            assert verdict.outcome == FIRST_ORDER.equivalent(other, Top()).outcome
            continue
        refuted += 1
        assert verdict.outcome == "different", str(other)
        assert FIRST_ORDER.entails(formula, other).outcome == "does not entail"
        assert verdict.witness is not None
        model = verdict.witness.to_json()
        assert holds_in(formula, model)
        assert not holds_in(other, model)
    assert refuted > COUNT // 4


def test_the_time_that_is_allowed_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "prover_path", lambda: None)
    infinite = "(∀x. ∃y. R(x, y)) ∧ (∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z))) ∧ ∀x. ¬R(x, x)"
    verdict = FIRST_ORDER.equivalent(infinite, "⊥", timeout=1.0)
    assert (verdict.outcome, verdict.reason) == ("undecided", "no decision within the time limit")


def test_a_way_to_a_proof_that_fails_is_no_answer() -> None:
    assert smt.solve("(assert false)", 1000, {"tactics": ("fail",)}).outcome == "unknown"


#: Most of these need cvc5, which may be absent.
SETS = ("differences of sets", "distributivity of sets")


@pytest.mark.parametrize("family", sorted(FIRST_ORDER_FAMILIES.keys() - SETS))
@pytest.mark.parametrize("n", [2, 3])
def test_the_status_of_each_family_is_right(family: str, n: int) -> None:
    problem = FIRST_ORDER_FAMILIES[family](n)
    expected = "equivalent" if problem.is_equivalence else "different"
    assert FIRST_ORDER.equivalent(problem.left, problem.right).outcome == expected


@pytest.mark.extra("cvc5")
@pytest.mark.parametrize("family", SETS)
def test_equations_of_sets_are_decided(family: str) -> None:
    problem = FIRST_ORDER_FAMILIES[family](2)
    verdict = FIRST_ORDER.equivalent(problem.left, problem.right, timeout=20.0)
    assert verdict.outcome == "equivalent"
