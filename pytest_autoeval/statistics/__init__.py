"""Statistics of pass rates. This room imports no other."""

from __future__ import annotations

from pytest_autoeval.statistics.intervals import Interval, wilson
from pytest_autoeval.statistics.pass_rate import PassRate

__all__ = ["Interval", "PassRate", "wilson"]
