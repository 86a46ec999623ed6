"""The cells of a table as plain text."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from pytest_autoeval.record.figures import Figure, figure_text, value_text
from pytest_autoeval.report.blocks import Cell, Column, Table
from pytest_autoeval.text import confidence_percent, percent

#: The columns that have texts; all others have numbers.
TEXTS = frozenset({"name", "formula", "text"})


def headings(table: Table) -> list[str]:
    """The names of the columns, with the confidence of the intervals in all columns of this name: ``pass rate (95 %)``.

    That of differences is said if it is unusual.
    """
    confidences: dict[str, set[float]] = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if isinstance(cell, Figure) and cell.low is not None:
                confidences.setdefault(column.name, set()).add(cell.confidence)
    # By the name and not by the column: columns of several models have one name, and should look alike.
    return [_heading(column, confidences.get(column.name, set())) for column in table.columns]


def _heading(column: Column, confidences: Collection[float]) -> str:
    usual = {0.95} if column.unit == "points" else set()
    if column.unit not in {"rate", "points"} or len(confidences) != 1 or confidences == usual:
        return column.name
    (confidence,) = confidences
    return f"{column.name} ({confidence_percent(confidence)})"


def cell_text(cell: Cell, column: Column, *, short: bool = False) -> str:
    """A cell as text. A ``short`` rate has an interval in whole percent, a short value of an optional column none."""
    if isinstance(cell, str):
        return cell
    if not isinstance(cell, Figure):
        # A name in a column of names has no number; in a column of numbers the heading names the measure.
        return "" if cell is None and column.unit in TEXTS else _number_text(cell, column)
    without_interval = replace(cell, low=None, high=None)
    if short and column.optional:
        return figure_text(without_interval, measure=not column.measure)
    if short and cell.unit == "rate" and cell.low is not None and cell.high is not None:
        ends = f"{percent(cell.low, 0)}–{percent(cell.high, 0)}"
        return f"{figure_text(without_interval)} ({ends})"
    return figure_text(cell, measure=not column.measure)


def _number_text(value: float | None, column: Column) -> str:
    unit = "number" if column.unit in TEXTS else column.unit
    return value_text(value, unit)  # type: ignore[arg-type]  # the units of texts were replaced
