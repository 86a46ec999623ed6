"""The smaller neighbours of a formula, for shrinking.

Every step makes this smaller, in lexicographic order, and so repeated steps end: the number of formulas and terms in
the tree; the number of →, ⊕ and ↔; the number of distinct names; the sum of the names' places in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, cast

from pytest_autoeval.languages.base import Formula, replaced_at
from pytest_autoeval.languages.logic.signature import symbols
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
    Term,
    Xor,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

_Terms = Callable[[Term, frozenset[str]], Term]


class Place(NamedTuple):
    """A subformula, the way down to it, and the names bound there."""

    path: tuple[int, ...]
    node: Sentence
    bound: frozenset[str]


def simpler(formula: Sentence, vocabulary: Vocabulary | None = None) -> Iterator[Sentence]:
    """The smaller neighbours, each once, most drastic first; none has a free name that was bound in the formula.

    With a vocabulary names are also replaced by its earlier ones, and its first constant may take the place of a
    variable whose quantifier is dropped.
    """
    places = _places(formula)
    cuts = [*_cuts(formula, places, vocabulary), *_shorter_terms(formula)]
    seen = {formula}
    for neighbour in (
        *sorted(cuts, key=size),
        *_plainer_connectives(formula, places),
        *_merged_names(formula),
        *(_earlier_names(formula, vocabulary) if vocabulary else ()),
    ):
        if neighbour not in seen:
            seen.add(neighbour)
            yield neighbour


def size(formula: Sentence) -> int:
    """The number of formulas and terms in the tree."""
    total = 0
    pending: list[Formula | Term] = [formula]
    while pending:
        node = pending.pop()
        total += 1
        match node:
            case Atom(_, arguments) | Term(_, arguments):
                pending.extend(arguments)
            case Equal(left, right):
                pending += [left, right]
            case Formula():
                pending.extend(node.children())
    return total


def _places(formula: Sentence) -> list[Place]:
    found: list[Place] = []
    pending = [Place((), formula, frozenset())]
    while pending:
        place = pending.pop()
        found.append(place)
        bound = place.bound | {place.node.variable} if isinstance(place.node, Quantified) else place.bound
        children = cast("tuple[Sentence, ...]", place.node.children())
        pending.extend(Place((*place.path, at), child, bound) for at, child in reversed(list(enumerate(children))))
    return found


def _cuts(formula: Sentence, places: list[Place], vocabulary: Vocabulary | None) -> Iterator[Sentence]:
    """A subformula gives way to one of its own subformulas or atoms, a quantifier to nothing."""
    constants = (symbols(formula).constants or (vocabulary.constants if vocabulary else ()))[:1]
    for path, node, bound in places:
        replacements: list[Sentence] = []
        match node:
            case Quantified(variable, body):
                if not _occurs_free(variable, body):
                    replacements.append(body)
                elif constants and constants[0] not in bound and constants[0] not in _bound_names(body):
                    replacements.append(_with_constant(body, variable, constants[0]))
            case Not() | Binary():
                replacements.extend(cast("tuple[Sentence, ...]", node.children()))
        if node.children():
            replacements.extend(_own_atoms(node))
        yield from (replaced_at(formula, path, new) for new in dict.fromkeys(replacements))


def _own_atoms(node: Sentence) -> Iterator[Sentence]:
    """The atoms inside a subformula that can stand in its place: those that use nothing which it binds."""
    for inner in _places(node):
        if isinstance(inner.node, Atom | Equal) and not any(_occurs_free(name, inner.node) for name in inner.bound):
            yield inner.node


def _shorter_terms(formula: Sentence) -> Iterator[Sentence]:
    """A function term gives way, everywhere, to one of its arguments."""
    applied: dict[Term, None] = {}
    for place in _places(formula):
        pending = list(_terms(place.node))
        while pending:
            term = pending.pop(0)
            pending.extend(term.arguments)
            if term.arguments:
                applied[term] = None
    for term in applied:
        for argument in term.arguments:
            yield _mapped(formula, terms=_replacing(term, argument))


def _replacing(old: Term, new: Term) -> _Terms:
    def change(term: Term, bound: frozenset[str]) -> Term:
        if term == old:
            return new
        return Term(term.name, tuple(change(argument, bound) for argument in term.arguments))

    return change


def _plainer_connectives(formula: Sentence, places: list[Place]) -> Iterator[Sentence]:
    for path, node, _ in places:
        if isinstance(node, Implies | Xor | Iff):
            yield replaced_at(formula, path, And(node.left, node.right))
            yield replaced_at(formula, path, Or(node.left, node.right))


def _merged_names(formula: Sentence) -> Iterator[Sentence]:
    """A name is replaced by an earlier one of its kind that the formula uses already."""
    used = symbols(formula)
    for name, same_kind, renamed in _names(formula, used):
        yield from (renamed(other) for other in same_kind[: same_kind.index(name)] if other not in used.variables)


def _earlier_names(formula: Sentence, vocabulary: Vocabulary) -> Iterator[Sentence]:
    """A name is replaced by the first of the vocabulary's that stands before it and is not in use."""
    used = symbols(formula)
    taken = used.names | set(used.variables)
    for name, same_kind, renamed in _names(formula, vocabulary):
        before = same_kind[: same_kind.index(name)] if name in same_kind else same_kind
        yield from (renamed(other) for other in [other for other in before if other not in taken][:1])


