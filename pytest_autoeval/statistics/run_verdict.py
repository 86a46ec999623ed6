"""The decision on a run: did its pass rate fall, over all suites or in one, and is a drop excluded?

These functions know only counts, so that `benchmarks/gate_error_rates.py` judges simulated runs as the product judges
real ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from pytest_autoeval.statistics.clusters import Trials
from pytest_autoeval.statistics.drops import BoundedTest, Decision
from pytest_autoeval.statistics.paired import paired_test

#: The trials of one formula before and after.
PairTrials: TypeAlias = tuple[Trials, Trials]


def bounded_test(
    worst: Sequence[PairTrials],
    best: Sequence[PairTrials],
    clusters: Sequence[Hashable],
    confidence: float,
) -> BoundedTest:
    """The test of some pairs, of one suite or of several, with errors at worst and at best.

    ``worst`` and ``best`` are the same pairs, each with its trials as if the errors had ended against this run, or for
    it. Pairs with the same value in ``clusters`` change together.
    """
    at_worst = paired_test(worst, confidence, clusters)
    if worst == best:
        return BoundedTest(at_worst, at_worst)
    return BoundedTest(at_worst, paired_test(best, confidence, clusters))


def run_decision(
    all_pairs: BoundedTest | None,
    *,
    level: float,
    drop: float | None,
    fell_alone: bool,
    excluded_alone: bool,
) -> Decision:
    """The decision on one model's run, from the test of ``all_pairs``, over all its pairs.

    ``all_pairs`` is None if the pairs of all suites cannot be judged together. ``level`` is the one-sided level of its
    fall, and ``drop`` the drop that it must exclude, if any. ``fell_alone``: a suite fell significantly by itself.
    ``excluded_alone``: each suite excludes the drop that is asked of each suite, if any.

    *Failed*: the run or a suite fell. *Passed*: nothing fell, and all drops in question are excluded. *Inconclusive*:
    neither. The exclusions are not corrected: a run passes only if all hold, so that it errs no more often than one.
    """
    if fell_alone or (all_pairs is not None and all_pairs.fell(level)):
        return "failed"
    if all_pairs is None or not excluded_alone:
        return "inconclusive"
    return "passed" if drop is None or all_pairs.excludes(drop) else "inconclusive"
