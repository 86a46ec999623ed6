"""Figures for papers: the curves of a document and its figures with intervals, as SVG and PNG, with their tables.

Drawn with matplotlib, the optional extra `plots`. Import this module only to draw.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.figures import Figure, Unit
from pytest_autoeval.report.blocks import Document, Mark, Point
from pytest_autoeval.report.renderers.charts import (
    CURVE_COLUMNS,
    INTERVAL_COLUMNS,
    UNIT_NAMES,
    Chart,
    CurveChart,
    DrawnLine,
    IntervalChart,
    Panel,
    charts,
    curves_csv,
    file_names,
    intervals_csv,
)
from pytest_autoeval.text import one_line, shorten, shorten_apart, shorten_start
from pytest_autoeval.written_file import OutputKind, target_of, write_file


class PlotsError(AutoevalError):
    """A figure cannot be drawn or written. The message says what to do."""


try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.ticker import MaxNLocator, PercentFormatter
except ImportError as missing:
    if (missing.name or "").partition(".")[0] != "matplotlib":
        raise
    raise PlotsError(
        "plots are drawn with matplotlib: pip install 'pytest-autoeval[plots]'"
    ) from None

#: The palette of Okabe and Ito without yellow, which is hard to see on white, and with black last.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
#: Lines differ by marker and dashes too, so that a print without colours can be read.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
_GREY = "#777777"
#: Inches: a panel.
_PANEL_WIDTH = 3.5
_PANEL_HEIGHT = 2.5
#: Inches: each bar of an interval chart, its title and axis together, and each line of a legend.
_BAR_HEIGHT = 0.12
_TITLE_AND_AXIS = 0.9
_LEGEND_LINE = 0.16
#: The space between two rows of an interval chart, in bars.
_ROW_SPACE = 0.6
#: Panels side by side.
_MOST_ACROSS = 3
#: Names side by side in the legend of an interval chart, which is two panels wide.
_NAMES_ACROSS = 2
#: The ends of an axis of rates: a little beyond 0 and 1, so that markers at the ends are not cut.
_RATE_ENDS = (-0.02, 1.02)
#: Without dates and versions, so that equal results give equal files.
_FORMATS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("svg", {"metadata": {"Date": None, "Creator": None}}),
    ("png", {"metadata": {"Software": None}, "dpi": 200}),
)
#: Characters of a name at an axis or in a legend, of a title, and of the name of a place below an axis.
_LONGEST_NAME = 48
_LONGEST_TITLE = 40
_LONGEST_PLACE_NAME = 20
#: Numbers, or names of places, below an axis.
_MOST_TICKS = 10
_CURVES = OutputKind("a table of curves of pytest-autoeval", (",".join(CURVE_COLUMNS[:4]),))
_INTERVALS = OutputKind(
    "a table of intervals of pytest-autoeval", (",".join(INTERVAL_COLUMNS[:4]),)
)


def write_plots(
    document: Document, folder: Path, progress: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Writes the charts of a document into a folder, which is made. Returns the files, `curves.csv` first.

    `SUITE.MEASURE.svg` and `.png` for each suite and each measure that it has curves over, with
    `SUITE.MEASURE.samples.svg` and `.png`; `FIGURE.svg` and `.png` for each figure with intervals of several suites.
    Equal documents give equal bytes. ``progress`` receives a line before each chart. Raises :class:`PlotsError`.
    """
    drawn = charts(document)
    if not drawn:
        raise PlotsError(
            f"nothing to draw in {folder}: no suite has a measure that varies among its samples, and no figure has "
            "intervals in two suites"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        curves_file, intervals_file = folder / "curves.csv", folder / "intervals.csv"
        write_file(curves_file, [curves_csv(document)], _CURVES)
        write_file(intervals_file, [intervals_csv(document)], _INTERVALS)
        written = [curves_file, intervals_file]
        for number, (chart, name) in enumerate(zip(drawn, file_names(drawn), strict=True), 1):
            progress(f"figure {number} of {len(drawn)}: {name}")
            written += save(drawing(chart), folder / name)
            if isinstance(chart, CurveChart) and any(point.n is not None for point in chart.points):
                written += save(samples_drawing(chart), folder / f"{name}.samples")
    except OSError as error:
        raise PlotsError(
            f"{error.filename or folder}: figures cannot be written: {error.strerror}"
        ) from None
    return written


def drawing(chart: Chart) -> Drawing:
    """The values of a chart, with their intervals."""
    if isinstance(chart, IntervalChart):
        return _intervals_drawing(chart)
    with _panels(chart, [panel.title for panel in chart.panels]) as figure:
        for axes, panel in zip(figure.axes, chart.panels, strict=True):
            for line in panel.lines:
                _draw_line(axes, line, _style(chart.labels.index(line.label)))
            _draw_marks(axes, panel, chart.labels)
            _format_axis(axes.yaxis, panel.unit)
            if panel.unit == "rate":
                axes.set_ylim(*_RATE_ENDS)
    return figure


def samples_drawing(chart: CurveChart) -> Drawing:
    """The number of samples behind each point of a chart."""
    counted = next(panel for panel in chart.panels if _has_counts(panel))
    with _panels(chart, ["samples"]) as figure:
        (axes,) = figure.axes
        for line in counted.lines:
            points = [point for point in line.known if point.n is not None]
            style = _style(chart.labels.index(line.label))
            counts = _numbers(point.n for point in points)
            axes.plot(_places(points), counts, label=_legend_name(line.label), **style)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    return figure


def _has_counts(panel: Panel) -> bool:
    return any(point.n is not None for line in panel.lines for point in line.known)


def save(figure: Drawing, base: Path) -> list[Path]:
    """Writes the figure as `BASE.svg` and `BASE.png`, with the same bytes each time."""
    written = []
    with _styled():
        for ending, settings in _FORMATS:
            # Not `with_suffix`, which would replace what follows a period in the name of a suite.
            file = base.with_name(f"{base.name}.{ending}")
            figure.savefig(target_of(file), format=ending, **settings)
            written.append(file)
    return written


@contextmanager
def _styled() -> Iterator[None]:
    """Within it, figures are made and written in our style alone, as `figure_files.mplstyle` describes it."""
    with mpl.rc_context(), warnings.catch_warnings():
        # A user's own style file must not change the figures.
        mpl.rcdefaults()
        mpl.rc_file(Path(__file__).with_suffix(".mplstyle"), use_default_template=False)
        # A sign that the font lacks becomes a box: the user can do nothing about it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


@contextmanager
def _panels(chart: CurveChart, titles: Sequence[str]) -> Iterator[Drawing]:
    """A figure with one empty panel for each title. On exit it gets names of axes and a legend of the lines."""
    across = min(len(titles), _MOST_ACROSS)
    down = math.ceil(len(titles) / across)
    with _styled():
        height = _PANEL_HEIGHT * down + _LEGEND_LINE * math.ceil(len(chart.labels) / across)
        figure = Drawing(figsize=(_PANEL_WIDTH * across, height), layout="constrained")
        figure.suptitle(
            shorten_start(one_line(chart.heading), _LONGEST_NAME * across),
            fontsize=8,
            color="#555555",
        )
        for number, title in enumerate(titles, 1):
            axes = figure.add_subplot(down, across, number)
            axes.set_title(_title(title))
            axes.set_xlabel(_measure_name(chart.over))
        yield figure
        for axes in figure.axes:
            _name_places(axes, chart.points)
        _add_legend(figure, across)


def _name_places(axes: Axes, points: Iterable[Point]) -> None:
    """Writes the names of the places below the axis, if all have names; else numbers, whole ones if all are whole."""
    names = {point.x: point.label for point in points}
    # Names and numbers on one axis could not be told apart, so one place without a name makes all of them numbers.
    if all(names.values()):
        positions = sorted(names)
        ticks = positions[:: math.ceil(len(positions) / _MOST_TICKS)]
        shown_names = [shorten(one_line(names[x]), _LONGEST_PLACE_NAME) for x in ticks]
        axes.set_xticks(ticks, shown_names, rotation=30, ha="right")
    elif all(x == int(x) for x in names):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=_MOST_TICKS, integer=True, min_n_ticks=1))


