"""The tables, figures and curves of a document as CSV files, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.blocks import Column, Document, Figures, Section, Table
from pytest_autoeval.report.renderers.charts import curves_csv
from pytest_autoeval.text import csv_cell

#: The longest name of a file, without its ending.
_LONGEST = 60
#: What a figure has beside its value, in the order of the columns. A column is there if a figure of it has a value.
_PARTS: Mapping[str, Callable[[Figure], str | float | None]] = {
    "low": lambda figure: figure.low,
    "high": lambda figure: figure.high,
    "upper": lambda figure: figure.upper,
    "n": lambda figure: figure.n,
    "deviation": lambda figure: figure.deviation,
    "bound": lambda figure: figure.bound or None,
}
_FIGURES = (
    "section",
    "suite",
    "model",
    "title",
    "figure",
    "unit",
    "measure",
    "value",
    *_PARTS,
    "confidence",
)
#: The file that every folder of tables has, and how it begins: such a folder is an earlier output.
FIGURES_FILE = "figures.csv"
FIGURES_HEADING = ",".join(_FIGURES[:6])

_Value = str | float | None
_Row = Sequence[_Value]


def tables(document: Document) -> dict[str, str]:
    """The CSV texts by the names of their files.

    ``figures.csv`` has a line for each figure. ``curves.csv`` has a line for each point that was measured, so for every
    size, and is the file that plots have. Every table has a file of its own. Rates, differences and p-values are
    fractions. No text is a formula to a spreadsheet.
    """
    texts = {
        FIGURES_FILE: _text(
            _FIGURES, (row for section in document.sections for row in _figures(section))
        ),
        "curves.csv": curves_csv(document),
    }
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                texts[_file_name(section, block, texts)] = table_text(block)
    return texts


def table_text(table: Table) -> str:
    """A table as CSV: a column for each of its columns, for the ends of intervals, for states and marks."""
    columns = list(_columns(table))
    rows = zip(*(values for _, values in columns), strict=True)
    return _text([heading for heading, _ in columns], rows)


def _columns(table: Table) -> Iterator[tuple[str, list[_Value]]]:
    """The columns of the file: headings, each with its values."""
    rows = table.rows
    if any(row.state is not None for row in rows):
        yield "state", [row.state for row in rows]
    for column_number, column in enumerate(table.columns):
        heading = _heading(column)
        cells = [row.cells[column_number] for row in rows]
        # A figure is a number here. What it has beside its value has columns of its own, so that programs need not
        # parse text.
        yield heading, [cell.value if isinstance(cell, Figure) else cell for cell in cells]
        for name, measure_of in _PARTS.items():
            measures = [measure_of(cell) if isinstance(cell, Figure) else None for cell in cells]
            if any(measure is not None for measure in measures):
                yield f"{heading}_{name}", measures
        states: list[_Value] = [row.states[column_number] if row.states else None for row in rows]
        if any(states):
            yield f"{heading}_state", states
        marks: list[_Value] = ["*" if column_number in row.marked else None for row in rows]
        if any(marks):
            yield f"{heading}_marked", marks


def _figures(section: Section) -> Iterator[_Row]:
    """A row for each figure of a section."""
    for block in section.blocks:
        if not isinstance(block, Figures):
            continue
        for figure in block.figures:
            measures = [measure_of(figure) for measure_of in _PARTS.values()]
            confidence = None if figure.low is None and figure.high is None else figure.confidence
            description = (block.title, figure.name, figure.unit, figure.measure, figure.value)
            yield (*_about(section), *description, *measures, confidence)


def _about(section: Section) -> tuple[str, str, str]:
    """The section, and the suite and model that it is about."""
    suite = section.suite
    return (section.name, "", "") if suite is None else (section.name, suite.name, suite.model)


def _heading(column: Column) -> str:
    """A heading in one word, behind the model that it is about: ``gpt-5 pass_rate``."""
    word = re.sub(r"\W+", "_", column.name).strip("_")
    return f"{column.group} {word}" if column.group else word


def _file_name(section: Section, table: Table, taken: Container[str]) -> str:
    """The section, the number of its suite, and the title of the table; a number if there is one of this name."""
    # Two suites have the same tables, and the numbers tell their files apart.
    number = "" if section.suite is None else str(section.suite.number)
    words = "_".join(filter(None, (section.name, number, table.title)))
    safe = re.sub(r"[^0-9a-z]+", "_", words.lower()).strip("_")
    name = safe[:_LONGEST] or "table"
    if len(safe) > _LONGEST and safe[_LONGEST] != "_":
        # No half of a word at the end.
        name = name.rpartition("_")[0] or name
    file = f"{name}.csv"
    again = 2
    # Two tables of a section may have one title, or titles that differ in signs alone.
    while file in taken:
        file = f"{name}_{again}.csv"
        again += 1
    return file


def _text(headings: Iterable[str], rows: Iterable[_Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, headings))
    for row in rows:
        writer.writerow(map(_cell, row))
    return text.getvalue()


def _cell(value: _Value) -> str | int:
    """A number as a number with ten digits; a text as one that no spreadsheet computes."""
    if value is None:
        return ""
    if isinstance(value, str):
        return csv_cell(value)
    return value if isinstance(value, int) else f"{value:.10g}"
