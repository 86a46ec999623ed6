"""Every formula has exactly the size asked, and derivations are counted right."""

from __future__ import annotations

from itertools import product

import pytest

from pytest_autoeval.generation.drawing import DrawingOptions, formula_space
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.languages.logic.syntax import And, Atom, Not, Or, Sentence

LANGUAGES = {
    "ksat": "propositional",
    "propositional": "propositional",
    "first_order": "first_order",
    "ltl": "ltl",
    "past_ltl": "ltl",
    "regex": "regex",
    "boolean_regex": "regex",
}


def sizes_of(grammar: str) -> list[int]:
    return [size for size in range(61) if size in formula_space(grammar)]


@pytest.mark.parametrize("grammar", LANGUAGES)
def test_formulas_have_exactly_the_size_asked(grammar: str) -> None:
    lang = language(LANGUAGES[grammar])
    for size in sizes_of(grammar):
        found = sample_formulas(grammar, size, 3, seed=size)
        assert len(set(found)) == 3
        assert [lang.measure(formula)[lang.size_measure] for formula in found] == [size] * 3
        assert all(lang.parse(lang.format(formula)) == formula for formula in found)


def test_which_sizes_there_are() -> None:
    assert sizes_of("ksat") == list(range(2, 61, 3))
    for grammar in ("propositional", "first_order", "ltl", "past_ltl"):
        assert sizes_of(grammar) == list(range(61))
    for grammar in ("regex", "boolean_regex"):
        assert sizes_of(grammar) == list(range(1, 61))


def test_clauses_have_three_literals() -> None:
    for formula in sample_formulas("ksat", 8, 50):
        clauses = str(formula).split(" ∧ ")
        assert [clause.count("∨") for clause in clauses] == [2, 2, 2]


def test_propositional_derivations_are_all_trees() -> None:
    # Each tree of ¬, ∧ and ∨ has one derivation, so there are as many as trees over one proposition.
    space = formula_space("propositional")
    trees = _trees(4)
    for size in range(5):
        assert space.derivations(size) == len(trees[size])


def test_regex_derivations_are_those_of_the_paper() -> None:
    space = formula_space("regex")
    by_depth: list[set[str]] = [set(), {"0", "0*"}]
    for depth in range(2, 7):
        below = by_depth[depth - 1]
        longer = {prefix + factor for prefix, factor in product(below, ("0", "0*"))}
        by_depth.append(longer | {f"({inner})*" for inner in below if inner != "0"})
    for depth in range(1, 7):
        assert space.derivations(depth) == len(by_depth[depth])


def test_clauses_are_counted() -> None:
    assert formula_space("ksat").derivations(8) == 2**9


def test_first_order_derivations_with_places_for_all_variables() -> None:
    # ∀∀ and ∀∃ and so on before a literal (2 signs): two variables fit into one atom of arity 2, three do not.
    exactly = [
        formula_space("first_order", options=DrawingOptions(quantifiers=number))
        for number in range(4)
    ]
    assert [space.derivations(2) for space in exactly[1:]] == [2 * len(_trees(1)[1]), 4 * 2, 0]
    assert 3 not in exactly[3]
    # Three quantifiers before a conjunction or disjunction of two literals.
    assert exactly[3].derivations(4) == 8 * 2 * 4


def test_sizes_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(DrawingError, match="give integers ≥ 0"):
        sample_formulas("propositional", -1, 3)


def test_formulas_that_would_be_astronomic_are_refused(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "branching.lark"
    path.write_text(
        '// language: regex\nstart: SYMBOL | "(" start "*" start ")" "*"\nSYMBOL: /0/\n',
        encoding="utf-8",
    )
    with pytest.raises(DrawingError, match="too large to draw"):
        sample_formulas(path, 60, 1)


def _trees(largest: int) -> list[list[Formula]]:
    """All trees of ¬, ∧ and ∨ over one proposition, by size; a negation of the bare proposition costs nothing."""
    atom = Atom("p1")
    trees: list[list[Sentence]] = [[atom, Not(atom)]]
    for size in range(1, largest + 1):
        negations: list[Sentence] = [Not(tree) for tree in trees[size - 1] if tree != atom]
        pairs = (product(trees[left], trees[size - 1 - left]) for left in range(size))
        binary: list[Sentence] = [
            connective(*pair) for group in pairs for pair in group for connective in (And, Or)
        ]
        trees.append(negations + binary)
    return [list(group) for group in trees]
