"""Descriptions that copy the formula, by the rule that finds them; English that the rules leave alone."""

from __future__ import annotations

import pytest
from hypothesis import given

from pytest_autoeval import formulas
from pytest_autoeval.languages import Formula, language, language_of
from pytest_autoeval.languages.copies import copied


def found(name: str, formula: str, description: str) -> str:
    lang = language(name)
    return copied(description, lang.parse(formula), lang)


PROPOSITIONAL = "¬(p1 ∧ p2) ∨ p3"
FIRST_ORDER = "∀x1. ∃x2. (pred1(x1, x2) → ¬pred2(c1))"
LTL = "G (p1 -> (p2 U X p3))"
REGEX = "(01)*1*0"


@pytest.mark.parametrize(
    ("name", "formula", "descriptions"),
    [
        (
            "propositional",
            PROPOSITIONAL,
            [
                "Either ¬(p1 ∧ p2) holds or p3.",
                "p1 &and; p2, or p3",
                r"$\\lnot p_1$ or p3",
                "p1 -> p3 holds",
                "p1 v p3 holds",
                "It is Not(And(p1, p2)) or p3.",
                "or(not(p1 p2), p3)",
                "(or (not p1) p3)",
                "p1 + p3 is true",
                "!(p1 and p2)",
            ],
        ),
        (
            "first_order",
            FIRST_ORDER,
            ["![X]: pred2(c1)", "For all x1, pred2(c1) => false", "Forall x1, pred2 fails of c1."],
        ),
        (
            "ltl",
            LTL,
            [
                "G p1 holds",
                "From p1 on, p2 U p3.",
                "It is always so that X p3 holds.",
                "[] p1 holds",
                "Xp3 holds after p1.",
            ],
        ),
        (
            "regex",
            REGEX,
            [
                "0* and then 1",
                "A*0",
                "First (01)*.",
                "Any of [01], then 0.",
                "`0|1` at the end",
                "1+ and then 0",
            ],
        ),
    ],
)
def test_a_sign_of_an_operator_is_a_copy(name: str, formula: str, descriptions: list[str]) -> None:
    for description in descriptions:
        assert "sign" in found(name, formula, description), description


@pytest.mark.parametrize(
    ("name", "formula", "description"),
    [
        ("propositional", PROPOSITIONAL, "p1 and (not p2 or p3)"),
        ("propositional", PROPOSITIONAL, "The formula is:\n\n    not (p1 and p2) or p3"),
        ("propositional", PROPOSITIONAL, 'It says "not (p1 and p2) or p3".'),
        ("propositional", PROPOSITIONAL, "I say `not p1 or p3` here."),
        ("propositional", PROPOSITIONAL, "It is $not p1 or p3$."),
        ("propositional", PROPOSITIONAL, "```\np1 or p3\n```"),
        ("propositional", PROPOSITIONAL, "p1 AND p3"),
        ("propositional", PROPOSITIONAL, "p1 xor p3"),
        ("propositional", PROPOSITIONAL, "p1 iff not p3."),
        (
            "propositional",
            PROPOSITIONAL,
            "What holds is (p3 or not (p1 and p2)), and nothing else.",
        ),
        ("first_order", FIRST_ORDER, "exists x2. pred1(c1, x2)"),
        ("first_order", FIRST_ORDER, "exists x2 pred1(c1, x2)"),
        ("first_order", FIRST_ORDER, "pred2(c1) and (pred2(c1) or pred1(c1, c1))"),
        ("ltl", LTL, "always (p1 implies (p2 until p3))"),
        ("ltl", LTL, "p1 weak until p2"),
    ],
)
def test_brackets_code_words_and_marked_words_that_read_as_a_formula_are_a_copy(
    name: str, formula: str, description: str
) -> None:
    assert "reads as a formula" in found(name, formula, description)


