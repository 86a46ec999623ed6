"""Formulas of temporal logic in models' answers: what is read, and what must not be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from support.ltl_formulas import formulas, random_formula

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language
from pytest_autoeval.languages.ltl.lenient import parse_leniently
from pytest_autoeval.languages.ltl.syntax import Temporal

LTL = language("ltl")
X3 = Vocabulary(propositions=("x1", "x2", "x3"))
#: Propositions that sound like operators.
WORDS = Vocabulary(
    propositions=("request", "grant", "next", "once", "until", "release", "a", "Xray", "v")
)


def read(answer: str, vocabulary: Vocabulary | None = X3) -> str | None:
    reading = LTL.read(answer, vocabulary=vocabulary)
    assert not (reading.compliant and reading.recovered)
    assert (reading.formula is None) == bool(reading.problem)
    assert (reading.formula is not None) == (reading.compliant or reading.recovered)
    return None if reading.formula is None else str(reading.formula)


COMPLIANT = [
    "G (x1 -> F x2)",
    "x1",
    "  (x1 U x2) & !x3\n",
    "[](x1 -> <>x2)",
    "□(x1 → ◇x2)",
    "X !x1",
    "x1 R x2 | x1 W x2",
    "H (x1 -> O x2)\n& Y x1",
    "G x4",
]


@pytest.mark.parametrize("vocabulary", [None, X3], ids=["free", "known"])
@pytest.mark.parametrize("answer", COMPLIANT)
def test_strict_answers_are_compliant(answer: str, vocabulary: Vocabulary | None) -> None:
    reading = LTL.read(answer, vocabulary=vocabulary)
    assert reading.compliant
    assert reading.formula == LTL.parse(answer)
    assert reading.text == answer.strip()


#: What surrounds the formula G (x1 -> F x2).
NOTATIONS = {
    "x_1 \\,\\mathcal{U}\\, x_2": "x1 U x2",
    "x1 \\text{ until } x2": "x1 U x2",
    "x1 releases x2": "x1 R x2",
    "x1 V x2": "x1 R x2",
    "historically (x1 or not x2)": "H (x1 | !x2)",
    "x1 iff (x2 xor x3)": "x1 <-> (x2 xor x3)",
    "Until(x1, Next(x2))": "x1 U X x2",
    "G(R(x1, U(x2, x3)))": "G (x1 R (x2 U x3))",
    "And(x1, x2, x3)": "x1 & x2 & x3",
    "W(x1 -> x2, x3)": "(x1 -> x2) W x3",
    "X U(x1, x2)": "X (x1 U x2)",
    "GFx1": "G F x1",
    "XXx1 & FG!x2": "X X x1 & F G !x2",
    "G(x1→Xx2)": "G (x1 -> X x2)",
    "Gx4": None,
    "G(x1 ⇒ [](x2 ∨ ⊥))": "G (x1 -> G (x2 | false))",
    "\\boxminus x_1 \\to \\blacklozenge x_2": "H x1 -> O x2",
    "x1 -> x2 <-> x3": "x1 -> (x2 <-> x3)",
    "x1 U x2 U x3": "(x1 U x2) U x3",
    "formulaToFind = Always(AtomicProposition(x1))": "G x1",
    "(x1 -> F x2": None,
    "F (x1)  -- so it does": "F x1",
    "F (x1)-- x2": None,
    "F x1 --": None,
    # Not linear temporal logic, or not clear.
    "F[0,5] x1": None,
    "$\\mathbf{F}_{\\leq 3} x_1$": None,
    "X^2 x1": None,
    "AG (x1 -> AF x2)": None,
    "G (x1 = x2)": None,
    "G x1 ≡ G x2": None,
    "P(x1)": None,
    "G [x1 -> x2)": None,
    "always x1 implies x2": None,
    "x1 and x2 until x3": None,
    "The answer is G (x1 -> F x2) or G (x1 -> X F x2).": None,
    "Formula: F x1 or F x2": "F x1 | F x2",
    "Not possible": None,
}


@pytest.mark.parametrize(("answer", "expected"), NOTATIONS.items())
def test_formulas_in_other_notations_are_read(answer: str, expected: str | None) -> None:
    assert read(answer) == expected


PROBLEMS = {
    "G (x1 = x2)": "unexpected character '='",
    "F[0,5] x1": "has a bound of time",
    "always x1 implies x2": "write parentheses",
    "(x1": "is never closed",
    "": "the answer is empty",
    "x1 & " * 30_000: "at most 100,000",
}


@pytest.mark.parametrize(("answer", "problem"), PROBLEMS.items(), ids=lambda text: text[:20])
def test_a_problem_says_why_nothing_was_read(answer: str, problem: str) -> None:
    assert problem in LTL.read(answer, vocabulary=X3).problem


FRAGMENTS = [
    "(x1 -> F (x2)",
    "G x1 F x2",
    "`x1 & x2` until `x3`",
    "Eventually x1 will hold until x2 does.",
    "x1 is true until x2",
    "Formula: x1 ≡ X x1",
]


@pytest.mark.parametrize("vocabulary", [None, X3], ids=["free", "known"])
@pytest.mark.parametrize("answer", FRAGMENTS)
def test_fragments_equations_and_prose_are_not_formulas(
    answer: str, vocabulary: Vocabulary | None
) -> None:
    assert read(answer, vocabulary) is None


@pytest.mark.parametrize(
    "answer", ["φ = {}", "LTLSPEC {}", "LTL formula = {}", "$\\varphi = {}$", "φ ≜ {}"]
)
def test_a_name_for_the_formula_is_no_side_of_an_equation(answer: str) -> None:
    assert read(answer.format("G (x1 -> F x2)")) == "G (x1 -> F x2)"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("G (request -> next)", "G (request -> next)"),
        ("next until until", "next U until"),
        ("once(once)", "O once"),
        ("a releases release", "a R release"),
        ("XXray", "X Xray"),
        ("GXa", "G X a"),
        ("The formula:\nonce", "once"),
        ("F Request", "F Request"),
    ],
)
def test_words_are_names_where_the_vocabulary_has_them(answer: str, expected: str) -> None:
    assert read(answer, WORDS) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "The formula:\n\n`G (request -> F grant)`\n\nHere `G p` means that p always holds.",
            "G (request -> F grant)",
        ),
        ("□(request → ◇grant)", "G (request -> F grant)"),
        ("eventually p", "F p"),
        ("GFp", None),
        ("! Gate", "!Gate"),
        ("ready xor done", "ready xor done"),
        ("X always is what G is", None),
        ("G (next -> X next)", "G (next -> X next)"),
    ],
)
def test_without_a_vocabulary_names_are_taken_as_they_are(
    answer: str, expected: str | None
) -> None:
    assert read(answer, None) == expected


@given(formulas())
def test_the_canonical_text_is_compliant(formula: Temporal) -> None:
    for vocabulary in (None, LTL.symbols(formula)):
        reading = LTL.read(LTL.format(formula), vocabulary=vocabulary)
        assert reading.compliant
        assert reading.formula == formula


def test_a_drawn_formula_survives_words_brackets_and_prose() -> None:
    rng = random.Random(5)
    for _ in range(150):
        formula = random_formula(rng, rng.randint(2, 25), ("x1", "x2", "x3"))
        text = LTL.format(formula)
        latex = text
        for plain, command in (
            ("&", "\\land"),
            ("G ", "\\mathbf{G}"),
            ("U", "\\mathcal{U}"),
            ("(", "\\left("),
            (")", "\\right)"),
        ):
            latex = latex.replace(plain, command)
        for answer in (
            f"Here you go:\n\n$${latex}$$",
            f"Sure! The formula is: `{text}`. It has all that was asked for.",
            f"```ltl\n{text}\n```\n\nwhere `x1` is the first proposition.",
            text.replace("(", "[").replace(")", "]"),
        ):
            assert LTL.read(answer, vocabulary=X3).formula == formula, answer


def test_the_lenient_parser_agrees_with_the_strict_one_where_both_read() -> None:
    rng = random.Random(6)
    pieces = [
        "x1",
        "x2",
        "(",
        ")",
        "!",
        "X",
        "G",
        "F",
        "U",
        "S",
        "->",
        "<->",
        "&",
        "|",
        "xor",
        "true",
        "[]",
        "<>",
        "R",
    ]
    agreed = 0
    for _ in range(20_000):
        text = " ".join(rng.choice(pieces) for _ in range(rng.randint(1, 7)))
        try:
            strict = LTL.parse(text)
        except FormulaSyntaxError:
            continue
        agreed += 1
        assert parse_leniently(text, X3) == strict == parse_leniently(text)
    assert agreed > 300
