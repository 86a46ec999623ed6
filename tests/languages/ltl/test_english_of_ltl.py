"""The English of temporal logic: what is said can be read back exactly, holds no signs, and is no other English."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.logic import english as english_of_logic
from pytest_autoeval.languages.ltl import syntax
from pytest_autoeval.languages.ltl.english import describe, read
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Bottom,
    Eventually,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Release,
    Since,
    Temporal,
    Top,
    Triggered,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)
from pytest_autoeval.languages.regex import english as english_of_regex
from pytest_autoeval.models.offline.behaviour import formula_of_description
from pytest_autoeval.tasks.leakage import leaks

UNARY = (Not, Next, Eventually, Always, Yesterday, WeakYesterday, Once, Historically)
BINARY = (And, Or, Xor, Implies, Iff, Until, Release, WeakUntil, Since, Triggered)
CONNECTIVES = (And, Or, Xor, Implies, Iff)
#: Plain names, and those that are, or contain, words of ours.
NAMES = (
    *("p1", "p2", "x1", "door_open", "door.open", "Step", "steps", "at", "holds", "the", "until", "every", "start"),
    *("if", "and", "both", "any", "string", "A", "then", "true1", "not", "equals", "relates", "of", "so"),
)
SIGNS = re.compile(r"[!&|<>=()\[\]{}¬∧∨→↔⊕□◇○]|\b[XFGURWVYZOHST]\b|formula", re.IGNORECASE)

atoms = st.sampled_from([*map(Atom, NAMES), Top(), Bottom()])


def _grown(
    unary: tuple[type[syntax.Unary], ...], binary: tuple[type[syntax.Binary], ...]
) -> st.SearchStrategy[Temporal]:
    def extended(inner: st.SearchStrategy[Temporal]) -> st.SearchStrategy[Temporal]:
        ones = st.builds(lambda kind, operand: kind(operand), st.sampled_from(unary), inner)
        return ones | st.builds(lambda kind, left, right: kind(left, right), st.sampled_from(binary), inner, inner)

    return st.recursive(atoms, extended, max_leaves=16)


formulas = _grown(UNARY, BINARY)
propositional = _grown((Not,), CONNECTIVES)


def test_every_operator_is_drawn() -> None:
    operators = {
        kind
        for kind in vars(syntax).values()
        if isinstance(kind, type) and issubclass(kind, syntax.Unary | syntax.Binary)
    }
    assert operators - {syntax.Unary, syntax.Binary} == {*UNARY, *BINARY}


@given(formulas)
def test_descriptions_are_read_back_exactly(formula: Temporal) -> None:
    description = describe(formula)
    assert read(description) == formula
    assert formula_of_description(description) == formula


@given(formulas)
def test_layout_and_capitals_make_no_difference(formula: Temporal) -> None:
    flat = " ".join(describe(formula).split())
    assert read(flat.removesuffix(".")) == formula


@given(formulas)
def test_descriptions_hold_no_signs_and_do_not_leak(formula: Temporal) -> None:
    description = describe(formula)
    quoted_names_apart = re.sub(r'"[^"]*"|\bA\b', "", description)
    assert not SIGNS.search(quoted_names_apart.replace("A holds", "").replace("A does", ""))
    assert not leaks(description, formula, language("ltl"))


@given(formulas | propositional)
def test_other_englishes_do_not_take_it(formula: Temporal) -> None:
    for other in (english_of_logic, english_of_regex):
        with pytest.raises(EnglishError):
            other.read(describe(formula))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(
            ("propositional", text)
            for text in ("p1", "¬p1", "p1 ∧ ¬(p2 ∨ p3)", "(p1 → p2) ↔ (p3 ⊕ ⊤)", "start ∧ step", "every")
        ),
        *(("first_order", text) for text in ("P(a)", "∀x1. ∃x2. (P(x1, x2) → ¬Q(c1))", "a = b", "at(step)")),
        *(("regex", text) for text in ("01", "(0*1)*0", "step")),
    ],
)
def test_the_english_of_other_languages_stays_theirs(name: str, text: str) -> None:
    formula = language(name).parse(text)
    description = language(name).describe(formula)
    with pytest.raises(EnglishError):
        read(description)
    assert formula_of_description(description) == formula


@given(propositional)
def test_what_has_no_temporal_operator_holds_at_the_start(formula: Temporal) -> None:
    description = describe(formula)
    assert description.startswith("At the start, ")
    with pytest.raises(EnglishError):
        read(description.removeprefix("At the start, "))


p, q, r, s = (Atom(f"p{number}") for number in range(1, 5))


@pytest.mark.parametrize(
    ("formula", "description"),
    [
        (p, "At the start, p1 holds."),
        (Not(Top()), "At the start, the always true statement does not hold."),
        (Always(p), "At every step p1 holds."),
        (Always(Eventually(p)), "At every step, at some step from then on p1 holds."),
        (Not(Eventually(p)), "It is not the case that at some step p1 holds."),
        (
            Always(Implies(p, Eventually(q))),
            "At every step, if p1 holds, then at some step from then on p2 holds.",
        ),
        (Implies(p, Next(Not(q))), "If p1 holds, then at the next step p2 does not hold."),
        (Next(Next(Next(p))), "3 steps later p1 holds."),
        (Until(Not(p), q), "p1 does not hold until a step at which p2 holds."),
        (WeakUntil(Not(p), q), "p1 does not hold until the step, if any, at which p2 holds."),
        (Release(p, q), "p2 holds through the step, if any, at which p1 holds."),
        (Since(p, q), "p1 holds ever since a step at which p2 holds."),
        (Triggered(p, q), "p2 holds back through the last step, if any, at which p1 holds."),
        (
            Until(And(p, q), Next(r)),
            "It is the case that both p1 holds and p2 holds, until a step at which at the next step p3 holds.",
        ),
        (Always(Implies(p, Once(q))), "At every step, if p1 holds, then at some step up to then p2 holds."),
        (Historically(p), "At every step up to now p1 holds."),
        (
            Always(Implies(p, Yesterday(q))),
            "At every step, if p1 holds, then there is a step before at which p2 holds.",
        ),
        (WeakYesterday(p), "At the step before, if there is one, p1 holds."),
        (Eventually(Atom("step")), 'At some step "step" holds.'),
        (
            Xor(Xor(p, Next(q)), r),
            "An odd number of these 3 are true: p1 holds, at the next step p2 holds, or p3 holds.",
        ),
        (Iff(Eventually(p), q), "It is the case that at some step p1 holds, exactly when p2 holds."),
    ],
)
def test_small_formulas_make_one_plain_sentence(formula: Temporal, description: str) -> None:
    assert describe(formula) == description


def test_larger_formulas_are_laid_out_part_by_part() -> None:
    formula = Always(Implies(And(p, Next(q)), Until(Or(r, Not(s)), And(p, Once(q)))))
    until = "it is the case that either p3 holds or p4 does not hold, until a step at which"
    assert describe(formula).splitlines() == [
        "At every step, if the first of these 2 is true, then so is the second:",
        "  both p1 holds and at the next step p2 holds;",
        f"  {until} both p1 holds and at some step up to then p2 holds.",
    ]


@pytest.mark.parametrize("steps", [1, 2, 20, 99, 100, 101, 149])
def test_many_steps_are_counted(steps: int) -> None:
    formula: Temporal = p
    for _ in range(steps):
        formula = Next(formula)
    assert read(describe(formula)) == formula


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "p1",
            "p1 holds.",
            "p1 holds until",
            "At every step",
            "At every step, p1 holds p2 holds",
            "0 steps later p1",
        ),
        *("p1 holds until a step at which both p1 holds and p2 holds.", "999999 steps later p1 holds.", "X p1"),
        *("At the start, at every step p1 holds.", "It is the case that p1 holds, and p2 holds.", "G (p1 -> F p2)"),
        "All 3 of these are true: at every step p1 holds",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EnglishError):
        read(text)
