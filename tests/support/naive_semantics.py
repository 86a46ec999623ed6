"""The definitions of the operators, literally, on positions of the infinite trace; slow and simple."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_autoeval.languages.ltl import syntax
from pytest_autoeval.languages.ltl.syntax import PastOperator, Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso


class NaiveSemantics:
    """Evaluates formulas on one trace. Positions are never folded into the loop, so that the past is exact."""

    def __init__(self, lasso: Lasso) -> None:
        self._lasso = lasso
        self._known: dict[tuple[Temporal, int], bool] = {}

    def holds(self, formula: Temporal, position: int) -> bool:
        key = (formula, position)
        if key not in self._known:
            self._known[key] = self._defined(formula, position)
        return self._known[key]

    def _defined(self, formula: Temporal, now: int) -> bool:  # noqa: C901, PLR0911 (a case for each sort of node)
        match formula:
            case syntax.Top():
                return True
            case syntax.Bottom():
                return False
            case syntax.Atom(name):
                return name in self._state(now)
            case syntax.Not(a):
                return not self.holds(a, now)
            case syntax.And(a, b):
                return self.holds(a, now) and self.holds(b, now)
            case syntax.Or(a, b):
                return self.holds(a, now) or self.holds(b, now)
            case syntax.Xor(a, b):
                return self.holds(a, now) != self.holds(b, now)
            case syntax.Implies(a, b):
                return self.holds(b, now) or not self.holds(a, now)
            case syntax.Iff(a, b):
                return self.holds(a, now) == self.holds(b, now)
        if isinstance(formula, PastOperator):
            return self._past(formula, now)
        return self._future(formula, now)

    def _future(self, formula: Temporal, now: int) -> bool:
        ahead = self._ahead(formula, now)
        match formula:
            case syntax.Next(a):
                return self.holds(a, now + 1)
            case syntax.Eventually(a):
                return any(self.holds(a, later) for later in ahead)
            case syntax.Always(a):
                return all(self.holds(a, later) for later in ahead)
            case syntax.Until(a, b):
                return any(
                    self.holds(b, then) and self._throughout(a, range(now, then)) for then in ahead
                )
            case syntax.WeakUntil(a, b):
                return self._throughout(a, ahead) or self._defined(syntax.Until(a, b), now)
            case syntax.Release(a, b):
                return all(
                    self.holds(b, then) or not self._throughout(syntax.Not(a), range(now, then))
                    for then in ahead
                )
        raise AssertionError(formula)

    def _past(self, formula: Temporal, now: int) -> bool:
        behind = range(now, -1, -1)
        match formula:
            case syntax.Yesterday(a):
                return now > 0 and self.holds(a, now - 1)
            case syntax.WeakYesterday(a):
                return now == 0 or self.holds(a, now - 1)
            case syntax.Once(a):
                return any(self.holds(a, then) for then in behind)
            case syntax.Historically(a):
                return all(self.holds(a, then) for then in behind)
            case syntax.Since(a, b):
                return any(
                    self.holds(b, then) and self._throughout(a, range(then + 1, now + 1))
                    for then in behind
                )
            case syntax.Triggered(a, b):
                return all(
                    self.holds(b, then)
                    or not self._throughout(syntax.Not(a), range(then + 1, now + 1))
                    for then in behind
                )
        raise AssertionError(formula)

    def _throughout(self, formula: Temporal, positions: Iterable[int]) -> bool:
        return all(self.holds(formula, position) for position in positions)

    def _state(self, position: int) -> frozenset[str]:
        prefix, loop = self._lasso.prefix, self._lasso.loop
        return (
            prefix[position]
            if position < len(prefix)
            else loop[(position - len(prefix)) % len(loop)]
        )

    def _ahead(self, formula: Temporal, now: int) -> range:
        """The positions that can matter: two turns more than past operators are nested, from now on."""
        turn = len(self._lasso.loop)
        settled = len(self._lasso.prefix) + 2 * turn * (past_operators(formula) + 1)
        return range(now, max(now, settled) + turn)


def past_operators(formula: Temporal) -> int:
    """The number of past operators in a formula."""
    inner = sum(
        past_operators(child) for child in formula.children() if isinstance(child, Temporal)
    )
    return isinstance(formula, PastOperator) + inner
