"""The rules of a run, and the gate of a suite: its verdict on the pass rate, with the reason."""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec import Struct

from pytest_autoeval.judging.gate_verdicts import STANDS, GateVerdict
from pytest_autoeval.judging.rules import Rule
from pytest_autoeval.judging.stopped_sentences import (
    certainty_text,
    errors_text,
    look_text,
    sequential_text,
    stopped_text,
)
from pytest_autoeval.record.figure_sentences import (
    confidence,
    decimals_below,
    given_rate,
    joined,
    number,
    sentence,
)
from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.statistics.drops import Decision
from pytest_autoeval.statistics.look_levels import certain_decision
from pytest_autoeval.statistics.pass_rate import PassRate
from pytest_autoeval.statistics.power import samples_to_decide

#: Below this number of samples, a pass and a failure mean little, and the report says so. The exact interval of 10 of
#: 20 passed samples reaches 23 points to each side.
FEW_SAMPLES = 20
#: The error of the intervals by which a suite is judged: both sides of all its intervals together.
INTERVAL_ERROR = 0.05

#: The note about a run that names no model.
NO_MODEL = "no model was named: this run tests the built-in offline model"


class Extent(Struct, frozen=True, kw_only=True):
    """How much of a suite ran.

    ``planned`` is the number of planned samples, or None if unknown. ``interrupted``: not all ran, and no verdict can
    be based on them. ``spent`` is the limit of calls or cost that ended the suite, as a sentence, or empty. ``nothing``
    is why there is no sample, as a sentence, or empty: that fails the suite. ``part`` is the part of the suite that
    ran, such as ``2/5``, or empty; ``planned`` then refers to the part. ``missing`` names the parts of an interrupted
    suite that are missing, such as ``part 2/5 is missing``, or is empty.
    """

    planned: int | None = None
    interrupted: bool = False
    spent: str = ""
    nothing: str = ""
    stopped_early: Stopped | None = None
    part: str = ""
    missing: str = ""

    @property
    def due(self) -> int | None:
        """How many samples a whole suite has: those that were planned, or those after which it stopped early."""
        return self.planned if self.stopped_early is None else self.stopped_early.ran

    def incomplete(self, samples: int) -> bool:
        """Whether this number of samples is not the one that was due."""
        return self.interrupted or self.due not in (None, samples)


