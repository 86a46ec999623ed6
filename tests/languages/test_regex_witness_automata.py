"""The automata that a distinguishing string is shown with accept what their expressions accept, and are minimal."""

from __future__ import annotations

import itertools
import re
from typing import Any

import greenery
import pytest
from hypothesis import assume, given
from support.regex_expressions import closed_expressions, strict_expressions, strings

from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.measures import (
    MAX_DRAWN_STATES,
    MAX_STATES,
    DistinguishingString,
    small_automaton,
)
from pytest_autoeval.languages.regex.syntax import Character, Concat, Empty, Expression, Star
from pytest_autoeval.languages.vocabulary import Vocabulary

LONGEST = 6


@given(closed_expressions())
def test_an_automaton_accepts_exactly_the_strings_of_its_expression(expression: Expression) -> None:
    found = small_automaton(expression, MAX_STATES)
    assert found is not None
    assert accepted(found, LONGEST, "01") == strings(expression, LONGEST, "01")


@given(strict_expressions())
def test_an_automaton_is_as_small_as_another_library_makes_it(expression: Expression) -> None:
    found = small_automaton(expression, MAX_STATES)
    assert found is not None
    theirs = greenery.parse(str(expression)).to_fsm().reduce()
    assert len(states(found)) == sum(theirs.islive(state) for state in theirs.states)


@given(strict_expressions(), strict_expressions())
def test_a_witness_tells_both_automata_apart(left: Expression, right: Expression) -> None:
    witness = REGEX.equivalent(left, right).witness
    assume(witness is not None)
    assert isinstance(witness, DistinguishingString)
    told = witness.to_json()
    for side, expression in (("first", left), ("second", right)):
        if (automaton := told["automata"][side]) is not None:
            assert runs(automaton, told["text"]) == (told["accepted_by"] == side)
            assert len(states(automaton)) <= MAX_DRAWN_STATES
            for text in itertools.chain.from_iterable(map(words, range(LONGEST))):
                assert runs(automaton, text) == bool(re.fullmatch(str(expression), text))


def test_states_are_numbered_in_the_order_of_a_walk_and_edges_merged() -> None:
    assert small_automaton(REGEX.tree("(0|1)*00"), MAX_DRAWN_STATES) == {
        "start": 0,
        "accepting": [2],
        "edges": [[0, "0", 1], [0, "1", 0], [1, "0", 2], [1, "1", 0], [2, "0", 2], [2, "1", 0]],
    }
    assert small_automaton(REGEX.tree("(0|1)*"), MAX_DRAWN_STATES) == {
        "start": 0,
        "accepting": [0],
        "edges": [[0, "0,1", 0]],
    }


def test_the_empty_language_is_a_start_that_leads_nowhere() -> None:
    assert small_automaton(Empty(), 1) == {"start": 0, "accepting": [], "edges": []}


def test_symbols_that_mean_something_in_the_list_are_escaped() -> None:
    found = small_automaton(REGEX.tree(r"[,\\a]"), MAX_DRAWN_STATES)
    assert found is not None
    assert found["edges"] == [[0, r"\,,\\,a", 1]]
    assert accepted(found, 2, ",\\a") == {",", "\\", "a"}


@pytest.mark.parametrize("size", [MAX_DRAWN_STATES, MAX_DRAWN_STATES + 1])
def test_an_automaton_with_too_many_states_to_be_seen_is_left_out(size: int) -> None:
    one_after_another = REGEX.tree("0" * (size - 1))
    automata = REGEX.equivalent(one_after_another, REGEX.tree("1")).witness.to_json()["automata"]  # type: ignore[union-attr]
    assert (automata["first"] is None) == (size > MAX_DRAWN_STATES)
    assert automata["second"] is not None


def test_a_large_detour_is_not_taken_for_a_small_automaton() -> None:
    everything = Star(REGEX.tree("0|1"))
    hidden = Concat((everything, Character("1"), *[REGEX.tree("0|1")] * 11))
    union = REGEX.read(f"({hidden})|(0|1)*", vocabulary=Vocabulary(alphabet=("0", "1"))).formula
    assert isinstance(union, Expression)
    assert "states" not in REGEX.measure(union)
    assert small_automaton(union, MAX_DRAWN_STATES) is None


def test_what_depends_on_an_alphabet_that_is_not_known_is_left_out() -> None:
    automata = REGEX.equivalent("[^0]", "0").witness.to_json()["automata"]  # type: ignore[union-attr]
    assert automata["first"] is None
    assert automata["second"] is not None
    resolved = REGEX.read("[^0]", vocabulary=Vocabulary(alphabet=("0", "1"))).formula
    assert resolved is not None
    witness = REGEX.equivalent(resolved, REGEX.tree("0")).witness
    assert witness is not None
    assert accepted(witness.to_json()["automata"]["first"], 2, "01") == {"1"}


def test_the_automata_make_no_witness_another_one() -> None:
    assert REGEX.equivalent("0", "1").witness == DistinguishingString("0", left=True, right=False)


def words(length: int, alphabet: str = "01") -> list[str]:
    return ["".join(symbols) for symbols in itertools.product(alphabet, repeat=length)]


def accepted(automaton: dict[str, Any], longest: int, alphabet: str) -> set[str]:
    """The strings of at most ``longest`` symbols that an automaton accepts, by running it on each of them."""
    every = itertools.chain.from_iterable(words(length, alphabet) for length in range(longest + 1))
    return {text for text in every if runs(automaton, text)}


def runs(automaton: dict[str, Any], text: str) -> bool:
    """Whether an automaton accepts, read as a person reads the drawing: an edge that is missing refuses."""
    state: int | None = automaton["start"]
    for symbol in text:
        ways = [
            target
            for source, label, target in automaton["edges"]
            if source == state and symbol in symbols(label)
        ]
        assert len(ways) <= 1
        state = ways[0] if ways else None
    return state in automaton["accepting"]


def symbols(label: str) -> list[str]:
    return [piece[-1] for piece in re.findall(r"\\.|[^,\\]", label)]


def states(automaton: dict[str, Any]) -> set[int]:
    mentioned = {state for source, _, target in automaton["edges"] for state in (source, target)}
    return {automaton["start"], *automaton["accepting"], *mentioned}
