"""Compares a suite with an earlier run: what the pairs of samples show, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import ClassVar, Literal

from msgspec import Struct

from pytest_autoeval.judging.gate_verdicts import GateVerdict
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.item_groups import Paired, cluster_keys
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_differences import differences, stopped_early
from pytest_autoeval.judging.stopped_sentences import look_text, what_decides
from pytest_autoeval.record.figure_sentences import confidence, given_drop, joined, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.statistics.clusters import cluster_numbers
from pytest_autoeval.statistics.drops import BoundedTest
from pytest_autoeval.statistics.look_levels import LOOKS
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop
from pytest_autoeval.statistics.run_verdict import bounded_test


class BaselineGate(Struct, frozen=True, kw_only=True):
    """A suite against the same formulas of an earlier run.

    Without a drop in ``rules`` the comparison is reported and not judged; nor is a ``part`` of a suite judged. With
    ``rules.drop`` the suite fails if its pass rate fell significantly by itself, at the level of
    :meth:`Rules.suite_level`; else it is judged with the whole run. With ``rules.suite_drop`` it must exclude that drop
    by itself, unless the baseline does not have the suite.

    Attributes:
        compared: the suite and that of the baseline, with their pairs.
        rules: the rules of the verdict.
        suites: the number of suites of the run, for whose tests p-values are corrected.
        part: the part of the suite that ran, if only a part did; else empty.
        test: the test of the formulas that both runs answered; None if there is none.
        bounds: the test that decides. It also has the formulas that ended in errors, at worst and at best.
        detectable: the smallest drop that the test detects with 80 % power at this level.
        needed: the number of pairs needed to decide on ``suite_drop`` in 80 % of runs; None if there are enough.
        doubt: why the test may not be valid.
        interrupted: whether the run of the suite was interrupted.
        flags: further differences between the runs.
        look: the planned look whose share of the level the test has, from 1; 0 if the suite is judged once.
        was_stopped: a look ended the suite. Then a fall at the level of that look is valid, and nothing else is.
    """

    kind: ClassVar[Literal["baseline"]] = "baseline"

    compared: Comparison
    rules: Rules
    suites: int
    part: str = ""
    test: PairedTest | None
    bounds: BoundedTest | None
    detectable: float | None
    needed: int | None
    doubt: Sentence | None
    interrupted: bool
    flags: tuple[Sentence, ...]
    look: int = 0
    was_stopped: bool = False

    @property
    def number(self) -> int:
        """The number of the suite."""
        return self.compared.now.number

    @property
    def suite(self) -> str:
        return self.compared.now.name

    @property
    def model(self) -> str:
        return self.compared.now.model

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)

    @property
    def shown_detectable(self) -> float | None:
        """The smallest detectable drop, rounded up to a tenth of a point."""
        if self.detectable is None:
            return None
        # Rounded first: a drop of exactly 5 points must not become 5.1 by the noise of floating point.
        tenths = ceil(round(1000.0 * self.detectable, 3))
        return min(1.0, tenths / 1000.0)

    @property
    def verdict(self) -> GateVerdict:
        """The verdict on the suite alone."""
        rules = self.rules
        # A suite that the baseline does not have cannot have fallen.
        if not rules.judges_falls or self.part or self.compared.is_new:
            return "reported"
        if self.interrupted:
            return "interrupted"
        # A biased test may show a fall that is none. That of a planned look has its share of the error, and is valid.
        if self.doubt is not None and not self._fell_at_its_look:
            return "inconclusive"
        if self.fell:
            return "failed"
        # A small fall of all suites shows in none of them alone. `Rules.level` says what it would cost.
        if rules.suite_drop is None:
            return "with the run"
        # "Not significantly worse" is not enough: with that rule, 7 to 14 % of suites would pass whose drop is exactly
        # this one. With the interval it is 2 to 3 % (simulated).
        return "passed" if self.excludes and not self.compared.lacks_pairs else "inconclusive"

    @property
    def excludes(self) -> bool:
        """Whether the pairs exclude the drop that each suite must exclude; true if none is asked of each suite."""
        drop = self.rules.suite_drop
        return drop is None or (self.bounds is not None and self.bounds.excludes(drop))

    @property
    def level(self) -> float:
        """The one-sided level of the test."""
        return self.rules.suite_level(self.suites, self.look)

    @property
    def fell(self) -> bool:
        """Whether the pass rate of the suite is significantly lower than the baseline's, by itself."""
        return self.bounds is not None and self.bounds.fell(self.level)

    @property
    def _fell_at_its_look(self) -> bool:
        return self.was_stopped and self.fell

    @property
    def p_value(self) -> float | None:
        """The p-value of a fall, at best if samples ended in errors; None without pairs."""
        return None if self.bounds is None else self.bounds.p_value

    @property
    def p_corrected(self) -> float | None:
        """The p-value after the correction for all tests of the run: to be compared with ``rules.alpha``."""
        return None if self.p_value is None else self._corrected(self.p_value)

    @property
    def undecided(self) -> int:
        """How many undecided samples of both runs may hide a change."""
        return sum(pair.undecided for pair in self.compared.pairs)

    @property
    def errors(self) -> int:
        """How many samples of both runs ended in errors, among those of the compared formulas."""
        return sum(pair.errors for pair in self.compared.pairs)

    @property
    def confidence(self) -> float:
        """The confidence of the interval of the difference, whose lower end excludes a drop."""
        return self.rules.confidence

    @property
    def reason(self) -> str:
        """The explanation as plain text."""
        return str(self.explanation)

    @property
    def explanation(self) -> Sentence:
        """One sentence: the measurement and the decision."""
        return joined([self.conclusion, self._measured, self.decided_by])

    @property
    def decided_by(self) -> Sentence | None:
        """What decides on a fall, if the interval seems to say otherwise."""
        if self.test is None or not self.rules.judges_falls:
            return None
        if self.corrected is None:
            return decided_by_p(self.test, fell=self.fell, level=self.level)
        return decided_by_p(self.test, fell=self.fell, level=self.rules.alpha, p="the corrected p")

    @property
    def conclusion(self) -> Sentence | None:
        """The decision without the figures of the test; None if there was nothing to decide."""
        if self.bounds is None:
            return sentence("not compared: {obstacle}", obstacle=self.compared.obstacle)
        if not self.rules.judges_falls:
            return None
        if self.part:
            return sentence(
                "part {part} is not judged; `report` judges all parts together", part=self.part
            )
        if self.interrupted:
            return Sentence("interrupted, so that the suite cannot pass")
        if self.doubt is not None and not self._fell_at_its_look:
            return sentence("not judged: {doubt}", doubt=self.doubt)
        return self._why(self.bounds)

    @property
    def corrected(self) -> Sentence | None:
        """What p-values are corrected for: ``corrected for 8 suites and the run``; None without a correction."""
        if self.level == self.rules.alpha:
            return None
        gates = number(self.rules.gates_of_suite, "gate")
        several_gates = self.rules.gates_of_suite > 1
        tests: list[Sentence | Figure] = []
        if self.suites > 1:
            with_gates = (
                sentence(" with {gates} each", gates=gates) if several_gates else Sentence("")
            )
            tests.append(
                sentence("{suites}{each}", suites=number(self.suites, "suite"), each=with_gates)
            )
            if self.rules.judges_falls:
                tests.append(Sentence("the run"))
        elif several_gates:
            tests.append(gates)
        if self.look:
            tests.append(number(LOOKS, "planned look", name="looks"))
        listed_tests = joined((sentence("{test}", test=test) for test in tests), " and ")
        return sentence("corrected for {tests}", tests=listed_tests)

    def interval(self, low: float, high: float) -> Sentence:
        """An interval in points, with its confidence: ``95 % interval: −1.0 to +2.0``."""
        ends = Figure("interval", None, "points", low=low, high=high, confidence=self.confidence)
        return sentence(
            "{confidence} interval {ends}", confidence=confidence(self.confidence), ends=ends
        )

    def p_values(self, p_value: float) -> Sentence:
        """A p-value, with the corrected one if there are several tests: ``p 0.010, corrected 0.080``."""
        text = "p {p}, corrected {corrected}" if self.corrected is not None else "p {p}"
        return sentence(
            text,
            p=Figure("p", p_value, "p"),
            corrected=Figure("corrected p", self._corrected(p_value), "p"),
        )

    def _corrected(self, p_value: float) -> float:
        """A p-value of this suite, to be compared with ``rules.alpha`` and not with the level of the suite."""
        return min(1.0, p_value * self.rules.alpha / self.level)

    def _why(self, bounds: BoundedTest) -> Sentence:
        """The decision that the bounds lead to, with its reason."""
        drop = self.rules.suite_drop
        mismatch = self.compared.mismatch
        if self.fell:
            # Of a suite that a look ended, only the fall is valid: its interval is biased.
            is_smaller = drop is not None and bounds.excludes(drop) and not self.was_stopped
            text = "significantly worse"
            if self.look:
                text += " {at_look}"
            if is_smaller:
                text += ", though by less than {drop}"
            return sentence(
                text, drop=given_drop(drop or 0.0), at_look=look_text(self.look or LOOKS)
            )
        if drop is None:
            return joined([mismatch, Sentence("not judged alone: it did not fall by itself")])
        values = {"drop": given_drop(drop), "pairs": number(bounds.worst.pairs, "pair")}
        if bounds.excludes(drop):
            any_drop = sentence("any drop is smaller than {drop}", **values)
            return not_reached([self]) if self.compared.lacks_pairs else any_drop
        if mismatch is not None:
            text = "{unlike}; not significantly worse, but the data cannot rule out a drop of {drop} or more"
            return sentence(text, unlike=mismatch, **values)
        if self.detectable is None:
            cannot = "{pairs} cannot show any drop; compare runs with more common formulas"
            return sentence(f"not significantly worse, but {cannot}", **values)
        needs = Sentence("more pairs narrow the interval")
        if self.needed is not None:
            needed = number(self.needed, "pair", name="pairs needed")
            needs = what_decides(needed, self.compared.now.counted)
        text = "not significantly worse, but the data cannot rule out a drop of {drop} or more; {needs}"
        return sentence(text, needs=needs, **values)

    @property
    def _measured(self) -> Sentence | None:
        """The figures of the test; None if both runs answered no formula."""
        test = self.test
        if test is None:
            return None
        p = Sentence("")
        if self.p_value is not None:
            p = sentence("; {p}", p=self.p_values(self.p_value))
        return sentence(
            "{pairs}, {won} won, {lost} lost: {difference} points ({interval}{p})",
            pairs=number(test.pairs, "pair"),
            won=number(test.won, name="won"),
            lost=number(test.lost, name="lost"),
            difference=Figure("difference", test.difference, "points", n=test.pairs),
            interval=self.interval(test.interval.low, test.interval.high),
            p=p,
        )


