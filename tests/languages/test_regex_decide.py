"""Verdicts on regular expressions: against enumeration, against another library, by laws, on hostile input."""

from __future__ import annotations

import time
from itertools import product

import greenery
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.regex_expressions import closed_expressions, expressions, strict_expressions, strings

from pytest_autoeval.languages import Verdict, Vocabulary
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString
from pytest_autoeval.languages.regex.syntax import (
    Character,
    Concat,
    Expression,
    Optional,
    Plus,
    Repeat,
    Star,
    Union,
)

LONGEST = 6


def shortlex(text: str) -> tuple[int, str]:
    return len(text), text


def check_witness(
    verdict: Verdict, left: frozenset[str], right: frozenset[str], against: frozenset[str]
) -> None:
    """The witness is the first of the shortest strings in ``against``, if one that short was enumerated."""
    witness = verdict.witness
    assert isinstance(witness, DistinguishingString)
    if against:
        assert witness.text == min(against, key=shortlex)
        assert witness.text in (left if witness.accepted_by == "first" else right)
    else:
        assert len(witness.text) > LONGEST


@given(closed_expressions(), closed_expressions())
@settings(max_examples=210)
def test_verdicts_agree_with_enumeration(left: Expression, right: Expression) -> None:
    first, second = strings(left, LONGEST, "01"), strings(right, LONGEST, "01")
    verdict = REGEX.equivalent(left, right)
    if verdict.outcome == "different":
        check_witness(verdict, first, second, first ^ second)
    else:
        assert (verdict.outcome, first) == ("equivalent", second)
    verdict = REGEX.entails(left, right)
    if verdict.outcome == "does not entail":
        check_witness(verdict, first, second, first - second)
    else:
        assert verdict.outcome == "entails"
        assert first <= second


@given(expressions(max_leaves=6))
def test_the_evaluator_agrees_with_enumeration(expression: Expression) -> None:
    found = strings(expression, 4, "01b")
    for length in range(5):
        for symbols in product("01b", repeat=length):
            assert accepts(expression, "".join(symbols)) == ("".join(symbols) in found)


@given(strict_expressions(), strict_expressions())
def test_verdicts_agree_with_greenery(left: Expression, right: Expression) -> None:
    expected = greenery.parse(str(left)).equivalent(greenery.parse(str(right)))
    assert REGEX.equivalent(left, right).outcome == ("equivalent" if expected else "different")


A, B, C = (closed_expressions(max_leaves=5) for _ in range(3))


@given(A, B, C)
def test_the_laws_of_kleene_algebra_hold(a: Expression, b: Expression, c: Expression) -> None:
    for left, right in [
        (Star(Union((a, b))), Star(Concat((Star(a), Star(b))))),
        (Star(Union((a, b))), Concat((Star(a), Star(Concat((b, Star(a))))))),
        (Concat((Star(Concat((a, b))), a)), Concat((a, Star(Concat((b, a)))))),
        (Concat((a, Union((b, c)))), Union((Concat((a, b)), Concat((a, c))))),
        (Star(Star(a)), Star(a)),
        (Plus(a), Concat((a, Star(a)))),
        (Optional(Plus(a)), Star(a)),
        (Repeat(a, 1, 3), Union((a, Concat((a, a)), Concat((a, a, a))))),
        (Repeat(a, 2, None), Concat((a, Plus(a)))),
    ]:
        assert REGEX.equivalent(left, right).outcome == "equivalent", (left, right)
    assert REGEX.entails(a, Union((a, b))).outcome == "entails"
    both_ways = {REGEX.entails(a, b).outcome, REGEX.entails(b, a).outcome} == {"entails"}
    assert both_ways == (REGEX.equivalent(a, b).outcome == "equivalent")


@given(strict_expressions())
def test_equivalence_survives_a_renaming_of_the_symbols(expression: Expression) -> None:
    other = Concat((expression, Star(Character("0"))))
    swap = str.maketrans("01", "ba")
    renamed, other_renamed = (
        REGEX.parse(str(formula).translate(swap)) for formula in (expression, other)
    )
    assert (
        REGEX.equivalent(renamed, other_renamed).outcome
        == REGEX.equivalent(expression, other).outcome
    )


@pytest.mark.parametrize(
    ("left", "right", "text", "accepted_by"),
    [
        ("1*0", "(1*)10", "0", "first"),
        ("(1*)*0", "((1*)0)*", "", "second"),
        ("1*11*", "1*1*1*", "", "second"),
        ("(01)*", "(01)*0*", "0", "second"),
        ("0*1*", "(0*1*)*", "10", "second"),
        ("0", "1", "0", "first"),
        ("[abc]d", "[abcd]c", "ac", "second"),
    ],
)
def test_the_witness_is_the_first_shortest_string(
    left: str, right: str, text: str, accepted_by: str
) -> None:
    witness = REGEX.equivalent(left, right).witness
    assert witness is not None
    told = witness.to_json()
    assert {key: told[key] for key in told if key != "automata"} == {
        "kind": "string",
        "text": text,
        "accepted_by": accepted_by,
        "left": accepted_by == "first",
        "right": accepted_by == "second",
    }
    other = "second" if accepted_by == "first" else "first"
    assert str(witness) == f"{text or 'ε'} (accepted by the {accepted_by}, not by the {other})"


