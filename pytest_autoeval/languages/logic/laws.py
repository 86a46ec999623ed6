"""A formula written otherwise: by laws with names, in negation normal form, or edited, so that it means another.

Source of the choice of laws and edits: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI
2026). Its distributivity of ∧ over ∨ is misprinted there (it has ∧ where ∨ must stand); here it is the textbooks' law.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from pytest_autoeval.languages.base import LimitError, places, replaced_at
from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.rewriting import CONNECTIVES, dual
from pytest_autoeval.languages.logic.syntax import Sentence

#: What an edit changes.
Kind = Literal["connective", "quantifier", "negation"]
_CONNECTIVES: tuple[type[fol.Binary], ...] = (fol.And, fol.Or, fol.Implies, fol.Iff)
_negation = CONNECTIVES.negation


def equivalents(formula: Sentence) -> Iterator[tuple[str, Sentence]]:
    """What one law makes of the formula at one place: the law's name in :data:`LAWS`, and the formula.

    Each formula comes once, under the first of its laws, and never the formula itself; place by place in the order of
    the text. Where a law puts a negation before a negated formula, both negations are left out.
    """
    seen = {formula}
    for path, node in places(formula):
        for name, law in LAWS.items():
            for written in law(node):
                other = replaced_at(formula, path, written)
                if other not in seen:
                    seen.add(other)
                    yield name, other


def negation_normal_form(formula: Sentence) -> Sentence:
    """The formula over ∧, ∨ and quantifiers with negations before atoms and equations alone.

    α → β becomes ¬α ∨ β, α ↔ β becomes (α ∧ β) ∨ (¬α ∧ ¬β), and ⊕ is the negation of that; these two take every part
    twice. Raises :class:`LimitError` for a formula, or a normal form, that is larger than the language takes.
    """
    check_size(formula)
    normal = _normal(formula, True, {})
    check_size(normal)
    return normal


def _normal(node: Sentence, holds: bool, known: dict[tuple[int, bool], Sentence]) -> Sentence:
    """The normal form of a formula, or of its negation where ``holds`` is false; ``known`` has what was made before."""
    key = id(node), holds
    if key not in known:
        known[key] = _made(node, holds, lambda part, sign: _normal(part, sign, known))
    return known[key]


def _made(  # noqa: PLR0911 (a case for each sort of node)
    node: Sentence, holds: bool, normal: Callable[[Sentence, bool], Sentence]
) -> Sentence:
    match node:
        case fol.Not(operand):
            return normal(operand, not holds)
        case fol.And(left, right) | fol.Or(left, right):
            kind = fol.And if isinstance(node, fol.And) is holds else fol.Or
            return kind(normal(left, holds), normal(right, holds))
        case fol.Implies(left, right):
            return (fol.Or if holds else fol.And)(normal(left, not holds), normal(right, holds))
        case fol.Iff(left, right) | fol.Xor(left, right):
            alike = isinstance(node, fol.Iff) is holds
            both = fol.And(normal(left, True), normal(right, alike))
            return fol.Or(both, fol.And(normal(left, False), normal(right, not alike)))
        case fol.Quantified(variable, body):
            return (type(node) if holds else dual(node))(variable, normal(body, holds))
        case fol.Top() | fol.Bottom():
            return fol.Top() if isinstance(node, fol.Top) is holds else fol.Bottom()
    return node if holds else fol.Not(node)


def _de_morgan(node: Sentence) -> Iterator[Sentence]:
    match node:
        case fol.Not(fol.Or(left, right)):
            yield fol.And(_negation(left), _negation(right))
        case fol.Not(fol.And(left, right)):
            yield fol.Or(_negation(left), _negation(right))
        case fol.And(fol.Not(left), fol.Not(right)):
            yield fol.Not(fol.Or(left, right))
        case fol.Or(fol.Not(left), fol.Not(right)):
            yield fol.Not(fol.And(left, right))


def _implication(node: Sentence) -> Iterator[Sentence]:
    match node:
        case fol.Implies(left, right):
            yield fol.Or(_negation(left), right)


def _commuted(*kinds: type[fol.And | fol.Or | fol.Iff | fol.Xor]) -> Callable[[Sentence], Iterator[Sentence]]:
    def law(node: Sentence) -> Iterator[Sentence]:
        if isinstance(node, kinds):
            yield type(node)(node.right, node.left)

    return law


def _distributivity(node: Sentence) -> Iterator[Sentence]:
    """Over the other connective, from either side, and back where both parts share their first or their last."""
    for kind, over in ((fol.And, fol.Or), (fol.Or, fol.And)):
        match node:
            case kind(one, over(left, right)):
                yield over(kind(one, left), kind(one, right))
        match node:
            case kind(over(left, right), one):
                yield over(kind(left, one), kind(right, one))
        match node:
            case kind(over(first, left), over(other, right)) if first == other:
                yield over(first, kind(left, right))
        match node:
            case kind(over(left, last), over(right, other)) if last == other:
                yield over(kind(left, right), last)


def _double_negation(node: Sentence) -> Iterator[Sentence]:
    """α as ¬((¬α) in negation normal form), as the paper has it; nothing where that is too large."""
    with contextlib.suppress(LimitError):
        yield fol.Not(negation_normal_form(fol.Not(node)))


#: The laws by name, each from a formula to what it makes of that at its root.
LAWS: Mapping[str, Callable[[Sentence], Iterator[Sentence]]] = {
    "De Morgan": _de_morgan,
    "implication": _implication,
    "commutativity": _commuted(fol.And, fol.Or),
    "commutativity of ↔": _commuted(fol.Iff),
    "commutativity of ⊕": _commuted(fol.Xor),
    "distributivity": _distributivity,
    "double negation": _double_negation,
}


def perturbations(formula: Sentence) -> Iterator[tuple[Kind, Sentence]]:
    """Every formula that one elementary edit makes, each once, in the order of the places in the text.

    An edit replaces a binary connective by another one (by ⊕ only in a formula that has ⊕), switches a quantifier, or
    removes the negation of a literal, inserting one where there is none. (A second negation before a negated atom would
    be the removal again, written worse.) Some of what comes out may still mean the same.
    """
    exclusive = any(isinstance(node, fol.Xor) for node in formula.subformulas())
    connectives = (*_CONNECTIVES, fol.Xor) if exclusive else _CONNECTIVES
    denied: set[tuple[int, ...]] = set()  # the places of atoms that a negation stands before
    for path, node in places(formula):
        match node:
            case fol.Binary(left, right):
                for kind in connectives:
                    if kind is not type(node):
                        yield "connective", replaced_at(formula, path, kind(left, right))
            case fol.Quantified(variable, body):
                yield "quantifier", replaced_at(formula, path, dual(node)(variable, body))
            case fol.Not(fol.Atom() | fol.Equal() as atom):
                denied.add((*path, 0))
                yield "negation", replaced_at(formula, path, atom)
            case fol.Atom() | fol.Equal() if path not in denied:
                yield "negation", replaced_at(formula, path, fol.Not(node))
