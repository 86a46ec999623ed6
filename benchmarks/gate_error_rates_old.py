"""How often the gates are right and wrong: the promises of docs/reference/statistics.md, simulated.

    python benchmarks/gate_error_rates.py [--runs 2000] [--seed 1] [--only power] [--jobs 2]

Prints Markdown tables, each promise beside its measurement. Models are simulated by what the gates see of them:
formulas that pass or fail before and after.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations
from math import ceil, sqrt
from typing import Any

import numpy as np

from pytest_autoeval.statistics import Interval, PassRate
from pytest_autoeval.statistics.clusters import design_effect
from pytest_autoeval.statistics.drops import confidence_of, judge_drop
from pytest_autoeval.statistics.multiplicity import bonferroni, holm
from pytest_autoeval.statistics.over_suites import mean_ranks, mean_rate
from pytest_autoeval.statistics.paired import PairedTest, paired_test, two_sided_test
from pytest_autoeval.statistics.power import (
    pairs_needed,
    planned_exclusion,
    planned_power,
    power_of_comparison,
    smallest_detectable_drop,
)
from pytest_autoeval.statistics.sign_flips import lower_tail_probability
from pytest_autoeval.statistics.stratified import stratified_difference

ALPHA = 0.05
VERDICTS = ("passed", "inconclusive", "failed")
Trials = tuple[int, int]
Pairs = list[tuple[Trials, Trials]]
Shares = dict[str, float]


@dataclass(frozen=True)
class Runs:
    """How often a gate is tried, and where chance comes from."""

    number: int
    random: np.random.Generator
    jobs: int = 1

    def rows(self, row: Callable[[Any, Runs], list[object]], tasks: Sequence[Any]) -> list[list[object]]:
        """A row of a table for each task, in several processes. Each has a generator of its own."""
        alone = [Runs(self.number, one) for one in self.random.spawn(len(tasks))]
        if self.jobs == 1:
            return [row(task, runs) for task, runs in zip(tasks, alone, strict=True)]
        with ProcessPoolExecutor(self.jobs) as pool:
            return list(pool.map(row, tasks, alone))

    def shares(self, verdict: Callable[[], str]) -> Shares:
        """How often each verdict is given."""
        verdicts = Counter(verdict() for _ in range(self.number))
        return {name: verdicts[name] / self.number for name in VERDICTS}

    def share(self, happens: Callable[[], bool]) -> float:
        """How often something happens."""
        return sum(happens() for _ in range(self.number)) / self.number


@dataclass(frozen=True)
class World:
    """Formulas, a model before and after, and how a drop of its pass rate comes about.

    Each of the ``formulas`` is tried ``repeats`` times before and ``repeats_after`` times after (0: as often). A share
    ``noisy`` of them passes by chance, at ``rate`` in each trial; the others always pass or always fail, a share
    ``rate`` of them passing. ``churn`` of the certain formulas change sides, either way as often, without any drop. A
    drop either breaks formulas altogether (``breaking``), or lowers the chance of every noisy formula.
    """

    formulas: int
    repeats: int = 1
    rate: float = 0.9
    noisy: float = 0.0
    churn: float = 0.1
    breaking: bool = True
    repeats_after: int = 0

    def draw(self, random: np.random.Generator, drop: float = 0.0) -> Pairs:
        """The trials of the formulas before and after, when the pass rate falls by ``drop``."""
        if not self.noisy and self.repeats == (self.repeats_after or 1) == 1:
            return self._draw_certain(random, drop)
        by_chance = random.random(self.formulas) < self.noisy
        before = np.where(by_chance, self.rate, random.random(self.formulas) < self.rate)
        # Of certain formulas as many must come as go, though fewer fail than pass.
        coin, half = random.random(self.formulas), self.churn / 2
        after = np.where(~by_chance & (before == 1) & (coin < half / self.rate), 0.0, before)
        after = np.where(~by_chance & (before == 0) & (coin < half / (1 - self.rate)), 1.0, after)
        if self.breaking:
            after = np.where(random.random(self.formulas) < drop / self.rate, 0.0, after)
        else:
            after = np.where(by_chance, after - drop / self.noisy, after)
        numbers = self.repeats, self.repeats_after or self.repeats
        passed = [random.binomial(numbers[0], before).tolist(), random.binomial(numbers[1], after).tolist()]
        return [((one, numbers[0]), (other, numbers[1])) for one, other in zip(*passed, strict=True)]

    def _draw_certain(self, random: np.random.Generator, drop: float) -> Pairs:
        """The same for certain formulas with one trial each, by the number of those that change: much faster."""
        half, breaks = self.churn / 2, drop / self.rate
        lost = half + (self.rate - half) * breaks
        won = half * (1 - breaks)
        changed = random.multinomial(self.formulas, [lost, won, 1 - lost - won]).tolist()
        ends: Pairs = [((1, 1), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (1, 1))]
        return [pair for pair, times in zip(ends, changed, strict=True) for _ in range(times)]


# ---- the test of a comparison, remembered, because runs resemble each other ----


def compare(pairs: Pairs, confidence: float = 0.95) -> PairedTest:
    """The paired test."""
    return _compare(frozenset(Counter(pairs).items()), confidence)


@lru_cache(maxsize=20_000)
def _compare(kinds: frozenset[tuple[tuple[Trials, Trials], int]], confidence: float) -> PairedTest:
    return paired_test([pair for pair, times in kinds for _ in range(times)], confidence)


def detectable(test: PairedTest, alpha: float) -> float | None:
    """The smallest drop that the test's pairs can show."""
    return _detectable(_essence(test), alpha)


