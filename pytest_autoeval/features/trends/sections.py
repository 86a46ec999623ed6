"""The trends of a history: pass rates and figures of each suite and model over the runs, and where they fell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_autoeval.features.trends.history import History, PastRun, Trend, TrendPoint, date_text
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Figure, Sentence, Unit, Value
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Curve,
    Mark,
    Note,
    Point,
    Row,
    Section,
    Series,
    Table,
)
from pytest_autoeval.report.matrix_measures import measures
from pytest_autoeval.report.sections.values import note

#: The first series, which is there for every suite.
_MAIN = "pass rate"


def trends(history: History) -> Iterator[Section]:
    """The section about a history."""
    blocks: list[AnyBlock] = [_extent(history)]
    # The falls first: they are what a reader must not miss.
    for trend in history.trends:
        blocks += [_fall(trend, point, history.runs) for point in trend.falls]
    blocks.append(_standing(history))
    for trend in history.trends:
        blocks += _curves(trend, history.runs)
    blocks.append(points(history))
    blocks += map(note, _remarks(history))
    yield Section(name="trends", title="trends", blocks=tuple(blocks))


def _extent(history: History) -> Note:
    values: dict[str, Value] = {
        "runs": Figure("runs", len(history.runs), "count", measure="run"),
        "first": date_text(history.runs[0]),
        "last": date_text(history.runs[-1]),
    }
    # All runs may be of one day.
    if values["first"] == values["last"]:
        return note(sentence("{runs}, {first}", runs=values["runs"], first=values["first"]))
    return note(Sentence("{runs}, {first} to {last}", values))


def _fall(trend: Trend, point: TrendPoint, runs: Sequence[PastRun]) -> Note:
    """When and how much a suite fell."""
    fell = point.fell
    run = runs[point.run]
    assert fell is not None
    test = fell.test
    ends = test.interval
    values: dict[str, Value] = {
        "suite": named(trend.suite, trend.model),
        "date": date_text(run),
        "run": run.name,
        "difference": Figure(
            "difference", test.difference, "points", ends.low, ends.high, n=test.pairs
        ),
        "pairs": Figure("pairs", test.pairs, "count", measure="pair"),
        "p": Figure("p, corrected", fell.p, "p"),
    }
    text = f"{{suite}} fell on {{date}} ({{run}}): {{difference}} points against {fell.reference} ({{pairs}}, p {{p}})"
    return note(Sentence(text, values), "warning")


def _standing(history: History) -> Table:
    """The first and the last pass rate of each suite and model, and the last value of each measure."""
    rows = []
    for trend in history.trends:
        oldest = trend.points[0]
        latest = trend.points[-1]
        cells = (
            named(trend.suite, trend.model),
            _rate(oldest),
            _rate(latest),
            *_measured(latest),
            len(trend.points),
        )
        # The columns of the two rates.
        marked = tuple(column for column, point in ((1, oldest), (2, latest)) if point.doubt)
        rows.append(Row(cells, marked=marked))
    return Table(
        thing="suite",
        columns=(
            Column("suite", "name"),
            Column("first", "rate"),
            Column("last", "rate"),
            *(measure.column for measure in measures()),
            Column("runs", "count", optional=True),
        ),
        rows=tuple(rows),
        mark="not compared: see the remarks" if any(row.marked for row in rows) else "",
        level="default",
    )


def _measured(point: TrendPoint) -> list[Figure | None]:
    """The values of the measures, in the order of their columns."""
    return [point.measured.get(measure.column.name) for measure in measures()]


def _rate(point: TrendPoint) -> Figure | None:
    rate = point.rate
    if rate is None:
        return None
    # The two differ only by undecided samples.
    upper = rate.upper if rate.upper != rate.lower else None
    return Figure(_MAIN, rate.lower, "rate", rate.low, rate.high, upper=upper, n=rate.total)


def _curves(trend: Trend, runs: Sequence[PastRun]) -> Iterator[Curve]:
    """The pass rate and the figures of a suite over the runs: a curve for each unit, the rates first."""
    all_figures = (figure for point in trend.points for figure in point.figures)
    units: dict[Unit, list[str]] = {"rate": [_MAIN]}
    for unit, name in dict.fromkeys((figure.unit, figure.name) for figure in all_figures):
        units.setdefault(unit, []).append(name)
    for unit, names in units.items():
        series = [Series(name, tuple(_series(trend, unit, name, runs))) for name in names]
        yield Curve(
            over="runs",
            unit=unit,
            series=tuple(series),
            marks=tuple(_marks(trend)) if unit == "rate" else (),
            title=named(trend.suite, trend.model),
            level="default",
        )


def _series(trend: Trend, unit: Unit, name: str, runs: Sequence[PastRun]) -> Iterator[Point]:
    key = (unit, name)
    for point in trend.points:
        figures = [_rate(point)] if key == ("rate", _MAIN) else list(point.figures)
        x, label = point.run + 1, _label(runs[point.run], runs)
        figure = _figure_called(key, figures)
        # The place stays, so that the line has a gap there.
        if figure is None:
            yield Point(x, None, label=label)
        else:
            yield Point(x, figure.value, figure.low, figure.high, figure.n, label)


def _figure_called(key: tuple[Unit, str], figures: Iterable[Figure | None]) -> Figure | None:
    """The first figure of this unit and name; None if there is none."""
    for figure in figures:
        if figure is not None and (figure.unit, figure.name) == key:
            return figure
    return None


def _label(run: PastRun, runs: Sequence[PastRun]) -> str:
    """The date of a run, or its name if all runs are of one day."""
    # Dates that are all equal would say nothing.
    return date_text(run) if date_text(runs[0]) != date_text(runs[-1]) else run.name


def _marks(trend: Trend) -> Iterator[Mark]:
    if trend.baseline is not None and trend.baseline.rate is not None:
        rate = trend.baseline.rate
        yield Mark("baseline", value=rate.lower, low=rate.low, high=rate.high, series=_MAIN)
    # Runs are numbered from 1 for readers.
    for point in trend.falls:
        yield Mark("fell", x=point.run + 1, series=_MAIN)


def points(history: History) -> Table:
    """All points: the CSV of the trends has the same rows."""
    rows = []
    for trend in history.trends:
        rows += [_row(trend, point, history.runs[point.run]) for point in trend.points]
    return Table(
        title="all runs",
        thing="point",
        columns=(
            Column("run", "name"),
            Column("date", "text"),
            Column("dated by", "text", optional=True),
            Column("suite", "name"),
            Column("model", "name"),
            Column("samples", "count"),
            Column("passed", "count"),
            Column("errors", "count"),
            Column(_MAIN, "rate"),
            *(measure.column for measure in measures()),
            Column("not compared", "text", optional=True),
            Column("fell against", "text", optional=True),
            Column("p", "p", optional=True),
        ),
        rows=tuple(rows),
        level="verbose",
    )


def _row(trend: Trend, point: TrendPoint, run: PastRun) -> Row:
    counts = (None, None) if point.rate is None else (point.rate.total, point.rate.passed)
    fell = (None, None) if point.fell is None else (point.fell.reference, point.fell.p)
    when = run.name, run.started.isoformat(timespec="seconds"), run.dated_by
    cells: tuple[Cell, ...] = (
        *when,
        trend.suite,
        trend.model,
        *counts,
        point.errors,
        _rate(point),
        *_measured(point),
        point.doubt or None,
        *fell,
    )
    return Row(cells)


def _remarks(history: History) -> Iterator[Sentence | str]:
    """How the history was dated and tested; which points are in doubt; which files were left out."""
    yield history.dates
    yield history.method
    all_points = (point for trend in history.trends for point in trend.points)
    # Each reason once: many points may share it.
    doubts = sorted({point.doubt for point in all_points if point.doubt})
    if doubts:
        yield Sentence("runs with a star are not compared: {doubts}", {"doubts": ", ".join(doubts)})
    yield from history.notes
