"""The charts of a document, for papers: its curves, and its figures with intervals; their names, and both as CSV.

A chart here is data: :mod:`pytest_autoeval.features.plots` draws it. The suites that differ only in their model are
drawn side by side.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pytest_autoeval.record.figures import Figure, Unit
from pytest_autoeval.record.suite_names import without_model
from pytest_autoeval.report.blocks import Curve, Document, Figures, Mark, Point, Section, Series
from pytest_autoeval.text import csv_cell

#: The names of the units in titles of panels and axes, where the numbers alone do not say what they are.
UNIT_NAMES: Mapping[Unit, str] = {
    "rate": "rate",
    "points": "percentage points",
    "count": "number",
    "usd": "US dollars",
    "seconds": "seconds",
    "size": "size",
    "p": "p",
    "number": "value",
}
#: The columns of the curves as CSV: the curve of a section, its series, and a point of it.
CURVE_COLUMNS = (
    *("section", "suite", "model"),
    *("curve", "series", "over"),
    *("x", "label", "unit", "n", "value", "low", "high"),
)
#: The columns of the intervals as CSV: the block of a section, a figure in it, and its values.
INTERVAL_COLUMNS = (
    *("section", "suite", "model"),
    *("title", "figure", "unit", "measure"),
    *("n", "value", "upper", "low", "high", "confidence", "bound"),
)
#: Characters of a part of a file's name. A name has at most two parts, a digest and an extension, and file systems
#: allow 255 bytes.
_LONGEST_PART = 60
#: Rows (suites) in one chart of intervals. More of them are divided into several charts.
_MOST_ROWS = 60

#: What the lines of one panel share: its title and its unit; the last number tells panels with one title apart, from 0.
_PanelKey = tuple[str, Unit, int]
#: What the panels of one chart share: its row, its turn (see `_PlacedSection`), and the measure of its x axis.
_CurveChartKey = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line of a panel: what the legend calls it, its points, and its marks."""

    label: str
    series: Series
    marks: tuple[Mark, ...]

    @property
    def known(self) -> tuple[Point, ...]:
        """Its points that have a value; those of its smooth curve, if that is all there is."""
        points = self.series.points or self.series.fitted
        return tuple(point for point in points if point.value is not None)


@dataclass(frozen=True, slots=True)
class Panel:
    """The lines that share two axes."""

    title: str
    unit: Unit
    lines: tuple[DrawnLine, ...]


