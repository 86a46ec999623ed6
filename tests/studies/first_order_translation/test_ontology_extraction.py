"""Extraction of symbols: outcomes, and scores computed by hand."""

from __future__ import annotations

import pytest
from support.scripted import message_of, part_of, performed
from support.task_items import (
    BETWEEN,
    BLOCKS,
    CUBE,
    LARGE,
    LARGER,
    LEFT_OF,
    NEXT_TO,
    RIGHT_OF,
    SMALL,
    A,
    B,
    constant,
    item,
    predicate,
)

from pytest_autoeval import prompts
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.studies.first_order_translation.extraction import matching
from pytest_autoeval.studies.first_order_translation.parts import Symbols
from pytest_autoeval.tasks.answer_readers import read_symbols

SUBJECT = item(
    "∀x. (Cube(x) → Larger(x, a))", BLOCKS, sentence="Every cube is larger than block a."
)
RIGHT = "Cube(x): x is a cube\nLarger(x, y): x is larger than y\na: block a"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (RIGHT, "correct"),
        ("IsCube(x): x is a cube\nLargerThan(x, y): x is larger than y\nthe_a: block a", "correct"),
        (RIGHT.replace("Larger(x, y)", "Larger(x)"), "wrong answer"),
        (f"{RIGHT}\nSmall(x): x is small", "wrong answer"),
        ("Cube(x): x is a cube\nLarger(x, y): x is larger than y", "wrong answer"),
        ("No symbol is needed.", "wrong answer"),
        ("Every cube is larger than block a.", "unreadable answer"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        (Reply(RIGHT, finish_reason="length"), "truncated"),
    ],
)
def test_symbols_lead_to_an_outcome(answer: Reply | str, outcome: str) -> None:
    trial = performed("ontology_extraction", SUBJECT, answer)
    assert trial.outcome == outcome
    assert (part_of(trial, Symbols).f1 == 1.0) is (
        outcome == "correct" or "Larger(x):" in str(answer)
    )
    symbols = part_of(trial, Symbols)
    assert (symbols.listed, symbols.precision is None, symbols.recall is None) == (
        None,
        False,
        False,
    )
    assert None not in (symbols.matched, symbols.missing, symbols.surplus, symbols.wrong_arity)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("No symbol is needed.", "correct"),
        ("Thing(x): x is a thing", "wrong answer"),
        ("Something exists.", "unreadable answer"),
    ],
)
def test_a_sentence_may_need_no_symbol(answer: str, outcome: str) -> None:
    trial = performed(
        "ontology_extraction", item("∃x. ∃y. ¬(x = y)", sentence="There are two things."), answer
    )
    assert trial.outcome == outcome
    assert (part_of(trial, Symbols).f1 == 1.0) is (outcome == "correct")


def test_a_wrong_answer_shows_what_is_wrong_with_it() -> None:
    answer = "Cube(x): x is a cube\nLarger(x): x is larger\nRed(x): x is red"
    message = message_of(performed("ontology_extraction", SUBJECT, answer))
    assert message.startswith(
        "missing: a; surplus: Red; wrong number of places: Larger/1 for Larger/2\n  expected:\n"
    )
    assert "    Larger(x, y): x is larger than y" in message
    assert part_of(performed("ontology_extraction", SUBJECT, "Nothing."), Symbols).missing == [
        "Cube",
        "Larger",
        "a",
    ]


def test_examples_of_the_prompt_are_read_as_they_are_meant() -> None:
    for example in prompts.load("ontology_extraction", "first_order").examples:
        symbols, rest = read_symbols(example.answer)
        assert len(symbols) == len(example.answer.strip().splitlines())
        assert not rest


@pytest.mark.parametrize(
    ("their", "our", "is_matched"),
    [
        (CUBE, CUBE, True),
        (predicate("IsCube(x)", "x is a cube"), CUBE, True),
        (predicate("Cubes(x)", ""), CUBE, True),
        (predicate("C(x)", ""), CUBE, False),
        (predicate("Same(p, q)", "q is p"), predicate("Be(x, y)", "x is y"), False),
        (predicate("Cube(x)", "x has six square faces"), CUBE, True),
        (predicate("SmallCube(x)", "x is a small cube"), CUBE, False),
        (predicate("Big(x)", "x is big"), LARGE, True),
        (SMALL, LARGE, False),
        (predicate("Bigger(x, y)", "x is bigger than y"), LARGER, True),
        (LEFT_OF, RIGHT_OF, False),
        (predicate("Inbetween(p, q, r)", "p is between q and r"), BETWEEN, True),
        (predicate("NotSmall(x)", "x is not small"), SMALL, False),
        (predicate("Adjacent(x, y)", "x is adjacent to y"), NEXT_TO, True),
        (constant("the_a", "the block named a"), A, True),
        (B, A, False),
        (constant("cube", "x is a cube"), CUBE, False),
    ],
)
def test_two_symbols_are_matched_by_the_words_of_their_names_and_glosses(
    their: Symbol, our: Symbol, is_matched: bool
) -> None:
    assert bool(matching((their,), (our,)).matched) is is_matched


def test_matched_missing_and_surplus_symbols_are_counted() -> None:
    theirs = (
        predicate("Cube(x)", "x is a cube"),
        predicate("Larger(x)", "x is larger"),
        predicate("Red(x)", "x is red"),
    )
    assert matching(theirs, (CUBE, LARGER, SMALL, A)) == Symbols(
        matched=[["Cube", "Cube"], ["Larger", "Larger"]],
        missing=["Small", "a"],
        surplus=["Red"],
        wrong_arity=[["Larger/1", "Larger/2"]],
        precision=2 / 3,
        recall=1 / 2,
        f1=4 / 7,
        arity_right=1 / 2,
    )


def test_glosses_decide_between_names() -> None:
    theirs = (predicate("Small(x)", "x is a cube"), predicate("Cube(x)", "x is small"))
    assert matching(theirs, (CUBE, SMALL)).matched == [["Small", "Cube"], ["Cube", "Small"]]


def test_scores_without_symbols_to_find() -> None:
    def scores(symbols: Symbols) -> tuple[float | None, ...]:
        return symbols.precision, symbols.recall, symbols.f1

    assert scores(matching((), ())) == (1.0, 1.0, 1.0)
    assert scores(matching(None, ())) == (0.0, 0.0, 0.0)
    assert scores(matching((CUBE,), ())) == (0.0, 1.0, 0.0)
