"""The sentence about a whole run against a baseline: is the model worse, over all suites together?"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.judging.baseline import BaselineGate, decided_by_p, not_reached
from pytest_autoeval.judging.mismatch import mismatch
from pytest_autoeval.judging.run_comparison import RunComparison
from pytest_autoeval.judging.run_differences import other_run
from pytest_autoeval.judging.stopped_sentences import what_decides
from pytest_autoeval.record.figure_sentences import (
    confidence,
    given_drop,
    joined,
    listed,
    number,
    sentence,
)
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.statistics.drops import BoundedTest
from pytest_autoeval.statistics.paired import PairedTest
from pytest_autoeval.text import one_line

#: How many suites the sentence about the run names.
_NAMED = 4


class WholeRun(RunComparison, frozen=True, kw_only=True):
    """The comparison of a run with the sentence that explains its verdict."""

    @property
    def reason(self) -> str:
        """The explanation as plain text."""
        return str(self.explanation)

    @property
    def explanation(self) -> Sentence:
        """One sentence: the measurement, the decision, and which suites fell.

        Another model or seed comes first, since it changes what a comparison means. What the runs do not have in common
        follows, but after a fall, which it does not explain.
        """
        unlike = None if self.test is None else self._mismatch
        fell = self.verdict == "failed"
        return joined(
            [
                self.of_another_run,
                None if fell else unlike,
                self._conclusion,
                self._decided_by,
                self._suites_that_fell,
                self._stopped_early,
                unlike if fell else None,
                self._not_compared,
                self._gone,
                self._refused,
                self._without_result,
            ]
        )

    @property
    def of_another_run(self) -> Sentence | None:
        """That the baseline is of another model or seed, or was cut off: once for the run, and not for each suite."""
        compared = [(gate.compared.now, gate.compared.before) for gate in self.gates]
        return other_run(
            ((now, before) for now, before in compared if before is not None),
            lacks_suites=any(gate.compared.was_cut_off for gate in self.gates),
        )

    @property
    def _decided_by(self) -> Sentence | None:
        """What decides on a fall over all pairs, if the interval of the difference seems to say otherwise."""
        # Suites that fell by themselves have intervals of their own.
        if self.test is None or not self.judged or not self.rules.judges_falls:
            return None
        return decided_by_p(self.test, fell=self.fell, level=self.level)

    @property
    def _conclusion(self) -> Sentence:
        """The verdict with the measurement."""
        if self.test is None or self.bounds is None:
            return self._about(
                "{model} is not compared with {other}: {why}", why=self._why_not_compared
            )
        measured = self._measured(self.test)
        if self.verdict == "failed":
            return self._failure(self.test, self.bounds)
        if self.verdict == "reported":
            compared = self._about("{model} against {other}: {measured}", measured=measured)
            if not (self.part and self.rules.judges_falls):
                return compared
            text = "part {part} is not judged; `report` judges all parts together"
            return joined([compared, sentence(text, part=self.part)])
        if self.verdict == "passed":
            text = "{model} is not worse than {baseline}: {measured}; {excluded}"
            return self._about(text, measured=self._difference(self.test), excluded=self._excluded)
        return self._open(measured)

    def _failure(self, test: PairedTest, bounds: BoundedTest) -> Sentence:
        """What fell: the whole run, or suites by themselves."""
        # A fall below the drop in question is a fall too: the sentence says that it is smaller.
        if self.fell_over_all_suites:
            smaller = self.drop is not None and bounds.excludes(self.drop)
            less = ", though by less than {drop}" if smaller else ""
            text = f"{{model}} is worse than {{baseline}}{less}: {{measured}}"
            return self._about(
                text, measured=self._measured(test), drop=given_drop(self.drop or 0.0)
            )
        # A single suite of an interrupted run is not all of it, so that the sentence names the suite.
        if len(self.gates) == 1:
            (alone,) = self.by_themselves
            text = "{model} is worse than {baseline} in {suite}: {measured}{rest}"
            return self._about(
                text, suite=alone.suite, measured=self._measured(test), rest=self._after_measurement
            )
        text = "{model} is worse than {baseline} in {fallen} of {suites} ({names}); together: {measured}{rest}"
        return self._about(
            text,
            fallen=number(len(self.by_themselves), name="suites that fell"),
            suites=number(len(self.gates), "suite"),
            names=fallen_names(self.by_themselves, _NAMED),
            measured=self._measured(test),
            rest=self._after_measurement,
        )

    @property
    def _after_measurement(self) -> Sentence:
        """That other suites did not run, after the suites that fell by themselves."""
        return sentence("; {why}", why=self._interruption) if self.interrupted else Sentence("")

    @property
    def _interruption(self) -> Sentence:
        return Sentence(self.missing or "the run was interrupted")

    def _open(self, measured: Sentence) -> Sentence:
        """Why nothing is decided."""
        if self.interrupted:
            text = "whether {model} is worse than {baseline} is open, since {why}: {measured}"
            return self._about(text, why=self._interruption, measured=measured)
        if self.doubtful:
            names = listed([gate.suite for gate in self.doubtful], 1)
            why = sentence("{doubt} ({names})", doubt=self.doubtful[0].doubt or "", names=names)
            text = "whether {model} is worse than {baseline} is not judged: {why}; {measured}"
            return self._about(text, why=why, measured=measured)
        text = "whether {model} is worse than {baseline} is open: {measured}; {why}"
        return self._about(text, measured=measured, why=self._what_is_open)

    @property
    def _what_is_open(self) -> Sentence:
        excludes_all = self.excludes_drop and all(gate.excludes for gate in self.compared)
        if excludes_all and self.without_all_pairs:
            return not_reached(self.without_all_pairs)
        if self.excludes_drop and self.excluded_alone:
            return Sentence("some suites could not be compared")
        drop, suite_drop = self.drop, self.rules.suite_drop
        if drop is not None and not self.excludes_drop:
            is_open = sentence("a drop of {drop} or more is not ruled out", drop=given_drop(drop))
            # With few common formulas, more samples are not what is missing.
            if self.needed is None or self._mismatch is not None:
                return is_open
            needed = number(self.needed, "pair", name="pairs needed")
            samples = (sample for gate in self.gates for sample in gate.compared.now.counted)
            return joined([is_open, what_decides(needed, samples)])
        compared = self.compared
        return sentence(
            "a drop of {drop} or more is not ruled out in {open} of {suites}",
            drop=given_drop(suite_drop or 0.0),
            open=number(sum(gate.verdict != "passed" for gate in compared), name="open suites"),
            suites=number(len(compared), "suite"),
        )

    @property
    def _excluded(self) -> Sentence:
        """Which drops are excluded, of a run that passed."""
        drop, suite_drop = self.drop, self.rules.suite_drop
        over_all = given_drop(drop or 0.0)
        in_each = given_drop(suite_drop or 0.0, "drop in each suite")
        if drop is None:
            return sentence("a drop of {in_each} is excluded in each suite", in_each=in_each)
        if suite_drop is None:
            return sentence("a drop of {drop} is excluded", drop=over_all)
        return sentence(
            "a drop of {drop} is excluded, and one of {in_each} in each suite",
            drop=over_all,
            in_each=in_each,
        )

    @property
    def _mismatch(self) -> Sentence | None:
        """Why the runs have few formulas in common; None if they have at least half of this run's."""
        overlaps = [gate.compared.overlap for gate in self.gates]
        return mismatch(overlap for overlap in overlaps if overlap is not None)

    @property
    def _why_not_compared(self) -> Sentence:
        """Why there is no pair at all."""
        if (unlike := self._mismatch) is not None:
            return unlike
        obstacles = [gate.compared.obstacle for gate in self.gates]
        is_common = len(set(map(str, obstacles))) == 1
        return obstacles[-1] if is_common else Sentence("no suite has pairs")

    def _measured(self, test: PairedTest) -> Sentence:
        """The difference with its p-value."""
        p_value = test.p_value if self.bounds is None else self.bounds.p_value
        return sentence(
            "{difference}, p {p}", difference=self._difference(test), p=Figure("p", p_value, "p")
        )

    def _difference(self, test: PairedTest) -> Sentence:
        return sentence(
            "{difference} points over {pairs} ({confidence} interval {interval})",
            difference=Figure("difference", test.difference, "points", n=test.pairs),
            pairs=number(test.pairs, "pair"),
            confidence=confidence(self.rules.confidence),
            interval=self._interval(test),
        )

    def _interval(self, test: PairedTest) -> Figure:
        """The interval of a test, whose lower end excludes a drop."""
        return Figure(
            "interval",
            None,
            "points",
            low=test.interval.low,
            high=test.interval.high,
            confidence=self.rules.confidence,
        )

    def _about(self, text: str, **values: Sentence | Figure | str) -> Sentence:
        """A sentence about the model, and those of the baseline unless that is the same one."""
        models = self.baseline_models
        if models in ([], [self.model]):
            in_baseline, baseline = Sentence("in the baseline"), Sentence("the baseline")
        else:
            in_baseline = baseline = listed(models)
        return sentence(
            text, model=one_line(self.model), baseline=in_baseline, other=baseline, **values
        )

    @property
    def _suites_that_fell(self) -> Sentence | None:
        """The suites that fell by themselves, or those that are listed as fallen.

        A run of one suite has no others, and a sentence about suites alone has named them.
        """
        if not self.rules.judges_falls or len(self.gates) == 1:
            return None
        alone = self.by_themselves
        if alone and not self.fell_over_all_suites:
            return None
        if alone:
            text = "fell by itself: {suites}" if len(alone) == 1 else "fell by themselves: {suites}"
            return sentence(text, suites=fallen_names(alone, _NAMED))
        if self.fallen:
            return sentence("listed as fallen: {suites}", suites=fallen_names(self.fallen, _NAMED))
        return None

    @property
    def _stopped_early(self) -> Sentence | None:
        """The suites that a planned look ended, so that the others are not judged together with them."""
        stopped = [gate.suite for gate in self.doubtful if gate.was_stopped]
        if self.verdict != "failed" or not stopped or len(self.gates) == 1:
            return None
        verb = "was" if len(stopped) == 1 else "were"
        text = f"all suites together are not judged, since {{suites}} {verb} stopped early"
        return sentence(text, suites=listed(stopped, _NAMED))

    @property
    def _not_compared(self) -> Sentence | None:
        if not self.new or self.test is None:
            return None
        return sentence(
            "not in the baseline: {suites}",
            suites=listed([gate.suite for gate in self.new], _NAMED),
        )

    @property
    def _gone(self) -> Sentence | None:
        """How many suites of the baseline this run did not ask. A note has their names."""
        if not self.gone or self.test is None or not self.rules.judges_falls:
            return None
        return sentence(
            "{gone} of the baseline not asked",
            gone=number(self.gone, "suite", name="suites not asked"),
        )

    @property
    def _refused(self) -> Sentence | None:
        if not self.refused or self.test is None:
            return None
        return sentence(
            "not compared: {suites}", suites=listed([gate.suite for gate in self.refused], _NAMED)
        )

    @property
    def _without_result(self) -> Sentence | None:
        """The samples of which nobody knows whether they passed."""
        errors = sum(gate.errors for gate in self.gates)
        undecided = sum(gate.undecided for gate in self.gates)
        if self.test is None or not (errors or undecided):
            return None
        counts = []
        if errors:
            counts.append(sentence("{errors}", errors=number(errors, "error", name="errors")))
        if undecided:
            counts.append(
                sentence(
                    "{undecided}", undecided=number(undecided, "undecided sample", name="undecided")
                )
            )
        verb = "counts" if errors + undecided == 1 else "count"
        counted = sentence(
            f"{{samples}} {verb} at worst as lost and at best as kept",
            samples=joined(counts, " and "),
        )
        # The interval of the answered pairs stands with the difference, and does not decide on a drop here.
        worst = self.test if self.bounds is None else self.bounds.worst
        if self.drop is None or worst.interval == self.test.interval:
            return counted
        text = "{counted}; the interval at worst, which decides on the drop, is {interval}"
        return sentence(text, counted=counted, interval=self._interval(worst))


def fallen_names(gates: Sequence[BaselineGate], most: int) -> Sentence:
    """Suites with what they lost in points: ``ltl_future (−12.0), regex (−9.0)``."""
    names = []
    for gate in gates[:most]:
        if gate.test is not None:
            difference = Figure("difference", gate.test.difference, "points", n=gate.test.pairs)
            names.append(
                sentence("{suite} ({difference})", suite=gate.suite, difference=difference)
            )
    unnamed = len(gates) - most
    if unnamed > 0:
        names.append(sentence("{more} more", more=number(unnamed, name="more suites")))
    return joined(names, ", ")
