"""Items of temporal logic, and what comes of scripted answers about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_autoeval.languages import Formula, Vocabulary, language

Pairs = list[list[str]]


@dataclass(frozen=True)
class LtlItem:
    """What a task uses of an item of a data set."""

    formula: Formula
    vocabulary: Vocabulary
    facts: Mapping[str, Any] = field(default_factory=dict)
    language: str = "ltl"


def item(formula: str = "G (x1 -> F x2)", **facts: Any) -> LtlItem:
    """An item whose vocabulary are the atoms of its propositions, or else of its formula."""
    lang = language("ltl")
    tree = lang.parse(formula)
    atoms = tuple(dict.fromkeys(atom for _, atom in facts.get("propositions", ())))
    return LtlItem(tree, Vocabulary(propositions=atoms) if atoms else lang.symbols(tree), facts)