@pytest.mark.parametrize(
    ("name", "formula", "description"),
    [
        ("propositional", PROPOSITIONAL, "NEG OPEN p1 CON p2 CLOSE DIS p3"),
        ("propositional", PROPOSITIONAL, "DIS NEG CON p1 p2 p3"),
        ("propositional", PROPOSITIONAL, "p1 p2 CON NEG p3 DIS"),
        ("propositional", PROPOSITIONAL, "DIS OPEN NEG OPEN CON OPEN p1 p2 CLOSE CLOSE p3 CLOSE"),
        (
            "propositional",
            PROPOSITIONAL,
            "The code is:\nOPEN NEG OPEN p1 CON p2 CLOSE CLOSE DIS p3\nNEG OPEN p1 CON p2 CLOSE DIS p3",
        ),
        ("propositional", "¬p1 ∧ p2", "OPEN OPEN NEG p1 CLOSE CON p2 CLOSE"),
        ("first_order", FIRST_ORDER, "ciu x1 iu x2 bo pred1(x1, x2) doz ny pred2(c1) eb"),
        ("ltl", LTL, "gux bo p1 doz bo p2 uux xux p3 eb eb"),
        ("regex", REGEX, "bo 01 eb stel 1 stel 0"),
    ],
)
def test_a_word_for_each_sign_is_a_copy(name: str, formula: str, description: str) -> None:
    assert "spells" in found(name, formula, description)


@pytest.mark.parametrize(
    ("name", "formula", "descriptions"),
    [
        (
            "propositional",
            PROPOSITIONAL,
            [
                "p1 and p2 hold",
                "Description\n===========\n\n~~p3~~ p1 and p2 hold.",
                "Not both p1 and p2 hold, or else p3.",
                "**p1** fails, *p2* does not; or ***p3***.",
                "* p1 holds\n* p2 does not\n* or p3",
                "`p1` holds - `p2` does not! Or p3?",
                "p3 (and perhaps p1) holds",
                "If p1 holds (as it may), then p3 - and/or p2 - holds, i.e. it's true.",
                "p1&nbsp;holds &quot;and&quot; p2 does not",
            ],
        ),
        (
            "first_order",
            FIRST_ORDER,
            ["For every x1 there is an x2 such that pred1(x1, x2) holds, and pred2(c1) does not."],
        ),
        (
            "ltl",
            LTL,
            [
                "At every moment with p1, p2 holds until a moment after which p3 holds next.",
                "A first moment: p1.",
            ],
        ),
        (
            "regex",
            REGEX,
            [
                "Any number of zeros, **then** a *one*.",
                "The block `01` any number of times, then '0'.",
                "1 (or 0)?",
            ],
        ),
    ],
)
def test_english_is_no_copy(name: str, formula: str, descriptions: list[str]) -> None:
    for description in descriptions:
        assert found(name, formula, description) == "", description


@pytest.mark.parametrize(
    ("name", "formula", "descriptions"),
    [
        (
            "propositional",
            PROPOSITIONAL,
            [
                "p1 or p2.",
                "not p2 and p1",
                "Not p1 or not p2 or p3",
                "p1 implies p2.",
                "p1 if and only if p3",
                "**p1 or p2.**",
                '"p1 or p2"',
                'It says "p1 or p2".',
                "In English: p1 or p2",
                "I say **p1 or p3** here.",
            ],
        ),
        (
            "first_order",
            FIRST_ORDER,
            ["pred2(c1) and not pred1(c1, c1).", "pred2(c1) or pred2(x1), or pred2(x2)."],
        ),
        (
            "ltl",
            LTL,
            [
                "Always p1.",
                "p1 until p2",
                "always eventually p1 or next p2",
                "p1 since p2",
                "Previously p1",
            ],
        ),
    ],
)
def test_words_alone_are_english_however_ambiguous(
    name: str, formula: str, descriptions: list[str]
) -> None:
    for description in descriptions:
        assert found(name, formula, description) == "", description


@pytest.mark.parametrize(
    "grammar", ["propositional", "first_order", "past_ltl", "regex", "boolean_regex"]
)
def test_no_description_of_ours_is_a_copy_and_every_formula_is(grammar: str) -> None:
    @given(formulas(grammar, max_operators=12))
    def holds(formula: Formula) -> None:
        lang = language_of(formula) if grammar != "propositional" else language("propositional")
        assert copied(lang.describe(formula), formula, lang) == ""
        if lang.measure(formula)["operators"]:
            assert copied(lang.format(formula), formula, lang)

    holds()
