"""Verdicts of the tableau against procedures of another kind: all short lassos at once, and two evaluators."""

from __future__ import annotations

import random
from functools import partial

import pytest
from support.bounded_unrolling import Shape, counterexample, difference
from support.lassos import short_lassos
from support.ltl_formulas import random_formula
from support.naive_semantics import NaiveSemantics
from support.rewriting import LAWS, by_a_law, by_another_operator

from pytest_autoeval.languages.ltl import decide
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, TemporalNormaliser
from pytest_autoeval.languages.ltl.oracle.solver import find
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Bottom,
    Eventually,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Temporal,
    Xor,
)
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

equivalence = partial(decide.decide, "equivalence")
entailment = partial(decide.decide, "entailment")
ATOMS = ("a", "b", "c")
#: Up to so many states all lassos are tried, by the number of atoms: at most some ten thousand of a shape.
LENGTHS = {1: 10, 2: 6, 3: 4}
TIMEOUT = 10.0


def check_equivalence(left: Temporal, right: Temporal, atoms: tuple[str, ...]) -> str:
    """Holds the verdict on two formulas against the short lassos; the outcome."""
    verdict = equivalence(left, right, TIMEOUT)
    if verdict.outcome == "equivalent":
        assert difference(left, right, atoms, LENGTHS[len(atoms)]) is None, (left, right)
    elif verdict.outcome == "different":
        check_witness(verdict.witness, left, right)
    assert "internal" not in verdict.reason, (left, right)
    return verdict.outcome


def check_entailment(left: Temporal, right: Temporal, atoms: tuple[str, ...]) -> str:
    verdict = entailment(left, right, TIMEOUT)
    if verdict.outcome == "entails":
        assert counterexample(left, right, atoms, LENGTHS[len(atoms)]) is None, (left, right)
    elif verdict.outcome == "does not entail":
        check_witness(verdict.witness, left, right)
        assert isinstance(verdict.witness, TraceWitness)
        assert verdict.witness.left, (left, right)
    assert "internal" not in verdict.reason, (left, right)
    return verdict.outcome


def check_witness(witness: object, left: Temporal, right: Temporal) -> None:
    """Both evaluators agree with what the witness says."""
    assert isinstance(witness, TraceWitness)
    assert witness.left != witness.right
    naive = NaiveSemantics(witness.lasso)
    for formula, claimed in ((left, witness.left), (right, witness.right)):
        assert holds(formula, witness.lasso) == naive.holds(formula, 0) == claimed, (
            left,
            right,
            str(witness.lasso),
        )


# The other procedures agree among themselves.


@pytest.mark.parametrize("seed", range(40))
def test_tables_say_what_the_evaluators_say(seed: int) -> None:
    rng = random.Random(seed)
    formula = random_formula(rng, rng.randint(2, 12), ATOMS[:2])
    shape = Shape(ATOMS[:2], 3, rng.randint(1, 3))
    truth = shape.truth(formula)
    for number in range(64):
        lasso = shape.lasso(number)
        assert (
            holds(formula, lasso)
            == NaiveSemantics(lasso).holds(formula, 0)
            == bool(truth >> number & 1)
        )


def test_a_shape_has_every_lasso_once() -> None:
    shapes = [Shape(ATOMS[:2], 3, period) for period in (1, 2, 3)]
    every = [shape.lasso(number) for shape in shapes for number in range(64)]
    assert sorted(map(str, every)) == sorted(
        str(lasso) for lasso in short_lassos(ATOMS[:2], 3) if len(lasso.states) == 3
    )


# Verdicts on formulas of all operators.


@pytest.mark.parametrize("seed", range(10))
def test_verdicts_on_drawn_pairs(seed: int) -> None:
    rng = random.Random(f"drawn {seed}")
    outcomes = []
    for _ in range(20):
        atoms = ATOMS[: rng.randint(1, 3)]
        left, right = (random_formula(rng, rng.randint(1, 20), atoms) for _ in range(2))
        outcomes += [check_equivalence(left, right, atoms), check_entailment(left, right, atoms)]
    assert outcomes.count("undecided") == 0


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_on_large_drawn_formulas(seed: int) -> None:
    rng = random.Random(f"large {seed}")
    outcomes = []
    for _ in range(6):
        left = random_formula(rng, rng.randint(25, 40), ATOMS[:2])
        outcomes.append(check_equivalence(left, by_another_operator(rng, left), ATOMS[:2]))
    assert outcomes.count("undecided") <= 1


@pytest.mark.parametrize("seed", range(10))
def test_rewriting_by_laws_keeps_the_meaning(seed: int) -> None:
    rng = random.Random(f"laws {seed}")
    for _ in range(12):
        atoms = ATOMS[: rng.randint(1, 3)]
        left: Temporal = Implies(random_formula(rng, rng.randint(2, 12), atoms), Atom("a"))
        right = left
        for _ in range(3):
            right = by_a_law(rng, right)
        assert equivalence(left, right, TIMEOUT).outcome == "equivalent", (left, right)


@pytest.mark.parametrize("kind", LAWS, ids=lambda kind: kind.__name__)
def test_each_law_holds_at_every_position(kind: type[Temporal]) -> None:
    operands = (Atom("a"), Atom("b"))[: 2 if len(kind.__dataclass_fields__) == 2 else 1]  # type: ignore[attr-defined]
    for law in LAWS[kind]:
        left, right = (Atom("a") if kind is Atom else kind(*operands)), law(*operands)
        assert (
            equivalence(Always(Iff(left, right)), Implies(left, left), TIMEOUT).outcome
            == "equivalent"
        )


