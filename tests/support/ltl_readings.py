"""An independent formalisation of every shipped sentence of temporal logic, in Python without temporal operators.

A reading takes a run and the steps at which x1, x2, x3 and x4 hold (sets of positions, so that ``i in a`` means that x1
holds at step i), and returns whether the sentence is true of the run. Readings of propositional sentences take the
truth values of x1 to x4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pytest_autoeval.languages.ltl.traces.lasso import Lasso

Steps = frozenset[int]


@dataclass(frozen=True, slots=True)
class Run:
    """An unrolled lasso of ``horizon`` steps: several turns of the loop follow each step of ``steps``.

    ``tail`` are steps that stand for the infinitely repeated ones.
    """

    steps: range
    horizon: int
    tail: range

    @classmethod
    def of(cls, lasso: Lasso) -> Run:
        prefix, loop = len(lasso.prefix), len(lasso.loop)
        horizon = prefix + 8 * loop
        return cls(range(prefix + 3 * loop), horizon, range(horizon - 3 * loop, horizon - loop))

    def each(self, steps: Iterable[int]) -> list[int]:
        """Those of ``steps`` that are followed by several loops, in order."""
        return [i for i in sorted(steps) if i in self.steps]

    def first(self, steps: Steps, start: int = 0) -> int | None:
        return min((i for i in steps if i >= start), default=None)

    def last(self, steps: Steps, end: int) -> int | None:
        return max((i for i in steps if i <= end), default=None)

    def within(self, steps: Iterable[int], first: int, end: int) -> bool:
        """Whether one of the steps lies in ``first``…``end - 1``."""
        return any(first <= i < end for i in steps)

    def throughout(self, steps: Steps, first: int, end: int | None = None) -> bool:
        """Whether all of ``first``…``end - 1`` are among the steps; without an end, all later steps."""
        return all(i in steps for i in range(first, self.horizon if end is None else end))

    def often(self, steps: Steps) -> bool:
        """Infinitely often."""
        return any(i in steps for i in self.tail)

    def eventually_always(self, steps: Steps) -> bool:
        """From some step on, at every step."""
        return all(i in steps for i in self.tail)


def steps_of(atom: str, lasso: Lasso, run: Run) -> Steps:
    prefix, loop = len(lasso.prefix), len(lasso.loop)
    place = [i if i < prefix else prefix + (i - prefix) % loop for i in range(run.horizon)]
    return frozenset(i for i, where in enumerate(place) if atom in lasso.states[where])


Reading = Callable[[Run, Steps, Steps, Steps, Steps], bool]
Valuation = Callable[[bool, bool, bool, bool], bool]


def until(t: Run, hold: Steps, goal: Steps, start: int) -> bool:
    """Whether ``goal`` is reached from ``start`` on, and every step before is in ``hold``."""
    end = t.first(goal, start)
    return end is not None and t.throughout(hold, start, end)


def unless(t: Run, hold: Steps, goal: Steps, start: int) -> bool:
    """Whether every step from ``start`` to before the first of ``goal`` is in ``hold``; all later ones if none."""
    return t.throughout(hold, start, t.first(goal, start))


def since(t: Run, hold: Steps, goal: Steps, now: int) -> bool:
    """Whether there was a step of ``goal``, and all steps after the last one up to ``now`` are in ``hold``."""
    start = t.last(goal, now)
    return start is not None and t.throughout(hold, start + 1, now + 1)


def outside(t: Run, steps: Steps) -> Steps:
    return frozenset(range(t.horizon)) - steps


def spans(t: Run, opening: Steps, closing: Steps) -> list[tuple[int, int]]:
    """From each opening to the first strictly later closing, if there is one."""
    found = ((i, t.first(closing, i + 1)) for i in t.each(opening))
    return [(i, end) for i, end in found if end is not None]


def spans_back(t: Run, opening: Steps, closing: Steps) -> list[tuple[int, int]]:
    """From the last strictly earlier opening, if there is one, to each closing."""
    found = ((t.last(opening, i - 1), i) for i in t.each(closing))
    return [(start, i) for start, i in found if start is not None]


FUTURE: dict[str, Reading] = {
    "future-001": lambda t, a, b, c, d: all(t.first(b, i) is not None for i in t.each(a)),
    "future-002": lambda t, a, b, c, d: all(t.first(b, i + 1) is not None for i in t.each(a)),
    "future-003": lambda t, a, b, c, d: all(t.within(b, i, i + 3) for i in t.each(a)),
    "future-004": lambda t, a, b, c, d: all(t.first(c, i) is not None for i in t.each(a & b)),
    "future-005": lambda t, a, b, c, d: all(t.first(b & c, i) is not None for i in t.each(a)),
    "future-006": lambda t, a, b, c, d: all(
        None not in (t.first(b, i), t.first(c, i)) for i in t.each(a)
    ),
    "future-007": lambda t, a, b, c, d: all(t.first(b | c, i) is not None for i in t.each(a)),
    "future-008": lambda t, a, b, c, d: not a or bool(b),
    "future-009": lambda t, a, b, c, d: all(t.first(a, i) is not None for i in t.each(b)),
    "future-010": lambda t, a, b, c, d: all(not t.throughout(a, i + 1) for i in t.each(a)),
    "future-011": lambda t, a, b, c, d: all(
        (t.first(b, i) is None) != (t.first(c, i) is None) for i in t.each(a)
    ),
    "future-012": lambda t, a, b, c, d: all(until(t, b, c, i) for i in t.each(a)),
    "future-013": lambda t, a, b, c, d: all(until(t, b, c, i + 1) for i in t.each(a)),
    "future-014": lambda t, a, b, c, d: all(i + 1 in b for i in t.each(a)),
    "future-015": lambda t, a, b, c, d: all(i + 2 in b for i in t.each(a)),
    "future-016": lambda t, a, b, c, d: all(i + 2 in c for i in t.each(a) if i + 1 in b),
    "future-017": lambda t, a, b, c, d: all(i in b for i in t.each(a) if i and i - 1 not in a),
    "future-018": lambda t, a, b, c, d: all(i + 1 in a for i in t.each(a - b)),
    "future-019": lambda t, a, b, c, d: all(i + 1 in a | b for i in t.each(a)),
    "future-020": lambda t, a, b, c, d: all((i + 1 in a) == (i in b) for i in t.steps),
    "future-021": lambda t, a, b, c, d: all((i in b) == (i + 1 in b) for i in t.each(a)),
    "future-022": lambda t, a, b, c, d: 1 in a,
    "future-023": lambda t, a, b, c, d: 3 in a,
    "future-024": lambda t, a, b, c, d: 0 not in a or 1 in b,
    "future-025": lambda t, a, b, c, d: 0 in a and 0 not in b,
    "future-026": lambda t, a, b, c, d: [i in a for i in range(3)] == [True, False, True],
    "future-027": lambda t, a, b, c, d: 0 in a or 1 in a,
    "future-028": lambda t, a, b, c, d: a == {0},
    "future-029": lambda t, a, b, c, d: 0 in a and t.throughout(b, 0),
    "future-030": lambda t, a, b, c, d: (0 in a) == t.throughout(b, 0),
    "future-031": lambda t, a, b, c, d: 0 not in a or not b,
    "future-032": lambda t, a, b, c, d: bool(a),
    "future-033": lambda t, a, b, c, d: bool(a - {0}),
    "future-034": lambda t, a, b, c, d: bool(a & b),
    "future-035": lambda t, a, b, c, d: bool(a) and bool(b),
    "future-036": lambda t, a, b, c, d: any(i + 1 in b for i in a),
    "future-037": lambda t, a, b, c, d: any(t.throughout(b, i) for i in t.each(a)),
    "future-038": lambda t, a, b, c, d: any(i + 1 in a for i in a),
    "future-039": lambda t, a, b, c, d: not t.throughout(a, 0),
    "future-040": lambda t, a, b, c, d: bool(a - b),
    "future-041": lambda t, a, b, c, d: bool(a) != bool(b),
    "future-042": lambda t, a, b, c, d: bool(a) or t.throughout(b, 0),
    "future-043": lambda t, a, b, c, d: bool(a) == bool(b),
    "future-044": lambda t, a, b, c, d: not a,
    "future-045": lambda t, a, b, c, d: all(j < i for i in t.each(a) for j in b),
    "future-046": lambda t, a, b, c, d: all(j <= i for i in t.each(a) for j in b),
    "future-047": lambda t, a, b, c, d: a <= {0},
    "future-048": lambda t, a, b, c, d: all(i + 1 not in a for i in a),
    "future-049": lambda t, a, b, c, d: all(i + 1 not in b for i in a),
    "future-050": lambda t, a, b, c, d: not t.often(a),
    "future-051": lambda t, a, b, c, d: not any({i, i + 1, i + 2} <= a for i in t.steps),
    "future-052": lambda t, a, b, c, d: not any(i + 1 in a or i + 2 in a for i in a),
    "future-053": lambda t, a, b, c, d: not a or (bool(b) and min(b) <= min(a)),
    "future-054": lambda t, a, b, c, d: bool(b) and not t.within(a, 0, min(b)),
    "future-055": lambda t, a, b, c, d: all(t.within(b, 0, i) for i in a),
    "future-056": lambda t, a, b, c, d: not t.within(b | c, 0, min(a, default=t.horizon)),
    "future-057": lambda t, a, b, c, d: all(
        any(t.within(c, j + 1, i + 1) for j in b if j < i) for i in t.each(a)
    ),
    "future-058": lambda t, a, b, c, d: bool(a) and t.within(b, 0, min(a)),
    "future-059": lambda t, a, b, c, d: all(
        t.throughout(c, i + 1, end) for i, end in spans(t, a, b)
    ),
    "future-060": lambda t, a, b, c, d: not any(t.within(c, i, end) for i, end in spans(t, a, b)),
    "future-061": lambda t, a, b, c, d: all(t.within(c, i + 1, end) for i, end in spans(t, a, b)),
    "future-062": lambda t, a, b, c, d: all(unless(t, b, c, i + 1) for i in t.each(a)),
    "future-063": lambda t, a, b, c, d: all(
        t.within(b, i + 1, j + 1) for i in t.each(a) for j in a if j > i
    ),
    "future-064": lambda t, a, b, c, d: all(
        t.within(d, k, end) for i, end in spans(t, a, b) for k in range(i + 1, end) if k in c
    ),
    "future-065": lambda t, a, b, c, d: bool(b) and t.throughout(a, 0, min(b)),
    "future-066": lambda t, a, b, c, d: t.throughout(a, 0, min(b, default=None)),
    "future-067": lambda t, a, b, c, d: any(t.throughout(b, 0, i + 1) for i in a),
    "future-068": lambda t, a, b, c, d: any(
        t.throughout(a, i) and t.throughout(b, 0, i) for i in t.steps
    ),
    "future-069": lambda t, a, b, c, d: any(
        t.throughout(a, 0, i) and t.throughout(b, i, j) for j in t.each(c) for i in range(j + 1)
    ),
    "future-070": lambda t, a, b, c, d: bool(b | c) and t.throughout(a, 0, min(b | c)),
    "future-071": lambda t, a, b, c, d: any(t.throughout(b, 0, i) for i in a if i > 0),
    "future-072": lambda t, a, b, c, d: all(unless(t, b, c, i) for i in t.each(a)),
    "future-073": lambda t, a, b, c, d: all(until(t, a, b, i) for i in t.each(a)),
    "future-074": lambda t, a, b, c, d: bool(a) and all(i in b and i in c for i in range(min(a))),
    "future-075": lambda t, a, b, c, d: len(a) <= 1,
    "future-076": lambda t, a, b, c, d: len(a) == 1,
    "future-077": lambda t, a, b, c, d: len(a) <= 2,
    "future-078": lambda t, a, b, c, d: len(a) == 2,
    "future-079": lambda t, a, b, c, d: len(a) >= 2,
    "future-080": lambda t, a, b, c, d: len(a) >= 3,
    "future-081": lambda t, a, b, c, d: len(a) == 1 and a <= b,
    "future-082": lambda t, a, b, c, d: sum(i < min(a, default=t.horizon) for i in b) <= 1,
    "future-083": lambda t, a, b, c, d: a == set(range(0, t.horizon, 2)),
    "future-084": lambda t, a, b, c, d: a == set(range(0, t.horizon, 3)),
    "future-085": lambda t, a, b, c, d: 0 in a and all(i + 2 in a for i in t.each(a)),
    "future-086": lambda t, a, b, c, d: all(
        i + 1 in following for now, following in ((a, b), (b, c), (c, a)) for i in t.each(now)
    ),
    "future-087": lambda t, a, b, c, d: (
        a == set(range(0, t.horizon, 2)) and b == set(range(1, t.horizon, 2))
    ),
    "future-088": lambda t, a, b, c, d: all((i in a) == (i + 2 in a) for i in t.steps),
    "future-089": lambda t, a, b, c, d: any(i <= j <= k for i in t.each(a) for j in b for k in c),
    "future-090": lambda t, a, b, c, d: any(i < j < k for i in t.each(a) for j in b for k in c),
    "future-091": lambda t, a, b, c, d: any(i + 1 in b and i + 2 in c for i in a),
    "future-092": lambda t, a, b, c, d: 0 in a and 1 in b and 2 in c,
    "future-093": lambda t, a, b, c, d: all(
        any(i <= j <= k for j in b for k in c) for i in t.each(a)
    ),
    "future-094": lambda t, a, b, c, d: all(
        any(i < j < k for j in b for k in c) for i in t.each(a)
    ),
    "future-095": lambda t, a, b, c, d: t.throughout(a, 0),
    "future-096": lambda t, a, b, c, d: t.throughout(a, 1),
    "future-097": lambda t, a, b, c, d: all(t.throughout(a, i + 1) for i in t.each(a)),
    "future-098": lambda t, a, b, c, d: a <= b,
    "future-099": lambda t, a, b, c, d: a == b,
    "future-100": lambda t, a, b, c, d: t.throughout(a | b | c, 0),
    "future-101": lambda t, a, b, c, d: t.throughout(a, 0) or t.throughout(b, 0),
    "future-102": lambda t, a, b, c, d: not t.throughout(a, 0) or t.throughout(b, 0),
    "future-103": lambda t, a, b, c, d: all(t.within(a, i, i + 2) for i in t.steps),
    "future-104": lambda t, a, b, c, d: not a & b,
    "future-105": lambda t, a, b, c, d: all((i in a) + (i in b) + (i in c) <= 1 for i in t.steps),
    "future-106": lambda t, a, b, c, d: all((i in a) + (i in b) == 1 for i in t.steps),
    "future-107": lambda t, a, b, c, d: all((i in b) + (i in c) == 1 for i in t.each(a)),
    "future-108": lambda t, a, b, c, d: t.often(a),
    "future-109": lambda t, a, b, c, d: t.eventually_always(a),
    "future-110": lambda t, a, b, c, d: not t.often(a) or t.often(b),
    "future-111": lambda t, a, b, c, d: not t.eventually_always(a) or t.often(b),
    "future-112": lambda t, a, b, c, d: t.often(a) and t.often(b),
    "future-113": lambda t, a, b, c, d: t.often(a & b),
    "future-114": lambda t, a, b, c, d: t.eventually_always(a) or not t.often(a),
    "future-115": lambda t, a, b, c, d: t.often(a) and not t.eventually_always(a),
    "future-116": lambda t, a, b, c, d: t.often(a) == t.often(b),
    "future-117": lambda t, a, b, c, d: not a or t.eventually_always(b),
    "future-118": lambda t, a, b, c, d: any(i in a and i + 1 in b for i in t.tail),
    "future-119": lambda t, a, b, c, d: not t.often(a - b),
}

PAST: dict[str, Reading] = {
    "past-001": lambda t, a, b, c, d: all(t.within(b, 0, i + 1) for i in a),
    "past-002": lambda t, a, b, c, d: all(t.within(b, 0, i) for i in a),
    "past-003": lambda t, a, b, c, d: all(t.throughout(b, 0, i + 1) for i in a),
    "past-004": lambda t, a, b, c, d: all(t.throughout(b, 0, i) for i in a),
    "past-005": lambda t, a, b, c, d: all(i > 0 and t.throughout(b, 0, i) for i in a),
    "past-006": lambda t, a, b, c, d: all(t.within(b & c, 0, i + 1) for i in a),
    "past-007": lambda t, a, b, c, d: all(
        t.within(b, 0, i + 1) and t.within(c, 0, i + 1) for i in a
    ),
    "past-008": lambda t, a, b, c, d: all(t.within(b | c, 0, i + 1) for i in a),
    "past-009": lambda t, a, b, c, d: all(
        t.within(b, 0, i + 1) != t.within(c, 0, i + 1) for i in a
    ),
    "past-010": lambda t, a, b, c, d: all(
        t.within(b, 0, i + 1) == t.within(c, 0, i + 1) for i in a
    ),
    "past-011": lambda t, a, b, c, d: all(i in c for i in a if t.within(b, 0, i)),
    "past-012": lambda t, a, b, c, d: all(i in c for i in a if not t.within(b, 0, i + 1)),
    "past-013": lambda t, a, b, c, d: not a or t.throughout(b, min(a)),
    "past-014": lambda t, a, b, c, d: not any(j <= i for i in a for j in b),
    "past-015": lambda t, a, b, c, d: not any(j < i for i in a for j in b),
    "past-016": lambda t, a, b, c, d: not (a and b),
    "past-017": lambda t, a, b, c, d: not any(i - 1 in a for i in a if i > 0),
    "past-018": lambda t, a, b, c, d: all(i > 0 and i - 1 not in a for i in a),
    "past-019": lambda t, a, b, c, d: not any(i - 1 in a or i - 2 in a for i in a),
    "past-020": lambda t, a, b, c, d: not any({i, i + 1, i + 2} <= a for i in t.steps),
    "past-021": lambda t, a, b, c, d: not any(t.within(b & c, 0, i + 1) for i in a),
    "past-022": lambda t, a, b, c, d: len(a) <= 1,
    "past-023": lambda t, a, b, c, d: len(a) == 1,
    "past-024": lambda t, a, b, c, d: len(a) <= 2,
    "past-025": lambda t, a, b, c, d: all(sum(j <= i for j in b) >= 2 for i in a),
    "past-026": lambda t, a, b, c, d: all(sum(j <= i for j in b) <= 1 for i in a),
    "past-027": lambda t, a, b, c, d: all(sum(j <= i for j in b) == 1 for i in a),
    "past-028": lambda t, a, b, c, d: len(a) >= 2,
    "past-029": lambda t, a, b, c, d: all(i > 0 and i - 1 in b for i in a),
    "past-030": lambda t, a, b, c, d: all(i - 1 in b for i in a if i > 0),
    "past-031": lambda t, a, b, c, d: all(i - 2 in b for i in a),
    "past-032": lambda t, a, b, c, d: all(i - 2 in b for i in a if i >= 2),
    "past-033": lambda t, a, b, c, d: all(t.within(b, i - 2, i + 1) for i in a),
    "past-034": lambda t, a, b, c, d: all(i >= 2 and i - 1 in b and i - 2 in c for i in a),
    "past-035": lambda t, a, b, c, d: all(i - 1 in a | b for i in a),
    "past-036": lambda t, a, b, c, d: all((i - 1 in a) + (i - 1 in b) == 1 for i in a if i > 0),
    "past-037": lambda t, a, b, c, d: all(i + 1 in b for i in t.each(a)),
    "past-038": lambda t, a, b, c, d: any(i - 1 in b for i in a),
    "past-039": lambda t, a, b, c, d: any(i in a and i - 1 in b for i in t.tail),
    "past-040": lambda t, a, b, c, d: all(i - 1 in b for i in t.tail if i in a),
    "past-041": lambda t, a, b, c, d: all(i in b for i in a if i - 1 not in a),
    "past-042": lambda t, a, b, c, d: all(i in b for i in t.steps if i not in a and i - 1 in a),
    "past-043": lambda t, a, b, c, d: all(
        (i in a) == ((i in b) + (i - 1 in b) == 1) for i in t.steps
    ),
    "past-044": lambda t, a, b, c, d: all(i in b for i in a if i > 0 and i - 1 not in a),
    "past-045": lambda t, a, b, c, d: all(since(t, c, b, i) for i in a),
    "past-046": lambda t, a, b, c, d: all(
        (login := t.last(b, i)) is not None and not t.within(c, login + 1, i + 1) for i in a
    ),
    "past-047": lambda t, a, b, c, d: all(
        t.throughout(c, 0 if (pumped := t.last(b, i)) is None else pumped + 1, i + 1) for i in a
    ),
    "past-048": lambda t, a, b, c, d: all(since(t, c, b, i - 1) for i in a),
    "past-049": lambda t, a, b, c, d: all(
        (i in a) == since(t, outside(t, c), b, i) for i in t.steps
    ),
    "past-050": lambda t, a, b, c, d: all(since(t, a, b, i) for i in a),
    "past-051": lambda t, a, b, c, d: all(i in c for i in t.steps if since(t, b, a, i)),
    "past-052": lambda t, a, b, c, d: all(
        since(t, outside(t, c), b, i) and t.within(d, 0, i + 1) for i in a
    ),
    "past-053": lambda t, a, b, c, d: all(
        (survey := t.last(b, i)) is not None and not t.within(c | d, survey + 1, i + 1) for i in a
    ),
    "past-054": lambda t, a, b, c, d: all(
        any(t.throughout(c, j, i + 1) for j in b if j <= i) for i in a
    ),
    "past-055": lambda t, a, b, c, d: all(
        any(j - 1 in c and t.throughout(d, j + 1, i + 1) for j in b if j <= i) for i in a
    ),
    "past-056": lambda t, a, b, c, d: any(since(t, b, a, i) for i in t.tail),
    "past-057": lambda t, a, b, c, d: all(
        t.within(b, i + 1, j) for i in t.each(a) for j in a if j > i
    ),
    "past-058": lambda t, a, b, c, d: all(
        t.throughout(c, start + 1, i) for start, i in spans_back(t, b, a)
    ),
    "past-059": lambda t, a, b, c, d: all(
        t.within(c, start + 1, i) for start, i in spans_back(t, b, a)
    ),
    "past-060": lambda t, a, b, c, d: all(
        any(k <= j <= i for j in b for k in c) for i in t.each(a)
    ),
    "past-061": lambda t, a, b, c, d: all(any(k < j < i for j in b for k in c) for i in t.each(a)),
    "past-062": lambda t, a, b, c, d: any(k < j < i for k in t.each(c) for j in b for i in a),
    "past-063": lambda t, a, b, c, d: all(i - 1 in b and t.within(c, 0, i) for i in a),
    "past-064": lambda t, a, b, c, d: all(j in c for i in a for j in b if j < i),
    "past-065": lambda t, a, b, c, d: all(
        t.within(c, 0, j + 1) for i in t.each(a) for j in b if j <= i
    ),
    "past-066": lambda t, a, b, c, d: all(
        (j in b) + (j in c) == 1 for i in t.each(a) for j in range(i + 1)
    ),
    "past-067": lambda t, a, b, c, d: not any(t.throughout(a, 0, i + 1) for i in b),
    "past-068": lambda t, a, b, c, d: all(t.throughout(a, 0, i + 1) or i in b for i in t.steps),
    "past-069": lambda t, a, b, c, d: t.throughout(b, 0, min(a, default=None)),
    "past-070": lambda t, a, b, c, d: any(t.throughout(b, 0, i + 1) for i in a),
    "past-071": lambda t, a, b, c, d: any(t.throughout(b, 0, i) for i in a if i > 0),
    "past-072": lambda t, a, b, c, d: t.often(a) and t.throughout(b, 0),
    "past-073": lambda t, a, b, c, d: all((i in a) == t.within(b, 0, i + 1) for i in t.steps),
    "past-074": lambda t, a, b, c, d: all((i in a) == (i > 0 and i - 1 in b) for i in t.steps),
    "past-075": lambda t, a, b, c, d: (
        0 in a and all((i in a) == (i - 1 in b) for i in t.steps if i > 0)
    ),
    "past-076": lambda t, a, b, c, d: all((i in a) == t.throughout(b, 0, i + 1) for i in t.steps),
    "past-077": lambda t, a, b, c, d: all((i in a) == t.within(b, 0, i) for i in t.steps),
    "past-078": lambda t, a, b, c, d: all((i in a) == (i == 0 or i - 1 not in a) for i in t.steps),
    "past-079": lambda t, a, b, c, d: (
        {0, 1} <= a and all((i in a) == (i - 2 not in a) for i in t.steps if i >= 2)
    ),
}

PROPOSITIONS: dict[str, Valuation] = {
    "propositions-001": lambda a, b, c, d: a and b,
    "propositions-002": lambda a, b, c, d: not a and not b,
    "propositions-003": lambda a, b, c, d: a and not b,
    "propositions-004": lambda a, b, c, d: a or b,
    "propositions-005": lambda a, b, c, d: a + b == 1,
    "propositions-006": lambda a, b, c, d: a + b < 2,
    "propositions-007": lambda a, b, c, d: a + b == 0 and c,
    "propositions-008": lambda a, b, c, d: b if a else True,
    "propositions-009": lambda a, b, c, d: True if a else b,
    "propositions-010": lambda a, b, c, d: not b if a else True,
    "propositions-011": lambda a, b, c, d: a if b else True,
    "propositions-012": lambda a, b, c, d: True if b else not a,
    "propositions-013": lambda a, b, c, d: a == b,
    "propositions-014": lambda a, b, c, d: a != b,
    "propositions-015": lambda a, b, c, d: True if b else a,
    "propositions-016": lambda a, b, c, d: c if a and b else True,
    "propositions-017": lambda a, b, c, d: c if a or b else True,
    "propositions-018": lambda a, b, c, d: b and c if a else True,
    "propositions-019": lambda a, b, c, d: b or c if a else True,
    "propositions-020": lambda a, b, c, d: b + c == 1 if a else True,
    "propositions-021": lambda a, b, c, d: c if a and not b else True,
    "propositions-022": lambda a, b, c, d: c if a and b else True,
    "propositions-023": lambda a, b, c, d: True if a and not b else c,
    "propositions-024": lambda a, b, c, d: (b if a else True) and (d if c else True),
    "propositions-025": lambda a, b, c, d: b if a else c,
    "propositions-026": lambda a, b, c, d: (b if a else True) and (c if b else True),
    "propositions-027": lambda a, b, c, d: b and not c if a else True,
    "propositions-028": lambda a, b, c, d: (a and b) or c,
    "propositions-029": lambda a, b, c, d: a + b == 2 or c + d == 2,
    "propositions-030": lambda a, b, c, d: c and a + b >= 1,
    "propositions-031": lambda a, b, c, d: a + b >= 1 and c + d >= 1,
    "propositions-032": lambda a, b, c, d: a + b + c == 3,
    "propositions-033": lambda a, b, c, d: a + b + c == 0,
    "propositions-034": lambda a, b, c, d: a + b + c >= 1,
    "propositions-035": lambda a, b, c, d: a + b + c <= 2,
    "propositions-036": lambda a, b, c, d: a + b + c == 1,
    "propositions-037": lambda a, b, c, d: a + b + c <= 1,
    "propositions-038": lambda a, b, c, d: a + b + c >= 2,
    "propositions-039": lambda a, b, c, d: a + b + c == 2,
    "propositions-040": lambda a, b, c, d: a == (b + c == 2),
    "propositions-041": lambda a, b, c, d: a == (b + c >= 1),
    "propositions-042": lambda a, b, c, d: a == (b + c == 1),
    "propositions-043": lambda a, b, c, d: a and b + c == 1,
    "propositions-044": lambda a, b, c, d: (a + b == 2) + c == 1,
    "propositions-045": lambda a, b, c, d: a == b and not c,
    "propositions-046": lambda a, b, c, d: b == c and (b if a else True),
    "propositions-047": lambda a, b, c, d: a and not b,
    "propositions-048": lambda a, b, c, d: a + b == 1 and (c if a else True),
    "propositions-049": lambda a, b, c, d: not d if a and b + c >= 1 else True,
    "propositions-050": lambda a, b, c, d: c + d >= 1 if a + b == 2 else True,
    "propositions-051": lambda a, b, c, d: c and not d if a + b == 0 else True,
    "propositions-052": lambda a, b, c, d: True if a else b and c,
}
