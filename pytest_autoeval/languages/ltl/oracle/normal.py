"""A normal form for deciding: negation, conjunction, exclusive disjunction, next, until, yesterday and since.

A formula becomes numbered nodes; equal nodes are shared. A literal is twice a node's number, plus one if negated, as in
and-inverter graphs. So duals are the same node, and many equivalent formulas become equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.syntax import Temporal

#: Twice the number of a node, plus 1 for its negation. Node 0 is true.
Literal = int
TRUE: Literal = 0
FALSE: Literal = 1


class Kind(StrEnum):
    """The operator of a node. If it has one operand, that is ``left``."""

    TRUE = "true"
    ATOM = "atom"  # ``left`` is the atom's place among the atoms
    AND = "and"
    XOR = "xor"
    NEXT = "next"
    UNTIL = "until"
    YESTERDAY = "yesterday"  # strong
    SINCE = "since"


class Node(NamedTuple):
    """An operator and the literals of its operands."""

    kind: Kind
    left: Literal = TRUE
    right: Literal = TRUE


_TRUE = Node(Kind.TRUE)


@dataclass(frozen=True, slots=True)
class NormalForm:
    """A formula as nodes, each after its operands; node 0 is true. ``root`` is the literal of the whole."""

    atoms: tuple[str, ...]
    nodes: tuple[Node, ...]
    root: Literal


class TemporalNormaliser:
    """Builds normal forms: equal nodes get one number, and cheap laws of equivalence are applied.

    Each law keeps the value at every position of every trace.
    """

    def __init__(self) -> None:
        self._nodes: list[Node] = [_TRUE]
        self._numbers: dict[Node, int] = {_TRUE: 0}
        self._atoms: dict[str, int] = {}

    def literal(self, formula: Temporal) -> Literal:
        """The literal of a formula of any depth."""
        return fold(formula, self._apply)

    def atom(self, name: str) -> Literal:
        return self._number(Kind.ATOM, self._atoms.setdefault(name, len(self._atoms)))

    @property
    def atoms(self) -> tuple[str, ...]:
        """All atoms of the formulas given, also those that the laws removed."""
        return tuple(sorted(self._atoms, key=by_number))

    def form(self, root: Literal) -> NormalForm:
        """The nodes below a literal, renumbered; atoms in the order of :func:`by_number`."""
        needed = {0, root >> 1}
        # Backwards, each node comes after those that use it, so one pass finds all that are needed.
        for number in range(root >> 1, 0, -1):
            node = self._nodes[number]
            if number in needed and node.kind is not Kind.ATOM:
                needed |= {node.left >> 1, node.right >> 1}
        olds = sorted(needed)
        numbers = {old: new for new, old in enumerate(olds)}
        names = list(self._atoms)
        atom_nodes = [node for node in map(self._nodes.__getitem__, olds) if node.kind is Kind.ATOM]
        # By name, so that a witness does not depend on which atom is read first.
        atoms = sorted((names[node.left] for node in atom_nodes), key=by_number)
        indices = {name: index for index, name in enumerate(atoms)}

        def renumbered(literal: Literal) -> Literal:
            return 2 * numbers[literal >> 1] | literal & 1

        def copied(node: Node) -> Node:
            if node.kind is Kind.ATOM:
                return Node(Kind.ATOM, indices[names[node.left]])
            return Node(node.kind, renumbered(node.left), renumbered(node.right))

        nodes = tuple(copied(self._nodes[number]) for number in olds)
        return NormalForm(tuple(atoms), nodes, renumbered(root))

    def both(self, left: Literal, right: Literal) -> Literal:
        # Sorted, a & b and b & a are one node, and true can only be the first.
        smaller, larger = sorted((left, right))
        if smaller in (TRUE, larger):
            return larger
        if FALSE in (smaller, larger) or negated(smaller) == larger:
            return FALSE
        shifted = self._shifted(self.both, smaller, larger)
        return self._number(Kind.AND, smaller, larger) if shifted is None else shifted

    def either(self, left: Literal, right: Literal) -> Literal:
        return negated(self.both(negated(left), negated(right)))

    def differ(self, left: Literal, right: Literal) -> Literal:
        # A negated operand negates the value, so one node serves for all signs of the operands.
        sign = (left ^ right) & 1
        smaller, larger = sorted((left & ~1, right & ~1))
        if smaller == larger:
            return FALSE ^ sign
        if smaller == TRUE:
            return negated(larger) ^ sign
        shifted = self._shifted(self.differ, smaller, larger)
        if shifted is None:
            shifted = self._number(Kind.XOR, smaller, larger)
        return shifted ^ sign

    def next(self, operand: Literal) -> Literal:
        """X a"""
        # X !a = !X a
        sign, operand = operand & 1, operand & ~1
        node = self._nodes[operand >> 1]
        if operand == TRUE:
            return TRUE ^ sign
        # X Y a = a. A negated Y needs no law: its sign is outside.
        if node.kind is Kind.YESTERDAY:
            return node.left ^ sign
        return self._number(Kind.NEXT, operand) ^ sign

    def yesterday(self, operand: Literal) -> Literal:
        """Y a, false at position 0"""
        if operand == FALSE:
            return FALSE
        node = self._nodes[operand >> 1]
        # Y X a = Y true & a
        if node.kind is Kind.NEXT:
            return self.both(self.yesterday(TRUE), node.left ^ operand & 1)
        return self._number(Kind.YESTERDAY, operand)

    def until(self, left: Literal, right: Literal) -> Literal:
        """a U b"""
        hold, reach = self._nodes[left >> 1], self._nodes[right >> 1]
        if reach.kind is Kind.NEXT:
            goal = reach.left ^ right & 1
            # F X b = X F b
            if left == TRUE:
                return self.next(self.until(TRUE, goal))
            # X a U X b = X (a U b)
            if hold.kind is Kind.NEXT:
                return self.next(self.until(hold.left ^ left & 1, goal))
        return self._reaching(Kind.UNTIL, left, right)

    def since(self, left: Literal, right: Literal) -> Literal:
        """a S b"""
        return self._reaching(Kind.SINCE, left, right)

    def _reaching(self, kind: Kind, hold: Literal, goal: Literal) -> Literal:
        """a U b or a S b; the laws used hold for both."""
        if goal in (TRUE, FALSE, hold) or hold == FALSE:
            return goal
        # !b U b = F b
        if hold == negated(goal):
            hold = TRUE
        node = self._nodes[goal >> 1]
        if node.kind is kind and not goal & 1:
            # a U (a U b) = a U b
            if hold == node.left:
                return goal
            # F (a U b) = F b
            if hold == TRUE:
                return self._reaching(kind, TRUE, node.right)
        return self._number(kind, hold, goal)

    def _shifted(
        self, connective: Callable[[Literal, Literal], Literal], left: Literal, right: Literal
    ) -> Literal | None:
        """A connective of X a and X b as X of the connective of a and b; likewise for Y. None for other operands."""
        left_node, right_node = self._nodes[left >> 1], self._nodes[right >> 1]
        if left_node.kind is not right_node.kind or left_node.kind not in (
            Kind.NEXT,
            Kind.YESTERDAY,
        ):
            return None
        inner = connective(left_node.left ^ left & 1, right_node.left ^ right & 1)
        if left_node.kind is Kind.NEXT:
            return self.next(inner)
        # At position 0, every Y is false. Where the connective is true of that, its negation moves inside.
        at_start = connective(FALSE ^ left & 1, FALSE ^ right & 1)
        if at_start == FALSE:
            return self.yesterday(inner)
        return negated(self.yesterday(negated(inner)))

    def _number(self, kind: Kind, left: Literal, right: Literal = TRUE) -> Literal:
        node = Node(kind, left, right)
        number = self._numbers.setdefault(node, len(self._nodes))
        if number == len(self._nodes):
            self._nodes.append(node)
        return 2 * number

    def _apply(self, node: Temporal, operands: Sequence[Literal]) -> Literal:
        if isinstance(node, ltl.Atom):
            return self.atom(node.name)
        if not operands:
            return TRUE if isinstance(node, ltl.Top) else FALSE
        return _DEFINITIONS[type(node)](self, operands[0], operands[-1])


def negated(literal: Literal) -> Literal:
    return literal ^ 1


def by_number(name: str) -> tuple[tuple[str, int], ...]:
    """A sort key that compares the digits in names as numbers: x2 before x10."""
    return tuple((text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name))


#: Each operator in normal form, from the literals of its operands (a single operand is given twice).
_DEFINITIONS: dict[type[Temporal], Callable[[TemporalNormaliser, Literal, Literal], Literal]] = {
    ltl.Not: lambda _, a, __: negated(a),
    ltl.And: lambda n, a, b: n.both(a, b),
    ltl.Or: lambda n, a, b: n.either(a, b),
    ltl.Xor: lambda n, a, b: n.differ(a, b),
    ltl.Implies: lambda n, a, b: n.either(negated(a), b),
    ltl.Iff: lambda n, a, b: negated(n.differ(a, b)),
    ltl.Next: lambda n, a, _: n.next(a),
    ltl.Eventually: lambda n, a, _: n.until(TRUE, a),
    ltl.Always: lambda n, a, _: negated(n.until(TRUE, negated(a))),
    ltl.Until: lambda n, a, b: n.until(a, b),
    ltl.Release: lambda n, a, b: negated(n.until(negated(a), negated(b))),
    ltl.WeakUntil: lambda n, a, b: negated(n.until(negated(b), n.both(negated(a), negated(b)))),
    ltl.Yesterday: lambda n, a, _: n.yesterday(a),
    ltl.WeakYesterday: lambda n, a, _: negated(n.yesterday(negated(a))),
    ltl.Once: lambda n, a, _: n.since(TRUE, a),
    ltl.Historically: lambda n, a, _: negated(n.since(TRUE, negated(a))),
    ltl.Since: lambda n, a, b: n.since(a, b),
    ltl.Triggered: lambda n, a, b: negated(n.since(negated(a), negated(b))),
}
