"""Which names a formula uses, and which of them a vocabulary does not have."""

from __future__ import annotations

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.ltl.syntax import Atom, Temporal
from pytest_autoeval.languages.vocabulary import Vocabulary


def symbols(formula: Temporal) -> Vocabulary:
    """The names of the atomic propositions, in order of appearance."""
    names: dict[str, None] = {}
    pending: list[Formula] = [formula]
    while pending:
        node = pending.pop()
        if isinstance(node, Atom):
            names[node.name] = None
        pending += node.children()[::-1]
    return Vocabulary(propositions=tuple(names))


def foreign(formula: Temporal, vocabulary: Vocabulary) -> tuple[str, ...]:
    """What a formula uses that the vocabulary does not have, a phrase each, in order of appearance."""
    known = frozenset(vocabulary.propositions)
    return tuple(f"unknown proposition {name}" for name in symbols(formula).propositions if name not in known)
