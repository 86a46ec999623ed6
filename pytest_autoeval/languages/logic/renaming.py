"""Symbols of a formula renamed all at once: no name is captured, and two may be swapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import Sentence, Term

#: A predicate (proposition) or a function (constant), by its name and the number of its places.
Name = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Replacement:
    """What stands in a symbol's place.

    ``order`` tells for each new place which of the old arguments stands there, from 0, each once; empty: all stay.
    ``negated``: the predicate is replaced by the other's negation; says nothing of functions.
    """

    name: str
    order: tuple[int, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Renaming:
    """Replacements of predicates and propositions, and of functions and constants; other symbols stay.

    ``variables`` gives new names of bound variables, which the formula must not use.
    """

    predicates: Mapping[Name, Replacement] = field(default_factory=dict)
    terms: Mapping[Name, Replacement] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)


def renamed(formula: Sentence, renaming: Renaming) -> Sentence:
    """The formula with symbols replaced, all at the same time.

    Bound variables that a new name of a constant would be captured by get fresh names. Raises :class:`LimitError` for
    trees that are too large.
    """
    check_size(formula)
    new_constants = {replacement.name for (_, arity), replacement in renaming.terms.items() if not arity}
    used = symbols(formula)
    taken = {*used.names, *used.variables, *new_constants}
    fresh = dict(renaming.variables)
    for name in [name for name in used.variables if name in new_constants]:
        fresh[name] = next(new for number in count(1) if (new := f"{name}_{number}") not in taken)
        taken.add(fresh[name])
    return _renamed(formula, renaming, fresh, frozenset())


def _renamed(node: Sentence, renaming: Renaming, fresh: Mapping[str, str], bound: frozenset[str]) -> Sentence:
    match node:
        case fol.Atom(name, arguments):
            terms = tuple([_renamed_term(term, renaming, fresh, bound) for term in arguments])
            replacement = renaming.predicates.get((name, len(arguments)), Replacement(name))
            atom = fol.Atom(replacement.name, _in_order(terms, replacement))
            return fol.Not(atom) if replacement.negated else atom
        case fol.Equal(left, right):
            return fol.Equal(*(_renamed_term(term, renaming, fresh, bound) for term in (left, right)))
        case fol.Quantified(variable, body):
            inner = _renamed(body, renaming, fresh, bound | {variable})
            return type(node)(fresh.get(variable, variable), inner)
        case _:
            return node.map_children(lambda part: _renamed(cast("Sentence", part), renaming, fresh, bound))


def _renamed_term(term: Term, renaming: Renaming, fresh: Mapping[str, str], bound: frozenset[str]) -> Term:
    if not term.arguments and term.name in bound:
        return Term(fresh.get(term.name, term.name))
    replacement = renaming.terms.get((term.name, len(term.arguments)), Replacement(term.name))
    arguments = tuple([_renamed_term(argument, renaming, fresh, bound) for argument in term.arguments])
    return Term(replacement.name, _in_order(arguments, replacement))


def _in_order(terms: tuple[Term, ...], replacement: Replacement) -> tuple[Term, ...]:
    return tuple([terms[at] for at in replacement.order]) if replacement.order else terms
