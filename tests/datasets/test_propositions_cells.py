"""A mapping of phrases to atoms is read as people write it; where it is not clear, nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval.datasets.propositions import read_propositions
from pytest_autoeval.languages.ltl.parser import is_name

DOOR = (("the door is open", "x1"), ("the alarm rings", "x2"))


@pytest.mark.parametrize(
    "cell",
    [
        '"the door is open" : x1 , "the alarm rings" : x2',
        "“the door is open” : x1, “the alarm rings” : x2",
        "”the door is open“ : “x1”; „the alarm rings” : “x2”",
        "'the door is open' : x1 , 'the alarm rings' : x2",
        "the door is open : x1 , the alarm rings : x2",
        "the  door is open: x1\n the alarm rings: x2\n",
        "x1: the door is open, x2: the alarm rings",
        '{"the door is open": "x1", "the alarm rings": "x2"}',
        {"the door is open": "x1", "the alarm rings": "x2"},
        {"x1": "the door is open", "x2": "the alarm rings"},
        [["the door is open", "x1"], ["the alarm rings", "x2"]],
    ],
)
def test_one_mapping_in_many_hands(cell: Any) -> None:
    assert read_propositions(cell, is_atom=is_name) == DOOR


@pytest.mark.parametrize(
    ("cell", "pairs"),
    [
        ("'the user's request' : x1", (("the user's request", "x1"),)),
        ("‘the user’s request’ : x1", (("the user’s request", "x1"),)),
        ("the door, once shut : x1, it opens : x2", (("the door, once shut", "x1"), ("it opens", "x2"))),
        ("x1: the door, once shut, x2: it opens", (("the door, once shut", "x1"), ("it opens", "x2"))),
        ('"at 10:30, x2: then" : x1', (("at 10:30, x2: then", "x1"),)),
        ('"open" : x1 , "opened" : x2', (("open", "x1"), ("opened", "x2"))),
        ("open : door.open", (("open", "door.open"),)),
    ],
)
def test_phrases_with_signs_in_them(cell: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert read_propositions(cell, is_atom=is_name) == pairs


def test_where_both_sides_could_be_atoms_the_formula_tells() -> None:
    assert read_propositions("open : door", ("door",), is_atom=is_name) == (("open", "door"),)
    assert read_propositions("open : door", ("open",), is_atom=is_name) == (("door", "open"),)
    assert read_propositions("open : door", is_atom=is_name) == (("open", "door"),)
    assert read_propositions("p1 : ready", is_atom=is_name) == (("ready", "p1"),)


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "the door is open",
        '"the door is open" : X',
        '"the door is open" : 1x',
        '"the door is open" : x 1',
        '"one" : x1 "two" : x2',
        '"one" : x1 , : x2',
        '"" : x1',
        '"one : x1',
        "{}",
        [],
        [["one", "x1", "x2"]],
        {"one": 1},
        7,
    ],
)
def test_what_is_no_mapping_is_refused(cell: Any) -> None:
    with pytest.raises(ValueError, match="write the propositions as"):
        read_propositions(cell, is_atom=is_name)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ('"one" : x1 , "one" : x2', "the phrase 'one' stands for x1 and for x2"),
        ('"one" : x1 , "One" : x2', "the phrase 'One' stands for x1 and for x2"),
        ('"one" : x1 , "one" : x1', "the phrase 'one' stands twice"),
        ('"one" : x1 , "two" : x1', "x1 stands for 'one' and for 'two'"),
        ({"one": "x1", "two": "x1"}, "x1 stands for 'one' and for 'two'"),
    ],
)
def test_a_phrase_has_one_atom_and_an_atom_one_phrase(cell: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        read_propositions(cell, is_atom=is_name)
