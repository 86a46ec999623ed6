"""Temporal formulas made from a formula: equivalent ones by laws, edited ones, and smaller ones for shrinking.

The laws hold at every position of every trace, so they may be used anywhere in a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pytest_autoeval.languages.base import places, replaced_at, substitute
from pytest_autoeval.languages.connectives import (
    Connectives,
    by_size,
    distinct,
    exchanged,
    renamings,
)
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.vocabulary import Vocabulary

_CONNECTIVES = Connectives(
    ltl.Top, ltl.Bottom, ltl.Not, ltl.And, ltl.Or, ltl.Xor, ltl.Implies, ltl.Iff
)
#: The duals: a negation moves past an operator and turns it into its dual.
_DUAL: dict[type[Temporal], Callable[..., Temporal]] = {
    ltl.Next: ltl.Next,
    ltl.Eventually: ltl.Always,
    ltl.Always: ltl.Eventually,
    ltl.Until: ltl.Release,
    ltl.Release: ltl.Until,
    ltl.Yesterday: ltl.WeakYesterday,
    ltl.WeakYesterday: ltl.Yesterday,
    ltl.Once: ltl.Historically,
    ltl.Historically: ltl.Once,
    ltl.Since: ltl.Triggered,
    ltl.Triggered: ltl.Since,
}
#: The connectives over which a unary operator distributes.
_THROUGH: dict[type[ltl.Unary], tuple[type[ltl.Binary], ...]] = {
    ltl.Next: (
        ltl.And,
        ltl.Or,
        ltl.Xor,
        ltl.Implies,
        ltl.Iff,
        ltl.Until,
        ltl.Release,
        ltl.WeakUntil,
    ),
    ltl.Eventually: (ltl.Or,),
    ltl.Always: (ltl.And,),
    ltl.Yesterday: (ltl.And, ltl.Or),
    ltl.WeakYesterday: (ltl.And, ltl.Or),
    ltl.Once: (ltl.Or,),
    ltl.Historically: (ltl.And,),
}
#: Operators with ``O O a = O a``.
_IDEMPOTENT = (ltl.Eventually, ltl.Always, ltl.Once, ltl.Historically)
#: Operators that a reader may confuse with an operator.
_TAKEN_FOR: dict[type[Temporal], tuple[Callable[..., Temporal], ...]] = {
    ltl.Eventually: (ltl.Always,),
    ltl.Always: (ltl.Eventually,),
    ltl.Once: (ltl.Historically,),
    ltl.Historically: (ltl.Once,),
    ltl.Yesterday: (ltl.Once,),
    ltl.Next: (ltl.Eventually,),
    ltl.WeakYesterday: (ltl.Yesterday,),
    ltl.Until: (ltl.WeakUntil,),
    ltl.WeakUntil: (ltl.Until,),
    ltl.Release: (ltl.WeakUntil,),
    ltl.Since: (ltl.Triggered,),
    ltl.Triggered: (ltl.Since,),
}


#: The plainer operators that may replace an operator when shrinking: always of a lower rank.
PLAINER: Mapping[type[Temporal], tuple[type[Temporal], ...]] = {
    **dict.fromkeys((ltl.Xor, ltl.Implies, ltl.Iff, ltl.Until, ltl.Since), (ltl.And, ltl.Or)),
    **dict.fromkeys((ltl.Release, ltl.WeakUntil), (ltl.And, ltl.Or, ltl.Until)),
    ltl.Triggered: (ltl.And, ltl.Or, ltl.Since),
    ltl.WeakYesterday: (ltl.Yesterday,),
}


def rewritings(formula: Temporal) -> Iterator[Temporal]:
    """The formulas equivalent by one law at the root."""
    yield from _CONNECTIVES.rewritings(formula)
    yield from _of_duality(formula)
    yield from _of_distribution(formula)
    yield from _of_expansion(formula)
    yield from _of_definition(formula)
    yield from _of_absorption(formula)


def edits(formula: Temporal, names: Vocabulary) -> Iterator[Temporal]:
    """The formulas with one change at the root: of an operator, a scope, an order, a name. Few are equivalent."""
    yield from _CONNECTIVES.edits(formula)
    yield from exchanged(formula, ltl.Binary)
    match formula:
        case ltl.Atom(name):
            yield from (
                ltl.Atom(candidate) for candidate in names.propositions if candidate != name
            )
        case ltl.Unary(operand):
            yield from (kind(operand) for kind in _TAKEN_FOR.get(type(formula), ()))
            # `!X !a` exchanged would be `X !!a`, which nobody writes.
            is_negation = isinstance(formula, ltl.Not)
            makes_two = is_negation and any(
                isinstance(child, ltl.Not) for child in operand.children()
            )
            is_same = type(operand) is type(formula)
            if isinstance(operand, ltl.Unary) and not is_same and not makes_two:
                yield type(operand)(type(formula)(operand.operand))
            if isinstance(operand, ltl.Binary) and not isinstance(formula, ltl.Not):
                yield type(operand)(type(formula)(operand.left), operand.right)
                yield type(operand)(operand.left, type(formula)(operand.right))
        case ltl.Binary(left, right):
            if type(formula) in _TAKEN_FOR:
                yield from (kind(left, right) for kind in _TAKEN_FOR[type(formula)])
                yield type(formula)(right, left)
            if isinstance(left, ltl.Unary) and not isinstance(left, ltl.Not):
                yield type(left)(type(formula)(left.operand, right))
            if isinstance(right, ltl.Unary) and not isinstance(right, ltl.Not):
                yield type(right)(type(formula)(left, right.operand))


def _of_duality(formula: Temporal) -> Iterator[Temporal]:
    negation = _CONNECTIVES.negation
    match formula:
        case ltl.Not(inner) if type(inner) in _DUAL:
            yield _DUAL[type(inner)](*map(negation, inner.children()))
        case ltl.Not(ltl.WeakUntil(a, b)):
            # The weak until has no dual operator of its own.
            yield ltl.Until(negation(b), ltl.And(negation(a), negation(b)))
        case _ if type(formula) in _DUAL:
            dual = _DUAL[type(formula)]
            yield ltl.Not(dual(*map(negation, formula.children())))


def _of_distribution(formula: Temporal) -> Iterator[Temporal]:
    # The connectives that the operator at the root moves through.
    through = _THROUGH.get(type(formula), ()) if isinstance(formula, ltl.Unary) else ()
    match formula:
        case ltl.Unary(ltl.Binary(left, right) as inner) if type(inner) in through:
            yield type(inner)(type(formula)(left), type(formula)(right))
        case ltl.Binary(ltl.Unary(left) as first, ltl.Unary(right) as second) if type(
            first
        ) is type(second):
            # X a & X b is X (a & b): the same laws backwards.
            if type(formula) in _THROUGH.get(type(first), ()):
                yield type(first)(type(formula)(left, right))
        case ltl.Until(a, ltl.Or(b, c)) | ltl.Since(a, ltl.Or(b, c)):
            yield ltl.Or(type(formula)(a, b), type(formula)(a, c))
        case ltl.Until(ltl.And(a, b), c) | ltl.Since(ltl.And(a, b), c):
            yield ltl.And(type(formula)(a, c), type(formula)(b, c))
        case ltl.Release(a, ltl.And(b, c)) | ltl.Triggered(a, ltl.And(b, c)):
            yield ltl.And(type(formula)(a, b), type(formula)(a, c))
        case ltl.Release(ltl.Or(a, b), c) | ltl.Triggered(ltl.Or(a, b), c):
            yield ltl.Or(type(formula)(a, c), type(formula)(b, c))
        case ltl.Or(ltl.Until(a, b) as first, ltl.Until(c, d)) | ltl.Or(
            ltl.Since(a, b) as first, ltl.Since(c, d)
        ) if a == c:
            yield type(first)(a, ltl.Or(b, d))
        case ltl.And(ltl.Until(a, b) as first, ltl.Until(c, d)) | ltl.And(
            ltl.Since(a, b) as first, ltl.Since(c, d)
        ) if b == d:
            yield type(first)(ltl.And(a, c), b)


def _of_expansion(formula: Temporal) -> Iterator[Temporal]:
    """An operator unfolded into this position and the next or previous one."""
    match formula:
        case ltl.Eventually(a):
            yield ltl.Or(a, ltl.Next(formula))
        case ltl.Always(a):
            yield ltl.And(a, ltl.Next(formula))
        case ltl.Until(a, b) | ltl.WeakUntil(a, b):
            yield ltl.Or(b, ltl.And(a, ltl.Next(formula)))
        case ltl.Release(a, b):
            yield ltl.And(b, ltl.Or(a, ltl.Next(formula)))
        case ltl.Once(a):
            yield ltl.Or(a, ltl.Yesterday(formula))
        case ltl.Historically(a):
            yield ltl.And(a, ltl.WeakYesterday(formula))
        case ltl.Since(a, b):
            yield ltl.Or(b, ltl.And(a, ltl.Yesterday(formula)))
        case ltl.Triggered(a, b):
            yield ltl.And(b, ltl.Or(a, ltl.WeakYesterday(formula)))


def _of_definition(formula: Temporal) -> Iterator[Temporal]:
    match formula:
        case ltl.Until(a, b):
            yield ltl.And(ltl.WeakUntil(a, b), ltl.Eventually(b))
        case ltl.WeakUntil(a, b):
            yield ltl.Or(ltl.Until(a, b), ltl.Always(a))
            yield ltl.Release(b, ltl.Or(a, b))
        case ltl.Release(a, b):
            yield ltl.WeakUntil(b, ltl.And(a, b))
        case ltl.And(ltl.WeakUntil(a, b), ltl.Eventually(c)) if b == c:
            yield ltl.Until(a, b)
        case ltl.Or(ltl.Until(a, b), ltl.Always(c)) if a == c:
            yield ltl.WeakUntil(a, b)


def _of_absorption(formula: Temporal) -> Iterator[Temporal]:
    """Repeated operators as one; X Y a as a; X moved past F and G."""
    match formula:
        case ltl.Eventually(ltl.Always(ltl.Eventually(_)) as inner) | ltl.Always(
            ltl.Eventually(ltl.Always(_)) as inner
        ):
            yield inner
        case ltl.Unary(ltl.Unary(_) as inner) if type(inner) is type(formula) and isinstance(
            formula, _IDEMPOTENT
        ):
            yield inner
        case ltl.Until(a, ltl.Until(b, _) as inner) | ltl.Since(a, ltl.Since(b, _) as inner) if (
            a == b
        ):
            yield inner
        case ltl.Eventually(ltl.Until(_, b)):
            yield ltl.Eventually(b)
        case ltl.Once(ltl.Since(_, b)):
            yield ltl.Once(b)
        case ltl.Next(ltl.Yesterday(a) | ltl.WeakYesterday(a)):
            yield a
        case ltl.Next(ltl.Eventually(a) | ltl.Always(a) as inner):
            yield type(inner)(ltl.Next(a))
        case ltl.Eventually(ltl.Next(a)) | ltl.Always(ltl.Next(a)):
            yield ltl.Next(type(formula)(a))


def simpler(formula: Temporal, vocabulary: Vocabulary | None = None) -> Iterator[Temporal]:
    """The smaller neighbours, each once, smallest first.

    A subformula is replaced by an atom in it or by one of its operands, an operator by a plainer one, and a name by an
    earlier one of the vocabulary. Repeated steps end, since each makes these three smaller, in lexicographic order: the
    number of nodes, the sum of the operators' ranks, the sum of the names' places in the vocabulary.
    """
    return distinct(formula, _neighbours(formula, vocabulary))


def _neighbours(formula: Temporal, vocabulary: Vocabulary | None) -> Iterator[Temporal]:
    everywhere = list(places(formula))
    cuts: list[Temporal] = []
    for path, node in everywhere:
        if not node.children():
            continue
        atoms = dict.fromkeys(inner for inner in node.subformulas() if isinstance(inner, ltl.Atom))
        replacements = (*atoms, *node.children())
        cuts += [replaced_at(formula, path, replacement) for replacement in replacements]
    # Smallest first over the whole formula, so that the shrinker tries the largest cuts first.
    yield from sorted(cuts, key=by_size)
    for path, node in everywhere:
        for kind in PLAINER.get(type(node), ()):
            yield replaced_at(formula, path, kind(*node.children()))
    used = symbols(formula).propositions
    names = vocabulary.propositions if vocabulary else ()
    changes = [(names, name, lambda new, name=name: renamed(formula, {name: new})) for name in used]
    yield from renamings(changes, taken=used)


def renamed(formula: Temporal, names: Mapping[str, str]) -> Temporal:
    """The formula with its propositions renamed simultaneously; those not in ``names`` keep their names."""
    atoms = {ltl.Atom(old): ltl.Atom(new) for old, new in names.items()}
    return substitute(formula, atoms)
