r"""Word boundaries of regular expressions, ``\b`` and ``\B``: against Python's ``re``, and against enumeration."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from support.regex_expressions import bounded_boolean_expressions, bounded_expressions

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.alphabet import over_alphabet
from pytest_autoeval.languages.regex.automaton import END
from pytest_autoeval.languages.regex.boundaries import automaton_of
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString
from pytest_autoeval.languages.regex.syntax import Expression

ALPHABET = ("a", "_", "-")
#: All strings of at most four symbols.
STRINGS = ["".join(symbols) for length in range(5) for symbols in product("a_-", repeat=length)]


def accepted_strings(expression: Expression) -> set[str]:
    """The strings that the automaton of an expression over the alphabet accepts."""
    automaton = automaton_of([expression], DecisionBudget(20.0))
    automaton.use(ALPHABET)
    columns = {symbol: column for column, alike in enumerate(automaton.alike) for symbol in alike}
    accepted = set()
    for text in STRINGS:
        state = automaton.starts[0]
        for symbol in text:
            state = automaton.successors(state)[columns[symbol]]
        if state & END:
            accepted.add(text)
    return accepted


@given(bounded_expressions())
@settings(max_examples=120)
def test_evaluator_and_automaton_match_what_python_matches(expression: Expression) -> None:
    pattern = REGEX.format(expression).replace("ε", "(?:)").replace("∅", "(?!)")
    pattern = re.sub(
        r"\\[bB]", r"(?:\g<0>)", pattern
    )  # Python refuses a sign of repetition after it
    expected = {text for text in STRINGS if re.fullmatch(pattern, text)}
    closed = over_alphabet(expression, ALPHABET)
    # Before version 3.14, Python's \B matched no empty string.
    assert {text for text in STRINGS if accepts(closed, text)} - {""} == expected - {""}
    assert accepted_strings(closed) - {""} == expected - {""}


@given(bounded_boolean_expressions())
@settings(max_examples=100)
def test_automata_of_nested_complements_agree_with_the_evaluator(expression: Expression) -> None:
    closed = over_alphabet(expression, ALPHABET)
    assert accepted_strings(closed) == {text for text in STRINGS if accepts(closed, text)}


@given(bounded_boolean_expressions(max_leaves=4), bounded_boolean_expressions(max_leaves=4))
@settings(max_examples=70)
def test_verdicts_agree_with_enumeration(left: Expression, right: Expression) -> None:
    first, second = over_alphabet(left, ALPHABET), over_alphabet(right, ALPHABET)
    by_left = {text for text in STRINGS if accepts(first, text)}
    by_right = {text for text in STRINGS if accepts(second, text)}
    verdict = REGEX.equivalent(first, second)
    if verdict.outcome == "equivalent":
        assert by_left == by_right
    elif verdict.outcome == "different":
        assert isinstance(verdict.witness, DistinguishingString)
        differing = by_left ^ by_right
        assert verdict.witness.text in differing or len(verdict.witness.text) > 4 or not differing
    else:  # no symbol is named, or not all are
        assert "alphabet" in verdict.reason


@given(bounded_boolean_expressions())
@settings(max_examples=60)
def test_text_and_description_are_read_back(expression: Expression) -> None:
    assert REGEX.parse(REGEX.format(expression)) == expression
    assert REGEX.read_description(REGEX.describe(expression)) == expression


@pytest.mark.parametrize(
    ("left", "right", "outcome"),
    [
        (r"\bcat\b", "cat", "equivalent"),
        (r".*\bcat\b.*", ".*cat.*", "different"),
        (r"a\b-", "a-", "equivalent"),
        (r"a\B-", "∅", "equivalent"),
        (r"a\ba", "∅", "equivalent"),
        (r"\b", "∅", "equivalent"),
        (r"\B", "ε", "equivalent"),
        (r"(a|-)*\b(a|-)*", r"~(-*)&(a|-)*", "equivalent"),
        (r"~(.*\ba\b.*)", r".*", "different"),
        (r"~(~(.*\ba\b.*))", r".*\ba\b.*", "equivalent"),
        (r"a.\b", "a[^-]", "undecided"),
        # Each is true over some alphabets, and false over others.
        (r".\b", ".", "undecided"),
        (r"\b.", "∅", "undecided"),
        (r".\b.", "∅", "undecided"),
        (r".*\b.*|\B*", r".*", "undecided"),
        (r"\b(\B.)*", r"\b(\B.)*|\b\b(\B.)*", "equivalent"),
    ],
)
def test_a_boundary_stands_between_a_symbol_of_words_and_another(
    left: str, right: str, outcome: str
) -> None:
    assert REGEX.equivalent(left, right).outcome == outcome


def test_over_an_alphabet_of_letters_a_word_is_the_whole_string() -> None:
    letters = Vocabulary(alphabet=tuple("cats"))
    given_expression, names = REGEX.over(REGEX.tree(r".*\bcat\b.*"), letters)
    assert REGEX.equivalent(given_expression, "cat").outcome == "equivalent"
    assert REGEX.read(r"`.*\bcat\b.*`", vocabulary=names).formula == given_expression


def test_letters_about_which_programs_differ_are_refused_or_undecided() -> None:
    accented = Vocabulary(alphabet=("é", "a"))
    for text in (r"\ba", r"\Ba", r"\wa", r"\Wa", r"[\w]a"):
        problem = REGEX.read(text, vocabulary=accented).problem
        assert "is not supported over an alphabet with 'é'" in problem, text
    assert "programs differ about 'é'" in REGEX.equivalent(r"\bé", "é").reason
    with pytest.raises(GaveUpError, match="programs differ about 'é'"):
        accepts(regex.WordBoundary(), "é")
    with pytest.raises(FormulaSyntaxError, match="the other case of 'é'"):
        REGEX.tree("(?i)é")


def test_boundaries_are_counted_only_where_there_are_some() -> None:
    measures = REGEX.measure(r"\ba\b")
    assert (measures["boundaries"], measures["operators"], measures["states"]) == (2, 2, 3)
    assert "boundaries" not in REGEX.measure("a")
