"""Perturbations of a formula: what one elementary edit makes of it, which seldom keeps the meaning.

Source of the notion: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.logic.rewriting import dual
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Equal,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Xor,
)

#: What an edit changes.
Kind = Literal["connective", "quantifier", "negation"]

_CONNECTIVES: tuple[type[Binary], ...] = (And, Or, Implies, Iff)


def perturbations(formula: Sentence) -> Iterator[tuple[Kind, Sentence]]:
    """Every formula that one elementary edit makes, each once, in the order of the places in the text.

    An edit replaces a binary connective by another one (by ⊕ only in a formula that has ⊕), switches a quantifier, or
    removes the negation of a literal, inserting one where there is none. (A second negation before a negated atom would
    be the removal again, written worse.) Some of what comes out may still mean the same.
    """
    exclusive = any(isinstance(node, Xor) for node in formula.subformulas())
    connectives = (*_CONNECTIVES, Xor) if exclusive else _CONNECTIVES
    denied: set[tuple[int, ...]] = set()  # the places of atoms that a negation stands before
    for path, node in places(formula):
        match node:
            case Binary(left, right):
                for kind in connectives:
                    if kind is not type(node):
                        yield "connective", replaced_at(formula, path, kind(left, right))
            case Quantified(variable, body):
                yield "quantifier", replaced_at(formula, path, dual(node)(variable, body))
            case Not(Atom() | Equal() as atom):
                denied.add((*path, 0))
                yield "negation", replaced_at(formula, path, atom)
            case Atom() | Equal() if path not in denied:
                yield "negation", replaced_at(formula, path, Not(cast("Sentence", node)))
