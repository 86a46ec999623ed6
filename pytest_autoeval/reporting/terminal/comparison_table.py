"""The comparisons with a baseline as a table: of each suite its name, the numbers, and what decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.verdict import mark
from pytest_autoeval.reporting.line import Line
from pytest_autoeval.reporting.numbers import count, p_text, points, signed_points
from pytest_autoeval.reporting.text import one_line, shorten, shorten_start, wrap

_HEADINGS = ("pairs", "won", "lost", "difference in points (95 %)", "p", "adj. p", "detectable")
_INDENT = "      "
_GAP = "  "
#: How many formulas of one run alone are named, unless the summary is verbose.
_FEW, _MANY = 3, 20
_FORMULA = 60


def comparison_lines(
    comparisons: Sequence[BaselineGate], baseline: str, *, verbose: bool, width: int
) -> Iterator[Line]:
    """The table; verbose names more of the formulas that only one run has."""
    if not comparisons:
        return
    cells = [_cells(one) for one in comparisons]
    columns = [max(map(len, column)) for column in zip(_HEADINGS, *cells, strict=True)]
    yield Line("")
    yield Line(shorten(f"compared with {one_line(baseline) or 'the baseline'}", width), "title")
    yield Line(_row(_HEADINGS, columns), "dim")
    for one, row in zip(comparisons, cells, strict=True):
        sign, style = mark(one.verdict)
        yield Line(f"{sign} {shorten_start(one_line(one.name), width - 2)}", style)
        if one.test is not None:
            yield Line(_row(row, columns))
        for text in (one.conclusion, *one.flags):
            yield from _wrapped(text, width)
        for formulas, whose in ((one.only_here, "this run"), (one.only_there, "the baseline")):
            yield from _wrapped(_unshared(formulas, whose, _MANY if verbose else _FEW), width)


def _cells(one: BaselineGate) -> tuple[str, ...]:
    test = one.test
    if test is None:
        return ("",) * len(_HEADINGS)
    interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
    return (
        f"{test.pairs:,}",
        str(test.won),
        str(test.lost),
        f"{signed_points(test.difference)} ({interval})",
        p_text(test.p_value),
        p_text(one.p_corrected),
        "–" if one.shown_detectable is None else points(one.shown_detectable),
    )


def _row(cells: Sequence[str], columns: Sequence[int]) -> str:
    aligned = [cell.rjust(column) for cell, column in zip(cells, columns, strict=True)]
    return f"  {_GAP.join(aligned)}".rstrip()


def _unshared(formulas: Sequence[str], whose: str, most: int) -> str:
    if not formulas:
        return ""
    named = ", ".join(shorten(one_line(formula), _FORMULA) for formula in formulas[:most])
    return f"only in {whose}: {count(len(formulas), 'formula')}, such as {named}"


def _wrapped(text: str, width: int) -> Iterator[Line]:
    yield from (Line(f"{_INDENT}{line}", "dim") for line in wrap(text, width - len(_INDENT)))
