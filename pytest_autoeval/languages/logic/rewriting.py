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
    for name in used.variables:
        # It would capture the constant.
        if name in new_constants:
            candidates = (f"{name}_{number}" for number in count(1))
            fresh[name] = next(candidate for candidate in candidates if candidate not in taken)
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
            sides = [_renamed_term(term, renaming, fresh, bound) for term in (left, right)]
            return fol.Equal(*sides)
        case fol.Quantified(variable, body):
            inner = _renamed(body, renaming, fresh, bound | {variable})
            return type(node)(fresh.get(variable, variable), inner)
    return node


def _renamed_term(
    term: Term, renaming: Renaming, fresh: Mapping[str, str], bound: frozenset[str]
) -> Term:
    if not term.arguments and term.name in bound:
        return Term(fresh.get(term.name, term.name))
    symbol = (term.name, len(term.arguments))
    replacement = renaming.terms.get(symbol, Replacement(term.name))
    arguments = tuple(
        [_renamed_term(argument, renaming, fresh, bound) for argument in term.arguments]
    )
    return Term(replacement.name, _in_order(arguments, replacement))


def _in_order(terms: tuple[Term, ...], replacement: Replacement) -> tuple[Term, ...]:
    if replacement.order:
        return tuple([terms[index] for index in replacement.order])
    return terms


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
            quantifier = type(formula)
            if isinstance(body, fol.Quantified):  # "every x has a y" and "one y is that of every x"
                inner_quantifier = type(body)
                yield inner_quantifier(body.variable, quantifier(variable, body.body))
            if isinstance(body, fol.Not):
                yield fol.Not(quantifier(variable, body.operand))
            yield from _other_variables(formula)
        case fol.Atom(predicate, ()):
            yield from (fol.Atom(name) for name in names.propositions if name != predicate)
        case fol.Atom(predicate, arguments):
            if len(arguments) > 1:
                yield fol.Atom(predicate, arguments[::-1])
            for name, arity in names.predicates:
                if arity == len(arguments) and name != predicate:
                    yield fol.Atom(name, arguments)
            yield from _other_terms(formula, names.constants)


def dual(formula: fol.Quantified) -> type[fol.Quantified]:
    """The other quantifier."""
    return fol.Exists if isinstance(formula, fol.Forall) else fol.Forall


def _of_quantifier(formula: fol.Quantified) -> Iterator[Sentence]:
    kind = type(formula)
    variable = formula.variable
    body = formula.body
    yield fol.Not(dual(formula)(variable, CONNECTIVES.negation(body)))
    relettered = _with_next_letter(formula)
    if relettered is not None:
        yield relettered
    if variable not in free_names(body):  # it binds nothing: dropped, and not moved anywhere
        yield body
        return
    if isinstance(body, kind) and body.variable != variable:
        yield kind(body.variable, kind(variable, body.body))
    if isinstance(body, fol.And if kind is fol.Forall else fol.Or):
        connective = type(body)
        yield connective(kind(variable, body.left), kind(variable, body.right))
    if isinstance(body, fol.And | fol.Or | fol.Implies):
        yield from _narrowed(formula, body)


def _narrowed(formula: fol.Quantified, body: fol.Binary) -> Iterator[Sentence]:
    """The formulas with the quantifier moved to the only part of its body that has its variable."""
    kind = type(formula)
    variable = formula.variable
    connective = type(body)
    left = body.left
    right = body.right
    if variable not in free_names(right):
        # The left side of an implication counts as negated, and a negation swaps the quantifiers.
        inner = dual(formula) if isinstance(body, fol.Implies) else kind
        yield connective(inner(variable, left), right)
    if variable not in free_names(left):
        yield connective(left, kind(variable, right))


def _widened(formula: fol.Binary) -> Iterator[Sentence]:
    """The formulas with the quantifier of one part moved over both parts, or with two equal quantifiers merged."""
    kind = type(formula)
    left = formula.left
    right = formula.right
    if not isinstance(formula, fol.And | fol.Or | fol.Implies):
        return
    is_implication = isinstance(formula, fol.Implies)
    if isinstance(left, fol.Quantified) and left.variable not in free_names(right):
        outer = dual(left) if is_implication else type(left)
        yield outer(left.variable, kind(left.body, right))
    if isinstance(right, fol.Quantified) and right.variable not in free_names(left):
        outer = type(right)
        yield outer(right.variable, kind(left, right.body))
    if is_implication:
        return
    # ∀ distributes over ∧, and ∃ over ∨.
    through = fol.Forall if isinstance(formula, fol.And) else fol.Exists
    if isinstance(left, through) and isinstance(right, through) and left.variable == right.variable:
        yield through(left.variable, kind(left.body, right.body))


def _with_next_letter(formula: fol.Quantified) -> Sentence | None:
    """The formula with its variable renamed to the next unused letter."""
    used = symbols(formula)
    taken = {*used.names, *used.variables}
    letter_before = formula.variable[0]
    number = formula.variable[1:]
    start = _LETTERS.find(letter_before) + 1
    # After the last letter comes the first, so that repeated renamings go through all of them.
    for letter in (*_LETTERS[start:], *_LETTERS[:start]):
        new = letter + number
        if new not in taken:
            return _with_variable(formula, formula.variable, new)
    return None


