"""The figures: colours that colour-blind readers tell apart, markers and dashes for print, text drawn as outlines."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from pytest_autoeval.reporting.plots.tables import Curve, Point, Table
from pytest_autoeval.reporting.text import one_line, shorten_start
from pytest_autoeval.statistics import PassRate

#: Okabe and Ito's palette without its yellow, which is lost on white, and with its black last.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine draws the same
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
    "svg.fonttype": "path",
    "svg.hashsalt": "pytest-autoeval",
}
#: Inches: a panel, and each line of the legend below.
_PANEL, _HEIGHT, _LEGEND_LINE = 3.5, 2.5, 0.16
#: As many bands can be told apart where they lie over each other; more curves get bars.
_MOST_BANDS = 3
_FORMATS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("svg", {"metadata": {"Date": None, "Creator": None}}),
    ("png", {"metadata": {"Software": None}, "dpi": 200}),
)
_LONGEST_NAME = 48
_Measure = Callable[[Point], PassRate]


def accuracy_figure(table: Table) -> Figure:
    """Syntactic compliance (where formulas were asked for) and accuracy over the measure, with 95 % intervals."""
    panels: list[tuple[str, _Measure]] = [("accuracy", lambda point: point.part.rate)]
    if any(point.part.answers for curve in table.curves for point in curve.points):
        panels.insert(0, ("syntactic compliance", _compliance))
    with _styled():
        figure = _figure(table, len(panels))
        for axes, (title, measure) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            axes.set_title(title)
            _draw_rates(axes, table.curves, measure)
            axes.set_ylim(-0.02, 1.02)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
            _name_values(axes, table)
        _add_legend(figure)
    return figure


def samples_figure(table: Table) -> Figure:
    """How many samples each point rests on: one row of bars where that is the same for every model."""
    counts = [
        {(point.value, point.value_to): point.part.rate.total for point in curve.points} for curve in table.curves
    ]
    alike = all(one == counts[0] for one in counts)
    with _styled():
        figure = _figure(table, 1, legend=not alike)
        axes = figure.subplots()
        for place, curve in enumerate(table.curves[:1] if alike else table.curves):
            middles = [point.middle for point in curve.points]
            heights = [point.part.rate.total for point in curve.points]
            if alike:
                # As wide as a range, or as the smallest distance of two neighbours.
                widths = [0.8 * max(_step(curve.points), point.value_to - point.value) for point in curve.points]
                axes.bar(middles, heights, width=widths, color=_COLOURS[0])
            else:
                axes.plot(middles, heights, label=_name(curve.model), **_line(place))
        axes.set_title(
            "samples" if len(table.curves) == 1 else "samples of each model" if alike else "samples by model"
        )
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        _name_values(axes, table)
        if not alike:
            _add_legend(figure)
    return figure


def save(figure: Figure, base: Path) -> list[Path]:
    """Writes the figure as `BASE.svg` and `BASE.png`, the same bytes each time."""
    written = []
    with _styled():
        for kind, settings in _FORMATS:
            written.append(base.with_name(f"{base.name}.{kind}"))
            figure.savefig(written[-1], format=kind, **settings)
    return written


@contextmanager
def _styled() -> Iterator[None]:
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # whatever a user's own style file says
        mpl.rcParams.update(cast(Any, _STYLE))
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _figure(table: Table, panels: int, *, legend: bool = True) -> Figure:
    width = _PANEL * panels
    lines = -(-len(table.curves) // panels) if legend else 0
    figure = Figure(figsize=(width, _HEIGHT + _LEGEND_LINE * lines), layout="constrained")
    figure.suptitle(shorten_start(one_line(table.suite), _LONGEST_NAME * panels), fontsize=8, color="#555555")
    return figure


def _draw_rates(axes: Axes, curves: Sequence[Curve], measure: _Measure) -> None:
    for place, curve in enumerate(curves):
        known = [(point.middle, measure(point)) for point in curve.points if measure(point).total]
        if not known:
            continue
        middles, rates = [middle for middle, _ in known], [rate.lower for _, rate in known]
        intervals = [rate.interval() for _, rate in known]
        lows, highs = [interval.low for interval in intervals], [interval.high for interval in intervals]
        line = _line(place)
        if len(curves) <= _MOST_BANDS:
            axes.fill_between(middles, lows, highs, color=line["color"], alpha=0.13, linewidth=0)
        else:
            # Beside each other, within less than half of the room to the next value.
            shift = 0.4 * _step(curve.points) * ((place + 0.5) / len(curves) - 0.5)
            middles = [middle + shift for middle in middles]
            axes.vlines(middles, lows, highs, color=line["color"], linewidth=0.6, alpha=0.7)
        axes.plot(middles, rates, label=_name(curve.model), **line)


def _compliance(point: Point) -> PassRate:
    return PassRate(point.part.compliant, 0, point.part.answers)


def _line(place: int) -> dict[str, Any]:
    return {
        "color": _COLOURS[place % len(_COLOURS)],
        "marker": _MARKERS[place % len(_MARKERS)],
        "linestyle": _DASHES[place % len(_DASHES)],
        "markersize": 3.5,
        "linewidth": 1.2,
    }


def _name_values(axes: Axes, table: Table) -> None:
    axes.set_xlabel(one_line(table.measure.replace("_", " ")) + (" (in ranges)" if table.ranges else ""))
    values = sorted({point.middle for curve in table.curves for point in curve.points})
    if all(value == int(value) for value in values):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))


def _step(points: Sequence[Point]) -> float:
    return min((after.middle - before.middle for before, after in pairwise(points)), default=1.0)


def _name(model: str) -> str:
    return shorten_start(one_line(model), _LONGEST_NAME)


def _add_legend(figure: Figure) -> None:
    """The models below the panels, as many side by side as there are panels: so wide their names may be."""
    handles, labels = max((axes.get_legend_handles_labels() for axes in figure.axes), key=lambda found: len(found[1]))
    figure.legend(handles, labels, loc="outside lower center", ncols=len(figure.axes), frameon=False, fontsize=7)
