"""Figures for papers: accuracy and syntactic compliance over each measure of complexity, and their tables as CSV.

Drawn with matplotlib, the optional extra `plots`. Import this module only to draw.
"""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.items import side_by_side, size_name
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.report.suite_summary import SizeSummary
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.text import csv_cell, one_line, shorten_start
from pytest_autoeval.written_file import OutputKind, target_of, write_file


class PlotsError(AutoevalError):
    """A figure cannot be drawn or written. The message says what to do."""


try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter
except ImportError as missing:
    if (missing.name or "").partition(".")[0] != "matplotlib":
        raise
    raise PlotsError("plots are drawn with matplotlib: pip install 'pytest-autoeval[plots]'") from None

#: The palette of Okabe and Ito without yellow, which is hard to see on white, and with black last.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
#: Inches: a panel, and each line of the legend below.
_PANEL, _HEIGHT, _LEGEND_LINE = 3.5, 2.5, 0.16
_FORMATS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("svg", {"metadata": {"Date": None, "Creator": None}}),
    ("png", {"metadata": {"Software": None}, "dpi": 200}),
)
_LONGEST_NAME, _LONGEST_FILE = 48, 60
#: Up to this number values are shown separately; more of them are divided into this number of ranges.
_MOST_VALUES, _RANGES = 30, 12
_PLACES = {"size": 0, "operators": 1, "depth": 2}
_COLUMNS = (
    *("suite", "model", "measure", "value", "value_to"),
    *("samples", "passed", "undecided", "rate", "low", "high", "compliant"),
)
_TABLE = OutputKind("a table of plots of pytest-autoeval", (",".join(_COLUMNS[:4]),))


