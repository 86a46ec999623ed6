"""Chains of one connective: ``p ∧ q ∧ r``, nested to the left in the tree, is one list of parts to a reader."""

from __future__ import annotations

from functools import reduce

from pytest_autoeval.languages.logic.syntax import And, Binary, Or, Sentence, Xor


def parts_of(formula: Binary) -> list[Sentence]:
    """The parts of a chain, left to right: two, or more where it nests to the left in the same ∧, ∨ or ⊕."""
    kind = type(formula)
    parts = [formula.right]
    first = formula.left
    while isinstance(first, And | Or | Xor) and type(first) is kind:
        parts.append(first.right)
        first = first.left
    return [first, *reversed(parts)]


def joined(kind: type[Binary], parts: list[Sentence]) -> Sentence:
    """The chain of these parts, nested to the left."""
    return reduce(kind, parts)
