"""Shares and means, which may be of nothing."""

from __future__ import annotations

from collections.abc import Sequence


def ratio(numerator: int, denominator: int) -> float | None:
    """The first number divided by the second; None if the second is 0."""
    return numerator / denominator if denominator else None


def mean(values: Sequence[float]) -> float | None:
    """The mean of some values; None without values."""
    return sum(values) / len(values) if values else None
