"""Compares a suite with an earlier run: which samples are pairs, what the pairs show, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

from pytest_autoeval.judging.differences import differences, stopped_early, why_not_comparable
from pytest_autoeval.judging.gates import Extent, GateVerdict, Rules
from pytest_autoeval.judging.items import Comparable, Paired, by_item, grouped, item_name, trials
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.names import named
from pytest_autoeval.record.sentences import confidence, given_drop, joined, number, sentence
from pytest_autoeval.statistics.drops import Decision, confidence_of, judge_drop
from pytest_autoeval.statistics.multiplicity import bonferroni
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop
from pytest_autoeval.text import one_line

_ABSENT = Sentence("the baseline does not have this suite (renamed?)")
_OTHERWISE = Sentence("the baseline has this suite only with another combination of prompting, interface and reader")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A suite, and the one that it is compared with.

    ``there`` is None if the baseline has no suite for it. ``pairs`` are the common items, in the order of this run;
    ``only_here`` and ``only_there`` are formulas of one run alone. ``refusal`` is the reason if the suite cannot be
    compared; ``pairs`` is then empty, and ``there`` is None.
    """

    here: SuiteRecord
    there: SuiteRecord | None = None
    pairs: Sequence[Paired] = ()
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()
    refusal: Sentence | None = None

    @classmethod
    def of(cls, here: SuiteRecord, there: SuiteRecord) -> Comparison:
        """A suite with its match."""
        if refusal := why_not_comparable(here, there):
            return cls(here=here, refusal=refusal)
        ours, theirs = by_item(here.counted), by_item(there.counted)
        return cls(
            here=here,
            there=there,
            pairs=[Paired(item, samples, theirs[item]) for item, samples in ours.items() if item in theirs],
            only_here=tuple(item_name(samples[0]) for item, samples in ours.items() if item not in theirs),
            only_there=tuple(item_name(samples[0]) for item, samples in theirs.items() if item not in ours),
        )

    @property
    def obstacle(self) -> Sentence:
        """Why no formula can be compared, if there is no pair."""
        if self.refusal is not None:
            return self.refusal
        if self.here.samples and not by_item(self.here.counted):
            return Sentence("no sample was answered")
        if self.there is not None and not by_item(self.there.counted):
            return Sentence("no sample of the baseline was answered")
        return Sentence("the two runs have no formula in common")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineGate:
    """A suite against the same formulas of an earlier run.

    ``test`` is None if nothing could be compared. Without a drop in ``rules`` the comparison is reported and not
    judged. ``p_corrected`` is the p-value after Bonferroni's correction over all tests of the run: one for each of the
    ``suites`` and each drop in ``rules``. The interval of the test has the same correction. ``detectable``
    is the smallest drop that the test detects with 80 % power at the corrected level. ``needed`` is the number of pairs
    needed to decide on the drop in ``rules`` in 80 % of runs; None if there are enough. ``decision`` is the result of
    the test, and ``doubt`` the reason why it may not be valid. ``flags`` lists further differences between the runs.
    """

    kind: ClassVar[Literal["baseline"]] = "baseline"

    compared: Comparison
    rules: Rules
    suites: int
    test: PairedTest | None
    p_corrected: float | None
    detectable: float | None
    needed: int | None
    decision: Decision
    doubt: Sentence | None
    interrupted: bool
    flags: tuple[Sentence, ...]

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
        return None if self.detectable is None else min(1.0, ceil(round(1000.0 * self.detectable, 3)) / 1000.0)

    @property
    def verdict(self) -> GateVerdict:
        """The verdict. An interrupted run is not judged; without a decision it is inconclusive."""
        if self.rules.drop is None:
            return "reported"
        if self.interrupted:
            return "interrupted"
        return "inconclusive" if self.doubt is not None else self.decision

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
        if self.test is None:
            return sentence("not compared: {obstacle}", obstacle=self.compared.obstacle)
        if self.rules.drop is None:
            return None
        if self.interrupted:
            return Sentence("interrupted, so that the suite cannot pass")
        if self.doubt is not None:
            return sentence("not judged: {doubt}", doubt=self.doubt)
        return self._why(self.test, self.rules.drop)

    @property
    def tests(self) -> int:
        """How many tests share the level."""
        return self.rules.tests(self.suites)

    @property
    def confidence(self) -> float:
        """The confidence of the interval of the difference, whose lower end decides whether the drop is excluded."""
        return confidence_of(self.rules.alpha / self.tests)

    @property
    def corrected(self) -> Sentence | None:
        """What p-values and intervals are corrected for: ``corrected for 8 suites``; None without a correction."""
        if self.tests == 1:
            return None
        gates = self.tests // self.suites
        values = {"suites": number(self.suites, "suite"), "gates": number(gates, "gate")}
        if gates == 1:
            return sentence("corrected for {suites}", **values)
        return sentence(f"corrected for {'{gates}' if self.suites == 1 else '{suites} with {gates} each'}", **values)

    def interval(self, low: float, high: float) -> Sentence:
        """An interval in points, with its name: ``98.75 % interval, corrected for 4 suites: −1.0 to +2.0``."""
        corrected = self.corrected
        text = "{confidence} interval {ends}" if corrected is None else "{confidence} interval, {corrected}: {ends}"
        ends = Figure("interval", None, "points", low=low, high=high, confidence=self.confidence)
        return sentence(text, confidence=confidence(self.confidence), ends=ends, corrected=corrected or Sentence(""))

    def p_values(self, p_value: float) -> Sentence:
        """A p-value, with the corrected one if there are several tests: ``p 0.010, corrected 0.080``."""
        text = "p {p}, corrected {corrected}" if self.tests > 1 else "p {p}"
        corrected = Figure("corrected p", bonferroni(p_value, self.tests), "p")
        return sentence(text, p=Figure("p", p_value, "p"), corrected=corrected)

    @property
    def worse(self) -> bool:
        """Whether the pass rate is significantly lower than the baseline's."""
        return self.p_corrected is not None and self.p_corrected < self.rules.alpha

    def _why(self, test: PairedTest, drop: float) -> Sentence:
        values = {
            "drop": given_drop(drop),
            "pairs": number(test.pairs, "pair"),
            "needed": number(self.needed or 0, "pair", name="pairs needed"),
        }
        if self.decision == "failed":
            text = "significantly worse, and the drop may be {drop} or more, so the suite fails"
        elif self.decision == "passed":
            text = f"{'significantly worse, but the' if self.worse else 'any'} drop is smaller than {{drop}}"
        elif self.detectable is None:
            cannot = "{pairs} cannot show any drop; compare runs with more common formulas"
            text = f"not significantly worse, but {cannot}"
        else:
            needs = "more pairs narrow the interval"
            if self.needed is not None:
                needs = "a decision needs about {needed} (more samples)"
            text = f"not significantly worse, but the data cannot rule out a drop of {{drop}} or more; {needs}"
        return sentence(text, **values)

    @property
    def _measured(self) -> Sentence | None:
        test = self.test
        if test is None:
            return None
        p = Sentence("") if test.p_value is None else sentence("; {p}", p=self.p_values(test.p_value))
        return sentence(
            "{pairs}, {won} won, {lost} lost: {difference} points ({interval}{p})",
            pairs=number(test.pairs, "pair"),
            won=number(test.won, name="won"),
            lost=number(test.lost, name="lost"),
            difference=Figure("difference", test.difference, "points", n=test.pairs),
            interval=self.interval(test.interval.low, test.interval.high),
            p=p,
        )


