"""A second decision procedure that shares nothing with the tableau: it judges all short lassos at once.

A shape is a number of states, and the number of them that repeat. Over the lassos of one shape the truth of a formula
at a position is a truth table, stored in one integer with a bit for each lasso. The loop is unrolled once more than
past operators are nested, since after so many turns their values repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pytest_autoeval.languages.ltl import syntax
from pytest_autoeval.languages.ltl.syntax import PastOperator, Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

Table = int


def counterexample(
    left: Temporal, right: Temporal, atoms: Sequence[str], length: int
) -> Lasso | None:
    """A lasso of at most ``length`` states on which ``left`` holds and ``right`` does not; None if there is none."""
    # A shorter lasso is one of these: its prefix can include states of its loop.
    for period in range(1, length + 1):
        shape = Shape(atoms, length, period)
        if found := shape.truth(left) & ~shape.truth(right):
            return shape.lasso((found & -found).bit_length() - 1)
    return None


def difference(left: Temporal, right: Temporal, atoms: Sequence[str], length: int) -> Lasso | None:
    """A lasso of at most ``length`` states on which the formulas differ; None if there is none."""
    return counterexample(syntax.Xor(left, right), syntax.Bottom(), atoms, length)


def past_depth(formula: Temporal) -> int:
    """The nesting depth of past operators."""
    inner = max(
        (past_depth(child) for child in formula.children() if isinstance(child, Temporal)),
        default=0,
    )
    return isinstance(formula, PastOperator) + inner


class Shape:
    """All lassos with ``length`` states over the atoms; the last ``period`` states repeat."""

    def __init__(self, atoms: Sequence[str], length: int, period: int) -> None:
        self._atoms = tuple(atoms)
        self._length = length
        self._period = period

    def truth(self, formula: Temporal) -> Table:
        """The lassos on which the formula holds, as bits."""
        unrolled = self._length + (past_depth(formula) + 1) * self._period
        return self._over_time(formula, unrolled)[0]

    def lasso(self, number: int) -> Lasso:
        """The lasso of a bit."""
        states = [
            frozenset(atom for atom in self._atoms if self._variable(atom, position) >> number & 1)
            for position in range(self._length)
        ]
        start = self._length - self._period
        return Lasso(self._atoms, tuple(states[:start]), tuple(states[start:]))

    @cached_property
    def _all(self) -> Table:
        return (1 << (1 << len(self._atoms) * self._length)) - 1

    def _variable(self, atom: str, position: int) -> Table:
        """The table of an atom in a state: equal numbers of zeros and ones in turn, from the lowest bit."""
        start = self._length - self._period
        state = position if position < start else start + (position - start) % self._period
        run = 1 << (state * len(self._atoms) + self._atoms.index(atom))
        return self._all // ((1 << run) + 1) << run

    def _over_time(  # noqa: C901, PLR0911, PLR0912 (a case for each sort of node)
        self, formula: Temporal, unrolled: int
    ) -> list[Table]:
        """The tables at the unrolled positions."""
        operands = [
            self._over_time(child, unrolled)
            for child in formula.children()
            if isinstance(child, Temporal)
        ]
        everywhere, nowhere = [self._all] * unrolled, [0] * unrolled
        match formula, operands:
            case syntax.Top(), []:
                return everywhere
            case syntax.Bottom(), []:
                return nowhere
            case syntax.Atom(name), []:
                return [self._variable(name, position) for position in range(unrolled)]
            case syntax.Not(), [a]:
                return self._inverted(a)
            case syntax.And(), [a, b]:
                return [x & y for x, y in zip(a, b, strict=True)]
            case syntax.Or(), [a, b]:
                return [x | y for x, y in zip(a, b, strict=True)]
            case syntax.Xor(), [a, b]:
                return [x ^ y for x, y in zip(a, b, strict=True)]
            case syntax.Implies(), [a, b]:
                return [x | y for x, y in zip(self._inverted(a), b, strict=True)]
            case syntax.Iff(), [a, b]:
                return [x ^ y for x, y in zip(self._inverted(a), b, strict=True)]
            case syntax.Next(), [a]:
                return [*a[1:], a[-self._period]]
            case syntax.Eventually(), [a]:
                return self._until(everywhere, a)
            case syntax.Always(), [a]:
                return self._inverted(self._until(everywhere, self._inverted(a)))
            case syntax.Until(), [a, b]:
                return self._until(a, b)
            case syntax.Release(), [a, b]:
                return self._inverted(self._until(self._inverted(a), self._inverted(b)))
            case syntax.WeakUntil(), [a, b]:
                either = [x | y for x, y in zip(a, b, strict=True)]
                return self._inverted(self._until(self._inverted(b), self._inverted(either)))
            case syntax.Yesterday(), [a]:
                return [0, *a[:-1]]
            case syntax.WeakYesterday(), [a]:
                return [self._all, *a[:-1]]
            case syntax.Once(), [a]:
                return self._since(everywhere, a)
            case syntax.Historically(), [a]:
                return self._inverted(self._since(everywhere, self._inverted(a)))
            case syntax.Since(), [a, b]:
                return self._since(a, b)
            case syntax.Triggered(), [a, b]:
                return self._inverted(self._since(self._inverted(a), self._inverted(b)))
        raise AssertionError(formula)

    def _inverted(self, tables: list[Table]) -> list[Table]:
        return [self._all ^ table for table in tables]

    def _until(self, hold: list[Table], goal: list[Table]) -> list[Table]:
        """The goal is reached before the unrolled end, or in the turn after it, which equals the last one."""
        later = 0
        for position in range(len(goal) - 1, len(goal) - 1 - self._period, -1):
            later = goal[position] | (hold[position] & later)
        found = []
        for position in range(len(goal) - 1, -1, -1):
            later = goal[position] | (hold[position] & later)
            found.append(later)
        return found[::-1]

    def _since(self, hold: list[Table], goal: list[Table]) -> list[Table]:
        before = 0
        found = []
        for position, reached in enumerate(goal):
            before = reached | (hold[position] & before)
            found.append(before)
        return found
