"""A run that is planned, and what its verdict will be by luck, as numbers: before anything is paid."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean

from msgspec import Struct

from pytest_autoeval.judging.gates import INTERVAL_ERROR
from pytest_autoeval.judging.item_groups import Paired, by_item, cluster_keys, trials
from pytest_autoeval.judging.mismatch import Overlap
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.statistics.clusters import Trials, cluster_numbers
from pytest_autoeval.statistics.planned_pairs import (
    assumed_churn,
    measured_churn,
    planned_pairs,
    repeats_effect,
)
from pytest_autoeval.statistics.run_plan import PlannedThreshold, RunPlan, Shape, SuitePlan

#: The assumed pass rate of a suite without a threshold and without a baseline.
ASSUMED_RATE = 0.9


class SuiteOfPlan(Struct, frozen=True, kw_only=True, dict=True):
    """A suite that is planned, and the ``threshold`` it must reach.

    ``record`` has its samples. ``compared`` is the comparison with the baseline; None if the run has none.
    ``other_gates`` are the names of further gates, of which so many are ``sharing`` the error of its intervals.
    """

    name: str
    model: str
    record: SuiteRecord
    compared: Comparison | None
    threshold: float | None
    other_gates: tuple[str, ...] = ()
    sharing: int = 0

    @cached_property
    def pairs(self) -> Sequence[Paired]:
        """The pairs that the run will have; without a baseline those of this run and of a later one like it."""
        if self.compared is not None:
            return [pair for pair in self.compared.pairs if pair.before]
        items = by_item(self.record.counted)
        return [Paired(item, samples, samples) for item, samples in items.items()]

    @cached_property
    def before(self) -> list[Trials]:
        """What the baseline's run passed, of each pair; nothing without a baseline."""
        return [] if self.compared is None else [trials(pair.before) for pair in self.pairs]

    @property
    def rate(self) -> float:
        """The rate of the baseline, else an assumed one: 5 points above the threshold."""
        if self.before:
            return fmean(passed / total for passed, total in self.before)
        if self.threshold is None:
            return ASSUMED_RATE
        return PlannedThreshold(threshold=self.threshold, samples=1).above

    @property
    def repeats(self) -> tuple[int, int]:
        """The trials of each formula before and after: the fewest."""
        repeats_now = [len(pair.now) for pair in self.pairs]
        repeats_before = [total for _, total in self.before]
        # Errors leave a formula with fewer, and the fewest promise the least.
        after = min(repeats_now, default=1)
        before = min(repeats_before, default=after)
        return before, after

    @property
    def measured(self) -> float | None:
        """The share of answers that changed by chance, as the baseline shows it; None if it does not."""
        return measured_churn(self.before)

    @property
    def churn(self) -> float:
        """The measured share of answers that change by chance, else the assumed one."""
        return assumed_churn(self.rate) if self.measured is None else self.measured


class PlannedRun(Struct, frozen=True, kw_only=True, dict=True):
    """The suites of one model, whose verdict is planned.

    ``number`` is that of all suites, and ``models`` that of all models of the run. ``looks``: suites may stop early.
    """

    suites: Sequence[SuiteOfPlan]
    rules: Rules
    number: int
    models: int
    looks: bool = False

    @cached_property
    def has_baseline(self) -> bool:
        return bool(self.comparisons)

    @property
    def comparisons(self) -> list[Comparison]:
        """The comparisons with the baseline."""
        return [suite.compared for suite in self.suites if suite.compared is not None]

    @property
    def overlaps(self) -> list[Overlap]:
        """How many formulas of each suite the baseline has."""
        overlaps = [compared.overlap for compared in self.comparisons]
        return [overlap for overlap in overlaps if overlap is not None]

    @cached_property
    def without_pairs(self) -> list[SuiteOfPlan]:
        """The suites that the baseline cannot be compared with."""
        return [suite for suite in self.suites if suite.compared is not None and not suite.pairs]

    @property
    def without_a_pair(self) -> int:
        """How many formulas the run of the baseline did not ask, because it was cut off."""
        return sum(len(compared.only_now) for compared in self.comparisons if compared.lacks_pairs)

    @property
    def obstacles(self) -> Mapping[str, list[SuiteOfPlan]]:
        """The suites that the baseline cannot be compared with, by the reason."""
        groups: dict[str, list[SuiteOfPlan]] = defaultdict(list)
        for suite in self.without_pairs:
            if suite.compared is not None:
                groups[str(suite.compared.obstacle)].append(suite)
        return dict(groups)

    @cached_property
    def plan(self) -> RunPlan:
        """The plan as numbers."""
        total = sum(len(suite.pairs) for suite in self.suites)
        refused = [
            suite
            for suite in self.without_pairs
            if suite.compared is not None and not suite.compared.is_new
        ]
        return RunPlan(
            suites=[self._planned(suite, total) for suite in self.suites],
            level=self.rules.level(self.models, self.number),
            suite_level=self.rules.suite_level(self.number),
            confidence=self.rules.confidence,
            drop=self.rules.drop,
            suite_drop=self.rules.suite_drop,
            shapes=self._shapes,
            complete=not (self.rules.judges_falls and (refused or self.without_a_pair)),
        )

    def _planned(self, suite: SuiteOfPlan, total: int) -> SuitePlan:
        pairs = None
        if suite.pairs:
            # The one pair that the test adds is spread over all suites, or a run of many would seem to change more.
            added = len(suite.pairs) / total
            pairs = planned_pairs(
                len(suite.pairs), suite.rate, suite.churn, repeats=suite.repeats, added=added
            )
        return SuitePlan(rate=suite.rate, pairs=pairs, gate=self._gate(suite))

    def _gate(self, suite: SuiteOfPlan) -> PlannedThreshold | None:
        if suite.threshold is None:
            return None
        samples = len(suite.record.counted)
        # Repeats of one formula show less than as many formulas.
        effect = repeats_effect(suite.rate, suite.churn, suite.repeats[1])
        is_interval = self.rules.gate == "interval"
        sharing = 1 + suite.sharing if is_interval else 1
        return PlannedThreshold(
            threshold=suite.threshold,
            samples=max(1, round(samples / effect)),
            interval=is_interval,
            confidence=1 - INTERVAL_ERROR / sharing,
        )

    @cached_property
    def _shapes(self) -> Mapping[Shape, int]:
        """How many clusters have so many pairs in each suite."""
        suite_of_pair: list[int] = []
        samples: list[Sample] = []
        for index, planned_suite in enumerate(self.suites):
            for pair in planned_suite.pairs:
                suite_of_pair.append(index)
                samples.append(pair.now[0])
        numbers = cluster_numbers(map(cluster_keys, samples))
        # For each cluster, how many of its pairs lie in each suite. Clusters of one shape are simulated together.
        members: dict[int, Counter[int]] = defaultdict(Counter)
        for number, suite in zip(numbers, suite_of_pair, strict=True):
            members[number][suite] += 1
        shapes = [tuple(sorted(counts.items())) for counts in members.values()]
        return Counter(shapes)
