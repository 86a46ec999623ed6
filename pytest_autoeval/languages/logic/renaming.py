"""Renaming of symbols: predicates, functions, constants and bound variables are replaced, all at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from msgspec import Struct, field

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.size_limits import check_large_size

#: A predicate (proposition) or a function (constant): its name and its arity.
Name = tuple[str, int]


class Replacement(Struct, frozen=True):
    """The replacement of a symbol by the one of this ``name``.

    ``order`` gives for each new place the index of the old argument, from 0; empty: the order stays. With ``negated``,
    a predicate is replaced by the negation of the new one; functions ignore it.
    """

    name: str
    order: tuple[int, ...] = ()
    negated: bool = False


class Renaming(Struct, frozen=True):
    """Replacements of predicates (propositions) and of functions (constants); other symbols stay.

    ``variables`` gives new names of bound variables. The formula must not use these names.
    """

    predicates: Mapping[Name, Replacement] = field(default_factory=dict)
    terms: Mapping[Name, Replacement] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)


def renamed(formula: Sentence, renaming: Renaming) -> Sentence:
    """The formula with symbols replaced, all at the same time.

    Bound variables that would capture a new constant get fresh names. Raises :class:`LimitError` if the tree is too
    large.
    """
    check_large_size(formula)
    new_constants = {
        replacement.name for (_, arity), replacement in renaming.terms.items() if not arity
    }
    used = symbols(formula)
    taken = {*used.names, *used.variables, *new_constants}
    new_variables = dict(renaming.variables)
    for name in used.variables:
        if name in new_constants:  # it would capture the constant
            candidates = (f"{name}_{number}" for number in count(1))
            fresh_name = next(candidate for candidate in candidates if candidate not in taken)
            new_variables[name] = fresh_name
            taken.add(fresh_name)
    return _renamed(formula, renaming, new_variables, frozenset())


def _renamed(
    formula: Sentence, renaming: Renaming, new_variables: Mapping[str, str], bound: frozenset[str]
) -> Sentence:
    """A subformula with symbols replaced. ``bound`` are the old names of the variables that are bound around it.

    Only a quantifier recurs, because it changes what is bound: connectives may stand in chains of any length.
    """

    def is_quantified(node: Sentence) -> bool:
        return isinstance(node, fol.Quantified)

    def combined(node: Sentence, children: Sequence[Sentence]) -> Sentence:
        if children:
            return node.with_children(tuple(children))
        return _renamed_leaf(node, renaming, new_variables, bound)

    return fold(formula, combined, is_quantified)


def _renamed_leaf(
    node: Sentence, renaming: Renaming, new_variables: Mapping[str, str], bound: frozenset[str]
) -> Sentence:
    """An atom, an equation or a quantified formula with symbols replaced; truth values stay."""
    match node:
        case fol.Atom(name, arguments):
            terms = tuple(
                [_renamed_term(term, renaming, new_variables, bound) for term in arguments]
            )
            replacement = renaming.predicates.get((name, len(arguments)), Replacement(name))
            atom = fol.Atom(replacement.name, _in_order(terms, replacement))
            return fol.Not(atom) if replacement.negated else atom
        case fol.Equal(left, right):
            sides = [_renamed_term(term, renaming, new_variables, bound) for term in (left, right)]
            return fol.Equal(*sides)
        case fol.Quantified(variable, body):
            inner = _renamed(body, renaming, new_variables, bound | {variable})
            return type(node)(new_variables.get(variable, variable), inner)
    return node


def _renamed_term(
    term: Term, renaming: Renaming, new_variables: Mapping[str, str], bound: frozenset[str]
) -> Term:
    # The name of a bound variable may also be that of a constant elsewhere. Here it is the variable.
    if not term.arguments and term.name in bound:
        return Term(new_variables.get(term.name, term.name))
    symbol = (term.name, len(term.arguments))
    replacement = renaming.terms.get(symbol, Replacement(term.name))
    arguments = tuple(
        [_renamed_term(argument, renaming, new_variables, bound) for argument in term.arguments]
    )
    return Term(replacement.name, _in_order(arguments, replacement))


def _in_order(terms: tuple[Term, ...], replacement: Replacement) -> tuple[Term, ...]:
    """The arguments in the order of the replacement."""
    if replacement.order:
        return tuple([terms[index] for index in replacement.order])
    return terms
