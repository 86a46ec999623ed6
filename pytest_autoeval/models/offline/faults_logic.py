"""Misreadings of propositional and first-order logic that were reported of real models.

Sources: the ∀uto∃val paper, appendix H (negations in the wrong place, a negation of two dropped, ∨ for ∧, foreign
symbols, constants taken for variables, arguments and predicate swapped).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, filterfalse

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.logic.chains import joined, parts_of
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Equal,
    Exists,
    Forall,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
)
from pytest_autoeval.models.offline.behaviour import LOGIC, Behaviour, Misreading

FIRST_ORDER = ("first_order",)


def negation_scope(formula: Formula) -> Formula:
    """Swaps the two scopes of a negation in front, from the outside in."""
    match formula:
        case Not(Binary() as compound):
            first, *rest = (_sentence(negation_scope(part)) for part in parts_of(compound))
            return joined(type(compound), [Not(first), *rest])
        case Binary():
            first, *rest = parts_of(formula)
            narrow = isinstance(first, Not)
            parts = [first.operand if isinstance(first, Not) else first, *rest]
            read = joined(type(formula), [_sentence(negation_scope(part)) for part in parts])
            return Not(read) if narrow else read
        case _:
            return formula.map_children(negation_scope)


def double_negation(formula: Formula) -> Formula:
    """Reads two negations in a row as one, from the outside in."""
    match formula:
        case Not(Not(operand)):
            return Not(_sentence(double_negation(operand)))
        case _:
            return formula.map_children(double_negation)


def or_for_and(formula: Formula) -> Formula:
    """Reads every conjunction as a disjunction."""
    read = formula.map_children(or_for_and)
    return Or(read.left, read.right) if isinstance(read, And) else read


def renamed_atoms(formula: Formula) -> Formula:
    """Renames propositions to p, q, r … and predicates to P, Q, R …, in order of appearance, past names in use."""
    used = {atom.predicate for atom in _atoms(formula)}
    propositions, predicates = _fresh("pqrstuvw", used), _fresh("PQRSTUVW", used)
    renamed: dict[tuple[str, int], str] = {}
    for atom in _atoms(formula):
        key = (atom.predicate, len(atom.arguments))
        if key not in renamed:
            renamed[key] = next(predicates if atom.arguments else propositions)

    def rename(atom: Atom) -> Atom:
        return Atom(renamed[atom.predicate, len(atom.arguments)], atom.arguments)

    return _with_atoms(formula, rename)


def constant_as_variable(formula: Formula) -> Formula:
    """Takes the first constant for the variable of the nearest quantifier, or where there is none, binds it itself."""
    assert isinstance(formula, Sentence)
    found = _first_constant(formula, ())
    if found is None:
        return formula
    constant, scope = found
    if not scope:
        return Exists(constant.name, formula)
    return _replaced(formula, constant, Term(scope[-1]), ())


def quantifier_swap(formula: Formula) -> Formula:
    """Swaps the kind of the first quantifier from the left."""
    return _first_swapped(formula) or formula


def argument_swap(formula: Formula) -> Formula:
    """Turns the arguments of every binary predicate about."""
    return _with_atoms(
        formula, lambda atom: Atom(atom.predicate, atom.arguments[::-1]) if len(atom.arguments) == 2 else atom
    )


def _sentence(formula: Formula) -> Sentence:
    assert isinstance(formula, Sentence)
    return formula


def _atoms(formula: Formula) -> Iterator[Atom]:
    """The atoms from left to right."""
    return (node for node in formula.subformulas() if isinstance(node, Atom))


def _with_atoms(formula: Formula, change: Callable[[Atom], Atom]) -> Formula:
    if isinstance(formula, Atom):
        return change(formula)
    return formula.map_children(lambda child: _with_atoms(child, change))


def _fresh(letters: str, used: set[str]) -> Iterator[str]:
    """The letters, then the letters with numbers, without those in use."""
    candidates = (letter + (str(number) if number else "") for number in count() for letter in letters)
    return filterfalse(used.__contains__, candidates)


def _first_constant(formula: Sentence, scope: tuple[str, ...]) -> tuple[Term, tuple[str, ...]] | None:
    """The first constant from the left, with the variables bound where it stands, the nearest last."""
    if isinstance(formula, Quantified):
        scope = (*scope, formula.variable)
    for term in _terms(formula):
        if not term.arguments and term.name not in scope:
            return term, scope
    for child in formula.children():
        if found := _first_constant(_sentence(child), scope):
            return found
    return None


def _terms(formula: Sentence) -> Iterator[Term]:
    """Every term of an atom, from left to right, those inside others included."""
    match formula:
        case Atom(_, arguments):
            pending = list(reversed(arguments))
        case Equal(left, right):
            pending = [right, left]
        case _:
            return
    while pending:
        term = pending.pop()
        yield term
        pending.extend(reversed(term.arguments))


def _replaced(formula: Formula, old: Term, new: Term, scope: tuple[str, ...]) -> Formula:
    """The formula with ``new`` for a constant wherever the variable of ``new`` is bound and ``old`` is not."""
    if isinstance(formula, Quantified):
        scope = (*scope, formula.variable)
    if isinstance(formula, Atom | Equal) and (new.name not in scope or old.name in scope):
        return formula
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(_in_term(term, old, new) for term in arguments))
        case Equal(left, right):
            return Equal(_in_term(left, old, new), _in_term(right, old, new))
        case _:
            return formula.map_children(lambda child: _replaced(child, old, new, scope))


def _in_term(term: Term, old: Term, new: Term) -> Term:
    if term == old:
        return new
    return Term(term.name, tuple(_in_term(argument, old, new) for argument in term.arguments))


def _first_swapped(formula: Formula) -> Formula | None:
    match formula:
        case Forall(variable, body):
            return Exists(variable, body)
        case Exists(variable, body):
            return Forall(variable, body)
    children = formula.children()
    for at, child in enumerate(children):
        if swapped := _first_swapped(child):
            return formula.with_children((*children[:at], swapped, *children[at + 1 :]))
    return None


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading(
        "negation-scope",
        "takes ¬p ∧ q and ¬(p ∧ q) for each other: "
        "a negation slips off a compound onto its first part, or the other way",
        negation_scope,
        languages=LOGIC,
    ),
    Misreading("double-negation", "drops one of two negations: reads ¬¬p as ¬p", double_negation, languages=LOGIC),
    Misreading("or-for-and", "reads ∧ as ∨", or_for_and, languages=LOGIC),
    Misreading(
        "renamed-atoms",
        "invents symbols of its own: p, q, r … for the propositions or predicates",
        renamed_atoms,
        languages=LOGIC,
        in_writing=True,
    ),
    Misreading(
        "constant-as-variable",
        "takes a constant for a variable: reads P(c) as ∃c. P(c), ∃x. P(c) as ∃x. P(x)",
        constant_as_variable,
        languages=FIRST_ORDER,
    ),
    Misreading("quantifier-swap", "reads the outermost ∀ as ∃, or ∃ as ∀", quantifier_swap, languages=FIRST_ORDER),
    Misreading(
        "argument-swap",
        "swaps the two arguments of a predicate: reads P(a, b) as P(b, a)",
        argument_swap,
        languages=FIRST_ORDER,
    ),
)
