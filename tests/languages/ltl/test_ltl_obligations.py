"""The search whose states a SAT solver makes, against the symbolic tableau and two evaluators."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import reduce
from itertools import product
from operator import and_

import pytest
from support.ltl_formulas import form_of, random_formula
from support.naive_semantics import NaiveSemantics
from support.rewriting import by_a_law, by_another_operator
from support.temporal_families import FAMILIES

from pytest_autoeval.languages.ltl import decide
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle import obligations
from pytest_autoeval.languages.ltl.oracle.merged import MergingNormaliser, merged
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, NormalForm
from pytest_autoeval.languages.ltl.oracle.obligations import ObligationStates
from pytest_autoeval.languages.ltl.oracle.position_clauses import PositionClauses
from pytest_autoeval.languages.ltl.oracle.short_words import ColumnEvaluator
from pytest_autoeval.languages.ltl.oracle.solver import find as find_by_tableau
from pytest_autoeval.languages.ltl.oracle.tableau import conjuncts
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import And, Not, Temporal, Xor
from pytest_autoeval.languages.smt import ClauseSolver

ATOMS = ("a", "b", "c")
WORK = 3_000_000


def drawn(rng: random.Random) -> Temporal:
    """A formula, or the difference of one and a near copy or an equivalent, or one without what a near copy says."""
    formula = random_formula(rng, rng.randint(2, 16), ATOMS[: rng.randint(1, 3)])
    match rng.randrange(4):
        case 0:
            return Xor(formula, by_another_operator(rng, formula))
        case 1:
            return Xor(formula, by_a_law(rng, by_a_law(rng, formula)))
        case 2:
            return And(formula, Not(by_another_operator(rng, formula)))
    return formula


def check(formula: Temporal, form: NormalForm) -> bool | None:
    """Holds the search against the tableau; whether the formula is satisfiable, None for no decision."""
    is_decision, word = obligations.find(form, WORK)
    if not is_decision:
        return None
    assert (word is None) == (find_by_tableau(form) is None), formula
    if word is not None:
        lasso = word.lasso(form.atoms, ATOMS)
        assert holds(formula, lasso), (formula, str(lasso))
        assert NaiveSemantics(lasso).holds(formula, 0), (formula, str(lasso))
    return word is not None


@pytest.mark.parametrize("seed", range(12))
def test_the_search_decides_as_the_tableau(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # With less patience, more is learned from obligations that pass themselves on.
    monkeypatch.setattr(obligations, "_PATIENCE", 1 + seed % 4)
    rng = random.Random(f"obligations {seed}")
    outcomes: list[bool | None] = []
    while len(outcomes) < 200:
        formula = drawn(rng)
        form = form_of(formula)
        if seed % 2:
            form = merged(form)
        if form.root > FALSE:
            outcomes.append(check(formula, form))
    assert outcomes.count(None) <= 1
    assert {True, False} <= set(outcomes)


@pytest.mark.parametrize("seed", range(4))
def test_dead_sets_are_dead(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No random word fulfils what was learned to be dead, at whatever position."""
    learned: list[tuple[PositionClauses, set[int]]] = []
    exclude = ObligationStates._exclude

    def noted(states: ObligationStates, literals: Iterable[int]) -> None:
        chosen = [*literals]
        learned.append((states._position, set(chosen)))
        exclude(states, chosen)

    monkeypatch.setattr(ObligationStates, "_exclude", noted)
    monkeypatch.setattr(obligations, "_PATIENCE", 1)
    rng = random.Random(f"dead {seed}")
    checked = 0
    while checked < 200:
        form = form_of(drawn(rng))
        if form.root <= FALSE:
            continue
        learned.clear()
        obligations.find(form, WORK)
        words = RandomWords(form, rng)
        for position, dead in learned:
            literals = {own: literal for literal, own in position._literals.items()}
            # other exclusions are about single steps of the search
            if dead <= literals.keys():
                checked += 1
                assert words.none_fulfils([literals[own] for own in dead])


