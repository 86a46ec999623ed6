"""Lassos that satisfy or violate a formula: as short as they can be, checked, the same every time, varied on demand."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lassos import short_lassos
from support.ltl_formulas import formulas, random_formula

from pytest_autoeval.languages.ltl import decide
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.oracle import lassos
from pytest_autoeval.languages.ltl.oracle.lassos import LassoSearch, drawn, satisfying, violating
from pytest_autoeval.languages.ltl.oracle.normal import TemporalNormaliser
from pytest_autoeval.languages.ltl.oracle.short_words import LassoWord, ShortWords
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

equivalence = partial(decide.decide, "equivalence")
TIMEOUT = 10.0
PERIOD_OF_TEN = (
    f"x & G (x -> {' & '.join('X ' * step + '!x' for step in range(1, 10))} & {'X ' * 10} x)"
)


def lasso_of(search: LassoSearch) -> Lasso:
    assert search.outcome == "found"
    assert search.lasso is not None
    return search.lasso


def size(text: str) -> tuple[int, int]:
    """States in prefix and loop of the lasso found."""
    lasso = lasso_of(satisfying(parse(text), TIMEOUT))
    return len(lasso.prefix), len(lasso.loop)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("true", (0, 1)),
        ("a & b & !c", (0, 1)),
        ("a & X !a", (1, 1)),
        ("a & X G !a", (1, 1)),
        ("G F a & G F !a", (0, 2)),
        ("!a & X !a & X X (a & X G !a)", (3, 1)),
        ("a & G (a <-> X !a) & G F b & G F !b", (0, 2)),
        (f"{'X ' * 12} a & {' & '.join('X ' * step + '!a' for step in range(12))}", (12, 1)),
        (PERIOD_OF_TEN, (0, 10)),
        ("F (a & Y Y Y H !a)", (1, 1)),
        ("G F (a & Y b) & G F (b & Y !b) & G !(a & b)", (0, 2)),
    ],
)
def test_a_lasso_is_as_short_as_can_be(formula: str, expected: tuple[int, int]) -> None:
    assert size(formula) == expected


@pytest.mark.parametrize("seed", range(40))
def test_no_lasso_of_fewer_states_satisfies(seed: int) -> None:
    formula = random_formula(random.Random(seed), 10, ("a", "b"))
    search = satisfying(formula, TIMEOUT)
    shorter = range(1, len(search.lasso.states) if search.lasso else 4)
    assert not [
        lasso
        for length in shorter
        for lasso in short_lassos(("a", "b"), length)
        if holds(formula, lasso)
    ]


@given(formulas())
@settings(max_examples=56)
def test_what_does_not_satisfy_violates(formula: Temporal) -> None:
    yes, no = satisfying(formula, TIMEOUT), violating(formula, TIMEOUT)
    assert "undecided" not in (yes.outcome, no.outcome)
    assert "found" in (yes.outcome, no.outcome)
    for search, value in ((yes, True), (no, False)):
        assert (search.outcome == "found") == (search.lasso is not None)
        if search.lasso:
            assert holds(formula, search.lasso) is value


@pytest.mark.parametrize(
    "text",
    ["false", "a & !a", "G a & F !a", "G F (a & X !a) & F G (a -> X a)", "Y true", "F (H a & !a)"],
)
def test_that_none_exists_is_proved(text: str) -> None:
    assert satisfying(parse(text), TIMEOUT) == LassoSearch("none exists")
    assert violating(parse(f"!({text})"), TIMEOUT) == LassoSearch("none exists")
    assert drawn(parse(text), 1, value=True, longest=6) is None


def test_giving_up_is_no_proof() -> None:
    search = satisfying(parse("F (H a & !a)"), 0.0)
    assert (search.outcome, search.lasso) == ("undecided", None)
    assert search.reason


def test_a_search_has_three_outcomes() -> None:
    with pytest.raises(TypeError):
        bool(satisfying(parse("a")))


def test_a_lasso_that_does_not_survive_its_check_is_not_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lassos, "holds", lambda _formula, _lasso: False)
    search = satisfying(parse("a"), TIMEOUT)
    assert (search.outcome, search.lasso) == ("undecided", None)
    assert "failed its check" in search.reason


def test_a_trace_speaks_of_the_atoms_of_the_formulas_alone() -> None:
    verdict = equivalence(parse("x10 & F (x2 | !x2)"), parse("x10 & x9"), TIMEOUT)
    assert isinstance(verdict.witness, TraceWitness)
    assert verdict.witness.lasso == Lasso(("x2", "x9", "x10"), (), (frozenset({"x10"}),))
    assert lasso_of(satisfying(parse("F true"), TIMEOUT)) == Lasso((), (), (frozenset(),))


def test_a_witness_is_shown_and_stored() -> None:
    witness = equivalence(parse("a & X b"), parse("X b"), TIMEOUT).witness
    assert witness is not None
    assert str(witness) == "cycle{!a & b} (left: false, right: true)"
    assert witness.to_json() == {
        "kind": "trace",
        "prefix": [],
        "loop": [["b"]],
        "atoms": ["a", "b"],
        "left": False,
        "right": True,
    }


def test_drawn_lassos_are_of_different_lengths_and_fixed_by_their_seeds() -> None:
    formula = parse("G (a -> F b) & F a")
    for value in (True, False):
        traces = [drawn(formula, seed, value=value, longest=6) for seed in range(12)]
        assert traces == [drawn(formula, seed, value=value, longest=6) for seed in range(12)]
        lassos = [lasso for lasso in traces if lasso]
        assert all(holds(formula, lasso) is value for lasso in lassos)
        lengths = {len(lasso.states) for lasso in lassos}
        assert len(lengths) >= 3
        assert max(lengths) <= 6


def test_a_rare_lasso_is_not_drawn() -> None:
    assert drawn(parse(PERIOD_OF_TEN), 3, value=True, longest=6) is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (LassoWord((), (1, 2, 1, 2)), LassoWord((), (1, 2))),
        (LassoWord((1,), (2, 1)), LassoWord((), (1, 2))),
        (LassoWord((3, 1, 2), (1, 2, 1, 2)), LassoWord((3,), (1, 2))),
        (LassoWord((3, 2), (1, 2)), LassoWord((3,), (2, 1))),
        (LassoWord((1, 1, 1), (1,)), LassoWord((), (1,))),
        (LassoWord((), (1, 2, 1)), LassoWord((), (1, 2, 1))),
    ],
)
def test_equal_words_have_one_reduced_form(word: LassoWord, expected: LassoWord) -> None:
    assert word.reduced() == expected


_letters = st.lists(st.integers(0, 2), max_size=4).map(tuple)


@given(_letters, _letters.filter(bool), st.integers(1, 3), st.integers(0, 5))
def test_one_infinite_word_has_one_reduced_form(
    prefix: tuple[int, ...], loop: tuple[int, ...], turns: int, shift: int
) -> None:
    letters = prefix + loop * (shift + turns)
    start = len(prefix) + shift
    unrolled = LassoWord(letters[:start], letters[start : start + turns * len(loop)])
    reduced = LassoWord(prefix, loop).reduced()
    assert unrolled.reduced() == reduced
    assert (reduced.prefix + reduced.loop * len(letters))[: len(letters)] == letters


def test_a_long_word_is_shortened() -> None:
    normaliser = TemporalNormaliser()
    form = normaliser.form(normaliser.literal(parse("F (a & X b) & G F b")))
    long = LassoWord((0,) * 9 + (1, 2) + (0, 3) * 4, (0, 2, 0, 1, 3))
    assert len(ShortWords(form, 1_000_000).shortened(long).letters) <= 2
    assert ShortWords(form, 0).shortened(long) == long.reduced()


def test_witnesses_do_not_depend_on_hash_seeds() -> None:
    code = f"""
from pytest_autoeval.languages.ltl.oracle.lassos import drawn, satisfying
from pytest_autoeval.languages.ltl.parser import parse

far = satisfying(parse({PERIOD_OF_TEN!r} + " & G F y & F G (z -> O u)"), 10.0)
near = parse("G (a -> X b) & F (c & Y d)")
print([str(lasso) for lasso in (far.lasso, *(drawn(near, seed, value=True, longest=6) for seed in range(5)))])
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("cycle") == 6


def test_a_large_set_of_requirements_gets_a_trace() -> None:
    clauses = [
        f"G (x{n} -> F x{n + 1}) & G (x{n} & Y !x{n} -> X x{n}) & G F x{n}" for n in range(12)
    ]
    joined = parse(" & ".join(f"({clause})" for clause in clauses) + " & F !x0")
    search = satisfying(joined, TIMEOUT)
    assert holds(joined, lasso_of(search))
