"""What a paired comparison says of the drop that was asked about."""

from __future__ import annotations

from typing import Literal

from pytest_autoeval.statistics.paired import PairedTest

Decision = Literal["passed", "failed", "inconclusive"]


def judge_drop(
    test: PairedTest, adjusted_p: float | None, *, drop: float, alpha: float, detectable: float | None
) -> Decision:
    """Whether the pass rate fell by as much as was asked about, or whether the pairs cannot decide.

    ``drop`` is a rate above 0; ``adjusted_p`` the test's p-value, corrected for all comparisons that are judged
    together; ``detectable`` the smallest drop that so many pairs find with 80 % power at the corrected level.

    *Failed*: the rate is significantly lower, and the interval of the difference does not exclude such a drop.
    *Passed*: the interval excludes it; or the rate is not significantly lower, and such a drop would have been found.
    *Inconclusive*: neither.
    """
    if adjusted_p is None:
        return "inconclusive"
    excluded = -test.interval.low < drop
    if adjusted_p < alpha:
        return "passed" if excluded else "failed"
    return "passed" if excluded or (detectable is not None and detectable <= drop) else "inconclusive"