class Gate(Extent, frozen=True, kw_only=True):
    """The counts of one suite, how much of it ran, and its threshold.

    ``number`` is that of the suite. ``samples`` ran; ``passed``, ``undecided`` and ``errors`` are among them, and
    ``unverified`` are among the errors.
    ``threshold`` is a rate from 0 to 1, or None. ``equal`` paraphrases ran too, and do not count. ``doubled`` is the
    number of results whose sample has another result. ``design_effect`` is how much repeats of one formula, which are
    not independent, widen the interval.
    ``ungated`` is why a suite of an older release is shown without a gate, or empty.
    ``default_model``: the run named no model, so that the suite asked the offline one. A suite whose limit of calls or
    cost was ``spent`` is inconclusive, and a ``part`` of a suite is not judged. ``confidence`` is that of the interval
    by which the gate judges, and ``look`` the planned look whose share of the error it has, from 1; 0 if the suite is
    judged once.

    The rule ``point`` uses the lower bound of the pass rate: an undecided sample counts as not passed. The rule
    ``interval`` uses the exact interval, which undecided samples widen: the gate passes if its lower end meets the
    threshold, fails if its upper end does not, and is inconclusive otherwise. If a suite stopped early, the rule
    ``point`` decides only what the other samples cannot change. A suite that an older release stopped early has the
    decision of its sequential test. A sample that ended in an error does not count, but a suite with errors cannot
    pass, nor one that ran in part or with a sample twice. Without a threshold the gate reports and passes. With a
    threshold, a suite without samples cannot pass.
    """

    kind: ClassVar[Literal["threshold"]] = "threshold"

    number: int = 0
    suite: str
    model: str
    samples: int
    passed: int
    undecided: int = 0
    errors: int = 0
    unverified: int = 0
    threshold: float | None = None
    equal: int = 0
    doubled: int = 0
    rule: Rule = "point"
    design_effect: float = 1.0
    default_model: bool = False
    ungated: str = ""
    confidence: float = 1.0 - INTERVAL_ERROR
    look: int = 0

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)

    @property
    def rate(self) -> PassRate:
        """The pass rate of the samples without error."""
        return PassRate(self.passed, self.undecided, self.samples - self.errors, self.design_effect)

    @property
    def verdict(self) -> GateVerdict:
        """The gate's verdict. A part of a suite has none, unless the part was enough to decide."""
        # The samples that did not run may be those that fail, so that no rate is judged.
        if self.interrupted:
            return "inconclusive" if self.spent and not self.errors else "interrupted"
        # Neither passed nor failed: a server that fails on hard questions must not raise the rate.
        if self.errors or self.nothing:
            return "failed"
        if self.threshold is None or self.part or self.ungated:
            return "reported"
        return self._judged(self.threshold)

    def _judged(self, threshold: float) -> Decision:
        meets = bool(self.samples) and self.rate.lower >= threshold
        stopped = self.stopped_early
        # Without a look it was the sequential test of an older release that stopped the suite.
        if stopped is not None and not stopped.look:
            if stopped.verdict == "failed":
                return "failed"
            # Samples that were still running may contradict a pass.
            return "passed" if meets else "inconclusive"
        # Points have no error that looks could share: only what is certain ends a suite.
        if stopped is not None and self.rule == "point":
            return certain_decision(self.passed, self.rate.total, stopped.left, threshold)
        if self.rule == "point" or not self.samples:
            return "passed" if meets else "failed"
        # Only this rule needs the interval.
        _, low, high = self.judged_by
        if low >= threshold:
            return "passed"
        return "failed" if high < threshold else "inconclusive"

    @property
    def judged_by(self) -> tuple[float, float, float]:
        """The rate that is judged, and the ends of the interval that decides."""
        return self._with_interval(self.confidence)

    @property
    def shown(self) -> tuple[float, float, float]:
        """The rate, and the ends of its 95 % interval, as tables show them."""
        return self._with_interval(0.95)

    def _with_interval(self, confidence: float) -> tuple[float, float, float]:
        # It is exact. With Wilson's, a model exactly at a threshold of 95 to 99 % would fail in 6 to 16 % of runs of 30
        # to 100 samples, and not in 2.5 % (docs/reference/statistics-methods.md, "The threshold gate").
        interval = self.rate.interval(confidence)
        return self.rate.lower, interval.low, interval.high

    @property
    def passes(self) -> bool:
        """Whether the suite stands."""
        return self.verdict in STANDS

    @property
    def reason(self) -> str:
        """The explanation as plain text."""
        return str(self.explanation)

    @property
    def explanation(self) -> Sentence:
        """One sentence: the measurement and the decision."""
        return joined([self._sentence(self._measured), self.few_samples])

    @property
    def few_samples(self) -> Sentence | None:
        """How little a pass or a failure of few samples means; None if there are enough, or no verdict on the rate."""
        decided = (
            self.threshold is not None and not self.errors and self.verdict in {"passed", "failed"}
        )
        total, interval = self.rate.total, self.rate.interval()
        # Repeats that agree show no more than one sample of each formula.
        if not decided or not 0 < total / self.design_effect < FEW_SAMPLES:
            return None
        text = "only {samples}" if total < FEW_SAMPLES else "{samples}"
        if self.design_effect > 1.0:
            text += " of few formulas"
        if self.verdict == "passed":
            text += ": the true rate may be as low as {rate}"
            true_rate = interval.low
        else:
            text += ": the true rate may be as high as {rate}"
            true_rate = interval.high
        return sentence(
            text, samples=number(total, "sample"), rate=Figure("true rate", true_rate, "rate")
        )

    @property
    def decision(self) -> Sentence:
        """The sentence without rate and interval, for a place beside them; with the counts."""
        if self.errors or self.interrupted:
            return self._sentence(None)
        # The interval beside it is one of 95 %. Another one that decides must be seen too.
        if self.rule == "interval" and self.confidence != 1.0 - INTERVAL_ERROR:
            text = "pass rate ({counts}; {confidence} interval {interval})"
            measured = sentence(
                text,
                counts=self._counts,
                confidence=confidence(self.confidence),
                interval=self._interval,
            )
            return self._sentence(measured)
        return self._sentence(sentence("pass rate ({counts})", counts=self._counts))

    @property
    def is_close(self) -> bool:
        """Whether the rate alone decides, and the interval has the threshold in it: with luck, it were otherwise."""
        # With 45 samples and a threshold of 90 %, a model of 95 % fails in 7 % of runs, and one of 85 % passes in 17 %.
        if self.threshold is None or self.rule != "point" or not self.rate.total:
            return False
        # Errors and looks decide in their own way, and not by the rate.
        if self.errors or self.stopped_early is not None:
            return False
        if self.verdict not in {"passed", "failed"}:
            return False
        _, low, high = self.judged_by
        # No interval lies above 100 %: a suite that must pass whole is never clear of its threshold.
        return self.threshold < 1.0 and low < self.threshold <= high

    @property
    def _counts(self) -> Sentence:
        rate = self.rate
        text = "{passed} of {answered}"
        values: dict[str, Value] = {
            "passed": number(rate.passed, name="passed"),
            "answered": number(rate.total, name="answered"),
        }
        if self.undecided:
            text += ", {undecided} undecided"
            values["undecided"] = number(self.undecided, name="undecided")
        return Sentence(text, values)

    def _sentence(self, measured: Sentence | None) -> Sentence:
        threshold = None
        if self.threshold is not None:
            threshold = sentence(
                "the threshold {threshold}", threshold=given_rate("threshold", self.threshold)
            )
        if self.errors or self.interrupted or self.part or not self.samples or measured is None:
            return self._obstacle(threshold, measured)
        decided = self._decided(threshold, measured)
        if self.stopped_early is None:
            return decided
        return sentence(
            "{stopped}: {decided}", stopped=stopped_text(self.stopped_early), decided=decided
        )

    def _decided(self, threshold: Sentence | None, measured: Sentence) -> Sentence:
        if self.threshold is None or threshold is None or self.ungated:
            return sentence(
                "{measured}; {why}",
                measured=measured,
                why=self.ungated or Sentence("no threshold was given"),
            )
        stopped, verdict = self.stopped_early, self._judged(self.threshold)
        if stopped is not None and not stopped.look:
            return sequential_text(stopped, verdict, threshold, measured)
        if self.rule == "point":
            if stopped is not None:
                return certainty_text(stopped, verdict, threshold, measured)
            decided_as = "meets {threshold}"
            if verdict == "failed":
                decided_as = "is below {threshold}"
            # Few samples say it in their own way.
            close = (
                ", which the interval contains" if self.is_close and not self.few_samples else ""
            )
            if verdict == "failed" and self.rate.upper >= self.threshold:
                close += ": undecided samples count as not passed"
            text = f"{{measured}} {decided_as}{close}"
            return sentence(text, measured=measured, threshold=threshold)
        text = {
            "passed": "{measured}: the whole interval meets {threshold}",
            "failed": "{measured}: the whole interval is below {threshold}",
            "inconclusive": "{measured}: {threshold} lies within the interval",
        }[verdict]
        decided = sentence(text, measured=measured, threshold=threshold)
        if self.look:
            decided = sentence(
                "{decided}, {at_look}", decided=decided, at_look=look_text(self.look)
            )
        return joined(
            [
                decided,
                self._what_would_decide(self.threshold) if verdict == "inconclusive" else None,
            ]
        )

    def _obstacle(self, threshold: Sentence | None, measured: Sentence | None) -> Sentence:
        cannot = "" if threshold is None else ", so that the suite cannot pass"
        if self.errors:
            return self._ended_in_errors(cannot, measured)
        if self.interrupted:
            return self._interruption(cannot, measured)
        if self.part and not self.nothing:
            text = "part {part}: {samples}; `report` judges all parts together"
            return sentence(text, part=self.part, samples=number(self.samples, "sample"))
        problem = sentence("{why}", why=self.nothing) if self.nothing else Sentence("no sample ran")
        if threshold is None:
            return problem
        return sentence("{problem}; {threshold} is not met", problem=problem, threshold=threshold)

    def _ended_in_errors(self, cannot: str, measured: Sentence | None) -> Sentence:
        errors = errors_text(self.errors, self.unverified, self.samples)
        problem = sentence(f"{{errors}}{cannot}", errors=errors)
        if not self.rate.total:
            return (
                problem
                if self.unverified
                else sentence("no sample was answered: {problem}", problem=problem)
            )
        if measured is None:
            return problem
        return sentence("{problem}; {measured} of the others", problem=problem, measured=measured)

    def _interruption(self, cannot: str, measured: Sentence | None) -> Sentence:
        # The sentence about an option of the budget begins with its name.
        if self.spent:
            used_up = "budget used up: " if self.spent.startswith("--") else ""
            progress = self.progress if self.samples else Sentence("no sample ended")
            return sentence(
                f"{used_up}{{progress}}; {{limit}}", progress=progress, limit=self.spent
            )
        why = (
            sentence("{missing}", missing=self.missing) if self.missing else Sentence("interrupted")
        )
        stopped = sentence(f"{{why}}: {{progress}}{cannot}", why=why, progress=self.progress)
        if not self.samples or measured is None:
            return stopped
        return sentence("{stopped}; so far the {measured}", stopped=stopped, measured=measured)

    @property
    def ran(self) -> int:
        """How many different samples ran, also those that do not count."""
        return self.samples + self.equal - self.doubled

    @property
    def progress(self) -> Sentence:
        """How many samples ran: ``12 of 40 samples ran``."""
        if not self.rate.total:
            return Sentence("no sample was answered")
        twice = ", {doubled} of them twice" if self.doubled else ""
        doubled = number(self.doubled, name="run twice")
        if self.planned is None:
            return sentence(
                f"{{ran}} ran{twice}", ran=number(self.ran, "sample", name="ran"), doubled=doubled
            )
        planned = number(self.planned, "sample", name="planned")
        ran = number(self.ran, name="ran")
        return sentence(
            f"{{ran}} of {{planned}} ran{twice}", ran=ran, planned=planned, doubled=doubled
        )

    @property
    def needed(self) -> int | None:
        """How many samples would decide the rule ``interval`` if the rates stay as they are; None if none would."""
        rate = self.rate
        if self.threshold is None or not rate.total:
            return None
        # Between the bounds, undecided samples keep it open, however many samples there are.
        if rate.lower <= self.threshold <= rate.upper:
            return None
        nearest = rate.lower if rate.lower > self.threshold else rate.upper
        return samples_to_decide(
            nearest, self.threshold, confidence=self.confidence, design_effect=self.design_effect
        )

    def _what_would_decide(self, threshold: float) -> Sentence:
        if self.needed is not None:
            needed = number(self.needed, "sample", name="samples needed")
            return sentence("about {needed} would decide at this rate", needed=needed)
        if self.rate.lower < threshold <= self.rate.upper:
            return Sentence("the undecided samples leave it open; more samples would not decide")
        return Sentence("more samples would not decide at this rate")

    @property
    def _measured(self) -> Sentence:
        rate, threshold = self.rate, self.threshold
        judged, _, _ = self.judged_by
        # A value just below the threshold must not be rounded to it.
        rate_decimals = 1
        if threshold is not None and judged < threshold and rate.lower == rate.upper:
            rate_decimals = decimals_below(judged, threshold)
        return sentence(
            "pass rate {rate} ({counts}; {confidence} interval {interval})",
            rate=Figure(
                "pass rate",
                rate.lower,
                "rate",
                upper=rate.upper,
                n=rate.total,
                decimals=rate_decimals,
            ),
            counts=self._counts,
            confidence=confidence(self.confidence),
            interval=self._interval,
        )

    @property
    def _interval(self) -> Figure:
        """The interval that decides. An end just below the threshold is not rounded to it."""
        _, low, high = self.judged_by
        decimals = 1
        if self.threshold is not None and self.rule == "interval":
            ends_below = [end for end in (low, high) if end < self.threshold]
            decimals = max((decimals_below(end, self.threshold) for end in ends_below), default=1)
        return Figure(
            "interval",
            None,
            "rate",
            low=low,
            high=high,
            confidence=self.confidence,
            n=self.rate.total,
            decimals=decimals,
        )