@cache
def _detectable(test: PairedTest, alpha: float) -> float | None:
    return smallest_detectable_drop(test, alpha=alpha)


@cache
def _needed(drop: float, test: PairedTest, alpha: float) -> int:
    return pairs_needed(drop, test, alpha=alpha)


def _essence(test: PairedTest) -> PairedTest:
    """The test without what power does not depend on, and with the rest made a little coarser."""
    return PairedTest(
        pairs=test.pairs,
        won=0,
        lost=0,
        tied=0,
        before=round(test.before, 2),
        after=0.0,
        difference=0.0,
        interval=Interval(-1.0, 1.0),
        p_value=None,
        mean_square=ceil(test.mean_square * 200) / 200,
        step=round(test.step, 2),
    )


# ---- the gates ----


def threshold_gate(  # noqa: PLR0913 (a gate, a model, and how often)
    rate: float, samples: int, threshold: float, runs: Runs, *, interval: bool, confidence: float = 0.95
) -> Shares:
    """What a gate says of independent samples that pass at this rate."""
    measured = [PassRate(passed, 0, samples) for passed in range(samples + 1)]
    said = [
        by_interval(one, threshold, confidence) if interval else "passed" if one.lower >= threshold else "failed"
        for one in measured
    ]
    verdicts = Counter(said[passed] for passed in runs.random.binomial(samples, rate, runs.number).tolist())
    return {name: verdicts[name] / runs.number for name in VERDICTS}


def repeated_gate(world: World, threshold: float, runs: Runs, *, aware: bool) -> Shares:
    """What the interval gate says of repeated formulas, if it is ``aware`` that repeats resemble each other, or not."""

    def verdict() -> str:
        trials = [before for before, _ in world.draw(runs.random)]
        effect = design_effect(trials) if aware else 1.0
        passed, total = (sum(counts) for counts in zip(*trials, strict=True))
        return by_interval(PassRate(passed, 0, total, effect), threshold)

    return runs.shares(verdict)


def by_interval(measured: PassRate, threshold: float, confidence: float = 0.95) -> str:
    """The rule of the interval gate."""
    interval = measured.interval(confidence)
    return "passed" if interval.low >= threshold else "failed" if interval.high < threshold else "inconclusive"


