"""Normal form, clauses and linear equations of propositional logic, against truth tables and brute force."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.logic_formulas import propositional
from support.propositional_families import PROPOSITIONAL_FAMILIES

from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.deciding import Assignment
from pytest_autoeval.languages.logic.syntax import Not, Sentence, Xor
from pytest_autoeval.languages.propositional import decide, normal_form, parity, programs
from pytest_autoeval.languages.propositional.clauses import PropositionalClauses
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.propositional.normal_form import PropositionalNormaliser

PROPOSITIONAL = language("propositional")
Clause = tuple[int, ...]


def table(formula: Sentence) -> tuple[int, int]:
    """The column of a formula in the table of its propositions, and the column of truth."""
    steps, propositions = programs.postfix(formula)
    columns, full = programs.truth_table(len(propositions))
    return programs.run(steps, dict(zip(propositions, columns, strict=True)), full)[-1], full


def satisfying(clauses: Sequence[Clause], fixed: dict[int, bool]) -> bool:
    """Whether clauses have a solution, by unit propagation and trying both values of each other variable."""
    values = dict(fixed)
    while True:
        open_clauses: list[Clause] = []
        units: list[int] = []
        for clause in clauses:
            if any(values.get(abs(literal)) is (literal > 0) for literal in clause):
                continue
            left = tuple(literal for literal in clause if abs(literal) not in values)
            if not left:
                return False
            open_clauses.append(left)
            if len(left) == 1:
                units.append(left[0])
        if not open_clauses:
            return True
        if not units:
            variable = abs(open_clauses[0][0])
            return any(
                satisfying(open_clauses, {**values, variable: value}) for value in (True, False)
            )
        if any(-unit in units for unit in units):
            return False
        values |= {abs(unit): unit > 0 for unit in units}
        clauses = open_clauses


def by_table(nodes: Sequence[normal_form.NormalNode], root: int, count: int) -> int:
    """The column of a normal form in a truth table, by the meaning of its nodes."""
    columns, full = programs.truth_table(count)
    values: list[int] = []

    def value(literal: int) -> int:
        return values[literal >> 1] ^ (full if literal & 1 else 0)

    for node in nodes:
        column = full
        if node.kind == "proposition":
            column = columns[node.operands[0]]
        elif node.kind == "and":
            for operand in node.operands:
                column &= value(operand)
        elif node.kind == "xor":
            column = 0
            for operand in node.operands:
                column ^= value(operand)
        values.append(column)
    return value(root)


@given(propositional(8, 40))
@settings(max_examples=500)
def test_the_normal_form_has_the_table_of_its_formula(formula: Sentence) -> None:
    steps, propositions = programs.postfix(formula)
    normaliser = PropositionalNormaliser(propositions)
    root = normaliser.run(steps)
    assert by_table(normaliser.nodes, root, len(propositions)) == table(formula)[0]


@given(propositional(4, 12), propositional(4, 12))
@settings(max_examples=500)
def test_a_difference_of_conjunctions_keeps_its_meaning(left: Sentence, right: Sentence) -> None:
    formula = Xor(left, right)
    steps, propositions = programs.postfix(formula)
    normaliser = PropositionalNormaliser(propositions)
    root = normaliser.run(steps)
    assert by_table(normaliser.nodes, root, len(propositions)) == table(formula)[0]


@given(propositional(6, 30), st.booleans())
@settings(max_examples=500)
def test_the_clauses_hold_in_the_rows_of_the_table_and_no_others(
    formula: Sentence, negated: bool
) -> None:
    formula = Not(formula) if negated else formula
    steps, propositions = programs.postfix(formula)
    normaliser = PropositionalNormaliser(propositions)
    root = normaliser.run(steps)
    if root in (normal_form.TRUE, normal_form.FALSE):
        assert table(formula)[0] == (table(formula)[1] if root == normal_form.TRUE else 0)
        return
    form = PropositionalClauses(normaliser.nodes, root)
    clauses = [*form.clauses, *form.equation_clauses]
    for row in product((False, True), repeat=len(propositions)):
        values = dict(zip(propositions, row, strict=True))
        named = {str(name): value for name, value in values.items()}
        fixed = {normaliser.inputs[name] >> 1: value for name, value in values.items()}
        assert satisfying(clauses, fixed) == evaluate(formula, named)


ROWS = st.lists(
    st.tuples(st.sets(st.integers(1, 6), max_size=5), st.booleans()), min_size=1, max_size=9
)


def solutions(equations: Iterable[tuple[Iterable[int], bool]]) -> set[frozenset[int]]:
    """The sets of true variables, of those up to 6, that solve equations, by trying all."""
    tried = (
        frozenset(name for name, value in enumerate(row, start=1) if value)
        for row in product((False, True), repeat=6)
    )
    return {
        true
        for true in tried
        if all(len(true.intersection(names)) % 2 == value for names, value in equations)
    }


@given(ROWS)
@settings(max_examples=500)
def test_elimination_agrees_with_trying_all_values(
    equations: list[tuple[set[int], bool]],
) -> None:
    expected = solutions(equations)
    leading = parity.eliminated([parity.row_of(names, value) for names, value in equations])
    assert leading is not None
    assert (leading == parity.CONTRADICTION) == (not expected)
    if not expected:
        return
    assert parity.solution(leading) in expected
    kept = [(set(parity.bits(row >> 1 << 1, most=6)), bool(row & 1)) for row in leading.values()]
    assert solutions(kept) == expected
    for true in expected:
        assert parity.satisfies(true, parity.short_clauses(leading))


@given(
    st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True), max_size=14),
    st.randoms(),
)
@settings(max_examples=500)
def test_equations_of_clauses_follow_from_them(
    variables: list[list[int]], rng: random.Random
) -> None:
    clauses = [tuple(rng.choice((name, -name)) for name in names) for names in variables]
    rows = parity.equations(clauses)
    for row in product((False, True), repeat=4):
        true = {name for name, value in enumerate(row, start=1) if value}
        if parity.satisfies(true, clauses):
            assert all(
                sum(equation >> name & 1 for name in true) % 2 == equation & 1 for equation in rows
            )


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("value", [True, False])
def test_an_equation_in_clauses_is_recognised(count: int, value: bool) -> None:
    clauses = [
        tuple(-name if negative else name for name, negative in enumerate(row, start=1))
        for row in product((False, True), repeat=count)
        if sum(row) % 2 != value
    ]
    assert parity.equations(clauses) == [parity.row_of(range(1, count + 1), value)]
    assert parity.equations(clauses[1:]) == []


def test_thousands_of_equations_are_left_alone() -> None:
    assert parity.eliminated([parity.row_of([name], True) for name in range(1, 3_000)]) is None


SIZES = {
    "satisfiable clauses": (30, 100, 200),
    "threshold clauses": (30, 60, 100),
    "unsatisfiable clauses": (30, 60, 100),
    "reordered clauses": (20, 250),
    "flat colouring": (10, 50, 200),
    "pigeons": (3, 5, 7),
    "multipliers": (2, 3, 5),
    "parity": (17, 150, 1_000),
    "chained parity": (10, 60, 150),
    "long chain": (20, 149, 1_000),
}


@pytest.mark.parametrize(("family", "n"), [(name, n) for name in SIZES for n in SIZES[name]])
def test_families_are_decided(family: str, n: int) -> None:
    problem = PROPOSITIONAL_FAMILIES[family](n)
    verdict = PROPOSITIONAL.equivalent(problem.left, problem.right, timeout=20)
    if problem.is_equivalence is None:
        expected = (VerdictOutcome.EQUIVALENT, VerdictOutcome.DIFFERENT)
        assert verdict.outcome in expected
    else:
        assert verdict.outcome == ("equivalent" if problem.is_equivalence else "different")
    if verdict.outcome == "different":
        assert isinstance(verdict.witness, Assignment)
        values = {name: value is True for name, value in verdict.witness.values.items()}
        left, right = (PROPOSITIONAL.parse(text) for text in (problem.left, problem.right))
        assert isinstance(left, Sentence)
        assert isinstance(right, Sentence)
        assert evaluate(left, values) != evaluate(right, values)


def test_linear_equations_decide_what_clauses_alone_do_not() -> None:
    problem = PROPOSITIONAL_FAMILIES["chained parity"](150)
    assert PROPOSITIONAL.equivalent(problem.left, problem.right).method == "linear equations"
    consistent = problem.left.rpartition(" ∧ ")[0]
    verdict = PROPOSITIONAL.equivalent(consistent, "⊥")
    assert (verdict.outcome, verdict.method) == ("different", "linear equations")


def test_each_method_agrees_with_truth_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    pairs = [
        (problem.left, problem.right)
        for family, sizes in {
            "threshold clauses": range(4, 13),
            "pigeons": range(2, 4),
            "chained parity": range(3, 7),
            "flat colouring": range(3, 5),
        }.items()
        for problem in map(PROPOSITIONAL_FAMILIES[family], sizes)
    ]
    rng.shuffle(pairs)
    expected = [PROPOSITIONAL.equivalent(*pair).outcome for pair in pairs]
    monkeypatch.setattr(programs, "MAX_PROPOSITIONS", 0)
    monkeypatch.setattr(decide, "_DIAGRAM_NODES", 2)
    sample = programs.sample
    monkeypatch.setattr(programs, "sample", lambda count: sample(count, 3))
    assert [PROPOSITIONAL.equivalent(*pair).outcome for pair in pairs] == expected
