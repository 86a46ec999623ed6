"""Unions, intersections and complements of sets of lengths whose common period is too long to be listed.

``(a{97})*|(a{89})*|(a{83})*|(a{79})*`` repeats after 56,606,581 symbols. Each of its parts repeats early. So a
difference at a small length is found by looking, and that there is none at a large length is proved by remainders: a
length has a remainder for each period, and by the Chinese remainder theorem the remainders for periods without a common
factor do not depend on each other.
"""

from __future__ import annotations

from functools import reduce
from math import gcd, lcm
from operator import and_, or_

from pytest_autoeval.languages.base import Relation
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.syntax import Expression
from pytest_autoeval.languages.regex.unary import (
    LONGEST,
    Lengths,
    TooLongError,
    check_length,
    lengths_of,
)

#: What is known of a length: for each group of periods with common factors, their common period, and the bits of the
#: remainders that are possible.
_Remainders = tuple[tuple[int, int], ...]
#: Sets of a combination: a proof of more would be too deep for Python.
_MOST_SETS = 200
_BOOLEAN = (regex.Union, regex.Intersection, regex.Complement)


def shortest_counterexample(
    left: Expression, right: Expression, relation: Relation, budget: DecisionBudget
) -> int | None:
    """The shortest length of a counterexample, None if there is none.

    Raises :class:`TooLongError` if a part repeats too late, and :class:`GaveUpError` if the time is over or the
    shortest counterexample is too long to be shown.
    """
    combination = Combination(left, right, relation, budget)
    listed = combination.listed(LONGEST)
    if listed:
        return (listed & -listed).bit_length() - 1
    # Every part repeats from a length below the limit on, so only remainders matter above it.
    if combination.has_large_ones(combination.constant, ()):
        raise GaveUpError(f"they differ, but on no string of less than {LONGEST:,} symbols")
    return None


class Combination:
    """The lengths of the counterexamples, as a combination of the sets of parts that are no combinations."""

    def __init__(
        self, left: Expression, right: Expression, relation: Relation, budget: DecisionBudget
    ) -> None:
        self._left, self._right = left, right
        self._is_entailment = relation == "entailment"
        self._budget = budget
        #: The set of each part. Parts with one set are one part.
        self._sets: dict[Expression, Lengths] = {}
        for expression in (left, right):
            self._measure(expression)
        self._distinct = list(dict.fromkeys(self._sets.values()))
        # The proof takes the sets one after another, each inside the one before it.
        if len(self._distinct) > _MOST_SETS:
            raise TooLongError("too many sets of lengths are combined")
        #: The sets that contain all large lengths, or none.
        self.constant = {
            lengths: bool(lengths.bits >> lengths.start)
            for lengths in self._distinct
            if lengths.period == 1
        }
        self._start = max(lengths.start for lengths in self._distinct)

    def _measure(self, expression: Expression) -> None:
        if isinstance(expression, _BOOLEAN):
            for operand in expression.children():
                self._measure(operand)
        elif expression not in self._sets:
            self._sets[expression] = lengths_of(expression, self._budget)

    def listed(self, count: int) -> int:
        """The bits of the counterexamples below a length."""
        everything = (1 << count) - 1
        listed = {part: lengths.up_to(count) for part, lengths in self._sets.items()}

        def bits(expression: Expression) -> int:
            self._budget.spend()
            match expression:
                case regex.Union(operands):
                    return reduce(or_, map(bits, operands))
                case regex.Intersection(operands):
                    return reduce(and_, map(bits, operands))
                case regex.Complement(inner):
                    return everything ^ bits(inner)
            return listed[expression]

        by_left, by_right = bits(self._left), bits(self._right)
        return by_left & ~by_right if self._is_entailment else by_left ^ by_right

    def has_large_ones(self, known: dict[Lengths, bool], remainders: _Remainders) -> bool:
        """Whether there are counterexamples of any length from the start of all repetitions on.

        ``known`` says of some sets whether they contain the length, and ``remainders`` is what follows from that.
        """
        self._budget.spend()
        by_left, by_right = self._value(self._left, known), self._value(self._right, known)
        if self._is_entailment:
            is_decided = by_left is False or by_right is True
        else:
            is_decided = by_left is not None and by_left == by_right
        if is_decided:
            return False
        if by_left is not None and by_right is not None:
            return True
        undecided = next(lengths for lengths in self._distinct if lengths not in known)
        for contains in (True, False):
            after = self._restricted(remainders, undecided, contains=contains)
            if after is not None and self.has_large_ones({**known, undecided: contains}, after):
                return True
        return False

    def _value(self, expression: Expression, known: dict[Lengths, bool]) -> bool | None:
        """Whether a length is in the set of an expression; None if that is not known."""
        match expression:
            case regex.Complement(inner):
                value = self._value(inner, known)
                return None if value is None else not value
            case regex.Union(operands) | regex.Intersection(operands):
                # One operand with this value decides.
                deciding = isinstance(expression, regex.Union)
                values = [self._value(operand, known) for operand in operands]
                if deciding in values:
                    return deciding
                return None if None in values else not deciding
        return known.get(self._sets[expression])

    def _restricted(
        self, remainders: _Remainders, lengths: Lengths, *, contains: bool
    ) -> _Remainders | None:
        """The remainders of the lengths that a set contains, or does not; None if there are none."""
        period = lengths.period
        bits = lengths.up_to(self._start + period) >> self._start
        if not contains:
            bits ^= (1 << period) - 1
        separate = []
        for other_period, other_bits in remainders:
            if gcd(period, other_period) == 1:
                separate.append((other_period, other_bits))
                continue
            common = lcm(period, other_period)
            check_length(common)
            bits = _repeated(bits, period, common) & _repeated(other_bits, other_period, common)
            period = common
        return (*separate, (period, bits)) if bits else None


def _repeated(bits: int, period: int, length: int) -> int:
    return Lengths(0, period, bits).up_to(length)