def baseline_gate(
    world: World, drops: Sequence[float], runs: Runs, *, gates: int = 1, asked: float = 0.05
) -> list[Counter[str]]:
    """What the gate on a drop ``asked`` says in each run, of one suite for each of ``drops``.

    The level is corrected for the suites, and for ``gates`` on each of them. Each run's counter also counts as
    ``significant`` the suites whose corrected p-value is below α, as ``missed`` those whose interval does not contain
    the true drop, and as ``old rule`` those with exactly the drop ``asked`` that would
    have passed because of their power, if that counted.
    """
    tests = len(drops) * gates
    level = ALPHA / tests
    found = []
    for _ in range(runs.number):
        verdicts: Counter[str] = Counter()
        for drop in drops:
            test = compare(world.draw(runs.random, drop), confidence_of(level))
            p = 1.0 if test.p_value is None else bonferroni(test.p_value, tests)
            verdict = judge_drop(test.interval.low, p, drop=asked, alpha=ALPHA)
            verdicts[verdict] += 1
            verdicts["significant"] += p < ALPHA
            verdicts["missed"] += not test.interval.low <= -drop <= test.interval.high
            if verdict == "inconclusive" and drop == asked:
                smallest = detectable(test, level)
                verdicts["old rule"] += smallest is not None and smallest <= asked
        found.append(verdicts)
    return found


def two_gates(worlds: Sequence[World], runs: Runs) -> float:
    """How often an unchanged suite with several gates against the baseline fails, if they share α."""

    def fails() -> bool:
        p_values = [compare(world.draw(runs.random)).p_value for world in worlds]
        return any(p is not None and bonferroni(p, len(worlds)) < ALPHA for p in p_values)

    return runs.share(fails)


