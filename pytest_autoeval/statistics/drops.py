"""Whether a figure fell, and whether a drop is excluded."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pytest_autoeval.statistics.paired import PairedTest

Decision = Literal["passed", "failed", "inconclusive"]


def confidence_of(alpha: float) -> float:
    """The confidence of the two-sided interval whose lower end excludes a drop at the one-sided level ``alpha``.

    It is at least 0.95, the confidence of all other intervals in the reports.
    """
    return max(0.95, 1.0 - 2.0 * alpha)


class BoundedTest(Struct, frozen=True):
    """The test of a figure before and after, where some values are missing: at worst, and at best.

    Without missing values both are the same test. ``worst`` takes those after as lost and those before as kept, and
    ``best`` the other way round. So a figure fell only if it fell at best, and a drop is excluded only if it is
    excluded at worst: missing values decide nothing.
    """

    worst: PairedTest
    best: PairedTest

    @property
    def p_value(self) -> float | None:
        """The one-sided p-value of a fall, at best; None without pairs."""
        return self.best.p_value

    def fell(self, level: float) -> bool:
        """Whether the figure is significantly lower, at the one-sided ``level``."""
        return self.p_value is not None and self.p_value < level

    def excludes(self, drop: float) -> bool:
        """Whether the interval excludes a drop of ``drop``, from 0 to 1. Its confidence is that of the tests."""
        return self.worst.p_value is not None and -self.worst.interval.low < drop

    def decision(self, drop: float, level: float) -> Decision:
        """*Failed*: the figure fell. *Passed*: it did not, and the drop is excluded. *Inconclusive*: neither.

        That a drop was not found is no reason to pass, even with enough formulas to find it in 80 % of runs: if the
        figure fell by exactly ``drop``, too many runs would pass.
        """
        if self.fell(level):
            return "failed"
        return "passed" if self.excludes(drop) else "inconclusive"
