"""Neighbours of a formula: rewritten by a law, edited so that the meaning may change, or simpler, for shrinking.

The laws hold in every model with a non-empty domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.connectives import (
    Connectives,
    by_size,
    distinct,
    exchanged,
    renamings,
)
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.renaming import Name, Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import (
    all_predicates,
    all_terms,
    free_names,
    symbols,
    well_sorted,
)
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.vocabulary import Vocabulary

#: The laws of the connectives, over the nodes of logic.
CONNECTIVES = Connectives(
    fol.Top, fol.Bottom, fol.Not, fol.And, fol.Or, fol.Xor, fol.Implies, fol.Iff
)
#: A law renames a bound variable to the next of these letters.
_LETTERS = "xyzuvw"


def rewritings(formula: Sentence) -> Iterator[Sentence]:
    """The equivalents of a formula by one law of connectives, quantifiers or equality at its root."""
    yield from CONNECTIVES.rewritings(formula)
    match formula:
        case fol.Not(fol.Quantified(variable, body) as quantified):
            yield dual(quantified)(variable, CONNECTIVES.negation(body))
        case fol.Quantified():
            yield from _rewritings_of_quantifier(formula)
        case fol.Binary():
            yield from _widened(formula)
        case fol.Equal(left, right):
            yield fol.Equal(right, left)


def edits(formula: Sentence, names: Vocabulary) -> Iterator[Sentence]:
    """Variants of a formula with one change at its root: a connective, a quantifier, a scope, an order, a name.

    New names are those of the vocabulary ``names``.
    """
    yield from CONNECTIVES.edits(formula)
    yield from exchanged(formula, fol.Binary)
    match formula:
        case fol.Not(fol.Quantified(variable, body) as quantified):
            # The negation moves inside, and the quantifier wrongly stays what it is.
            yield type(quantified)(variable, fol.Not(body))
        case fol.Quantified(variable, body):
            yield dual(formula)(variable, body)
            quantifier = type(formula)
            if isinstance(body, fol.Quantified):
                # "Every x has a y" becomes "one y is that of every x".
                inner_quantifier = type(body)
                yield inner_quantifier(body.variable, quantifier(variable, body.body))
            if isinstance(body, fol.Not):
                yield fol.Not(quantifier(variable, body.operand))
            yield from _with_variable_elsewhere(formula)
        case fol.Atom(predicate, ()):
            yield from (fol.Atom(name) for name in names.propositions if name != predicate)
        case fol.Atom(predicate, arguments):
            if len(arguments) > 1:
                yield fol.Atom(predicate, arguments[::-1])
            for name, arity in names.predicates:
                if arity == len(arguments) and name != predicate:
                    yield fol.Atom(name, arguments)
            yield from _with_other_argument(formula, names.constants)


def dual(formula: fol.Quantified) -> type[fol.Quantified]:
    """The other quantifier."""
    return fol.Exists if isinstance(formula, fol.Forall) else fol.Forall


def _rewritings_of_quantifier(formula: fol.Quantified) -> Iterator[Sentence]:
    """The equivalents by one law of a quantifier at the root."""
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
    # ∀ distributes over ∧, and ∃ over ∨.
    distributes_over = fol.And if kind is fol.Forall else fol.Or
    if isinstance(body, distributes_over):
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
    quantifier = fol.Forall if isinstance(formula, fol.And) else fol.Exists
    if (
        isinstance(left, quantifier)
        and isinstance(right, quantifier)
        and left.variable == right.variable
    ):
        yield quantifier(left.variable, kind(left.body, right.body))


def _with_next_letter(formula: fol.Quantified) -> Sentence | None:
    """The formula with its variable renamed to the next unused letter."""
    used = symbols(formula)
    taken = {*used.names, *used.variables}
    letter_before = formula.variable[0]
    suffix = formula.variable[1:]
    # A variable of another letter gets the first of these.
    start = _LETTERS.find(letter_before) + 1
    # After the last letter comes the first, so that repeated renamings go through all of them.
    for letter in (*_LETTERS[start:], *_LETTERS[:start]):
        new_variable = letter + suffix
        if new_variable not in taken:
            return _with_variable(formula, formula.variable, new_variable)
    return None


def _with_variable_elsewhere(formula: fol.Quantified) -> Iterator[Sentence]:
    """The formulas with the bound variable in place of one more argument of an atom in its scope."""
    kind = type(formula)
    variable = formula.variable
    body = formula.body
    for path, node in places(body):
        # Below another quantifier of its name, the variable would be that one's.
        if isinstance(node, fol.Atom) and variable not in _bound(body, path):
            for changed in _with_other_argument(node, (variable,)):
                yield kind(variable, replaced_at(body, path, changed))


def _with_other_argument(atom: fol.Atom, names: tuple[str, ...]) -> Iterator[fol.Atom]:
    """The atoms with one of the names in place of an argument that is a variable or a constant."""
    for index, argument in enumerate(atom.arguments):
        if argument.arguments:  # a function
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
    known_names = vocabulary or Vocabulary()
    neighbours = distinct(formula, _neighbours(formula, known_names))
    if not well_sorted(formula, known_names):
        return neighbours
    return (neighbour for neighbour in neighbours if well_sorted(neighbour, known_names))


def _neighbours(formula: Sentence, vocabulary: Vocabulary) -> Iterator[Sentence]:
    """The simpler formulas: first the smaller ones, then those of the same size. Some may be there several times."""
    used = symbols(formula)
    # The first constant of each sort: from the last to the first, so that the first one remains.
    from_the_last = reversed((*used.constants, *vocabulary.constants))
    constant_of_sort = {vocabulary.sorts_of(name): name for name in from_the_last}
    yield from sorted(_cuts(formula, tuple(constant_of_sort.values())), key=by_size)
    # ∧ and ∨ for the connectives that are harder to read.
    for path, node in places(formula):
        if isinstance(node, fol.Implies | fol.Xor | fol.Iff):
            yield replaced_at(formula, path, fol.And(node.left, node.right))
            yield replaced_at(formula, path, fol.Or(node.left, node.right))
    taken = used.names | set(used.variables)
    yield from renamings(_renamable_names(formula, used, vocabulary), taken)


def _cuts(formula: Sentence, constants: tuple[str, ...]) -> Iterator[Sentence]:
    """The formulas with a subformula replaced by a smaller one, see `_smaller`."""
    for path, node in places(formula):
        replacements = _smaller(node, constants, _bound(formula, path))
        # Without repeats, in their order.
        for replacement in dict.fromkeys(replacements):
            yield replaced_at(formula, path, replacement)


def _smaller(
    node: Sentence, constants: tuple[str, ...], bound: Iterable[str]
) -> Iterator[Sentence]:
    """The parts and atoms of a subformula, and the body of its quantifier with a constant for the variable.

    ``bound`` are the variables that are bound around the subformula.
    """
    match node:
        case fol.Quantified(variable, body):
            if variable not in free_names(body):
                yield body
            else:
                # Neither a bound variable around the quantifier nor one in its body may capture the constant.
                taken = {*bound, *symbols(body).variables}
                for constant in constants:
                    if constant not in taken:
                        # In the body alone the variable is free, and a free name counts as a constant.
                        yield _with_function(body, (variable, 0), constant)
        case fol.Not() | fol.Binary():
            yield from node.children()
    if node.children():
        yield from _own_atoms(node)


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


def _renamable_names(
    formula: Sentence, used: Vocabulary, vocabulary: Vocabulary
) -> Iterator[tuple[Sequence[str], str, Callable[[str], Sentence]]]:
    """What `renamings` needs: the candidates of the kind, arity and sorts of a name, the name, and how to rename it."""
    kinds = ((all_predicates, _with_predicate), (all_terms, _with_function))
    for names_of, with_name in kinds:
        for name, arity in names_of(used):
            sorts = vocabulary.sorts_of(name)
            candidates = [
                candidate
                for candidate, candidate_arity in names_of(vocabulary)
                if candidate_arity == arity and vocabulary.sorts_of(candidate) == sorts
            ]
            yield candidates, name, partial(with_name, formula, (name, arity))
    for name in used.variables:
        yield vocabulary.variables, name, partial(_with_variable, formula, name)


def _with_predicate(formula: Sentence, old: Name, new: str) -> Sentence:
    return renamed(formula, Renaming(predicates={old: Replacement(new)}))


def _with_function(formula: Sentence, old: Name, new: str) -> Sentence:
    return renamed(formula, Renaming(terms={old: Replacement(new)}))


def _with_variable(formula: Sentence, old: str, new: str) -> Sentence:
    return renamed(formula, Renaming(variables={old: new}))
