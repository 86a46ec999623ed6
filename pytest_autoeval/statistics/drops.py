"""The verdict on a drop: failed, passed or inconclusive."""

from __future__ import annotations

from typing import Literal

Decision = Literal["passed", "failed", "inconclusive"]


def judge_drop(
    low: float, adjusted_p: float | None, *, drop: float, alpha: float, detectable: float | None
) -> Decision:
    """Whether a figure fell by the drop asked about, or whether the data cannot decide.

    ``drop`` lies above 0; ``low`` is the lower end of the interval of the change; ``adjusted_p`` the one-sided p-value,
    corrected for all comparisons that are judged together; ``detectable`` the smallest drop that so many formulas show
    with 80 % power at the corrected level.

    *Failed*: the figure is significantly lower, and the interval of the change does not exclude such a drop.
    *Passed*: the interval excludes it; or the figure is not significantly lower, and such a drop would have been found.
    *Inconclusive*: neither.
    """
    if adjusted_p is None:
        return "inconclusive"
    excluded = -low < drop
    if adjusted_p < alpha:
        return "passed" if excluded else "failed"
    return "passed" if excluded or (detectable is not None and detectable <= drop) else "inconclusive"
