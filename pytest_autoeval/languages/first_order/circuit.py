"""First-order formulas as one circuit over atoms and quantified formulas, without the names of bound variables.

Formulas that differ only in the names of bound variables, in the order of operands or by De Morgan's laws have the same
signal. Parts that several formulas share are stored once, so that later work on them is done once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.propositional.circuits import CONNECTIVES, FALSE, TRUE, Circuit
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
        # Tests of types, the most frequent one first: this takes less time than a ``match``.
        if isinstance(node, fol.Atom):
            terms = [_term(argument, bound) for argument in node.arguments]
            return self._leaf(("atom", node.predicate, *terms))
        if isinstance(node, fol.Binary):
            left_signal = self.add(node.left, bound, depth)
            return self.connect(type(node), left_signal, self.add(node.right, bound, depth))
        if isinstance(node, fol.Not):
            return self.add(node.operand, bound, depth) ^ 1
        if isinstance(node, fol.Quantified):
            # ∃ is ¬∀¬. The lowest bit of a signal is its sign, the others are the number of its gate.
            negated = isinstance(node, fol.Exists)
            signal = self.add(node.body, {**bound, node.variable: depth}, depth + 1) ^ negated
            if depth in self.depths[signal >> 1]:  # else the quantifier binds nothing
                signal = self._leaf(("all", depth, signal))
            return signal ^ negated
        if isinstance(node, fol.Equal):
            return self._equation(_term(node.left, bound), _term(node.right, bound))
        return TRUE if isinstance(node, fol.Top) else FALSE

    def connect(self, connective: type[Sentence], left: int, right: int) -> int:
        """The signal of two signals with a binary connective between them."""
        signal = CONNECTIVES[connective](self._circuit, left, right)
        if len(self.gates) > len(self.depths):  # a new gate was made
            left_depths = self.depths[left >> 1]
            right_depths = self.depths[right >> 1]
            self.depths.append(
                left_depths
                if left_depths == right_depths
                else tuple(sorted({*left_depths, *right_depths}))
            )
        return signal

    def _equation(self, left: Any, right: Any) -> int:
        if left == right:
            return TRUE
        # By text: numbers, names and tuples cannot be compared with each other.
        return self._leaf(("equation", *sorted((left, right), key=repr)))

    def _leaf(self, leaf: Leaf) -> int:
        signal = self._signals.get(leaf)
        if signal is None:
            signal = self._signals[leaf] = self._circuit.input()
            self.leaves[signal >> 1] = leaf
            self.depths.append(self._depths_in(leaf))
        return signal

    def _depths_in(self, leaf: Leaf) -> tuple[int, ...]:
        kind, *content = leaf
        if kind == "all":
            depth, body = content
            return tuple([inner for inner in self.depths[body >> 1] if inner != depth])
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
        return [variable for inner in key for variable in variables_in(inner)]
    return [key] if isinstance(key, int) else []
