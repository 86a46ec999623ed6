"""The English of regular expressions: what is said can be read back exactly, and holds no signs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.languages import EnglishError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.english import describe, read

SIGNS = re.compile(r"[∅ε*|&~^+?()\[\]{}\\]|formula|regex", re.IGNORECASE)

digits = st.sampled_from("01").map(regex.Character)
#: Digits, letters of several scripts (those of our own words too), and the notation's own signs.
chars = st.sampled_from("0189aAsz水ß²٣*|()[]{}.+?\\^$\"'-")


def several(
    inner: st.SearchStrategy[regex.Expression],
) -> st.SearchStrategy[tuple[regex.Expression, ...]]:
    """Two to four parts."""
    return st.lists(inner, min_size=2, max_size=4).map(tuple)


plain = st.recursive(
    digits,
    lambda inner: st.one_of(st.builds(regex.Star, inner), st.builds(regex.Concat, several(inner))),
    max_leaves=25,
)
bounds = st.tuples(st.integers(0, 12), st.none() | st.integers(12, 100))
extended = st.recursive(
    st.one_of(
        chars.map(regex.Character),
        st.sampled_from([regex.AnySymbol(), regex.Epsilon(), regex.Empty()]),
        st.builds(
            regex.CharacterClass, st.lists(chars, min_size=1, max_size=4).map(tuple), st.booleans()
        ),
    ),
    lambda inner: st.one_of(
        *(st.builds(kind, inner) for kind in (regex.Star, regex.Plus, regex.Optional)),
        st.builds(lambda part, limits: regex.Repeat(part, *limits), inner, bounds),
        *(st.builds(kind, several(inner)) for kind in (regex.Concat, regex.Union)),
    ),
    max_leaves=15,
)


@given(plain | extended)
def test_descriptions_are_read_back_exactly_whatever_their_layout(
    expression: regex.Expression,
) -> None:
    description = describe(expression)
    assert read(description) == read(" ".join(description.split())) == expression


@given(plain)
def test_descriptions_hold_no_signs(expression: regex.Expression) -> None:
    assert not SIGNS.search(describe(expression))


zero, one = regex.Character("0"), regex.Character("1")
pair = regex.Concat((zero, one))


@pytest.mark.parametrize(
    ("expression", "description"),
    [
        (zero, "The string is made of a 0."),
        (regex.Star(zero), "The string is made of zero or more 0s."),
        (
            regex.Concat((one, regex.Star(zero), one)),
            "The string is made of a 1, then zero or more 0s, then a 1.",
        ),
        (
            regex.Concat((regex.Star(pair), zero)),
            "The string is made of zero or more repetitions of this group: a 0, then a 1, end of group, then a 0.",
        ),
        (
            regex.Union((zero, pair)),
            "The string is made of one of these 2: a 0 or this group: a 0, then a 1, end of group.",
        ),
        (regex.Optional(regex.Character("8")), "The string is made of optionally an 8."),
        (regex.Repeat(one, 2, 3), "The string is made of between 2 and 3 1s."),
        (
            regex.CharacterClass(("a", "*"), negated=True),
            "The string is made of any symbol but these 2: the sign “asterisk” and the letter “a”.",
        ),
        (regex.Epsilon(), "The string is made of nothing."),
    ],
)
def test_small_expressions_make_one_plain_sentence(
    expression: regex.Expression, description: str
) -> None:
    assert describe(expression) == description


@pytest.mark.parametrize(
    "text",
    [
        *(
            "The string is made of.",
            "The string is made of 0.",
            "The string is made of a 0 and a 1.",
            "a 0.",
        ),
        *("The string is made of zero or more 10s.", "The string is made of the letter “ab”."),
        *(
            "The string is made of the sign “unheard of”.",
            "The string is made of the sign “u+0020”.",
        ),
        *(
            "The string is made of this group: a 0, then a 1.",
            "The string is made of one of these 2: a 0.",
        ),
        *(
            f"The string is made of {words * 900}a 0."
            for words in ("optionally ", "this group: ", "one of these 2: ")
        ),
    ],
    ids=lambda text: text[:50],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EnglishError):
        read(text)
