"""Formulas as people write them: repairs are reported, ambiguous texts are refused with their place."""

from __future__ import annotations

import pytest

from pytest_autoeval import sample_formulas
from pytest_autoeval.datasets.formula_repair import repaired
from pytest_autoeval.languages import FormulaSyntaxError, language

LOGIC = language("first_order")


@pytest.mark.parametrize(
    ("text", "meant", "repair"),
    [
        ("A ⟷ ¬B", "A ↔ ¬B", "another notation, read as A ↔ ¬B"),
        (
            "Worth(estate, y42.3billion)",
            "Worth(estate, y42_3billion)",
            "the point in a number read as _",
        ),
        ("[A ∨ B] ∧ C", "(A ∨ B) ∧ C", "another notation, read as (A ∨ B) ∧ C"),
        (
            "∀x (Tall(x) → not(Kind(x)))",
            "∀x. (Tall(x) → ¬Kind(x))",
            "another notation, read as ∀x. (Tall(x) → ¬Kind(x))",
        ),
        ("And(P(a), Q(a))", "P(a) ∧ Q(a)", "another notation, read as P(a) ∧ Q(a)"),
        (
            "ForAll(x, Implies(P(x), Q(x)))",
            "∀x. (P(x) → Q(x))",
            "another notation, read as ∀x. (P(x) → Q(x))",
        ),
        ("EXISTS x. P(x)", "∃x. P(x)", "another notation, read as ∃x. P(x)"),
        (
            "all x (P(x) -> Q(x)).",
            "∀x. (P(x) → Q(x))",
            "another notation, read as ∀x. (P(x) → Q(x))",
        ),
        ("∀xP(x)", "∀x. P(x)", "another notation, read as ∀x. P(x)"),
        ("P(a) ∧ False", "P(a) ∧ ⊥", "another notation, read as P(a) ∧ ⊥"),
        ("P(a) and not Q(b)", "P(a) ∧ ¬Q(b)", "another notation, read as P(a) ∧ ¬Q(b)"),
        ("∀x ∀y P(x) → Q(x,y)", "∀x. ∀y. (P(x) → Q(x, y))", "a quantifier extended to 'x': "),
        ("∃x (P(x)) ∧ Q(x)", "∃x. (P(x) ∧ Q(x))", "a quantifier extended to 'x': "),
    ],
)
def test_a_text_with_one_possible_meaning_is_repaired(text: str, meant: str, repair: str) -> None:
    result = repaired(text)
    assert str(result.formula) == meant
    assert len(result.repairs) == 1
    assert result.repairs[0].startswith(repair)


def test_several_repairs_are_reported_in_order() -> None:
    result = repaired("∀x P(x) → R(3.5, x)")
    assert str(result.formula) == "∀x. (P(x) → R(3_5, x))"
    assert result.repairs[0] == "the point in a number read as _"
    assert result.repairs[1].startswith("a quantifier extended to 'x': ")


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
def test_a_formula_is_not_repaired(text: str) -> None:
    found = repaired(text)
    assert (found.formula, found.repairs, found.notes) == (LOGIC.parse(text), (), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("P(a) → Q(a))", "line 1, column 12: ')' closes nothing"),
        ("∀x (P(x) → Q(x)", "line 1, column 16: '(' at column 4 is never closed"),
        ("Hero(captain america)", "line 1, column 14: unexpected 'america'"),
        ("¬(A ∧ B ∧ C", "line 1, column 12: '(' at column 2 is never closed"),
        ("∀x (P(x → Q(x))", "line 1, column 9: unexpected '→'"),
        ("A → B, C", "line 1, column 6: unexpected ','"),
        ("A, B ∨ C", "line 1, column 2: unexpected ','"),
        ("P(3.5) ∧ P(3_5)", "line 1, column 4: unexpected '.'"),
        ("∀x (P(a), x → Q(x))", "line 1, column 9: unexpected ','"),
        ("P(a) ∧ P(a, b)", "line 1, column 8: 'P' is used with 2 arguments after 1 argument"),
        ("P(x)", "line 1, column 3: no quantifier binds 'x' here"),
        ("∀n (P(n)) ∧ (∃m Q(m)) ∧ R(m)", "line 1, column 27: no quantifier binds 'm' here"),
        ("∀x P(x) ∧ ∃x Q(x) ∧ R(x)", "line 1, column 23: several quantifiers could bind 'x'"),
        ("∀x P(x) and ∃x Q(x) and R(x)", "line 1, column 1: several quantifiers could bind 'x'"),
        ("[P(a) ∧ Q(y)]", "line 1, column 1: no quantifier binds 'y' here"),
        (
            "∀x:Person (Tall(x))",
            "line 1, column 4: 'Person' may be the sort of 'x', or a predicate",
        ),
        ("∀xyR(x,y)", "line 1, column 2: 'xyR' may be a variable, or variables and a predicate"),
        ("Sour(Max, False)", "line 1, column 11: 'False' is a truth value, not a term"),
        ("Tall(ann) = False", "line 1, column 13: 'False' is a truth value, not a term"),
        ("Xor(P(a), Q(a), R(a))", "line 1, column 1: 'Xor' is a connective (⊕), not a name"),
        ("∀x Equivalent(x, a)", "line 1, column 4: 'Equivalent' is a connective (↔), not a name"),
        (
            "![X]: (p(X) => q(X))",
            "line 1, column 2: unexpected character '[' (TPTP's quantifiers are not read",
        ),
        ("P.", "line 1, column 2: unexpected '.'"),
        ("", "line 1, column 1: the text ends too early"),
        ("A ∧ " * 2000, "line 1, column "),
    ],
)
def test_other_texts_are_refused_with_their_place(text: str, problem: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        repaired(text)
    assert str(caught.value).startswith(problem)
    assert caught.value.text == text


def test_a_known_constant_that_looks_like_a_variable_extends_no_quantifier() -> None:
    assert str(repaired("P(x)", constants=["x"]).formula) == "P(x)"
    narrow = repaired("∀x P(x) → Q(x)", constants=["x"])
    assert str(narrow.formula) == "(∀x. P(x)) → Q(x)"
    assert narrow.notes == ("x beyond its quantifier read as the constant: (∀x. P(x)) → Q(x)",)


def test_oddities_are_noted_and_not_repaired() -> None:
    assert repaired("∀x (P(x) ∧ ∃x Q(x))").notes == ("x is bound again within its scope",)
    assert repaired("∀x ∃y P(x)").notes == ("the quantifier over y binds nothing",)
    assert repaired("∀x ∃y P(x)").repairs == ()
    as_formula = "x is a variable, but stands in place of a formula: read as a proposition"
    assert repaired("∀x. (P(x) ∧ x)").notes == (as_formula,)


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
