"""Operator letters that stand beside names without a space, as Spot, Owl and genltl print them."""

from __future__ import annotations

import random

import pytest
from support.ltl_formulas import random_formula

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language
from pytest_autoeval.languages.ltl import syntax as ltl

LTL = language("ltl")


def parsed(text: str) -> str | None:
    """The formula of a text alone, which `parse` and `read` must give alike; None if both refuse it."""
    answer = LTL.read(text)
    if answer.formula is None:
        with pytest.raises(FormulaSyntaxError) as caught:
            LTL.parse(text)
        assert caught.value.problem in answer.problem
        return None
    assert LTL.parse(text) == answer.formula
    return LTL.format(answer.formula)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        # The name occurs alone.
        ("G(a -> Fa)", "G (a -> F a)"),
        ("GFp0 & GF!p0", "G F p0 & G F !p0"),
        ("XXdone | done", "X X done | done"),
        ("FOpen & Open", "F Open & Open"),
        ("Ha & a", "H a & a"),
        ("(aUb) | a | b", "(a U b) | a | b"),
        ("p0 & p1 & (p0UXp1)", "p0 & p1 & (p0 U X p1)"),
        # Only operators can stand before a formula.
        ("GF a & XX!b", "G F a & X X !b"),
        ("GF(a)", "G F a"),
        ("GF & a", "GF & a"),
        # Words that no tool prints.
        ("G(Fault -> F(Open))", "G (Fault -> F Open)"),
        ("request -> Fault", "request -> Fault"),
        ("G (request -> Fault)", "G (request -> Fault)"),
        ("G(Alarm -> Fault)", "G (Alarm -> Fault)"),
        ("G(ON -> F OFF) & Ok", "G (ON -> F OFF) & Ok"),
        ("isUp & X1 & userRequest & XOffset", "isUp & X1 & userRequest & XOffset"),
        # Names in quotes.
        ('G "Fa" & a', 'G "Fa" & a'),
        ('Fa & "Fa"', '"Fa" & "Fa"'),
    ],
)
def test_a_word_is_read_as_operators_if_its_names_occur_alone(text: str, formula: str) -> None:
    assert parsed(text) == formula


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Fa", "F a"),
        ("G(p0 -> Xp1)", "X p1"),
        ("GFgrant", "G F grant"),
        ("aUb", "a U b"),
        ("FaUGb", "F a U G b"),
        ("aMb", "a M b"),
        ("Fa & GFa", "F a"),
        ("Hp1", "H p1"),
        # A name that is itself in doubt shows nothing.
        ("GFgrant & Fgrant", "G F grant"),
        # In doubt only beside an operator of the past.
        ("H (On -> a)", "O n"),
        # In doubt where letters stand directly before signs, and all other names are small.
        ("G(request -> Fgrant)", "F grant"),
        ("G(request -> Fault)", "F ault"),
    ],
)
def test_a_word_in_doubt_is_refused_with_what_to_write(text: str, meant: str) -> None:
    assert parsed(text) is None
    with pytest.raises(FormulaSyntaxError, match=f"can be a name or operators: write '{meant}'"):
        LTL.parse(text)


@pytest.mark.parametrize(
    ("answer", "names", "formula"),
    [
        ("GFa", ("a",), "G F a"),
        ("G(request -> Fgrant)", ("request", "grant"), "G (request -> F grant)"),
        ("doneUready", ("done", "ready"), "done U ready"),
        ("Gx_1", ("x1",), "G x1"),
        ("Fa & a", ("Fa", "a"), '"Fa" & a'),
        ("G(request -> Fault)", ("request", "Fault"), "G (request -> Fault)"),
        ("XXa", ("a", "Xa"), None),
        ("(GXGate <-> XGate) R Gate", ("Gate",), "(G X Gate <-> X Gate) R Gate"),
    ],
)
def test_a_vocabulary_says_what_is_a_name(
    answer: str, names: tuple[str, ...], formula: str | None
) -> None:
    reading = LTL.read(answer, vocabulary=Vocabulary(propositions=names))
    assert (None if reading.formula is None else str(reading.formula)) == formula


def test_only_operators_that_stand_apart_are_compliant() -> None:
    known = Vocabulary(propositions=("a", "Xray", "Fb"))
    for answer, compliant in {
        "G a": True,
        "Xray": True,
        "Fb & a": True,
        '"Fb"': True,
        "Ga": False,
        '"a"': False,
    }.items():
        assert LTL.read(answer, vocabulary=known).compliant is compliant


def test_a_name_that_would_be_misread_stands_in_quotes_in_the_canonical_text() -> None:
    names = ("Fa", "a", "GFa", "Open", "pen", "On", "aUb", "b", "X1", "GF", "Xa", "Fault")
    rng = random.Random(3)
    for _ in range(500):
        formula = random_formula(rng, rng.randint(1, 12), names)
        assert LTL.parse(LTL.format(formula)) == formula
        assert (
            LTL.read(LTL.format(formula), vocabulary=Vocabulary(propositions=names)).formula
            == formula
        )
    assert str(ltl.Always(ltl.Atom("Fa"))) == 'G "Fa"'
    assert str(ltl.And(ltl.Atom("Open"), ltl.Atom("pen"))) == '"Open" & pen'


def printed(formula: ltl.Temporal, *, tight: bool) -> str:
    """A formula as Spot prints it; ``tight`` as other tools do, with no space at all."""
    space = "" if tight else " "
    match formula:
        case ltl.Unary(operand):
            inner = printed(operand, tight=tight)
            return ltl.PREFIX_SIGNS[type(formula)].strip() + (
                f"({inner})" if inner in ("true", "false") else inner
            )
        case ltl.Binary():
            left, right = (printed(side, tight=tight) for side in formula.children())
            sign = ltl.INFIX_SIGNS[type(formula)]
            return f"({left}{space}{sign}{space}{right})"
    return str(formula)


@pytest.mark.parametrize("names", [("a", "b", "c"), ("p0", "p1", "p2")])
def test_no_printed_formula_is_read_as_another_one(names: tuple[str, ...]) -> None:
    rng = random.Random(4)
    known = Vocabulary(propositions=names)
    read = 0
    for _ in range(800):
        formula = random_formula(rng, rng.randint(1, 14), names)
        if any(isinstance(node, ltl.Xor | ltl.Top | ltl.Bottom) for node in formula.subformulas()):
            continue
        for tight in (False, True):
            text = printed(formula, tight=tight)
            for found in (LTL.read(text).formula, LTL.read(text, vocabulary=known).formula):
                assert found in (None, formula), text
                read += found is not None
    assert read > 1_000
