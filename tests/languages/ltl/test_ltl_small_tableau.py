"""The tableau and the proofs of laws in this process, against the symbolic tableau and the evaluators."""

from __future__ import annotations

import random
from itertools import product

import pytest
from support.ltl_formulas import form_of, random_formula
from support.naive_semantics import NaiveSemantics
from support.rewriting import by_a_law, by_another_operator
from support.temporal_families import FAMILIES

from pytest_autoeval.languages.ltl import decide
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle import lassos
from pytest_autoeval.languages.ltl.oracle.merged import merged
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, NormalForm, TemporalNormaliser
from pytest_autoeval.languages.ltl.oracle.short_words import ColumnEvaluator
from pytest_autoeval.languages.ltl.oracle.small_diagrams import SmallDiagrams, WorkUsedUpError
from pytest_autoeval.languages.ltl.oracle.solver import find
from pytest_autoeval.languages.ltl.oracle.states import ExplicitTableau, find_by_states
from pytest_autoeval.languages.ltl.oracle.sweeping import swept
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Temporal, Xor

ATOMS = ("a", "b", "c")
WORK = 20_000


def difference(left: Temporal, right: Temporal) -> NormalForm:
    normaliser = TemporalNormaliser()
    return normaliser.form(normaliser.differ(normaliser.literal(left), normaliser.literal(right)))


def drawn(rng: random.Random) -> Temporal:
    """A formula, or the difference of one and a near copy, which is often unsatisfiable."""
    formula = random_formula(rng, rng.randint(2, 14), ATOMS[: rng.randint(1, 3)])
    return Xor(formula, by_another_operator(rng, formula)) if rng.random() < 0.6 else formula


# Diagrams.


@pytest.mark.parametrize("seed", range(20))
def test_small_diagrams_are_truth_tables(seed: int) -> None:
    rng = random.Random(seed)
    diagrams = SmallDiagrams(WORK)
    rows = list(product((False, True), repeat=5))
    tables = {diagrams.variable(label): tuple(row[label] for row in rows) for label in range(5)}
    for _ in range(40):
        (left, first), (right, second) = rng.choices(list(tables.items()), k=2)
        tables[left ^ 1] = tuple(not value for value in first)
        tables[diagrams.both(left, right)] = tuple(
            one and other for one, other in zip(first, second, strict=True)
        )
        tables[diagrams.differ(left, right)] = tuple(
            one != other for one, other in zip(first, second, strict=True)
        )
    # equal functions are equal literals
    assert len(set(tables.values())) == len(tables)
    for literal, table in tables.items():
        cubes = diagrams.cubes(literal)
        for row, value in zip(rows, table, strict=True):
            assert (
                any(all(row[label] == wanted for label, wanted in cube) for cube in cubes) == value
            )
        fixed = diagrams.restricted(literal, {0: True, 3: False})
        assert {0, 3}.isdisjoint(diagrams.support(fixed))
        agreeing = [value for row, value in zip(rows, table, strict=True) if row[0] and not row[3]]
        assert (fixed == FALSE) == (not any(agreeing))


def test_diagrams_stop_when_their_work_is_used_up() -> None:
    diagrams = SmallDiagrams(0)
    first, second = diagrams.variable(0), diagrams.variable(1)
    with pytest.raises(WorkUsedUpError):
        diagrams.differ(first, second)


# Decisions.


@pytest.mark.parametrize("seed", range(12))
def test_the_explicit_tableau_decides_as_the_symbolic_one(seed: int) -> None:
    rng = random.Random(f"explicit {seed}")
    outcomes = set()
    for _ in range(40):
        formula = drawn(rng)
        form = form_of(formula)
        if form.root <= FALSE:
            continue
        word = find_by_states(ExplicitTableau(form, 10 * WORK))
        assert (word is None) == (find(form) is None), formula
        outcomes.add(word is None)
        if word is not None:
            lasso = word.lasso(form.atoms, ATOMS)
            assert holds(formula, lasso)
            assert NaiveSemantics(lasso).holds(formula, 0)
    assert outcomes == {True, False}


@pytest.mark.parametrize("make_smaller", [merged, swept])
@pytest.mark.parametrize("seed", range(10))
def test_a_smaller_form_means_the_same(make_smaller: object, seed: int) -> None:
    assert callable(make_smaller)
    rng = random.Random(f"smaller {seed}")
    for _ in range(30):
        formula = drawn(rng)
        form = form_of(formula)
        smaller = make_smaller(form)
        assert len(smaller.nodes) <= len(form.nodes) + 2
        assert set(smaller.atoms) <= set(form.atoms)
        full, columns = (
            (1 << 256) - 1,
            {atom: [rng.getrandbits(256) for _ in range(4)] for atom in form.atoms},
        )
        values = []
        for each in (form, smaller):
            letters = [[columns[atom][position] for atom in each.atoms] for position in range(4)]
            values.append(ColumnEvaluator(each).satisfied(1, letters, full))
        assert values[0] == values[1], formula
        if smaller.root > FALSE:
            assert (find(smaller) is None) == (find(form) is None), formula
        elif form.root > FALSE:
            assert (find(form) is None) == (smaller.root == FALSE), formula


@pytest.mark.parametrize("seed", range(8))
def test_rewritten_formulas_need_no_process(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lassos, "session", None)
    rng = random.Random(f"rewritten {seed}")
    formula = random_formula(rng, 12, ATOMS)
    other = by_a_law(rng, by_a_law(rng, formula))
    assert decide.decide("equivalence", formula, other, 1.0).outcome == "equivalent"


def test_laws_are_proved_at_their_node() -> None:
    nested = "a S (b & X (c S (a -> O b)))"
    left, right = (
        f"G (F ({nested} U ({law})) | c)" for law in ("F G (a -> X a)", "F G a | F G !a")
    )
    assert swept(difference(parse(left), parse(right))).root == FALSE
    assert swept(difference(parse(left), parse(right.replace("G !a", "G a")))).root != FALSE


# Families.


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_their_status(family: str) -> None:
    for number in (2, 3, 4):
        problem = FAMILIES[family](number)
        left, right = parse(problem.left), parse(problem.right)
        verdict = decide.decide("equivalence", left, right, 20.0)
        if problem.is_equivalence is not None:
            assert verdict.outcome == ("equivalent" if problem.is_equivalence else "different")
        form = difference(left, right)
        by_tableau = form.root == FALSE or find(merged(form), "autoref") is None
        assert by_tableau == (verdict.outcome == "equivalent")


@pytest.mark.parametrize(
    ("family", "number"),
    [("random clauses", 12), ("lift", 4), ("counter never full", 10), ("pigeons", 6)],
)
def test_what_was_undecided_is_decided(family: str, number: int) -> None:
    problem = FAMILIES[family](number)
    verdict = decide.decide("equivalence", parse(problem.left), parse(problem.right), 30.0)
    assert verdict.outcome != "undecided"
    if problem.is_equivalence is not None:
        assert verdict.outcome == ("equivalent" if problem.is_equivalence else "different")
