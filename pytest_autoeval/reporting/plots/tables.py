"""What the figures show, as numbers: for each suite and measure, how each model fares at each value."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from pytest_autoeval.reporting.items import grouped
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.suite_summary import SizeSummary, suite_summaries

#: As many values are shown each by itself; where there are more, they are put into about so many ranges.
_MOST_NUMBERS, _NUMBER_RANGES = 30, 20
#: And of a measure that is no count, whose values lie anywhere.
_MOST_FRACTIONS = 12
_PLACES = {"size": 0, "operators": 1, "depth": 2}
_COLUMNS = (
    *("suite", "model", "measure", "value", "value_to"),
    *("samples", "passed", "undecided", "rate", "low", "high", "compliant"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The samples whose measure lies from ``value`` to ``value_to``: both are the same where it is not a range.

    Of a range of whole numbers both ends are in it; of one of others the upper end is not, but for the last.
    """

    value: float
    value_to: float
    part: SizeSummary

    @property
    def middle(self) -> float:
        """Where the point is drawn."""
        return (self.value + self.value_to) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A model's points, in order of their values."""

    model: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One suite and one measure, such as ``depth``: a curve for each model. ``ranges``: its values are put together."""

    suite: str
    measure: str
    curves: tuple[Curve, ...]
    ranges: bool


def tables(rows: Iterable[Row]) -> list[Table]:
    """A table for each suite and each measure that varies in it, in order of their names, the sizes first.

    The size that a sample was drawn at stands among the measures as ``size`` where it is none of them. Samples that
    ended in an error are in no point.
    """
    suites = grouped(rows, lambda row: row.suite)
    return [table for suite in sorted(suites) for table in _of_suite(suite, suites[suite])]


def csv_text(drawn: Iterable[Table]) -> str:
    """The tables as CSV, a line a point; rates are fractions.

    ``rate`` counts undecided samples as not passed, ``low`` and ``high`` are the ends of its 95 % interval;
    ``compliant`` is the share of answers in the asked syntax, empty where no formula was asked for.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for table in drawn:
        for curve in table.curves:
            for point in curve.points:
                part, rate, interval = point.part, point.part.rate, point.part.rate.interval()
                value = (f"{point.value:.10g}", f"{point.value_to:.10g}", rate.total, rate.passed, rate.undecided)
                rates = (f"{number:.6f}" for number in (rate.lower, interval.low, interval.high))
                compliant = f"{part.compliant / part.answers:.6f}" if part.answers else ""
                writer.writerow((table.suite, curve.model, table.measure, *value, *rates, compliant))
    return text.getvalue()


def _of_suite(suite: str, rows: Sequence[Row]) -> Iterator[Table]:
    having: dict[str, list[tuple[float, Row]]] = defaultdict(list)
    sized = suite_summaries(rows)[0].size_name == "size"
    for row in rows:
        measures = {**row.measures, "size": row.operators} if sized else row.measures
        for name, value in measures.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                having[name].append((value, row))
    for name in sorted(having, key=lambda name: (_PLACES.get(name, len(_PLACES)), name)):
        if len({value for value, _ in having[name]}) > 1:
            yield _table(suite, name, having[name])


def _table(suite: str, measure: str, having: Sequence[tuple[float, Row]]) -> Table:
    ranges = _ranges(sorted({value for value, _ in having}))
    models: dict[str, dict[tuple[float, float], list[Row]]] = defaultdict(lambda: defaultdict(list))
    for value, row in having:
        models[row.model][_range_of(value, ranges)].append(row)
    curves = []
    for model in sorted(models):
        parts = ((bounds, SizeSummary.of(rows)) for bounds, rows in sorted(models[model].items()))
        points = (Point(value=low, value_to=high, part=part) for (low, high), part in parts if part.rate.total)
        curves.append(Curve(model=model, points=tuple(points)))
    return Table(suite=suite, measure=measure, curves=tuple(curves), ranges=any(low != high for low, high in ranges))


def _ranges(values: Sequence[float]) -> list[tuple[float, float]]:
    """The values each by itself, or ranges of equal width that cover them all."""
    low, high = values[0], values[-1]
    counts = all(value == int(value) for value in values)
    if len(values) <= (_MOST_NUMBERS if counts else _MOST_FRACTIONS):
        return [(value, value) for value in values]
    if counts:
        step = math.ceil((high - low + 1) / _NUMBER_RANGES)
        return [(start, start + step - 1) for start in range(int(low), int(high) + 1, step)]
    ends = [low + number * (high - low) / _MOST_FRACTIONS for number in range(_MOST_FRACTIONS)]
    return list(pairwise([*ends, high]))


def _range_of(value: float, ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return next(bounds for bounds in reversed(ranges) if bounds[0] <= value)


_LONGEST = 60


def file_names(tables: Sequence[Table]) -> list[str]:
    """A name without ending for each table, `SUITE.MEASURE`; no two are the same, letter case apart."""
    names = {table.suite: _safe(table.suite.rpartition("/")[2].replace(".py::", "-")) for table in tables}
    taken = Counter(name.lower() for name in names.values())
    for suite, name in names.items():
        if taken[name.lower()] > 1:  # two folders may have a file of one name
            names[suite] = f"{name}-{_digest(suite)}"
    return [f"{names[table.suite]}.{_safe(table.measure)}" for table in tables]


def _safe(text: str) -> str:
    """The text in letters, digits, `_` and `-`; where that lost more than it shows, with a digest."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")
    if plain and len(plain) <= _LONGEST and text.isascii() and text.isprintable():
        return plain
    return f"{plain[:_LONGEST].strip('-')}-{_digest(text)}".lstrip("-")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
