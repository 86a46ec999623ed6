"""A curve as a row of bars, for outputs of plain text: the terminal and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pytest_autoeval.record.figures import Figure, figure_text
from pytest_autoeval.report.blocks import Curve, Point, Series

#: From low to high, in Unicode and in ASCII. The last one is for the top of the scale alone.
_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = "0123456789*"
#: Stands for points without a value.
_GAP = "·"


def drawn_series(curve: Curve) -> list[Series]:
    """The series with points. A series without measured points is drawn as its fitted curve."""
    drawn = [
        series if series.points else replace(series, points=series.fitted)
        for series in curve.series
    ]
    return [series for series in drawn if series.points]


def scale(curve: Curve) -> tuple[float, float]:
    """The values of the lowest and the highest bar.

    The bars of a single series of rates begin at 0. Several series, such as those of many runs, would then look alike:
    their bars begin at the lowest rate, rounded down to ten percent.
    """
    values = [
        point.value
        for series in drawn_series(curve)
        for point in series.points
        if point.value is not None
    ]
    if curve.unit != "rate":
        return min(values, default=0.0), max(values, default=0.0)
    if len(curve.series) < 2:
        return 0.0, 1.0
    # At most 90 %: if all rates are 100 %, the scale still has a length.
    lowest_tenth = min(9, int(10 * min(values, default=0.0)))
    return lowest_tenth / 10, 1.0


def sparkline(series: Series, ends: tuple[float, float], most: int, *, unicode: bool = True) -> str:
    """A bar for each point, or for several points if there are more than ``most``.

    ``ends`` are the values of the lowest and the highest bar.
    """
    bars = _BARS if unicode else _ASCII_BARS
    points_in_all = len(series.points)
    number = min(points_in_all, most)
    # Each bar stands for nearly the same number of points.
    starts = [step * points_in_all // max(1, number) for step in range(number + 1)]
    drawn = ""
    for start, end in pairwise(starts):
        value = _mean(series.points[start:end])
        drawn += _GAP if value is None else bars[_level(value, ends, len(bars))]
    return drawn


def places(series: Series) -> tuple[str, str]:
    """The names of the first and the last point."""
    return _place(series.points[0]), _place(series.points[-1])


def _place(point: Point) -> str:
    return point.label or f"{point.x:.4g}"


def last_value(series: Series, curve: Curve) -> str:
    """The last value of a series, with its interval."""
    last = series.points[-1]
    return figure_text(Figure(series.name, last.value, curve.unit, low=last.low, high=last.high))


def scale_text(curve: Curve) -> str:
    """Which values the lowest and the highest bar have; empty if these are 0 % and 100 %."""
    ends = scale(curve)
    if curve.unit == "rate" and ends == (0.0, 1.0):
        return ""
    low, high = (figure_text(Figure("", end, curve.unit)) for end in ends)
    return f"bars: {low} to {high}"


def _mean(points: Sequence[Point]) -> float | None:
    """The mean of the values, each weighted by its number of samples; None if no point has a value."""
    weighted = [(point.value, point.n or 1) for point in points if point.value is not None]
    total = sum(weight for _, weight in weighted)
    if not total:
        return None
    return sum(value * weight for value, weight in weighted) / total


def _level(value: float, ends: tuple[float, float], number: int) -> int:
    """Which of ``number`` bars stands for a value, from 0. Only a value at the top of the scale has the last bar."""
    low, high = ends
    last = number - 1
    # Values that are all equal stand at the top of their scale.
    if high <= low or value >= high:
        return last
    # Rounding errors must not decide a level: (0.6 - 0.2) / (1 - 0.2) * 10 is 5, and computes to a little less.
    level = int((value - low) / (high - low) * last + 1e-9)
    return max(0, min(level, last - 1))
