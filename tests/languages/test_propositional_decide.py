"""Verdicts on propositional formulas: against enumeration, against z3, by laws, on large and on hostile input."""

from __future__ import annotations

import random
from functools import partial, reduce
from itertools import product

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.independent_logic import in_z3
from support.logic_formulas import CONNECTIVES, LAWS, propositional
from support.propositional_families import PROPOSITIONAL_FAMILIES, PropositionalProblem

from pytest_autoeval.languages import Verdict
from pytest_autoeval.languages.deciding import Assignment
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Bottom,
    Iff,
    Implies,
    Not,
    Or,
    Sentence,
    Top,
    Xor,
)
from pytest_autoeval.languages.propositional import decide
from pytest_autoeval.languages.propositional.evaluate import evaluate

equivalence = partial(decide.decide, "equivalence")
entailment = partial(decide.decide, "entailment")
TIMEOUT = 5.0
NAMES = tuple(f"p{index + 1}" for index in range(5))


def python_truth(formula: Sentence, values: dict[str, bool]) -> bool:
    """The value by Python's own operators, in a text of the formula that is evaluated."""
    signs: dict[type[Sentence], str] = {
        And: "{} and {}",
        Or: "{} or {}",
        Xor: "{} != {}",
        Implies: "not {} or {}",
        Iff: "{} == {}",
    }

    def text(node: Sentence) -> str:
        match node:
            case Atom(name, ()):
                return name
            case Not(operand):
                return f"(not {text(operand)})"
            case Top() | Bottom():
                return str(isinstance(node, Top))
            case _:
                return f"({signs[type(node)].format(*map(text, node.children()))})"

    return bool(eval(text(formula), {}, values))


def assignments() -> list[dict[str, bool]]:
    return [dict(zip(NAMES, row, strict=True)) for row in product((False, True), repeat=len(NAMES))]


def atoms(count: int) -> list[Sentence]:
    return [Atom(f"q{index}") for index in range(count)]


def chain(connective: type[Binary], operands: list[Sentence]) -> Sentence:
    return reduce(connective, operands)


