"""The English of temporal logic: what is said can be read back exactly, holds no signs, and is no other English."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from support.ltl_formulas import formulas

from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.languages.logic.english import ENGLISH as ENGLISH_OF_LOGIC
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.english import ENGLISH
from pytest_autoeval.languages.regex import english as english_of_regex
from pytest_autoeval.models.offline.behaviour import formula_of_description

#: Plain names, and those that are, or contain, words of ours.
NAMES = (
    *(
        "p1",
        "x1",
        "door_open",
        "door.open",
        "Step",
        "steps",
        "at",
        "holds",
        "the",
        "until",
        "every",
        "start",
    ),
    *(
        "if",
        "and",
        "both",
        "any",
        "string",
        "A",
        "then",
        "true1",
        "not",
        "equals",
        "relates",
        "of",
        "so",
        "it",
    ),
)
SIGNS = re.compile(r"[!&|<>=\[\]{}¬∧∨→↔⊕□◇○]|\b[XFGURWVYZOHST]\b|formula", re.IGNORECASE)

FORMULAS = formulas(NAMES, max_leaves=16) | formulas(NAMES, past=False, future=False, max_leaves=16)


@given(FORMULAS)
def test_descriptions_are_read_back_exactly_hold_no_signs_and_do_not_leak(
    formula: ltl.Temporal,
) -> None:
    description = ENGLISH.describe(formula)
    assert (
        ENGLISH.read(description)
        == formula_of_description(description.replace(" ", "\n"))
        == formula
    )
    names_apart = re.sub(r"“[^”]*”|\bA\b(?= holds| does)", "", description)
    assert not SIGNS.search(names_apart)
    assert not copied(description, formula, language("ltl"))


@given(FORMULAS)
def test_other_englishes_do_not_take_it(formula: ltl.Temporal) -> None:
    for other in (ENGLISH_OF_LOGIC, english_of_regex):
        with pytest.raises(EnglishError):
            other.read(ENGLISH.describe(formula))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(
            ("propositional", text)
            for text in (
                "p1",
                "¬p1",
                "p1 ∧ ¬(p2 ∨ p3)",
                "(p1 → p2) ↔ (p3 ⊕ ⊤)",
                "start ∧ step",
                "every",
            )
        ),
        *(
            ("first_order", text)
            for text in ("P(a)", "∀x1. ∃x2. (P(x1, x2) → ¬Q(c1))", "a = b", "at(step)")
        ),
        *(("regex", text) for text in ("01", "(0*1)*0", "step")),
    ],
)
def test_the_english_of_other_languages_stays_theirs(name: str, text: str) -> None:
    formula = language(name).parse(text)
    description = language(name).describe(formula)
    with pytest.raises(EnglishError):
        ENGLISH.read(description)
    assert formula_of_description(description) == formula


p, q, r = (ltl.Atom(f"p{number}") for number in range(1, 4))


@pytest.mark.parametrize(
    ("formula", "description"),
    [
        (p, "p1 holds."),
        (
            ltl.Always(ltl.Eventually(p)),
            "at this and every later step, at this or some later step, p1 holds.",
        ),
        (
            ltl.Implies(p, ltl.Next(ltl.Not(q))),
            "if p1 holds, then at the next step, p2 does not hold.",
        ),
        (ltl.Until(ltl.Not(p), q), "p1 does not hold until a step at which p2 holds."),
        (
            ltl.WeakUntil(ltl.Not(p), q),
            "p1 does not hold until the step, if any, at which p2 holds.",
        ),
        (ltl.Release(p, q), "p2 holds through the step, if any, at which p1 holds."),
        (ltl.Since(p, q), "p1 holds ever since a step at which p2 holds."),
        (ltl.Triggered(p, q), "p2 holds back through the last step, if any, at which p1 holds."),
        (
            ltl.Until(ltl.And(p, q), ltl.Until(q, r)),
            "both p1 holds and p2 holds, until a step at which (p2 holds until a step at which p3 holds).",
        ),
        (ltl.Once(p), "at this or some earlier step, p1 holds."),
        (ltl.Or(ltl.Yesterday(p), q), "(there is a step before at which p1 holds) or p2 holds."),
        (ltl.WeakYesterday(ltl.Atom("at")), "at the step before, if there is one, “at” holds."),
        (
            ltl.Iff(ltl.Eventually(p), q),
            "(at this or some later step, p1 holds) if and only if p2 holds.",
        ),
    ],
)
def test_descriptions_are_plain_sentences(formula: ltl.Temporal, description: str) -> None:
    assert ENGLISH.describe(formula) == f"At the start, {description}"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "p1.",
            "p1 holds.",
            "At the start, p1 holds until.",
            "At the start, at the next step.",
            "X p1.",
        ),
        *(
            "At the start, p1 holds until a step at which p2 holds until a step at which p3 holds.",
            "At the start, F holds.",
        ),
        *(
            "At the start, at the next step, p1 holds p2 holds.",
            "At the start, at this and every step, p1 holds.",
        ),
        "At the start, " + "at the next step, " * 9_000 + "p1 holds.",
    ],
    ids=lambda text: text[:50],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EnglishError):
        ENGLISH.read(text)
