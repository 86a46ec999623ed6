"""Everything about the slots can be set: quantifiers, variables, vacuous ones, what is left out."""

from __future__ import annotations

import pytest

from pytest_autoeval.generation.drawing import DrawingOptions, prevalence
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.logic.syntax import Atom, Quantified


def variables_of(formula: Formula) -> tuple[list[str], list[str]]:
    """The variables that a formula binds, and the names that its atoms use."""
    bound: list[str] = []
    used: list[str] = []
    pending = [formula]
    while pending:
        node = pending.pop()
        if isinstance(node, Quantified):
            bound.append(node.variable)
        if isinstance(node, Atom):
            used += [term.name for term in node.arguments]
        pending.extend(node.children())
    return bound, used


@pytest.mark.parametrize("size", [1, 3, 6, 30])
def test_every_quantified_variable_occurs(size: int) -> None:
    for formula in sample_formulas("first_order", size, 60, seed=size):
        bound, used = variables_of(formula)
        assert bound == [f"x{number}" for number in range(1, len(bound) + 1)]
        assert set(bound) <= set(used)
        assert not {name for name in used if name.startswith("x")} - set(bound)


def test_quantifiers_may_be_vacuous_if_asked_for() -> None:
    found = sample_formulas("first_order", 4, 300, vacuous_quantifiers=True)
    unused = [
        formula
        for formula in found
        if set(variables_of(formula)[0]) - set(variables_of(formula)[1])
    ]
    assert len(unused) > 50
    assert max(len(variables_of(formula)[0]) for formula in found) == 4


@pytest.mark.parametrize("wanted", [0, 2, (1, 3)])
def test_the_number_of_quantifiers_can_be_set(wanted: int | tuple[int, int]) -> None:
    lowest, highest = (wanted, wanted) if isinstance(wanted, int) else wanted
    counts = {
        len(variables_of(formula)[0])
        for formula in sample_formulas("first_order", 8, 100, quantifiers=wanted)
    }
    assert counts == set(range(lowest, highest + 1))


@pytest.mark.parametrize("probability", [0.0, 0.25, 0.7, 1.0])
def test_how_often_an_argument_is_a_variable(probability: float) -> None:
    found = sample_formulas(
        "first_order",
        30,
        60,
        quantifiers=(0, 4) if probability == 0 else 2,
        variable_probability=probability,
    )
    used = [name for formula in found for name in variables_of(formula)[1]]
    share = sum(name.startswith("x") for name in used) / len(used)
    assert abs(share - probability) < 0.03


def test_variables_in_scope_are_used_evenly() -> None:
    found = sample_formulas("first_order", 30, 200, quantifiers=2, variable_probability=0.5)
    used = [name for formula in found for name in variables_of(formula)[1] if name.startswith("x")]
    assert abs(used.count("x1") / len(used) - 0.5) < 0.02


@pytest.mark.parametrize(
    "wrong",
    [
        {"quantifiers": (3, 1)},
        {"quantifiers": -1},
        {"variable_probability": 1.5},
        {"quantifiers": (0, 1, 2)},
    ],
)
def test_options_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(DrawingError, match=next(iter(wrong))):
        DrawingOptions(**wrong)  # type: ignore[arg-type]


def test_the_share_of_trivial_formulas_is_measured() -> None:
    lang = language("propositional")
    listed = [lang.parse(text) for text in ("p ∨ ¬p", "p ∧ ¬p", "p", "p ∧ q")]
    assert prevalence(listed, "propositional") == {
        "tautology": 0.25,
        "contradiction": 0.25,
        "undecided": 0.0,
    }
    expressions = [language("regex").parse(text) for text in ("(0*1*)*", "01", "(1*0*)*", "0*")]
    assert prevalence(expressions, language("regex")) == {
        "empty": 0.0,
        "universal": 0.5,
        "undecided": 0.0,
    }
    assert prevalence([], "first_order") == {
        "tautology": 0.0,
        "contradiction": 0.0,
        "undecided": 0.0,
    }


def test_trivial_formulas_can_be_left_out() -> None:
    names = Vocabulary(propositions=("p", "q"))
    everything = sample_formulas("propositional", 3, 200, vocabulary=names)
    assert prevalence(everything, "propositional")["tautology"] > 0
    kept = sample_formulas(
        "propositional", 3, 200, vocabulary=names, exclude={"tautology", "contradiction"}
    )
    shares = prevalence(kept, "propositional")
    assert len(kept) == 200
    assert shares["tautology"] == shares["contradiction"] == 0
    # What is left out is only skipped: the others come in the same order.
    assert [formula for formula in everything if formula in set(kept)] == kept[
        : len(set(everything) & set(kept))
    ]


def test_what_cannot_be_left_out_is_told() -> None:
    with pytest.raises(
        DrawingError, match="'empty' cannot be excluded from the language propositional"
    ):
        sample_formulas("propositional", 3, 1, exclude=("empty",))
