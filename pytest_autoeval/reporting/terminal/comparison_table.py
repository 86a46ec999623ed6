"""The comparisons with a baseline as a table: of each suite its name, the numbers, and what decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_autoeval.reporting.judging.verdict import mark
from pytest_autoeval.reporting.text import (
    Line,
    aligned,
    count,
    one_line,
    p_text,
    points,
    shorten,
    shorten_start,
    signed_points,
    wrap,
)

if TYPE_CHECKING:
    from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate

_HEADINGS = ("pairs", "won", "lost", "difference in points (95 %)", "p", "adj. p", "detectable")
_INDENT = "      "
#: How many formulas of one run alone are named, unless the summary is verbose.
_FEW, _MANY = 3, 20
_FORMULA = 60


def comparison_lines(
    comparisons: Sequence[BaselineGate], baseline: str, *, verbose: bool, width: int
) -> Iterator[Line]:
    """The table; verbose names more of the formulas that only one run has."""
    if not comparisons:
        return
    heading, *rows = aligned([_HEADINGS, *(_cells(one) for one in comparisons)], left=0)
    yield Line("")
    yield Line(shorten(f"compared with {one_line(baseline) or 'the baseline'}", width), "title")
    yield Line(f"  {heading}", "dim")
    for one, row in zip(comparisons, rows, strict=True):
        sign, style = mark(one.verdict)
        yield Line(f"{sign} {shorten_start(one_line(one.name), width - 2)}", style)
        if one.test is not None:
            yield Line(f"  {row}")
        for text in (one.conclusion, *one.flags):
            yield from _wrapped(text, width)
        for formulas, whose in ((one.only_here, "this run"), (one.only_there, "the baseline")):
            yield from _wrapped(_unshared(formulas, whose, _MANY if verbose else _FEW), width)


def compared(one: BaselineGate, unknown: str = "") -> list[str]:
    """Pairs, won, lost, difference with its interval, p-value and corrected p-value as texts."""
    test = one.test
    if test is None:
        return [unknown] * 6
    interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
    counts = [f"{number:,}" for number in (test.pairs, test.won, test.lost)]
    return [*counts, f"{signed_points(test.difference)} ({interval})", p_text(test.p_value), p_text(one.p_corrected)]


def _cells(one: BaselineGate) -> list[str]:
    shown = "" if one.test is None else "–" if one.shown_detectable is None else points(one.shown_detectable)
    return [*compared(one), shown]


def _unshared(formulas: Sequence[str], whose: str, most: int) -> str:
    if not formulas:
        return ""
    named = ", ".join(shorten(one_line(formula), _FORMULA) for formula in formulas[:most])
    return f"only in {whose}: {count(len(formulas), 'formula')}, such as {named}"


def _wrapped(text: str, width: int) -> Iterator[Line]:
    yield from (Line(f"{_INDENT}{line}", "dim") for line in wrap(text, width - len(_INDENT)))
