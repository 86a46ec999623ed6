"""How often the gates are right and wrong: the promises of docs/reference/statistics.md, simulated.

    python benchmarks/gate_error_rates.py [--runs 2000] [--seed 1]

Prints Markdown tables. Models are simulated by what the gates see of them: formulas that pass or fail before and after.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, sqrt

import numpy as np

from pytest_autoeval.statistics import Interval, PassRate
from pytest_autoeval.statistics.clusters import design_effect
from pytest_autoeval.statistics.drops import judge_drop
from pytest_autoeval.statistics.multiplicity import bonferroni
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop
from pytest_autoeval.statistics.sequential import reaches

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

    def shares(self, verdict: Callable[[], str]) -> Shares:
        """How often each verdict is given."""
        verdicts = Counter(verdict() for _ in range(self.number))
        return {name: verdicts[name] / self.number for name in VERDICTS}


@dataclass(frozen=True)
class World:
    """Formulas, a model before and after, and how a drop of its pass rate comes about.

    Each of the ``formulas`` is tried ``repeats`` times. A share ``noisy`` of them passes by chance, at ``rate`` in each
    trial; the others always pass or always fail, a share ``rate`` of them passing. ``churn`` of the certain formulas
    change sides, either way as often, without any drop. A drop either breaks formulas altogether (``breaking``), or
    lowers the chance of every noisy formula.
    """

    formulas: int
    repeats: int = 1
    rate: float = 0.9
    noisy: float = 0.0
    churn: float = 0.1
    breaking: bool = True

    def draw(self, random: np.random.Generator, drop: float = 0.0) -> Pairs:
        """The trials of the formulas before and after, when the pass rate falls by ``drop``."""
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
        counts = zip(random.binomial(self.repeats, before), random.binomial(self.repeats, after), strict=True)
        return [((int(one), self.repeats), (int(other), self.repeats)) for one, other in counts]


def threshold_gate(rate: float, samples: int, threshold: float, runs: Runs, *, interval: bool) -> Shares:
    """What a gate says of independent samples that pass at this rate."""

    def verdict() -> str:
        measured = PassRate(int(runs.random.binomial(samples, rate)), 0, samples)
        if interval:
            return by_interval(measured, threshold)
        return "passed" if measured.lower >= threshold else "failed"

    return runs.shares(verdict)


def repeated_gate(world: World, threshold: float, runs: Runs, *, aware: bool) -> Shares:
    """What the interval gate says of repeated formulas, if it is ``aware`` that repeats resemble each other, or not."""

    def verdict() -> str:
        trials = [before for before, _ in world.draw(runs.random)]
        effect = design_effect(trials) if aware else 1.0
        passed, total = (sum(counts) for counts in zip(*trials, strict=True))
        return by_interval(PassRate(passed, 0, total, effect), threshold)

    return runs.shares(verdict)


def by_interval(measured: PassRate, threshold: float) -> str:
    """The rule of the interval gate."""
    interval = measured.interval()
    return "passed" if interval.low >= threshold else "failed" if interval.high < threshold else "inconclusive"


def baseline_gate(world: World, drops: Sequence[float], runs: Runs) -> list[Counter[str]]:
    """What the gate on drop:5% says in each run, of one suite for each of ``drops``, corrected by Bonferroni.

    Each run's counter also counts as ``significant`` the suites whose corrected p-value is below α.
    """
    found = []
    for _ in range(runs.number):
        tests = [paired_test(world.draw(runs.random, drop)) for drop in drops]
        adjusted = [1.0 if test.p_value is None else bonferroni(test.p_value, len(drops)) for test in tests]
        verdicts: Counter[str] = Counter(significant=sum(p < ALPHA for p in adjusted))
        for test, p in zip(tests, adjusted, strict=True):
            smallest = detectable(test, ALPHA / len(drops))
            verdicts[judge_drop(test.interval.low, p, drop=0.05, alpha=ALPHA, detectable=smallest)] += 1
        found.append(verdicts)
    return found


def detectable(test: PairedTest, alpha: float) -> float | None:
    """The smallest drop that the test's pairs can show; remembered, because runs resemble each other."""
    return _detectable(_essence(test), alpha)


@cache
def _detectable(test: PairedTest, alpha: float) -> float | None:
    return smallest_detectable_drop(test, alpha=alpha)


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
        mean_square=ceil(test.mean_square * 1000) / 1000,
        step=round(test.step, 2),
    )


def power_at_detectable(world: World, runs: Runs, suites: int = 1) -> tuple[float, float]:
    """The mean drop that unchanged runs call detectable, and how often a new run with the drop just named is found.

    The level is corrected over so many ``suites``.
    """
    named, found = [], 0
    for _ in range(runs.number):
        smallest = detectable(paired_test(world.draw(runs.random)), ALPHA / suites)
        if smallest is not None:
            named.append(smallest)
            found += finds(world.draw(runs.random, smallest), suites)
    return sum(named) / len(named), found / len(named)


def power_at_needed(world: World, drop: float, runs: Runs, suites: int = 1) -> tuple[float, float]:
    """The mean number of pairs that unchanged runs call needed for a drop, and how often that many find it.

    The level is corrected over so many ``suites``.
    """
    needed, found = [], 0
    for _ in range(runs.number):
        needed.append(_needed(drop, _essence(paired_test(world.draw(runs.random))), ALPHA / suites))
        found += finds(replace(world, formulas=needed[-1]).draw(runs.random, drop), suites)
    return sum(needed) / runs.number, found / runs.number


