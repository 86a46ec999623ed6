"""Items of data sets: of temporal logic, of first-order logic with an ontology, with candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.ontology import Ontology, Symbol

FIRST_ORDER = language("first_order")


@dataclass(frozen=True)
class Item:
    """The properties of a data set's item that a task uses."""

    formula: Formula
    vocabulary: Vocabulary
    facts: Mapping[str, Any] = field(default_factory=dict)
    language: str = "ltl"


def ltl_item(formula: str = "G (x1 -> F x2)", **facts: Any) -> Item:
    """An item whose vocabulary are the atoms of its propositions, or else of its formula."""
    lang = language("ltl")
    tree = lang.parse(formula)
    atoms = tuple(dict.fromkeys(atom for _, atom in facts.get("propositions", ())))
    return Item(tree, Vocabulary(propositions=atoms) if atoms else lang.symbols(tree), facts)


# --- first-order logic ---


def predicate(shown: str, gloss: str) -> Symbol:
    """A predicate: ``predicate("Larger(x, y)", "x is larger than y")``."""
    name, _, places = shown.partition("(")
    return Symbol(name, tuple(places.rstrip(")").split(", ")) if places else (), gloss)


def constant(name: str, gloss: str = "") -> Symbol:
    """A constant, by default a block."""
    return Symbol(name, (), gloss or f"block {name}", is_term=True)


CUBE, TETRAHEDRON = predicate("Cube(x)", "x is a cube"), predicate("Tet(x)", "x is a tetrahedron")
SMALL, LARGE = predicate("Small(x)", "x is small"), predicate("Large(x)", "x is large")
LARGER, SMALLER = (
    predicate("Larger(x, y)", "x is larger than y"),
    predicate("Smaller(x, y)", "x is smaller than y"),
)
LEFT_OF, RIGHT_OF = (
    predicate("LeftOf(x, y)", "x is left of y"),
    predicate("RightOf(x, y)", "x is right of y"),
)
BETWEEN = predicate("Between(x, y, z)", "x is between y and z")
NEXT_TO = predicate("NextTo(x, y)", "x is next to y")
A, B = constant("a"), constant("b")
BLOCKS = (
    CUBE,
    TETRAHEDRON,
    SMALL,
    LARGE,
    LARGER,
    SMALLER,
    LEFT_OF,
    RIGHT_OF,
    BETWEEN,
    NEXT_TO,
    A,
    B,
)

ONTOLOGY = Ontology((CUBE, LARGE, LARGER, A))
SENTENCE = "Every cube is large."


def item(
    formula: str = "∀x. (Cube(x) → Large(x))",
    symbols: tuple[Symbol, ...] = ONTOLOGY.symbols,
    **facts: Any,
) -> Item:
    """An item with an ontology, whose whole signature is its vocabulary: "Every cube is large" by default."""
    ontology = Ontology(symbols)
    known = {"sentence": SENTENCE, "ontology": ontology.to_facts()}
    return Item(FIRST_ORDER.parse(formula), ontology.vocabulary, known | facts, "first_order")


CHOICES = [
    "∃x. (Cube(x) → Large(x))",
    "∀x. (Cube(x) ∧ Large(x))",
    "∀x. (Cube(x) → Large(x))",
    "∀x. (Cube(x) → ¬Large(x))",
]
CANDIDATES = [
    "¬∀x. (Cube(x) → Large(x))",
    "∀x. (Cube(x) → Large(x))",
    "∃x. (Cube(x) → Large(x))",
    "∃x. (Cube(x) ∧ ¬Large(x))",
    "∀x. (¬Cube(x) ∨ Large(x))",
    "∀x. (Cube(x) ∧ Large(x))",
    "∀x. (Cube(x) → ¬Large(x))",
]
IN_WORDS = [f"Sentence {letter}." for letter in "ABCDEFG"]


def choice_item() -> Item:
    """A choice among four options, of which the third is right."""
    return item(candidates=CHOICES, candidates_english=IN_WORDS[:4], expected=3)


def ranking_item() -> Item:
    """An item to rank: 2 and 5 mean the same, 1 and 4 the opposite."""
    return item(candidates=CANDIDATES, candidates_english=IN_WORDS, expected=[[2, 5], [1, 4]])
