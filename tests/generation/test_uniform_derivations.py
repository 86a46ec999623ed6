"""Derivations of a size are equally likely, and so is what fills their slots: against lists made without the counts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from pytest_autoeval.generation.counting import Chance, outcomes
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import Vocabulary, language

#: So few names that all formulas of small sizes can be listed.
SMALL = Vocabulary(
    propositions=("p1",),
    predicates=(("pred1", 1), ("pred2", 2)),
    constants=("c1", "c2"),
    variables=("x1", "x2"),
    alphabet=("0",),
)
Probabilities = dict[str, Fraction]


def listed(space: FormulaSpace, size: int) -> Probabilities:
    """The probability of every formula of a size, by trying every choice."""
    found: Probabilities = {}
    for formula, probability in outcomes(lambda choose: space.draw(size, choose)):
        found[str(formula)] = found.get(str(formula), Fraction(0)) + probability
    assert sum(found.values()) == 1
    return found


@pytest.mark.parametrize(
    ("grammar", "size"), [("propositional", 0), ("propositional", 2), ("ksat", 2), ("regex", 4)]
)
def test_derivations_are_equally_likely(grammar: str, size: int) -> None:
    space = formula_space(grammar, SMALL)
    found = listed(space, size)
    # With one name to fill each slot, formulas and derivations are the same.
    assert len(found) == space.derivations(size)
    assert set(found.values()) == {Fraction(1, len(found))}


@pytest.mark.parametrize(("grammar", "size"), [("propositional", 2), ("ksat", 5), ("regex", 5)])
def test_chance_goes_by_the_weights(grammar: str, size: int) -> None:
    space = formula_space(grammar, SMALL)
    cells, draws = space.derivations(size), 40 * space.derivations(size)
    chance = Chance("chi square", grammar)
    counted = Counter(str(space.draw(size, chance)) for _ in range(draws))
    statistic = sum((counted[formula] - 40) ** 2 / 40 for formula in counted) + 40 * (
        cells - len(counted)
    )
    # The statistic has mean `cells - 1` and variance twice that; the draws are the same in every run.
    assert abs(statistic - (cells - 1)) < 4 * (2 * cells) ** 0.5


def test_slots_are_filled_evenly() -> None:
    found = listed(formula_space("propositional", Vocabulary(propositions=("p", "q", "r"))), 0)
    assert found == {text: Fraction(1, 6) for name in "pqr" for text in (name, f"¬{name}")}


@pytest.mark.parametrize("probability", [Fraction(1, 4), Fraction(1)])
def test_arguments_are_independent_choices_given_that_all_variables_occur(
    probability: Fraction,
) -> None:
    options = DrawingOptions(quantifiers=2, variable_probability=float(probability))
    found = listed(formula_space("first_order", SMALL, options=options), 3)
    atoms = _atoms(("x1", "x2"), probability)
    expected: Probabilities = {}
    # Two quantifiers and one more operator: ¬ before a negated atom, or ∧, ∨ between two literals.
    shapes = [
        ["¬¬"],
        *([left, sign, right] for left in ("", "¬") for sign in "∧∨" for right in ("", "¬")),
    ]
    prefixes = [f"{one}x1. {two}x2. " for one, two in product("∀∃", repeat=2)]
    for shape, prefix in product(shapes, prefixes):
        filled = _filled(shape, atoms)
        for text, weight in filled.items():
            expected[prefix + text] = weight / sum(filled.values()) / len(shapes) / len(prefixes)
    assert found == {text: weight for text, weight in expected.items() if weight}


def _atoms(variables: tuple[str, ...], share: Fraction) -> Probabilities:
    names = dict.fromkeys(("c1", "c2"), (1 - share) / 2) | dict.fromkeys(variables, share / 2)
    one = {f"pred1({name})": weight / 2 for name, weight in names.items()}
    two = {f"pred2({a}, {b})": names[a] * names[b] / 2 for a, b in product(names, repeat=2)}
    return one | two


def _filled(shape: list[str], atoms: Probabilities) -> Probabilities:
    """The texts of a shape with atoms in it, with weights; those that leave a variable out are dropped."""
    if len(shape) == 1:
        ways = {f"{shape[0]}{atom}": weight for atom, weight in atoms.items()}
    else:
        left, sign, right = shape
        ways = {
            f"({left}{a} {sign} {right}{b})": atoms[a] * atoms[b]
            for a, b in product(atoms, repeat=2)
        }
    return {text: weight for text, weight in ways.items() if "x1" in text and "x2" in text}


def test_quantifiers_are_drawn_evenly_among_those_that_fit() -> None:
    space = formula_space("first_order")
    chance = Chance("quantifiers")
    counted = Counter(_quantifiers(str(space.draw(10, chance))) for _ in range(2_000))
    assert sorted(counted) == [0, 1, 2, 3, 4]
    assert all(abs(number - 400) < 80 for number in counted.values())
    # Three quantifiers alone do not fit: an atom has two places, and a second atom needs a connective.
    assert {_quantifiers(str(formula)) for formula in sample_formulas("first_order", 3, 200)} == {
        0,
        1,
        2,
    }


def test_every_way_to_quantify_inside_a_formula_is_covered(tmp_path: Path) -> None:
    grammar = tmp_path / "nested.lark"
    grammar.write_text(
        "// language: first_order\n"
        'start: ATOM | "(" start "∧" start ")" | "(∃" VARIABLE "." start ")"\nATOM: /a/\nVARIABLE: /x/\n',
        encoding="utf-8",
    )
    names = Vocabulary(predicates=(("P", 1), ("Q", 2)), constants=("c",), variables=("x1", "x2"))
    for size in range(4):
        found = listed(
            formula_space(grammar, names, options=DrawingOptions(quantifiers=(0, 2))), size
        )
        texts = (
            str(language("first_order").parse(text)) for text in _nested(size) if _allowed(text)
        )
        assert sorted(found) == sorted(texts)


def _nested(size: int) -> set[str]:
    """All texts of the nested grammar, by brute force, with the variables named in their order."""
    made: dict[tuple[int, int, tuple[str, ...]], list[tuple[str, int]]] = {}

    def build(size: int, bound: int, scope: tuple[str, ...]) -> list[tuple[str, int]]:
        key = (size, bound, scope)
        if key in made:
            return made[key]
        found: list[tuple[str, int]] = []
        names = ("c", *scope)
        if size == 0:
            found += [(f"P({a})", bound) for a in names] + [
                (f"Q({a}, {b})", bound) for a in names for b in names
            ]
        else:
            if bound < 2:
                variable = f"x{bound + 1}"
                found += [
                    (f"(∃{variable}. {body})", end)
                    for body, end in build(size - 1, bound + 1, (*scope, variable))
                ]
            for cut in range(size):
                for left, middle in build(cut, bound, scope):
                    found += [
                        (f"({left} ∧ {right})", end)
                        for right, end in build(size - 1 - cut, middle, scope)
                    ]
        made[key] = found
        return found

    return {text for text, _ in build(size, 0, ())}


def _allowed(text: str) -> bool:
    return all(text.count(name) != 1 for name in ("x1", "x2"))


def _quantifiers(text: str) -> int:
    return text.count("∀") + text.count("∃")
