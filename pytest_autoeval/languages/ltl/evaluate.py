"""The evaluator of formulas on lassos, and the witness trace. The evaluator checks the traces of other procedures."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso, State


@dataclass(frozen=True, slots=True)
class TraceWitness:
    """A lasso, and the values of two formulas at its first position."""

    lasso: Lasso
    left: bool
    right: bool

    def __str__(self) -> str:
        left_value = str(self.left).lower()
        right_value = str(self.right).lower()
        return f"{self.lasso} (left: {left_value}, right: {right_value})"

    def to_json(self) -> dict[str, Any]:
        """The kind, the propositions that hold in each state of ``prefix`` and ``loop``, all atoms, and both values."""
        return {
            "kind": "trace",
            "prefix": self._listed(self.lasso.prefix),
            "loop": self._listed(self.lasso.loop),
            "atoms": list(self.lasso.atoms),
            "left": self.left,
            "right": self.right,
        }

    def _listed(self, states: Sequence[State]) -> list[list[str]]:
        return [[atom for atom in self.lasso.atoms if atom in state] for state in states]


def holds(formula: Temporal, lasso: Lasso, position: int = 0) -> bool:
    """Whether ``formula`` is true at a position (from 0) of the infinite trace.

    Exact for past operators too. The time is proportional to nodes × length of the trace × nesting of past operators.
    Raises :class:`AutoevalError` if the trace gives no value of an atom.
    """
    # Python would count a negative index from the end.
    if position < 0:
        raise ValueError(f"positions of a trace count from 0, not {position}")
    courses: dict[int, _TruthOverTime] = {}
    for node in _children_first(formula):
        operands = [courses[id(child)] for child in node.children()]
        courses[id(node)] = _course(node, operands, lasso)
    return courses[id(formula)].at(position)


@dataclass(frozen=True, slots=True)
class _TruthOverTime:
    """The truth of a formula over time: a value for each position. From position ``start`` on, the values repeat.

    All courses over a lasso have the period of its loop. Only ``start`` may grow with the operators.
    """

    start: int
    values: tuple[bool, ...]

    @property
    def period(self) -> int:
        return len(self.values) - self.start

    def at(self, position: int) -> bool:
        if position >= self.start:
            position = self.start + (position - self.start) % self.period
        return self.values[position]

    def upto(self, end: int) -> tuple[bool, ...]:
        turns = max(0, ceil((end - len(self.values)) / self.period))
        return (self.values + turns * self.values[self.start :])[:end]


def _children_first(formula: Temporal) -> Iterator[Temporal]:
    """Each node once, by identity: a formula may share subformulas, and may be deeper than Python's recursion limit."""
    done: set[int] = set()
    pending = [formula]
    while pending:
        missing = [child for child in pending[-1].children() if id(child) not in done]
        if missing:
            pending += missing
            continue
        node = pending.pop()
        if id(node) not in done:
            done.add(id(node))
            yield node


