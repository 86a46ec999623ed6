"""Figures that several sections have."""

from __future__ import annotations

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.statistics.pass_rate import PassRate


def rate_figure(rate: PassRate, name: str = "pass rate") -> Figure:
    """A pass rate with its 95 % interval, and both bounds if samples are undecided; without a value if none counts."""
    if not rate.total:
        return Figure(name, None, "rate", n=0)
    interval = rate.interval()
    upper = None if rate.upper == rate.lower else rate.upper
    return Figure(
        name, rate.lower, "rate", low=interval.low, high=interval.high, upper=upper, n=rate.total
    )
