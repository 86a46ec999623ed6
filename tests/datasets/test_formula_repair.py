"""Formulas as people write them: what is mended says so, what could be meant in two ways is refused with its place."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval import sample_formulas
from pytest_autoeval.datasets.first_order.formula_repair import repaired
from pytest_autoeval.languages import FormulaSyntaxError, language

LOGIC = language("first_order")


@pytest.mark.parametrize(
    ("text", "meant", "repair"),
    [
        ("Wet(street) → Slippery(street))", "Wet(street) → Slippery(street)", "a closing parenthesis removed"),
        ("∀x (P(x) → Q(x)", "∀x. (P(x) → Q(x))", "a closing parenthesis added"),
        ("A ⟷ ¬B", "A ↔ ¬B", "another notation, read as A ↔ ¬B"),
        ("∀x.P(x).", "∀x. P(x)", "the final full stop removed"),
        ("Worth(estate, y42.3billion)", "Worth(estate, y42_3billion)", "the point in a number read as _"),
        ("[A ∨ B] ∧ C", "(A ∨ B) ∧ C", "another notation, read as (A ∨ B) ∧ C"),
        ("P(a) and not Q(b)", "P(a) ∧ ¬Q(b)", "another notation, read as P(a) ∧ ¬Q(b)"),
        ("∀x ∀y P(x) → Q(x,y)", "∀x. ∀y. (P(x) → Q(x, y))", "a quantifier extended to 'x': "),
        ("∃x (P(x)) ∧ Q(x)", "∃x. (P(x) ∧ Q(x))", "a quantifier extended to 'x': "),
        ("Hero(captain america)", "Hero(captain_america)", "'captain america' read as captain_america"),
        ("∀x (In(x, mr. smith) → P(f(x)))", "∀x. (In(x, mr_smith) → P(f(x)))", "'mr. smith' read as mr_smith"),
        ("S\u0301l(a)", "\u015al(a)", "letters joined with their accents"),
    ],
)
def test_what_can_mean_one_thing_is_mended_and_told(text: str, meant: str, repair: str) -> None:
    found = repaired(text)
    assert str(found.formula) == meant
    (told,) = found.repairs
    assert told.startswith(repair)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("F(a b)", {}),
        ("F(x anna)", {}),
        ("F(anna bob)", {"constants": ["anna"]}),
        ("F(anna bob)", {"variables": ["bob"]}),
        ("F(anna bob) ∧ G(bob)", {}),
        ("F(anna bob) ∧ G(anna_bob)", {}),
        ("F(anna bob)", {"beside": [LOGIC.parse("G(anna)")]}),
        ("F(anna bob)", {"beside": [LOGIC.parse("F(carl, dora)")]}),
        ("F(anna bob)", {"sentence": "Anna favours Bob."}),
        ("Not(Tall bob)", {}),
        ("F(mr.smith, u.s.)", {}),
    ],
)
def test_words_that_may_be_several_names_are_not_made_one(text: str, known: dict[str, Any]) -> None:
    with pytest.raises(FormulaSyntaxError):
        repaired(text, **known)


def test_words_that_the_sentence_has_together_are_one_name() -> None:
    known: dict[str, Any] = {"constants": ["mr_smith"], "beside": [LOGIC.parse("F(carl)")]}
    known["sentence"] = "Mr. Smith is famous."
    assert str(repaired("F(mr.smith)", **known).formula) == "F(mr_smith)"


def test_several_repairs_are_told_in_turn() -> None:
    found = repaired("∀x (P(x) → R(3.5, x).")
    assert str(found.formula) == "∀x. (P(x) → R(3_5, x))"
    assert found.repairs == (
        "the final full stop removed",
        "the point in a number read as _",
        "a closing parenthesis added",
    )


@pytest.mark.parametrize(
    "text",
    [
        "∀x (P(x) → ¬Q(x, anna))",
        "A ∧ B → C ∨ D",
        "(A ∧ B) ⊕ C → D ∧ E",
        "P(a)\u00a0∧\u3000Q(b)",
        "P(o’brien, mary-ann, 1984)",
        "∃x ∃y ¬(x = y)",
    ],
)
def test_what_is_a_formula_stays_as_it_is(text: str) -> None:
    found = repaired(text)
    assert (found.formula, found.repairs, found.notes) == (LOGIC.parse(text), (), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(A ∨ B) ∧ C)", "line 1, column 12: ')' closes nothing"),
        ("P(a) ∧ Q(b) ∨ R(c))", "line 1, column 19: ')' closes nothing"),
        ("(A ∨ (B ∧ C → D)", "line 1, column 17: '(' at column 1 is never closed"),
        ("¬(A ∧ B ∧ C", "line 1, column 12: '(' at column 2 is never closed"),
        ("∀x (P(x → Q(x))", "line 1, column 9: unexpected '→'"),
        ("A → B, C", "line 1, column 6: unexpected ','"),
        ("A, B ∨ C", "line 1, column 2: unexpected ','"),
        ("P(3.5) ∧ P(3_5)", "line 1, column 4: unexpected '.'"),
        ("Tallann) ∧ Kind(ann)", "line 1, column 8: ')' closes nothing"),
        ("∀x (P(a), x → Q(x))", "line 1, column 9: unexpected ','"),
        ("P(c(8) ∧ Q(a)", "line 1, column 8: "),
        ("P(a) ∧ P(a, b)", "line 1, column 8: 'P' is used with 2 arguments after 1 argument"),
        ("P(x)", "line 1, column 3: no quantifier binds 'x' here"),
        ("∀n (P(n)) ∧ (∃m Q(m)) ∧ R(m)", "line 1, column 27: no quantifier binds 'm' here"),
        ("∀x P(x) ∧ ∃x Q(x) ∧ R(x)", "line 1, column 23: several quantifiers could bind 'x'"),
        ("∀x P(x) and ∃x Q(x) and R(x)", "line 1, column 1: several quantifiers could bind 'x'"),
        ("[P(a) ∧ Q(y)]", "line 1, column 1: no quantifier binds 'y' here"),
        ("", "line 1, column 1: the text ends too early"),
        ("A ∧ " * 2000, "line 1, column "),
    ],
)
def test_what_could_mean_several_things_or_nothing_is_refused_where_it_stands(text: str, problem: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        repaired(text)
    assert str(caught.value).startswith(problem)
    assert caught.value.text == text


def test_names_that_are_known_are_no_variables_and_the_other_way_round() -> None:
    assert str(repaired("P(x)", constants=["x"]).formula) == "P(x)"
    assert str(repaired("P(thing)").formula) == "P(thing)"
    with pytest.raises(FormulaSyntaxError, match="no quantifier binds 'thing' here"):
        repaired("P(thing)", variables=["thing"])


def test_a_constant_that_looks_like_a_variable_widens_nothing() -> None:
    assert str(repaired("∀x P(x) → Q(x)", constants=["x"]).formula) == "(∀x. P(x)) → Q(x)"


def test_what_is_odd_is_noted_and_read_as_it_stands() -> None:
    assert repaired("∀x (P(x) ∧ ∃x Q(x))").notes == ("x is bound again within its scope",)
    assert repaired("∀x ∃y P(x)").notes == ("the quantifier over y binds nothing",)
    assert repaired("∀x ∃y P(x)").repairs == ()


@pytest.mark.parametrize("operators", range(1, 6))
def test_a_formula_that_lost_a_parenthesis_never_gets_another_meaning(operators: int) -> None:
    for formula in sample_formulas("first_order", operators=operators, count=15, seed=5):
        text, constants = str(formula), LOGIC.symbols(formula).constants
        for at in (at for at, sign in enumerate(text) if sign in "()"):
            try:
                found = repaired(text[:at] + text[at + 1 :], constants=constants).formula
            except FormulaSyntaxError:
                continue
            assert LOGIC.equivalent(found, formula).outcome == "equivalent"


def test_most_formulas_that_lost_their_last_parenthesis_are_mended() -> None:
    formulas = [f for size in range(2, 6) for f in sample_formulas("first_order", operators=size, count=15, seed=5)]
    mended = 0
    for formula in formulas:
        try:
            mended += bool(repaired(str(formula)[:-1], constants=LOGIC.symbols(formula).constants).repairs)
        except FormulaSyntaxError:
            continue
    assert mended > len(formulas) / 2
