"""Descriptions that copy what they should describe, and those that only look like it."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages import language
from pytest_autoeval.tasks.round_trip import leaks


@pytest.mark.parametrize(
    "description",
    [
        "p1 ∧ ¬p2",
        "It says (p1 ∧ ¬p2) ∨ p3.",
        "It is !p1 that holds.",
        "p1 | p2",
        r"$p_1 \land p_2$",
        r"p_1 \Leftrightarrow p_2",
        "p1 ⟹ p2",
        "p1 &and; p2",
        "∀x, x is tall",
    ],
)
def test_signs_of_operators_are_leaks(description: str) -> None:
    lang = language("propositional")
    assert leaks(description, lang.parse("(p1 ∧ ¬p2) ∨ p3"), lang)


@pytest.mark.parametrize(
    "description",
    [
        "Either p1 holds and p2 does not, or p3 holds.",
        "p1 and not p2, or else p3.",
        "**p1** holds, *p2* does not; or ***p3***.",
        "* p1 holds\n* p2 does not\n* or p3",
        "p1 holds - p2 does not! Or p3?",
        "mary-ann walks; or-else, v, iff and xor are names.",
        "p1&nbsp;holds &quot;and&quot; p2 does not",
    ],
)
def test_plain_english_is_none(description: str) -> None:
    lang = language("propositional")
    assert not leaks(description, lang.parse("(p1 ∧ ¬p2) ∨ p3"), lang)


@pytest.mark.parametrize(
    ("description", "leaked"),
    [
        ("0* and then 1", True),
        ("`0|1`", True),
        ("It begins with 011 01 1 and goes on.", True),
        ("Any number of zeros, **then** a *one*.", False),
        ("The block 011 any number of times.", False),
        ("**01** comes *first*, then 0s.", False),
    ],
)
def test_stars_and_long_parts_of_regular_expressions(description: str, leaked: bool) -> None:
    lang = language("regex")
    assert leaks(description, lang.parse("(011011)*0*"), lang) is leaked
