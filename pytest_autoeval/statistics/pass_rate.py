"""The pass rate of samples of which some were left undecided."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.statistics.intervals import Interval, wilson


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