@dataclass(frozen=True, slots=True)
class CurveChart:
    """A row of panels over one measure, of a suite or of another section."""

    heading: str
    over: str
    panels: tuple[Panel, ...]

    @property
    def labels(self) -> list[str]:
        """What its lines are called, in alphabetical order, in which they have their colours in each panel."""
        return sorted({line.label for panel in self.panels for line in panel.lines})

    @property
    def points(self) -> tuple[Point, ...]:
        """All points that are drawn."""
        lines = [line for panel in self.panels for line in panel.lines]
        return tuple(point for line in lines for point in line.known)


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure with its interval: the row that it stands in, and the name by which the legend knows it."""

    row: str
    label: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """One figure of several suites or sections, a row for each of them."""

    heading: str
    unit: Unit
    measure: str
    bars: tuple[Bar, ...]

    @property
    def labels(self) -> list[str]:
        """What its bars are called, in alphabetical order, in which they have their colours."""
        return sorted({bar.label for bar in self.bars})

    @property
    def rows(self) -> list[str]:
        """The names of the rows, from the top."""
        return list(dict.fromkeys(bar.row for bar in self.bars))


Chart = CurveChart | IntervalChart


def charts(document: Document) -> list[Chart]:
    """All charts of a document, in its order: curves that have two places, then figures that have two intervals."""
    drawn: list[Chart] = []
    for chart in _curve_charts(document):
        places = {point.x for point in chart.points}
        # Points at one place are no curve.
        if len(places) > 1:
            drawn.append(chart)
    return [*drawn, *_interval_charts(document)]


@dataclass(frozen=True, slots=True)
class _PlacedSection:
    """A section with the place of what it shows: a row of charts, and in it the model, if it is about a suite."""

    section: Section
    row: str
    model: str
    #: How many sections before this one have its row and model: two suites may have one name and one model. Only
    #: sections of one turn stand in one chart.
    turn: int


def _placed_sections(document: Document) -> Iterator[_PlacedSection]:
    turns: Counter[tuple[str, str]] = Counter()
    for section in document.sections:
        suite = section.suite
        model = suite.model if suite else ""
        row = without_model(suite.name, model) if suite else section.title or section.name
        yield _PlacedSection(section, row, model, turns[row, model])
        turns[row, model] += 1


def _curve_charts(document: Document) -> Iterator[CurveChart]:
    panels_by_chart: dict[_CurveChartKey, dict[_PanelKey, list[DrawnLine]]] = {}
    for placed in _placed_sections(document):
        times: Counter[tuple[str, str, Unit]] = Counter()
        for curve in placed.section.blocks:
            if not isinstance(curve, Curve):
                continue
            chart_key = (placed.row, placed.turn, curve.over)
            panels = panels_by_chart.setdefault(chart_key, defaultdict(list))
            lines = [(title, line) for title, line in _lines(curve, placed) if line.known]
            for title, line in lines:
                # How many curves of this title the section had before: the second one has a panel of its own.
                number = times[curve.over, title, curve.unit]
                panels[title, curve.unit, number].append(line)
            # Counted after the loop, since lines of one curve may share a panel.
            times.update({(curve.over, title, curve.unit) for title, _ in lines})
    for (row, _, over), panels in panels_by_chart.items():
        drawn = [Panel(title, unit, tuple(lines)) for (title, unit, _), lines in panels.items()]
        yield CurveChart(row, over, tuple(drawn))


def _lines(curve: Curve, placed: _PlacedSection) -> Iterator[tuple[str, DrawnLine]]:
    """The lines of a curve with the titles of their panels.

    In the section of a suite, each series has a panel, in which the models are the lines. In another section, the
    series are the lines.
    """
    curve_title = curve.title or UNIT_NAMES[curve.unit]
    for series in curve.series:
        # A mark without a series is one of all series.
        marks = tuple(mark for mark in curve.marks if mark.series in {"", series.name})
        if placed.section.suite is not None:
            yield series.name or curve_title, DrawnLine(placed.model, series, marks)
        else:
            yield curve_title, DrawnLine(series.name, series, marks)


def _interval_charts(document: Document) -> Iterator[IntervalChart]:
    bars_by_chart: dict[tuple[str, Unit, str, int], list[Bar]] = defaultdict(list)
    for placed, block in _figures(document):
        for figure in block.figures:
            if figure.value is not None and _has_interval(figure):
                key = (figure.name, figure.unit, figure.measure, placed.turn)
                bars_by_chart[key].append(Bar(placed.row, placed.model, figure))
    for (name, unit, measure, _), bars in bars_by_chart.items():
        # A single interval has nothing beside it to compare with.
        if len(bars) < 2:
            continue
        all_rows = IntervalChart(name, unit, measure, tuple(bars)).rows
        for start in range(0, len(all_rows), _MOST_ROWS):
            rows = all_rows[start : start + _MOST_ROWS]
            bars_of_rows = tuple(bar for bar in bars if bar.row in rows)
            yield IntervalChart(name, unit, measure, bars_of_rows)


def _has_interval(figure: Figure) -> bool:
    """Whether a figure has at least one end of an interval: a one-sided interval has only one."""
    return figure.low is not None or figure.high is not None


def _figures(document: Document) -> Iterator[tuple[_PlacedSection, Figures]]:
    """The blocks of figures of all sections."""
    for placed in _placed_sections(document):
        for block in placed.section.blocks:
            if isinstance(block, Figures):
                yield placed, block


def file_names(drawn: Sequence[Chart]) -> list[str]:
    """A name without extension for each chart: `SUITE.MEASURE` or `FIGURE`. The names differ in more than case.

    A name that is not unique has a digest after it.
    """
    plain_names = [_name(chart) for chart in drawn]
    times = Counter(name.lower() for name in plain_names)
    names: list[str] = []
    taken: set[str] = set()
    for chart, plain_name in zip(drawn, plain_names, strict=True):
        # Two folders may have a file of one name, and a heading may have no letter that is safe in a name.
        is_unique = plain_name != "" and times[plain_name.lower()] == 1
        name = plain_name if is_unique else f"{plain_name}-{_digest(chart)}".lstrip("-")
        # Some file systems do not distinguish case.
        while name.lower() in taken:
            name += "-2"
        names.append(name)
        taken.add(name.lower())
    return names


def _name(chart: Chart) -> str:
    """The name from the heading alone, which may be empty, and two charts may have it."""
    # The heading of a suite is the id of its test. The folders of the file are left out.
    file, colons, test = chart.heading.rpartition("::")
    stem = file.rpartition("/")[2].removesuffix(".py")
    parts = [f"{stem}{colons}{test}"]
    # A suite may have curves over several measures.
    if isinstance(chart, CurveChart):
        parts.append(chart.over)
    return ".".join(filter(None, map(_safe, parts)))


def _safe(part: str) -> str:
    """The part of a name with characters that every file system has, and not too long for one."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", part).strip("-")[:_LONGEST_PART]


