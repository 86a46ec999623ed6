"""The cells of a table as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from pytest_autoeval.record.figures import Figure, figure_text, value_text
from pytest_autoeval.report.blocks import Cell, Column, Row
from pytest_autoeval.text import confidence_percent, percent

#: The columns that have texts; all others have numbers.
TEXTS = frozenset({"name", "formula", "text"})


def heading(column: Column, at: int, rows: Iterable[Row]) -> str:
    """The name of a column; behind that of rates stands the confidence of their intervals: ``pass rate (95 %)``."""
    cells = [row.cells[at] for row in rows if at < len(row.cells)]
    confidences = {cell.confidence for cell in cells if isinstance(cell, Figure) and cell.low is not None}
    if column.unit != "rate" or len(confidences) != 1:
        return column.name
    return f"{column.name} ({confidence_percent(confidences.pop())})"


def cell_text(cell: Cell, column: Column, *, short: bool = False) -> str:
    """A cell as text. A ``short`` rate has an interval in whole percent, a short value of an optional column none."""
    if isinstance(cell, str):
        return cell
    if not isinstance(cell, Figure):
        # A name in a column of names has no number; in a column of numbers the heading names the measure.
        return "" if cell is None and column.unit in TEXTS else _number_text(cell, column)
    if short and column.optional:
        return figure_text(replace(cell, low=None, high=None), measure=not column.measure)
    if short and cell.unit == "rate" and cell.low is not None and cell.high is not None:
        value = figure_text(replace(cell, low=None, high=None))
        return f"{value} ({percent(cell.low, 0)}–{percent(cell.high, 0)})"
    return figure_text(cell, measure=not column.measure)


def _number_text(value: float | None, column: Column) -> str:
    unit = "number" if column.unit in TEXTS else column.unit
    return value_text(value, unit)  # type: ignore[arg-type]  # the units of texts were replaced
