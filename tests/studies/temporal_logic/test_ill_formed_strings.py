"""Ill-formed strings are drawn at any size, and refused by every parser."""

from __future__ import annotations

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import (
    FormulaSyntaxError,
    LimitError,
    language,
    language_names,
    language_of,
)
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.size_limits import MAX_LENGTH

STRINGS, LTL = language("ltl_strings"), language("ltl")


@pytest.mark.parametrize("size", [0, 1, 2, 5, 15])
def test_every_drawn_string_has_its_size_and_is_no_formula(size: int) -> None:
    drawn = sample_formulas("ill_formed_ltl", size, 150, seed=size, warn=False)
    assert len(drawn) == 150
    for string in drawn:
        text = str(string)
        assert STRINGS.measure(string)["operators"] == size
        assert STRINGS.parse(text) == string
        assert hash(STRINGS.parse(text)) == hash(string)
        for parse in (LTL.parse, parse_nusmv):
            with pytest.raises(FormulaSyntaxError):
                parse(text)


@pytest.mark.parametrize("grammar", ["ltl", "past_ltl"])
def test_a_formula_as_a_string_looks_and_measures_the_same(grammar: str) -> None:
    for formula in sample_formulas(grammar, 7, 100):
        text = LTL.format(formula).replace(" & ", "  &\n")
        assert STRINGS.format(STRINGS.parse(text)) == LTL.format(formula)
        measured, expected = STRINGS.measure(text), LTL.measure(formula)
        for key in ("operators", "operators_with_literal_negations", "distinct_atoms"):
            assert measured[key] == expected[key]
        assert (
            STRINGS.symbols(STRINGS.parse(text)).propositions == LTL.symbols(formula).propositions
        )


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("( a&b", "(a & b"),
        ("! ( a )X", "!(a) X"),
        ("a<->->b", "a <-> -> b"),
        ("door.open % 1a", "door.open % 1a"),
    ],
)
def test_any_symbols_make_a_string(text: str, canonical: str) -> None:
    assert str(STRINGS.parse(text)) == canonical
    assert STRINGS.parse(canonical) == STRINGS.parse(text)


def test_no_symbol_and_too_many_are_refused() -> None:
    with pytest.raises(FormulaSyntaxError, match="there is no symbol"):
        STRINGS.parse(" \n")
    with pytest.raises(LimitError, match="20,001 characters; at most 20,000"):
        STRINGS.parse("a" * (MAX_LENGTH + 1))
    with pytest.raises(AutoevalError, match="not a formula of the language 'ltl_strings'"):
        STRINGS.measure(LTL.parse("a"))


def test_two_strings_are_the_same_symbol_by_symbol() -> None:
    assert STRINGS.equivalent("(a", "( a").outcome == "equivalent"
    verdict = STRINGS.equivalent("(a & b", "(a & b)")
    assert verdict.outcome == "different"
    assert verdict.witness is not None
    assert verdict.witness.to_json() == {"kind": "symbol", "place": 4, "left": "", "right": ")"}
    assert str(verdict.witness) == "symbol 5 (none on the left, ) on the right)"
    assert STRINGS.entails("a", "b").outcome == "does not entail"
    assert STRINGS.entails("a b", "a b").outcome == "entails"


def test_an_answer_is_read_as_a_whole() -> None:
    assert STRINGS.read(" (a & ").formula == STRINGS.parse("(a &")
    empty = STRINGS.read("  ")
    assert (empty.formula, empty.compliant) == (None, False)
    assert "no symbol" in empty.problem


def test_simpler_strings_have_one_symbol_less() -> None:
    assert [str(string) for string in STRINGS.simpler(STRINGS.parse("(a &"))] == ["a &", "(&", "(a"]
    assert [str(string) for string in STRINGS.simpler(STRINGS.parse("a b"))] == ["b", "a"]
    assert not list(STRINGS.simpler(STRINGS.parse("a")))


def test_the_language_is_known_but_takes_no_text_from_the_others() -> None:
    assert "ltl_strings" not in language_names()
    assert language_of(STRINGS.parse("(a")) is STRINGS
    assert language_of(LTL.parse("a")) is LTL