def not_reached(gates: Sequence[BaselineGate]) -> Sentence:
    """How many formulas of some suites have no pair, because the run of the baseline was cut off."""
    formulas = sum(len(gate.compared.only_now) for gate in gates)
    text = "the baseline was cut off before it asked {formulas} of this run; run it to its end"
    return sentence(text, formulas=number(formulas, "formula", name="formulas without a pair"))


def decided_by_p(test: PairedTest, *, fell: bool, level: float, p: str = "p") -> Sentence | None:
    """That p decides on a fall, if the interval of ``test`` seems to say otherwise; None if both agree.

    A test on one side at 5 % finds a fall whose two-sided interval of 95 % contains 0. One that shares its level with
    many others finds none, though the interval lies below 0. ``p`` is compared with ``level``.
    """
    # As a reader sees it, with one decimal of a point.
    seems_to_fall = round(100.0 * test.interval.high, 1) < 0.0
    if fell == seems_to_fall:
        return None
    text = f"a fall is decided by {p} (one-sided, below {{level}}), not by the interval, which is two-sided"
    return sentence(text, level=Figure("level of a fall", level, "p"))


def bounded(pairs: Sequence[Paired], confidence: float) -> BoundedTest | None:
    """The test of some pairs, of one suite or of several, at worst and at best.

    None if both runs answered none of them: there is nothing to compare, and nothing that errors could hide.
    """
    if not any(pair.answered for pair in pairs):
        return None
    # Also of pairs without an answer: at worst and at best they are pairs like all others.
    numbers = cluster_numbers(cluster_keys(pair.sample) for pair in pairs)
    bounds = [pair.bounds for pair in pairs]
    at_worst, at_best = [worst for worst, _ in bounds], [best for _, best in bounds]
    return bounded_test(at_worst, at_best, numbers, confidence)


