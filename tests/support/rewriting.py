"""Pairs of similar formulas: changed by a law, which keeps the meaning, or by another operator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import cast

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
    Top,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)
from support.ltl_formulas import BINARY, UNARY

#: For each type of node, equivalent formulas.
LAWS: dict[type[Temporal], tuple[Callable[..., Temporal], ...]] = {
    Atom: (lambda a: Next(Yesterday(a)), lambda a: Not(Not(a))),
    Not: (lambda a: Implies(a, Xor(a, a)),),
    And: (lambda a, b: Not(Or(Not(a), Not(b))),),
    Or: (lambda a, b: Implies(Not(a), b),),
    Xor: (lambda a, b: Not(Iff(a, b)),),
    Implies: (lambda a, b: Or(Not(a), b),),
    Iff: (lambda a, b: And(Implies(a, b), Implies(b, a)),),
    Next: (lambda a: Not(Next(Not(a))), lambda a: Next(Next(WeakYesterday(a)))),
    Eventually: (
        lambda a: Until(Top(), a),
        lambda a: Or(a, Next(Eventually(a))),
        lambda a: Not(Always(Not(a))),
    ),
    Always: (
        lambda a: Release(Not(Top()), a),
        lambda a: And(a, Next(Always(a))),
        lambda a: WeakUntil(a, Not(Top())),
    ),
    Until: (
        lambda a, b: Or(b, And(a, Next(Until(a, b)))),
        lambda a, b: And(WeakUntil(a, b), Eventually(b)),
        lambda a, b: Not(WeakUntil(Not(b), And(Not(a), Not(b)))),
    ),
    Release: (lambda a, b: Not(Until(Not(a), Not(b))), lambda a, b: WeakUntil(b, And(a, b))),
    WeakUntil: (lambda a, b: Or(Until(a, b), Always(a)), lambda a, b: Release(b, Or(a, b))),
    Yesterday: (
        lambda a: Not(WeakYesterday(Not(a))),
        lambda a: And(WeakYesterday(a), Yesterday(Top())),
    ),
    WeakYesterday: (lambda a: Or(Yesterday(a), Not(Yesterday(Top()))),),
    Once: (lambda a: Since(Top(), a), lambda a: Or(a, Yesterday(Once(a)))),
    Historically: (lambda a: Not(Once(Not(a))), lambda a: And(a, WeakYesterday(Historically(a)))),
    Since: (
        lambda a, b: Or(b, And(a, Yesterday(Since(a, b)))),
        lambda a, b: Not(Triggered(Not(a), Not(b))),
    ),
    Triggered: (lambda a, b: And(b, Or(a, WeakYesterday(Triggered(a, b)))),),
}


def by_a_law(rng: random.Random, formula: Temporal) -> Temporal:
    """The formula with one law applied somewhere; it is equivalent."""
    return rng.choice([*_everywhere(formula, _by_laws)])


def by_another_operator(rng: random.Random, formula: Temporal) -> Temporal:
    """The formula with one operator exchanged; it is seldom equivalent. The formula must have an operator."""
    return rng.choice([*_everywhere(formula, _by_operators)])


def _everywhere(
    formula: Temporal, changes: Callable[[Temporal], Iterator[Temporal]]
) -> Iterator[Temporal]:
    yield from changes(formula)
    children = cast("tuple[Temporal, ...]", formula.children())
    for place, child in enumerate(children):
        for changed in _everywhere(child, changes):
            yield formula.with_children((*children[:place], changed, *children[place + 1 :]))


def _by_laws(node: Temporal) -> Iterator[Temporal]:
    operands = (node,) if isinstance(node, Atom) else node.children()
    for law in LAWS.get(type(node), ()):
        yield law(*operands)


def _by_operators(node: Temporal) -> Iterator[Temporal]:
    if isinstance(node, Unary):
        yield from (kind(node.operand) for kind in UNARY if kind is not type(node))
    elif isinstance(node, Binary):
        yield from (kind(node.left, node.right) for kind in BINARY if kind is not type(node))
