"""The test of one suite: its power, and why unequal repeats need two tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np

from gate_rates.cells import Cell, Figures, Measure, Promise, Table, Value
from gate_rates.verdicts import tested_suite
from gate_rates.worlds import World
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.statistics.paired import PairedTest
from pytest_autoeval.statistics.pass_rate import Interval
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop
from pytest_autoeval.statistics.sign_flips import lower_tail_probability
from pytest_autoeval.statistics.stratified import stratified_difference

_ENOUGH = Promise(0.8, at_least=True)
#: The rules whose power is measured. D is the drop for which the pairs are counted.
_RULES = Rules(suite_drop=0.08)


def unequal_repeats(runs: int, random: np.random.Generator, **world: Any) -> Figures:
    """How often an unchanged model is significantly worse by random signs, by the conditional test, and by both."""
    simulated = World(**world)
    counts: Counter[str] = Counter()
    scale = simulated.repeats * simulated.repeats_after
    for run in simulated.runs(runs, random):
        pairs = [simulated.kinds[code][:2] for code in run[0].tolist()]
        changes = Counter(
            after[0] * scale // after[1] - before[0] * scale // before[1] for before, after in pairs
        )
        counts["flips"] += lower_tail_probability(changes) < 0.05
        p_value = stratified_difference([(after, before) for before, after in pairs]).p_value
        counts["conditional"] += p_value is not None and p_value < 0.05
        counts["both"] += tested_suite(simulated, run[0], 0.95).fell(0.05)
    return {name: (counts[name], runs) for name in ("flips", "conditional", "both")}


def power(
    runs: int, random: np.random.Generator, *, level_of: int, drop: float, **world: Any
) -> Figures:
    """What unchanged runs say of their power, and whether it is so. The level is that of one of ``level_of`` suites.

    ``detectable`` is the mean drop, in points, that they call detectable, and ``found`` how often a new run finds the
    drop just named. ``pairs`` is the mean number of pairs that they call needed for a decision on ``drop``; so many
    pairs find it (``enough to find``), and exclude it if nothing changed (``enough to exclude``).
    """
    simulated = World(**world)
    level = _RULES.suite_level(level_of)
    named: list[float] = []
    needed: list[int] = []
    found = found_with_needed = excluded_with_needed = 0
    for run in simulated.runs(runs, random):
        test = _essence(tested_suite(simulated, run[0], _RULES.confidence).worst)
        smallest = _detectable(test, level)
        if smallest is not None:
            named.append(smallest)
            found += _one(replace(simulated, drop=smallest), random).fell(level)
        needed.append(_needed(drop, test, level))
        # Documents stay whole.
        enough = replace(simulated, formulas=ceil(needed[-1] / simulated.rows) * simulated.rows)
        found_with_needed += _one(replace(enough, drop=drop), random).fell(level)
        excluded_with_needed += _one(enough, random).excludes(drop)
    return {
        "detectable": 100 * sum(named) / max(1, len(named)),
        "found": (found, len(named)),
        "pairs": sum(needed) / runs,
        "enough to find": (found_with_needed, runs),
        "enough to exclude": (excluded_with_needed, runs),
    }


def _one(world: World, random: np.random.Generator) -> Any:
    """The test of one run of a world."""
    return tested_suite(world, next(world.runs(1, random))[0], _RULES.confidence)


@lru_cache(maxsize=20_000)
def _detectable(test: PairedTest, alpha: float) -> float | None:
    return smallest_detectable_drop(test, alpha=alpha)


@lru_cache(maxsize=20_000)
def _needed(drop: float, test: PairedTest, alpha: float) -> int:
    return pairs_needed(drop, test, alpha=alpha, confidence=_RULES.confidence)


def _essence(test: PairedTest) -> PairedTest:
    """The test without what its power does not depend on, and with the rest made a little coarser."""
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
        step=ceil(test.step * 50) / 50,
        effect=ceil(test.effect * 20) / 20,
    )


MEASURES: dict[str, Measure] = {"unequal_repeats": unequal_repeats, "power": power}


def _unequal() -> Table:
    rows: list[list[str | Value]] = []
    for before, after in ((1, 5), (5, 1), (10, 1)):
        for alike, name in ((0.0, "independent"), (0.5, "half agree"), (1.0, "all agree in a run")):
            cell = Cell(
                "unequal_repeats",
                {"formulas": 100, "repeats": before, "repeats_after": after, "alike": alike},
            )
            values = [
                Value(cell, "both", Promise(0.05)),
                Value(cell, "flips"),
                Value(cell, "conditional"),
            ]
            rows.append([f"{before} and {after}", name, *values])
    heads = [
        *("repeats before and after", "trials of a formula", "both tests (≤ 5.0 %)"),
        *("random signs alone", "conditional test alone"),
    ]
    return Table(
        "Unequal repeats, nothing changed: significantly worse by each test, 100 formulas",
        heads,
        rows,
    )


def _power() -> Table:
    rows: list[list[str | Value]] = []
    worlds: list[tuple[str, dict[str, Any]]] = [
        ("one trial", {"formulas": 100}),
        ("one trial", {"formulas": 400}),
        (
            "5 and 5 repeats, independent",
            {"formulas": 60, "repeats": 5, "repeats_after": 5, "alike": 0.0},
        ),
        (
            "5 and 5 repeats, half agree",
            {"formulas": 60, "repeats": 5, "repeats_after": 5, "alike": 0.5},
        ),
        ("5 and 1 repeats, half agree", {"formulas": 100, "repeats": 5, "alike": 0.5}),
        ("documents of 3 rows, correlation 0.5", {"formulas": 300, "rows": 3, "correlation": 0.5}),
    ]
    for name, world in worlds:
        for suites in (1, 5):
            cell = Cell("power", {"level_of": suites, "drop": 0.08, **world})
            rows.append(
                [
                    *(name, str(world["formulas"]), str(suites)),
                    Value(cell, "detectable"),
                    Value(cell, "found", _ENOUGH),
                    Value(cell, "pairs"),
                    Value(cell, "enough to find", _ENOUGH),
                    Value(cell, "enough to exclude", _ENOUGH),
                ]
            )
    heads = [
        "trials",
        "formulas",
        "suites",
        "detectable drop, in points",
        "found (≥ 80.0 %)",
        "pairs needed for 8 points",
        *("they find it (≥ 80.0 %)", "they exclude it (≥ 80.0 %)"),
    ]
    return Table("The power that reports name", heads, rows)


TABLES = {"unequal": _unequal, "power": _power}