class Baseline:
    """The suites of an earlier run, or of several, grouped once for all comparisons.

    Suites that were asked the same of the same model are one: several runs are one baseline.
    """

    def __init__(self, suites: Iterable[SuiteRecord]) -> None:
        with_samples = [suite for suite in suites if suite.regular]
        self._groups = grouped(with_samples, Comparable.of)
        self._suites = {key: _together(group) for key, group in self._groups.items()}

    @property
    def suites(self) -> list[SuiteRecord]:
        """The suites that others are compared with."""
        return [*self._suites.values()]

    def compared_with(self, suite: SuiteRecord) -> Comparison:
        """A suite with its match.

        A model that the baseline does not have is compared with the baseline's only model of that suite. If the
        baseline has several, none is chosen. Constrained answers are compared with free ones, and free ones with
        constrained ones, if the baseline has no others.
        """
        key = Comparable.of(suite)
        keys = [key, key._replace(constrained=not key.constrained)]
        matches = [kind for kind in keys if kind in self._suites][:1]
        for kind in keys if not matches else ():
            alike = kind._replace(model="")
            matches = matches or [other for other in self._suites if other._replace(model="") == alike]
        if len(matches) == 1:
            return Comparison.of(suite, self._suites[matches[0]])
        if not matches:
            return Comparison(here=suite, refusal=self._why_absent(key))
        models = one_line(", ".join(sorted(other.model for other in matches)))
        text = "the baseline has several models for this suite, but not {model}: {models}"
        return Comparison(here=suite, refusal=sentence(text, model=one_line(key.model), models=models))

    def _why_absent(self, key: Comparable) -> Sentence:
        """Why the baseline has no match for a suite: how it asked the suite, if it has it."""
        test = key.function, key.parameters
        others = [other for other in self._suites if (other.function, other.parameters) == test]
        for what in ("prompting", "interface", "reader"):
            ours, theirs = getattr(key, what), sorted({getattr(other, what) for other in others})
            if theirs and ours not in theirs and (ours or what == "reader"):
                names = one_line(", ".join(name or "none" for name in theirs))
                text = f"this run has the {what} {{ours}}, and the baseline {{theirs}} (--autoeval-{what})"
                return sentence(text, ours=one_line(ours or "none"), theirs=names)
        return _OTHERWISE if others else _ABSENT

    def left_over(self, compared: Iterable[Comparison]) -> list[str]:
        """The suites of the baseline, with their models, that are in none of the comparisons. A suite that this run
        asked in another way is not listed: its comparison says so.
        """
        compared = list(compared)
        tests = [
            (_test_of(one.here), one.here.model) for one in compared if one.refusal is not None and one.there is None
        ]
        used = {Comparable.of(one.there) for one in compared if one.there is not None}
        names = {
            named(suite.name, suite.model)
            for key, group in self._groups.items()
            if key not in used and ((key.function, key.parameters), key.model) not in tests
            for suite in group
        }
        return [one_line(name) for name in sorted(names)]