def _digest(chart: Chart) -> str:
    """Eight digits that depend on the heading, and on what charts of one heading differ by."""
    distinct = chart.over if isinstance(chart, CurveChart) else f"{chart.unit} {chart.measure}"
    # A name of a file may have bytes that are no UTF-8, which Python keeps as surrogates.
    return sha256(f"{chart.heading} {distinct}".encode("utf-8", "surrogatepass")).hexdigest()[:8]


def curves_csv(document: Document) -> str:
    """All points of all curves as CSV. Rates are fractions; ``low`` and ``high`` are the ends of the 95 % interval."""
    return _csv(CURVE_COLUMNS, _rows_of_curves(document))


def _rows_of_curves(document: Document) -> Iterator[tuple[str | float | None, ...]]:
    for placed in _placed_sections(document):
        curves = [block for block in placed.section.blocks if isinstance(block, Curve)]
        for curve in curves:
            for series in curve.series:
                names = (*_names(placed), curve.title, series.name, curve.over)
                for point in series.points:
                    values = (point.n, point.value, point.low, point.high)
                    yield (*names, point.x, point.label, curve.unit, *values)


def intervals_csv(document: Document) -> str:
    """All figures with an interval as CSV."""
    return _csv(INTERVAL_COLUMNS, _rows_of_intervals(document))


def _rows_of_intervals(document: Document) -> Iterator[tuple[str | float | None, ...]]:
    for placed, block in _figures(document):
        for figure in block.figures:
            if _has_interval(figure):
                names = (*_names(placed), block.title, figure.name, figure.unit, figure.measure)
                values = (figure.n, figure.value, figure.upper, figure.low, figure.high)
                yield (*names, *values, figure.confidence, figure.bound)


def _names(placed: _PlacedSection) -> tuple[str, str, str]:
    """The section, the suite and the model; the last two are empty for a section that is about no suite."""
    suite = placed.section.suite
    return placed.section.name, suite.name if suite else "", placed.model


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_cell, row))
    return text.getvalue()


def _cell(value: str | float | None) -> str:
    """A value as the text of a cell; ten digits of a fraction, so that the noise of floating point is left out."""
    match value:
        case None:
            return ""
        case str():
            return csv_cell(value)
        case float():
            return f"{value:.10g}"
    return str(value)
