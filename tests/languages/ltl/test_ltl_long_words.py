"""Words of growing lengths, chosen by a SAT solver, against the symbolic tableau and two evaluators."""

from __future__ import annotations

import random
from itertools import product

import pytest
from support.ltl_formulas import form_of, random_formula
from support.naive_semantics import NaiveSemantics
from support.rewriting import by_a_law, by_another_operator
from support.temporal_families import FAMILIES, all_of

from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle import long_words
from pytest_autoeval.languages.ltl.oracle.merged import merged
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, NormalForm, TemporalNormaliser
from pytest_autoeval.languages.ltl.oracle.solver import find as find_by_tableau
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import And, Not, Temporal, Xor

ATOMS = ("a", "b", "c", "d", "e")
WORK = 20_000_000


def drawn(rng: random.Random) -> Temporal:
    """A formula, the difference of two equivalents, or a formula without what a near copy says."""
    formula = random_formula(rng, rng.randint(2, 16), ATOMS[: rng.randint(1, 3)])
    match rng.randrange(3):
        case 0:
            return Xor(formula, by_a_law(rng, by_a_law(rng, formula)))
        case 1:
            return And(formula, Not(by_another_operator(rng, formula)))
    return formula


def check(formula: Temporal, form: NormalForm, work: int = WORK) -> bool | None:
    """Holds the search against the tableau; whether the formula is satisfiable, None for no decision."""
    is_decision, word = long_words.find(form, work)
    if not is_decision:
        assert word is None
        return None
    assert (word is None) == (find_by_tableau(form) is None), formula
    if word is not None:
        lasso = word.lasso(form.atoms, ATOMS)
        assert holds(formula, lasso), (formula, str(lasso))
        assert NaiveSemantics(lasso).holds(formula, 0), (formula, str(lasso))
    return word is not None


@pytest.mark.parametrize("seed", range(8))
def test_the_search_decides_as_the_tableau(seed: int) -> None:
    rng = random.Random(f"long words {seed}")
    outcomes: list[bool | None] = []
    while len(outcomes) < 125:
        formula = drawn(rng)
        form = form_of(formula)
        if seed % 2:
            form = merged(form)
        if form.root > FALSE:
            outcomes.append(check(formula, form, 500_000))
    assert outcomes.count(None) < 25
    assert {True, False} <= set(outcomes)


def test_each_formula_that_a_word_satisfies_gets_one() -> None:
    """Words of these formulas are short, so a search that proves nothing else finds one."""
    rng = random.Random(11)
    satisfiable = 0
    for _ in range(40):
        operands = [f"({random_formula(rng, 8, ATOMS)})" for _ in range(6)]
        joined = parse(all_of(operands))
        form = form_of(joined)
        if form.root > FALSE and find_by_tableau(form) is not None:
            satisfiable += 1
            assert check(joined, form) is True
    assert satisfiable > 10


@pytest.mark.parametrize("letters", [1, 2, 3, 5, 7])
def test_a_lasso_of_fewer_letters_than_are_tried_is_a_word(letters: int) -> None:
    # one letter in so many has an a, so no shorter loop serves
    turn = "X " * letters
    others = " & ".join(["true", *(f"{'X ' * index}!a" for index in range(1, letters))])
    form = form_of(parse(f"a & G (a -> {others} & {turn}a)"))
    is_decision, word = long_words.find(form, WORK)
    assert is_decision
    assert word is not None
    assert len(word.loop) == letters
    assert not word.prefix


def test_an_until_that_is_put_off_for_ever_is_not_met() -> None:
    # each letter passes its obligations on, but no position of a loop meets them
    assert long_words.find(form_of(parse("G (a -> X a) & a & G F !a")), 10**6) == (False, None)


@pytest.mark.parametrize(
    ("family", "number", "is_satisfiable"),
    [
        ("lift", 8, True),
        ("lift", 14, True),
        ("patterns", 200, True),
        ("random clauses", 120, True),
        ("responses", 200, True),
        ("counter with carry", 3, True),
        ("pigeons", 9, False),
        ("useless choices", 100, False),
    ],
)
def test_families_are_decided(family: str, number: int, is_satisfiable: bool) -> None:
    problem = FAMILIES[family](number)
    formula = Xor(parse(problem.left), parse(problem.right))
    normaliser = TemporalNormaliser()
    form = merged(normaliser.form(normaliser.literal(formula)))
    if form.root == FALSE:
        assert not is_satisfiable
        return
    is_decision, word = long_words.find(form, WORK)
    assert is_decision
    assert (word is not None) == is_satisfiable
    if word is not None:
        assert holds(formula, word.lasso(form.atoms, normaliser.atoms))


def test_without_work_there_is_no_decision() -> None:
    assert long_words.find(form_of(parse("G (a -> F b) & F c")), 0) == (False, None)


@pytest.mark.parametrize("seed", range(20))
def test_clauses_without_units_have_the_same_models(seed: int) -> None:
    rng = random.Random(seed)
    clauses: list[tuple[int, ...]] = []
    for _ in range(8):
        variables = rng.sample(range(1, 6), rng.choice((1, 2, 3)))
        clauses.append(tuple(rng.choice((1, -1)) * variable for variable in variables))
    shorter = long_words.without_units(clauses)
    for row in product((False, True), repeat=5):
        assert are_true(clauses, row) == are_true(shorter, row)


def are_true(clauses: list[tuple[int, ...]], row: tuple[bool, ...]) -> bool:
    return all(any(row[abs(each) - 1] == (each > 0) for each in clause) for clause in clauses)
