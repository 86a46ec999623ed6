"""Misreadings of propositional and first-order logic, by models, by people, and so in data sets.

Sources: the ∀uto∃val paper, appendix H (negations in the wrong place, a negation of two dropped, ∨ for ∧, foreign
symbols, constants taken for variables, arguments and predicate swapped). Brunello et al., "Do LLMs really struggle at
NL-FOL translation?" (AAAI 2026): its appendix I lists reference formulas of FOLIO with → under ∃ where the sentence
says that some A are B; its figure 1 has ∧ under ∀ as the perturbation of a conditional; its table 7 has a sentence with
"only if". That conditionals are turned about is what Barker-Plummer, Cox and Dale, whom it cites, count among the
commonest errors of students.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from itertools import count, filterfalse
from random import Random

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.rewriting import Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import symbols, uses
from pytest_autoeval.models.offline.behaviour import LOGIC, Behaviour, Misreading, at_first, everywhere, taken_for

FIRST_ORDER = ("first_order",)

_ONLY_IF = re.compile(r"(?<!\bif and )\bonly if\b", re.IGNORECASE)


# What goes wrong at one place


def swapped_arguments(formula: Formula) -> Formula | None:
    """The arguments of a binary predicate turned about."""
    match formula:
        case fol.Atom(predicate, (first, second)):
            return fol.Atom(predicate, (second, first))
        case _:
            return None


def exists_implies(formula: Formula) -> Formula | None:
    """The first part of a conjunction under ∃ taken for the condition of the others."""
    match formula:
        case fol.Exists(variable, fol.And() as body):
            first, *rest = fol.parts_of(body)
            return fol.Exists(variable, fol.Implies(first, reduce(fol.And, rest)))
        case _:
            return None


def forall_and(formula: Formula) -> Formula | None:
    """A condition under ∀ taken for something that holds of everything."""
    match formula:
        case fol.Forall(variable, fol.Implies(left, right)):
            return fol.Forall(variable, fol.And(left, right))
        case _:
            return None


def inner_converse(formula: Formula) -> Formula | None:
    """The implication turned about: of one that another is the condition of, the inner one.

    For "a cube is large only if …", ∀x. (Cube(x) → (Large(x) → …)) has the cube in front.
    """
    match formula:
        case fol.Implies(left, fol.Implies() as inner):
            return fol.Implies(left, _sentence(inner_converse(inner)))
        case fol.Implies(left, right):
            return fol.Implies(right, left)
        case _:
            return None


# What goes wrong in a formula as a whole


def negation_scope(formula: Formula) -> Formula:
    """Swaps the two scopes of a negation in front, from the outside in."""
    match formula:
        case fol.Not(fol.Binary() as compound):
            first, *rest = (_sentence(negation_scope(part)) for part in fol.parts_of(compound))
            return reduce(type(compound), [fol.Not(first), *rest])
        case fol.Binary():
            first, *rest = fol.parts_of(formula)
            narrow = isinstance(first, fol.Not)
            parts = [first.operand if isinstance(first, fol.Not) else first, *rest]
            read = reduce(type(formula), [_sentence(negation_scope(part)) for part in parts])
            return fol.Not(read) if narrow else read
        case _:
            return formula.map_children(negation_scope)


def double_negation(formula: Formula) -> Formula:
    """Reads two negations in a row as one, from the outside in."""
    match formula:
        case fol.Not(fol.Not(operand)):
            return fol.Not(_sentence(double_negation(operand)))
        case _:
            return formula.map_children(double_negation)


def renamed_atoms(formula: Formula) -> Formula:
    """Renames propositions to p, q, r … and predicates to P, Q, R …, in order of appearance, past names in use."""
    signature = symbols(_sentence(formula))
    atoms = [*((name, 0) for name in signature.propositions), *signature.predicates]
    used = {name for name, _ in atoms}
    propositions, predicates = _fresh("pqrstuvw", used), _fresh("PQRSTUVW", used)
    own = {(name, arity): Replacement(next(predicates if arity else propositions)) for name, arity in atoms}
    return renamed(_sentence(formula), Renaming(own))


def constant_as_variable(formula: Formula) -> Formula:
    """Takes the first constant for the variable of the nearest quantifier, or where there is none, binds it itself."""
    found = _first_constant(formula, ())
    if found is None:
        return formula
    constant, scope = found
    if not scope:
        return fol.Exists(constant, _sentence(formula))
    return _as_variable(formula, constant, scope[-1], frozenset())


def _sentence(formula: Formula | None) -> fol.Sentence:
    assert isinstance(formula, fol.Sentence)
    return formula


def _fresh(letters: str, used: set[str]) -> Iterator[str]:
    """The letters, then the letters with numbers, without those in use."""
    candidates = (letter + (str(number) if number else "") for number in count() for letter in letters)
    return filterfalse(used.__contains__, candidates)


def _first_constant(formula: Formula, scope: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """The first constant from the left, with the variables bound where it stands, the nearest last."""
    if isinstance(formula, fol.Atom | fol.Equal):
        constants = (use.name for use in uses(formula) if use.kind == "constant")
        return next(((name, scope) for name in constants if name not in scope), None)
    if isinstance(formula, fol.Quantified):
        scope = (*scope, formula.variable)
    return next(filter(None, (_first_constant(child, scope) for child in formula.children())), None)


def _as_variable(formula: Formula, constant: str, variable: str, scope: frozenset[str]) -> Formula:
    """The formula with a variable for a constant wherever the variable is bound, and the constant's name is not."""
    if isinstance(formula, fol.Atom | fol.Equal):
        is_taken = variable in scope and constant not in scope
        return renamed(formula, Renaming(terms={(constant, 0): Replacement(variable)})) if is_taken else formula
    if isinstance(formula, fol.Quantified):
        scope |= {formula.variable}
    return formula.map_children(lambda child: _as_variable(child, constant, variable, scope))


