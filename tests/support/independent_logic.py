"""A second implementation of first-order logic, from the definitions: all small models at once, and z3's Python API.

Shares only the syntax trees with the package.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import z3

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Bottom,
    Equal,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
)

#: A fact about a model: a predicate with elements for which it holds.
Fact = tuple[Hashable, ...]


def worlds(
    formula: Sentence,
    domain: tuple[int, ...],
    names: Mapping[str, int],
    facts: Mapping[Fact, int],
    full: int,
) -> int:
    """The models in which a formula holds, as bits; ``facts`` has those of each fact, ``full`` has all."""

    def below(part: Sentence) -> int:
        return worlds(part, domain, names, facts, full)

    match formula:
        case Atom(predicate, arguments):
            return facts[predicate, *(names[term.name] for term in arguments)]
        case Equal(left, right):
            return full if names[left.name] == names[right.name] else 0
        case Not(operand):
            return full ^ below(operand)
        case Quantified(variable, body):
            cases = [
                worlds(body, domain, {**names, variable: each}, facts, full) for each in domain
            ]
            found = full if isinstance(formula, Forall) else 0
            for models in cases:
                found = found & models if isinstance(formula, Forall) else found | models
            return found
        case Binary(left, right):
            one, other = below(left), below(right)
            tables = {
                And: one & other,
                Or: one | other,
                Xor: one ^ other,
                Implies: full ^ one | other,
            }
            return tables[type(formula)] if type(formula) in tables else full ^ one ^ other
    return full if isinstance(formula, Top) else 0


def profile(
    formula: Sentence, predicates: Mapping[str, int], constants: tuple[str, ...], size: int
) -> tuple[int, ...]:
    """The models with this number of elements in which a formula holds, for each interpretation of the constants."""
    domain = tuple(range(size))
    facts = [
        (name, *row) for name, arity in predicates.items() for row in product(domain, repeat=arity)
    ]
    rows = 1 << len(facts)
    columns = {fact: _column(place, rows) for place, fact in enumerate(facts)}
    denotations = product(domain, repeat=len(constants))
    return tuple(
        worlds(formula, domain, dict(zip(constants, chosen, strict=True)), columns, (1 << rows) - 1)
        for chosen in denotations
    )


@cache
def _column(place: int, rows: int) -> int:
    """The rows, as bits, whose number has a one at this binary digit."""
    return int("".join("1" if row >> place & 1 else "0" for row in reversed(range(rows))), 2)


def holds_in(formula: Sentence, witness: Mapping[str, Any]) -> bool:
    """Whether a formula holds in a finite model, given as a verdict's JSON witness."""
    domain = tuple(witness["domain"])
    facts: dict[Fact, int] = {}
    for node in formula.subformulas():
        if isinstance(node, Atom):
            held = witness["predicates"][node.predicate]
            for row in product(domain, repeat=len(node.arguments)):
                facts[node.predicate, *row] = int(
                    list(row) in held if isinstance(held, list) else held
                )
    return bool(worlds(formula, domain, witness["constants"], facts, 1))


def is_refuted(formula: Sentence, rlimit: int = 100_000) -> bool | None:
    """Whether z3 proves that a formula has no model; None if z3 does not know."""
    solver = z3.SimpleSolver()
    solver.set("rlimit", rlimit)
    solver.add(in_z3(formula))
    return {"unsat": True, "sat": False}.get(str(solver.check()))


_SORT = z3.DeclareSort("Thing")
_CONNECTIVES: dict[type[Formula], Any] = {
    Not: z3.Not,
    And: z3.And,
    Or: z3.Or,
    Xor: z3.Xor,
    Implies: z3.Implies,
    Iff: lambda left, right: left == right,
}


def in_z3(formula: Formula, bound: Mapping[str, Any] | None = None) -> Any:
    """The formula as a z3 expression."""
    known = bound or {}

    def term(node: Term) -> Any:
        if node.arguments:
            return z3.Function(node.name, *[_SORT] * (len(node.arguments) + 1))(
                *map(term, node.arguments)
            )
        return known.get(node.name, z3.Const(node.name, _SORT))

    match formula:
        case Atom(name, ()):
            return z3.Bool(name)
        case Atom(name, arguments):
            return z3.Function(name, *[_SORT] * len(arguments), z3.BoolSort())(
                *map(term, arguments)
            )
        case Equal(left, right):
            return term(left) == term(right)
        case Quantified(variable, body):
            constant = z3.FreshConst(_SORT, variable)
            quantifier = z3.ForAll if isinstance(formula, Forall) else z3.Exists
            return quantifier([constant], in_z3(body, {**known, variable: constant}))
        case Top() | Bottom():
            return z3.BoolVal(isinstance(formula, Top))
    return _CONNECTIVES[type(formula)](*(in_z3(part, known) for part in formula.children()))


def edits_between(left: Sentence, right: Sentence) -> Iterator[str]:
    """The elementary edits from one formula to the other; "other" for anything else."""
    if type(left) is not type(right) and Not in (type(left), type(right)):
        longer, shorter = (left, right) if isinstance(left, Not) else (right, left)
        is_literal = isinstance(shorter, Atom | Equal) and longer == Not(shorter)
        yield "negation" if is_literal else "other"
        return
    if isinstance(left, Binary) and isinstance(right, Binary) and type(left) is not type(right):
        yield "connective"
    elif (
        isinstance(left, Quantified)
        and isinstance(right, Quantified)
        and type(left) is not type(right)
    ):
        yield "quantifier" if left.variable == right.variable else "other"
    elif type(left) is not type(right) or left.label() != right.label():
        yield "other"
    for one, other in zip(left.children(), right.children(), strict=False):
        yield from edits_between(one, other)
