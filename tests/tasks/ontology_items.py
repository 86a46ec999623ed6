"""Items of first-order logic with an ontology, and what comes of scripted answers about them."""

from __future__ import annotations

from typing import Any

from logic_items import LogicItem

from pytest_autoeval.languages import language
from pytest_autoeval.languages.ontology import Ontology, Symbol

FIRST_ORDER = language("first_order")


def predicate(shown: str, gloss: str) -> Symbol:
    """A predicate: ``predicate("Larger(x, y)", "x is larger than y")``."""
    name, _, places = shown.partition("(")
    return Symbol(name, tuple(places.rstrip(")").split(", ")) if places else (), gloss)


def constant(name: str, gloss: str = "") -> Symbol:
    """A constant, by default a block."""
    return Symbol(name, (), gloss or f"block {name}", is_term=True)


CUBE, TETRAHEDRON = predicate("Cube(x)", "x is a cube"), predicate("Tet(x)", "x is a tetrahedron")
SMALL, LARGE = predicate("Small(x)", "x is small"), predicate("Large(x)", "x is large")
LARGER, SMALLER = predicate("Larger(x, y)", "x is larger than y"), predicate("Smaller(x, y)", "x is smaller than y")
LEFT_OF, RIGHT_OF = predicate("LeftOf(x, y)", "x is left of y"), predicate("RightOf(x, y)", "x is right of y")
BETWEEN = predicate("Between(x, y, z)", "x is between y and z")
NEXT_TO = predicate("NextTo(x, y)", "x is next to y")
A, B = constant("a"), constant("b")
BLOCKS = (CUBE, TETRAHEDRON, SMALL, LARGE, LARGER, SMALLER, LEFT_OF, RIGHT_OF, BETWEEN, NEXT_TO, A, B)


def item(formula: str, symbols: tuple[Symbol, ...] = BLOCKS, **facts: Any) -> LogicItem:
    """An item with an ontology."""
    ontology = Ontology(symbols)
    facts = {"sentence": "A sentence.", "ontology": ontology.to_facts(), "ontology_derived": False, **facts}
    return LogicItem(FIRST_ORDER.parse(formula), ontology.vocabulary, facts)
