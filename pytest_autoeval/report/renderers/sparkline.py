"""A curve as a row of bars, for screens that have text alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pytest_autoeval.record.figures import Figure, figure_text
from pytest_autoeval.report.blocks import Curve, Point, Series

#: From low to high, in Unicode and in ASCII. The last one is for the highest value alone.
_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = "0123456789*"
#: Stands for places without a value.
_GAP = "·"


def drawn_series(curve: Curve) -> list[Series]:
    """The lines with points. Of one that was not measured, the smooth curve is drawn."""
    lines = [
        series if series.points else replace(series, points=series.fitted)
        for series in curve.series
    ]
    return [series for series in lines if series.points]


def scale(curve: Curve) -> tuple[float, float]:
    """The values of the lowest and the highest bar.

    A single line of rates begins at 0. Several lines, such as those of many runs, would then look alike: they begin at
    the lowest rate, rounded down to ten percent.
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
    return min(9, int(10 * min(values, default=0.0))) / 10, 1.0


def sparkline(series: Series, ends: tuple[float, float], most: int, *, unicode: bool = True) -> str:
    """A bar for each place, or for several if there are more than ``most``; only the highest value has a full bar."""
    bars = _BARS if unicode else _ASCII_BARS
    places_in_all = len(series.points)
    number = min(places_in_all, most)
    # Each bar stands for nearly the same number of places.
    starts = [step * places_in_all // max(1, number) for step in range(number + 1)]
    drawn = ""
    for start, end in pairwise(starts):
        value = _mean(series.points[start:end])
        drawn += _GAP if value is None else bars[_level(value, ends, len(bars))]
    return drawn


def places(series: Series) -> tuple[str, str]:
    """The names of the first and the last place."""
    names = [point.label or f"{point.x:.4g}" for point in (series.points[0], series.points[-1])]
    return names[0], names[1]


def last_value(series: Series, curve: Curve) -> str:
    """The last value of a line, with its interval."""
    end = series.points[-1]
    return figure_text(Figure(series.name, end.value, curve.unit, low=end.low, high=end.high))


def scale_text(curve: Curve) -> str:
    """What the bars mean, if they do not begin at 0 % and end at 100 %."""
    ends = scale(curve)
    if curve.unit == "rate" and ends == (0.0, 1.0):
        return ""
    low, high = (figure_text(Figure("", end, curve.unit)) for end in ends)
    return f"bars: {low} to {high}"


def _mean(points: Sequence[Point]) -> float | None:
    """The mean of some values, each counted as often as it has samples."""
    weighted = [(point.value, point.n or 1) for point in points if point.value is not None]
    total = sum(weight for _, weight in weighted)
    if not total:
        return None
    return sum(value * weight for value, weight in weighted) / total


def _level(value: float, ends: tuple[float, float], number: int) -> int:
    low, high = ends
    if high <= low:
        return number - 1
    # Sums of floating-point numbers must not decide a level: 0.7 of 10 bars is the seventh.
    level = int((value - low) / (high - low) * (number - 1) + 1e-9)
    full = value >= high
    return number - 1 if full else max(0, min(level, number - 2))