def _add_legend(figure: Drawing, across: int) -> None:
    """Adds one legend below all panels. A name has the same style in each of them."""
    entries: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside lower center",
            ncols=across,
            frameon=False,
            fontsize=7,
        )


def _draw_line(axes: Axes, line: DrawnLine, style: dict[str, Any]) -> None:
    """A line with its intervals as a band. If a curve is fitted, the band is its, and the points have bars."""
    points = line.series.points
    fitted = line.series.fitted
    if not fitted:
        _draw_band(axes, points, style)
        axes.plot(_places(points), _values(points), label=_legend_name(line.label), **style)
        return
    _draw_band(axes, fitted, style)
    # The legend shows the points, and the fitted curve only if there are none.
    label = "" if points else _legend_name(line.label)
    without_marker = {**style, "marker": ""}
    axes.plot(_places(fitted), _values(fitted), label=label, **without_marker)
    if points:
        lows = _numbers(point.low for point in points)
        highs = _numbers(point.high for point in points)
        axes.vlines(_places(points), lows, highs, color=style["color"], alpha=0.35, linewidth=0.8)
        only_points = {**style, "linestyle": ""}
        axes.plot(_places(points), _values(points), label=_legend_name(line.label), **only_points)


def _draw_band(axes: Axes, points: Sequence[Point], style: dict[str, Any]) -> None:
    places = _places(points)
    lows = _numbers(point.low for point in points)
    highs = _numbers(point.high for point in points)
    axes.fill_between(places, lows, highs, color=style["color"], alpha=0.13, linewidth=0)


