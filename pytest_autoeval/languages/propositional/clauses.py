"""Clauses and linear equations that hold together if and only if a normal form can be true.

G. S. Tseitin, "On the complexity of derivation in propositional calculus" (1968); D. A. Plaisted and S. Greenbaum, "A
structure-preserving clause form translation" (1986): a node that occurs with one sign only needs half of its clauses.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.propositional.normal_form import (
    FALSE,
    TRUE,
    Literal,
    NodeKind,
    NormalNode,
)
from pytest_autoeval.languages.propositional.parity import Clause, row_of


class PropositionalClauses:
    """The clauses and equations of a normal form. The variable of a node is its number, and 1 is the first.

    ``rows`` and ``equation_clauses`` say the same: elimination works on the one, a solver of clauses on the other.
    """

    def __init__(self, nodes: Sequence[NormalNode], root: Literal) -> None:
        self._nodes = nodes
        self._last = len(nodes) - 1
        self.clauses: list[Clause] = []
        self.equation_clauses: list[Clause] = []
        self.rows: list[int] = []
        #: The signed numbers of nodes whose clauses are still to be written, and those that were seen.
        self._pending: list[int] = []
        self._seen: set[int] = set()
        assert root not in (TRUE, FALSE)
        self._assert(root)
        # With a list in place of recursion, the depth of the formula does not matter.
        while self._pending:
            self._define(self._pending.pop())

    def _assert(self, root: Literal) -> None:
        """States that a literal is true, without a variable for it where none is needed."""
        # Conjunctions at the top become clauses of their own. So a list of clauses stays as it was written.
        asserted = [root]
        while asserted:
            literal = asserted.pop()
            node = self._nodes[literal >> 1]
            if node.kind is NodeKind.AND and not literal & 1:
                asserted += node.operands
            elif node.kind is NodeKind.AND:
                # A conjunction is false if one of its operands is: one clause, without a variable for the node.
                negated = [self._variable(operand ^ 1) for operand in node.operands]
                self.clauses.append(tuple(negated))
            elif node.kind is NodeKind.XOR:
                self._equation(self._both_signs(node.operands), not literal & 1)
            else:
                self.clauses.append((self._variable(literal),))

    def _variable(self, literal: Literal) -> int:
        """A signed variable for a literal, whose definition follows."""
        number = literal >> 1
        signed = -number if literal & 1 else number
        kind = self._nodes[number].kind
        # An equation defines its variable for both signs at once.
        key = number if kind is NodeKind.XOR else signed
        if kind is not NodeKind.PROPOSITION and key not in self._seen:
            self._seen.add(key)
            self._pending.append(key)
        return signed

    def _define(self, signed: int) -> None:
        """States that a node's operands make it true (or false, for a minus sign) wherever its variable says so."""
        node = self._nodes[abs(signed)]
        if node.kind is NodeKind.XOR:
            self._equation([*self._both_signs(node.operands), signed], value=False)
        elif signed > 0:
            self.clauses += [(-signed, self._variable(operand)) for operand in node.operands]
        else:
            negated = [self._variable(operand ^ 1) for operand in node.operands]
            self.clauses.append((-signed, *negated))

    def _both_signs(self, operands: Sequence[Literal]) -> list[int]:
        """The variables of an equation: the value of each operand matters, whichever it is."""
        for operand in operands:
            # A call for each sign: an operand that is a conjunction has one definition for each.
            self._variable(operand ^ 1)
        return [self._variable(operand) for operand in operands]

    def _equation(self, variables: list[int], value: bool) -> None:
        """States how many of some variables are true: an odd number, or with ``value`` false an even one."""
        self.rows.append(row_of(variables, value))
        uncut = list(variables)
        while len(uncut) > 3:
            # A long equation needs exponentially many clauses. New variables for pairs cut it into short ones.
            self._last += 1
            self._short_equation([uncut.pop(), uncut.pop(), self._last], value=False)
            # At the other end, so that the cuts form a balanced tree and not a chain.
            uncut.insert(0, self._last)
        self._short_equation(uncut, value)

    def _short_equation(self, variables: list[int], value: bool) -> None:
        for row in range(1 << len(variables)):
            if row.bit_count() % 2 == value:
                continue  # a row of values that the equation allows
            clause = []
            for bit, variable in enumerate(variables):
                clause.append(-variable if row >> bit & 1 else variable)
            self.equation_clauses.append(tuple(clause))