class OnlyIfReversed(Behaviour):
    """Takes the "only if" of a sentence for an "if"; formulas without a sentence say nothing of the kind."""

    def understand(self, sentence: str, formula: fol.Sentence, chance: Random) -> fol.Sentence:  # noqa: ARG002
        return _sentence(at_first(inner_converse)(formula)) if _ONLY_IF.search(sentence) else formula


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading(
        "negation-scope",
        "takes ¬p ∧ q and ¬(p ∧ q) for each other: "
        "a negation slips off a compound onto its first part, or the other way",
        negation_scope,
        LOGIC,
    ),
    Misreading("double-negation", "drops one of two negations: reads ¬¬p as ¬p", double_negation, LOGIC),
    Misreading("or-for-and", "reads ∧ as ∨", everywhere(taken_for({fol.And: fol.Or})), LOGIC),
    Misreading(
        "renamed-atoms",
        "invents symbols of its own: p, q, r … for the propositions or predicates",
        renamed_atoms,
        LOGIC,
        in_writing=True,
    ),
    Misreading(
        "constant-as-variable",
        "takes a constant for a variable: reads P(c) as ∃c. P(c), ∃x. P(c) as ∃x. P(x)",
        constant_as_variable,
        FIRST_ORDER,
    ),
    Misreading(
        "quantifier-swap",
        "reads the outermost ∀ as ∃, or ∃ as ∀",
        at_first(taken_for({fol.Forall: fol.Exists, fol.Exists: fol.Forall})),
        FIRST_ORDER,
    ),
    Misreading(
        "argument-swap",
        "swaps the two arguments of a predicate: reads P(a, b) as P(b, a)",
        everywhere(swapped_arguments),
        FIRST_ORDER,
    ),
    Misreading(
        "exists-implies", "reads 'some A are B', ∃x. (A ∧ B), as ∃x. (A → B)", everywhere(exists_implies), FIRST_ORDER
    ),
    Misreading("forall-and", "reads 'every A is B', ∀x. (A → B), as ∀x. (A ∧ B)", everywhere(forall_and), FIRST_ORDER),
    OnlyIfReversed("only-if-reversed", "reads 'A only if B' as 'A if B': B → A for A → B"),
)
