"""Regular expressions over a single symbol, as sets of lengths.

A string of one symbol is its length, and the lengths of a regular language are periodic from some length on (its
automaton is a path into a cycle). Counting such as ``(a{97})*(a{89})*`` needs an automaton with thousands of states,
built one by one; as sets of lengths, a few operations on large integers decide it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import gcd, inf, lcm
from operator import and_, or_

from pytest_autoeval.languages.base import Relation, fold
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.syntax import Expression
from pytest_autoeval.languages.size_limits import check_size

#: Symbols of both expressions, repetitions written out, from which on lengths are worth it: below, the automata are
#: small.
_WORTH_IT = 64
#: The largest length at which a set may begin to repeat. Unions of many periods exceed it.
LONGEST = 1 << 20
#: Steps of one star: the shortest length times the number of different remainders.
_MOST_STEPS = 2_000_000


def are_unary(left: Expression, right: Expression) -> bool:
    """Whether two expressions are large, name one symbol, and match no string with another."""
    if left.size + right.size < _WORTH_IT:
        return False
    symbols: set[str] = set()
    for expression in (left, right):
        for node in expression.subformulas():
            symbols.update(regex.named(node))
            if len(symbols) > 1 or isinstance(node, regex.WordBoundary):
                return False
    return len(symbols) == 1 and is_closed(left) and is_closed(right)


def is_closed(expression: Expression) -> bool:
    """Whether an expression matches only strings of the symbols that it names, in any alphabet."""
    return fold(expression, _is_closed)


def shortest_counterexample(
    left: Expression, right: Expression, relation: Relation, budget: DecisionBudget
) -> int | None:
    """The shortest length of a counterexample, None if there is none.

    Raises :class:`TooLongError` if a set does not repeat early enough, and :class:`GaveUpError` if the time is over.
    """
    left_set = lengths_of(left, budget)
    right_set = lengths_of(right, budget)
    # From a common start on, both repeat with a common period. So what holds up to there holds for ever.
    start, period = _common(left_set, right_set)
    by_left = left_set.up_to(start + period)
    by_right = right_set.up_to(start + period)
    wrong = by_left & ~by_right if relation == "entailment" else by_left ^ by_right
    return (wrong & -wrong).bit_length() - 1 if wrong else None


def lengths_of(expression: Expression, budget: DecisionBudget) -> Lengths:
    """The lengths of the strings of one symbol that match; raises as :func:`shortest_counterexample`."""
    check_size(expression)
    return fold(expression, _Measuring(budget).of_node)


class TooLongError(GaveUpError):
    """A set of lengths begins to repeat only after a length that is too large to be listed."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """A set of lengths: those whose bit in ``bits`` is set, and from ``start`` on the same again every ``period``.

    ``bits`` has ``start + period`` bits.
    """

    start: int
    period: int
    bits: int

    def up_to(self, count: int) -> int:
        """The bits of the lengths below ``count``."""
        bits = self.bits
        end = self.start + self.period
        while end < count:  # each round doubles what repeats
            repeated = end - self.start
            bits |= bits >> self.start << end
            end += repeated
        return bits & (1 << count) - 1

    def reduced(self) -> Lengths:
        """The same set with the smallest period and start, so that later operations stay small."""
        period, cycle = self.period, self.bits >> self.start
        for divisor in _divisors_to_try(period):
            while period % divisor == 0 and _has_period(cycle, period, period // divisor):
                period //= divisor
                cycle &= (1 << period) - 1
        extended = self.up_to(self.start + period)
        # A length differs from the one a period later only before the start.
        differing = (extended ^ extended >> period) & (1 << self.start) - 1
        start = differing.bit_length()
        return Lengths(start, period, extended & (1 << start + period) - 1)


#: No length, only 0, and only 1.
_NONE = Lengths(0, 1, 0)
_ZERO = Lengths(1, 1, 0b1)
_ONE = Lengths(2, 1, 0b10)


def _has_period(cycle: int, length: int, period: int) -> bool:
    return cycle >> period == cycle & (1 << length - period) - 1


def _divisors_to_try(period: int) -> list[int]:
    # No period is above LONGEST, so trial division takes at most a thousand steps.
    primes: list[int] = []
    remaining, factor = period, 2
    while factor * factor <= remaining:
        if remaining % factor == 0:
            primes.append(factor)
            remaining //= factor
        else:
            factor += 1
    return [*dict.fromkeys(primes), remaining] if remaining > 1 else primes


def _common(*sets: Lengths) -> tuple[int, int]:
    """A start and a period that all sets have."""
    start = max(lengths.start for lengths in sets)
    period = lcm(*(lengths.period for lengths in sets))
    check_length(start + period)
    return start, period


def check_length(length: int) -> None:
    """Raises :class:`TooLongError` for a length that is too large."""
    if length > LONGEST:
        raise TooLongError("the lengths repeat too late")


class _Measuring:
    """The lengths of an expression over one symbol, by the definition of each operator."""

    def __init__(self, budget: DecisionBudget) -> None:
        self._budget = budget

    def of_node(self, node: Expression, operands: Sequence[Lengths]) -> Lengths:  # noqa: C901, PLR0911 - one case for each type
        self._budget.spend()
        match node:
            case regex.Concat():
                return reduce(self._sum, operands)
            case regex.Union():
                return _bitwise(operands, or_)
            case regex.Intersection():
                return _bitwise(operands, and_)
            case regex.Complement():
                inner = operands[0]
                return replace(inner, bits=inner.bits ^ (1 << inner.start + inner.period) - 1)
            case regex.Star():
                return self._star(operands[0])
            case regex.Plus():
                return self._sum(operands[0], self._star(operands[0]))
            case regex.Optional():
                return self._with_zero(operands[0])
            case regex.Repeat(_, minimum, None):
                return self._sum(self._times(operands[0], minimum), self._star(operands[0]))
            case regex.Repeat(_, minimum, int(maximum)):
                optional = self._times(self._with_zero(operands[0]), maximum - minimum)
                return self._sum(self._times(operands[0], minimum), optional)
            case regex.Epsilon():
                return _ZERO
            case regex.Empty() | regex.CharacterClass(_, True):
                return _NONE
        return _ONE

    def _with_zero(self, lengths: Lengths) -> Lengths:
        return _bitwise((lengths, _ZERO), or_)

    def _times(self, lengths: Lengths, count: int) -> Lengths:
        """The sums of ``count`` lengths, by doubling."""
        total, power = _ZERO, lengths
        while count:
            if count & 1:
                total = self._sum(total, power)
            count >>= 1
            if count:
                power = self._sum(power, power)
        return total

    def _sum(self, left_set: Lengths, right_set: Lengths) -> Lengths:
        """The sums of a length of each set."""
        # A sum with 0 changes nothing, and would get a longer start.
        if _ZERO in (left_set, right_set):
            return right_set if left_set == _ZERO else left_set
        # Beyond its start, each set is made of progressions with its period. The sums of two progressions are all
        # multiples of the greatest common divisor from the least common multiple on (Frobenius).
        period = lcm(left_set.period, right_set.period)
        start = left_set.start + left_set.period + right_set.start + right_set.period + period
        check_length(start + period)
        end = start + period
        bits = self._convolved(left_set.up_to(end), right_set.up_to(end))
        bits &= (1 << end) - 1
        return Lengths(start, period, bits).reduced()

    def _convolved(self, left_set: int, right_set: int) -> int:
        """The bits whose numbers are sums of those of a bit of each."""
        # The set with fewer runs is taken apart: each run costs one pass over the other set.
        if _run_count(left_set) < _run_count(right_set):
            left_set, right_set = right_set, left_set
        total = 0
        for begin, length in _runs(right_set):
            self._budget.spend()
            total |= _smeared(left_set, length) << begin
        return total

    def _star(self, lengths: Lengths) -> Lengths:
        """The sums of any number of lengths.

        For each remainder modulo the shortest length, the least sum that leaves it: "A fast and simple algorithm for
        the Money Changing Problem" (Böcker and Lipták, 2007).
        """
        positive = lengths.up_to(lengths.start + lengths.period + 1) & ~1
        if not positive:
            return _ZERO
        shortest = (positive & -positive).bit_length() - 1
        end = lengths.start + lcm(lengths.period, shortest)
        check_length(end)
        steps = self._steps(lengths.up_to(end), shortest)
        # The time is proportional to this product, and cannot be looked at inside one step.
        if len(steps) * shortest > _MOST_STEPS:
            raise TooLongError("a repetition has too many different lengths")
        least: list[float] = [0, *[inf] * (shortest - 1)]
        for step in steps:
            self._budget.spend()
            _use_step(least, step)
        reached = [int(length) for length in least if length != inf]
        start = max(reached)
        check_length(start + shortest)
        bits = sum(1 << length for length in reached)
        distance = shortest
        while distance < start + shortest:
            bits |= bits << distance
            distance *= 2
        return Lengths(start, shortest, bits & (1 << start + shortest) - 1).reduced()

    def _steps(self, bits: int, modulus: int) -> list[int]:
        """The first length with each remainder but 0."""
        steps: dict[int, int] = {}
        for begin, length in _runs(bits):
            self._budget.spend()
            for step in range(begin, begin + min(length, modulus)):
                steps.setdefault(step % modulus, step)
            if len(steps) == modulus:
                break
        return [step for remainder, step in steps.items() if remainder]


def _use_step(least: list[float], step: int) -> None:
    """Lowers the least sums by those that contain a step, any number of times."""
    modulus = len(least)
    circles = gcd(modulus, step)
    for circle in range(circles):
        # From the least sum of a circle, one turn lowers all others: none can lower the least.
        remainder = min(range(circle, modulus, circles), key=least.__getitem__)
        length = least[remainder]
        if length == inf:
            continue
        for _ in range(modulus // circles - 1):
            length += step
            remainder = int(length) % modulus
            length = least[remainder] = min(length, least[remainder])


def _bitwise(sets: Sequence[Lengths], operation: Callable[[int, int], int]) -> Lengths:
    start, period = _common(*sets)
    end = start + period
    bits = reduce(operation, (lengths.up_to(end) for lengths in sets))
    return Lengths(start, period, bits).reduced()


def _run_count(bits: int) -> int:
    return (bits & ~(bits << 1)).bit_count()


def _runs(bits: int) -> Iterator[tuple[int, int]]:
    """The runs of set bits: the number of the first, and how many."""
    begin = 0
    while bits:
        zeros = (bits & -bits).bit_length() - 1
        bits >>= zeros
        begin += zeros
        ones = (~bits & bits + 1).bit_length() - 1
        yield begin, ones
        bits >>= ones
        begin += ones


def _smeared(bits: int, length: int) -> int:
    """The bits shifted by each number below ``length``."""
    done = 1
    while done < length:
        further = min(done, length - done)
        bits |= bits << further
        done += further
    return bits


def _is_closed(node: Expression, operands: Sequence[bool]) -> bool:
    """Whether a node matches only strings of the symbols that it names, in any alphabet."""
    match node:
        case regex.Intersection():
            return any(operands)
        case regex.AnySymbol() | regex.Complement() | regex.CharacterClass(_, True):
            return False
    return all(operands)
