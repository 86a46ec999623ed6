"""Compares a suite with an earlier run: what the pairs of samples show, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

from pytest_autoeval.judging.gates import Extent, GateVerdict
from pytest_autoeval.judging.items import (
    Paired,
    cluster_keys,
    clusters,
)
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_differences import differences, stopped_early
from pytest_autoeval.judging.stopped import look_text
from pytest_autoeval.record.figure_sentences import confidence, given_drop, joined, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.statistics.drops import BoundedTest
from pytest_autoeval.statistics.look_levels import LOOKS
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop
from pytest_autoeval.statistics.run_verdict import bounded_test


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineGate:
    """A suite against the same formulas of an earlier run.

    ``test`` has the formulas that both runs answered; None if there is none. ``bounds`` also has those that ended in
    errors, at worst and at best, and decides. Without a drop in ``rules`` the comparison is reported and not judged;
    nor is a ``part`` of a suite judged. With ``drop`` the suite fails if its pass rate fell significantly by itself, at
    the level of :meth:`Rules.suite_level`; else it is judged with the whole run. With ``suite_drop`` it must exclude
    that drop by itself, unless the baseline does not have it. ``detectable`` is the smallest drop that the test detects
    with 80 % power at this level. ``needed`` is the number of pairs needed to decide on ``suite_drop`` in 80 % of runs;
    None if there are enough. ``doubt`` is why the test may not be valid. ``flags`` lists further differences between
    the runs. ``look`` is the planned look whose share of the level the test has, from 1; 0 if the suite is judged once.
    ``was_stopped``: a look ended the suite. Then a fall at the level of that look is valid, and nothing else is.
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
        return self.compared.here.number

    @property
    def suite(self) -> str:
        return self.compared.here.name

    @property
    def model(self) -> str:
        return self.compared.here.model

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)

    @property
    def shown_detectable(self) -> float | None:
        """The smallest detectable drop, rounded up to a tenth of a point."""
        return (
            None
            if self.detectable is None
            else min(1.0, ceil(round(1000.0 * self.detectable, 3)) / 1000.0)
        )

    @property
    def verdict(self) -> GateVerdict:
        """The verdict on the suite alone."""
        rules = self.rules
        if not rules.judges_falls or self.part or self.compared.is_new:  # nothing can have fallen
            return "reported"
        if self.interrupted:
            return "interrupted"
        if self.doubt is not None and not self._fell_at_its_look:
            return "inconclusive"
        if self.fell:
            return "failed"
        if rules.suite_drop is None:
            return "with the run"
        excluded = self.bounds is not None and self.bounds.excludes(rules.suite_drop)
        return "passed" if excluded else "inconclusive"

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
        return (
            None if self.p_value is None else min(1.0, self.p_value * self.rules.alpha / self.level)
        )

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
        return joined([self.conclusion, self._measured])

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
        shared: list[Sentence | Figure] = []
        if self.suites > 1:
            each = (
                sentence(" with {gates} each", gates=gates)
                if self.rules.gates_of_suite > 1
                else Sentence("")
            )
            shared.append(
                sentence("{suites}{each}", suites=number(self.suites, "suite"), each=each)
            )
            shared += [Sentence("the run")] if self.rules.judges_falls else []
        elif self.rules.gates_of_suite > 1:
            shared.append(gates)
        if self.look:
            shared.append(number(LOOKS, "planned look", name="looks"))
        tests = joined((sentence("{test}", test=test) for test in shared), " and ")
        return sentence("corrected for {tests}", tests=tests)

    def interval(self, low: float, high: float) -> Sentence:
        """An interval in points, with its confidence: ``95 % interval: −1.0 to +2.0``."""
        ends = Figure("interval", None, "points", low=low, high=high, confidence=self.confidence)
        return sentence(
            "{confidence} interval {ends}", confidence=confidence(self.confidence), ends=ends
        )

    def p_values(self, p_value: float) -> Sentence:
        """A p-value, with the corrected one if there are several tests: ``p 0.010, corrected 0.080``."""
        corrected = min(1.0, p_value * self.rules.alpha / self.level)
        text = "p {p}, corrected {corrected}" if self.corrected is not None else "p {p}"
        return sentence(
            text, p=Figure("p", p_value, "p"), corrected=Figure("corrected p", corrected, "p")
        )

    def _why(self, bounds: BoundedTest) -> Sentence:
        drop, unlike = self.rules.suite_drop, self.compared.mismatch
        if self.fell:
            smaller = drop is not None and bounds.excludes(drop) and not self.was_stopped
            text = "significantly worse {at_look}" if self.look else "significantly worse"
            text += ", though by less than {drop}" if smaller else ""
            return sentence(
                text, drop=given_drop(drop or 0.0), at_look=look_text(self.look or LOOKS)
            )
        if drop is None:
            return joined([unlike, Sentence("not judged alone: it did not fall by itself")])
        values = {"drop": given_drop(drop), "pairs": number(bounds.worst.pairs, "pair")}
        if bounds.excludes(drop):
            return sentence("any drop is smaller than {drop}", **values)
        if unlike is not None:
            text = "{unlike}; not significantly worse, but the data cannot rule out a drop of {drop} or more"
            return sentence(text, unlike=unlike, **values)
        if self.detectable is None:
            cannot = "{pairs} cannot show any drop; compare runs with more common formulas"
            return sentence(f"not significantly worse, but {cannot}", **values)
        needs = "more pairs narrow the interval"
        if self.needed is not None:
            needs = "a decision needs about {needed} (more samples)"
        text = f"not significantly worse, but the data cannot rule out a drop of {{drop}} or more; {needs}"
        return sentence(
            text, needed=number(self.needed or 0, "pair", name="pairs needed"), **values
        )

    @property
    def _measured(self) -> Sentence | None:
        test = self.test
        if test is None:
            return None
        p = (
            Sentence("")
            if self.p_value is None
            else sentence("; {p}", p=self.p_values(self.p_value))
        )
        return sentence(
            "{pairs}, {won} won, {lost} lost: {difference} points ({interval}{p})",
            pairs=number(test.pairs, "pair"),
            won=number(test.won, name="won"),
            lost=number(test.lost, name="lost"),
            difference=Figure("difference", test.difference, "points", n=test.pairs),
            interval=self.interval(test.interval.low, test.interval.high),
            p=p,
        )