def _test_of(suite: SuiteRecord) -> tuple[str, str]:
    return suite.asked.function, suite.asked.parameters


def _together(suites: Sequence[SuiteRecord]) -> SuiteRecord:
    """The samples of several suites as one; each sample keeps its own suite."""
    if len(suites) == 1:
        return suites[0]
    first = suites[0]
    return SuiteRecord(first.asked, first.run, [sample for suite in suites for sample in suite.samples], first.end)


def judge_comparison(compared: Comparison, rules: Rules, *, extent: Extent, suites: int) -> BaselineGate:
    """The gate of a comparison. Its p-value and its interval are corrected for all tests of the run of ``suites``."""
    there, pairs = compared.there, compared.pairs
    both = [(trials(pair.there), trials(pair.here)) for pair in pairs]
    tests = rules.tests(suites)
    level = rules.alpha / tests
    test = paired_test(both, confidence_of(level)) if pairs else None
    corrected = detectable = needed = None
    decision: Decision = "inconclusive"
    if test is not None:
        corrected = None if test.p_value is None else bonferroni(test.p_value, tests)
        detectable = smallest_detectable_drop(test, alpha=level)
        if rules.drop is not None:
            decision = judge_drop(test.interval.low, corrected, drop=rules.drop, alpha=rules.alpha)
            number = pairs_needed(rules.drop, test, alpha=level)
            needed = number if number > test.pairs else None
    # If a suite was stopped because of its results, every other test of these results is biased.
    whose = "suite" if extent.stopped_early else "baseline" if there is not None and stopped_early(there) else ""
    doubt = Sentence(f"the {whose} was stopped early, which biases the comparison; run all of its samples")
    if extent.spent:
        whose, doubt = "suite", Sentence("the budget ran out before all samples of the suite had run")
    return BaselineGate(
        compared=compared,
        rules=rules,
        suites=suites,
        test=test,
        p_corrected=corrected,
        detectable=detectable,
        needed=needed,
        decision=decision,
        doubt=doubt if whose else None,
        interrupted=extent.interrupted and not extent.spent,
        flags=() if there is None else tuple(differences(compared.here, there, pairs)),
    )
