"""The pass rate, and the intervals of rates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Interval:
    """The values from ``low`` to ``high``, both included."""

    low: float
    high: float


def wilson(successes: float, total: float, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a proportion.

    ``successes`` lies in 0…``total``; ``confidence`` strictly between 0 and 1. Counts may be fractions: those of
    dependent observations, brought down to their effective number. Of no observation (``total`` 0) nothing is known:
    0…1. Raises :class:`ValueError` for counts or a confidence out of range.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927), 209-212; without continuity correction.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"successes must lie in 0…total: {successes} of {total}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    if total == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    rate, weight = successes / total, z * z / total
    centre = (rate + weight / 2.0) / (1.0 + weight)
    reach = sqrt(rate * (1.0 - rate) * weight + weight * weight / 4.0) / (1.0 + weight)
    # At the ends the bound is the rate itself; floating point misses it by a hair.
    low = 0.0 if successes == 0 else max(0.0, centre - reach)
    high = 1.0 if successes == total else min(1.0, centre + reach)
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class PassRate:
    """``passed`` and ``undecided`` of ``total`` samples; what is neither failed.

    An undecided sample might have passed or failed, so the rate is known only between two bounds. ``design_effect`` is
    how many samples show as much as one independent sample would: more than 1 where formulas are repeated.
    Raises :class:`ValueError` for counts that do not add up and a design effect below 1.
    """

    passed: int
    undecided: int
    total: int
    design_effect: float = 1.0

    def __post_init__(self) -> None:
        if min(self.passed, self.undecided) < 0 or self.passed + self.undecided > self.total:
            raise ValueError(f"the counts do not add up: {self}")
        if not self.design_effect >= 1.0:
            raise ValueError(f"a design effect is at least 1: {self}")

    @property
    def lower(self) -> float:
        """The rate if every undecided sample had failed; 0 where there is none at all. Gates use this bound."""
        return self.passed / self.total if self.total else 0.0

    @property
    def upper(self) -> float:
        """The rate if every undecided sample had passed; 1 where there is none at all."""
        return (self.passed + self.undecided) / self.total if self.total else 1.0

    def interval(self, confidence: float = 0.95) -> Interval:
        """From the lower end of the lower bound's Wilson interval to the upper end of the upper bound's.

        Of dependent samples Wilson's interval is taken at their effective number.
        """
        passed, possible, total = (
            count / self.design_effect for count in (self.passed, self.passed + self.undecided, self.total)
        )
        return Interval(wilson(passed, total, confidence).low, wilson(possible, total, confidence).high)
