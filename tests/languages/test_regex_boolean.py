"""Intersection and complement of regular expressions: notation, verdicts, and what they cost."""

from __future__ import annotations

from functools import reduce
from itertools import product
from operator import and_, or_

import greenery
import pytest
from hypothesis import given, settings
from support.regex_expressions import boolean_expressions, strings

from pytest_autoeval import open_llm
from pytest_autoeval.generation.samples import draw_samples
from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.alphabet import over_alphabet
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString
from pytest_autoeval.languages.regex.syntax import Expression

LONGEST = 5
BINARY = Vocabulary(alphabet=("0", "1"))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(.*dog.*)&(.*cat.*)", ".*dog.*&.*cat.*"),
        ("~(.*0.*)", "~(.*0.*)"),
        ("~ (0)", "~(0)"),
        # '&' binds tighter than '|', and less tightly than concatenation.
        ("0&1|0", "0&1|0"),
        ("0&(1|0)", "0&(1|0)"),
        ("(0&1)1", "(0&1)1"),
        ("(0&1)*", "(0&1)*"),
        ("~(0)1", "~(0)1"),
        ("(~(0))*", "(~(0))*"),
        ("~((0)*)", "~(0*)"),
        ("~()", "~(ε)"),
        ("(0&1)&0", "0&1&0"),
    ],
)
def test_the_notation_is_that_of_published_data(text: str, canonical: str) -> None:
    expression = REGEX.tree(text)
    assert str(expression) == canonical
    assert REGEX.parse(canonical) == expression


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("~0", "'~' (complement) needs parentheses"),
        ("~(0)*", "'*' after '~(…)' has two meanings"),
        ("~(0){2}", "'{2}' after '~(…)' has two meanings"),
        ("0&", "'&' has nothing beside it"),
        ("&0", "'&' has nothing beside it"),
        ("(0&)1", "'&' has nothing beside it"),
        ("0&|1", "'&' has nothing beside it"),
        ("~(0", "'~(' is never closed"),
    ],
)
def test_what_has_two_meanings_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        REGEX.tree(text)
    assert problem in str(caught.value)
    assert problem in REGEX.read(text).problem


def test_signs_of_the_alphabet_are_symbols() -> None:
    names = Vocabulary(alphabet=("0", "&", "~"))
    assert str(REGEX.read("0&~0", vocabulary=names).formula) == r"0\&\~0"


@given(boolean_expressions())
@settings(max_examples=60)
def test_every_tree_has_a_text_and_a_description(expression: Expression) -> None:
    assert REGEX.parse(REGEX.format(expression)) == expression
    assert REGEX.read_description(REGEX.describe(expression)) == expression


@given(boolean_expressions())
@settings(max_examples=60)
def test_the_evaluator_agrees_with_enumeration(expression: Expression) -> None:
    found = strings(expression, LONGEST, "01")
    for length in range(LONGEST + 1):
        for symbols in product("01", repeat=length):
            assert accepts(expression, "".join(symbols)) == ("".join(symbols) in found)


@given(boolean_expressions(), boolean_expressions())
@settings(max_examples=100)
def test_verdicts_over_an_alphabet_agree_with_enumeration(
    left: Expression, right: Expression
) -> None:
    first, second = over_alphabet(left, "01"), over_alphabet(right, "01")
    verdict = REGEX.equivalent(first, second)
    by_left, by_right = strings(left, LONGEST, "01"), strings(right, LONGEST, "01")
    if verdict.outcome == "equivalent":
        assert by_left == by_right
        return
    assert verdict.outcome == "different"
    assert isinstance(verdict.witness, DistinguishingString)
    differing = by_left ^ by_right
    shortest = min(map(len, differing), default=LONGEST + 1)
    assert len(verdict.witness.text) == shortest or not differing
    assert len(verdict.witness.text) >= shortest


