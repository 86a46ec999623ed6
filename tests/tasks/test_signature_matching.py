"""A model's own signature measured against the reference's."""

from __future__ import annotations

import pytest
from ontology_items import (
    BETWEEN,
    CUBE,
    LARGE,
    LARGER,
    LEFT_OF,
    NEXT_TO,
    RIGHT_OF,
    SMALL,
    SMALLER,
    A,
    B,
    constant,
    predicate,
)

from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.matching.signature_matching import matching_notes


@pytest.mark.parametrize(
    ("their", "our", "is_matched"),
    [
        (CUBE, CUBE, True),
        (predicate("IsCube(x)", "x is a cube"), CUBE, True),
        (predicate("is_cube(x)", ""), CUBE, True),
        (predicate("Cubes(x)", ""), CUBE, True),
        (predicate("C(x)", "x is a cube"), CUBE, True),
        (predicate("C(x)", ""), CUBE, False),
        (predicate("Same(p, q)", "p is q"), predicate("Be(x, y)", "x is y"), True),
        (predicate("Same(p, q)", "q is p"), predicate("Be(x, y)", "x is y"), False),
        (predicate("Cube(x)", "x has six square faces"), CUBE, True),
        (predicate("SmallCube(x)", "x is a small cube"), CUBE, False),
        (predicate("Big(x)", "x is big"), LARGE, True),
        (SMALL, LARGE, False),
        (SMALLER, LARGER, False),
        (predicate("Taller(x, y)", "x is taller than y"), SMALLER, False),
        (predicate("IsLargerThan(a, b)", "a is larger than b"), LARGER, True),
        (predicate("Bigger(x, y)", "x is bigger than y"), LARGER, True),
        (LEFT_OF, RIGHT_OF, False),
        (predicate("ToTheLeft(x, y)", "x is to the left of y"), LEFT_OF, True),
        (predicate("Inbetween(p, q, r)", "p is between q and r"), BETWEEN, True),
        (predicate("NotSmall(x)", "x is not small"), SMALL, False),
        (predicate("NotSmall(x)", ""), SMALL, False),
        (predicate("Adjacent(x, y)", "x is adjacent to y"), NEXT_TO, True),
        (constant("the_a", "the block named a"), A, True),
        (B, A, False),
        (constant("cube", "x is a cube"), CUBE, False),
        (constant("block_a", "a particular block, a"), A, True),
    ],
)
def test_two_symbols_are_matched_by_the_words_of_their_names_and_glosses(
    their: Symbol, our: Symbol, is_matched: bool
) -> None:
    assert bool(matching_notes((their,), (our,))["matched"]) is is_matched


def test_what_is_found_missing_and_surplus_is_counted() -> None:
    theirs = (
        predicate("Cube(x)", "x is a cube"),
        predicate("Larger(x)", "x is larger"),
        predicate("Red(x)", "x is red"),
    )
    assert matching_notes(theirs, (CUBE, LARGER, SMALL, A)) == {
        "matched": [["Cube", "Cube"], ["Larger", "Larger"]],
        "symbols_precision": 2 / 3,
        "symbols_recall": 1 / 2,
        "symbols_f1": 4 / 7,
        "arity_right": 1 / 2,
        "missing": ["Small", "a"],
        "surplus": ["Red"],
        "wrong_arity": [["Larger/1", "Larger/2"]],
    }


def test_glosses_decide_between_names() -> None:
    theirs = (predicate("Small(x)", "x is a cube"), predicate("Cube(x)", "x is small"))
    assert matching_notes(theirs, (CUBE, SMALL))["matched"] == [["Small", "Cube"], ["Cube", "Small"]]


def test_the_order_of_a_list_is_of_no_account() -> None:
    theirs, ours = (A, LARGER, CUBE, SMALL), (SMALL, CUBE, A, LARGER)
    notes = matching_notes(theirs, ours)
    assert all(left == right for left, right in notes["matched"])
    assert (notes["symbols_f1"], notes["arity_right"]) == (1.0, 1.0)


def test_nothing_is_all_there_is_to_find_where_nothing_is_needed() -> None:
    scores = ("symbols_precision", "symbols_recall", "symbols_f1")
    assert [matching_notes((), ())[key] for key in scores] == [1.0, 1.0, 1.0]
    assert [matching_notes(None, ())[key] for key in scores] == [0.0, 0.0, 0.0]
    assert [matching_notes((CUBE,), ())[key] for key in scores] == [0.0, 1.0, 0.0]


def test_of_nothing_nothing_is_found() -> None:
    notes = matching_notes((), (CUBE,))
    assert (notes["symbols_precision"], notes["symbols_recall"], notes["symbols_f1"]) == (0.0, 0.0, 0.0)
    assert (notes["arity_right"], notes["missing"]) == (None, ["Cube"])