def answered_test(pairs: Sequence[Paired], confidence: float = 0.95) -> PairedTest | None:
    """The test of the pairs that both runs answered; None if there is none."""
    answered = [pair for pair in pairs if pair.answered]
    if not answered:
        return None
    numbers = cluster_numbers(cluster_keys(pair.sample) for pair in answered)
    return paired_test([pair.trials for pair in answered], confidence, numbers)


def tested(
    pairs: Sequence[Paired], bounds: BoundedTest | None, confidence: float
) -> PairedTest | None:
    """The test that reports show, of the answered pairs. If the bounds are equal, it is that of both."""
    if bounds is None:
        return None
    # `bounded_test` makes one test if nothing is missing, and then it need not be computed again.
    if bounds.worst is bounds.best:
        return bounds.worst
    return answered_test(pairs, confidence)


def judge_comparison(
    compared: Comparison, rules: Rules, *, extent: Extent, suites: int, look: int = 0
) -> BaselineGate:
    """The gate of a comparison. Its p-value is corrected for all tests of the run of ``suites``.

    With a planned ``look`` it has the share of that look in the level.
    """
    bounds = bounded(compared.pairs, rules.confidence)
    test = tested(compared.pairs, bounds, rules.confidence)
    level = rules.suite_level(suites, look)
    detectable = needed = None
    if test is not None:
        detectable = smallest_detectable_drop(test, alpha=level)
        # A drop of the whole run needs no pairs of this suite alone: `run_judgement.py` counts those of all suites.
        if rules.suite_drop is not None:
            pairs = pairs_needed(rules.suite_drop, test, alpha=level, confidence=rules.confidence)
            needed = pairs if pairs > test.pairs else None
    before = compared.before
    baseline_was_stopped = before is not None and stopped_early(before)
    # The budget comes first: without all samples nothing else can be said of the suite.
    doubt = None
    if extent.spent:
        doubt = Sentence("the budget ran out before all samples of the suite had run")
    elif extent.stopped_early and bounds is not None:
        doubt = _stopped("suite")
    elif baseline_was_stopped:
        doubt = _stopped("baseline")
    flags: tuple[Sentence, ...] = ()
    if before is not None and compared.now.regular:
        flags = tuple(differences(compared.now, before, compared.pairs))
    # If falls are judged, the conclusion has the doubt.
    if doubt is not None and not rules.judges_falls:
        flags = (doubt, *flags)
    return BaselineGate(
        compared=compared,
        rules=rules,
        suites=suites,
        part=extent.part,
        test=test,
        bounds=bounds,
        detectable=detectable,
        needed=needed,
        doubt=doubt,
        interrupted=extent.interrupted and not extent.spent,
        flags=flags,
        look=look,
        was_stopped=extent.stopped_early is not None and look > 0 and not baseline_was_stopped,
    )


def _stopped(which: str) -> Sentence:
    """The doubt about a suite that was stopped because of its results: every other test of these results is biased."""
    return Sentence(
        f"the {which} was stopped early, which biases the comparison; run all of its samples"
    )
