"""The gate of a suite: does its pass rate stand, and why."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.reporting.numbers import bounds_text, count, percent, percent_below, threshold_text
from pytest_autoeval.statistics import PassRate


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The counts of one suite and model against its threshold.

    ``samples`` ran, and among them are ``passed``, ``undecided`` and ``errors``; ``threshold`` is a rate from 0 to 1,
    or None where none was given; ``interrupted`` tells that not all samples ran, ``planned`` how many were to run.

    The gate uses the lower bound of the pass rate: an undecided sample counts as not passed. A sample that ended in an
    error counts for nothing, but a suite with errors cannot pass. Without a threshold and without errors the
    gate reports and passes. With a threshold, nothing or a part that ran cannot pass.
    """

    suite: str
    model: str
    samples: int
    passed: int
    undecided: int = 0
    errors: int = 0
    threshold: float | None = None
    interrupted: bool = False
    planned: int | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as pytest names an item."""
        return f"{self.suite}[{self.model}]"

    @property
    def rate(self) -> PassRate:
        """The pass rate of the samples that ended in no error."""
        return PassRate(self.passed, self.undecided, self.samples - self.errors)

    @property
    def passes(self) -> bool:
        """Whether the suite stands."""
        if self.errors:
            return False
        if self.threshold is None:
            return True
        return not self.interrupted and self.samples > 0 and self.rate.lower >= self.threshold

    @property
    def reason(self) -> str:
        """One sentence: what was measured, and what decided."""
        if self.errors:
            problem = (
                f"{self.errors} of {count(self.samples, 'sample')} ended in an error, so that the gate cannot pass"
            )
            return f"{problem}; {self._measured} of the others" if self.rate.total else problem
        if self.interrupted:
            cannot = ", so that the gate cannot pass" if self.threshold is not None else ""
            so_far = f"; so far the {self._measured}" if self.samples else ""
            return f"interrupted: {self.progress}{cannot}{so_far}"
        if not self.samples:
            wanted = (
                "" if self.threshold is None else f", so that the threshold {threshold_text(self.threshold)} is not met"
            )
            return f"no sample ran{wanted}"
        if self.threshold is None:
            return f"{self._measured}; no threshold was given"
        if self.passes:
            return f"{self._measured} meets the threshold {threshold_text(self.threshold)}"
        doubt = ": undecided samples count as not passed" if self.rate.upper >= self.threshold else ""
        return f"{self._measured} is below the threshold {threshold_text(self.threshold)}{doubt}"

    @property
    def progress(self) -> str:
        """How many samples ran, and of how many where that is known: ``12 of 40 samples ran``."""
        ran = (
            count(self.samples, "sample")
            if self.planned is None
            else f"{self.samples} of {count(self.planned, 'sample')}"
        )
        return f"{ran} ran"

    @property
    def _measured(self) -> str:
        rate, interval = self.rate, self.rate.interval()
        shown = bounds_text(rate)
        if self.threshold is not None and rate.lower == rate.upper < self.threshold:
            shown = percent_below(rate.lower, self.threshold)
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        interval_text = f"{percent(interval.low)}–{percent(interval.high)} %"
        return f"pass rate {shown} % ({rate.passed} of {rate.total}{undecided}; 95 % interval {interval_text})"