def bounded(pairs: Sequence[Paired], confidence: float) -> BoundedTest | None:
    """The test of some pairs, of one suite or of several, at worst and at best.

    None if both runs answered none of them: there is nothing to compare, and nothing that errors could hide.
    """
    if not any(pair.answered for pair in pairs):
        return None
    numbers = clusters(cluster_keys(pair.asked) for pair in pairs)
    bounds = [pair.bounds for pair in pairs]
    return bounded_test(
        [worst for worst, _ in bounds], [best for _, best in bounds], numbers, confidence
    )


def answered_test(pairs: Sequence[Paired], confidence: float = 0.95) -> PairedTest | None:
    """The test of the pairs that both runs answered; None if there is none."""
    answered = [pair for pair in pairs if pair.answered]
    if not answered:
        return None
    numbers = clusters(cluster_keys(pair.asked) for pair in answered)
    return paired_test([pair.trials for pair in answered], confidence, numbers)


def tested(
    pairs: Sequence[Paired], bounds: BoundedTest | None, confidence: float
) -> PairedTest | None:
    """The test that reports show, of the answered pairs. If the bounds are equal, it is that of both."""
    if bounds is None or bounds.worst is bounds.best:
        return None if bounds is None else bounds.worst
    return answered_test(pairs, confidence)


def judge_comparison(
    compared: Comparison, rules: Rules, *, extent: Extent, suites: int, look: int = 0
) -> BaselineGate:
    """The gate of a comparison. Its p-value is corrected for all tests of the run of ``suites``.

    With a planned ``look`` it has the share of that look in the level.
    """
    there = compared.there
    bounds = bounded(compared.pairs, rules.confidence)
    test = tested(compared.pairs, bounds, rules.confidence)
    level = rules.suite_level(suites, look)
    detectable = needed = None
    if test is not None:
        detectable = smallest_detectable_drop(test, alpha=level)
        if rules.suite_drop is not None:
            pairs = pairs_needed(rules.suite_drop, test, alpha=level, confidence=rules.confidence)
            needed = pairs if pairs > test.pairs else None
    # If a suite was stopped because of its results, every other test of these results is biased.
    is_biased = there is not None and stopped_early(there)
    whose = (
        "suite" if extent.stopped_early and bounds is not None else "baseline" if is_biased else ""
    )
    doubt = Sentence(
        f"the {whose} was stopped early, which biases the comparison; run all of its samples"
    )
    if extent.spent:
        whose, doubt = (
            "suite",
            Sentence("the budget ran out before all samples of the suite had run"),
        )
    flags: tuple[Sentence, ...] = ()
    if there is not None and compared.here.regular:
        flags = tuple(differences(compared.here, there, compared.pairs))
    if whose and not rules.judges_falls:  # nothing else says it
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
        doubt=doubt if whose else None,
        interrupted=extent.interrupted and not extent.spent,
        flags=flags,
        look=look,
        was_stopped=extent.stopped_early is not None and look > 0 and not is_biased,
    )
