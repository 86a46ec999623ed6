"""The verdict on a drop: failed, excluded, not found, or inconclusive."""

from __future__ import annotations

from typing import Literal

Decision = Literal["passed", "failed", "inconclusive", "no significant drop"]


def confidence_of(alpha: float) -> float:
    """The confidence of the two-sided interval whose lower end excludes a drop at the one-sided level ``alpha``.

    At least 0.95: no drop is excluded that lies within the 95 % interval of the reports.
    """
    return max(0.95, 1.0 - 2.0 * alpha)


def judge_drop(
    low: float, adjusted_p: float | None, *, drop: float, alpha: float, detectable: float | None
) -> Decision:
    """Whether a figure fell by ``drop``, or whether the data cannot decide.

    ``drop`` is above 0. ``low`` is the lower end of the interval of the change, with the confidence that
    :func:`confidence_of` gives for the corrected level. ``adjusted_p`` is the one-sided p-value, corrected for all
    comparisons that are judged together. ``detectable`` is the smallest drop that so many formulas show with 80 % power
    at the corrected level.

    *Failed*: the figure is significantly lower, and the interval of the change does not exclude such a drop. *Passed*:
    the interval excludes it. *No significant drop*: the figure is not significantly lower, and such a drop would have
    been found with 80 % power. *Inconclusive*: none of these.
    """
    if adjusted_p is None:
        return "inconclusive"
    excluded = -low < drop
    if adjusted_p < alpha:
        return "passed" if excluded else "failed"
    if excluded:
        return "passed"
    return "no significant drop" if detectable is not None and detectable <= drop else "inconclusive"
