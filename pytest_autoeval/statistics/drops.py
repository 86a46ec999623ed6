"""The verdict on a drop: failed, excluded, or inconclusive."""

from __future__ import annotations

from typing import Literal

Decision = Literal["passed", "failed", "inconclusive"]


def confidence_of(alpha: float) -> float:
    """The confidence of the two-sided interval whose lower end excludes a drop at the one-sided level ``alpha``.

    It is at least 0.95, the confidence of all other intervals in the reports.
    """
    return max(0.95, 1.0 - 2.0 * alpha)


def judge_drop(low: float, adjusted_p: float | None, *, drop: float, alpha: float) -> Decision:
    """Whether a figure fell by ``drop``, or whether the data cannot decide.

    ``drop`` is above 0. ``low`` is the lower end of the interval of the change, with the confidence that
    :func:`confidence_of` gives for the corrected level. ``adjusted_p`` is the one-sided p-value, corrected for all
    comparisons that are judged together.

    *Passed*: the interval excludes such a drop. *Failed*: it does not, and the figure is significantly lower.
    *Inconclusive*: neither. That a drop was not found is no reason to pass, even with enough formulas to find it in
    80 % of runs: if the figure fell by exactly ``drop``, more than ``alpha`` of runs would pass.
    """
    if adjusted_p is None:
        return "inconclusive"
    if -low < drop:
        return "passed"
    return "failed" if adjusted_p < alpha else "inconclusive"