class RandomWords:
    """The values of a form's nodes on words on which its conjuncts ``G a`` hold."""

    def __init__(self, form: NormalForm, rng: random.Random) -> None:
        self._full = (1 << 2000) - 1
        letters = [[rng.getrandbits(2000) for _ in form.atoms] for _ in range(4)]
        self._courses = ColumnEvaluator(form).courses(2, letters, self._full)
        self._words = self._full
        for literal in conjuncts(form)[1]:
            for column in self._course(literal):
                self._words &= column

    def none_fulfils(self, literals: list[int]) -> bool:
        """Whether the literals hold together at no position of the words."""
        positions = zip(*map(self._course, literals), strict=True)
        return not any(reduce(and_, values, self._words) for values in positions)

    def _course(self, literal: int) -> list[int]:
        sign = self._full if literal & 1 else 0
        return [column ^ sign for column in self._courses[literal >> 1]]


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_their_status(family: str) -> None:
    for number in (2, 3, 4):
        problem = FAMILIES[family](number)
        left, right = parse(problem.left), parse(problem.right)
        form = merged(form_of(Xor(left, right)))
        if form.root == FALSE:
            assert problem.is_equivalence is not False
            continue
        is_decision, word = obligations.find(form, WORK // 10)
        if is_decision and problem.is_equivalence is not None:
            assert (word is None) == problem.is_equivalence


@pytest.mark.parametrize(
    ("family", "number"),
    [
        ("responses", 1000),
        ("later response", 400),
        ("chain of responses", 50),
        ("chosen promises", 40),
        ("disagreement", 200),
        ("right-nested until", 60),
        ("random clauses", 40),
        ("lift", 10),
    ],
)
def test_the_tableau_is_not_asked(family: str, number: int) -> None:
    problem = FAMILIES[family](number)
    verdict = decide.decide("equivalence", parse(problem.left), parse(problem.right), 30.0)
    assert verdict.method in {"search by obligations", "z3"}
    if problem.is_equivalence is not None:
        assert verdict.outcome == ("equivalent" if problem.is_equivalence else "different")


def test_without_work_there_is_no_decision() -> None:
    assert obligations.find(form_of(parse("G (a -> F b) & F c")), 0) == (False, None)


def test_what_only_a_next_passes_on_is_not_put_off() -> None:
    # On a b b b …, "X F b" passes "F b" on at each position, and "F b" is met at each.
    form = form_of(parse("G (X F b) & G b"))
    assert obligations.find(form, WORK) == (True, ((), (1,)))


@pytest.mark.parametrize("operators", ["F G", "O H"])
def test_what_stays_is_merged(operators: str) -> None:
    normaliser = MergingNormaliser()
    conjuncts = [normaliser.literal(parse(f"{operators} {operand}")) for operand in "abc"]
    together = normaliser.literal(parse(f"{operators} (a & b & c)"))
    assert normaliser.conjunction(conjuncts) == together


@pytest.mark.parametrize("seed", range(10))
def test_cores_and_models_of_clauses(seed: int) -> None:
    rng = random.Random(seed)
    variables = range(1, 7)

    def clause() -> tuple[int, ...]:
        return tuple(rng.choice((1, -1)) * each for each in rng.sample(variables, 3))

    clauses = [clause() for _ in range(12)]
    solver = ClauseSolver(len(variables), clauses, 10**6)
    for _ in range(20):
        clauses.append(clause())
        solver.add(clauses[-1])
        assumed = [rng.choice((1, -1)) * each for each in rng.sample(variables, 3)]
        core = solver.core(assumed)
        assert (core is None) == bool(models(clauses, assumed))
        if core is None:
            assert tuple(solver.holds(each) for each in variables) in models(clauses, assumed)
        else:
            assert set(core) <= set(assumed)
            assert not models(clauses, core)


def models(clauses: list[tuple[int, ...]], assumed: list[int]) -> list[tuple[bool, ...]]:
    """All assignments to six variables under which the clauses and the assumed literals are true."""
    needed = [*clauses, *((literal,) for literal in assumed)]
    return [
        row
        for row in product((False, True), repeat=6)
        if all(any(row[abs(each) - 1] == (each > 0) for each in clause) for clause in needed)
    ]
