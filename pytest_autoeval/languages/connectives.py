"""What languages with connectives share: laws, edits, simpler formulas and measures, for any node types.

The laws hold at the root of a formula, in both directions. No law introduces a truth constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from pytest_autoeval.languages.base import T, Tree, all_nodes
from pytest_autoeval.languages.size_limits import MAX_DEPTH

#: Nodes of a language, whose types this module does not know.
Node = Any
Kind = Any


class Connectives(Struct, frozen=True):
    """A language's node types for connectives and truth constants."""

    Top: Kind
    Bottom: Kind
    Not: Kind
    And: Kind
    Or: Kind
    Xor: Kind
    Implies: Kind
    Iff: Kind

    def negation(self, node: Node) -> Node:
        """The negation of a formula, without a double negation."""
        if isinstance(node, self.Not):
            return node.operand
        return self.Not(node)

    def rewritings(self, node: Node) -> Iterator[Node]:
        """The results of one law of the connectives at a formula's root."""
        if isinstance(node, self.And | self.Or):
            yield from self._of_lattice(node)
        elif isinstance(node, self.Implies):
            yield from self._of_implication(node.left, node.right)
        elif isinstance(node, self.Iff | self.Xor):
            yield from self._of_biconditional(node)
        elif isinstance(node, self.Not):
            yield from self._of_negation(node.operand)

    def edits(self, node: Node) -> Iterator[Node]:
        """A formula with its root changed: another connective, a narrower or wider scope, or exchanged parts."""
        match node:
            # The negation reaches over one operand only: ¬p ∧ q for ¬(p ∧ q).
            case self.Not(operand) if self._is_binary(operand):
                if not isinstance(operand.left, self.Not):
                    yield type(operand)(self.Not(operand.left), operand.right)
                if not isinstance(operand.right, self.Not):
                    yield type(operand)(operand.left, self.Not(operand.right))
            case self.And(left, right):
                yield self.Or(left, right)
            case self.Or(left, right):
                yield self.And(left, right)
            case self.Implies(left, right):
                yield self.Implies(right, left)
                yield self.Iff(left, right)
            case self.Iff(left, right):
                yield self.Implies(left, right)
                yield self.Xor(left, right)
            case self.Xor(left, right):
                yield self.Or(left, right)
                yield self.Iff(left, right)
        if self._is_binary(node):
            yield from self._moved_negations(node)

    def _is_binary(self, node: Node) -> bool:
        binary = (self.And, self.Or, self.Implies, self.Iff, self.Xor)
        return isinstance(node, binary)

    def _of_lattice(self, node: Node) -> Iterator[Node]:
        kind = type(node)
        left = node.left
        right = node.right
        yield kind(right, left)
        yield from self._reassociated(node)
        is_and = isinstance(node, self.And)
        dual = self.Or if is_and else self.And
        not_left = self.negation(left)
        not_right = self.negation(right)
        yield self.Not(dual(not_left, not_right))  # De Morgan
        if is_and:
            yield self.Not(self.Implies(left, not_right))
            yield from self._of_implications(left, right)
        else:
            yield self.Implies(not_left, right)
        if left == right:  # idempotence
            yield left
        neutral, absorbing = (self.Top, self.Bottom) if is_and else (self.Bottom, self.Top)
        for operand, opposite in ((left, right), (right, left)):
            # Truth constants are removed here, and no law brings one in.
            if isinstance(opposite, neutral | absorbing):
                yield operand if isinstance(opposite, neutral) else opposite
            if isinstance(opposite, dual):
                if operand in (opposite.left, opposite.right):  # absorption
                    yield operand
                yield self._distributed(node, operand, opposite)
        if isinstance(left, dual) and isinstance(right, dual):
            yield from self._factored(kind, dual, left, right)

    @staticmethod
    def _distributed(node: Node, operand: Node, opposite: Node) -> Node:
        """``(p ∧ q) ∨ (p ∧ r)`` for ``p ∧ (q ∨ r)``: the operand stays on its side of the connective."""
        kind = type(node)
        dual = type(opposite)
        if operand is node.left:
            return dual(kind(operand, opposite.left), kind(operand, opposite.right))
        return dual(kind(opposite.left, operand), kind(opposite.right, operand))

    @staticmethod
    def _factored(kind: Kind, dual: Kind, left: Node, right: Node) -> Iterator[Node]:
        """``p ∨ (q ∧ r)`` for ``(p ∨ q) ∧ (p ∨ r)``, wherever the common operand stands in both."""
        for left_common, left_remainder in ((left.left, left.right), (left.right, left.left)):
            for common, remainder in ((right.left, right.right), (right.right, right.left)):
                if left_common == common:
                    yield dual(left_common, kind(left_remainder, remainder))

    def _of_implications(self, left: Node, right: Node) -> Iterator[Node]:
        match left, right:
            case self.Implies(a, b), self.Implies(c, d):
                if (a, b) == (d, c):
                    yield self.Iff(a, b)
                if a == c:
                    yield self.Implies(a, self.And(b, d))

    def _of_implication(self, left: Node, right: Node) -> Iterator[Node]:
        not_left = self.negation(left)
        not_right = self.negation(right)
        yield self.Or(not_left, right)
        yield self.Implies(not_right, not_left)
        yield self.Not(self.And(left, not_right))
        if isinstance(left, self.And):  # exportation, and then its reverse
            yield self.Implies(left.left, self.Implies(left.right, right))
        if isinstance(right, self.Implies):
            yield self.Implies(self.And(left, right.left), right.right)
        if isinstance(right, self.And):
            if_left = self.Implies(left, right.left)
            if_right = self.Implies(left, right.right)
            yield self.And(if_left, if_right)

    def _of_biconditional(self, node: Node) -> Iterator[Node]:
        kind = type(node)
        left = node.left
        right = node.right
        dual = self.Xor if isinstance(node, self.Iff) else self.Iff
        not_left = self.negation(left)
        yield kind(right, left)
        yield from self._reassociated(node)
        yield kind(not_left, self.negation(right))
        yield self.Not(dual(left, right))
        yield dual(not_left, right)
        if isinstance(node, self.Iff):
            yield self.And(self.Implies(left, right), self.Implies(right, left))

    def _of_negation(self, operand: Node) -> Iterator[Node]:
        match operand:
            case self.Not(inner):
                yield inner
            case self.And(left, right):
                not_right = self.negation(right)
                yield self.Or(self.negation(left), not_right)
                yield self.Implies(left, not_right)
            case self.Or(left, right):
                yield self.And(self.negation(left), self.negation(right))
            case self.Implies(left, right):
                yield self.And(left, self.negation(right))
            case self.Iff(left, right) | self.Xor(left, right):
                dual = self.Xor if isinstance(operand, self.Iff) else self.Iff
                yield dual(left, right)
                yield type(operand)(self.negation(left), right)

    @staticmethod
    def _reassociated(node: Node) -> Iterator[Node]:
        kind = type(node)
        left = node.left
        right = node.right
        if type(left) is kind:
            yield kind(left.left, kind(left.right, right))
        if type(right) is kind:
            yield kind(kind(left, right.left), right.right)

    def _moved_negations(self, node: Node) -> Iterator[Node]:
        """``p ∧ ¬q`` for ``¬p ∧ q``, and the reverse. If both or none are negated, there is no place to move to."""
        kind = type(node)
        left = node.left
        right = node.right
        left_is_negated = isinstance(left, self.Not)
        right_is_negated = isinstance(right, self.Not)
        if left_is_negated and not right_is_negated:
            yield kind(left.operand, self.Not(right))
        if right_is_negated and not left_is_negated:
            yield kind(self.Not(left), right.operand)


