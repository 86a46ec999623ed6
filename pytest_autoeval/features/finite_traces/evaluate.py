"""Finite traces, the evaluator of formulas on them, and the witness trace.

The evaluator follows the definitions of the operators. The decision procedure, which it checks, does not use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.base import fold

#: The truth of a formula at each step of a trace.
Course = Sequence[bool]


@dataclass(frozen=True, slots=True)
class FiniteTrace:
    """The propositions that hold at each step, and the names of all that have a value. There is at least one step."""

    steps: tuple[frozenset[str], ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise AutoevalError("a finite trace has at least one step")

    def __str__(self) -> str:
        return "; ".join(map(self._step, self.steps))

    def _step(self, true_names: frozenset[str]) -> str:
        signs = [name if name in true_names else f"!{name}" for name in self.names]
        return " & ".join(signs) or "true"


@dataclass(frozen=True, slots=True)
class FiniteTraceWitness:
    """A finite trace, and the values of two formulas at its first step."""

    trace: FiniteTrace
    left: bool
    right: bool

    def __str__(self) -> str:
        return f"{self.trace} (left: {str(self.left).lower()}, right: {str(self.right).lower()})"

    def to_json(self) -> dict[str, Any]:
        """The kind, the propositions that hold in each of ``steps``, all ``atoms``, and both values."""
        trace = self.trace
        return {
            "kind": "finite trace",
            "steps": [[name for name in trace.names if name in step] for step in trace.steps],
            "atoms": list(trace.names),
            "left": self.left,
            "right": self.right,
        }


def holds(formula: OnFiniteTraces, trace: FiniteTrace) -> bool:
    """Whether a formula is true at the first step. Raises `AutoevalError` if the trace gives no value of a name."""
    unknown = [name for name in syntax.names_of(formula) if name not in trace.names]
    if unknown:
        raise AutoevalError(f"the trace gives no value of {', '.join(unknown)}")
    return fold(formula, lambda node, courses: _course(node, courses, trace))[0]


def _course(  # noqa: C901, PLR0911, PLR0912 (a case for each sort of node)
    node: OnFiniteTraces, operands: Sequence[Course], trace: FiniteTrace
) -> Course:
    length = len(trace.steps)
    match node, operands:
        case syntax.Top(), _:
            return [True] * length
        case syntax.Bottom(), _:
            return [False] * length
        case syntax.Atom(name), _:
            return [name in step for step in trace.steps]
        case syntax.Not(), [a]:
            return [not value for value in a]
        case syntax.And(), [a, b]:
            return [x and y for x, y in zip(a, b, strict=True)]
        case syntax.Or(), [a, b]:
            return [x or y for x, y in zip(a, b, strict=True)]
        case syntax.Xor(), [a, b]:
            return [x != y for x, y in zip(a, b, strict=True)]
        case syntax.Implies(), [a, b]:
            return [not x or y for x, y in zip(a, b, strict=True)]
        case syntax.Iff(), [a, b]:
            return [x == y for x, y in zip(a, b, strict=True)]
        case syntax.StrongNext(), [a]:
            return [*a[1:], False]
        case syntax.Next(), [a]:
            return [*a[1:], True]
        case syntax.Eventually(), [a]:
            return [any(a[step:]) for step in range(length)]
        case syntax.Always(), [a]:
            return [all(a[step:]) for step in range(length)]
        case syntax.Until(), [a, b]:
            return [_is_reached(a, b, step) for step in range(length)]
        case syntax.WeakUntil(), [a, b]:
            return [all(a[step:]) or _is_reached(a, b, step) for step in range(length)]
        case syntax.Release(), [a, b]:
            return [_is_kept(a, b, step) for step in range(length)]
    raise AutoevalError(f"no operator on finite traces: {type(node).__name__}")


def _is_reached(hold: Course, goal: Course, step: int) -> bool:
    """Whether ``goal`` is true at this or a later step, and ``hold`` at every step before that."""
    return any(goal[end] and all(hold[step:end]) for end in range(step, len(goal)))


def _is_kept(releasing: Course, kept: Course, step: int) -> bool:
    """Whether ``kept`` is true at this and each later step that no true ``releasing`` comes before."""
    return all(kept[at] or any(releasing[step:at]) for at in range(step, len(kept)))
