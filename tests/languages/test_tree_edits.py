"""The cheapest edit of one tree into another keeps what its definition says: computed here without any shortcut."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.logic_formulas import first_order, propositional
from support.ltl_formulas import formulas as ltl_formulas
from support.regex_expressions import expressions

from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.differences import Layout, Trees, differences
from pytest_autoeval.languages.tree_edits import ComparedNode, TreeComparison

FORMULAS = {
    "propositional": propositional(),
    "first_order": first_order(),
    "ltl": ltl_formulas(),
    "regex": expressions(),
}


class Definition:
    """The weight that is kept, of each pair of nodes by itself."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], int] = {}

    def kept(self, one: ComparedNode, other: ComparedNode) -> int:
        """The most of: all if they are equal, what a part keeps, what both keep if they match."""
        pair = id(one), id(other)
        if pair not in self._known:
            self._known[pair] = self._most(one, other)
        return self._known[pair]

    def _most(self, one: ComparedNode, other: ComparedNode) -> int:
        if one.key == other.key:
            return one.weight + other.weight
        ways = [0]
        ways += [self.kept(part, other) for part in one.parts]
        ways += [self.kept(one, part) for part in other.parts]
        if one.parts and other.parts:
            own = 2 * min(one.own_weight, other.own_weight) if one.label == other.label else 0
            ways += [own + matched for matched in self._matched(one, other)]
        return max(ways)

    def _matched(self, one: ComparedNode, other: ComparedNode) -> list[int]:
        """What the parts keep in the one way in which they match, if there is one."""
        same_number = len(one.parts) == len(other.parts)
        if one.order == other.order == "any":
            return [self._greedy(one, other)]
        if one.order == other.order and (
            one.order == "sequence" or (one.label == other.label and not same_number)
        ):
            return [self._aligned(one.parts, other.parts)]
        if same_number:
            return [sum(map(self.kept, one.parts, other.parts))]
        return []

    def _greedy(self, one: ComparedNode, other: ComparedNode) -> int:
        left, right, total = dict(enumerate(one.parts)), dict(enumerate(other.parts)), 0
        while left and right:
            most, at, place = max(
                (self.kept(left[at], right[place]), -at, -place) for at in left for place in right
            )
            del left[-at], right[-place]
            total += most
        return total

    def _aligned(self, ones: list[ComparedNode], others: list[ComparedNode]) -> int:
        if not ones or not others:
            return 0
        both = self.kept(ones[0], others[0]) + self._aligned(ones[1:], others[1:])
        return max(both, self._aligned(ones[1:], others), self._aligned(ones, others[1:]))


@pytest.mark.parametrize("chained", [True, False])
@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_each_pair_of_nodes_keeps_what_the_definition_says(
    name: str, data: Any, *, chained: bool
) -> None:
    layout = language(name).layout
    left, right = data.draw(FORMULAS[name]), data.draw(FORMULAS[name])
    trees, definition = Trees(layout, "around", chained=chained), Definition()
    comparison = TreeComparison(trees.tree(left), trees.tree(right))
    comparison.marks()
    if comparison.pairs:
        for one in comparison.parts[0].nodes():
            for other in comparison.parts[1].nodes():
                assert comparison.kept(one, other) == definition.kept(one, other)


def test_the_layout_of_a_node_is_found_once() -> None:
    lang, asked = language("first_order"), Counter[int]()

    def layout(node: Formula) -> Layout | None:
        asked[id(node)] += 1
        return lang.layout(node)

    left, right = (
        lang.tree("∀x. ∃y. (P(x) ∧ (Q(y) ∧ P(y)))"),
        lang.tree("∃y. ∀x. (P(x) ∨ (Q(y) ∨ P(x)))"),
    )
    assert any(differences(left, right, layout))
    root = asked.pop(id(left))
    assert root == 2, "it is asked first whether the language has layouts"
    assert set(asked.values()) == {1}


def test_comparisons_that_mark_the_same_have_one_shape() -> None:
    layout = language("first_order").layout
    lang = language("first_order")

    def shapes(left: str, right: str) -> set[object]:
        found = set()
        for naming in ("own", "around", "between"):
            trees = Trees(layout, naming, chained=True)
            found.add(
                TreeComparison(trees.tree(lang.tree(left)), trees.tree(lang.tree(right))).shape
            )
        return found

    assert len(shapes("∀x. P(x, a)", "∀x. P(x, b)")) == 1, (
        "all names are told apart in the same way"
    )
    assert len(shapes("∀x. ∀y. P(x, y)", "∀y. ∀x. P(x, x)")) > 1, (
        "the names differ from the places of the quantifiers"
    )
