"""Reduced ordered binary decision diagrams: the canonical form of a Boolean function for an order of its variables.

R. E. Bryant, "Graph-based algorithms for Boolean function manipulation" (1986). A node is a number; 0 is falsehood and
1 is truth. Two functions built by one :class:`Diagrams` are equal if and only if their numbers are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence

#: The two ends of a diagram, by the numbers of their nodes.
FALSE, TRUE = 0, 1
#: Steps that an operation may take for each node allowed. Steps without new nodes cost time too.
_STEPS_A_NODE = 5
_TERMINAL = 1 << 62  # a label below every variable's
#: The places of a node's branches in its triple.
_LOW, _HIGH = 1, 2


#: A conjunction of literals: labels of variables with their values.
Cube = list[tuple[int, bool]]
#: Label, low and high of a node, or the three operands of a choice.
_Triple = tuple[int, int, int]


class TooLargeError(Exception):
    """The diagrams have more nodes than allowed."""


class Diagrams:
    """A table of at most ``limit`` shared nodes; a smaller label is nearer to the root.

    Every operation raises :class:`TooLargeError` if it needs more nodes, or too much work.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._work = 0
        self._nodes: list[_Triple] = [(_TERMINAL, 0, 0), (_TERMINAL, 1, 1)]
        self._numbers: dict[_Triple, int] = {}
        #: The results of choices: without them, shared nodes would be visited once for each path to them.
        self._choices: dict[_Triple, int] = {}

    def node(self, label: int, low: int, high: int) -> int:
        """The function that is ``high`` if the variable holds, else ``low``; both must have larger labels."""
        if low == high:
            return low
        key = (label, low, high)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._nodes)
            self._nodes.append(key)
            if number >= self._limit:
                raise TooLargeError
        return number

    def parts(self, node: int) -> tuple[int, int, int]:
        """Label, low and high of a node that is not a terminal."""
        return self._nodes[node]

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """The function ``(condition ∧ then) ∨ (¬condition ∧ otherwise)``."""
        if condition <= TRUE:
            return then if condition else otherwise
        if then == otherwise:
            return then
        if then == TRUE and otherwise == FALSE:
            return condition
        key = (condition, then, otherwise)
        if key not in self._choices:
            self._count()
            label = min(self._nodes[node][0] for node in key)
            lows = [self._branch(node, label, _LOW) for node in key]
            highs = [self._branch(node, label, _HIGH) for node in key]
            low = self.choose(*lows)
            high = self.choose(*highs)
            self._choices[key] = self.node(label, low, high)
        return self._choices[key]

    def _count(self) -> None:
        """Limits the work, which may be far more than the nodes."""
        self._work += 1
        # Counted steps end at the same one on every machine; a limit of time would not.
        if self._work > _STEPS_A_NODE * self._limit:
            raise TooLargeError

    def _branch(self, node: int, label: int, branch: int) -> int:
        triple = self._nodes[node]
        return triple[branch] if triple[0] == label else node

    def negate(self, node: int) -> int:
        return self.choose(node, FALSE, TRUE)

    def connect(self, connective: type[Sentence], left: int, right: int) -> int:
        if connective is fol.And:
            return self.choose(left, right, FALSE)
        if connective is fol.Or:
            return self.choose(left, TRUE, right)
        if connective is fol.Implies:
            return self.choose(left, right, TRUE)
        if connective is fol.Iff:
            return self.choose(left, right, self.negate(right))
        assert connective is fol.Xor
        return self.choose(left, self.negate(right), right)

    def walk(self, root: int) -> list[int]:
        """The inner nodes of a diagram, each after the nodes below it."""
        nodes: dict[int, None] = {}
        self._visit(root, nodes)
        return list(nodes)

    # A function in `walk` that calls itself would keep the diagrams in memory until the garbage collector runs.
    def _visit(self, node: int, nodes: dict[int, None]) -> None:
        if node > TRUE and node not in nodes:
            self._visit(self._nodes[node][1], nodes)
            self._visit(self._nodes[node][2], nodes)
            nodes[node] = None

    def path(self, node: int) -> Iterator[tuple[int, bool]]:
        """Labels and values along a path to truth, false where possible; the function must not be falsehood."""
        while node != TRUE:
            label, low, high = self._nodes[node]
            yield label, low == FALSE
            node = low if low != FALSE else high

    def cubes(self, node: int) -> list[Cube]:
        """An irredundant list of conjunctions of literals whose disjunction is the function.

        S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision diagrams" (1992).
        """
        return self._cubes(node, node)[0]

    def _cubes(self, lower: int, upper: int) -> tuple[list[Cube], int]:
        """The cubes of a function between ``lower`` and ``upper`` (by implication), and the function."""
        if lower == FALSE:
            return [], FALSE
        if upper == TRUE:
            return [[]], TRUE
        self._count()
        label = min(self._nodes[lower][0], self._nodes[upper][0])
        lower_low = self._branch(lower, label, _LOW)
        lower_high = self._branch(lower, label, _HIGH)
        upper_low = self._branch(upper, label, _LOW)
        upper_high = self._branch(upper, label, _HIGH)
        # Cubes with the variable false are needed only where no cube without the variable is allowed.
        without, low = self._cubes(self._minus(lower_low, upper_high), upper_low)
        having, high = self._cubes(self._minus(lower_high, upper_low), upper_high)
        # What these do not cover yet gets cubes that do not mention the variable.
        uncovered_low = self._minus(lower_low, low)
        uncovered_high = self._minus(lower_high, high)
        uncovered = self.choose(uncovered_low, TRUE, uncovered_high)
        either, common = self._cubes(uncovered, self.choose(upper_low, upper_high, FALSE))
        cubes = [[(label, False), *cube] for cube in without]
        cubes += [[(label, True), *cube] for cube in having]
        low = self.choose(low, TRUE, common)
        high = self.choose(high, TRUE, common)
        variable = self.node(label, FALSE, TRUE)
        function = self.choose(variable, high, low)
        return cubes + either, function

    def _minus(self, node: int, excluded: int) -> int:
        return self.choose(excluded, FALSE, node)


def apply(diagrams: Diagrams, step: Any, stack: list[int]) -> None:
    """Applies a postfix program's connective to a stack of diagrams."""
    if step is fol.Not:
        stack.append(diagrams.negate(stack.pop()))
    elif step is fol.Top or step is fol.Bottom:
        stack.append(TRUE if step is fol.Top else FALSE)
    else:
        # The left operand is on top of the stack.
        stack.append(diagrams.connect(step, stack.pop(), stack.pop()))
