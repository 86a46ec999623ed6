"""Judges simulated runs by the functions of the product, and by the gate of earlier releases."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gate_rates.worlds import World
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_judgement import FALSE_DISCOVERIES
from pytest_autoeval.statistics.drops import BoundedTest, Decision
from pytest_autoeval.statistics.look_levels import LOOKS, fell_at, share_of_look
from pytest_autoeval.statistics.multiplicity import benjamini_hochberg
from pytest_autoeval.statistics.run_verdict import bounded_test, run_decision

#: The codes of the rows of each cluster, and how many clusters have them.
Clusters = tuple[tuple[bytes, int], ...]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on one model: with `drop:D`, and ``each`` with `suite-drop:D`.

    ``fell``: over all pairs; ``alone``: each suite by itself; ``listed``: those that are listed as fallen. ``saved`` is
    the share of samples that planned looks saved.
    """

    decision: Decision
    each: Decision
    whole: BoundedTest
    fell: bool
    alone: list[bool]
    listed: list[bool]
    saved: float = 0.0


def judged(world: World, rules: Rules, run: Any, *, looks: bool = False) -> list[Verdict]:
    """The verdict on each model of a run, with five planned looks or without."""
    models = run.reshape(world.models, world.suites, world.formulas)
    return [_of_model(world, rules, model, looks=looks) for model in models]


def _of_model(world: World, rules: Rules, model: Any, *, looks: bool) -> Verdict:
    assert rules.drop is not None
    tested = world.suites * world.models
    level, suite_level = rules.level(world.models, tested), rules.suite_level(tested)
    suites = [tested_suite(world, codes, rules.confidence) for codes in model]
    # Rows of one document that stand in several suites are one cluster.
    grouped = model.reshape(world.suites // world.shared, world.shared, -1, world.rows)
    together = grouped.transpose(0, 2, 1, 3).reshape(-1, world.in_cluster)
    whole = suites[0] if world.suites == 1 else _test(world, _clusters(together), rules.confidence)
    alone = [suite.fell(suite_level) for suite in suites]
    saved = 0.0
    if looks:
        ended = [_look_of_fall(world, codes, suite_level, rules.confidence) for codes in model]
        alone = [look is not None for look in ended]
        saved = sum(1 - look / LOOKS for look in ended if look is not None) / len(ended)
        if tested == 1:
            level *= share_of_look(LOOKS)
    each = all(suite.excludes(rules.drop) for suite in suites)
    return Verdict(
        decision=run_decision(
            whole, level=level, drop=rules.drop, fell_alone=any(alone), excluded_alone=True
        ),
        each=run_decision(
            whole, level=level, drop=None, fell_alone=any(alone), excluded_alone=each
        ),
        whole=whole,
        fell=whole.fell(level),
        alone=alone,
        listed=benjamini_hochberg([suite.p_value or 1.0 for suite in suites], FALSE_DISCOVERIES),
        saved=saved,
    )


def _look_of_fall(world: World, codes: Any, level: float, confidence: float) -> int | None:
    """The first look at which a suite fell; None if it did not."""
    for look in range(1, LOOKS + 1):
        ran = codes[: len(codes) * look // LOOKS]
        if fell_at(tested_suite(world, ran, confidence).p_value, level, look):
            return look
    return None


def tested_suite(world: World, codes: Any, confidence: float) -> BoundedTest:
    """The test of one suite."""
    return _test(world, _clusters(codes.reshape(-1, world.rows)), confidence)


def by_old_gate(world: World, drop: float, alpha: float, run: Any) -> list[str]:
    """The verdicts of earlier releases: each suite is tested alone, with Bonferroni's correction for all suites.

    A suite fails if its corrected p-value is below ``alpha`` and its corrected interval contains the drop.
    """
    level = alpha / world.suites
    tests = [tested_suite(world, codes, max(0.95, 1 - 2 * level)) for codes in run]
    return [
        "passed" if test.excludes(drop) else "failed" if test.fell(level) else "inconclusive"
        for test in tests
    ]


def _clusters(rows: Any) -> Clusters:
    """The clusters of an array with a row of codes for each."""
    if rows.shape[1] == 1:
        codes, times = np.unique(rows, return_counts=True)
        return tuple(
            (code.tobytes(), number) for code, number in zip(codes, times.tolist(), strict=True)
        )
    in_order = np.sort(rows, axis=1)
    return tuple(sorted(Counter(row.tobytes() for row in in_order).items()))


@lru_cache(maxsize=100_000)
def _test(world: World, clusters: Clusters, confidence: float) -> BoundedTest:
    """The test of clusters; most runs of small suites resemble an earlier one."""
    worst, best, numbers = [], [], []
    number = 0
    for codes, times in clusters:
        kinds = [world.kinds[code] for code in np.frombuffer(codes, dtype=np.int64)]
        for _ in range(times):
            number += 1
            for before, after, before_at_best, after_at_best in kinds:
                worst.append((before, after))
                best.append((before_at_best, after_at_best))
                numbers.append(number)
    return bounded_test(worst, best, numbers, confidence)