@pytest.mark.parametrize("seed", range(10))
def test_verdicts_on_formulas_with_another_operator(seed: int) -> None:
    rng = random.Random(f"operators {seed}")
    outcomes = []
    for _ in range(16):
        atoms = ATOMS[: rng.randint(1, 2)]
        left = random_formula(rng, rng.randint(2, 9), atoms)
        right = by_another_operator(rng, left)
        outcomes += [check_equivalence(left, right, atoms), check_entailment(left, right, atoms)]
    assert {"equivalent", "different", "entails", "does not entail"} <= set(outcomes)
    assert "undecided" not in outcomes


# The tableau alone: whatever is short is otherwise found before it is asked.


def found_by_the_tableau(formula: Temporal) -> Lasso | None:
    normaliser = TemporalNormaliser()
    form = normaliser.form(normaliser.literal(formula))
    word = None if form.root == FALSE else find(form)
    return None if word is None else word.lasso(form.atoms, normaliser.atoms)


@pytest.mark.parametrize("seed", range(8))
def test_what_the_tableau_finds_satisfies_the_formula(seed: int) -> None:
    rng = random.Random(f"tableau {seed}")
    for _ in range(25):
        atoms = ATOMS[: rng.randint(1, 3)]
        formula = random_formula(rng, rng.randint(1, 25), atoms)
        found = found_by_the_tableau(formula)
        if found is None:
            assert difference(formula, Bottom(), atoms, LENGTHS[len(atoms)]) is None, formula
        else:
            assert holds(formula, found), (formula, str(found))
            assert NaiveSemantics(found).holds(formula, 0), (formula, str(found))


@pytest.mark.parametrize("seed", range(5))
def test_the_tableau_finds_what_two_formulas_differ_on(seed: int) -> None:
    rng = random.Random(f"tableau of two {seed}")
    for _ in range(12):
        left = random_formula(rng, rng.randint(2, 12), ATOMS[:2])
        right = by_another_operator(rng, by_a_law(rng, left))
        found = found_by_the_tableau(Xor(left, right))
        if found is None:
            assert difference(left, right, ATOMS[:2], LENGTHS[2]) is None, (left, right)
        else:
            assert holds(left, found) != holds(right, found), (left, right, str(found))


# Formulas whose difference shows on short lassos if anywhere: here the verdicts agree in both directions.


def next_depth(formula: Temporal) -> int:
    inner = max(
        (next_depth(child) for child in formula.children() if isinstance(child, Temporal)),
        default=0,
    )
    return isinstance(formula, Next) + inner


@pytest.mark.parametrize("seed", range(5))
def test_without_a_far_future_short_lassos_decide(seed: int) -> None:
    """Next alone looks ahead, so states up to the depth of its nesting tell all, however far the past is asked."""
    rng = random.Random(f"near {seed}")
    outcomes = []
    for number in range(24):
        left, other = (
            with_next(rng, random_formula(rng, rng.randint(2, 6), ATOMS[:1], future=False))
            for _ in range(2)
        )
        right = (
            by_a_law(rng, left) if number % 3 == 0 else other
        )  # laws bring in no other future than next
        length = 1 + max(map(next_depth, (left, right)))
        found = difference(left, right, ATOMS[:1], length)
        assert check_equivalence(left, right, ATOMS[:1]) == (
            "different" if found else "equivalent"
        ), (left, right)
        outcomes.append(found is None)
    assert len(set(outcomes)) == 2


def with_next(rng: random.Random, formula: Temporal) -> Temporal:
    """The formula with next put before some of its parts."""
    children = tuple(
        with_next(rng, child) for child in formula.children() if isinstance(child, Temporal)
    )
    formula = formula.with_children(children) if children else formula
    return Next(formula) if rng.random() < 0.4 else formula


@pytest.mark.parametrize("seed", range(5))
def test_with_eventually_and_always_alone_short_lassos_decide(seed: int) -> None:
    """Such a formula that can be satisfied is so by a lasso of no more states than it has nodes.

    A. P. Sistla, E. M. Clarke, The complexity of propositional linear temporal logics, JACM 32 (1985), section 3.
    """
    rng = random.Random(f"far {seed}")
    outcomes = []
    for _ in range(20):
        left, right = (far_formula(rng, rng.randint(2, 6)) for _ in range(2))
        nodes = sum(map(len, map(all_nodes, (left, right))))
        found = counterexample(left, right, ATOMS[:1], nodes + 2)
        assert check_entailment(left, right, ATOMS[:1]) == (
            "does not entail" if found else "entails"
        ), (left, right)
        outcomes.append(found is None)
    assert len(set(outcomes)) == 2


def far_formula(rng: random.Random, nodes: int) -> Temporal:
    """A random tree of eventually, always and connectives over one atom."""
    if nodes == 1:
        return Atom("a")
    if nodes == 2 or rng.random() < 0.7:
        return rng.choice((Not, Eventually, Always))(far_formula(rng, nodes - 1))
    left = rng.randint(1, nodes - 2)
    return rng.choice((And, Or))(far_formula(rng, left), far_formula(rng, nodes - 1 - left))


def all_nodes(formula: Temporal) -> list[Temporal]:
    found = [formula]
    for child in formula.children():
        assert isinstance(child, Temporal)
        found += all_nodes(child)
    return found
