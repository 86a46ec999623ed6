"""Figures that several sections have: pass rates, horizons, means and their deviations."""

from __future__ import annotations

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.horizons import horizon_name
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.horizon import Horizon


def rate_figure(rate: PassRate, name: str = "pass rate") -> Figure:
    """A pass rate with its 95 % interval, and both bounds if samples are undecided; without a value if none counts."""
    if not rate.total:
        return Figure(name, None, "rate", n=0)
    interval = rate.interval()
    upper = None if rate.upper == rate.lower else rate.upper
    return Figure(name, rate.lower, "rate", low=interval.low, high=interval.high, upper=upper, n=rate.total)


def horizon_figure(horizon: Horizon, measure: str, formulas: int | None = None) -> Figure:
    """A horizon with its 95 % interval, or the side on which it lies, or that it is not known."""
    name = horizon_name(horizon)
    if not horizon.known:
        return Figure(name, None, "size", n=formulas, measure=measure, bound="not known")
    value = horizon.value
    if value is None:
        value = horizon.largest if horizon.bound == "above" else horizon.least
    return Figure(
        name,
        value,
        "size",
        low=horizon.low,
        high=horizon.high,
        n=formulas,
        measure=measure,
        bound=horizon.bound if horizon.value is None else "",
    )
