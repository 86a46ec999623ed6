"""The paired test: did the pass rate fall on the same formulas?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, lcm

from pytest_autoeval.statistics.clusters import Trials, design_effect
from pytest_autoeval.statistics.pass_rate import Interval, score_interval
from pytest_autoeval.statistics.sign_flips import lower_tail_probability


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The paired test of formulas tried before and after.

    ``won`` of the ``pairs`` have a higher rate after, ``lost`` a lower one. ``before`` and ``after`` are the means of
    the formulas' rates, ``difference`` is after − before. ``p_value`` is one-sided: the probability of so low a sum of
    differences if before and after were exchangeable; None without pairs. ``mean_square`` is the mean of the squared
    differences. ``step`` is the change of a formula's rate by one changed trial, from 1 to 1 / repeats: ``pairs`` with
    repeats show as much as ``pairs / step`` with one trial each.
    """

    pairs: int
    won: int
    lost: int
    tied: int
    before: float
    after: float
    difference: float
    interval: Interval
    p_value: float | None
    mean_square: float
    step: float = 1.0


def paired_test(pairs: Sequence[tuple[Trials, Trials]], confidence: float = 0.95) -> PairedTest:
    """Tests whether a pass rate fell, from (passed, total) before and after of each formula.

    Every formula has the same weight. With one trial each it is McNemar's exact test; with repeats it is the exact
    sign-flip test on the formulas' differences, of which McNemar's is a special case. The interval is
    :func:`~pytest_autoeval.statistics.pass_rate.score_interval`, with repeats of the number of formulas with one trial
    each that show as much. Raises :class:`ValueError`.

    Sources: Q. McNemar, Psychometrika 12 (1947), 153-157; R. A. Fisher, "The design of experiments" (1935), section 21.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    if any(not (0 <= passed <= total and total) for pair in pairs for passed, total in pair):
        raise ValueError("each formula needs trials before and after, and passed must lie in 0…total")
    if not pairs:
        return PairedTest(0, 0, 0, 0, 0.0, 0.0, 0.0, Interval(-1.0, 1.0), None, 0.0)
    scale = lcm(*{total for pair in pairs for _, total in pair})
    changes = Counter(after[0] * (scale // after[1]) - before[0] * (scale // before[1]) for before, after in pairs)
    count = len(pairs)
    difference = sum(change * times for change, times in changes.items()) / (scale * count)
    mean_square = sum(change * change * times for change, times in changes.items()) / (scale * scale * count)
    # The side whose repeats agree more: a drop may consist of few formulas that now always fail.
    step = max(_step([before for before, _ in pairs]), _step([after for _, after in pairs]))
    return PairedTest(
        pairs=count,
        won=sum(times for change, times in changes.items() if change > 0),
        lost=sum(times for change, times in changes.items() if change < 0),
        tied=changes[0],
        before=fsum(passed / total for (passed, total), _ in pairs) / count,
        after=fsum(passed / total for _, (passed, total) in pairs) / count,
        difference=difference,
        interval=score_interval(*_in_single_trials(count, difference, mean_square, step), confidence),
        p_value=lower_tail_probability(changes),
        mean_square=mean_square,
        step=step,
    )


def two_sided_test(pairs: Sequence[tuple[Trials, Trials]]) -> tuple[PairedTest, float | None]:
    """The paired test and its two-sided p-value, None without pairs; with one trial each McNemar's exact test."""
    test = paired_test(pairs)
    tail = test if test.difference <= 0 else paired_test([(after, before) for before, after in pairs])
    # The distribution under random sign flips is symmetric.
    return test, None if tail.p_value is None else min(1.0, 2 * tail.p_value)


def _step(side: Sequence[Trials]) -> float:
    """The design effect divided by the repeats: 1 if repeats of a formula always agree."""
    return min(1.0, design_effect(side) * len(side) / sum(total for _, total in side))


def _in_single_trials(count: int, difference: float, mean_square: float, step: float) -> tuple[float, float, float]:
    """The equivalent numbers of formulas with one trial each: won, lost, and all."""
    every, gained = count / step, difference * count / step
    changed = min(every, max(abs(gained), mean_square * count / (step * step)))
    return (changed + gained) / 2, (changed - gained) / 2, every