def _course(  # noqa: C901, PLR0911, PLR0912 (a case for each sort of node)
    node: Temporal, operands: list[_TruthOverTime], lasso: Lasso
) -> _TruthOverTime:
    match node, operands:
        case ltl.Top() | ltl.Bottom(), _:
            return _constant(isinstance(node, ltl.Top), lasso)
        case ltl.Atom(name), _:
            return _atom(name, lasso)
        case ltl.Not(), [a]:
            return _TruthOverTime(a.start, tuple([not value for value in a.values]))
        case ltl.And(), [a, b]:
            return _pointwise(operator.and_, a, b)
        case ltl.Or(), [a, b]:
            return _pointwise(operator.or_, a, b)
        case ltl.Xor(), [a, b]:
            return _pointwise(operator.ne, a, b)
        case ltl.Implies(), [a, b]:
            return _pointwise(operator.le, a, b)
        case ltl.Iff(), [a, b]:
            return _pointwise(operator.eq, a, b)
        case ltl.Next(), [a]:
            return _shifted_back(a)
        case ltl.Eventually(), [a]:
            return _until(_constant(True, lasso), a, if_endless=False)
        case ltl.Always(), [a]:
            return _until(a, _constant(False, lasso), if_endless=True)
        case ltl.Until(), [a, b]:
            return _until(a, b, if_endless=False)
        case ltl.WeakUntil(), [a, b]:
            return _until(a, b, if_endless=True)
        # a R b is b W (a & b): the last position of b is also the first one of a.
        case ltl.Release(), [a, b]:
            return _until(b, _pointwise(operator.and_, a, b), if_endless=True)
        # Position 0 has no previous one, so the loop begins one position later.
        case ltl.Yesterday(), [a]:
            return _TruthOverTime(a.start + 1, (False, *a.values))
        case ltl.WeakYesterday(), [a]:
            return _TruthOverTime(a.start + 1, (True, *a.values))
        case ltl.Once(), [a]:
            return _since(_constant(True, lasso), a, if_endless=False)
        case ltl.Historically(), [a]:
            return _since(a, _constant(False, lasso), if_endless=True)
        case ltl.Since(), [a, b]:
            return _since(a, b, if_endless=False)
        # The same backwards: a T b needs b at every position back to the last a, that one included.
        case ltl.Triggered(), [a, b]:
            return _since(b, _pointwise(operator.and_, a, b), if_endless=True)
    raise AutoevalError(f"no operator of linear temporal logic: {type(node).__name__}")


def _constant(value: bool, lasso: Lasso) -> _TruthOverTime:
    return _TruthOverTime(0, (value,) * len(lasso.loop))


def _atom(name: str, lasso: Lasso) -> _TruthOverTime:
    if name not in lasso.atoms:
        atoms = ", ".join(lasso.atoms) or "no atom"
        raise AutoevalError(
            f"the formula has the atom {name!r}, but the trace has values of {atoms}: add its values"
        )
    return _TruthOverTime(len(lasso.prefix), tuple([name in state for state in lasso.states]))


def _pointwise(
    connective: Callable[[bool, bool], bool], a: _TruthOverTime, b: _TruthOverTime
) -> _TruthOverTime:
    start = max(a.start, b.start)
    end = start + a.period
    values = tuple(map(connective, a.upto(end), b.upto(end)))
    return _TruthOverTime(start, values)


def _shifted_back(a: _TruthOverTime) -> _TruthOverTime:
    start = max(a.start - 1, 0)
    return _TruthOverTime(start, a.upto(start + a.period + 1)[1:])


def _until(hold: _TruthOverTime, goal: _TruthOverTime, *, if_endless: bool) -> _TruthOverTime:
    """``hold`` until ``goal``. ``if_endless`` is the value if ``hold`` is always and ``goal`` never true.

    One backward pass over the loop is a function of the value after it, and either constant or the identity. So one
    pass from ``if_endless`` gives the fixpoint at the start of the loop.
    """
    start = max(hold.start, goal.start)
    end = start + hold.period
    steps = list(zip(hold.upto(end), goal.upto(end), strict=True))
    later = if_endless
    # The first pass only finds the value after the last position.
    for holding, reached in reversed(steps[start:]):
        later = reached or (holding and later)
    values = []
    for holding, reached in reversed(steps):
        later = reached or (holding and later)
        values.append(later)
    return _TruthOverTime(start, tuple(reversed(values)))


def _since(hold: _TruthOverTime, goal: _TruthOverTime, *, if_endless: bool) -> _TruthOverTime:
    """``hold`` since ``goal``. ``if_endless`` is the value if ``hold`` was always and ``goal`` never true.

    One pass over the loop is a function of the value before it, either constant or the identity, and the same in every
    pass. So the values are periodic after the first pass at the latest.
    """
    start = max(hold.start, goal.start)
    end = start + 2 * hold.period
    before = if_endless
    values = []
    for holding, reached in zip(hold.upto(end), goal.upto(end), strict=True):
        before = reached or (holding and before)
        values.append(before)
    first_turn = values[start : start + hold.period]
    second_turn = values[start + hold.period :]
    # Most formulas are periodic at once. A later start would make all that is computed from them longer.
    if first_turn == second_turn:
        return _TruthOverTime(start, tuple(values[:start] + first_turn))
    return _TruthOverTime(end - hold.period, tuple(values))