def exchanged(node: Node, binary: type[Any]) -> Iterator[Node]:
    """A formula over two parts, with one exchanged for a part of the other: ``q ∧ (p ∨ r)`` for ``p ∧ (q ∨ r)``."""
    if not isinstance(node, binary):
        return
    kind = type(node)
    left = node.left
    right = node.right
    if isinstance(right, binary):
        inner = type(right)
        yield kind(right.left, inner(left, right.right))
        yield kind(right.right, inner(right.left, left))
    if isinstance(left, binary):
        inner = type(left)
        yield kind(inner(right, left.right), left.left)
        yield kind(inner(left.left, right), left.right)


def distinct(formula: T, neighbours: Iterable[T]) -> Iterator[T]:
    """The different neighbours, without the formula itself.

    A formula that is higher than 150 has none: each of its n neighbours would be a new tree over n levels, and only
    long chains are so high.
    """
    if formula.height > MAX_DEPTH:
        return
    seen = {formula}
    for neighbour in neighbours:
        if neighbour not in seen:
            seen.add(neighbour)
            yield neighbour


def by_size(formula: Tree) -> tuple[int, int]:
    """Sorts formulas by size, and those of one size by the number of different parts, the largest first."""
    return formula.size, -len(set(formula.subformulas()))


def renamings(
    names: Iterable[tuple[Sequence[str], str, Callable[[str], T]]], taken: Collection[str]
) -> Iterator[T]:
    """A formula with one of its names replaced by an earlier one, for each name. Different names stay different.

    The arguments are the names of a vocabulary, the formula's names of one kind, and a function that replaces one. The
    new name is the first of the vocabulary's that comes before the old one and is not ``taken``.
    """
    for candidates, name, renamed in names:
        # Only earlier names count, so that repeated renamings end.
        earlier = candidates[: candidates.index(name)] if name in candidates else candidates
        free_name = next((candidate for candidate in earlier if candidate not in taken), None)
        if free_name is not None:
            yield renamed(free_name)


def counted(
    formula: Tree, kinds: Mapping[str, type[Tree]], negation: type[Tree]
) -> dict[str, int | float]:
    """The numbers of operators, and the height.

    ``operators`` does not count a negation directly on a leaf of the tree.
    """
    nodes = all_nodes(formula)
    counts = Counter(map(type, nodes))
    operands = [node.children()[0] for node in nodes if isinstance(node, negation)]
    # As in the AutoEval paper: a negated atom is one literal.
    literal_negations = len([operand for operand in operands if not operand.children()])
    operators = sum(counts[kind] for kind in kinds.values())
    return {
        "operators": operators - literal_negations,
        "operators_with_literal_negations": operators,
        "depth": formula.height,
        **{name: counts[kind] for name, kind in kinds.items()},
    }
