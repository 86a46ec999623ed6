"""Verdicts on first-order formulas: against enumeration, against z3, by laws, on hard and on hostile input."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, reduce

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.independent_logic import in_z3
from support.logic_formulas import (
    CONNECTIVES,
    LAWS,
    QUANTIFIER_LAWS,
    constants,
    first_order,
    models,
    parsed,
    propositional,
    renamed,
)

from pytest_autoeval.languages import Verdict
from pytest_autoeval.languages.first_order import decide
from pytest_autoeval.languages.first_order.evaluate import FiniteModel, evaluate
from pytest_autoeval.languages.first_order.normal_forms import Scoping
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Bottom,
    Equal,
    Exists,
    Forall,
    Not,
    Sentence,
    Term,
)
from pytest_autoeval.languages.propositional.decide import decide as decide_propositional
from pytest_autoeval.languages.propositional.diagrams import FALSE

equivalence = partial(decide.decide, "equivalence")
entailment = partial(decide.decide, "entailment")
propositional_equivalence = partial(decide_propositional, "equivalence")
TIMEOUT = 5.0
SERIAL = "∀x. ∃y. R(x, y)"
IRREFLEXIVE = "∀x. ¬R(x, x)"
TRANSITIVE = "∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z))"


def both(*texts: str) -> Sentence:
    return all_of(map(parsed, texts))


def check_witness(left: Sentence, right: Sentence, verdict: Verdict) -> FiniteModel:
    model = verdict.witness
    assert isinstance(model, FiniteModel)
    assert (model.left, model.right) == (evaluate(left, model), evaluate(right, model))
    if verdict.outcome == "different":
        assert model.left != model.right
    else:
        assert (model.left, model.right) == (True, False)
    return model


def smallest_counter_model(left: Sentence, right: Sentence, sizes: range) -> int | None:
    """The size of a smallest model in which the formulas differ."""
    signature = joint_signature(left, right)
    for size in sizes:
        if any(
            evaluate(left, model) != evaluate(right, model) for model in models(signature, size)
        ):
            return size
    return None


def check_against_enumeration(left: Sentence, right: Sentence, sizes: range) -> None:
    size = smallest_counter_model(left, right, sizes)
    verdict = equivalence(left, right, TIMEOUT)
    if size is not None:
        assert verdict.outcome == "different"
        assert len(check_witness(left, right, verdict).domain) == size
    elif verdict.outcome == "different":
        assert len(check_witness(left, right, verdict).domain) > sizes[-1]


slow = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


@given(first_order(5, equality=False), first_order(5, equality=False))
@slow
def test_equivalence_agrees_with_every_small_model(left: Sentence, right: Sentence) -> None:
    check_against_enumeration(left, right, range(1, 3))


@given(first_order(4), first_order(4), st.sampled_from(CONNECTIVES), st.sampled_from(CONNECTIVES))
@slow
def test_near_copies_agree_with_every_small_model(
    p: Sentence, q: Sentence, one: type[And], other: type[And]
) -> None:
    check_against_enumeration(Forall("x", one(p, q)), Forall("x", other(p, q)), range(1, 3))


@given(first_order(4, equality=False), first_order(4, equality=False), st.booleans())
@slow
def test_entailment_agrees_with_every_small_model(
    left: Sentence, right: Sentence, weakened: bool
) -> None:
    left = And(left, right) if weakened else left
    verdict = entailment(left, right, TIMEOUT)
    signature = joint_signature(left, right)
    small = [model for size in (1, 2) for model in models(signature, size)]
    if any(evaluate(left, model) and not evaluate(right, model) for model in small):
        assert verdict.outcome == "does not entail"
    if verdict.outcome == "does not entail":
        check_witness(left, right, verdict)
    if weakened:
        assert verdict.outcome == "entails"


@given(first_order(8), first_order(8), st.sampled_from(CONNECTIVES), st.sampled_from(CONNECTIVES))
def test_equivalence_agrees_with_z3(
    p: Sentence, q: Sentence, one: type[And], other: type[And]
) -> None:
    left, right = Exists("y", one(p, q)), Exists("y", other(p, q))
    solver = z3.Solver()
    solver.set(rlimit=200_000)
    solver.add(in_z3(left) != in_z3(right))
    expected = solver.check()
    verdict = equivalence(left, right, TIMEOUT)
    if verdict.outcome == "different":
        check_witness(left, right, verdict)
    assert (expected, verdict.outcome) not in [(z3.sat, "equivalent"), (z3.unsat, "different")]


@given(propositional(), propositional())
def test_propositional_formulas_have_the_verdict_of_propositional_logic(
    left: Sentence, right: Sentence
) -> None:
    assert (
        equivalence(left, right, TIMEOUT).outcome
        == propositional_equivalence(left, right, TIMEOUT).outcome
    )


@pytest.mark.parametrize("law", LAWS)
@given(p=first_order(), q=first_order(), r=first_order())
@settings(max_examples=10)
def test_propositional_laws_keep_the_meaning(
    law: str, p: Sentence, q: Sentence, r: Sentence
) -> None:
    left, right = LAWS[law](p, q, r)
    assert equivalence(Forall("x", left), Forall("x", right), TIMEOUT).outcome == "equivalent"


@pytest.mark.parametrize("law", QUANTIFIER_LAWS)
@given(p=first_order(), q=first_order(), closed=first_order())
@settings(max_examples=10)
def test_laws_of_quantifiers_keep_the_meaning(
    law: str, p: Sentence, q: Sentence, closed: Sentence
) -> None:
    left, right = QUANTIFIER_LAWS[law](p, q, renamed(closed, "x", "c"))
    assert equivalence(left, right, TIMEOUT).outcome == "equivalent"


@given(first_order(8))
def test_a_formula_read_again_has_the_same_normal_form(formula: Sentence) -> None:
    copy = parsed(str(formula))
    verdict = equivalence(formula, copy, TIMEOUT)
    assert (verdict.outcome, verdict.method) == ("equivalent", "normal form")
    # Equal trees get their verdict without it. The shared parts of the difference say the same.
    assert decide._question(formula, copy, "equivalence").failure == FALSE


@given(first_order(10))
@settings(max_examples=35)
def test_renaming_bound_variables_keeps_the_meaning(formula: Sentence) -> None:
    left, right = (
        Exists("x", Forall("y", formula)),
        Exists("u", Forall("v", renamed(renamed(formula, "x", "u"), "y", "v"))),
    )
    assert equivalence(left, right, TIMEOUT).outcome == "equivalent"


@given(first_order(5))
@settings(max_examples=40)
def test_scoping_keeps_the_value_in_every_small_model(formula: Sentence) -> None:
    signature = joint_signature(formula)
    scoping = Scoping(signature.constants)
    scoped, negation = scoping.scoped(formula), scoping.scoped(formula, negated=True)
    for size in (1, 2):
        for model in models(signature, size):
            assert evaluate(scoped, model) == evaluate(formula, model) != evaluate(negation, model)


@given(first_order(6), st.sampled_from([("a", "b"), ("x", "y"), ("f", "b")]))
@settings(max_examples=35)
def test_a_renamed_constant_is_another_constant(formula: Sentence, names: tuple[str, str]) -> None:
    other = renamed(formula, *names)
    verdict = equivalence(formula, other, TIMEOUT)
    if (
        verdict.outcome == "different"
        or smallest_counter_model(formula, other, range(1, 3)) is not None
    ):
        check_witness(formula, other, verdict)


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        ("∀x. ∃y. R(x, y)", "∃y. ∀x. R(x, y)", 2),
        ("∀x. R(x, a)", "∀x. R(a, x)", 2),
        ("P(a)", "P(b)", 2),
        ("P(a)", "∀a. P(a)", 2),
        ("P(a)", "P(a) ∧ a = b", 2),
        ("∃x. P(x)", "∀x. P(x)", 2),
        ("p", "P(a)", 1),
        ("P(a)", "P(a, a)", 1),
        ("∀x. P(x)", "∀x. P(f(x))", 2),
        ("∃x. ∃y. ¬x = y", "∃x. ∃y. ∃z. ((¬x = y ∧ ¬y = z) ∧ ¬x = z)", 2),
        ("∀x. ∀y. ∀z. ((x = y ∨ y = z) ∨ x = z)", "⊤", 3),
        ("∀w. ∀x. ∀y. ∀z. (w = x ∨ w = y ∨ w = z ∨ x = y ∨ x = z ∨ y = z)", "⊤", 4),
        ("a = b ∨ b = c ∨ a = c", "⊤", 3),
    ],
)
def test_a_smallest_counter_model_is_found(left: str, right: str, size: int) -> None:
    verdict = equivalence(parsed(left), parsed(right), TIMEOUT)
    assert verdict.outcome == "different"
    assert len(check_witness(parsed(left), parsed(right), verdict).domain) == size


def test_serial_and_irreflexive_has_a_model_of_two_elements() -> None:
    left = both(SERIAL, IRREFLEXIVE, "P(a)", "¬P(b)")
    verdict = equivalence(left, Bottom(), TIMEOUT)
    assert verdict.method == "finite model of size 2"
    assert check_witness(left, Bottom(), verdict).left


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("∀x. (P(x) → Q(x))", "∀y. (¬Q(y) → ¬P(y))"),
        ("∃x. ∃y. ∀z. ¬(R(z, c) ⊕ P(x))", "∃x. ∀z. ∃y. ¬(R(z, c) ⊕ P(x))"),
        (
            "∀x. ∃y. ∀z. ∃w. ((R(x, y) ∧ S(z, w)) ∨ P(y))",
            "¬∃x. ∀y. ∃z. ∀w. (¬P(y) ∧ (¬R(x, y) ∨ ¬S(z, w)))",
        ),
        ("∃x. (P(x) → ∀y. P(y))", "⊤"),
        ("∃x. ∀y. (R(x, y) ↔ ¬R(y, y))", "⊥"),
        ("∀x. ∀y. (R(x, y) → R(y, x))", "∀x. ∀y. (R(x, y) ↔ R(y, x))"),
        ("∀x. (P(x) → x = a)", "∀x. ∀y. ((P(x) → x = a) ∧ (P(y) → y = a))"),
        ("a = b ∧ P(a)", "b = a ∧ P(b)"),
        ("∀x. f(f(x)) = x ∧ P(f(f(f(a))))", "∀y. f(f(y)) = y ∧ P(f(a))"),
        ("∀x. ∀x. P(x)", "∀x. P(x)"),
        ("∀x. ∀x. ∀y. R(x, y)", "∀x. ∀y. R(y, x)"),
    ],
)
def test_equivalent_formulas_are_proved_so(left: str, right: str) -> None:
    assert equivalence(parsed(left), parsed(right), TIMEOUT).outcome == "equivalent"


def test_entailment_is_one_way() -> None:
    strong, weak = parsed("∃y. ∀x. R(x, y)"), parsed("∀x. ∃y. R(x, y)")
    assert entailment(strong, weak, TIMEOUT).outcome == "entails"
    assert len(check_witness(weak, strong, entailment(weak, strong, TIMEOUT)).domain) == 2


def test_what_has_only_infinite_models_is_undecided() -> None:
    verdict = equivalence(both(SERIAL, TRANSITIVE, IRREFLEXIVE), Bottom(), 1.0)
    assert verdict.outcome == "undecided"
    assert verdict.reason
    assert verdict.witness is None


def quantified(levels: int, connective: type[Binary]) -> Sentence:
    """Quantifiers in alternation over a formula in which every neighbouring pair of variables occurs."""
    parts: list[Sentence] = [
        Atom("R", constants(f"x{index}", f"x{index + 1}")) for index in range(levels - 1)
    ]
    formula: Sentence = reduce(connective, parts)
    for index in range(levels):
        formula = (Forall if index % 2 else Exists)(f"x{index}", formula)
    return formula


def all_of(formulas: Iterable[Sentence]) -> Sentence:
    return reduce(And, formulas)


def doubled(levels: int) -> Term:
    term = Term("x")
    for _ in range(levels):
        term = Term("g", (term, term))
    return term


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (quantified(40, And), quantified(40, CONNECTIVES[4])),
        (Forall("x", Atom("P", (doubled(12),))), Forall("x", Atom("Q", (doubled(12),)))),
        (
            Forall("x", Atom("P", constants(*"x" * 20))),
            Exists("x", Atom("P", constants(*"x" * 20))),
        ),
        (
            all_of(Atom("P", constants(f"c{index}")) for index in range(140)),
            Equal(Term("a"), Term("b")),
        ),
    ],
)
def test_hostile_formulas_end_and_never_in_a_wrong_verdict(left: Sentence, right: Sentence) -> None:
    verdict = equivalence(left, right, 1.0)
    assert verdict.outcome in {"different", "undecided"}
    if verdict.outcome == "different":
        check_witness(left, right, verdict)


def test_what_is_too_large_is_undecided() -> None:
    formula: Sentence = Atom("p")
    for _ in range(60):
        formula = And(formula, formula)
    assert "parts" in equivalence(formula, Atom("p"), TIMEOUT).reason
    for _ in range(1000):
        formula = Not(formula)
    assert "too deeply" in equivalence(formula, Atom("p"), TIMEOUT).reason


def test_no_time_is_no_verdict() -> None:
    verdict = equivalence(both(SERIAL, TRANSITIVE, IRREFLEXIVE), Bottom(), 0.0)
    assert (verdict.outcome, verdict.reason) == ("undecided", "no decision within the time limit")


def test_the_witness_reads_as_a_table() -> None:
    left, right = parsed("p ∧ ∀x. R(x, f(a))"), parsed("p ∧ R(a, f(a))")
    witness = check_witness(left, right, equivalence(left, right, TIMEOUT))
    functions, rows = dict(witness.functions), dict(witness.predicates)
    table, holding = functions["f", 1], sorted(rows["R", 2])
    assert str(witness).splitlines() == [
        "domain  {1, 2}",
        "a       1",
        f"f       1 ↦ {table[1,]}, 2 ↦ {table[2,]}",
        "p       true",
        f"R       {{{', '.join(map(str, holding))}}}",
        "left    false",
        "right   true",
    ]
    assert witness.to_json() == {
        "kind": "finite model",
        "domain": [1, 2],
        "constants": {"a": 1},
        "functions": {"f": [[1, table[1,]], [2, table[2,]]]},
        "predicates": {"p": True, "R": [list(row) for row in holding]},
        "left": False,
        "right": True,
    }


def test_one_name_with_two_arities_is_two_symbols_in_the_table() -> None:
    witness = equivalence(parsed("P(a)"), parsed("P(a, a)"), TIMEOUT).witness
    assert isinstance(witness, FiniteModel)
    assert set(witness.to_json()["predicates"]) == {"P/1", "P/2"}


def test_a_witness_that_fails_its_check_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "evaluate", lambda _formula, _model: True)
    verdict = equivalence(parsed("P(a)"), parsed("P(b)"), TIMEOUT)
    assert verdict.outcome == "undecided"
    assert "internal" in verdict.reason
    assert verdict.witness is None