def write_plots(
    suites: Iterable[SuiteRecord], folder: Path, progress: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Writes the figures of some suites into a folder, which is made. Returns the files, `accuracy.csv` first.

    For each suite and each numeric measure that varies: `SUITE.MEASURE.svg` and `.png` (accuracy, and syntactic
    compliance for answers that are formulas), `SUITE.MEASURE.samples.svg` and `.png`. Equal samples give equal bytes.
    ``progress`` receives a line before each figure. Raises :class:`PlotsError`.
    """
    drawn = tables(suites)
    if not drawn:
        raise PlotsError(f"nothing to draw in {folder}: no suite has a measure that varies among its samples")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / "accuracy.csv"]
        write_file(written[0], [csv_text(drawn)], _TABLE)
        for number, (table, name) in enumerate(zip(drawn, file_names(drawn), strict=True), 1):
            progress(f"figure {number} of {len(drawn)}: {name}")
            written += save(accuracy_figure(table), folder / name)
            written += save(samples_figure(table), folder / f"{name}.samples")
    except OSError as error:
        raise PlotsError(f"{error.filename or folder}: figures cannot be written: {error.strerror}") from None
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The samples with a measure of ``value``, or in the range up to ``value_to``."""

    value: float
    value_to: float
    part: SizeSummary

    @property
    def middle(self) -> float:
        """The position of the point."""
        return (self.value + self.value_to) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One suite and one measure, such as ``depth``: for each model the points of its curve, ordered by value."""

    suite: str
    measure: str
    curves: Mapping[str, Sequence[Point]]
    ranges: bool


def tables(suites: Iterable[SuiteRecord]) -> list[Table]:
    """A table for each suite and each measure that varies in it, ordered by name, sizes first.

    The drawn size is among the measures as ``size`` if it is none of them. Errors do not count.
    """
    figures = []
    in_turn = sorted((suite for suite in suites if suite.counted), key=lambda suite: (suite.name, suite.number))
    for group in side_by_side(in_turn):
        having: dict[str, list[tuple[float, Sample]]] = defaultdict(list)
        samples = [sample for suite in group for sample in suite.counted]
        sized = size_name(samples) == "size"
        for sample in samples:
            measures = {**sample.measures, "size": sample.size} if sized else sample.measures
            for name, value in measures.items():
                if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                    having[name].append((value, sample))
        names = sorted(having, key=lambda name: (_PLACES.get(name, len(_PLACES)), name))
        varying = [name for name in names if len({value for value, _ in having[name]}) > 1]
        figures += [_table(group[0].name, name, having[name]) for name in varying]
    return figures


def csv_text(drawn: Iterable[Table]) -> str:
    """The tables as CSV, one line for each point. Rates are fractions; ``low`` and ``high`` are the ends of the 95 %
    interval.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for table in drawn:
        for model, points in table.curves.items():
            for point in points:
                part, rate, interval = point.part, point.part.rate, point.part.rate.interval()
                value = (f"{point.value:.10g}", f"{point.value_to:.10g}", rate.total, rate.passed, rate.undecided)
                rates = (f"{number:.6f}" for number in (rate.lower, interval.low, interval.high))
                compliant = f"{part.compliant / part.answers:.6f}" if part.answers else ""
                names = map(csv_cell, (table.suite, model, table.measure))
                writer.writerow((*names, *value, *rates, compliant))
    return text.getvalue()


def _table(suite: str, measure: str, having: Sequence[tuple[float, Sample]]) -> Table:
    values = sorted({value for value, _ in having})
    ranges = [(value, value) for value in values]
    if len(values) > _MOST_VALUES:  # ranges of equal width that cover them all
        low, high = values[0], values[-1]
        ranges = list(pairwise([*(low + number * (high - low) / _RANGES for number in range(_RANGES)), high]))
    models: dict[str, dict[tuple[float, float], list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for value, sample in having:
        bounds = next(bounds for bounds in reversed(ranges) if bounds[0] <= value)
        models[sample.model][bounds].append(sample)
    curves = {}
    for model in sorted(models):
        parts = ((bounds, SizeSummary.of(samples)) for bounds, samples in sorted(models[model].items()))
        curves[model] = [Point(value=low, value_to=high, part=part) for (low, high), part in parts if part.rate.total]
    return Table(suite=suite, measure=measure, curves=curves, ranges=len(values) > _MOST_VALUES)


def file_names(tables: Sequence[Table]) -> list[str]:
    """A name without extension for each table, `SUITE.MEASURE`. The names differ in more than case."""
    wanted = [(_safe(table.suite.rpartition("/")[2].replace(".py::", "-")), _safe(table.measure)) for table in tables]
    taken = Counter(f"{suite}.{measure}".lower() for suite, measure in wanted)
    names = []
    for table, (suite, measure) in zip(tables, wanted, strict=True):
        # Two folders may have a file of one name.
        clash = taken[f"{suite}.{measure}".lower()] > 1
        digest = sha256(f"{table.suite} {table.measure}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        names.append(f"{suite}-{digest}.{measure}" if clash else f"{suite}.{measure}")
    return names


def _safe(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:_LONGEST_FILE]


def accuracy_figure(table: Table) -> Figure:
    """Syntactic compliance (of answers that are formulas) and accuracy over the measure, with 95 % intervals."""
    panels: list[tuple[str, Callable[[Point], PassRate]]] = [("accuracy", lambda point: point.part.rate)]
    if any(point.part.answers for points in table.curves.values() for point in points):
        panels.insert(0, ("syntactic compliance", lambda point: PassRate(point.part.compliant, 0, point.part.answers)))
    with _panels(table, [title for title, _ in panels]) as figure:
        for axes, (_, measure) in zip(figure.axes, panels, strict=True):
            _draw_rates(axes, table.curves, measure)
            axes.set_ylim(-0.02, 1.02)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    return figure


def samples_figure(table: Table) -> Figure:
    """The number of samples behind each point."""
    with _panels(table, ["samples"]) as figure:
        axes = figure.axes[0]
        for place, (model, points) in enumerate(table.curves.items()):
            values = [(point.middle, point.part.rate.total) for point in points]
            axes.plot(*zip(*values, strict=True), label=_name(model), **_line(place))
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    return figure


def save(figure: Figure, base: Path) -> list[Path]:
    """Writes the figure as `BASE.svg` and `BASE.png`, with the same bytes each time."""
    written = []
    with _styled():
        for kind, settings in _FORMATS:
            written.append(base.with_name(f"{base.name}.{kind}"))
            figure.savefig(target_of(written[-1]), format=kind, **settings)
    return written


@contextmanager
def _styled() -> Iterator[None]:
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # whatever a user's own style file says
        mpl.rc_file(Path(__file__).with_suffix(".mplstyle"), use_default_template=False)
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


@contextmanager
def _panels(table: Table, titles: Sequence[str]) -> Iterator[Figure]:
    """A figure with one empty panel for each title. On exit it gets names of axes and a legend of the models."""
    panels = len(titles)
    values = sorted({point.middle for points in table.curves.values() for point in points})
    with _styled():
        height = _HEIGHT + _LEGEND_LINE * math.ceil(len(table.curves) / panels)
        figure = Figure(figsize=(_PANEL * panels, height), layout="constrained")
        figure.suptitle(shorten_start(one_line(table.suite), _LONGEST_NAME * panels), fontsize=8, color="#555555")
        figure.subplots(1, panels)
        yield figure
        for axes, title in zip(figure.axes, titles, strict=True):
            axes.set_title(title)
            axes.set_xlabel(one_line(table.measure.replace("_", " ")) + (" (in ranges)" if table.ranges else ""))
            if all(value == int(value) for value in values):
                axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
        legends = (axes.get_legend_handles_labels() for axes in figure.axes)
        handles, labels = max(legends, key=lambda tables: len(tables[1]))
        figure.legend(handles, labels, loc="outside lower center", ncols=panels, frameon=False, fontsize=7)


def _draw_rates(axes: Axes, curves: Mapping[str, Sequence[Point]], measure: Callable[[Point], PassRate]) -> None:
    for place, (model, points) in enumerate(curves.items()):
        known = [(point.middle, rate) for point in points if (rate := measure(point)).total]
        if not known:
            continue
        middles, rates = [middle for middle, _ in known], [rate.lower for _, rate in known]
        lows, highs = ([getattr(rate.interval(), end) for _, rate in known] for end in ("low", "high"))
        line = _line(place)
        axes.fill_between(middles, lows, highs, color=line["color"], alpha=0.13, linewidth=0)
        axes.plot(middles, rates, label=_name(model), **line)


def _line(place: int) -> dict[str, Any]:
    return {
        "color": _COLOURS[place % len(_COLOURS)],
        "marker": _MARKERS[place % len(_MARKERS)],
        "linestyle": _DASHES[place % len(_DASHES)],
        "markersize": 3.5,
        "linewidth": 1.2,
    }


def _name(model: str) -> str:
    return shorten_start(one_line(model), _LONGEST_NAME)
