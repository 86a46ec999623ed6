"""Groundings of first-order formulas: against evaluation in each small model; and the circuits that they make."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.logic_formulas import first_order, parsed, renamed

from pytest_autoeval.languages.first_order.circuit import SharedFormulas
from pytest_autoeval.languages.first_order.evaluate import evaluate
from pytest_autoeval.languages.first_order.grounding import (
    MAX_CELLS,
    Grounding,
    ModelSpace,
    columns,
    signals,
)
from pytest_autoeval.languages.isolation import session
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import And, Exists, Forall, Not, Or, Sentence
from pytest_autoeval.languages.propositional import programs
from pytest_autoeval.languages.propositional.circuits import FALSE, TRUE, Circuit
from pytest_autoeval.languages.propositional.diagrams import TooLargeError

slow = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def gate_values(circuit: Circuit, inputs: dict[int, bool]) -> list[bool]:
    """The value of each gate, by its definition."""
    values: list[bool] = []
    for number, gate in enumerate(circuit.gates):
        if gate is None:
            values.append(inputs.get(number, False))
            continue
        first, second = (values[signal >> 1] is not bool(signal & 1) for signal in gate)
        values.append(first and second if gate[0] < gate[1] else first is not second)
    return values


@given(first_order(7), first_order(4), st.sampled_from([1, 2, 3]))
@slow
def test_columns_and_signals_have_the_value_of_each_small_model(
    left: Sentence, right: Sentence, size: int
) -> None:
    models = ModelSpace(joint_signature(left, right), size)
    assume(len(models.propositions) <= 9)
    shared = SharedFormulas()
    roots = [shared.add(left), shared.add(right)]
    rows, full = programs.truth_table(len(models.propositions))
    tables = Grounding(models, shared, rows, columns(full), MAX_CELLS).values(*roots)
    circuit = Circuit(MAX_CELLS)
    inputs = [circuit.input() for _ in models.propositions]
    outputs = Grounding(models, shared, inputs, signals(circuit), MAX_CELLS).values(*roots)
    for row in range(1 << len(models.propositions)):
        values = {
            name: bool(column >> row & 1)
            for name, column in zip(models.propositions, rows, strict=True)
        }
        model = models.model(values)
        gates = gate_values(
            circuit,
            {signal >> 1: values[name] for name, signal in zip(values, inputs, strict=True)},
        )
        expected = [evaluate(formula, model) for formula in (left, right)]
        assert [bool(table >> row & 1) for table in tables] == expected
        assert [gates[signal >> 1] is not bool(signal & 1) for signal in outputs] == expected


def test_a_model_of_three_elements_has_each_value_of_a_function() -> None:
    formula = parsed("∀x. f(f(x)) = g(x, a)")
    models = ModelSpace(joint_signature(formula), 3)
    shared = SharedFormulas()
    rows, full = programs.sample(len(models.propositions))
    (table,) = Grounding(models, shared, rows, columns(full), MAX_CELLS).values(shared.add(formula))
    seen = set()
    for row in range(0, full.bit_length(), 7):
        model = models.model(
            {
                name: bool(column >> row & 1)
                for name, column in zip(models.propositions, rows, strict=True)
            }
        )
        seen |= set(model.functions["g", 2].values())
        assert evaluate(formula, model) == bool(table >> row & 1)
    assert seen == {1, 2, 3}


def grown(circuit: Circuit, steps: list[tuple[str, int, int]], count: int) -> list[int]:
    """Signals of ``count`` inputs, then of steps, each on two of the signals so far."""
    found = [circuit.input() for _ in range(count)]
    for name, left, right in steps:
        found.append(
            getattr(circuit, name)(found[left % len(found)], found[right % len(found)] ^ left & 1)
        )
    return found


STEPS = st.lists(
    st.tuples(st.sampled_from(["both", "either", "differ"]), st.integers(0, 40), st.integers(0, 40))
)


@given(STEPS)
def test_a_signal_has_the_value_of_its_operations(steps: list[tuple[str, int, int]]) -> None:
    circuit = Circuit(100)
    found = grown(circuit, steps, 3)
    for assignment in product((False, True), repeat=3):
        expected = list(assignment)
        for name, left, right in steps:
            first, second = (
                expected[left % len(expected)],
                expected[right % len(expected)] ^ bool(left & 1),
            )
            expected.append(
                {"both": first and second, "either": first or second, "differ": first != second}[
                    name
                ]
            )
        gates = gate_values(circuit, dict(enumerate(assignment, 1)))
        assert [gates[signal >> 1] is not bool(signal & 1) for signal in found] == expected


@given(STEPS)
def test_the_clauses_of_a_signal_hold_where_it_does(steps: list[tuple[str, int, int]]) -> None:
    circuit = Circuit(100)
    root = grown(circuit, steps, 3)[-1]
    assume(root > TRUE)
    clauses = circuit.clauses(root)
    for assignment in product((False, True), repeat=3):
        gates = gate_values(circuit, dict(enumerate(assignment, 1)))
        hold = all(
            any(gates[abs(literal)] is (literal > 0) for literal in clause) for clause in clauses
        )
        assert hold == (gates[root >> 1] is not bool(root & 1))


@given(STEPS)
@settings(max_examples=30)
def test_z3_satisfies_the_clauses_of_a_signal_if_an_assignment_does(
    steps: list[tuple[str, int, int]],
) -> None:
    circuit = Circuit(100)
    root = grown(circuit, steps, 4)[-1]
    assume(root > TRUE)
    every = [
        gate_values(circuit, dict(enumerate(inputs, 1)))
        for inputs in product((False, True), repeat=4)
    ]
    with session("pytest_autoeval.languages.smt", 5.0) as worker:
        outcome, true = worker.call("satisfy", circuit.clauses(root), 100_000)
    assert outcome == (
        "sat" if any(gates[root >> 1] is not bool(root & 1) for gates in every) else "unsat"
    )
    if outcome == "sat":
        gates = gate_values(circuit, {number: number in true for number in range(1, 5)})
        assert gates[root >> 1] is not bool(root & 1)


@given(STEPS, st.integers(0, 40))
@settings(max_examples=30)
def test_the_clauses_of_a_signal_fix_the_value_of_its_gates(
    steps: list[tuple[str, int, int]], place: int
) -> None:
    circuit = Circuit(100)
    found = grown(circuit, steps[:6], 3)
    root = found[place % len(found)]
    assume(root > TRUE)
    clauses = circuit.clauses(root)
    variables = sorted({abs(literal) for clause in clauses for literal in clause})
    for values in product((False, True), repeat=len(variables)):
        named = dict(zip(variables, values, strict=True))
        if all(
            any(named[abs(literal)] is (literal > 0) for literal in clause) for clause in clauses
        ):
            gates = gate_values(circuit, named)
            assert all(gates[number] is value for number, value in named.items())


def test_equal_gates_are_one_gate() -> None:
    circuit = Circuit(10)
    p, q = circuit.input(), circuit.input()
    assert circuit.both(p, q) == circuit.both(q, p)
    assert circuit.either(p, q) == circuit.both(p ^ 1, q ^ 1) ^ 1
    assert circuit.differ(p ^ 1, q) == circuit.differ(q, p) ^ 1 == circuit.differ(q ^ 1, p)
    assert [
        circuit.both(p, p),
        circuit.both(p, p ^ 1),
        circuit.both(p, TRUE),
        circuit.both(FALSE, p),
    ] == [p, 0, p, 0]
    assert [circuit.differ(p, p), circuit.differ(p, p ^ 1), circuit.differ(p, TRUE)] == [
        FALSE,
        TRUE,
        p ^ 1,
    ]


def test_a_circuit_has_a_limit() -> None:
    circuit = Circuit(4)
    p, q, r = (circuit.input() for _ in range(3))
    circuit.both(p, q)
    circuit.both(p, q)
    with pytest.raises(TooLargeError):
        circuit.both(p, r)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∀x. P(x)", "∀y. P(y)"),
        ("∀x. ∃y. R(x, y)", "∀y. ∃x. R(y, x)"),
        ("∀x. (P(x) ∧ Q(x))", "∀x. (Q(x) ∧ P(x))"),
        ("¬∀x. P(x)", "∃x. ¬P(x)"),
        ("P(a) → Q(a)", "¬P(a) ∨ Q(a)"),
        ("p ↔ q", "¬(q ⊕ p)"),
        ("a = b", "b = a"),
        ("∀y. p", "p"),
        ("∃y. ∀y. P(y)", "∃x. ∀y. P(y)"),
    ],
)
def test_the_same_up_to_names_order_and_de_morgan_is_one_signal(one: str, other: str) -> None:
    shared = SharedFormulas()
    assert shared.add(parsed(one)) == shared.add(parsed(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("∀x. P(x)", "∃x. P(x)"),
        ("∀x. ∃y. R(x, y)", "∀x. ∃y. R(y, x)"),
        ("∀x. P(x)", "P(x)"),
        ("P(a)", "P(b)"),
        ("P(a)", "P(a, a)"),
        ("P(f(a))", "P(f(a, a))"),
        ("∃x. ∀y. R(x, y)", "∀y. ∃x. R(x, y)"),
    ],
)
def test_other_formulas_have_other_signals(one: str, other: str) -> None:
    shared = SharedFormulas()
    assert shared.add(parsed(one)) != shared.add(parsed(other))


@given(first_order(6), first_order(6))
@settings(max_examples=60)
def test_one_signal_means_the_same_formula(left: Sentence, right: Sentence) -> None:
    shared = SharedFormulas()
    p, q = shared.add(left), shared.add(right)
    assert shared.add(And(left, right)) == shared.add(Not(Or(Not(right), Not(left))))
    assert shared.add(Forall("x", left)) == shared.add(
        Not(Exists("z", Not(renamed(left, "x", "z"))))
    )
    if p == q:
        signature = joint_signature(left, right)
        for size in (1, 2):
            models = ModelSpace(signature, size)
            rows, _ = programs.sample(len(models.propositions))
            for row in range(0, 3072, 300):
                values = {
                    name: bool(bits >> row & 1)
                    for name, bits in zip(models.propositions, rows, strict=True)
                }
                model = models.model(values)
                assert evaluate(left, model) == evaluate(right, model)


def test_too_many_cells_are_refused() -> None:
    formula = parsed("∀x. ∀y. ∀z. (R(x, y) ∧ R(y, z))")
    shared = SharedFormulas()
    root = shared.add(formula)
    models = ModelSpace(joint_signature(formula), 3)
    rows, full = programs.truth_table(len(models.propositions))
    needed = 9 + 9 + 27 + 9 + 3 + 1
    assert Grounding(models, shared, rows, columns(full), needed).values(root)
    with pytest.raises(TooLargeError):
        Grounding(models, shared, rows, columns(full), needed - 1).values(root)


def test_too_large_tables_of_a_model_are_refused() -> None:
    formula = parsed("P(a, a, a, a, a, a, a, a, a)")
    assert len(ModelSpace(joint_signature(formula), 2).propositions) == 512
    with pytest.raises(TooLargeError):
        ModelSpace(joint_signature(formula), 3)
