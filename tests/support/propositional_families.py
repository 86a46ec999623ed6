"""Families of propositional problems that grow with a number, each with its status by construction.

They follow families on which SAT solvers are compared (SATLIB, Hoos and Stützle 2000); the formulas are our own.
Each is a flat conjunction, as such problems are published.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import NamedTuple

Clause = tuple[str, ...]


class PropositionalProblem(NamedTuple):
    """Two formulas, and whether they are equivalent; None if nobody knows by construction."""

    left: str
    right: str
    is_equivalence: bool | None


def negation(literal: str) -> str:
    return literal[1:] if literal[0] == "¬" else f"¬{literal}"


def all_of(clauses: list[Clause]) -> str:
    """The conjunction of clauses in canonical notation, without any bracket that could be left out."""
    return " ∧ ".join(
        f"({' ∨ '.join(clause)})" if len(clause) > 1 else clause[0] for clause in clauses
    )


def random_clauses(
    count: int, names: int, rng: random.Random, hidden: list[bool] | None = None
) -> list[Clause]:
    """Random clauses of three literals; the assignment ``hidden`` satisfies them all."""
    clauses: list[Clause] = []
    while len(clauses) < count:
        chosen = rng.sample(range(names), 3)
        signs = [rng.random() < 0.5 for _ in chosen]
        if hidden is None or any(
            hidden[name] == sign for name, sign in zip(chosen, signs, strict=True)
        ):
            clauses.append(
                tuple(
                    ("" if sign else "¬") + f"p{name}"
                    for name, sign in zip(chosen, signs, strict=True)
                )
            )
    return clauses


def satisfiable_clauses(n: int) -> PropositionalProblem:
    """Random clauses over n names, 4.26 a name, that a hidden assignment satisfies. (``uf``)"""
    rng = random.Random(n)
    hidden = [rng.random() < 0.5 for _ in range(n)]
    return PropositionalProblem(all_of(random_clauses(round(4.26 * n), n, rng, hidden)), "⊥", False)


def unsatisfiable_clauses(n: int) -> PropositionalProblem:
    """Random clauses over n names, 5.2 a name: more than any assignment satisfies, almost always. (``uuf``)"""
    return PropositionalProblem(
        all_of(random_clauses(round(5.2 * n), n, random.Random(n))), "⊥", None
    )


def threshold_clauses(n: int) -> PropositionalProblem:
    """Random clauses over n names, 4.26 a name: as often satisfiable as not. (``uf`` and ``uuf``)"""
    return PropositionalProblem(
        all_of(random_clauses(round(4.26 * n), n, random.Random(n))), "⊥", None
    )


def reordered_clauses(n: int) -> PropositionalProblem:
    """Random clauses over n names, and the same in another order, also of the literals."""
    rng = random.Random(n)
    clauses = random_clauses(round(4.26 * n), n, rng)
    others = [tuple(rng.sample(clause, 3)) for clause in rng.sample(clauses, len(clauses))]
    return PropositionalProblem(all_of(clauses), all_of(others), True)


def flat_colouring(n: int) -> PropositionalProblem:
    """A random graph of n nodes and 2.3 n edges that three colours suffice for. (``flat``)"""
    rng = random.Random(n)
    hidden = [rng.randrange(3) for _ in range(n)]
    possible = [pair for pair in combinations(range(n), 2) if hidden[pair[0]] != hidden[pair[1]]]
    clauses: list[Clause] = []
    for node in range(n):
        colours = [f"c{node}_{colour}" for colour in range(3)]
        clauses.append(tuple(colours))
        clauses += [(negation(one), negation(other)) for one, other in combinations(colours, 2)]
    for node, other in rng.sample(possible, min(len(possible), round(2.3 * n))):
        clauses += [(f"¬c{node}_{colour}", f"¬c{other}_{colour}") for colour in range(3)]
    return PropositionalProblem(all_of(clauses), "⊥", False)


def pigeons(n: int) -> PropositionalProblem:
    """Of n + 1 pigeons each sits in one of n holes, no two in one. They cannot. (``hole``)"""
    clauses: list[Clause] = [
        tuple(f"p{pigeon}_{hole}" for hole in range(n)) for pigeon in range(n + 1)
    ]
    for hole in range(n):
        clauses += [
            (f"¬p{pigeon}_{hole}", f"¬p{other}_{hole}")
            for pigeon, other in combinations(range(n + 1), 2)
        ]
    return PropositionalProblem(all_of(clauses), "⊥", True)


class Definitions:
    """Clauses that define the gates of a circuit by names of their own (Tseitin 1968)."""

    def __init__(self) -> None:
        self.clauses: list[Clause] = []

    def both(self, left: str, right: str) -> str:
        name = self._name()
        self.clauses += [
            (negation(name), left),
            (negation(name), right),
            (name, negation(left), negation(right)),
        ]
        return name

    def either(self, left: str, right: str) -> str:
        return negation(self.both(negation(left), negation(right)))

    def differ(self, left: str, right: str) -> str:
        name = self._name()
        for first, second in ((left, right), (negation(left), negation(right))):
            self.clauses += [(negation(name), first, second), (name, negation(first), second)]
        return name

    def _name(self) -> str:
        return f"g{len(self.clauses)}"


def product(circuit: Definitions, left: list[str], right: list[str]) -> list[str]:
    """The bits of a product, the lowest first, by adding one shifted row after another."""
    width = len(left)
    sums = [circuit.both(bit, right[0]) for bit in left]
    bits = [sums[0]]
    sums = sums[1:]
    for factor in right[1:]:
        row = [circuit.both(bit, factor) for bit in left]
        carry = ""
        added: list[str] = []
        for at in range(width):
            operands = [bit for bit in (row[at], sums[at] if at < len(sums) else "", carry) if bit]
            if len(operands) == 1:
                added.append(operands[0])
                carry = ""
                continue
            half = circuit.differ(*operands[:2])
            overflow = circuit.both(*operands[:2])
            if len(operands) == 3:
                overflow = circuit.either(overflow, circuit.both(half, operands[2]))
                half = circuit.differ(half, operands[2])
            added.append(half)
            carry = overflow
        if carry:
            added.append(carry)
        bits.append(added[0])
        sums = added[1:]
    return bits + sums


def multipliers(n: int) -> PropositionalProblem:
    """Circuits multiply two numbers of n bits in both orders, and some bit differs. It cannot."""
    circuit = Definitions()
    left, right = ([f"{name}{at}" for at in range(n)] for name in "ab")
    products = product(circuit, left, right), product(circuit, right, left)
    differences = tuple(circuit.differ(one, other) for one, other in zip(*products, strict=True))
    return PropositionalProblem(all_of([*circuit.clauses, differences]), "⊥", True)


def parity(n: int) -> PropositionalProblem:
    """An exclusive disjunction of n names, and the same in another order with biconditionals, which are as many."""
    names = [f"p{at}" for at in range(n)]
    others = random.Random(n).sample(names, n)
    right = " ↔ ".join(others)
    return PropositionalProblem(" ⊕ ".join(names), f"¬({right})" if n % 2 == 0 else right, True)


def chained_parity(n: int) -> PropositionalProblem:
    """Equations in clauses say twice what the sum of n names is, added in two orders, and once wrongly. (``par``)"""
    circuit = Definitions()
    names = [f"p{at}" for at in range(n)]
    sums = []
    for order in (names, random.Random(n).sample(names, n)):
        total = order[0]
        for name in order[1:]:
            total = circuit.differ(total, name)
        sums.append(total)
    return PropositionalProblem(
        all_of([*circuit.clauses, (sums[0],), (negation(sums[1]),)]), "⊥", True
    )


def long_chain(n: int) -> PropositionalProblem:
    """n implications in a row, and that the first thing implies the last."""
    names = [f"p{at}" for at in range(n + 1)]
    chain: list[Clause] = [(negation(one), other) for one, other in pairwise(names)]
    return PropositionalProblem(
        all_of(chain), all_of([*chain, (negation(names[0]), names[-1])]), True
    )


PROPOSITIONAL_FAMILIES: dict[str, Callable[[int], PropositionalProblem]] = {
    "satisfiable clauses": satisfiable_clauses,
    "threshold clauses": threshold_clauses,
    "unsatisfiable clauses": unsatisfiable_clauses,
    "reordered clauses": reordered_clauses,
    "flat colouring": flat_colouring,
    "pigeons": pigeons,
    "multipliers": multipliers,
    "parity": parity,
    "chained parity": chained_parity,
    "long chain": long_chain,
}
