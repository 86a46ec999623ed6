"""Formulas on finite traces made from a formula: equivalent ones, edited ones, and smaller ones for shrinking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.base import places, replaced_at, substitute
from pytest_autoeval.languages.connectives import (
    Connectives,
    by_size,
    distinct,
    exchanged,
    renamings,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

_CONNECTIVES = Connectives(
    syntax.Top,
    syntax.Bottom,
    syntax.Not,
    syntax.And,
    syntax.Or,
    syntax.Xor,
    syntax.Implies,
    syntax.Iff,
)
#: A negation moves past an operator and turns it into its dual. The two next operators are duals of each other.
_DUAL: dict[type[OnFiniteTraces], Callable[..., OnFiniteTraces]] = {
    syntax.StrongNext: syntax.Next,
    syntax.Next: syntax.StrongNext,
    syntax.Eventually: syntax.Always,
    syntax.Always: syntax.Eventually,
    syntax.Until: syntax.Release,
    syntax.Release: syntax.Until,
}
#: Operators that a reader may confuse with an operator.
_TAKEN_FOR: dict[type[OnFiniteTraces], Callable[..., OnFiniteTraces]] = {
    syntax.StrongNext: syntax.Next,
    syntax.Next: syntax.StrongNext,
    syntax.Eventually: syntax.Always,
    syntax.Always: syntax.Eventually,
    syntax.Until: syntax.WeakUntil,
    syntax.WeakUntil: syntax.Until,
    syntax.Release: syntax.WeakUntil,
}
#: The plainer operators that may replace an operator when shrinking: always of a lower rank.
_PLAINER: Mapping[type[OnFiniteTraces], tuple[Callable[..., OnFiniteTraces], ...]] = {
    syntax.Xor: (syntax.And, syntax.Or),
    syntax.Implies: (syntax.And, syntax.Or),
    syntax.Iff: (syntax.And, syntax.Or),
    syntax.Until: (syntax.And, syntax.Or),
    syntax.Release: (syntax.And, syntax.Or, syntax.Until),
    syntax.WeakUntil: (syntax.And, syntax.Or, syntax.Until),
    syntax.StrongNext: (syntax.Next,),
}


def rewritings(formula: OnFiniteTraces) -> Iterator[OnFiniteTraces]:
    """The formulas equivalent by one law at the root."""
    yield from _CONNECTIVES.rewritings(formula)
    negation = _CONNECTIVES.negation
    match formula:
        case syntax.Not(inner) if type(inner) in _DUAL:
            yield _DUAL[type(inner)](*map(negation, inner.children()))
        case _ if type(formula) in _DUAL:
            yield syntax.Not(_DUAL[type(formula)](*map(negation, formula.children())))
    match formula:
        case syntax.Eventually(a):
            yield syntax.Or(a, syntax.StrongNext(formula))
        case syntax.Always(a):
            yield syntax.And(a, syntax.Next(formula))
        case syntax.Until(a, b):
            yield syntax.Or(b, syntax.And(a, syntax.StrongNext(formula)))
        case syntax.WeakUntil(a, b):
            yield syntax.Or(b, syntax.And(a, syntax.Next(formula)))
            yield syntax.Or(syntax.Until(a, b), syntax.Always(a))
        case syntax.Release(a, b):
            yield syntax.And(b, syntax.Or(a, syntax.Next(formula)))


def edits(formula: OnFiniteTraces, names: Vocabulary) -> Iterator[OnFiniteTraces]:
    """The formulas with one change at the root: of an operator, a scope, an order, a name. Few are equivalent."""
    yield from _CONNECTIVES.edits(formula)
    yield from exchanged(formula, syntax.Binary)
    if isinstance(formula, syntax.Atom):
        yield from (syntax.Atom(name) for name in names.propositions)
    if type(formula) in _TAKEN_FOR:
        yield _TAKEN_FOR[type(formula)](*formula.children())


def simpler(
    formula: OnFiniteTraces, vocabulary: Vocabulary | None = None
) -> Iterator[OnFiniteTraces]:
    """The smaller neighbours, each once, smallest first.

    A subformula is replaced by an atom in it or by one of its operands, an operator by a plainer one, and a name by an
    earlier one of the vocabulary. As in temporal logic on infinite traces, repeated steps end.
    """
    return distinct(formula, _neighbours(formula, vocabulary))


def _neighbours(formula: OnFiniteTraces, vocabulary: Vocabulary | None) -> Iterator[OnFiniteTraces]:
    everywhere = list(places(formula))
    cuts = [
        replaced_at(formula, path, smaller)
        for path, node in everywhere
        for smaller in _inside(node)
    ]
    yield from sorted(cuts, key=by_size)
    for path, node in everywhere:
        for kind in _PLAINER.get(type(node), ()):
            yield replaced_at(formula, path, kind(*node.children()))
    used = syntax.names_of(formula)
    known = vocabulary.propositions if vocabulary else ()

    def renaming(old: str) -> Callable[[str], OnFiniteTraces]:
        return lambda new: substitute(formula, {syntax.Atom(old): syntax.Atom(new)})

    yield from renamings([(known, name, renaming(name)) for name in used], taken=used)


def _inside(node: OnFiniteTraces) -> tuple[OnFiniteTraces, ...]:
    """The atoms and the operands of an operator."""
    if not node.children():
        return ()
    atoms = (part for part in node.subformulas() if isinstance(part, syntax.Atom))
    return (*dict.fromkeys(atoms), *node.children())
