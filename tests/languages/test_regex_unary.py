"""Counting over one symbol: sets of lengths, against a matcher, against automata, and the limit of time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.regex_expressions import closed_expressions

from pytest_autoeval.languages.base import Relation
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex import unary
from pytest_autoeval.languages.regex.decide import decide, distinguishing_text
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString
from pytest_autoeval.languages.regex.syntax import Complement, Expression, Intersection, Star

LONGEST = 40
A = closed_expressions("a", max_leaves=6)


def lengths_of(expression: Expression) -> unary.Lengths:
    return unary.lengths_of(expression, DecisionBudget(10.0))


@given(A)
@settings(max_examples=150)
def test_lengths_are_those_of_the_matching_strings(expression: Expression) -> None:
    bits = lengths_of(expression).up_to(LONGEST)
    for length in range(LONGEST):
        assert bool(bits >> length & 1) == accepts(expression, "a" * length)


@pytest.mark.parametrize(
    "text",
    [
        *("(aaa)*(aaaaa)*", "(a{6}|a{10}|a{15})*", "(a{4})*a|(a{6})*", "(a{2,3}){2}(a{7})*"),
        *("((a{3}){3})*a{0,2}", "(a{5}){2,}", "(a|aa)?(a{9})+"),
    ],
)
def test_lengths_are_those_that_python_matches(text: str) -> None:
    bits = lengths_of(REGEX.tree(text)).up_to(60)
    for length in range(60):
        assert bool(bits >> length & 1) == bool(re.fullmatch(text, "a" * length))


@given(A, A, A, st.sampled_from(["equivalence", "entailment"]))
@settings(max_examples=150)
def test_lengths_and_automata_find_the_same_shortest_string(
    first: Expression, second: Expression, third: Expression, relation: Relation
) -> None:
    left = Intersection((second, Complement(third)))
    budget = DecisionBudget(10.0)
    length = unary.shortest_counterexample(left, first, relation, budget)
    text = distinguishing_text(left, first, relation, budget)
    assert length == (None if text is None else len(text))


@pytest.mark.parametrize(
    ("left", "right", "length"),
    [
        # The largest number that is no sum of 43s and 41s is 43 · 41 - 43 - 41 = 1679.
        ("(a{97})*(a{89})*|a{0,86}((a{97}){87}|a{0,1})*", "a*", None),
        ("a*&~((a{97})*(a{89})*)", "a&~(a)", 1),
        ("a*&~((a{43})*(a{41})*)&(a{73}){23}a*", "a&~(a)", 1679),
        ("a*&~((a{43})*(a{41})*)&(a{70}){24}a*", "a&~(a)", None),
        ("((a{50}){50})*", "((a{25}){100})*", None),
        ("((a{50}){50})*|((a{49}){50})*", "((a{49}){50})*|((a{50}){50})*", None),
        ("(a{97})*&(a{89})*", "((a{97}){89})*", None),
        ("(a{43})*&(a{41})*", "((a{43}){41}){2}*", 1763),
        ("a*&~((a{50}){50}a*)", "(a{0,49}){50}a{0,49}", None),
    ],
)
def test_counting_is_decided_at_once(left: str, right: str, length: int | None) -> None:
    verdict = REGEX.equivalent(left, right, timeout=5.0)
    assert verdict.method == "lengths"
    if length is None:
        assert verdict.outcome == "equivalent"
    else:
        assert isinstance(verdict.witness, DistinguishingString)
        assert len(verdict.witness.text) == length


def test_other_strings_than_those_of_one_symbol_are_left_to_automata() -> None:
    long = "((a{50}){50})*"
    assert REGEX.equivalent(f"{long}b", f"{long}b?").method == "automata"
    assert REGEX.equivalent(f"{long}.", f"{long}a").outcome == "undecided"
    assert REGEX.equivalent("a", "aa").method == "automata"


def test_periods_that_repeat_too_late_are_left_to_remainders() -> None:
    union = "|".join(f"(a{{{prime}}})*" for prime in (97, 89, 83, 79))
    with pytest.raises(unary.TooLongError):
        lengths_of(REGEX.tree(union))
    verdict = decide("equivalence", REGEX.tree(union), Star(REGEX.tree("a")), 5.0)
    assert (verdict.outcome, verdict.method) == ("different", "lengths")


@pytest.mark.parametrize(
    "text",
    ["~((((a|b){50}){50}){4})", "((a?b?){50}){50}&(a*b*){50}", "~(((a?b?){50}){50})b"],
)
def test_a_large_automaton_ends_with_the_limit(text: str) -> None:
    expression = REGEX.tree(text)
    started = time.thread_time()
    verdict = REGEX.equivalent(expression, "a", timeout=0.3)
    # Processor time, so that other programs on the machine do not count; the rest is for one long step.
    assert time.thread_time() - started < 2.0
    assert verdict.outcome == "undecided" or verdict.witness
