"""Which formula of an answer counts, in every language alike; what a language adds is tested in its own file."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language
from pytest_autoeval.languages.reading import read_formula

P3 = Vocabulary(propositions=("p1", "p2", "p3"))
BINARY = Vocabulary(alphabet=("0", "1"))
#: A formula of each language, and another one.
FORMULAS = {
    "propositional": ("p1 ∧ ¬p2", "p1 ∨ p2", P3),
    "ltl": ("G (p1 -> F p2)", "p1 U p2", P3),
    "first_order": ("∀x. (P(x) → Q(x))", "∃x. P(x)", Vocabulary(predicates=(("P", 1), ("Q", 1)))),
    "regex": ("(01)*0*", "0*1", BINARY),
}

#: What surrounds the formula F; G is another one.
SURROUNDED = [
    "F.",
    "```\nF\n```",
    "**`F`**",
    "Here you go: `F`",
    "Formula: F",
    "The formula is F.",
    "[Answer] F",
    "[Final formula]: F.",
    "【Formula】F",
    "[Answer]\nF",
    "It says so. [Answer] `F`",
    "The formula in this notation is `F`, which says it all.",
    "\\[ F \\]",
    "So the translation becomes:\n- F",
    "G?\n</think>\n\nFormula: F",
    "<answer>F</answer>\nIt is not G.",
    '{"formula": "F"}',
    '```json\n{"reasoning": "G", "final_answer": "F"}\n```',
    # One place outranks another.
    "```\nG\n```\n\nFinal answer: F",
    "Formula: G\nFinal formula: F",
    "It may be `G`.\n\nFormula: F",
    "An equivalent formula: G\n\nFormula: F",
    "Incorrect: G\nCorrect formula: F",
]

#: What gives no formula, or not one.
UNREADABLE = [
    "Formula: F\nFormula: G",
    "```\nF\n```\n```\nG\n```",
    "F\n\nG",
    "It is `F` or `G`.",
    "Formula: F\n\n```\nG\n```",
    "It is not `F`.",
    "If `F` then `G`.",
    "So F is what you want.",
    "<think>\nFormula: F",
    "",
]


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("frame", SURROUNDED)
def test_a_formula_is_found_in_its_place(frame: str, name: str) -> None:
    formula, other, vocabulary = FORMULAS[name]
    answer = filled(frame, formula, other)
    reading = language(name).read(answer, vocabulary=vocabulary)
    assert (str(reading.formula), reading.recovered, reading.compliant) == (formula, True, False)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("frame", UNREADABLE)
def test_no_formula_is_guessed(frame: str, name: str) -> None:
    formula, other, vocabulary = FORMULAS[name]
    reading = language(name).read(filled(frame, formula, other), vocabulary=vocabulary)
    assert reading.formula is None
    assert reading.problem


def filled(frame: str, formula: str, other: str) -> str:
    """The frame with a formula for the letter F and another one for G, where these are no letters of a word."""
    words = {"F": formula, "G": other}
    return "".join(
        words.get(sign, sign)
        if not (frame[at - 1 : at].isalpha() or frame[at + 1 : at + 2].isalpha())
        else sign
        for at, sign in enumerate(frame)
    )


@pytest.mark.parametrize("name", FORMULAS)
def test_only_a_whole_answer_of_the_strict_notation_is_compliant(name: str) -> None:
    formula, _, vocabulary = FORMULAS[name]
    reading = language(name).read(f" {formula}\n", vocabulary=vocabulary)
    assert (str(reading.formula), reading.text) == (formula, formula)
    assert reading.compliant
    assert not reading.recovered


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(
    "piece",
    ["(", "p1 ∧ ", "`p1` ", "p\n", "\\text{", "[", "0{9}", "Formula: p1\n", "U(x1, ", "∀x y("],
)
def test_long_answers_of_anything_are_read_or_refused(piece: str, name: str) -> None:
    reading = language(name).read(piece * (100_000 // len(piece)), vocabulary=FORMULAS[name][2])
    assert (reading.formula is None) == bool(reading.problem)


def test_a_problem_is_the_reason_why_nothing_was_read() -> None:
    lang = language("propositional")
    assert lang.read("").problem == "the answer is empty"
    assert "is never closed" in lang.read("(p1 ∧ p2").problem
    assert "at most 100,000" in lang.read("p1 ∧ " * 30_000).problem
    assert "several formulas" in lang.read("p1 ∧ p2\n\np1 ∨ p2").problem
    assert "cannot be read" in lang.read("Formula: (p1 ∧ p2").problem


@pytest.mark.parametrize(
    "answer", ["p1 ∧\np2 ∨ p3\nThat is all.", "Formula: p1 ∧\n¬p2 ∨ p3 for sure"]
)
def test_a_line_that_goes_on_is_no_formula_by_itself(answer: str) -> None:
    assert language("propositional").read(answer, vocabulary=P3).formula is None


def test_a_reading_is_true_if_a_formula_was_found() -> None:
    lang = language("propositional")
    assert lang.read("The answer is p1 ∧ p2.\n\np1 ∧ p2")
    assert not lang.read("I am sorry.")


class Unreadable:
    """A notation without formulas, which keeps what it was asked to read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def lenient(self, text: str) -> Any:
        self.asked.append(text)
        raise FormulaSyntaxError("no formula", text, len(self.asked))

    def strict(self, text: str) -> Any:
        raise FormulaSyntaxError("no formula", text, 0)

    def is_meant(self, *_: object) -> bool:
        return True

    def is_symbolic(self, _: str) -> bool:
        return False


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("it rains", ["it rains"]),
        ("It rains.", ["It rains.", "It rains"]),
        ("it rains\n\nit rains", ["it rains\n\nit rains", "it rains"]),
    ],
)
def test_a_text_that_is_no_formula_is_read_once(answer: str, asked: list[str]) -> None:
    notation = Unreadable()
    reading = read_formula(answer, notation)
    assert notation.asked == asked
    assert "no formula" in reading.problem
