"""First-order formulas as one circuit over atoms and quantified formulas, without the names of bound variables.

Formulas that differ only in the names of bound variables, in the order of operands or by De Morgan's laws have the same
signal. Parts that several formulas share are stored once, so that later work on them is done once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.propositional.circuits import FALSE, TRUE, Circuit
from pytest_autoeval.languages.size_limits import MAX_NODES

#: Nested tuples: ``("atom", predicate, *terms)``; ``("equation", left, right)``; ``("all", depth, signal)``, if for all
#: values of the variable of that depth the signal holds. A term is a constant's name, a tuple of a function and its
#: terms, or a bound variable: the depth of its quantifier, which is the number of quantifiers around that.
Leaf = tuple[Any, ...]


class SharedFormulas:
    """The circuit of the formulas added so far."""

    def __init__(self) -> None:
        # A node makes at most one gate, and two formulas of the largest size are added.
        self._circuit = Circuit(2 * MAX_NODES + 2)
        self._signals: dict[Leaf, int] = {}
        self.gates = self._circuit.gates
        #: What each input of the circuit stands for, by the number of its gate.
        self.leaves: dict[int, Leaf] = {}
        #: For each gate, the depths of the bound variables that occur in its formula, in ascending order.
        self.depths: list[tuple[int, ...]] = [()]

    def add(self, node: Sentence, bound: Mapping[str, int] | None = None, depth: int = 0) -> int:
        """The signal of a formula under ``depth`` quantifiers, whose ``bound`` variables have the given depths."""
        bound = bound or {}
        match node:
            case fol.Atom(predicate, arguments):
                return self._leaf(
                    ("atom", predicate, *[_term(argument, bound) for argument in arguments])
                )
            case fol.Not(operand):
                return self.add(operand, bound, depth) ^ 1
            case fol.Binary(left, right):
                first = self.add(left, bound, depth)
                return self.connect(type(node), first, self.add(right, bound, depth))
            case fol.Quantified(variable, body):
                negated = isinstance(node, fol.Exists)
                signal = self.add(body, {**bound, variable: depth}, depth + 1) ^ negated
                if depth in self.depths[signal >> 1]:
                    signal = self._leaf(("all", depth, signal))
                return signal ^ negated
            case fol.Equal(left, right):
                sides = sorted((_term(left, bound), _term(right, bound)), key=repr)
                return TRUE if sides[0] == sides[1] else self._leaf(("equation", *sides))
        return TRUE if isinstance(node, fol.Top) else FALSE

    def connect(self, connective: type[Sentence], left: int, right: int) -> int:
        """The signal of two signals with a binary connective between them."""
        signal = self._circuit.connectives[connective](left, right)
        if len(self.gates) > len(self.depths):
            first, second = self.depths[left >> 1], self.depths[right >> 1]
            self.depths.append(first if first == second else tuple(sorted({*first, *second})))
        return signal

    def _leaf(self, leaf: Leaf) -> int:
        signal = self._signals.get(leaf)
        if signal is None:
            signal = self._signals[leaf] = self._circuit.input()
            self.leaves[signal >> 1] = leaf
            self.depths.append(self._depths_in(leaf))
        return signal

    def _depths_in(self, leaf: Leaf) -> tuple[int, ...]:
        kind, *parts = leaf
        if kind == "all":
            depth, body = parts
            return tuple([other for other in self.depths[body >> 1] if other != depth])
        return tuple(sorted(set(variables_in(leaf))))

    def parts(self, *roots: int) -> list[int]:
        """The gates of some formulas and of all their parts, each after its own parts."""
        needed: set[int] = set()
        pending = [root >> 1 for root in roots]
        while pending:
            number = pending.pop()
            if number in needed or number == FALSE:
                continue
            needed.add(number)
            gate = self.gates[number]
            if gate is not None:
                pending += (gate[0] >> 1, gate[1] >> 1)
            elif self.leaves[number][0] == "all":
                pending.append(self.leaves[number][2] >> 1)
        return sorted(needed)


def _term(term: Term, bound: Mapping[str, int]) -> Any:
    if term.arguments:
        return (term.name, *[_term(argument, bound) for argument in term.arguments])
    return bound.get(term.name, term.name)


def variables_in(key: Any) -> list[int]:
    """The bound variables of an atom, an equation or a term, with repeats."""
    if isinstance(key, tuple):
        return [variable for part in key for variable in variables_in(part)]
    return [key] if isinstance(key, int) else []
