"""Grammars of answers, against llguidance: they accept what is drawn, and the parser accepts what they accept."""

import random
from collections.abc import Iterator
from typing import Literal

import pytest
from support.answer_grammars import accepts, drawn, matcher

from pytest_autoeval import Vocabulary, language
from pytest_autoeval.generation.samples import sample_formulas, sample_of

FOUR = Vocabulary(
    predicates=(("P", 1), ("R", 2), ("Rain", 0)),
    constants=("a",),
    functions=(("f", 1),),
    variables=("x", "y", "z", "w"),
)
WORDS = Vocabulary(propositions=("mary-ann", "v", "ready"))
NAMED = Vocabulary(propositions=("door.open", "X1", "ready"))


CASES = [
    ("propositional", "propositional"),
    ("first_order", "first_order"),
    ("ltl", "ltl"),
    ("past_ltl", "ltl"),
    ("regex", "regex"),
    ("boolean_regex", "regex"),
]


def texts_of(grammar: str, count: int) -> Iterator[str]:
    for size in range(1, 9):
        yield from map(str, sample_formulas(grammar, size, count, warn=False))


@pytest.mark.parametrize("notation", ["lark", "gbnf"])
@pytest.mark.parametrize(("grammar", "name"), CASES)
def test_every_drawn_formula_is_accepted(
    grammar: str, name: str, notation: Literal["lark", "gbnf"]
) -> None:
    vocabulary = sample_of({"regex": "0"}.get(name, "p1"), grammar).vocabulary
    answers = language(name).answer_grammar(vocabulary)
    assert answers is not None
    made = matcher(notation, answers.lark if notation == "lark" else answers.gbnf)
    assert [text for text in texts_of(grammar, 100) if not accepts(made, text)] == []


@pytest.mark.parametrize(
    ("name", "vocabulary"),
    [
        ("propositional", WORDS),
        ("first_order", FOUR),
        ("first_order", sample_of("P(c1)", "first_order").vocabulary),
        ("ltl", NAMED),
        ("regex", Vocabulary(alphabet=("0", "1"))),
    ],
)
def test_the_parser_accepts_what_the_grammar_accepts(name: str, vocabulary: Vocabulary) -> None:
    lang, randomness = language(name), random.Random(28)
    answers = lang.answer_grammar(vocabulary)
    assert answers is not None
    made = matcher("lark", answers.lark)
    for _ in range(300):
        text = drawn(made, randomness, 60)
        formula = lang.parse(text)
        assert lang.read(text, vocabulary=vocabulary).formula == formula
        if len(vocabulary.variables) <= 4:
            assert not lang.foreign(formula, vocabulary), text


def test_expressions_with_further_signs_are_compliant_answers() -> None:
    lang, randomness = language("regex"), random.Random(28)
    names = sample_of("0", "boolean_regex").vocabulary
    answers = lang.answer_grammar(names)
    assert answers is not None
    made = matcher("lark", answers.lark)
    texts = [drawn(made, randomness, 30) for _ in range(300)]
    assert all(sum(sign in text for text in texts) > 50 for sign in "|&~")
    for text in texts:
        reading = lang.read(text, vocabulary=names)
        assert reading.compliant, (text, reading.problem)
        assert lang.equivalent(reading.formula or "", text).outcome != "different"


@pytest.mark.parametrize(
    ("name", "vocabulary", "text"),
    [
        ("propositional", WORDS, "ready ∧ other"),
        ("propositional", WORDS, "The formula is ready"),
        ("first_order", FOUR, "P(x)"),
        ("first_order", FOUR, "(∀x. P(x)) ∧ P(x)"),
        ("first_order", FOUR, "P(a, a)"),
        ("ltl", NAMED, "Xready"),
        ("regex", Vocabulary(alphabet=("0", "1")), "0|1"),
    ],
)
def test_other_texts_are_refused(name: str, vocabulary: Vocabulary, text: str) -> None:
    answers = language(name).answer_grammar(vocabulary)
    assert answers is not None
    assert not accepts(matcher("lark", answers.lark), text)
    assert not accepts(matcher("gbnf", answers.gbnf), text)


def test_an_alphabet_with_signs_has_no_grammar() -> None:
    assert language("regex").answer_grammar(Vocabulary(alphabet=("0", "*"))) is None
