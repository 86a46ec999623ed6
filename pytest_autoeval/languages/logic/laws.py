"""Equivalent formulas by named laws, negation normal form, and perturbations: edits that seldom keep the meaning.

Source of the laws and edits: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026). The paper
misprints the distributivity of ∧ over ∨ (it has ∧ in place of ∨); this module has the standard law.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from pytest_autoeval.languages.base import LimitError, places, replaced_at
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.rewriting import CONNECTIVES, dual
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.size_limits import check_size

#: What an edit changes.
Kind = Literal["connective", "quantifier", "negation"]
_CONNECTIVES: tuple[type[fol.Binary], ...] = (fol.And, fol.Or, fol.Implies, fol.Iff)
_negation = CONNECTIVES.negation


def equivalents(formula: Sentence) -> Iterator[tuple[str, Sentence]]:
    """The formulas that one law gives at one place, each with the law's name in :data:`LAWS`.

    Each formula comes once, under the first of its laws, in the order of the places in the text. The formula itself is
    left out. A law that would negate a negation drops both negations.
    """
    seen = {formula}
    for path, node in places(formula):
        for name, law in LAWS.items():
            for written in law(node):
                rewritten = replaced_at(formula, path, written)
                # The first of several laws names the formula.
                if rewritten not in seen:
                    seen.add(rewritten)
                    yield name, rewritten


def negation_normal_form(formula: Sentence) -> Sentence:
    """An equivalent formula over ∧, ∨ and quantifiers, with negations only before atoms and equations.

    α → β becomes ¬α ∨ β, and α ↔ β becomes (α ∧ β) ∨ (¬α ∧ ¬β); ⊕ is the negation of ↔. The last two double each part.
    Raises :class:`LimitError` if the formula or its normal form is too large for the language.
    """
    check_size(formula)
    normal = _normal(formula, True, {})
    check_size(normal)
    return normal


def _normal(node: Sentence, holds: bool, cache: dict[tuple[int, bool], Sentence]) -> Sentence:
    """The normal form of a formula, or of its negation if ``holds`` is false; ``cache`` has those made so far."""
    # By identity, which is cheaper than equality; the formula keeps its nodes alive.
    key = id(node), holds
    if key not in cache:
        cache[key] = _normal_node(node, holds, lambda operand, sign: _normal(operand, sign, cache))
    return cache[key]


def _normal_node(  # noqa: PLR0911 (a case for each sort of node)
    node: Sentence, holds: bool, normal: Callable[[Sentence, bool], Sentence]
) -> Sentence:
    match node:
        case fol.Not(operand):
            return normal(operand, not holds)
        case fol.And(left, right) | fol.Or(left, right):
            kind = fol.And if isinstance(node, fol.And) is holds else fol.Or
            return kind(normal(left, holds), normal(right, holds))
        case fol.Implies(left, right):
            connective = fol.Or if holds else fol.And
            return connective(normal(left, not holds), normal(right, holds))
        case fol.Iff(left, right) | fol.Xor(left, right):
            # Each side occurs with both signs, so that nested ↔ doubles the formula at each level.
            is_equality = isinstance(node, fol.Iff) is holds
            if_left = fol.And(normal(left, True), normal(right, is_equality))
            if_not_left = fol.And(normal(left, False), normal(right, not is_equality))
            return fol.Or(if_left, if_not_left)
        case fol.Quantified(variable, body):
            quantifier = type(node) if holds else dual(node)
            return quantifier(variable, normal(body, holds))
        case fol.Top() | fol.Bottom():
            if isinstance(node, fol.Top) is holds:
                return fol.Top()
            return fol.Bottom()
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


def _commuted(
    *kinds: type[fol.And | fol.Or | fol.Iff | fol.Xor],
) -> Callable[[Sentence], Iterator[Sentence]]:
    def law(node: Sentence) -> Iterator[Sentence]:
        if isinstance(node, kinds):
            yield type(node)(node.right, node.left)

    return law


def _distributivity(node: Sentence) -> Iterator[Sentence]:
    """Both directions, for ∧ over ∨ and ∨ over ∧, with the common part on the left or on the right."""
    for kind, over in ((fol.And, fol.Or), (fol.Or, fol.And)):
        # One match for each form: a formula may have several of them.
        match node:
            case kind(common, over(left, right)):
                yield over(kind(common, left), kind(common, right))
        match node:
            case kind(over(left, right), common):
                yield over(kind(left, common), kind(right, common))
        match node:
            case kind(over(first, left), over(other, right)) if first == other:
                yield over(first, kind(left, right))
        match node:
            case kind(over(left, last), over(right, other)) if last == other:
                yield over(kind(left, right), last)


def _double_negation(node: Sentence) -> Iterator[Sentence]:
    """α becomes ¬(the negation normal form of ¬α), as in the paper; nothing if that is too large."""
    with contextlib.suppress(LimitError):
        yield fol.Not(negation_normal_form(fol.Not(node)))


#: The laws by name. Each maps a formula to the results of the law at its root.
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
    """The formulas that one elementary edit gives, each once, in the order of the places in the text.

    An edit replaces a binary connective by another one (by ⊕ only if the formula has ⊕), switches a quantifier, or
    negates a literal by inserting or removing a negation. Some results may mean the same as the formula.
    """
    has_xor = any(isinstance(node, fol.Xor) for node in formula.subformulas())
    connectives = (*_CONNECTIVES, fol.Xor) if has_xor else _CONNECTIVES
    denied: set[tuple[int, ...]] = set()  # the places of negated atoms
    for path, node in places(formula):
        match node:
            case fol.Binary(left, right):
                for kind in connectives:
                    if kind is not type(node):
                        yield "connective", replaced_at(formula, path, kind(left, right))
            case fol.Quantified(variable, body):
                yield "quantifier", replaced_at(formula, path, dual(node)(variable, body))
            case fol.Not(fol.Atom() | fol.Equal() as atom):
                # The negation and its atom are one literal, which is negated once.
                denied.add((*path, 0))
                yield "negation", replaced_at(formula, path, atom)
            case fol.Atom() | fol.Equal() if path not in denied:
                yield "negation", replaced_at(formula, path, fol.Not(node))
