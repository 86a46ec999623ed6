"""Laws of logic by their names, and negation normal form: a formula written otherwise that means the same.

Source of the choice of laws: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026). Its
distributivity of ∧ over ∨ is misprinted there (it has ∧ where ∨ must stand); here it is the law of the textbooks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from pytest_autoeval.languages.base import LimitError, places, replaced_at
from pytest_autoeval.languages.logic.limits import check_size
from pytest_autoeval.languages.logic.rewriting import CONNECTIVES, dual
from pytest_autoeval.languages.logic.syntax import (
    And,
    Bottom,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Top,
    Xor,
)

_negation = CONNECTIVES.negation


def equivalents(formula: Sentence) -> Iterator[tuple[str, Sentence]]:
    """What one law makes of the formula at one place: the law's name in :data:`LAWS`, and the formula.

    Each formula comes once, under the first of its laws, and never the formula itself; place by place in the order of
    the text. Where a law puts a negation before a negated formula, both negations are left out.
    """
    seen = {formula}
    for path, node in places(formula):
        for name, law in LAWS.items():
            for written in law(cast("Sentence", node)):
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
        case Not(operand):
            return normal(operand, not holds)
        case And(left, right) | Or(left, right):
            kind = And if isinstance(node, And) is holds else Or
            return kind(normal(left, holds), normal(right, holds))
        case Implies(left, right):
            return (Or if holds else And)(normal(left, not holds), normal(right, holds))
        case Iff(left, right) | Xor(left, right):
            alike = isinstance(node, Iff) is holds
            both = And(normal(left, True), normal(right, alike))
            return Or(both, And(normal(left, False), normal(right, not alike)))
        case Quantified(variable, body):
            return (type(node) if holds else dual(node))(variable, normal(body, holds))
        case Top() | Bottom():
            return Top() if isinstance(node, Top) is holds else Bottom()
        case _:
            return node if holds else Not(node)


def _de_morgan(node: Sentence) -> Iterator[Sentence]:
    match node:
        case Not(Or(left, right)):
            yield And(_negation(left), _negation(right))
        case Not(And(left, right)):
            yield Or(_negation(left), _negation(right))
        case And(Not(left), Not(right)):
            yield Not(Or(left, right))
        case Or(Not(left), Not(right)):
            yield Not(And(left, right))


def _implication(node: Sentence) -> Iterator[Sentence]:
    match node:
        case Implies(left, right):
            yield Or(_negation(left), right)


def _commuted(*kinds: type[And | Or | Iff | Xor]) -> Callable[[Sentence], Iterator[Sentence]]:
    def law(node: Sentence) -> Iterator[Sentence]:
        if isinstance(node, kinds):
            yield type(node)(node.right, node.left)

    return law


def _distributivity(node: Sentence) -> Iterator[Sentence]:
    """Over the other connective, from either side, and back where both parts share their first or their last."""
    for kind, over in ((And, Or), (Or, And)):
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
        yield Not(negation_normal_form(Not(node)))


#: The laws by name, each from a formula to what it makes of that at its root.
LAWS: Mapping[str, Callable[[Sentence], Iterator[Sentence]]] = {
    "De Morgan": _de_morgan,
    "implication": _implication,
    "commutativity": _commuted(And, Or),
    "commutativity of ↔": _commuted(Iff),
    "commutativity of ⊕": _commuted(Xor),
    "distributivity": _distributivity,
    "double negation": _double_negation,
}