def _values(points: Iterable[Point]) -> list[float]:
    return _numbers(point.value for point in points)


def _places(points: Iterable[Point]) -> list[float]:
    return [point.x for point in points]


def _numbers(values: Iterable[float | None]) -> list[float]:
    """The values for matplotlib, which leaves a gap where a value is not a number."""
    return [math.nan if value is None else value for value in values]


def _draw_marks(axes: Axes, panel: Panel, labels: Sequence[str]) -> None:
    """Draws the marks of lines: those of a height alone, such as a threshold, and those of a place.

    Heights are grey, and are drawn once if lines share them. A place has the colour of its line.
    """
    heights: set[tuple[float, str]] = set()
    for line in panel.lines:
        for mark in line.marks:
            if mark.x is None and mark.value is not None:
                heights.add((mark.value, mark.name))
    for value, name in sorted(heights):
        axes.axhline(
            value, color=_GREY, linestyle=(0, (4, 3)), linewidth=0.8, label=_legend_name(name)
        )
    for line in panel.lines:
        for mark in line.marks:
            if mark.x is not None:
                colour = _style(labels.index(line.label))["color"]
                _draw_place(axes, mark, mark.x, colour)


def _draw_place(axes: Axes, mark: Mark, x: float, colour: str) -> None:
    """Draws a mark without a value as a vertical line over its interval, and one on a curve as a tick with a bar."""
    if mark.value is None:
        if mark.low is not None and mark.high is not None:
            axes.axvspan(mark.low, mark.high, color=colour, alpha=0.07, linewidth=0)
        axes.axvline(x, color=colour, linestyle=(0, (1, 2)), linewidth=0.9)
        style: dict[str, Any] = {"linestyle": (0, (1, 2)), "linewidth": 0.9}
    else:
        if mark.low is not None and mark.high is not None:
            axes.hlines(mark.value, mark.low, mark.high, color=colour, linewidth=2.2, alpha=0.6)
        style = {"linestyle": "", "marker": "|", "markersize": 9, "markeredgewidth": 1.4}
        axes.plot([x], [mark.value], color=colour, **style)
    # One grey entry in the legend stands for the marks of all lines: an empty plot, whose entry has the style.
    axes.plot([], [], color=_GREY, label=_legend_name(mark.name), **style)


