"""Truth on lassos: by hand, against the definitions of the operators, and on formulas of any shape."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lassos import lassos
from support.ltl_formulas import formulas
from support.naive_semantics import NaiveSemantics

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Atom, Iff, Next, Not, Once, Temporal, Yesterday
from pytest_autoeval.languages.ltl.traces.lasso import Lasso


def lasso(*prefix: str, loop: str) -> Lasso:
    """A trace over a and b: a word of letters for each state of the prefix, words for the loop."""
    return Lasso(
        ("a", "b"),
        tuple(map(frozenset, prefix)),
        tuple(frozenset(word.strip(".")) for word in loop.split()),
    )


# Where the formula holds at the first seven positions.
@pytest.mark.parametrize(
    ("formula", "trace", "where"),
    [
        ("true", lasso(loop="."), "1111111"),
        ("a", lasso("a", "", loop="a . b"), "1010010"),
        ("a xor b", lasso("a", "b", "ab", loop="."), "1100000"),
        ("X a", lasso("b", loop="a ."), "1010101"),
        ("F a", lasso("", "a", loop="b"), "1100000"),
        ("G b", lasso("", "a", loop="b"), "0011111"),
        ("a U b", lasso("a", "a", "", "a", "b", loop="a"), "0001100"),
        ("a W b", lasso("a", "a", "", "a", "b", loop="a"), "0001111"),
        ("a R b", lasso("b", "ab", "", "b", loop="b"), "1101111"),
        ("Y a", lasso("a", "", loop="a b"), "0101010"),
        ("Z a", lasso("a", "", loop="a b"), "1101010"),
        ("O a", lasso("", "b", loop="b a"), "0001111"),
        ("H a", lasso("a", "a", loop="ab b"), "1110000"),
        ("a S b", lasso("a", "b", "a", loop="a ."), "0111000"),
        ("a T b", lasso("b", "b", loop="."), "1100000"),
        ("a T b", lasso("", "ab", "b", loop=". ab b"), "0110110"),
        # The past tells the turns of the loop apart.
        ("a & Y Y Y a", lasso(loop="a"), "0001111"),
        ("O (b & Y O b)", lasso(loop="a b"), "0001111"),
        ("G F (a & Y O (b & Y O (a & Y O b)))", lasso(loop="a b"), "1111111"),
    ],
)
def test_truth_at_each_position(formula: str, trace: Lasso, where: str) -> None:
    assert (
        "".join(str(int(holds(parse(formula), trace, position))) for position in range(7)) == where
    )


@given(formulas(("a", "b"), max_leaves=10), lassos(("a", "b"), longest=3), st.integers(0, 9))
@settings(max_examples=280)
def test_truth_is_what_the_definitions_say(formula: Temporal, trace: Lasso, position: int) -> None:
    assert holds(formula, trace, position) == NaiveSemantics(trace).holds(formula, position)


@given(formulas(("a", "b")), lassos(("a", "b")))
def test_an_unrolled_loop_is_the_same_trace(formula: Temporal, trace: Lasso) -> None:
    turned = Lasso(trace.atoms, (*trace.prefix, trace.loop[0]), (*trace.loop[1:], trace.loop[0]))
    doubled = Lasso(trace.atoms, trace.prefix, trace.loop * 2)
    assert holds(formula, trace) == holds(formula, turned) == holds(formula, doubled)


def test_depth_is_no_obstacle() -> None:
    formula: Temporal = Atom("a")
    for _ in range(5_000):
        formula = Next(formula)
    assert holds(formula, lasso("", loop=". a"))
    assert not holds(Next(formula), lasso("", loop=". a"))


def test_shared_subformulas_are_judged_once() -> None:
    formula: Temporal = Atom("a")
    for _ in range(75):
        formula = Iff(Once(formula), Yesterday(formula))
    assert holds(formula, lasso("", loop=". a")) != holds(Not(formula), lasso("", loop=". a"))


def test_an_atom_of_which_the_trace_does_not_speak_is_an_error() -> None:
    with pytest.raises(AutoevalError, match=r"atom 'c', but the trace has values of a, b"):
        holds(parse("a | c"), lasso(loop="a"))
