"""A normal form of shared nodes: conjunctions of any number of operands, exclusive disjunctions, and negations.

Chains become one node, and the order of operands does not matter. So formulas that differ only in brackets, in order,
in repetitions, by De Morgan's laws, or in ↔ and ⊕ become the same node. A literal is twice the number of a node, plus 1
if it is negated, as in :mod:`~pytest_autoeval.languages.propositional.circuits`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.propositional.programs import Proposition, Step

#: Twice the number of a node, plus 1 for its negation. Node 0 is true.
Literal = int
TRUE: Literal = 0
FALSE: Literal = 1


class NodeKind(StrEnum):
    """The operator of a node."""

    TRUE = "true"
    PROPOSITION = "proposition"
    AND = "and"
    XOR = "xor"


class NormalNode(NamedTuple):
    """A node: its operands are sorted literals, for ``XOR`` without a sign. A proposition has its index instead."""

    kind: NodeKind
    operands: tuple[Literal, ...] = ()


class Chain(Struct, eq=False):
    """Operands of a chain that is still growing. It becomes a node when another connective takes it as an operand.

    A node for each step of a chain would need memory in proportion to the square of its length.
    """

    kind: NodeKind
    operands: set[Literal]
    is_negated: bool = False


#: A value of a program while it is read: a chain that may grow, or a literal.
Value = Chain | Literal


class PropositionalNormaliser:
    """Builds normal forms; equal nodes have equal numbers."""

    def __init__(self, propositions: Iterable[Proposition]) -> None:
        self.nodes: list[NormalNode] = [NormalNode(NodeKind.TRUE)]
        self._numbers: dict[NormalNode, int] = {}
        self.inputs: dict[Proposition, Literal] = {}
        for index, proposition in enumerate(propositions):
            node = NormalNode(NodeKind.PROPOSITION, (index,))
            self.inputs[proposition] = self._literal(node)

    def run(self, steps: Iterable[Step]) -> Literal:
        """The literal of the last value of a postfix program."""
        stack: list[Value] = []
        # A stack in place of recursion, so that the depth of a formula does not matter.
        for step in steps:
            if step in self.inputs:
                stack.append(self.inputs[step])
            elif step is fol.Top or step is fol.Bottom:
                stack.append(TRUE if step is fol.Top else FALSE)
            elif step is fol.Not:
                stack.append(_negated(stack.pop()))
            else:
                stack.append(self._connected(step, stack.pop(), stack.pop()))
        return self.closed(stack[-1])

    def _connected(self, connective: Step, left: Value, right: Value) -> Value:
        if connective is fol.And:
            return self._grown(NodeKind.AND, left, right)
        # De Morgan: one kind of node for ∧ and ∨ makes formulas equal that differ by these laws.
        if connective is fol.Or:
            return _negated(self._grown(NodeKind.AND, _negated(left), _negated(right)))
        if connective is fol.Implies:
            return _negated(self._grown(NodeKind.AND, left, _negated(right)))
        if connective is fol.Iff:
            return _negated(self._grown(NodeKind.XOR, left, right))
        assert connective is fol.Xor
        return self._grown(NodeKind.XOR, left, right)

    def _grown(self, kind: NodeKind, *operands: Value) -> Chain:
        """The chain of both operands, whose own chains of this kind are taken apart."""
        chains = [self._chain(kind, operand) for operand in operands]
        # The smaller set joins the larger one: so a chain of n operands costs n log n steps, however it is nested.
        smaller, larger = sorted(chains, key=lambda chain: len(chain.operands))
        if kind is NodeKind.AND:
            larger.operands |= smaller.operands
        else:
            larger.operands ^= smaller.operands  # an operand that occurs twice cancels itself
            larger.is_negated ^= smaller.is_negated
        return larger

    def _chain(self, kind: NodeKind, operand: Value) -> Chain:
        """An operand as a chain of its own; the sign of an exclusive disjunction stands outside its operands."""
        match operand:
            case Chain(NodeKind.XOR) if kind is NodeKind.XOR:
                return operand  # ¬(a ⊕ b) is an exclusive disjunction with another sign …
            case Chain(NodeKind.AND, is_negated=False) if kind is NodeKind.AND:
                return operand  # … but ¬(a ∧ b) is no conjunction
        literal = self.closed(operand)
        if kind is NodeKind.AND:
            return Chain(kind, {literal})
        return Chain(kind, {literal & ~1}, is_negated=bool(literal & 1))

    def closed(self, value: Value) -> Literal:
        """The literal of a value; a chain ends."""
        if not isinstance(value, Chain):
            return value
        if value.kind is NodeKind.AND:
            return self.conjunction(value.operands) ^ value.is_negated
        return self.difference(value.operands) ^ value.is_negated

    def conjunction(self, operands: set[Literal]) -> Literal:
        """The literal of a conjunction."""
        operands = operands - {TRUE}
        # A list of clauses with a clause and its negation is false, whatever else it says.
        if FALSE in operands or any(literal ^ 1 in operands for literal in operands):
            return FALSE
        if not operands:
            return TRUE
        if len(operands) == 1:
            return operands.pop()
        return self._literal(NormalNode(NodeKind.AND, tuple(sorted(operands))))

    def difference(self, operands: set[Literal]) -> Literal:
        """The literal of an exclusive disjunction; the operands must have no sign."""
        sign = 0
        if TRUE in operands:  # a ⊕ ⊤ is ¬a
            operands = operands - {TRUE}
            sign = 1
        if not operands:
            return FALSE ^ sign
        if len(operands) == 1:
            return min(operands) ^ sign
        # The question of equivalence is such a pair. Published pairs share most of their clauses.
        if len(operands) == 2:
            pair = [self.nodes[literal >> 1] for literal in operands]
            common = self._common(*pair)
            if common:
                return self._outside(common, operands) ^ sign
        return self._literal(NormalNode(NodeKind.XOR, tuple(sorted(operands)))) ^ sign

    def _common(self, node: NormalNode, partner: NormalNode) -> set[Literal]:
        if node.kind is not NodeKind.AND or partner.kind is not NodeKind.AND:
            return set()
        return {*node.operands} & {*partner.operands}

    def _outside(self, common: set[Literal], operands: set[Literal]) -> Literal:
        """``(a ∧ c) ⊕ (b ∧ c)`` as ``(a ⊕ b) ∧ c``: two lists of clauses may differ in few of them."""
        remainders = []
        for literal in operands:
            conjuncts = {*self.nodes[literal >> 1].operands}
            remainders.append(self.conjunction(conjuncts - common))
        inner = self.closed(self._grown(NodeKind.XOR, *remainders))
        factored = self._grown(NodeKind.AND, inner, Chain(NodeKind.AND, common))
        return self.closed(factored)

    def _literal(self, node: NormalNode) -> Literal:
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return 2 * number


def _negated(value: Value) -> Value:
    if isinstance(value, Chain):
        value.is_negated = not value.is_negated
        return value
    return value ^ 1