def finds(pairs: Pairs, suites: int) -> bool:
    """Whether the drop is significant after the correction."""
    p_value = paired_test(pairs).p_value
    return p_value is not None and bonferroni(p_value, suites) < ALPHA


@cache
def _needed(drop: float, test: PairedTest, alpha: float) -> int:
    return pairs_needed(drop, test, alpha=alpha)


def early_stop(rate: float, planned: int, threshold: float, runs: Runs) -> tuple[float, float]:
    """How often stopping early says something else than the whole run would have, and the share of trials spared."""
    needed = ceil(threshold * planned)
    wrong = spared = 0
    for _ in range(runs.number):
        trials = runs.random.random(planned) < rate
        passes = 0
        for seen in range(planned + 1):
            decided = _reaches(needed, passes, seen, planned)
            if decided is not None:
                wrong += decided != (int(trials.sum()) >= needed)
                spared += planned - seen
                break
            passes += int(trials[seen])
    return wrong / runs.number, spared / runs.number / planned


@cache
def _reaches(needed: int, passes: int, seen: int, planned: int) -> bool | None:
    return reaches(needed, passes=passes, seen=seen, planned=planned, alpha=ALPHA)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description="Simulates the error rates of the gates.")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    slack = 2 * sqrt(ALPHA * (1 - ALPHA) / asked.runs)
    print(
        f"{asked.runs:,} runs each, seed {asked.seed}, α = {ALPHA}; a share of {ALPHA:.0%} is seen as ±{slack:.1%}.\n"
    )
    for offset, table in enumerate((_threshold_tables, _baseline_tables, _power_table, _early_table)):
        table(Runs(asked.runs, np.random.default_rng(asked.seed + offset)))


def _threshold_tables(runs: Runs) -> None:
    rows: list[list[object]] = []
    for samples in (50, 200, 1000):
        for rate in (0.80, 0.85, 0.90):
            point = threshold_gate(rate, samples, 0.85, runs, interval=False)
            whole = threshold_gate(rate, samples, 0.85, runs, interval=True)
            rows.append([samples, _percent(rate), *_percents(point, ("passed", "failed")), *_percents(whole)])
    heads = ["samples", "true rate", "point: passed", "failed", "interval: passed", "inconclusive", "failed"]
    _table("Threshold 85 %", heads, rows)
    rows = []
    for rate in (0.80, 0.85, 0.90):
        for name, aware in (("clustered by formula", True), ("as if independent", False)):
            verdicts = repeated_gate(World(40, 5, rate, noisy=0.5, churn=0.0), 0.85, runs, aware=aware)
            rows.append([_percent(rate), name, *_percents(verdicts)])
    heads = ["true rate", "interval", *VERDICTS]
    _table("Threshold 85 %, interval gate, 40 formulas with 5 repeats, half of them certain", heads, rows)


def _baseline_tables(runs: Runs) -> None:
    rows = []
    for name, world in (
        ("one trial", World(50)),
        ("one trial", World(200)),
        ("one trial", World(500)),
        ("one trial, no churn", World(200, churn=0.0)),
        ("5 repeats, formulas break", World(100, 5, noisy=0.7, churn=0.02)),
        ("5 repeats, all weaken", World(100, 5, noisy=1.0, breaking=False)),
    ):
        for drop in (0.0, 0.05, 0.10):
            found = baseline_gate(world, [drop], runs)
            verdicts = (_percent(_mean(found, verdict)) for verdict in VERDICTS)
            rows.append([name, world.formulas, _percent(drop), *verdicts])
    _table("Baseline gate, drop:5%", ["trials", "formulas", "true drop", *VERDICTS], rows)
    several = []
    for name, drops in (("none", [0.0] * 5), ("10 %, one suite", [0.1, *[0.0] * 4]), ("10 %, every suite", [0.1] * 5)):
        found = baseline_gate(World(300), drops, runs)
        shares = (_mean([Counter({kind: one[kind] > 0}) for one in found], kind) for kind in ("significant", "failed"))
        several.append([name, *map(_percent, shares), _percent(_mean(found, "failed") / 5)])
    heads = ["drop", "any significant", "any failed", "suites failed"]
    _table("Baseline gate, drop:5%, five suites of 300 formulas, Bonferroni's correction", heads, several)


def _power_table(runs: Runs) -> None:
    rows = []
    for name, world in (
        ("one trial", World(100)),
        ("one trial", World(400)),
        ("one trial, no churn", World(100, churn=0.0)),
        ("5 repeats, formulas break", World(100, 5, noisy=0.7, churn=0.02)),
        ("5 repeats, all weaken", World(100, 5, noisy=1.0, breaking=False)),
    ):
        for suites in (1, 5):
            drop, power = power_at_detectable(world, runs, suites)
            needed, reached = power_at_needed(world, 0.08, runs, suites)
            named = [_percent(drop), _percent(power), f"{needed:.0f}", _percent(reached)]
            rows.append([name, world.formulas, suites, *named])
    heads = [
        "trials",
        "formulas",
        "suites",
        "detectable drop",
        "power at it",
        "pairs needed for 8 %",
        "power with them",
    ]
    _table("What is promised with 80 % power", heads, rows)


def _early_table(runs: Runs) -> None:
    rows = []
    for rate in (0.70, 0.80, 0.85, 0.90, 0.97):
        wrong, spared = early_stop(rate, 200, 0.85, runs)
        rows.append([_percent(rate), _percent(wrong), _percent(spared)])
    heads = ["true rate", "decision differs from the whole run", "trials saved"]
    _table("Stopping early: 200 planned trials, threshold 85 %", heads, rows)


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