def balanced(connective: type[Binary], operands: list[Sentence]) -> Sentence:
    while len(operands) > 1:
        pairs = zip(operands[::2], operands[1::2], strict=False)
        operands = [connective(*pair) for pair in pairs] + operands[len(operands) // 2 * 2 :]
    return operands[0]


def trees(problem: PropositionalProblem) -> tuple[Sentence, Sentence]:
    left, right = (parse(text, quantifiers=False) for text in (problem.left, problem.right))
    return left, right


def check_witness(left: Sentence, right: Sentence, verdict: Verdict) -> Assignment:
    witness = verdict.witness
    assert isinstance(witness, Assignment)
    values = {name: value is True for name, value in witness.values.items()}
    assert (witness.left, witness.right) == (evaluate(left, values), evaluate(right, values))
    if verdict.outcome == "different":
        assert witness.left != witness.right
    else:
        assert (witness.left, witness.right) == (True, False)
    return witness


@given(propositional())
def test_the_evaluator_agrees_with_python(formula: Sentence) -> None:
    assert all(
        evaluate(formula, values) == python_truth(formula, values) for values in assignments()
    )


@given(propositional(), propositional())
@settings(max_examples=140)
def test_equivalence_agrees_with_enumeration(left: Sentence, right: Sentence) -> None:
    same = all(evaluate(left, values) == evaluate(right, values) for values in assignments())
    verdict = equivalence(left, right, TIMEOUT)
    assert verdict.outcome == ("equivalent" if same else "different")
    if not same:
        check_witness(left, right, verdict)


@given(propositional(), propositional())
@settings(max_examples=140)
def test_entailment_agrees_with_enumeration(left: Sentence, right: Sentence) -> None:
    follows = all(evaluate(right, values) for values in assignments() if evaluate(left, values))
    verdict = entailment(left, right, TIMEOUT)
    assert verdict.outcome == ("entails" if follows else "does not entail")
    if not follows:
        check_witness(left, right, verdict)


@given(
    propositional(names=25, max_leaves=60), propositional(names=25, max_leaves=60), st.booleans()
)
@settings(max_examples=42)
def test_many_propositions_agree_with_z3(left: Sentence, right: Sentence, swapped: bool) -> None:
    other = And(right, left) if swapped else right
    left = And(left, right) if swapped else left
    solver = z3.Solver()
    solver.add(in_z3(left) != in_z3(other))
    verdict = equivalence(left, other, TIMEOUT)
    assert verdict.outcome == ("different" if solver.check() == z3.sat else "equivalent")
    if verdict.outcome == "different":
        check_witness(left, other, verdict)


@pytest.mark.parametrize("law", LAWS)
@given(p=propositional(12, 8), q=propositional(12, 8), r=propositional(12, 8))
@settings(max_examples=20)
def test_laws_keep_the_meaning(law: str, p: Sentence, q: Sentence, r: Sentence) -> None:
    left, right = LAWS[law](p, q, r)
    assert equivalence(left, right, TIMEOUT).outcome == "equivalent"


@given(propositional(), propositional(), st.sampled_from(CONNECTIVES), st.sampled_from(CONNECTIVES))
def test_another_connective_is_equivalent_only_with_the_same_table(
    p: Sentence, q: Sentence, one: type[And], other: type[And]
) -> None:
    left, right = one(p, q), other(p, q)
    assume(any(evaluate(left, values) != evaluate(right, values) for values in assignments()))
    assert equivalence(left, right, TIMEOUT).outcome == "different"


@pytest.mark.parametrize("propositions", [1, 2, 15, 16, 17, 40, 60])
def test_every_size_of_formula_is_decided(propositions: int) -> None:
    operands = atoms(propositions)
    shuffled = random.Random(propositions).sample(operands, len(operands))
    for connective in (And, Or, Xor, Iff):
        same = equivalence(chain(connective, operands), balanced(connective, shuffled), TIMEOUT)
        assert same.outcome == "equivalent"
        other = equivalence(
            chain(connective, operands), Not(balanced(connective, shuffled)), TIMEOUT
        )
        check_witness(chain(connective, operands), Not(balanced(connective, shuffled)), other)


def test_a_difference_in_one_row_of_a_table_too_large_to_hold_is_found() -> None:
    operands = [Not(atom) if index % 2 else atom for index, atom in enumerate(atoms(40))]
    left, right = chain(And, operands), And(chain(And, operands), Not(operands[17]))
    verdict = equivalence(left, right, TIMEOUT)
    assert verdict.method == "decision diagram"
    assert check_witness(left, right, verdict).values == {
        f"q{index}": index % 2 == 0 for index in range(40)
    }


@pytest.mark.parametrize("connective", [And, Or, Xor, Iff])
@pytest.mark.parametrize("propositions", [20, 5_000])
def test_chains_in_another_order_have_one_normal_form(
    connective: type[Binary], propositions: int
) -> None:
    operands = [Not(atom) if index % 5 else atom for index, atom in enumerate(atoms(propositions))]
    shuffled = random.Random(1).sample(operands, len(operands))
    right_nested = reduce(lambda right, left: connective(left, right), shuffled)
    for other in (balanced(connective, shuffled), right_nested):
        verdict = equivalence(chain(connective, operands), other, TIMEOUT)
        assert (verdict.outcome, verdict.method) == ("equivalent", "normal form")
        different = equivalence(chain(connective, operands), Not(other), TIMEOUT)
        check_witness(chain(connective, operands), Not(other), different)


def test_z3_decides_when_diagrams_grow_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "_DIAGRAM_NODES", 10)
    operands = [Not(atom) if index % 2 else atom for index, atom in enumerate(atoms(40))]
    left = chain(And, operands)
    right = And(chain(And, operands[1:]), And(Or(*operands[:2]), Implies(operands[1], operands[0])))
    assert (verdict := equivalence(left, right, TIMEOUT)).outcome == "equivalent"
    assert verdict.method == "z3"
    right = And(right, Or(Not(operands[3]), Not(operands[5])))
    verdict = entailment(left, right, TIMEOUT)
    assert verdict.method == "z3"
    check_witness(left, right, verdict)


def test_what_z3_cannot_decide_in_time_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "_DIAGRAM_NODES", 10)
    verdict = equivalence(*trees(PROPOSITIONAL_FAMILIES["pigeons"](13)), 0.3)
    assert verdict.outcome == "undecided"
    assert verdict.reason
    assert verdict.witness is None


def shared(levels: int) -> Sentence:
    """A formula that is exponentially larger than the memory it takes."""
    formula: Sentence = Atom("p")
    for _ in range(levels):
        formula = And(formula, formula)
    return formula


def nested(levels: int) -> Sentence:
    formula: Sentence = Atom("p")
    for _ in range(levels):
        formula = Not(formula)
    return formula


@pytest.mark.parametrize("formula", [shared(60), nested(100_000), chain(Or, atoms(30_000))])
def test_what_is_too_large_is_undecided(formula: Sentence) -> None:
    verdict = equivalence(formula, Atom("p"), TIMEOUT)
    assert verdict.outcome == "undecided"
    assert "too deeply" in verdict.reason or "parts" in verdict.reason


def test_the_witness_reads_as_an_assignment() -> None:
    p1, p2 = Atom("p1"), Atom("p2")
    witness = check_witness(Or(p1, p2), And(p1, p2), equivalence(Or(p1, p2), And(p1, p2), TIMEOUT))
    assert str(witness) == "p1 = true, p2 = false (left: true, right: false)"
    assert witness.to_json() == {
        "kind": "assignment",
        "values": {"p1": True, "p2": False},
        "left": True,
        "right": False,
    }
    assert (
        str(equivalence(Top(), Bottom(), TIMEOUT).witness)
        == "any assignment (left: true, right: false)"
    )


def test_a_witness_that_fails_its_check_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "evaluate", lambda _formula, _values: True)
    verdict = equivalence(Atom("p"), Atom("q"), TIMEOUT)
    assert verdict.outcome == "undecided"
    assert "internal" in verdict.reason
    assert verdict.witness is None