def tests_of_unequal_repeats(world: World, runs: Runs) -> tuple[float, float, float]:
    """How often an unchanged model is significantly worse by random signs, by the conditional test, and by both."""
    flips = conditional = both = 0
    for _ in range(runs.number):
        pairs = world.draw(runs.random)
        scale = world.repeats * (world.repeats_after or world.repeats)
        changes = Counter(after[0] * scale // after[1] - before[0] * scale // before[1] for before, after in pairs)
        flips += lower_tail_probability(changes) < ALPHA
        p = stratified_difference([(after, before) for before, after in pairs]).p_value
        conditional += p is not None and p < ALPHA
        both += (compare(pairs).p_value or 1.0) < ALPHA
    return flips / runs.number, conditional / runs.number, both / runs.number


def power_at_detectable(world: World, runs: Runs, suites: int = 1) -> tuple[float, float]:
    """The mean drop that unchanged runs call detectable, and how often a new run with the drop just named is found.

    The level is corrected over so many ``suites``.
    """
    named, found = [], 0
    for _ in range(runs.number):
        smallest = detectable(compare(world.draw(runs.random)), ALPHA / suites)
        if smallest is not None:
            named.append(smallest)
            found += finds(world.draw(runs.random, smallest), suites)
    return sum(named) / len(named), found / len(named)


def power_at_needed(world: World, drop: float, runs: Runs, suites: int = 1) -> tuple[float, float, float]:
    """The mean number of pairs that unchanged runs call needed for a decision, and how often that many find the drop if
    it occurs, and exclude it if nothing changed.

    The level is corrected over so many ``suites``.
    """
    needed, found, excluded = [], 0, 0
    confidence = confidence_of(ALPHA / suites)
    for _ in range(runs.number):
        needed.append(_needed(drop, _essence(compare(world.draw(runs.random))), ALPHA / suites))
        enough = replace(world, formulas=needed[-1])
        found += finds(enough.draw(runs.random, drop), suites)
        excluded += compare(enough.draw(runs.random), confidence).interval.low > -drop
    return sum(needed) / runs.number, found / runs.number, excluded / runs.number


def finds(pairs: Pairs, suites: int) -> bool:
    """Whether the drop is significant after the correction."""
    p_value = compare(pairs).p_value
    return p_value is not None and bonferroni(p_value, suites) < ALPHA


def marked_models(models: int, suites: int, runs: Runs) -> float:
    """How often any of some equally good models is marked as worse than another: Holm's correction over all pairs."""

    def marks() -> bool:
        p_values = []
        for _ in range(suites):
            answers = runs.random.random((models, 60)) < runs.random.choice([0.5, 0.99], size=60)
            for one, other in combinations(answers.astype(int).tolist(), 2):
                pairs = [((first, 1), (second, 1)) for first, second in zip(one, other, strict=True)]
                p_values.append(_two_sided(sum(one) - sum(other), tuple(sorted(Counter(pairs).items()))))
        return min(holm(p_values)) < ALPHA

    return runs.share(marks)


@cache
def _two_sided(_: int, kinds: tuple[tuple[tuple[Trials, Trials], int], ...]) -> float:
    return two_sided_test([pair for pair, times in kinds for _ in range(times)])[1] or 1.0


def mean_over_suites(suites: int, formulas: int, rate: float, runs: Runs) -> float:
    """How often the interval of the mean over suites, which share no formula, contains the true mean."""

    def contains() -> bool:
        passed = runs.random.random((suites, formulas)) < rate
        mean = mean_rate([[(int(one), 1) for one in row] for row in passed])
        return mean.low is None or mean.high is None or mean.low <= rate <= mean.high

    return runs.share(contains)


def shared_mean(suites: int, formulas: int, rate: float, runs: Runs) -> float:
    """The same if all suites have the same formulas, which pass or fail in all of them alike."""

    def contains() -> bool:
        passed = [(int(one), 1) for one in runs.random.random(formulas) < rate]
        mean = mean_rate([passed] * suites)
        return mean.low is None or mean.high is None or mean.low <= rate <= mean.high

    return runs.share(contains)


def mean_rank(suites: int, formulas: int, runs: Runs) -> float:
    """How often the interval of a model's mean rank contains 1.5, if two models are equally good."""

    def contains() -> bool:
        passed = runs.random.random((suites, formulas, 2)) < 0.85
        first, _ = mean_ranks([[tuple(map(float, pair)) for pair in suite] for suite in passed.tolist()])
        return first.low is None or first.high is None or first.low <= 1.5 <= first.high

    return runs.share(contains)


def agreement_share(sentences: int, answers: int, clear: float, runs: Runs) -> float:
    """How often the interval of the share in the largest class contains the mean share of such sentences.

    A share ``clear`` of the sentences is read in one way by 19 of 20 answers, the others in one way by half of them.
    """

    def largest(number: int) -> np.ndarray:
        single = np.where(runs.random.random(number) < clear, 0.95, 0.5)
        first = runs.random.binomial(answers, single)
        return np.maximum(first, answers - first)

    truth = largest(200_000).mean() / answers

    def contains() -> bool:
        counts = [(int(one), answers) for one in largest(sentences)]
        rate = PassRate(sum(one for one, _ in counts), 0, sentences * answers, design_effect(counts))
        interval = rate.interval()
        return bool(interval.low <= truth <= interval.high)

    return runs.share(contains)


# ---- the tables ----


def _threshold(runs: Runs) -> None:
    rows: list[list[object]] = []
    for samples in (50, 200, 1000):
        for rate in (0.80, 0.85, 0.90):
            point = threshold_gate(rate, samples, 0.85, runs, interval=False)
            whole = threshold_gate(rate, samples, 0.85, runs, interval=True)
            rows.append([samples, _percent(rate), *_percents(point, ("passed", "failed")), *_percents(whole)])
    heads = ["samples", "true rate", "point: passed", "failed", "interval: passed", "inconclusive", "failed"]
    _table("Threshold 85 %", heads, rows)
    rows = []
    for threshold in (0.5, 0.9, 0.95, 0.99):
        for samples in (20, 30, 50, 100, 400):
            verdicts = threshold_gate(threshold, samples, threshold, runs, interval=True)
            rows.append([_percent(threshold), samples, "2.5 %", *_percents(verdicts, ("passed", "failed"))])
    heads = ["threshold and true rate", "samples", "promised, at most", "passed", "failed"]
    _table("Rule interval, a model exactly at the threshold", heads, rows)
    rows = []
    for rate in (0.80, 0.85, 0.90):
        for name, aware in (("clustered by formula", True), ("as if independent", False)):
            verdicts = repeated_gate(World(40, 5, rate, noisy=0.5, churn=0.0), 0.85, runs, aware=aware)
            rows.append([_percent(rate), name, *_percents(verdicts)])
    heads = ["true rate", "interval", *VERDICTS]
    _table("Threshold 85 %, rule interval, 40 formulas with 5 repeats, half of them certain", heads, rows)


def _messages(runs: Runs) -> None:
    """What documentation and messages say of single numbers."""
    rows: list[list[object]] = []

    def add(claim: str, promised: str, measured: float) -> None:
        rows.append([claim, promised, _percent(measured)])

    point = threshold_gate(0.95, 45, 0.9, runs, interval=False)
    add("threshold 90 %, 45 samples, rule point: a true rate of 95 % fails", "7 %", point["failed"])
    point = threshold_gate(0.85, 45, 0.9, runs, interval=False)
    add("threshold 90 %, 45 samples, rule point: a true rate of 85 % passes", "17 %", point["passed"])
    point = threshold_gate(0.9, 50, 0.85, runs, interval=False)
    add("threshold 85 %, 50 samples, rule point: a true rate of 90 % fails", "12 %", point["failed"])
    point = threshold_gate(0.85, 50, 0.85, runs, interval=False)
    add("threshold 85 %, 50 samples, rule point: a true rate of 85 % passes", "about half", point["passed"])
    for samples in (5, 10, 19):
        for rate in (0.6, 0.9):
            passed = runs.random.binomial(samples, rate, runs.number)
            ends = [PassRate(number, 0, samples).interval() for number in range(samples + 1)]
            below = float(np.mean([ends[number].low > rate for number in passed]))
            above = float(np.mean([ends[number].high < rate for number in passed]))
            add(f"only {samples} samples, true rate {_percent(rate)}: it is below the named low end", "≤ 2.5 %", below)
            add(f"only {samples} samples, true rate {_percent(rate)}: it is above the named high end", "≤ 2.5 %", above)
    half = [threshold_gate(0.9, 60, 0.9, runs, interval=True, confidence=0.975)["failed"] for _ in range(2)]
    add("threshold and agreement gate of a suite, both exactly met, rule interval: it fails", "≤ 2.5 %", sum(half))
    independent = planned_power(0.05, 0.9, 200, alpha=ALPHA)
    for name, world, promised in (
        ("10 % of the formulas change besides", World(200), power_of_comparison(0.05, 200, 0.1, alpha=ALPHA)),
        (
            "5 % of the formulas change besides",
            World(200, churn=0.05),
            power_of_comparison(0.05, 200, 0.05, alpha=ALPHA),
        ),
        ("all answers are independent", World(200, noisy=1.0, breaking=False), independent),
    ):
        found = sum(finds(world.draw(runs.random, 0.05), 1) for _ in range(runs.number)) / runs.number
        add(f"drop from 90 to 85 %, 200 formulas, {name}: found", _percent(promised), found)
    world = World(200, noisy=1.0)
    kept = runs.share(lambda: compare(world.draw(runs.random)).interval.low > -0.05)
    promised = planned_exclusion(0.05, 0.9, 200, alpha=ALPHA)
    add("plan: 200 formulas at 90 %, nothing changed: a drop of 5 points is excluded", _percent(promised), kept)
    _table("Single numbers that documentation and messages say", ["what", "promised", "measured"], rows)


_WORLDS = (
    ("one trial", World(50)),
    ("one trial", World(200)),
    ("one trial", World(500)),
    ("one trial, no churn", World(200, churn=0.0)),
    ("5 repeats, formulas break", World(100, 5, noisy=0.7, churn=0.02)),
    ("5 repeats, all weaken", World(100, 5, noisy=1.0, breaking=False)),
    ("1 before, 5 after, independent", World(100, 1, noisy=1.0, repeats_after=5)),
    ("5 before, 1 after, independent", World(100, 5, noisy=1.0, repeats_after=1)),
    ("10 before, 1 after, all weaken", World(50, 10, noisy=1.0, breaking=False, repeats_after=1)),
    ("1 before, 10 after, all weaken", World(50, 1, noisy=1.0, breaking=False, repeats_after=10)),
    ("1 before, 5 after, repeats agree", World(100, 1, repeats_after=5)),
    ("1 before, 5 after, half agree", World(100, 1, noisy=0.5, repeats_after=5)),
)


def _baseline(runs: Runs) -> None:
    tasks = [(name, world, drop) for name, world in _WORLDS for drop in (0.0, 0.05)]
    heads = [
        *("trials", "formulas", "true drop", "promised", *VERDICTS),
        *("would have passed by its power", "interval contains the true drop"),
    ]
    _table("Baseline gate, drop:5%", heads, runs.rows(_baseline_row, tasks))


def _baseline_row(task: tuple[str, World, float], runs: Runs) -> list[object]:
    name, world, drop = task
    found = baseline_gate(world, [drop], runs)
    verdicts = [_percent(_mean(found, verdict)) for verdict in VERDICTS]
    promised = "passed ≤ 5 %" if drop else "failed ≤ 5 %"
    old_rule = _percent(_mean(found, "old rule")) if drop else ""
    return [name, world.formulas, _percent(drop), promised, *verdicts, old_rule, _percent(1 - _mean(found, "missed"))]


def _suites(runs: Runs) -> None:
    rows: list[list[object]] = []
    for suites, formulas in ((5, 300), (30, 60)):
        for name, drops in (
            ("none", [0.0] * suites),
            ("5 %, every suite", [0.05] * suites),
            ("10 %, one suite", [0.1, *[0.0] * (suites - 1)]),
            ("10 %, every suite", [0.1] * suites),
        ):
            found = baseline_gate(World(formulas), drops, runs)
            failed = _mean([Counter(any=one["failed"] > 0) for one in found], "any")
            passed = _mean([Counter(any=one["passed"] > 0) for one in found], "any")
            promised = {"none": "any failed ≤ 5 %", "5 %, every suite": "any passed ≤ 5 %"}.get(name, "")
            rows.append(
                [
                    suites,
                    formulas,
                    name,
                    promised,
                    _percent(failed),
                    _percent(passed),
                    _percent(_mean(found, "failed") / suites),
                ]
            )
    heads = ["suites", "formulas of each", "drop", "promised", "any failed", "any passed", "suites failed"]
    _table("Baseline gate, drop:5%, several suites, Bonferroni's correction", heads, rows)
    rows = [[2, "≤ 5 %", _percent(two_gates([World(150)] * 2, runs))]]
    _table("Several gates on one suite, nothing changed", ["gates", "promised", "any failed"], rows)


def _unequal(runs: Runs) -> None:
    tasks = [
        (name, kind, replace(world, noisy=noisy))
        for name, world in (("1 and 5", World(100, 1, repeats_after=5)), ("10 and 1", World(50, 10, repeats_after=1)))
        for kind, noisy in (("independent", 1.0), ("half agree", 0.5), ("all agree within a run", 0.0))
    ]
    heads = [
        *("repeats before and after", "trials of a formula", "promised", "the gate"),
        *("sign flips alone", "conditional test alone"),
    ]
    title = "Unequal repeats, nothing changed: how often the model is called significantly worse"
    _table(title, heads, runs.rows(_unequal_row, tasks))


def _unequal_row(task: tuple[str, str, World], runs: Runs) -> list[object]:
    name, kind, world = task
    flips, conditional, gate = tests_of_unequal_repeats(world, runs)
    return [name, kind, "≤ 5 %", *map(_percent, (gate, flips, conditional))]


def _power(runs: Runs) -> None:
    worlds = (
        ("one trial", World(100)),
        ("one trial", World(400)),
        ("one trial, no churn", World(100, churn=0.0)),
        ("5 repeats, formulas break", World(100, 5, noisy=0.7, churn=0.02)),
        ("5 repeats, all weaken", World(100, 5, noisy=1.0, breaking=False)),
    )
    heads = [
        *("trials", "formulas", "suites", "detectable drop", "found"),
        *("pairs needed for 8 %", "found with them", "excluded with them"),
    ]
    tasks = [(name, world, suites) for name, world in worlds for suites in (1, 5)]
    _table("Promised: found, and excluded, in at least 80 % of runs", heads, runs.rows(_power_row, tasks))


def _power_row(task: tuple[str, World, int], runs: Runs) -> list[object]:
    name, world, suites = task
    drop, power = power_at_detectable(world, runs, suites)
    needed, found, excluded = power_at_needed(world, 0.08, runs, suites)
    shares = [_percent(found), _percent(excluded)]
    return [name, world.formulas, suites, _percent(drop), _percent(power), f"{needed:.0f}", *shares]


def _others(runs: Runs) -> None:
    rows: list[list[object]] = []
    for models, suites in ((2, 6), (3, 4)):
        name = f"{models} equal models on {suites} suites: any pair is marked"
        rows.append([name, "≤ 5 %", _percent(marked_models(models, suites, runs))])
    holds = "the interval holds it"
    for suites, formulas, rate in ((3, 20, 0.95), (3, 60, 0.9), (12, 60, 0.9), (12, 200, 0.7)):
        name = f"mean over {suites} suites of {formulas} formulas at {_percent(rate)}: {holds}"
        rows.append([name, "85 to 97 %", _percent(mean_over_suites(suites, formulas, rate, runs))])
    for suites, formulas in ((3, 60), (12, 60)):
        name = f"mean over {suites} suites with the same {formulas} formulas: {holds}"
        rows.append([name, "too narrow", _percent(shared_mean(suites, formulas, 0.9, runs))])
    for suites, formulas in ((3, 60), (12, 60)):
        name = f"mean rank of two equal models, {suites} suites of {formulas} formulas: {holds}"
        rows.append([name, "90 to 100 %", _percent(mean_rank(suites, formulas, runs))])
    for sentences, answers, clear in ((10, 3, 0.5), (30, 8, 0.5), (60, 3, 0.95), (60, 8, 0.0)):
        name = f"agreement, {sentences} sentences with {answers} answers, {_percent(clear)} clear: {holds}"
        rows.append([name, "≥ 95 %", _percent(agreement_share(sentences, answers, clear, runs))])
    _table("Other promises", ["what", "promised", "measured"], rows)


TABLES: dict[str, Callable[[Runs], None]] = {
    "threshold": _threshold,
    "messages": _messages,
    "baseline": _baseline,
    "suites": _suites,
    "power": _power,
    "others": _others,
    "unequal": _unequal,
}


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description="Simulates the error rates of the gates.")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[*TABLES], action="append", help="print only these tables")
    parser.add_argument("--jobs", type=int, default=2, help="processes; the figures do not depend on them")
    asked = parser.parse_args()
    slack = 2 * sqrt(ALPHA * (1 - ALPHA) / asked.runs)
    print(
        f"{asked.runs:,} runs each, seed {asked.seed}, α = {ALPHA}; a share of {ALPHA:.0%} is seen as ±{slack:.1%}.\n"
    )
    for offset, (name, table) in enumerate(TABLES.items()):
        if not asked.only or name in asked.only:
            table(Runs(asked.runs, np.random.default_rng(asked.seed + offset), asked.jobs))


def _mean(found: Iterable[Counter[str]], name: str) -> float:
    counts = [one[name] for one in found]
    return sum(counts) / len(counts)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _percents(verdicts: Shares, names: Sequence[str] = VERDICTS) -> list[str]:
    return [_percent(verdicts[name]) for name in names]


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"**{title}**\n")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    print(flush=True)


if __name__ == "__main__":
    main()
