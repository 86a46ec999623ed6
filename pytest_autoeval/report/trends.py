"""The trends of a history as Markdown, CSV, lines for a terminal, and data for the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from pytest_autoeval.record.names import named
from pytest_autoeval.report.history import History, Trend, TrendPoint, date_text, fall_text
from pytest_autoeval.report.horizons import horizon_data, horizon_text
from pytest_autoeval.report.renderers.markdown_text import code, prose, table_row
from pytest_autoeval.report.summary_json import some_of
from pytest_autoeval.text import Line, count, csv_cell, one_line, percent, shorten_apart, width, wrapped

_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = "12345678"
#: Runs of a sparkline; of more, the last ones are shown.
_MOST_BARS = 40
_GAP = "·"
#: Columns of a terminal for the name, and for the rate with the margins; bars that are always shown.
_NAME, _RATE, _FEWEST_BARS = 20, 28, 10
_COLUMNS = (
    *("run", "date", "dated_by", "suite", "model", "samples", "passed", "errors", "rate", "rate_upper", "low", "high"),
    *("horizon_50", "horizon_50_low", "horizon_50_high", "horizon_50_bound", "not_compared", "fell_against", "p"),
)


def sparkline(trend: Trend, runs: range, least: float, bars: str = _BARS) -> str:
    """A bar for each of some runs, from ``least`` to 100 %; a dot for a run without the suite."""
    rates = {point.run: point.rate.lower for point in trend.points if point.rate is not None}
    steps = (len(bars) - 1) / (1 - least)
    return "".join(bars[round((rates[run] - least) * steps)] if run in rates else _GAP for run in runs)


def last_runs(history: History, most: int = _MOST_BARS) -> range:
    """The numbers of the last runs, at most ``most``."""
    return range(max(0, len(history.runs) - most), len(history.runs))


def least_rate(history: History) -> float:
    """Where the scale of all sparklines begins: the lowest rate, rounded down to ten percent, at most 90 %."""
    rates = [point.rate.lower for trend in history.trends for point in trend.points if point.rate is not None]
    return min(9, int(10 * min(rates, default=0))) / 10


def heading(history: History) -> str:
    """The extent of the history: ``10 runs, 2026-01-01 to 2026-01-10``."""
    first, last = date_text(history.runs[0]), date_text(history.runs[-1])
    return f"{count(len(history.runs), 'run')}, {first if first == last else f'{first} to {last}'}"


def scale_text(history: History, shown: range) -> str:
    """What the bars of the sparklines mean."""
    runs = f"the last {len(shown)} runs" if len(history.runs) > len(shown) else "each run"
    return f"bars: pass rates of {runs}, {100 * least_rate(history):g} to 100 %"


def rate_of(point: TrendPoint) -> str:
    """The pass rate with its interval, ``62.0 % (50.1–72.6)``, with the doubt about it."""
    if point.rate is None:
        return "–"
    rate = point.rate
    bounds = percent(rate.lower) if rate.lower == rate.upper else f"{percent(rate.lower)}–{percent(rate.upper)}"
    return f"{bounds} % ({percent(rate.low)}–{percent(rate.high)}){'*' if point.doubt else ''}"


def trend_lines(history: History, columns: int, *, unicode: bool = True) -> Iterator[Line]:
    """The trends for a terminal of so many columns; without ``unicode``, digits stand for the bars."""
    yield Line("")
    yield Line(f"trends over {heading(history)}", "title")
    shown = last_runs(history, min(_MOST_BARS, max(_FEWEST_BARS, columns - _NAME - _RATE)))
    least, names = least_rate(history), [one_line(named(one.suite, one.model)) for one in history.trends]
    room = max(_NAME, min(max(map(width, names), default=0), columns - len(shown) - _RATE))
    for trend, name in zip(history.trends, shorten_apart(names, room), strict=True):
        spark = sparkline(trend, shown, least, _BARS if unicode else _ASCII_BARS)
        yield Line(f"  {name}{' ' * (room - width(name))}  {spark}  {rate_of(trend.points[-1])}")
        for point in trend.falls:
            yield from wrapped(f"fell on {fall_text(point, history.runs)}", columns, 4, "bad")
    for note in (scale_text(history, shown), *remarks(history)):
        yield from wrapped(note, columns, 2, "dim")


def remarks(history: History) -> Iterator[str]:
    """How the history was dated and tested; which points are in doubt; which files were left out."""
    yield str(history.dates)
    yield str(history.method)
    doubts = {point.doubt for trend in history.trends for point in trend.points if point.doubt}
    if doubts:
        yield f"runs with * are not compared: {', '.join(sorted(doubts))}"
    yield from history.notes


def trends_markdown(history: History) -> str:
    """A table with a sparkline for each suite and model, and the falls."""
    rows = ["suite", "model", "runs", "trend", "first", "last (95 %)", "horizon 50 % (95 %)"]
    least, shown = least_rate(history), last_runs(history)
    lines = [f"### Trends over {prose(heading(history))}", "", table_row(rows), table_row(["---"] * len(rows))]
    for trend in history.trends:
        first, last = trend.points[0], trend.points[-1]
        horizon = "–" if last.horizon is None else horizon_text(last.horizon)
        spark = sparkline(trend, shown, least)
        rates = ["–" if first.rate is None else f"{percent(first.rate.lower)} %", rate_of(last)]
        cells = [code(trend.suite), code(trend.model), f"{len(trend.points)}", f"`{spark}`", *rates, horizon]
        lines.append(table_row(cells))
    falls = [
        f"- {code(named(trend.suite, trend.model))} fell on {prose(fall_text(point, history.runs))}"
        for trend in history.trends
        for point in trend.falls
    ]
    notes = [f"- {prose(note)}" for note in (scale_text(history, shown), *remarks(history))]
    return "\n".join([*lines, *(["", *falls] if falls else []), "", *notes]) + "\n"


def trends_csv(history: History) -> str:
    """A line for each point. Rates and p-values are fractions, and so are the ends of the 95 % intervals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for trend in history.trends:
        for point in trend.points:
            run, rate, horizon = history.runs[point.run], point.rate, point.horizon
            rates = ("", "") if rate is None else (rate.total, rate.passed)
            ends = [""] * 4 if rate is None else [f"{end:.6f}" for end in rate[:4]]
            sizes = {} if horizon is None else horizon_data(horizon)
            horizons = [*(_number(sizes.get(name)) for name in ("value", "low", "high")), sizes.get("bound", "")]
            fell = ("", "") if point.fell is None else (point.fell.reference, f"{point.fell.p:.6g}")
            names = map(csv_cell, (trend.suite, trend.model))
            when = csv_cell(run.name), run.started.isoformat(timespec="seconds"), run.dated_by
            writer.writerow((*when, *names, *rates, point.errors, *ends, *horizons, point.doubt, *fell))
    return text.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def trends_data(history: History) -> dict[str, Any]:
    """The history as plain basic types, for the page and the summary in JSON."""
    return {
        "runs": [
            {"name": run.name, "date": date_text(run), "started": run.started.isoformat(timespec="seconds")}
            for run in history.runs
        ],
        "trends": [
            {
                **some_of(trend, "suite", "model", "unit"),
                "points": [_point_data(point, history) for point in trend.points],
                "baseline": None if trend.baseline is None else _point_data(trend.baseline, history),
            }
            for trend in history.trends
        ],
        "notes": list(remarks(history)),
    }


def _point_data(point: TrendPoint, history: History) -> dict[str, Any]:
    horizon = point.horizon
    return {
        **some_of(point, "run", "errors", "doubt"),
        "rate": None if point.rate is None else point.rate._asdict(),
        "horizon": None
        if horizon is None
        else horizon_data(horizon) | {"least": horizon.least, "largest": horizon.largest},
        "fell": "" if point.fell is None else fall_text(point, history.runs),
    }
