"""Families of first-order problems that grow with a number, each with its status by construction.

They follow families on which theorem provers are compared (TPTP, Sutcliffe 2017); the formulas are our own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

_SETS = [
    "∀x. ∀y. ∀z. (in(z, union(x, y)) ↔ (in(z, x) ∨ in(z, y)))",
    "∀x. ∀y. ∀z. (in(z, meet(x, y)) ↔ (in(z, x) ∧ in(z, y)))",
    "∀x. ∀y. ∀z. (in(z, minus(x, y)) ↔ (in(z, x) ∧ ¬in(z, y)))",
    "∀x. ∀y. (subset(x, y) ↔ ∀z. (in(z, x) → in(z, y)))",
    "∀x. ∀y. (x = y ↔ (subset(x, y) ∧ subset(y, x)))",
    "∀x. ∀y. union(x, y) = union(y, x)",
]
_CALCULUS = [
    "∀x. ∀y. ((T(i(x, y)) ∧ T(x)) → T(y))",
    "∀x. ∀y. T(i(x, i(y, x)))",
    "∀x. ∀y. ∀z. T(i(i(x, i(y, z)), i(i(x, y), i(x, z))))",
]


class FirstOrderProblem(NamedTuple):
    """Two formulas, and whether they are equivalent."""

    left: str
    right: str
    is_equivalence: bool


def _conjunction(formulas: list[str]) -> str:
    return reduce(lambda left, right: f"({left} ∧ {right})", [f"({text})" for text in formulas])


def _theorem(premises: list[str], conclusion: str) -> FirstOrderProblem:
    return FirstOrderProblem(f"{_conjunction(premises)} → {conclusion}", "⊤", True)


def _for_all(names: list[str], body: str) -> str:
    quantifiers = "".join(f"∀{name}. " for name in names)
    return f"{quantifiers}{body}"


def _nested(function: str, terms: list[str]) -> str:
    """``f(a, f(b, c))``."""
    *first, last = terms
    return reduce(lambda inner, term: f"{function}({term}, {inner})", reversed(first), last)


def one_rule(n: int) -> FirstOrderProblem:
    """One rule of n variables over n constants, which a prover by instances applies in n to the n ways."""
    variables = [f"x{at}" for at in range(1, n + 1)]
    constants = [f"a{at}" for at in range(1, n + 1)]
    domain = _conjunction([f"D({name})" for name in variables])
    premises = [
        *[f"D({name})" for name in constants],
        _for_all(variables, f"({domain} → P({', '.join(variables)}))"),
        f"P({', '.join(reversed(constants))}) → G",
    ]
    return _theorem(premises, "G")


def differences(n: int) -> FirstOrderProblem:
    """To take n sets away one after another, or their union at once (TPTP's SET614+3 has n = 2)."""
    sets = [f"x{at}" for at in range(1, n + 1)]
    one_by_one = reduce(lambda left, right: f"minus({left}, {right})", sets, "x0")
    body = f"{one_by_one} = minus(x0, {_nested('union', sets)})"
    return _theorem(_SETS, _for_all(["x0", *sets], body))


def distributivity(n: int) -> FirstOrderProblem:
    """The intersection with a union of n sets is the union of n intersections (SET169+3 has n = 2)."""
    sets = [f"x{at}" for at in range(1, n + 1)]
    meets = [f"meet(x0, {name})" for name in sets]
    body = f"meet(x0, {_nested('union', sets)}) = {_nested('union', meets)}"
    return _theorem(_SETS, _for_all(["x0", *sets], body))


def detachment(n: int) -> FirstOrderProblem:
    """x1 → (x2 → … → x1) with n names, in the calculus of implication."""
    names = [f"x{at}" for at in range(1, n + 1)]
    return _theorem(_CALCULUS, _for_all(names, f"T({_nested('i', [*names, 'x1'])})"))


def biconditionals(n: int) -> FirstOrderProblem:
    """Andrews's challenge, Pelletier's problem 34, with n predicates instead of two."""
    names = [f"P{at}" for at in range(n)]
    rounds = [
        f"((∃x. ∀y. ({name}(x) ↔ {name}(y))) ↔ ((∃x. {following}(x)) ↔ ∀y. {name}(y)))"
        for name, following in pairwise([*names, names[0]])
    ]
    return FirstOrderProblem(reduce(lambda left, right: f"({left} ↔ {right})", rounds), "⊤", True)


def cycles(n: int) -> FirstOrderProblem:
    """A function of which the nth and the next power are the identity is the identity."""
    powers = [f"{'f(' * times}x{')' * times}" for times in (n, n + 1)]
    return _theorem([f"∀x. {power} = x" for power in powers], "∀x. f(x) = x")


def order(n: int) -> FirstOrderProblem:
    """A strict order with a chain of n elements: it has a model of n elements and no smaller one."""
    links = [f"R(c{at}, c{at + 1})" for at in range(1, n)]
    transitive = "∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z))"
    return FirstOrderProblem(_conjunction([transitive, "∀x. ¬R(x, x)", *links]), "⊥", False)


FIRST_ORDER_FAMILIES: dict[str, Callable[[int], FirstOrderProblem]] = {
    "one rule": one_rule,
    "differences of sets": differences,
    "distributivity of sets": distributivity,
    "detachment": detachment,
    "biconditionals": biconditionals,
    "cycles": cycles,
    "order": order,
}
