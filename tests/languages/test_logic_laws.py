"""Laws by their names, and negation normal form: by brute force over small models, and by z3."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import z3
from hypothesis import given, settings
from support.independent_logic import in_z3
from support.logic_formulas import first_order, models, parsed

from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.first_order.evaluate import evaluate
from pytest_autoeval.languages.logic.laws import LAWS, equivalents, negation_normal_form
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Top,
    Xor,
)

FIRST_ORDER = language("first_order")
#: Models of each size in which a law is tested.
_MODELS = 250
FORMULAS = first_order(max_leaves=3)

Shape = Callable[[Sentence, Sentence, Sentence], tuple[Sentence, Sentence]]

#: A formula before and after each law, for any parts. The name up to the comma is that of the law.
SHAPES: dict[str, Shape] = {
    "De Morgan, ¬∨": lambda p, q, _r: (Not(Or(p, q)), And(denied(p), denied(q))),
    "De Morgan, ¬∧": lambda p, q, _r: (Not(And(p, q)), Or(denied(p), denied(q))),
    "De Morgan, ¬∨ back": lambda p, q, _r: (And(Not(p), Not(q)), Not(Or(p, q))),
    "De Morgan, ¬∧ back": lambda p, q, _r: (Or(Not(p), Not(q)), Not(And(p, q))),
    "implication": lambda p, q, _r: (Implies(p, q), Or(denied(p), q)),
    "commutativity, ∧": lambda p, q, _r: (And(p, q), And(q, p)),
    "commutativity, ∨": lambda p, q, _r: (Or(p, q), Or(q, p)),
    "commutativity of ↔": lambda p, q, _r: (Iff(p, q), Iff(q, p)),
    "commutativity of ⊕": lambda p, q, _r: (Xor(p, q), Xor(q, p)),
    "distributivity, ∧": lambda p, q, r: (And(p, Or(q, r)), Or(And(p, q), And(p, r))),
    "distributivity, ∨": lambda p, q, r: (Or(p, And(q, r)), And(Or(p, q), Or(p, r))),
    "distributivity, from the right": lambda p, q, r: (And(Or(q, r), p), Or(And(q, p), And(r, p))),
    "distributivity, back": lambda p, q, r: (Or(And(p, q), And(p, r)), And(p, Or(q, r))),
    "distributivity, back on the right": lambda p, q, r: (
        And(Or(q, p), Or(r, p)),
        Or(And(q, r), p),
    ),
    "double negation": lambda p, _q, _r: (p, Not(negation_normal_form(Not(p)))),
}


def denied(formula: Sentence) -> Sentence:
    return formula.operand if isinstance(formula, Not) else Not(formula)


def assert_same(formula: Sentence, others: list[Sentence]) -> None:
    """The others have the formula's value in every model of one or two elements, or in 250 of them."""
    signature = joint_signature(formula)
    for size in (1, 2):
        for model in models(signature, size, _MODELS):
            truth = evaluate(formula, model)
            assert [str(other) for other in others if evaluate(other, model) is not truth] == []


def is_normal(formula: Sentence) -> bool:
    match formula:
        case And(left, right) | Or(left, right):
            return is_normal(left) and is_normal(right)
        case Quantified(_, body):
            return is_normal(body)
        case Not(operand):
            return isinstance(operand, Atom | Equal)
    return isinstance(formula, Atom | Equal | Top | Bottom)


@pytest.mark.parametrize("shape", SHAPES)
@given(FORMULAS, FORMULAS, FORMULAS)
@settings(max_examples=25)
def test_a_law_does_what_its_name_says(shape: str, p: Sentence, q: Sentence, r: Sentence) -> None:
    before, after = SHAPES[shape](p, q, r)
    results = list(LAWS[shape.partition(",")[0]](before))
    assert after in results
    assert_same(before, results)
    assert after == before or after in [other for _, other in equivalents(before)]


@given(first_order(max_leaves=5))
@settings(max_examples=42)
def test_a_law_anywhere_keeps_the_meaning(formula: Sentence) -> None:
    by_law = list(equivalents(formula))
    others = [other for _, other in by_law]
    assert {name for name, _ in by_law} <= set(LAWS)
    assert len({str(other) for other in [formula, *others]}) == len(others) + 1
    assert_same(formula, others)
    names = FIRST_ORDER.symbols(formula)
    assert all(
        set(FIRST_ORDER.symbols(other).constants) <= set(names.constants) for other in others
    )


@given(first_order(max_leaves=5))
@settings(max_examples=42)
def test_the_normal_form_means_the_same(formula: Sentence) -> None:
    normal = negation_normal_form(formula)
    assert is_normal(normal)
    assert negation_normal_form(normal) == normal
    assert_same(formula, [normal])
    solver = z3.Solver()
    solver.set("rlimit", 100_000)
    solver.add(in_z3(Xor(formula, normal)))
    assert solver.check() != z3.sat


@given(first_order(max_leaves=6))
def test_the_normal_form_of_a_negation_is_the_dual(formula: Sentence) -> None:
    duals = {And: Or, Or: And, Forall: Exists, Exists: Forall, Top: Bottom, Bottom: Top}

    def check(one: Sentence, other: Sentence) -> None:
        if type(one) in duals:
            assert type(other) is duals[type(one)]
            for part, opposite in zip(one.children(), other.children(), strict=True):
                check(part, opposite)
        else:
            assert other == denied(one)

    if not any(isinstance(node, Iff | Xor) for node in formula.subformulas()):
        check(negation_normal_form(formula), negation_normal_form(Not(formula)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("¬∀x. (P(x) → Q(x))", "∃x. (P(x) ∧ ¬Q(x))"),
        ("¬(p ↔ q)", "(p ∧ ¬q) ∨ (¬p ∧ q)"),
        ("p ⊕ ¬q", "(p ∧ q) ∨ (¬p ∧ ¬q)"),
        ("¬¬¬(a = b)", "¬(a = b)"),
        ("¬(⊤ ∧ ¬⊥)", "⊥ ∨ ⊥"),
    ],
)
def test_negations_move_to_the_atoms(before: str, after: str) -> None:
    assert negation_normal_form(parsed(before)) == parsed(after)


def test_a_normal_form_beyond_all_bounds_is_refused_and_its_law_left_out() -> None:
    nested = parsed("p0 ↔ p1")
    for index in range(2, 40):
        nested = Iff(nested, Atom(f"p{index}"))
    with pytest.raises(LimitError):
        negation_normal_form(nested)
    by_law = list(equivalents(nested))
    assert "commutativity of ↔" in [name for name, _ in by_law]
    assert Not(negation_normal_form(Not(parsed("p0 ↔ p1")))) in [
        node for _, other in by_law for node in other.subformulas()
    ]
