"""The confidence interval of a difference between paired proportions."""

from __future__ import annotations

from math import copysign, inf, sqrt
from statistics import NormalDist

from pytest_autoeval.statistics.pass_rate import Interval

#: Halvings of the interval -1...1, past which floating point gains nothing.
_STEPS = 60


def score_interval(won: float, lost: float, total: float, confidence: float = 0.95) -> Interval:
    """Tango's score interval of (``won`` − ``lost``) / ``total``, for ``total`` pairs of which the others are tied.

    It holds the differences that a score test does not reject, and so excludes something even where no pair changed.
    Counts may be fractions, as in Wilson's interval, its counterpart for a single proportion. Of no pair nothing is
    known: −1…1. Raises :class:`ValueError` for counts that do not add up and a confidence out of range.

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
    """The score statistic against a true difference: how many standard deviations the seen one lies above it."""
    # The likeliest share of lost pairs, given the difference: the larger root of a quadratic equation.
    linear = (2 * total - won + lost) * difference - won - lost
    constant = -lost * difference * (1 - difference)
    share = (sqrt(max(0.0, linear * linear - 8 * total * constant)) - linear) / (4 * total)
    variance = total * (2 * share + difference * (1 - difference))
    excess = won - lost - total * difference
    return excess / sqrt(variance) if variance > 0 else copysign(inf, excess) if excess else 0.0