def test_a_wildcard_over_a_known_alphabet_is_decided() -> None:
    for answer in ("(0|1)*", "[01]*", ".*", "(0*1*)*", "(.|ε)*"):
        formula = REGEX.read(answer, vocabulary=Vocabulary(alphabet=("0", "1"))).formula
        assert formula is not None
        assert REGEX.equivalent(formula, "(0*1*)*").outcome == "equivalent"


@pytest.mark.parametrize(
    ("left", "right", "outcome"),
    [
        (".*", "0*", "undecided"),
        (".*", "(0*1*)*", "undecided"),
        ("[^0]", "1", "undecided"),
        (".", "..", "different"),
        (".+", "..*", "equivalent"),
        (".*0", "0*", "different"),
        ("[^0]|0", ".", "equivalent"),
        ("[^01]*", "[^0]*", "different"),
    ],
)
def test_without_an_alphabet_only_what_holds_in_each_is_said(
    left: str, right: str, outcome: str
) -> None:
    verdict = REGEX.equivalent(left, right)
    assert verdict.outcome == outcome
    assert ("alphabet" in verdict.reason) == (outcome == "undecided")


def means(text: str, kind: str, alphabet: tuple[str, ...] = ("0", "1")) -> bool:
    return REGEX.equivalent(text, REGEX.trivial(alphabet)[kind]).outcome == "equivalent"


def test_empty_and_universal_languages_are_known() -> None:
    assert [means(text, "empty") for text in ("∅", "0∅", "∅+1∅", "∅{2}")] == [True] * 4
    assert [means(text, "empty") for text in ("0", "ε", "∅*", "∅?", "∅|0", "∅{0,2}")] == [False] * 6
    assert means("(0*1*)*", "universal")
    assert not means("(0*1*)*", "universal", ("0", "1", "2"))
    assert not means("0*1*", "universal")


@pytest.mark.parametrize(
    ("left", "right", "outcome"),
    [
        ("(0|1)*0(0|1){60}", "(1|0)*0(1|0){60}", "equivalent"),
        ("(0|1)*0(0|1){60}", "(1|0)*1(1|0){60}", "different"),
        ("(0|1)*0(0|1){60}1?", "(1|0)*0(1|0){60}", "different"),
        ("(0{97})*|(0{89})*", "(0{97})*|(0{83})*", "different"),
        ("(01)*" * 2_000, "(01)*" * 2_000, "equivalent"),
    ],
)
def test_exponential_automata_are_not_always_built(left: str, right: str, outcome: str) -> None:
    assert REGEX.equivalent(left, right).outcome == outcome


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (
            "((0|1)*0(0|1){15}|(0|1)*1(0|1){17}0)*1(0|1){20}",
            "((0|1)*0(0|1){15}|(0|1)*1(0|1){17}0)*1(0|1){20}0?",
        ),
        ("((0?1?){50}){50}", "((0?1?){50}){51}"),
        ("0*1*" * 4_000, "0*1*" * 4_000 + "0*"),
    ],
)
def test_what_is_too_hard_ends_undecided_with_the_time(left: str, right: str) -> None:
    first, second = REGEX.tree(left), REGEX.tree(right)
    started = time.monotonic()
    verdict = REGEX.equivalent(first, second, timeout=0.2)
    assert verdict.outcome == "undecided"
    assert "0.2 s" in verdict.reason
    assert verdict.seconds <= time.monotonic() - started


def test_trees_beyond_the_limits_are_undecided() -> None:
    tall: Expression = Character("0")
    for _ in range(5_000):
        tall = Star(tall)
    assert "nested" in REGEX.equivalent(tall, "1").reason
    assert (
        "parts"
        in REGEX.entails(
            Repeat(Repeat(Character("0"), 1000, None), 1000, None), Character("1")
        ).reason
    )


@given(st.integers(0, 40), st.integers(0, 40))
def test_counting_is_exact(first: int, second: int) -> None:
    left, right = Repeat(Character("0"), first, None), Repeat(Character("0"), second, None)
    verdict = REGEX.equivalent(left, right)
    if first == second:
        assert verdict.outcome == "equivalent"
    else:
        assert verdict.witness == DistinguishingString(
            "0" * min(first, second), left=first < second, right=first > second
        )
