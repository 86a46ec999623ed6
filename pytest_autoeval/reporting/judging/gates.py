"""The gate of a suite: does its pass rate stand, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pytest_autoeval.reporting.judging.extent import Rule, StoppedEarly
from pytest_autoeval.reporting.judging.verdict import GateVerdict
from pytest_autoeval.reporting.text import bounds_text, count, percent, percent_below, threshold_text
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.power import samples_to_decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The counts of one suite and model against its threshold.

    ``samples`` ran, and among them are ``passed``, ``undecided`` and ``errors``; ``threshold`` is a rate from 0 to 1,
    or None where none was given; ``interrupted``: not all samples ran, ``planned`` how many were to run.
    ``design_effect`` is by how much repeats of one formula, which are not independent, widen the interval.

    The rule ``point`` uses the lower bound of the pass rate: an undecided sample counts as not passed. The rule
    ``interval`` uses the 95 % interval, which undecided samples widen: the gate passes when its lower end meets the
    threshold, fails when its upper end does not, and is inconclusive otherwise. A suite that was stopped early is
    judged by what its sequential test decided. A sample that ended in an error counts for nothing, but a suite with
    errors cannot pass. Without a threshold and without errors the gate reports and passes. With a threshold, nothing
    or a part that ran cannot pass.
    """

    kind: ClassVar[Literal["threshold"]] = "threshold"

    suite: str
    model: str
    samples: int
    passed: int
    undecided: int = 0
    errors: int = 0
    threshold: float | None = None
    interrupted: bool = False
    planned: int | None = None
    rule: Rule = "point"
    design_effect: float = 1.0
    stopped_early: StoppedEarly | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as headings show it."""
        return f"{self.suite}[{self.model}]"

    @property
    def rate(self) -> PassRate:
        """The pass rate of the samples that ended in no error."""
        return PassRate(self.passed, self.undecided, self.samples - self.errors, self.design_effect)

    @property
    def verdict(self) -> GateVerdict:
        """What the gate says. Of a part that ran it says nothing, unless the part was enough to decide."""
        if self.interrupted:
            return "interrupted"
        if self.errors:
            return "failed"
        if self.threshold is None:
            return "reported"
        if self.stopped_early is not None:
            return self._decided(self.threshold, self.stopped_early)
        return self._by_interval(self.threshold) if self.rule == "interval" else self._by_point(self.threshold)

    @property
    def passes(self) -> bool:
        """Whether the suite stands."""
        if self.verdict == "interrupted":
            return self.threshold is None and not self.errors
        return self.verdict in ("passed", "reported")

    @property
    def inconclusive(self) -> bool:
        """Whether the samples decide neither way."""
        return self.verdict == "inconclusive"

    @property
    def reason(self) -> str:
        """One sentence: what was measured, and what decided."""
        if self.errors or self.interrupted or not self.samples:
            return self._obstacle
        if self.threshold is None:
            return f"{self._measured}; no threshold was given"
        if self.stopped_early is not None:
            return self._why_decided(self.threshold, self.stopped_early)
        return (self._why_interval if self.rule == "interval" else self._why_point)(self.threshold)

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
    def needed(self) -> int | None:
        """How many samples would decide the rule ``interval`` if the rates stay as they are; None where none would."""
        if self.threshold is None or not self.rate.total:
            return None
        rate = self.rate
        nearest = rate.lower if rate.lower > self.threshold else rate.upper
        # Between the bounds it is the undecided samples that leave it open, however many there are.
        if rate.lower <= self.threshold <= rate.upper:
            return None
        return samples_to_decide(nearest, self.threshold, design_effect=self.design_effect)

    @property
    def _obstacle(self) -> str:
        """Why there is nothing to judge."""
        if self.errors:
            problem = (
                f"{self.errors} of {count(self.samples, 'sample')} ended in an error, so that the gate cannot pass"
            )
            return f"{problem}; {self._measured} of the others" if self.rate.total else problem
        if self.interrupted:
            cannot = ", so that the gate cannot pass" if self.threshold is not None else ""
            so_far = f"; so far the {self._measured}" if self.samples else ""
            return f"interrupted: {self.progress}{cannot}{so_far}"
        unmet = "" if self.threshold is None else f", so that the threshold {threshold_text(self.threshold)} is not met"
        return f"no sample ran{unmet}"

    def _by_point(self, threshold: float) -> GateVerdict:
        return "passed" if self.samples and self.rate.lower >= threshold else "failed"

    def _by_interval(self, threshold: float) -> GateVerdict:
        if not self.samples:
            return "failed"
        interval = self.rate.interval()
        if interval.low >= threshold:
            return "passed"
        return "failed" if interval.high < threshold else "inconclusive"

    def _decided(self, threshold: float, stopped: StoppedEarly) -> GateVerdict:
        """The decided verdict, but no pass that the samples which were still on their way speak against."""
        if stopped.verdict == "failed":
            return "failed"
        return "passed" if self._by_point(threshold) == "passed" else "inconclusive"

    def _why_point(self, threshold: float) -> str:
        if self.passes:
            return f"{self._measured} meets the threshold {threshold_text(threshold)}"
        doubt = ": undecided samples count as not passed" if self.rate.upper >= threshold else ""
        return f"{self._measured} is below the threshold {threshold_text(threshold)}{doubt}"

    def _why_decided(self, threshold: float, stopped: StoppedEarly) -> str:
        end = f"stopped early after {stopped.ran:,} of {count(stopped.planned, 'sample')}"
        saved = f", which saved {stopped.saved}" if stopped.saved else ""
        meets = {
            "passed": f"the threshold {threshold_text(threshold)} is met",
            "failed": f"the threshold {threshold_text(threshold)} is not met",
            "inconclusive": (
                f"a sequential test took the threshold {threshold_text(threshold)} for met, and the samples that were "
                "still on their way spoke against it"
            ),
        }[self.verdict]
        sure = "" if self.inconclusive else f" (sequential test, error rate {percent(stopped.alpha, 0)} %)"
        return f"{end}{saved}: {meets}{sure}; {self._measured}"

    def _why_interval(self, threshold: float) -> str:
        if self.verdict == "passed":
            return f"{self._measured}: the whole interval meets the threshold {threshold_text(threshold)}"
        if self.verdict == "failed":
            return f"{self._measured}: the whole interval is below the threshold {threshold_text(threshold)}"
        undecided = self.rate.lower < threshold <= self.rate.upper and self.undecided
        if self.needed is not None:
            then = f"about {count(self.needed, 'sample')} would decide at this rate"
        elif undecided:
            then = "the undecided samples alone leave it open, so that more samples would not decide"
        else:
            then = "no number of samples would decide at this rate"
        return f"{self._measured}: the threshold {threshold_text(threshold)} lies within the interval; {then}"

    @property
    def _measured(self) -> str:
        rate, interval = self.rate, self.rate.interval()
        shown = bounds_text(rate)
        if self.threshold is not None and rate.lower == rate.upper < self.threshold:
            shown = percent_below(rate.lower, self.threshold)
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        ends = (interval.low, interval.high)
        if self.rule == "interval" and self.threshold is not None:
            # An end that is below the threshold by a hair must not read as if it met it.
            texts = [percent_below(end, self.threshold) if end < self.threshold else percent(end) for end in ends]
        else:
            texts = [percent(end) for end in ends]
        interval_text = f"{'–'.join(texts)} %"
        return f"pass rate {shown} % ({rate.passed} of {rate.total}{undecided}; 95 % interval {interval_text})"