def _names(
    formula: Sentence, signature: Vocabulary
) -> Iterator[tuple[str, tuple[str, ...], Callable[[str], Sentence]]]:
    """Each name that a formula uses, a signature's names of its kind, and how to put another in its place."""

    def of_arity(symbols_with_arity: tuple[tuple[str, int], ...], arity: int) -> tuple[str, ...]:
        return tuple(name for name, other in symbols_with_arity if other == arity)

    used = symbols(formula)
    for name in used.propositions:
        yield name, signature.propositions, partial(_with_predicate, formula, name, 0)
    for name, arity in used.predicates:
        yield name, of_arity(signature.predicates, arity), partial(_with_predicate, formula, name, arity)
    for name, arity in used.functions:
        yield name, of_arity(signature.functions, arity), partial(_with_function, formula, name, arity)
    for name in used.constants:
        yield name, signature.constants, partial(_with_constant, formula, name)
    for name in used.variables:
        yield name, signature.variables, partial(with_variable, formula, name)


def _with_predicate(formula: Sentence, name: str, arity: int, new: str) -> Sentence:
    return _mapped(formula, predicate=lambda old, n: new if (old, n) == (name, arity) else old)


def _with_function(formula: Sentence, name: str, arity: int, new: str) -> Sentence:
    def change(term: Term, bound: frozenset[str]) -> Term:
        renamed = new if (term.name, len(term.arguments)) == (name, arity) else term.name
        return Term(renamed, tuple(change(argument, bound) for argument in term.arguments))

    return _mapped(formula, terms=change)


def _with_constant(formula: Sentence, name: str, new: str) -> Sentence:
    """Another constant in place of a free name."""

    def change(term: Term, bound: frozenset[str]) -> Term:
        if not term.arguments:
            return Term(new) if term.name == name and name not in bound else term
        return Term(term.name, tuple(change(argument, bound) for argument in term.arguments))

    return _mapped(formula, terms=change)


def with_variable(formula: Sentence, name: str, new: str) -> Sentence:
    """Another variable, which the formula does not use, in place of a bound one."""

    def change(term: Term, bound: frozenset[str]) -> Term:
        if not term.arguments:
            return Term(new) if term.name == name and new in bound else term
        return Term(term.name, tuple(change(argument, bound) for argument in term.arguments))

    return _mapped(formula, terms=change, variable=lambda old: new if old == name else old)


def _mapped(
    formula: Sentence,
    *,
    terms: _Terms = lambda term, _bound: term,
    predicate: Callable[[str, int], str] = lambda name, _arity: name,
    variable: Callable[[str], str] = lambda name: name,
) -> Sentence:
    """The formula with names changed; a term is changed knowing the (changed) names that are bound where it stands."""

    def change(node: Sentence, bound: frozenset[str]) -> Sentence:
        match node:
            case Atom(name, arguments):
                return Atom(predicate(name, len(arguments)), tuple([terms(argument, bound) for argument in arguments]))
            case Equal(left, right):
                return Equal(terms(left, bound), terms(right, bound))
            case Not(operand):
                return Not(change(operand, bound))
            case Binary(left, right):
                return type(node)(change(left, bound), change(right, bound))
            case Quantified(name, body):
                return type(node)(variable(name), change(body, bound | {variable(name)}))
            case _:
                return node

    return change(formula, frozenset())


def _terms(node: Sentence) -> tuple[Term, ...]:
    match node:
        case Atom(_, arguments):
            return arguments
        case Equal(left, right):
            return left, right
        case _:
            return ()


def _occurs_free(name: str, formula: Sentence) -> bool:
    return name in symbols(formula).constants


def _bound_names(formula: Sentence) -> tuple[str, ...]:
    return symbols(formula).variables
