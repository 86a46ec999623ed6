"""Boolean circuits of shared gates: equal parts of formulas become one gate, and many become no gate at all.

A signal is an integer: twice the number of a gate, plus 1 if it is negated, so ``signal ^ 1`` is its negation. Gate 0
is falsehood; each other gate is an input or combines two earlier signals. These are and-inverter graphs (A. Kuehlmann
et al., "Robust Boolean reasoning for equivalence checking and functional property verification", 2002), with gates for
exclusive disjunctions.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional.diagrams import TooLargeError

#: Signals. A signal is twice the number of its gate, plus 1 for the negation; gate 0 is false.
FALSE, TRUE = 0, 1
#: The signals that a gate combines: for ∧ the smaller one comes first, for ⊕ the larger one. An input has none.
Gate = tuple[int, int] | None


class Circuit:
    """A circuit that grows; it raises ``TooLargeError`` for more than ``limit`` gates."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        #: Each gate comes after those that it combines. The first is falsehood.
        self.gates: list[Gate] = [None]
        self._signals: dict[Gate, int] = {}

    def input(self) -> int:
        """The signal of a new input."""
        self.gates.append(None)
        return 2 * len(self.gates) - 2

    def both(self, left: int, right: int) -> int:
        """The signal of ``left ∧ right``."""
        if left > right:
            left, right = right, left
        if left <= TRUE:
            return right if left else FALSE
        if left == right:
            return left
        if left ^ 1 == right:
            return FALSE
        # No gate has the signal 0, so `or` means: not known yet.
        return self._signals.get((left, right)) or self._gate((left, right))

    def either(self, left: int, right: int) -> int:
        """The signal of ``left ∨ right``."""
        return self.both(left ^ 1, right ^ 1) ^ 1

    def differ(self, left: int, right: int) -> int:
        """The signal of ``left ⊕ right``."""
        # A negated operand negates the value, so that one gate serves for all signs of the operands.
        negated = (left ^ right) & 1
        larger, smaller = left & ~1, right & ~1
        if larger < smaller:
            larger, smaller = smaller, larger
        if larger == smaller:
            return negated
        if smaller == FALSE:
            return larger ^ negated
        # The larger one comes first: so the order of a pair shows which connective its gate is.
        key = (larger, smaller)
        return (self._signals.get(key) or self._gate(key)) ^ negated

    def implies(self, premise: int, conclusion: int) -> int:
        return self.both(premise, conclusion ^ 1) ^ 1

    def agree(self, signal: int, partner: int) -> int:
        return self.differ(signal, partner) ^ 1

    def _gate(self, gate: Gate) -> int:
        if len(self.gates) > self._limit:
            raise TooLargeError
        self.gates.append(gate)
        signal = self._signals[gate] = 2 * len(self.gates) - 2
        return signal

    def clauses(self, root: int) -> list[tuple[int, ...]]:
        """Clauses that hold together if and only if the signal ``root`` does; it must not be a constant.

        The variable of a gate is its number; a negated one has a minus sign.
        """
        needed = {root >> 1}
        clauses: list[tuple[int, ...]] = [(_literal(root),)]
        # Backwards, each gate comes after those that use it. So one pass finds all that are needed.
        for number in range(root >> 1, 0, -1):
            gate = self.gates[number]
            if gate is None or number not in needed:
                continue
            literal, partner = map(_literal, gate)
            needed |= {abs(literal), abs(partner)}
            if gate[0] < gate[1]:  # a conjunction
                clauses.append((-number, literal))
                clauses.append((-number, partner))
                clauses.append((number, -literal, -partner))
            else:
                clauses.append((-number, literal, partner))
                clauses.append((-number, -literal, -partner))
                clauses.append((number, -literal, partner))
                clauses.append((number, literal, -partner))
        return clauses


def _literal(signal: int) -> int:
    variable = signal >> 1
    return -variable if signal & 1 else variable


#: Functions of the class: methods of a circuit, kept in it, would keep it in memory until the garbage collector runs.
CONNECTIVES: dict[type[Sentence], Callable[[Circuit, int, int], int]] = {
    fol.And: Circuit.both,
    fol.Or: Circuit.either,
    fol.Xor: Circuit.differ,
    fol.Implies: Circuit.implies,
    fol.Iff: Circuit.agree,
}
