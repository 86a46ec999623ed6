"""Formulas of logic written otherwise: by laws, which keep the meaning, and by changes, which seldom do.

The laws hold in every model whose domain is not empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.connectives import Connectives, exchanged
from pytest_autoeval.languages.logic import syntax
from pytest_autoeval.languages.logic.neighbours import with_variable
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Equal,
    Exists,
    Forall,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

#: The laws of the connectives, over the nodes of logic.
CONNECTIVES = Connectives(syntax.Top, syntax.Bottom, Not, And, Or, syntax.Xor, Implies, syntax.Iff)
#: The letters that a bound variable is renamed through.
_LETTERS = "xyzuvw"


def rewritings(formula: Sentence) -> Iterator[Sentence]:
    """What a formula is by one law of connectives, quantifiers or equality at its root."""
    yield from CONNECTIVES.rewritings(formula)
    match formula:
        case Not(Quantified(variable, body) as quantified):
            yield dual(quantified)(variable, CONNECTIVES.negation(body))
        case Quantified():
            yield from _of_quantifier(formula)
        case Binary():
            yield from _widened(formula)
        case Equal(left, right):
            yield Equal(right, left)


def edits(formula: Sentence, names: Vocabulary) -> Iterator[Sentence]:
    """A formula with one change at its root: a connective, a quantifier, a scope, an order, a name."""
    yield from CONNECTIVES.edits(formula)
    yield from exchanged(formula, Binary)
    match formula:
        case Not(Quantified(variable, body) as quantified):
            yield type(quantified)(variable, Not(body))
        case Quantified(variable, body):
            yield dual(formula)(variable, body)
            if isinstance(body, Quantified):
                yield type(body)(body.variable, type(formula)(variable, body.body))
            if isinstance(body, Not):
                yield Not(type(formula)(variable, body.operand))
            yield from _other_variables(formula)
        case Atom(predicate, ()):
            yield from (Atom(other) for other in names.propositions if other != predicate)
        case Atom(predicate, arguments):
            if len(arguments) > 1:
                yield Atom(predicate, arguments[::-1])
            others = (name for name, arity in names.predicates if arity == len(arguments) and name != predicate)
            yield from (Atom(other, arguments) for other in others)
            yield from _other_terms(formula, names.constants)


def dual(formula: Quantified) -> type[Quantified]:
    """The other quantifier."""
    return Exists if isinstance(formula, Forall) else Forall


def _free(name: str, formula: Sentence) -> bool:
    return name in symbols(formula).constants


def _of_quantifier(formula: Quantified) -> Iterator[Sentence]:
    kind, variable, body = type(formula), formula.variable, formula.body
    yield Not(dual(formula)(variable, CONNECTIVES.negation(body)))
    if (renamed := _renamed(formula)) is not None:
        yield renamed
    if not _free(variable, body):
        yield body
        return
    if isinstance(body, kind) and body.variable != variable:
        yield kind(body.variable, kind(variable, body.body))
    if isinstance(body, And if kind is Forall else Or):
        yield type(body)(kind(variable, body.left), kind(variable, body.right))
    if isinstance(body, And | Or | Implies):
        yield from _narrowed(formula, body)


def _narrowed(formula: Quantified, body: Binary) -> Iterator[Sentence]:
    """The quantifier on the one part of its body that its variable occurs in."""
    kind, variable = type(formula), formula.variable
    if not _free(variable, body.right):
        inner = dual(formula) if isinstance(body, Implies) else kind
        yield type(body)(inner(variable, body.left), body.right)
    if not _free(variable, body.left):
        yield type(body)(body.left, kind(variable, body.right))


def _widened(formula: Binary) -> Iterator[Sentence]:
    """The quantifier of a part over both, where the other part does not have its variable; two like ones in one."""
    kind, left, right = type(formula), formula.left, formula.right
    if not isinstance(formula, And | Or | Implies):
        return
    if isinstance(left, Quantified) and not _free(left.variable, right):
        outer = dual(left) if isinstance(formula, Implies) else type(left)
        yield outer(left.variable, kind(left.body, right))
    if isinstance(right, Quantified) and not _free(right.variable, left):
        yield type(right)(right.variable, kind(left, right.body))
    if isinstance(formula, Implies):
        return
    through = Forall if isinstance(formula, And) else Exists
    if isinstance(left, through) and isinstance(right, through) and left.variable == right.variable:
        yield through(left.variable, kind(left.body, right.body))


def _renamed(formula: Quantified) -> Sentence | None:
    """The formula with its variable renamed to the next letter that it does not use."""
    used = symbols(formula)
    taken = {*used.names, *used.variables}
    first, rest = formula.variable[0], formula.variable[1:]
    start = _LETTERS.find(first) + 1
    for letter in (*_LETTERS[start:], *_LETTERS[:start]):
        if (new := letter + rest) not in taken:
            return with_variable(formula, formula.variable, new)
    return None


def _other_variables(formula: Quantified) -> Iterator[Sentence]:
    """The formula with its variable in one more place, in an atom of its body."""
    variable = formula.variable
    for path, node in places(formula.body):
        if isinstance(node, Atom) and not _is_rebound(formula.body, path, variable):
            for other in _other_terms(node, (variable,)):
                yield type(formula)(variable, replaced_at(formula.body, path, cast("Sentence", other)))


def _is_rebound(formula: Sentence, path: tuple[int, ...], variable: str) -> bool:
    """Whether a quantifier on the way down binds a variable again."""
    node = formula
    for at in path:
        if isinstance(node, Quantified) and node.variable == variable:
            return True
        node = cast("Sentence", node.children()[at])
    return False


def _other_terms(atom: Atom, names: tuple[str, ...]) -> Iterator[Atom]:
    """The atom with one of the names in place of one of its arguments that is a mere name itself."""
    for at, argument in enumerate(atom.arguments):
        if argument.arguments:
            continue
        for name in names:
            if name != argument.name:
                yield Atom(atom.predicate, (*atom.arguments[:at], Term(name), *atom.arguments[at + 1 :]))
