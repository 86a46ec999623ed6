"""The Hypothesis strategy: the same formulas as the grammar's, and failures shrink to few operators and first names."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from pytest_autoeval.generation.drawing import prevalence
from pytest_autoeval.generation.drawing_errors import DrawingError, UnknownGrammarError
from pytest_autoeval.generation.strategies import formulas
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.languages.logic.syntax import And, Atom, Exists, Forall, Not, Or, Quantified

PROPOSITIONAL = language("propositional")
FIRST_ORDER = language("first_order")


def parts(formula: Formula) -> Iterator[Formula]:
    yield formula
    for child in formula.children():
        yield from parts(child)


def smallest(strategy: st.SearchStrategy[Formula], wanted: Callable[[Formula], bool]) -> str:
    how = settings(database=None, max_examples=2_000, phases=[Phase.generate, Phase.shrink])
    found = find(strategy, wanted, settings=how, random=random.Random(7))
    return str(found)


@given(formulas("propositional", max_operators=12, min_operators=3))
def test_sizes_lie_between_the_bounds(formula: Formula) -> None:
    assert 3 <= PROPOSITIONAL.measure(formula)["operators"] <= 12
    assert not PROPOSITIONAL.foreign(formula, PROPOSITIONAL.symbols(formula))
    assert PROPOSITIONAL.parse(str(formula)) == formula


@given(formulas("first_order", max_operators=8))
def test_every_variable_occurs_and_quantifiers_stand_in_front(formula: Formula) -> None:
    bound = []
    matrix = formula
    while isinstance(matrix, Quantified):
        bound.append(matrix.variable)
        matrix = matrix.body
    assert not any(isinstance(part, Quantified) for part in parts(matrix))
    used = {
        term.name for part in parts(matrix) if isinstance(part, Atom) for term in part.arguments
    }
    assert set(bound) == {name for name in used if name.startswith("x")}
    assert FIRST_ORDER.measure(formula)["operators"] <= 8


@settings(max_examples=30)
@given(formulas("propositional", max_operators=4, exclude=("tautology", "contradiction")))
def test_what_is_left_out_does_not_come(formula: Formula) -> None:
    assert prevalence([formula], "propositional")["tautology"] == 0


@pytest.mark.parametrize(
    ("wanted", "minimum"),
    [
        (lambda formula: True, "p1"),
        (lambda formula: "p7" in str(formula), "p7"),
        (lambda formula: any(isinstance(part, Not) for part in parts(formula)), "¬p1"),
        (
            lambda formula: any(
                isinstance(p, Not) and isinstance(p.operand, And) for p in parts(formula)
            ),
            "¬(p1 ∧ p1)",
        ),
        (
            lambda formula: any(
                isinstance(p, Not) and isinstance(p.operand, Not) for p in parts(formula)
            ),
            "¬¬p1",
        ),
        (
            lambda formula: any(
                isinstance(p, Or) and isinstance(p.left, And) for p in parts(formula)
            ),
            "(p1 ∧ p1) ∨ p1",
        ),
        (lambda formula: len(PROPOSITIONAL.symbols(formula).propositions) == 2, "p1 ∧ p2"),
    ],
)
def test_propositional_failures_shrink_to_the_smallest(
    wanted: Callable[[Formula], bool], minimum: str
) -> None:
    assert smallest(formulas("propositional"), wanted) == minimum


@pytest.mark.parametrize(
    ("wanted", "minimum"),
    [
        (lambda formula: True, "pred1(c1)"),
        (lambda formula: isinstance(formula, Quantified), "∀x1. pred1(x1)"),
        (lambda formula: isinstance(formula, Exists), "∃x1. pred1(x1)"),
        (
            lambda formula: isinstance(formula, Forall) and isinstance(formula.body, Exists),
            "∀x1. ∃x2. pred2(x1, x2)",
        ),
        (
            lambda formula: any(isinstance(part, And) for part in parts(formula)),
            "pred1(c1) ∧ pred1(c1)",
        ),
        (lambda formula: "c3" in str(formula), "pred1(c3)"),
    ],
)
def test_first_order_failures_shrink_to_the_smallest(
    wanted: Callable[[Formula], bool], minimum: str
) -> None:
    assert smallest(formulas("first_order"), wanted) == minimum


def test_regex_failures_shrink_to_the_smallest() -> None:
    assert smallest(formulas("regex"), lambda formula: "(" in str(formula)) == "(0*)*"
    assert smallest(formulas("regex"), lambda formula: "1*" in str(formula)) == "1*"


def test_a_grammar_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "implications.lark"
    path.write_text(
        '// language: propositional\nstart: PROPOSITION | "(" start "→" start ")"\nPROPOSITION: /p/\n',
        encoding="utf-8",
    )
    assert (
        smallest(formulas(path), lambda formula: str(formula).count("→") >= 2) == "p1 → (p1 → p1)"
    )


def test_mistakes_are_told_where_the_strategy_is_made() -> None:
    with pytest.raises(UnknownGrammarError):
        formulas("propositionel")
    with pytest.raises(DrawingError, match="no formulas of size 3 to 4"):
        formulas("ksat", max_operators=4, min_operators=3)
