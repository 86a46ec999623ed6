"""Temporal formulas written otherwise: by laws, which keep the meaning, and by changes, which seldom do.

The laws hold at every position of every trace, so they may be used anywhere in a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pytest_autoeval.languages.connectives import Connectives, exchanged
from pytest_autoeval.languages.ltl import syntax
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Binary,
    Eventually,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Release,
    Since,
    Temporal,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

_CONNECTIVES = Connectives(syntax.Top, syntax.Bottom, Not, And, Or, Xor, Implies, Iff)
#: What a negation turns an operator into when it moves past it.
_DUAL: dict[type[Temporal], Callable[..., Temporal]] = {
    Next: Next,
    Eventually: Always,
    Always: Eventually,
    Until: Release,
    Release: Until,
    Yesterday: WeakYesterday,
    WeakYesterday: Yesterday,
    Once: Historically,
    Historically: Once,
    Since: Triggered,
    Triggered: Since,
}
#: The connectives that an operator over one formula distributes over.
_THROUGH: dict[type[Unary], tuple[type[Binary], ...]] = {
    Next: (And, Or, Xor, Implies, Iff, Until, Release, WeakUntil),
    Eventually: (Or,),
    Always: (And,),
    Yesterday: (And, Or),
    WeakYesterday: (And, Or),
    Once: (Or,),
    Historically: (And,),
}
#: Operators of which two in a row are one.
_IDEMPOTENT = (Eventually, Always, Once, Historically)
#: What an operator is taken for.
_TAKEN_FOR: dict[type[Temporal], tuple[Callable[..., Temporal], ...]] = {
    Eventually: (Always,),
    Always: (Eventually,),
    Once: (Historically,),
    Historically: (Once,),
    Yesterday: (Once,),
    Next: (Eventually,),
    WeakYesterday: (Yesterday,),
    Until: (WeakUntil,),
    WeakUntil: (Until,),
    Release: (WeakUntil,),
    Since: (Triggered,),
    Triggered: (Since,),
}


def rewritings(formula: Temporal) -> Iterator[Temporal]:
    """What a formula is by one law of connectives or temporal operators at its root."""
    yield from _CONNECTIVES.rewritings(formula)
    yield from _of_duality(formula)
    yield from _of_distribution(formula)
    yield from _of_expansion(formula)
    yield from _of_definition(formula)
    yield from _of_absorption(formula)


def edits(formula: Temporal, names: Vocabulary) -> Iterator[Temporal]:
    """A formula with one change at its root: an operator, a scope, an order, a name."""
    yield from _CONNECTIVES.edits(formula)
    yield from exchanged(formula, Binary)
    match formula:
        case Atom(name):
            yield from (Atom(other) for other in names.propositions if other != name)
        case Unary(operand):
            yield from (kind(operand) for kind in _TAKEN_FOR.get(type(formula), ()))
            if isinstance(operand, Unary) and type(operand) is not type(formula) and not _is_twice(formula, operand):
                yield type(operand)(type(formula)(operand.operand))
            if isinstance(operand, Binary) and not isinstance(formula, Not):
                yield type(operand)(type(formula)(operand.left), operand.right)
                yield type(operand)(operand.left, type(formula)(operand.right))
        case Binary(left, right):
            if type(formula) in _TAKEN_FOR:
                yield from (kind(left, right) for kind in _TAKEN_FOR[type(formula)])
                yield type(formula)(right, left)
            if isinstance(left, Unary) and not isinstance(left, Not):
                yield type(left)(type(formula)(left.operand, right))
            if isinstance(right, Unary) and not isinstance(right, Not):
                yield type(right)(type(formula)(left, right.operand))


def _is_twice(outer: Unary, inner: Unary) -> bool:
    """Whether two negations would stand in a row if the operators changed places."""
    return isinstance(outer, Not) and isinstance(inner.operand, Not)


def _of_duality(formula: Temporal) -> Iterator[Temporal]:
    negation = _CONNECTIVES.negation
    match formula:
        case Not(inner) if type(inner) in _DUAL:
            yield _DUAL[type(inner)](*map(negation, inner.children()))
        case Not(WeakUntil(a, b)):
            yield Until(negation(b), And(negation(a), negation(b)))
        case _ if type(formula) in _DUAL:
            yield Not(_DUAL[type(formula)](*map(negation, formula.children())))


def _of_distribution(formula: Temporal) -> Iterator[Temporal]:
    match formula:
        case Unary(Binary(left, right) as inner) if type(inner) in _THROUGH.get(type(formula), ()):
            yield type(inner)(type(formula)(left), type(formula)(right))
        case Binary(Unary(left) as first, Unary(right) as second) if type(first) is type(second):
            if type(formula) in _THROUGH.get(type(first), ()):
                yield type(first)(type(formula)(left, right))
        case Until(a, Or(b, c)) | Since(a, Or(b, c)):
            yield Or(type(formula)(a, b), type(formula)(a, c))
        case Until(And(a, b), c) | Since(And(a, b), c):
            yield And(type(formula)(a, c), type(formula)(b, c))
        case Release(a, And(b, c)) | Triggered(a, And(b, c)):
            yield And(type(formula)(a, b), type(formula)(a, c))
        case Release(Or(a, b), c) | Triggered(Or(a, b), c):
            yield Or(type(formula)(a, c), type(formula)(b, c))
        case Or(Until(a, b) as first, Until(c, d)) | Or(Since(a, b) as first, Since(c, d)) if a == c:
            yield type(first)(a, Or(b, d))
        case And(Until(a, b) as first, Until(c, d)) | And(Since(a, b) as first, Since(c, d)) if b == d:
            yield type(first)(And(a, c), b)


def _of_expansion(formula: Temporal) -> Iterator[Temporal]:
    """An operator as what holds now, and what holds next or held before."""
    match formula:
        case Eventually(a):
            yield Or(a, Next(formula))
        case Always(a):
            yield And(a, Next(formula))
        case Until(a, b):
            yield Or(b, And(a, Next(formula)))
        case WeakUntil(a, b):
            yield Or(b, And(a, Next(formula)))
        case Release(a, b):
            yield And(b, Or(a, Next(formula)))
        case Once(a):
            yield Or(a, Yesterday(formula))
        case Historically(a):
            yield And(a, WeakYesterday(formula))
        case Since(a, b):
            yield Or(b, And(a, Yesterday(formula)))
        case Triggered(a, b):
            yield And(b, Or(a, WeakYesterday(formula)))


def _of_definition(formula: Temporal) -> Iterator[Temporal]:
    """Until, weak until and release in terms of each other."""
    match formula:
        case Until(a, b):
            yield And(WeakUntil(a, b), Eventually(b))
        case WeakUntil(a, b):
            yield Or(Until(a, b), Always(a))
            yield Release(b, Or(a, b))
        case Release(a, b):
            yield WeakUntil(b, And(a, b))
        case And(WeakUntil(a, b), Eventually(c)) if b == c:
            yield Until(a, b)
        case Or(Until(a, b), Always(c)) if a == c:
            yield WeakUntil(a, b)


def _of_absorption(formula: Temporal) -> Iterator[Temporal]:
    """What is said twice, said once; and the next position before or after what holds from then on."""
    match formula:
        case Eventually(Always(Eventually(_)) as inner) | Always(Eventually(Always(_)) as inner):
            yield inner
        case Unary(Unary(_) as inner) if type(inner) is type(formula) and isinstance(formula, _IDEMPOTENT):
            yield inner
        case Until(a, Until(b, _) as inner) | Since(a, Since(b, _) as inner) if a == b:
            yield inner
        case Eventually(Until(_, b)):
            yield Eventually(b)
        case Once(Since(_, b)):
            yield Once(b)
        case Next(Yesterday(a) | WeakYesterday(a)):
            yield a
        case Next(Eventually(a) | Always(a) as inner):
            yield type(inner)(Next(a))
        case Eventually(Next(a)) | Always(Next(a)):
            yield Next(type(formula)(a))
