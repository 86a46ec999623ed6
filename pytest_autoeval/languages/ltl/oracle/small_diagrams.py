"""Binary decision diagrams for small formulas, in this process: equal functions are equal literals.

As in the normal form, a literal is twice a node's number, plus one if negated. So negation is free, and a function and
its negation share their nodes. The branch of a node for "true" is never negated, which makes diagrams unique.
Brace, Rudell, Bryant, "Efficient implementation of a BDD package", DAC 1990.

The diagrams of ``dd`` serve large formulas. They have no limit of work, and they cost a process of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

#: The two ends of a diagram. As in :mod:`~pytest_autoeval.languages.ltl.oracle.normal`, an odd number is a negation.
TRUE, FALSE = 0, 1
#: A label below every variable's.
_TERMINAL = 1 << 60

#: Variables with their values; variables that do not occur may have either value.
Cube = tuple[tuple[int, bool], ...]


class WorkUsedUpError(Exception):
    """An operation needs more work than is left."""


class SmallDiagrams:
    """Diagrams over variables 0, 1, 2, …; a smaller one is nearer to the root.

    ``work`` counts the steps of operations. An operation raises :class:`WorkUsedUpError` when none are left. So a
    search ends at the same step on every machine.
    """

    def __init__(self, work: int) -> None:
        self.work = work
        self._labels = [_TERMINAL]
        self._lows = [TRUE]
        self._highs = [TRUE]
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._products: dict[tuple[int, int], int] = {}
        self._sums: dict[tuple[int, int], int] = {}

    def variable(self, label: int) -> int:
        return self._node(label, FALSE, TRUE)

    def label(self, literal: int) -> int:
        """The variable at the root of a diagram that is not a constant."""
        return self._labels[literal >> 1]

    def both(self, left: int, right: int) -> int:
        if left > right:
            left, right = right, left
        if left <= FALSE:
            return FALSE if left else right
        if left ^ right <= 1:
            return left if left == right else FALSE
        key = (left, right)
        # Without the stored results, shared nodes would be visited once for each path to them.
        product = self._products.get(key)
        if product is None:
            product = self._products[key] = self._by_branches(self.both, left, right)
        return product

    def either(self, left: int, right: int) -> int:
        return self.both(left ^ 1, right ^ 1) ^ 1

    def differ(self, left: int, right: int) -> int:
        sign = (left ^ right) & 1
        smaller, larger = left & ~1, right & ~1
        if smaller > larger:
            smaller, larger = larger, smaller
        if smaller == TRUE:
            return larger ^ 1 ^ sign
        if smaller == larger:
            return FALSE ^ sign
        key = (smaller, larger)
        total = self._sums.get(key)
        if total is None:
            total = self._sums[key] = self._by_branches(self.differ, smaller, larger)
        return total ^ sign

    def _by_branches(self, operation: Callable[[int, int], int], left: int, right: int) -> int:
        """A connective of two diagrams, from its values where the smallest variable is false and true."""
        self._count()
        left_number, right_number = left >> 1, right >> 1
        label, right_label = self._labels[left_number], self._labels[right_number]
        left_low = left_high = left
        right_low = right_high = right
        # A diagram whose root is below the variable is the same on both branches. A sign moves to the branches.
        if label <= right_label:
            left_low = self._lows[left_number] ^ left & 1
            left_high = self._highs[left_number] ^ left & 1
        if right_label <= label:
            right_low = self._lows[right_number] ^ right & 1
            right_high = self._highs[right_number] ^ right & 1
            label = right_label
        low = operation(left_low, right_low)
        high = operation(left_high, right_high)
        return low if low == high else self._node(label, low, high)

    def _count(self) -> None:
        self.work -= 1
        if self.work < 0:
            raise WorkUsedUpError

    def branches(self, literal: int, label: int) -> tuple[int, int]:
        """The diagram where a variable is false, and where it is true; no smaller variable may occur."""
        number, sign = literal >> 1, literal & 1
        if self._labels[number] != label:
            return literal, literal
        return self._lows[number] ^ sign, self._highs[number] ^ sign

    def restricted(self, literal: int, values: dict[int, bool]) -> int:
        """The diagram with values for variables."""
        results: dict[int, int] = {}

        def visit(literal: int) -> int:
            number = literal >> 1
            if not number:
                return literal
            if number not in results:
                label = self._labels[number]
                self._count()
                if label in values:
                    branches = self._highs if values[label] else self._lows
                    results[number] = visit(branches[number])
                else:
                    low = visit(self._lows[number])
                    high = visit(self._highs[number])
                    results[number] = self._node(label, low, high)
            return results[number] ^ literal & 1

        return visit(literal)

    def support(self, literal: int) -> Iterator[int]:
        """The variables on which a diagram depends, perhaps with repeats."""
        seen = {0}
        pending = [literal >> 1]
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                yield self._labels[number]
                pending += (self._lows[number] >> 1, self._highs[number] >> 1)

    def cubes(self, literal: int) -> list[Cube]:
        """An irredundant list of conjunctions whose disjunction is the function.

        S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision diagrams" (1992).
        """
        return self._cubes(literal, literal)[0]

    def _cubes(self, lower: int, upper: int) -> tuple[list[Cube], int]:
        """The cubes of a function between ``lower`` and ``upper`` (by implication), and the function."""
        if lower == FALSE:
            return [], FALSE
        if upper == TRUE:
            return [()], TRUE
        self._count()
        label = min(self._labels[lower >> 1], self._labels[upper >> 1])
        lower_low, lower_high = self.branches(lower, label)
        upper_low, upper_high = self.branches(upper, label)
        # Cubes with the variable false are needed only where no cube without the variable is allowed.
        without, low = self._cubes(self.both(lower_low, upper_high ^ 1), upper_low)
        having, high = self._cubes(self.both(lower_high, upper_low ^ 1), upper_high)
        # What these do not cover yet gets cubes that do not mention the variable.
        uncovered_low = self.both(lower_low, low ^ 1)
        uncovered_high = self.both(lower_high, high ^ 1)
        uncovered = self.either(uncovered_low, uncovered_high)
        common, middle = self._cubes(uncovered, self.both(upper_low, upper_high))
        cubes = [((label, False), *cube) for cube in without]
        cubes += [((label, True), *cube) for cube in having]
        function = self._node(label, self.either(low, middle), self.either(high, middle))
        return cubes + common, function

    def _node(self, label: int, low: int, high: int) -> int:
        if low == high:
            return low
        # The sign moves out of the branch for "true", so equal functions get one node.
        sign = high & 1
        key = (label, low ^ sign, high ^ sign)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._labels)
            self._labels.append(label)
            self._lows.append(low ^ sign)
            self._highs.append(high ^ sign)
        return 2 * number | sign
