"""The LE score: the published value, differences that it misses, and its table by brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from support.logic_formulas import first_order, value

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.syntax import Atom, Equal, Sentence

FIRST_ORDER = language("first_order")


def score(reference: str, answer: str) -> float | None:
    left, right = FIRST_ORDER.parse(reference), FIRST_ORDER.parse(answer)
    assert isinstance(left, Sentence)
    assert isinstance(right, Sentence)
    return le_score(left, right)


def predicates(formula: Sentence) -> set[str]:
    nodes = formula.subformulas()
    return {getattr(node, "predicate", "=") for node in nodes if isinstance(node, Atom | Equal)}


@given(first_order(max_leaves=6), first_order(max_leaves=6))
def test_the_score_is_the_share_of_rows_that_agree(left: Sentence, right: Sentence) -> None:
    names = sorted(predicates(left))
    assume(set(names) >= predicates(right))
    rows = [dict(zip(names, row, strict=True)) for row in product((False, True), repeat=len(names))]
    agreeing = sum(value(left, row) == value(right, row) for row in rows)
    assert le_score(left, right) == le_score(right, left) == agreeing / len(rows)


def test_a_good_translation_with_a_coarser_predicate_scores_seven_eighths() -> None:
    reference = "∀x. ((Block(x) ∧ OnTable(x)) → TableBlock(x))"
    assert score(reference, "∀y. (BlockOnTable(y) → TableBlock(y))") == 0.875


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("∀x. (Cube(x) → Large(x))", "∃x. (Cube(x) → Large(x))"),
        ("Larger(a, b)", "Larger(b, a)"),
        ("∀x. ∃y. Above(x, y)", "∃y. ∀x. Above(x, y)"),
    ],
)
def test_formulas_of_different_meaning_that_score_full_marks(reference: str, answer: str) -> None:
    assert FIRST_ORDER.equivalent(reference, answer).outcome == "different"
    assert score(reference, answer) == 1.0


@pytest.mark.parametrize(
    ("reference", "answer", "expected"),
    [
        ("Cube(a)", "¬Cube(a)", 0.0),
        ("Cube(a) ∧ Small(a)", "Small(a) ∨ Cube(a)", 0.5),
        ("Cube(a) → Small(a)", "Cubes(a) → Smaller(a, b)", 1.0),
        ("Small(a) → Cube(a)", "Cubes(a) → Smaller(a, b)", 0.5),  # matched by name, not by place
        ("a = b", "Same(a, b)", 0.5),  # equality is matched with no predicate
        ("∀x. (Cube(x) → x = a)", "∀x. (x = b ∨ ¬Box(x))", 1.0),
        ("⊤", "p ∨ ¬p", 1.0),
    ],
)
def test_the_score_is_the_share_of_rows_in_which_both_agree(
    reference: str, answer: str, expected: float
) -> None:
    assert score(reference, answer) == expected


def test_too_many_predicates_have_no_score() -> None:
    sixteen = " ∧ ".join(f"p{index}" for index in range(16))
    assert score(sixteen, sixteen) == 1.0
    assert score(f"{sixteen} ∧ q", sixteen) is None
    assert score(sixteen, f"{sixteen} ∧ a = b") is None
