"""The forms of a cell with propositions; unclear cells are refused."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval.datasets.proposition_lists import read_propositions

DOOR = (("the door is open", "x1"), ("the alarm rings", "x2"))


@pytest.mark.parametrize(
    "cell",
    [
        '"the door is open" : x1 , "the alarm rings" : x2',
        "“the door is open” : x1, “the alarm rings” : x2",
        "'the door is open' : x1 , 'the alarm rings' : x2",
        "the door is open : x1 , the alarm rings : x2",
        "x1: the door is open, x2: the alarm rings",
        "“the door is open” x1 , “the alarm rings” x2",
        "“the door is open” x1\n“the alarm rings” x2\n",
        "x1 “the door is open”; x2 “the alarm rings”",
        '“the door is open" : x1 , "the alarm rings“ : x2',
        "“the door is open’ : x1 , “the alarm rings’ : x2",
        "``the door is open'' : x1, «the alarm rings» : x2",
        "“the\u2009door is open”\u2009:\u2009x1,\u00a0“the alarm rings”\u2009x2",
        '{"the door is open": "x1", "the alarm rings": "x2"}',
        {"the door is open": "x1", "the alarm rings": "x2"},
        [["the door is open", "x1"], ["the alarm rings", "x2"]],
    ],
)
def test_accepted_forms_of_propositions(cell: Any) -> None:
    assert read_propositions(cell) == DOOR


@pytest.mark.parametrize(
    ("cell", "pairs"),
    [
        ("'the user's request' : x1", (("the user's request", "x1"),)),
        (
            "the door, once shut : x1, it opens : x2",
            (("the door, once shut", "x1"), ("it opens", "x2")),
        ),
        (
            "x1: the door, once shut, x2: it opens",
            (("the door, once shut", "x1"), ("it opens", "x2")),
        ),
        ('"at 10:30, x2: then" : x1', (("at 10:30, x2: then", "x1"),)),
        (
            "“the users' request” : x1, “it's 'so' here” x2",
            (("the users' request", "x1"), ("it's 'so' here", "x2")),
        ),
    ],
)
def test_phrases_with_signs_in_them(cell: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert read_propositions(cell) == pairs


def test_if_both_sides_could_be_atoms_the_formula_decides() -> None:
    assert read_propositions("open : door", ("door",)) == (("open", "door"),)
    assert read_propositions("open : door", ("open",)) == (("door", "open"),)
    assert read_propositions("open : door") == (("open", "door"),)
    assert read_propositions("p1 : ready") == (("ready", "p1"),)


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "the door is open",
        '"the door is open" : 1x',
        '"the door is open" : x 1',
        '"opened" : x 1',
        '"opened" : x1.',
        '"one" : x1 "two" : x2',
        '"" : x1',
        "green x1",
        "“green” x1 “red” x2",
        "“green, “red” : x1",
        "'green 'red' : x2",
        [],
        {"one": 1},
        7,
    ],
)
def test_other_cells_are_refused(cell: Any) -> None:
    with pytest.raises(ValueError, match="write the propositions as"):
        read_propositions(cell)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ('"one" : x1 , "one" : x2', "'one' occurs twice"),
        ('"one" : x1 , "two" : x1', "'x1' occurs twice"),
    ],
)
def test_a_phrase_has_one_atom_and_an_atom_one_phrase(cell: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        read_propositions(cell)