def _other_variables(formula: fol.Quantified) -> Iterator[Sentence]:
    """The formulas with the bound variable in one more place of an atom."""
    kind = type(formula)
    variable = formula.variable
    body = formula.body
    for path, node in places(body):
        # Below another quantifier of its name, the variable would be that one's.
        if isinstance(node, fol.Atom) and variable not in _bound(body, path):
            for changed in _other_terms(node, (variable,)):
                yield kind(variable, replaced_at(body, path, changed))


def _other_terms(atom: fol.Atom, names: tuple[str, ...]) -> Iterator[fol.Atom]:
    """The atoms with one of the names in place of an argument without arguments."""
    for index, argument in enumerate(atom.arguments):
        if argument.arguments:
            continue
        before = atom.arguments[:index]
        after = atom.arguments[index + 1 :]
        for name in names:
            if name != argument.name:
                yield fol.Atom(atom.predicate, (*before, Term(name), *after))


def simpler(formula: Sentence, vocabulary: Vocabulary | None = None) -> Iterator[Sentence]:
    """The simpler neighbours of a formula, each once, the smallest first. No bound name becomes free.

    With a vocabulary, names are also replaced by earlier ones of it, and its first constant of each sort may replace a
    variable whose quantifier is dropped. The neighbours of a well-sorted formula are well-sorted. Repeated steps end,
    since each step decreases, in lexicographic order: the number of formulas and terms in the tree; the number of →, ⊕
    and ↔; the sum of the names' positions in the vocabulary.
    """
    names = vocabulary or Vocabulary()
    neighbours = distinct(formula, _neighbours(formula, names))
    if not well_sorted(formula, names):
        return neighbours
    return (neighbour for neighbour in neighbours if well_sorted(neighbour, names))


def _neighbours(formula: Sentence, vocabulary: Vocabulary) -> Iterator[Sentence]:
    used = symbols(formula)
    # The first constant of each sort: from the last to the first, so that the first one remains.
    from_the_last = reversed((*used.constants, *vocabulary.constants))
    constants = {vocabulary.sorts_of(name): name for name in from_the_last}
    yield from sorted(_cuts(formula, tuple(constants.values())), key=by_size)
    # After the smaller formulas those of the same size, with ∧ and ∨ for the connectives that are harder to read.
    for path, node in places(formula):
        if isinstance(node, fol.Implies | fol.Xor | fol.Iff):
            yield replaced_at(formula, path, fol.And(node.left, node.right))
            yield replaced_at(formula, path, fol.Or(node.left, node.right))
    taken = used.names | set(used.variables)
    yield from renamings(_names(formula, used, vocabulary), taken)


def _cuts(formula: Sentence, constants: tuple[str, ...]) -> Iterator[Sentence]:
    """Replaces a subformula by one of its parts or atoms; drops a quantifier or puts a constant for its variable."""
    for path, node in places(formula):
        replacements: list[Sentence] = []
        match node:
            case fol.Quantified(variable, body):
                if variable not in free_names(body):
                    replacements.append(body)
                else:
                    # Neither a bound variable around the quantifier nor one in its body may capture the constant.
                    taken = {*_bound(formula, path), *symbols(body).variables}
                    replacements += [
                        _with_function(body, (variable, 0), constant)
                        for constant in constants
                        if constant not in taken
                    ]
            case fol.Not() | fol.Binary():
                replacements += node.children()
        if node.children():
            replacements += _own_atoms(node)
        yield from (replaced_at(formula, path, new) for new in dict.fromkeys(replacements))


def _own_atoms(node: Sentence) -> Iterator[Sentence]:
    """The atoms inside a subformula that use no variable bound in it."""
    for path, inner in places(node):
        if isinstance(inner, fol.Atom | fol.Equal):
            # Outside of its quantifier a bound variable would become a constant.
            bound = _bound(node, path)
            if free_names(inner).isdisjoint(bound):
                yield inner


def _bound(formula: Sentence, path: Sequence[int]) -> Iterator[str]:
    """The variables that quantifiers bind on the way to a subformula."""
    node = formula
    for index in path:
        if isinstance(node, fol.Quantified):
            yield node.variable
        node = node.children()[index]


def _names(
    formula: Sentence, used: Vocabulary, vocabulary: Vocabulary
) -> Iterator[tuple[Sequence[str], str, Callable[[str], Sentence]]]:
    """The names that may be renamed, each with the candidates of its kind, arity and sorts; see `renamings`."""
    for names_of, renamed_to in ((all_predicates, _with_predicate), (all_terms, _with_function)):
        for name, arity in names_of(used):
            sorts = vocabulary.sorts_of(name)
            candidates = [
                candidate
                for candidate, candidate_arity in names_of(vocabulary)
                if candidate_arity == arity and vocabulary.sorts_of(candidate) == sorts
            ]
            yield candidates, name, partial(renamed_to, formula, (name, arity))
    for name in used.variables:
        yield vocabulary.variables, name, partial(_with_variable, formula, name)


def _with_predicate(formula: Sentence, old: Name, new: str) -> Sentence:
    return renamed(formula, Renaming(predicates={old: Replacement(new)}))


def _with_function(formula: Sentence, old: Name, new: str) -> Sentence:
    return renamed(formula, Renaming(terms={old: Replacement(new)}))


def _with_variable(formula: Sentence, old: str, new: str) -> Sentence:
    return renamed(formula, Renaming(variables={old: new}))
