"""Formulas of temporal logic in the phrases of a glossary: one text for each formula, and back."""

from __future__ import annotations

import pytest

from pytest_autoeval import language, sample_formulas
from pytest_autoeval.languages import EnglishError
from pytest_autoeval.languages.glossary import describe_in_phrases, read_in_phrases

PLAIN = {
    "p1": "the door is open",
    "p2": "the lift moves",
    "p3": "the light is on",
    "p4": "it rains",
}
#: Phrases that could be taken for words of the rules, or for each other.
ODD = {
    "p1": "the door is open until it is shut",
    "p2": "the door is open",
    "p3": "at the next step, it rains",
    "p4": "if “it” rains, then it pours",
    "p5": "the Door is Open",
    "p6": "it is not the case that it rains",
    "p7": "p2 holds",
    "p8": "always",
}
NAMES = tuple(f"p{number}" for number in range(1, 10))


@pytest.mark.parametrize("glossary", [PLAIN, ODD], ids=["plain", "odd"])
@pytest.mark.parametrize("grammar", ["ltl", "past_ltl"])
def test_every_formula_has_its_own_text_which_reads_back(
    grammar: str, glossary: dict[str, str]
) -> None:
    texts: dict[str, object] = {}
    for size in (0, 1, 2, 3, 5, 8, 12):
        for formula in sample_formulas(
            grammar, size, 60, seed=size, vocabulary=list(NAMES), warn=False
        ):
            text = describe_in_phrases(formula, glossary, "ltl")
            assert read_in_phrases(text, glossary, "ltl") == formula
            assert texts.setdefault(text, formula) == formula


def test_phrases_are_said_plainly() -> None:
    formula = language("ltl").parse("G (p1 -> X !p2)")
    assert describe_in_phrases(formula, PLAIN, "ltl") == (
        "At the start, at this and every later step, if the door is open, then at the next step, it is not the case "
        "that the lift moves."
    )


@pytest.mark.parametrize("language_name", ["propositional", "first_order"])
def test_logic_is_said_in_phrases_too(language_name: str) -> None:
    glossary = {"Tall(x)": "x is tall", "kim": "Kim", "Likes(x, y)": "x likes y"}
    text = "∀x. (Likes(x, kim) → ¬Tall(x))"
    if language_name == "propositional":
        glossary, text = PLAIN, "p1 → (¬p2 ∨ p3)"
    formula = language(language_name).parse(text)
    said = describe_in_phrases(formula, glossary, language_name)
    assert "→" not in said
    assert read_in_phrases(said, glossary, language_name) == formula


def test_other_texts_and_languages_are_refused() -> None:
    for text in (
        "The door is open.",
        "At the start, the door is shut.",
        "",
        "At the start, the door is open",
    ):
        with pytest.raises(EnglishError):
            read_in_phrases(text, PLAIN, "ltl")
    with pytest.raises(EnglishError):
        read_in_phrases("0 holds.", PLAIN, "regex")


def test_a_sentence_that_no_phrase_fits_names_the_word() -> None:
    phrases = {"brake": "the brake is applied", "light": "the brake light is one"}
    text = "At the start, if the brake is applied, then the brake light is on."
    with pytest.raises(
        EnglishError, match=r"no phrase of the glossary fits from 'the' \(word 12\)"
    ):
        read_in_phrases(text, phrases, "ltl")
    # Without phrases, nothing can be said of them.
    with pytest.raises(EnglishError) as problem:
        read_in_phrases(text, {}, "ltl")
    assert "glossary" not in str(problem.value)
