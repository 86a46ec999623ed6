"""Misreadings of quantified and conditional sentences, reported of people, of data sets, and so of models.

Sources: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026). Its appendix I lists reference
formulas of FOLIO with → under ∃ where the sentence says that some A are B; its figure 1 has ∧ under ∀ as the
perturbation of a conditional; its table 7 has a sentence with "only if". That conditionals are turned about is what
Barker-Plummer, Cox and Dale, whom it cites, count among the commonest errors of students.
"""

from __future__ import annotations

import re
from random import Random

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.logic.chains import joined, parts_of
from pytest_autoeval.languages.logic.syntax import And, Exists, Forall, Implies, Quantified, Sentence
from pytest_autoeval.models.offline.behaviour import Behaviour, Misreading

FIRST_ORDER = ("first_order",)
_ONLY_IF = re.compile(r"(?<!\bif and )\bonly if\b", re.IGNORECASE)


def exists_implies(formula: Formula) -> Formula:
    """Takes the first part of a conjunction under ∃ for the condition of the others."""
    match formula.map_children(exists_implies):
        case Exists(variable, And() as body):
            first, *rest = parts_of(body)
            return Exists(variable, Implies(first, joined(And, rest)))
        case read:
            return read


def forall_and(formula: Formula) -> Formula:
    """Takes a condition under ∀ for something that holds of everything."""
    match formula.map_children(forall_and):
        case Forall(variable, Implies(left, right)):
            return Forall(variable, And(left, right))
        case read:
            return read


class OnlyIfReversed(Behaviour):
    """Takes the "only if" of a sentence for an "if"; formulas without a sentence say nothing of the kind."""

    languages = FIRST_ORDER

    def understand(self, sentence: str, formula: Sentence, chance: Random) -> Sentence:  # noqa: ARG002
        return reversed_conditional(formula) if _ONLY_IF.search(sentence) else formula


def reversed_conditional(formula: Sentence) -> Sentence:
    """The formula with its first implication turned about: of one that another is the condition of, the inner one.

    For "a cube is large only if …", ∀x. (Cube(x) → (Large(x) → …)) has the cube in front.
    """
    match formula:
        case Implies(left, Implies() as inner):
            return Implies(left, reversed_conditional(inner))
        case Implies(left, right):
            return Implies(right, left)
        case Quantified(variable, body):
            return type(formula)(variable, reversed_conditional(body))
    children = formula.children()
    for at, child in enumerate(children):
        assert isinstance(child, Sentence)
        if (read := reversed_conditional(child)) != child:
            return formula.with_children((*children[:at], read, *children[at + 1 :]))
    return formula


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading(
        "exists-implies", "reads 'some A are B', ∃x. (A ∧ B), as ∃x. (A → B)", exists_implies, languages=FIRST_ORDER
    ),
    Misreading("forall-and", "reads 'every A is B', ∀x. (A → B), as ∀x. (A ∧ B)", forall_and, languages=FIRST_ORDER),
    OnlyIfReversed("only-if-reversed", "reads 'A only if B' as 'A if B': B → A for A → B"),
)
