"""A description is searched for signs between the names of its formula, but only where one can stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.languages.logic import signs

PIECES = (
    "p",
    "q",
    "p1",
    "v",
    "Likes",
    "x",
    "Likes(x)",
    "the",
    "is true",
    "(",
    ")",
    " ",
    "\n",
    "-",
    "+",
    "·",
    "⋅",
    " v ",
    " + ",
    " - ",
    "\tV\t",
    "(and p q)",
    "(or ",
    "(not q ",
    "G p",
    "Gp",
    "Fq",
    "p U q",
    "X(",
    "AG p",
    "S",
)
NAMES = st.sampled_from(
    [frozenset({"p", "q", "p1"}), frozenset({"p", "q", "v", "x", "Likes"}), frozenset({"U", "p"})]
)


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), NAMES)
def test_no_sign_is_missed_by_the_early_look(text: str, names: frozenset[str]) -> None:
    between, letter = signs._between_names(names).search(text), signs._letters(names).search(text)
    sign = signs._SIGN.search(text) or between
    assert signs.operator_sign(text, names) == (sign[0].strip() if sign else "")
    assert signs.temporal_letter(text, names) == (letter[0].strip() if letter else "")
