"""Items of first-order logic, and what comes of scripted answers about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.ontology import Ontology, Symbol

ONTOLOGY = Ontology(
    (
        Symbol("Cube", ("x",), "x is a cube", "x is not a cube"),
        Symbol("Large", ("x",), "x is large", "x is not large"),
        Symbol("Larger", ("x", "y"), "x is larger than y", "x is not larger than y"),
        Symbol("a", (), "block a", is_term=True),
    )
)
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


@dataclass(frozen=True)
class LogicItem:
    """What a task uses of an item of a data set."""

    formula: Formula
    vocabulary: Vocabulary
    facts: Mapping[str, Any] = field(default_factory=dict)
    language: str = "first_order"


def item(formula: str = "∀x. (Cube(x) → Large(x))", **facts: Any) -> LogicItem:
    """An item about cubes, "Every cube is large" by default; its vocabulary is the whole ontology's."""
    known = {"sentence": "Every cube is large.", "ontology": ONTOLOGY.to_facts()}
    return LogicItem(language("first_order").parse(formula), ONTOLOGY.vocabulary, known | facts)


def choice_item() -> LogicItem:
    """An item of the most similar: four options, of which the third is right."""
    return item(candidates=CHOICES, candidates_english=IN_WORDS[:4], expected=3)


def ranking_item() -> LogicItem:
    """An item to rank: 2 and 5 mean the same, 1 and 4 the opposite."""
    return item(candidates=CANDIDATES, candidates_english=IN_WORDS, expected=[[2, 5], [1, 4]])
