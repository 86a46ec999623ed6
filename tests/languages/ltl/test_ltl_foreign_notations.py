"""Notations of other tools: PSL's strong words and prefix notation, and messages about what is not read."""

from __future__ import annotations

import random

import pytest
from support.ltl_formulas import random_formula

from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.parser import parse_prefix

LTL = language("ltl")


def read(answer: str) -> str | None:
    formula = LTL.read(answer).formula
    return None if formula is None else str(formula)


@pytest.mark.parametrize(
    ("answer", "formula"),
    [
        ("always (req -> eventually! ack)", "G (req -> F ack)"),
        ("next! a", "X a"),
        ("a until! b", "a U b"),
        ("a until!_ b", "a U (a & b)"),
        ("a before! b", "!b U (a & !b)"),
        ("a before!_ b", "!b U a"),
        # Only beside a strong word is a plain `until` weak.
        ("(a until! b) & (c until d)", "(a U b) & (c W d)"),
        ("a until d", "a U d"),
        # A sign after a letter is a negation, and so is one after a space.
        ("X!a & GF!b", "X !a & G F !b"),
        ("eventually !a", "F !a"),
        # Not clear.
        ("eventually!(a)", None),
        ("a until!b", None),
        ("not!a", None),
        ("always!a", None),
        ("eventually! a & b", None),
        ("always (eventually! a until! b)", None),
    ],
)
def test_a_word_with_a_sign_is_a_strong_operator_of_psl(answer: str, formula: str | None) -> None:
    assert read(answer) == formula


def in_prefix(formula: ltl.Temporal) -> str:
    if isinstance(formula, ltl.Unary | ltl.Binary):
        sign = (ltl.PREFIX_SIGNS | ltl.INFIX_SIGNS)[type(formula)].strip()
        return " ".join((sign, *map(in_prefix, formula.children())))
    return str(formula)


def test_formulas_in_prefix_notation_are_read_as_what_they_mean() -> None:
    rng = random.Random(8)
    for _ in range(500):
        formula = random_formula(rng, rng.randint(1, 20), ("a", "b", "p0"))
        text = in_prefix(formula)
        assert parse_prefix(text) == formula
        if any(isinstance(node, ltl.Binary) for node in formula.subformulas()):
            with pytest.raises(FormulaSyntaxError, match="prefix notation"):
                LTL.parse(text)
        else:
            assert LTL.parse(text) == formula
    for text in ("& a", "& a b c", "G", "& (a) b", ""):
        with pytest.raises(FormulaSyntaxError):
            parse_prefix(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("& F a G b", "prefix notation); write 'F a & G b'"),
        ("-> p q", "prefix notation); write 'p -> q'"),
        ("! & a b", "write '!(a & b)'"),
        ("X[!] a", "strong next of finite traces"),
        ("G (a -> F[0,5] b)", "'F[0,5]' has a bound of time"),
        ("G_[0,5] a", "'G_[0,5]' has a bound of time"),
        ("next[3] a", "'next[3]' has a bound of time"),
        ("X^2 a", "'X^2' has a bound of time"),
        ("AG (a -> b)", "'A' is a path quantifier of CTL"),
        ("E F a", "'E' is a path quantifier of CTL"),
        ("A[a U b]", "'A' is a path quantifier of CTL"),
        (
            "G f(a,b)",
            "'f' has arguments, but a proposition has none: write one name, such as 'f_a_b'",
        ),
        ("G (door-open -> a)", "a name has no hyphens: write 'door_open'"),
        (
            "[](Q & !R & <>R)",
            "'R' is the operator release, and no proposition: write another name, such as 'r'",
        ),
        ("<>S", "'S' is the operator since, and no proposition"),
        ("G (a -> Z) & b", "'Z' is the operator weak yesterday, and no proposition"),
        (
            "a M b",
            "'M' is Spot's strong release, which is not read: for 'a M b' write 'b U (a & b)'",
        ),
        ("a before b", "'before' is an operator of PSL that is not read: write '!b W (a & !b)'"),
        ("never a", "'never' is an operator of PSL that is not read: write 'G !a'"),
        ("next_event!(a)(b)", "'next_event!' is an operator of PSL"),
        ("[-] a", "operators of the past are written 'Y'"),
        ("G (a -> [x <- f y])", "an update of TSL"),
        ("G (x > 3)", "'>' compares numbers"),
        ("1 U a", "'1' is no formula here: write 'true'"),
    ],
)
def test_a_notation_that_is_not_read_is_named_with_what_to_write(text: str, message: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        LTL.parse(text)
    assert message in caught.value.problem
    answer = LTL.read(text)
    assert answer.formula is None
    assert message in answer.problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("always (req -> ack)", "words such as 'always' are read only in answers: write 'G'"),
        (
            "a until! b",
            "'until!' is PSL's strong operator, and PSL is read only in answers: write 'U'",
        ),
        ("a implies b", "write '->'"),
    ],
)
def test_the_strict_notation_names_the_letter_of_a_word(text: str, message: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        LTL.parse(text)
    assert message in caught.value.problem


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("◊a & ◻(◯b)", "F a & G X b"),
        ("⋄a", "F a"),
        ("⊟a -> ⟠b", "H a -> O b"),
        ("⊖a | ◆b | ■c", "Y a | O b | H c"),
    ],
)
def test_other_signs_of_temporal_operators(text: str, formula: str) -> None:
    assert str(LTL.parse(text)) == formula == read(text)