def _intervals_drawing(chart: IntervalChart) -> Drawing:
    """A row for each suite, with a point and an interval for each of its models."""
    rows = {row: position for position, row in enumerate(chart.rows)}
    labels = chart.labels
    # In bars: a row has a bar for each model, and the space to the next row.
    row_height = len(labels) + _ROW_SPACE
    with _styled():
        legend_height = 0.0
        if labels != [""]:
            legend_height = _LEGEND_LINE * math.ceil(len(labels) / _NAMES_ACROSS)
        height = _TITLE_AND_AXIS + _BAR_HEIGHT * len(rows) * row_height + legend_height
        figure = Drawing(figsize=(2 * _PANEL_WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(_title(chart.heading, 2 * _LONGEST_TITLE))
        axes.set_xlabel(_unit_name(chart))
        labels_in_legend: set[str] = set()
        middle = (len(labels) - 1) / 2
        for bar in chart.bars:
            index = labels.index(bar.label)
            # The bars of a row lie on both sides of its middle. The axis counts rows, so that a row is 1 high.
            shift = (index - middle) / row_height
            label = "" if bar.label in labels_in_legend else _legend_name(bar.label)
            _draw_bar(axes, bar.figure, rows[bar.row] + shift, _style(index), label)
            labels_in_legend.add(bar.label)
        names = [shorten_start(one_line(row), _LONGEST_NAME) for row in rows]
        axes.set_yticks(range(len(rows)), names)
        # From top to bottom, as the rows of a table.
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        _format_axis(axes.xaxis, chart.unit)
        if chart.unit == "rate":
            axes.set_xlim(*_RATE_ENDS)
        elif chart.unit in {"size", "count", "usd", "seconds"}:
            axes.set_xlim(left=0)
        _add_legend(figure, _NAMES_ACROSS)
    return figure


def _draw_bar(axes: Axes, figure: Figure, row: float, style: dict[str, Any], label: str) -> None:
    """Draws a point at the value, or an arrow if the value is only a bound, and a line to each end of the interval."""
    assert figure.value is not None
    line = {"color": style["color"], "linewidth": 1.2}
    for end in (figure.low, figure.high):
        if end is not None:
            axes.plot([figure.value, end], [row, row], **line)
            axes.plot([end], [row], color=style["color"], marker="|", markersize=4)
    # The value lies between the two, because some samples are undecided.
    if figure.upper is not None:
        thick_line = line | {"linewidth": 3.0}
        axes.plot([figure.value, figure.upper], [row, row], **thick_line)
    arrows = {"above": ">", "below": "<"}
    axes.plot(
        [figure.value],
        [row],
        label=label,
        linestyle="",
        marker=arrows.get(figure.bound, style["marker"]),
        markersize=style["markersize"],
        color=style["color"],
    )


def _unit_name(chart: IntervalChart) -> str:
    if chart.measure and chart.unit in {"size", "count"}:
        return _measure_name(chart.measure)
    # The numbers at the axis have a % sign.
    if chart.unit == "rate":
        return ""
    return UNIT_NAMES[chart.unit]


def _measure_name(measure: str) -> str:
    return shorten(one_line(measure.replace("_", " ")), _LONGEST_TITLE)


def _format_axis(axis: Any, unit: Unit) -> None:
    """Percent for rates and differences of rates, whole numbers for counts."""
    if unit in {"rate", "points"}:
        axis.set_major_formatter(PercentFormatter(1.0, symbol="%" if unit == "rate" else ""))
    elif unit == "count":
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def _style(index: int) -> dict[str, Any]:
    """The style of a line or model by its position among the labels of a chart, the same in all panels."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _DASHES[index % len(_DASHES)],
        "markersize": 3.5,
        "linewidth": 1.2,
    }


def _title(text: str, room: int = _LONGEST_TITLE) -> str:
    """A title, with its start and its end if it is too long: it may be the id of a suite, which has both."""
    return shorten_apart([one_line(text)], room)[0]


def _legend_name(label: str) -> str:
    """A name for the legend. One that is too long loses its start."""
    name = shorten_start(one_line(label), _LONGEST_NAME)
    # matplotlib leaves a name that begins with an underscore out of the legend.
    return f" {name}" if name.startswith("_") else name
