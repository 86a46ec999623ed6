"""What is asked of a run, and the gate of a suite: does its pass rate stand, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from pytest_autoeval.reporting.judging.adaptive import AdaptiveResult, FittedRate
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.text import Style, bounds_text, count, percent, percent_below, rate_text, threshold_text
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.power import samples_to_decide

GateVerdict = Literal["passed", "no significant drop", "failed", "inconclusive", "reported", "interrupted"]
#: How a threshold is read: against the pass rate, or against its 95 % interval.
Rule = Literal["point", "interval"]

#: The verdicts, the worst first.
WORST_FIRST: tuple[GateVerdict, ...] = (
    *("failed", "interrupted", "inconclusive", "no significant drop", "passed", "reported"),
)
#: The verdicts with which a suite stands.
STANDS: frozenset[GateVerdict] = frozenset({"passed", "no significant drop", "reported"})
#: Each verdict as a sign, and the style of what it stands before.
MARKS: Mapping[GateVerdict, tuple[str, Style]] = {
    "passed": ("✓", "good"),
    "no significant drop": ("~", "good"),
    "failed": ("✗", "bad"),
    "inconclusive": ("?", "warn"),
    "reported": ("·", "plain"),
    "interrupted": ("!", "warn"),
}


#: What is said of a run that names no model.
NO_MODEL = "no model was named: this run tests the built-in offline model"


def worst(verdicts: Iterable[GateVerdict]) -> GateVerdict:
    """The worst of some verdicts; ``reported`` where there is none."""
    return min(verdicts, key=WORST_FIRST.index, default="reported")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is asked of a run.

    ``threshold`` is the pass rate, from 0 to 1, of suites that name none; ``gate`` how it is read; ``drop`` the drop
    against the baseline, from 0 to 1, that fails a suite (without one the comparison is reported, not judged);
    ``horizon`` the part of the baseline's horizon whose loss fails a suite, likewise; ``alpha`` the level of every
    test.
    """

    threshold: float | None = None
    gate: Rule = "point"
    alpha: float = 0.05
    drop: float | None = None
    horizon: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedEarly:
    """A suite that ended because a sequential test had decided its gate.

    ``ran`` of ``planned`` samples ran; ``verdict`` is what the test decided by the rule ``gate`` at error rate
    ``alpha``; ``saved`` says what was not spent, as in ``120 calls``.
    """

    verdict: Literal["passed", "failed"]
    ran: int
    planned: int
    gate: Rule = "point"
    alpha: float = 0.05
    saved: str = ""

    @property
    def text(self) -> str:
        """How far the suite went: ``stopped early after 40 of 100 samples, which saved 120 calls``."""
        saved = f", which saved {self.saved}" if self.saved else ""
        return f"stopped early after {self.ran:,} of {count(self.planned, 'sample')}{saved}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much of a suite and model ran.

    ``planned`` samples were to run, None where that is not known; ``interrupted``: not all did, for a reason that no
    verdict can rest on. ``spent`` is the limit of calls or cost that ended the suite, in a sentence, or empty.
    ``nothing`` is why there is no sample to run, likewise: that fails it. ``part`` is the part of the suite that was to
    run, as ``2/5``, or empty; ``planned`` is then of the part.
    """

    planned: int | None = None
    interrupted: bool = False
    spent: str = ""
    nothing: str = ""
    stopped_early: StoppedEarly | None = None
    part: str = ""

    def incomplete(self, samples: int) -> bool:
        """Whether so many samples are not what was to run, nor the part of it that a sequential test asked for."""
        due = self.planned if self.stopped_early is None else self.stopped_early.ran
        return self.interrupted or due not in (None, samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The counts of one suite and model against its threshold.

    ``samples`` ran, and among them are ``passed``, ``undecided`` and ``errors``; ``threshold`` is a rate from 0 to 1,
    or None where none was given; ``interrupted``: not all samples ran, ``planned`` how many were to run; ``spent``: the
    limit of calls or cost that ended the suite, if one did, which leaves it inconclusive; ``nothing``: why there is no
    sample to run, which fails it. ``doubled`` is how many
    results are of a sample that has another one. ``design_effect`` is by how much repeats of one formula, which are not
    independent, widen the interval. ``default_model``: the run named no model. ``part`` is the part of the suite that
    ran, as ``2/5``, or empty: a part reports, whatever its threshold.

    The rule ``point`` uses the lower bound of the pass rate: an undecided sample counts as not passed. The rule
    ``interval`` uses the 95 % interval, which undecided samples widen: the gate passes when its lower end meets the
    threshold, fails when its upper end does not, and is inconclusive otherwise. A suite that was stopped early is
    judged by what its sequential test decided, an ``adaptive`` one by its fitted rate and the interval of that; where
    nothing could be fitted it is inconclusive. A sample that ended in an error counts for nothing, but a suite with
    errors cannot pass, nor one of which a part ran or a sample counts twice. Without a threshold the gate reports, and
    passes. With a threshold, a suite of which no sample ran cannot pass.
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
    spent: str = ""
    nothing: str = ""
    planned: int | None = None
    doubled: int = 0
    rule: Rule = "point"
    design_effect: float = 1.0
    stopped_early: StoppedEarly | None = None
    adaptive: AdaptiveResult | None = None
    default_model: bool = False
    part: str = ""

    @property
    def name(self) -> str:
        """The suite with its model, as headings show it."""
        return named(self.suite, self.model)

    @property
    def rate(self) -> PassRate:
        """The pass rate of the samples that ended in no error."""
        return PassRate(self.passed, self.undecided, self.samples - self.errors, self.design_effect)

    @property
    def fitted(self) -> FittedRate | None:
        """The pass rate of an adaptive suite; None of any other, and where nothing could be fitted."""
        return None if self.adaptive is None else self.adaptive.fitted

    @property
    def verdict(self) -> GateVerdict:
        """What the gate says. Of a part that ran it says nothing, unless the part was enough to decide."""
        if self.interrupted:
            return "inconclusive" if self.spent and not self.errors else "interrupted"
        if self.errors or self.nothing:
            return "failed"
        return "reported" if self.threshold is None or self.part else self._judged(self.threshold)

    def _judged(self, threshold: float) -> GateVerdict:
        rate, low, high = self.judged_by
        meets = bool(self.samples) and rate >= threshold
        if self.stopped_early is not None:
            # No pass that the samples which were still on their way speak against.
            return "failed" if self.stopped_early.verdict == "failed" else "passed" if meets else "inconclusive"
        if self.adaptive is not None and self.fitted is None:
            return "inconclusive"
        if self.rule == "point" or not self.samples:
            return "passed" if meets else "failed"
        if low >= threshold:
            return "passed"
        return "failed" if high < threshold else "inconclusive"

    @property
    def judged_by(self) -> tuple[float, float, float]:
        """The rate that is judged, and the ends of its 95 % interval."""
        if self.fitted is not None:
            return self.fitted.rate, self.fitted.low, self.fitted.high
        interval = self.rate.interval()
        return self.rate.lower, interval.low, interval.high

    @property
    def rate_text(self) -> str:
        """The rate with its 95 % interval, as tables show it; a dash where nothing is known."""
        if self.adaptive is not None:
            return "–" if self.fitted is None else f"{self.fitted.text} fitted"
        return rate_text(self.rate) if self.rate.total else "–"

    @property
    def passes(self) -> bool:
        """Whether the suite stands."""
        return self.verdict in STANDS

    @property
    def reason(self) -> str:
        """One sentence: what was measured, and what decided."""
        threshold = "" if self.threshold is None else f"the threshold {threshold_text(self.threshold)}"
        unfitted = self.adaptive is not None and self.fitted is None
        if self.errors or self.interrupted or self.part or unfitted or not self.samples:
            return self._obstacle(threshold)
        if self.threshold is None:
            return f"{self._measured}; no threshold was given"
        if self.stopped_early is not None:
            says = {"passed": "met", "failed": "not met"}.get(
                self.verdict, "met before the last samples ended, but not with them"
            )
            test = f"sequential test, error rate {percent(self.stopped_early.alpha, 0)} %"
            return f"{self.stopped_early.text}: {threshold} is {says} ({test}); {self._measured}"
        if self.verdict == "inconclusive":
            return f"{self._measured}: {threshold} lies within the interval; {self._what_would_decide(self.threshold)}"
        whole = ": the whole interval" if self.rule == "interval" else ""
        if self.verdict == "passed":
            return f"{self._measured}{whole} meets {threshold}"
        doubtful = self.rule == "point" and self.adaptive is None and self.rate.upper >= self.threshold
        doubt = ": undecided samples count as not passed" if doubtful else ""
        return f"{self._measured}{whole} is below {threshold}{doubt}"

    def _obstacle(self, threshold: str) -> str:
        """Why there is nothing to judge, or nobody here to judge it."""
        cannot = ", so that the gate cannot pass" if threshold else ""
        if self.errors:
            problem = f"{self.errors} of {count(self.samples, 'sample')} ended in an error{cannot}"
            if not self.rate.total:
                return f"no sample was answered: {problem}"
            return f"{problem}; {self._measured} of the others"
        if self.interrupted:
            if self.spent:
                return f"budget used up: {self.progress if self.samples else 'no sample ended'}; {self.spent}"
            so_far = f"; so far the {self._measured}" if self.samples else ""
            return f"interrupted: {self.progress}{cannot}{so_far}"
        if self.part and not self.nothing:
            return f"part {self.part}: {count(self.samples, 'sample')}; `report` judges all parts together"
        problem, result = self.nothing or "no sample ran", "is not met"
        if self.samples:
            problem, result = "too few samples for the fitted pass rate of an adaptive run", "cannot be judged"
        return problem + (f", so that {threshold} {result}" if threshold else "")

    @property
    def progress(self) -> str:
        """How many samples ran, and of how many where that is known: ``12 of 40 samples ran``."""
        ran = self.samples - self.doubled
        of = count(ran, "sample") if self.planned is None else f"{ran} of {count(self.planned, 'sample')}"
        twice = f", {self.doubled} of them twice" if self.doubled else ""
        return f"{of} ran{twice}" if self.rate.total else "no sample was answered"

    @property
    def needed(self) -> int | None:
        """How many samples would decide the rule ``interval`` if the rates stay as they are; None where none would."""
        rate = self.rate
        if self.adaptive is not None:
            return None
        # Between the bounds it is the undecided samples that leave it open, however many there are.
        if self.threshold is None or not rate.total or rate.lower <= self.threshold <= rate.upper:
            return None
        nearest = rate.lower if rate.lower > self.threshold else rate.upper
        return samples_to_decide(nearest, self.threshold, design_effect=self.design_effect)

    def _what_would_decide(self, threshold: float) -> str:
        if self.adaptive is not None:
            return "a smaller --autoeval-precision narrows it"
        if self.needed is not None:
            return f"about {count(self.needed, 'sample')} would decide at this rate"
        if self.rate.lower < threshold <= self.rate.upper:
            return "the undecided samples leave it open; more samples would not decide"
        return "more samples would not decide at this rate"

    @property
    def _measured(self) -> str:
        rate, threshold = self.rate, self.threshold
        judged, *interval = self.judged_by
        shown = percent(judged) if self.fitted else bounds_text(rate)
        if threshold is not None and judged < threshold and (self.fitted or rate.lower == rate.upper):
            shown = percent_below(judged, threshold)
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        # An end that is below the threshold by a hair must not read as if it met it.
        least = threshold if threshold is not None and self.rule == "interval" else 0.0
        ends = "–".join(percent_below(end, least) if end < least else percent(end) for end in interval)
        if self.fitted:
            chosen = f"{count(self.samples, 'sample')} of chosen sizes{undecided}"
            return f"fitted pass rate {shown} % over the sizes of the suite ({chosen}; 95 % interval {ends} %)"
        return f"pass rate {shown} % ({rate.passed} of {rate.total}{undecided}; 95 % interval {ends} %)"
