"""Renaming of symbols, rewriting by laws, edits that change the meaning, and smaller formulas for shrinking.

The laws hold in every model with a non-empty domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from pytest_autoeval.languages.base import fold, places, replaced_at
from pytest_autoeval.languages.connectives import (
    Connectives,
    by_size,
    distinct,
    exchanged,
    renamings,
)
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import (
    all_predicates,
    all_terms,
    free_names,
    symbols,
    well_sorted,
)
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.size_limits import check_large_size
from pytest_autoeval.languages.vocabulary import Vocabulary

#: A predicate (proposition) or a function (constant): its name and its arity.
Name = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Replacement:
    """The replacement of a symbol.

    ``order`` gives for each new place the index of the old argument, from 0; empty: the order stays. With ``negated``,
    a predicate is replaced by the negation of the new one; functions ignore it.
    """

    name: str
    order: tuple[int, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Renaming:
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
    fresh = dict(renaming.variables)
    for name in [name for name in used.variables if name in new_constants]:
        fresh[name] = next(new for number in count(1) if (new := f"{name}_{number}") not in taken)
        taken.add(fresh[name])
    return _renamed(formula, renaming, fresh, frozenset())


def _renamed(
    formula: Sentence, renaming: Renaming, fresh: Mapping[str, str], bound: frozenset[str]
) -> Sentence:
    """The formula renamed, below quantifiers of the variables ``bound``.

    Only a quantifier recurs, because it changes what is bound: connectives may stand in chains of any length.
    """

    def is_quantified(node: Sentence) -> bool:
        return isinstance(node, fol.Quantified)

    def combined(node: Sentence, children: Sequence[Sentence]) -> Sentence:
        if children:
            return node.with_children(tuple(children))
        return _renamed_leaf(node, renaming, fresh, bound)

    return fold(formula, combined, is_quantified)


def _renamed_leaf(
    node: Sentence, renaming: Renaming, fresh: Mapping[str, str], bound: frozenset[str]
) -> Sentence:
    match node:
        case fol.Atom(name, arguments):
            terms = tuple([_renamed_term(term, renaming, fresh, bound) for term in arguments])
            replacement = renaming.predicates.get((name, len(arguments)), Replacement(name))
            atom = fol.Atom(replacement.name, _in_order(terms, replacement))
            return fol.Not(atom) if replacement.negated else atom
        case fol.Equal(left, right):
            return fol.Equal(
                *(_renamed_term(term, renaming, fresh, bound) for term in (left, right))
            )
        case fol.Quantified(variable, body):
            inner = _renamed(body, renaming, fresh, bound | {variable})
            return type(node)(fresh.get(variable, variable), inner)
    return node


def _renamed_term(
    term: Term, renaming: Renaming, fresh: Mapping[str, str], bound: frozenset[str]
) -> Term:
    if not term.arguments and term.name in bound:
        return Term(fresh.get(term.name, term.name))
    replacement = renaming.terms.get((term.name, len(term.arguments)), Replacement(term.name))
    arguments = tuple(
        [_renamed_term(argument, renaming, fresh, bound) for argument in term.arguments]
    )
    return Term(replacement.name, _in_order(arguments, replacement))


def _in_order(terms: tuple[Term, ...], replacement: Replacement) -> tuple[Term, ...]:
    return tuple([terms[at] for at in replacement.order]) if replacement.order else terms


#: The laws of the connectives, over the nodes of logic.
CONNECTIVES = Connectives(
    fol.Top, fol.Bottom, fol.Not, fol.And, fol.Or, fol.Xor, fol.Implies, fol.Iff
)
#: Bound variables are renamed to the next of these letters.
_LETTERS = "xyzuvw"


def rewritings(formula: Sentence) -> Iterator[Sentence]:
    """The equivalents of a formula by one law of connectives, quantifiers or equality at its root."""
    yield from CONNECTIVES.rewritings(formula)
    match formula:
        case fol.Not(fol.Quantified(variable, body) as quantified):
            yield dual(quantified)(variable, CONNECTIVES.negation(body))
        case fol.Quantified():
            yield from _of_quantifier(formula)
        case fol.Binary():
            yield from _widened(formula)
        case fol.Equal(left, right):
            yield fol.Equal(right, left)


def edits(formula: Sentence, names: Vocabulary) -> Iterator[Sentence]:
    """Variants of a formula with one change at its root: a connective, a quantifier, a scope, an order, a name."""
    yield from CONNECTIVES.edits(formula)
    yield from exchanged(formula, fol.Binary)
    match formula:
        case fol.Not(fol.Quantified(variable, body) as quantified):
            yield type(quantified)(variable, fol.Not(body))
        case fol.Quantified(variable, body):
            yield dual(formula)(variable, body)
            if isinstance(body, fol.Quantified):
                yield type(body)(body.variable, type(formula)(variable, body.body))
            if isinstance(body, fol.Not):
                yield fol.Not(type(formula)(variable, body.operand))
            yield from _other_variables(formula)
        case fol.Atom(predicate, ()):
            yield from (fol.Atom(other) for other in names.propositions if other != predicate)
        case fol.Atom(predicate, arguments):
            if len(arguments) > 1:
                yield fol.Atom(predicate, arguments[::-1])
            others = (
                name
                for name, arity in names.predicates
                if arity == len(arguments) and name != predicate
            )
            yield from (fol.Atom(other, arguments) for other in others)
            yield from _other_terms(formula, names.constants)


def dual(formula: fol.Quantified) -> type[fol.Quantified]:
    """The other quantifier."""
    return fol.Exists if isinstance(formula, fol.Forall) else fol.Forall


def _of_quantifier(formula: fol.Quantified) -> Iterator[Sentence]:
    kind, variable, body = type(formula), formula.variable, formula.body
    yield fol.Not(dual(formula)(variable, CONNECTIVES.negation(body)))
    if (relettered := _with_next_letter(formula)) is not None:
        yield relettered
    if variable not in free_names(body):
        yield body
        return
    if isinstance(body, kind) and body.variable != variable:
        yield kind(body.variable, kind(variable, body.body))
    if isinstance(body, fol.And if kind is fol.Forall else fol.Or):
        yield type(body)(kind(variable, body.left), kind(variable, body.right))
    if isinstance(body, fol.And | fol.Or | fol.Implies):
        yield from _narrowed(formula, body)


def _narrowed(formula: fol.Quantified, body: fol.Binary) -> Iterator[Sentence]:
    """The formulas with the quantifier moved to the only part of its body that has its variable."""
    kind, variable = type(formula), formula.variable
    if variable not in free_names(body.right):
        inner = dual(formula) if isinstance(body, fol.Implies) else kind
        yield type(body)(inner(variable, body.left), body.right)
    if variable not in free_names(body.left):
        yield type(body)(body.left, kind(variable, body.right))


def _widened(formula: fol.Binary) -> Iterator[Sentence]:
    """The formulas with the quantifier of one part moved over both parts, or with two equal quantifiers merged."""
    kind, left, right = type(formula), formula.left, formula.right
    if not isinstance(formula, fol.And | fol.Or | fol.Implies):
        return
    if isinstance(left, fol.Quantified) and left.variable not in free_names(right):
        outer = dual(left) if isinstance(formula, fol.Implies) else type(left)
        yield outer(left.variable, kind(left.body, right))
    if isinstance(right, fol.Quantified) and right.variable not in free_names(left):
        yield type(right)(right.variable, kind(left, right.body))
    if isinstance(formula, fol.Implies):
        return
    through = fol.Forall if isinstance(formula, fol.And) else fol.Exists
    if isinstance(left, through) and isinstance(right, through) and left.variable == right.variable:
        yield through(left.variable, kind(left.body, right.body))


def _with_next_letter(formula: fol.Quantified) -> Sentence | None:
    """The formula with its variable renamed to the next unused letter."""
    used = symbols(formula)
    taken = {*used.names, *used.variables}
    first, rest = formula.variable[0], formula.variable[1:]
    start = _LETTERS.find(first) + 1
    for letter in (*_LETTERS[start:], *_LETTERS[:start]):
        if (new := letter + rest) not in taken:
            return _with_variable(formula, formula.variable, new)
    return None


def _other_variables(formula: fol.Quantified) -> Iterator[Sentence]:
    """The formulas with the bound variable in one more place of an atom."""
    variable = formula.variable
    for path, node in places(formula.body):
        if isinstance(node, fol.Atom) and variable not in _bound(formula.body, path):
            for other in _other_terms(node, (variable,)):
                yield type(formula)(variable, replaced_at(formula.body, path, other))


def _other_terms(atom: fol.Atom, names: tuple[str, ...]) -> Iterator[fol.Atom]:
    """The atoms with one of the names in place of an argument without arguments."""
    for at, argument in enumerate(atom.arguments):
        if argument.arguments:
            continue
        for name in names:
            if name != argument.name:
                yield fol.Atom(
                    atom.predicate, (*atom.arguments[:at], Term(name), *atom.arguments[at + 1 :])
                )


def simpler(formula: Sentence, vocabulary: Vocabulary | None = None) -> Iterator[Sentence]:
    """The simpler neighbours of a formula, each once, the smallest first. No bound name becomes free.

    With a vocabulary, names are also replaced by earlier ones of it, and its first constant of each sort may replace a
    variable whose quantifier is dropped. The neighbours of a well-sorted formula are well-sorted. Repeated steps end,
    since each step decreases, in lexicographic order: the number of formulas and terms in the tree; the number of →, ⊕
    and ↔; the sum of the names' positions in the vocabulary.
    """
    names = vocabulary or Vocabulary()
    neighbours = distinct(formula, _neighbours(formula, names))
    return (
        (near for near in neighbours if well_sorted(near, names))
        if well_sorted(formula, names)
        else neighbours
    )


def _neighbours(formula: Sentence, vocabulary: Vocabulary) -> Iterator[Sentence]:
    used = symbols(formula)
    # The first constant of each sort.
    constants = {
        vocabulary.sorts_of(name): name for name in (*used.constants, *vocabulary.constants)[::-1]
    }
    yield from sorted(_cuts(formula, tuple(constants.values())), key=by_size)
    for path, node in places(formula):
        if isinstance(node, fol.Implies | fol.Xor | fol.Iff):
            yield replaced_at(formula, path, fol.And(node.left, node.right))
            yield replaced_at(formula, path, fol.Or(node.left, node.right))
    yield from renamings(_names(formula, used, vocabulary), used.names | set(used.variables))


def _cuts(formula: Sentence, constants: tuple[str, ...]) -> Iterator[Sentence]:
    """Replaces a subformula by one of its parts or atoms; drops a quantifier or puts a constant for its variable."""
    for path, node in places(formula):
        replacements: list[Sentence] = []
        match node:
            case fol.Quantified(variable, body):
                if variable not in free_names(body):
                    replacements.append(body)
                for constant in constants:
                    taken = {*_bound(formula, path), *symbols(body).variables}
                    if variable in free_names(body) and constant not in taken:
                        replacements.append(_with_function(body, (variable, 0), constant))
            case fol.Not() | fol.Binary():
                replacements += node.children()
        if node.children():
            replacements += _own_atoms(node)
        yield from (replaced_at(formula, path, new) for new in dict.fromkeys(replacements))


def _own_atoms(node: Sentence) -> Iterator[Sentence]:
    """The atoms inside a subformula that use no variable bound in it."""
    for path, inner in places(node):
        if isinstance(inner, fol.Atom | fol.Equal) and free_names(inner).isdisjoint(
            _bound(node, path)
        ):
            yield inner


def _bound(formula: Sentence, path: Sequence[int]) -> Iterator[str]:
    node = formula
    for at in path:
        if isinstance(node, fol.Quantified):
            yield node.variable
        node = node.children()[at]


def _names(
    formula: Sentence, used: Vocabulary, known: Vocabulary
) -> Iterator[tuple[Sequence[str], str, Callable[[str], Sentence]]]:
    for names_of, renamed_to in ((all_predicates, _with_predicate), (all_terms, _with_function)):
        for name, arity in names_of(used):
            sorts = known.sorts_of(name)
            theirs = [
                other
                for other, places in names_of(known)
                if places == arity and known.sorts_of(other) == sorts
            ]
            yield theirs, name, partial(renamed_to, formula, (name, arity))
    for name in used.variables:
        yield known.variables, name, partial(_with_variable, formula, name)


def _with_predicate(formula: Sentence, old: Name, new: str) -> Sentence:
    return renamed(formula, Renaming(predicates={old: Replacement(new)}))


def _with_function(formula: Sentence, old: Name, new: str) -> Sentence:
    return renamed(formula, Renaming(terms={old: Replacement(new)}))


def _with_variable(formula: Sentence, old: str, new: str) -> Sentence:
    return renamed(formula, Renaming(variables={old: new}))
