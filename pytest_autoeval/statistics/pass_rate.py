"""The pass rate, and the intervals of rates."""

from __future__ import annotations

from math import copysign, inf, sqrt
from statistics import NormalDist
from typing import Any

from msgspec import Struct

from pytest_autoeval.statistics.exact_bounds import clopper_pearson

#: Halvings of the interval -1...1, after which floating point gains nothing.
_STEPS = 60


class Interval(Struct, frozen=True):
    """The values from ``low`` to ``high``, both included."""

    low: float
    high: float


class PassRate(Struct, frozen=True):
    """A pass rate: ``passed`` and ``undecided`` of ``total`` samples; the others failed.

    An undecided sample may have passed or failed, so the rate has two bounds. ``design_effect`` is the number of
    samples that show as much as one independent sample: above 1 if formulas are repeated. Raises :class:`ValueError`
    for counts that do not add up and a design effect below 1.
    """

    passed: int
    undecided: int
    total: int
    design_effect: float = 1.0

    def __post_init__(self) -> None:
        decided_otherwise = self.total - self.passed - self.undecided
        if min(self.passed, self.undecided, decided_otherwise) < 0:
            undecided = f" and {self.undecided} undecided" if self.undecided else ""
            counts = f"{self.passed} passed{undecided} of {self.total}"
            raise ValueError(f"the counts do not add up: {counts}")
        # Not `design_effect < 1`, which a NaN would pass.
        if not self.design_effect >= 1.0:
            raise ValueError(f"a design effect is at least 1: {self}")

    @property
    def lower(self) -> float:
        """The rate if every undecided sample failed; 0 without samples. Gates use this bound."""
        return self.passed / self.total if self.total else 0.0

    @property
    def upper(self) -> float:
        """The rate if every undecided sample passed; 1 without samples."""
        return (self.passed + self.undecided) / self.total if self.total else 1.0

    def interval(self, confidence: float = 0.95) -> Interval:
        """The exact interval: from the lower end for the lower bound to the upper end for the upper bound.

        Dependent samples count with their effective number.
        """
        passed = self.passed / self.design_effect
        possible = (self.passed + self.undecided) / self.design_effect
        total = self.total / self.design_effect
        low, _ = clopper_pearson(passed, total, confidence)
        _, high = clopper_pearson(possible, total, confidence)
        return Interval(low, high)


def score_interval(won: float, lost: float, total: float, confidence: float = 0.95) -> Interval:
    """Tango's score interval of (``won`` − ``lost``) / ``total``, for ``total`` pairs of which the others are tied.

    It holds the differences that a score test does not reject, so it has a width even if no pair changed. Counts may be
    fractions. Without pairs it is −1…1. Raises :class:`ValueError` for counts or a confidence out of range.

    Source: T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design", Statistics in Medicine 17 (1998), 891-908.
    """
    if min(won, lost) < 0 or won + lost > total * (1 + 1e-9):
        raise ValueError(f"the counts do not add up: {won} won and {lost} lost of {total}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    if not total:
        return Interval(-1.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)

    # The score falls as the difference grows, and is 0 at the observed one: each bound is found by halving.
    def bound(outside: float) -> float:
        inside = (won - lost) / total
        for _ in range(_STEPS):
            middle = (outside + inside) / 2
            if abs(_deviate(middle, won, lost, total)) <= z:
                inside = middle
            else:
                outside = middle
        return inside

    return Interval(bound(-1.0), bound(1.0))


def _deviate(difference: float, won: float, lost: float, total: float) -> float:
    """The score statistic for a true difference: by how many standard deviations the observed one exceeds it."""
    excess, variance = excess_and_variance(difference, won, lost, total)
    if variance > 0:
        return float(excess / sqrt(variance))
    # Without variance any excess is impossible.
    return copysign(inf, excess) if excess else 0.0


def excess_and_variance(difference: Any, won: Any, lost: Any, total: Any) -> tuple[Any, Any]:
    """By how much ``won`` − ``lost`` exceeds a true difference, and the variance under it. Also of arrays."""
    # The maximum-likelihood share of lost pairs, given the difference: the larger root of the quadratic equation
    # 2 · total · share² + linear · share + constant = 0, whose discriminant is below 0 by rounding only.
    linear = (2 * total - won + lost) * difference - won - lost
    constant = -lost * difference * (1 - difference)
    discriminant = abs(linear * linear - 8 * total * constant)
    root = discriminant**0.5
    share = (root - linear) / (4 * total)
    variance = total * (2 * share + difference * (1 - difference))
    excess = won - lost - total * difference
    return excess, variance


def excludes_drop(drop: float, won: Any, lost: Any, pairs: Any, z: float) -> Any:
    """Whether the score interval of each run, ``z`` deviations wide, excludes a drop. Of arrays."""
    import numpy as np

    excess, variance = excess_and_variance(-drop, won, lost, pairs)
    # By rounding, the variance may be below 0.
    deviation = np.sqrt(np.maximum(variance, 0.0))
    # Without any deviation, an excess of 0 excludes nothing.
    return (excess > 0) & (excess > z * deviation)