@given(boolean_expressions(max_leaves=5), boolean_expressions(max_leaves=5))
@settings(max_examples=60)
def test_verdicts_over_an_alphabet_agree_with_greenery(left: Expression, right: Expression) -> None:
    first, second = over_alphabet(left, "01"), over_alphabet(right, "01")
    expected = _machine(left).equivalent(_machine(right))
    assert REGEX.equivalent(first, second).outcome == ("equivalent" if expected else "different")


def _machine(expression: Expression) -> greenery.Fsm:  # noqa: PLR0911 - one case for each type of node
    """The automaton of greenery for an expression over 0 and 1."""
    match expression:
        case regex.Character(char):
            return greenery.parse(char).to_fsm()
        case regex.Epsilon():
            return greenery.parse("").to_fsm()
        case regex.AnySymbol():
            return greenery.parse("[01]").to_fsm()
        case regex.Concat(parts):
            return reduce(lambda one, other: one + other, map(_machine, parts))
        case regex.Union(parts):
            return reduce(or_, map(_machine, parts))
        case regex.Intersection(parts):
            return reduce(and_, map(_machine, parts))
        case regex.Star(inner):
            return _machine(inner).star()
        case regex.Complement(inner):
            return greenery.parse("[01]*").to_fsm() & _machine(inner).everythingbut()
    raise TypeError(type(expression).__name__)


@pytest.mark.parametrize(
    ("left", "right", "outcome"),
    [
        ("~(~(0*))", "0*", "equivalent"),
        ("~(.*0.*)", "[^0]*", "equivalent"),
        ("~(0|1)", "~(0)&~(1)", "equivalent"),
        ("(.*0.*)&(.*1.*)", ".*0.*1.*|.*1.*0.*", "equivalent"),
        ("0*&1*", "ε", "equivalent"),
        ("~(0)", "~(1)", "different"),
        # With more symbols than 0 and 1, they differ.
        ("~(1*)", "1*0[01]*", "undecided"),
    ],
)
def test_without_an_alphabet_a_verdict_holds_in_all_of_them(
    left: str, right: str, outcome: str
) -> None:
    assert REGEX.equivalent(left, right).outcome == outcome


def test_a_complement_is_of_the_strings_over_the_alphabet() -> None:
    formula, names = REGEX.over(REGEX.tree("~(1*)"), BINARY)
    assert str(formula) == "[01]*&~(1*)"
    assert REGEX.over(formula, names)[0] == formula
    assert REGEX.equivalent(formula, "1*0[01]*").outcome == "equivalent"
    assert REGEX.read("~(1*)", vocabulary=names).formula == formula
    assert REGEX.read(str(formula), vocabulary=names).formula == formula


def test_they_are_counted_only_where_there_are_some() -> None:
    measures = REGEX.measure("~(0&1&0)")
    assert (measures["operators"], measures["intersections"], measures["complements"]) == (3, 2, 1)
    assert measures["depth"] == 3
    assert "intersections" not in REGEX.measure("0|1")


def test_too_many_levels_or_states_are_undecided() -> None:
    deep = REGEX.tree("~(" * 41 + "0" + ")" * 41)
    assert "levels" in REGEX.equivalent(deep, "0").reason
    wide = REGEX.equivalent("~((0|1)*0(0|1){30})&(0|1)*", "(0|1)*", timeout=1.0)
    assert wide.outcome == "different" or wide.reason
    assert REGEX.equivalent("~((0|1)*0(0|1){30})1", "0", timeout=0.2).outcome in {
        "different",
        "undecided",
    }


def test_drawn_expressions_pass_a_round_trip() -> None:
    samples = draw_samples("boolean_regex", range(2, 6), 6)
    with open_llm("offline/faithful") as llm:
        for sample in samples:
            description = llm.informalize(sample)
            answer = llm.autoformalize(description, like=sample)
            expected, _ = REGEX.over(sample.formula, sample.vocabulary)
            assert REGEX.equivalent(answer, expected).outcome == "equivalent", sample.text
