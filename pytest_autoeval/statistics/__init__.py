"""Statistics of pass rates. This room imports no other."""

from __future__ import annotations

from pytest_autoeval.statistics.pass_rate import Interval, PassRate

__all__ = ["Interval", "PassRate"]
