"""The paired test: did the pass rate fall on the same formulas?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from pytest_autoeval.statistics.clusters import Trials, design_effect
from pytest_autoeval.statistics.pass_rate import Interval, score_interval
from pytest_autoeval.statistics.sign_flips import lower_tail_probability
from pytest_autoeval.statistics.stratified import stratified_difference


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The paired test of formulas tried before and after.

    ``won`` of the ``pairs`` have a higher rate after, ``lost`` a lower one. ``before`` and ``after`` are the means of
    the formulas' rates, ``difference`` is after − before. ``p_value`` is one-sided: the probability of so low a sum of
    differences if nothing changed; None without pairs. ``mean_square`` is the mean of the squared
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
    sign-flip test on the formulas' differences, of which McNemar's is a special case.

    With other numbers of trials before than after, random signs are not exact: the side with fewer trials varies more.
    The p-value is then the larger one of two tests: the sign-flip test, and the exact conditional test of Mantel and
    Haenszel. Given all passes of a formula in both runs, those after have a hypergeometric distribution. Neither test
    alone would do. The conditional one takes all trials of a formula as independent. If the repeats of one run agree
    with each other, it is wrong up to five times as often as it may be (`benchmarks/gate_error_rates.py`).

    The interval is :func:`~pytest_autoeval.statistics.pass_rate.score_interval`, with repeats of the number of formulas
    with one trial each that show as much. It contains 0 unless a test rejects at its level, so that it never claims a
    change that the p-value does not. Raises :class:`ValueError`.

    Sources: Q. McNemar, Psychometrika 12 (1947), 153-157; R. A. Fisher, "The design of experiments" (1935), section 21;
    N. Mantel and W. Haenszel, Journal of the National Cancer Institute 22 (1959), 719-748.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    kinds = Counter(pairs)
    if any(not (0 <= passed <= total and total) for pair in kinds for passed, total in pair):
        raise ValueError("each formula needs trials before and after, and passed must lie in 0…total")
    if not pairs:
        return PairedTest(0, 0, 0, 0, 0.0, 0.0, 0.0, Interval(-1.0, 1.0), None, 0.0)
    # In integers, so that no sum depends on the order of the formulas.
    scale = lcm(*{total for pair in kinds for _, total in pair})
    changes: Counter[int] = Counter()
    sums = [0, 0]
    for (before, after), times in kinds.items():
        rates = before[0] * (scale // before[1]), after[0] * (scale // after[1])
        changes[rates[1] - rates[0]] += times
        sums = [sums[0] + rates[0] * times, sums[1] + rates[1] * times]
    count = len(pairs)
    difference = sum(change * times for change, times in changes.items()) / (scale * count)
    mean_square = sum(change * change * times for change, times in changes.items()) / (scale * scale * count)
    # The side whose repeats agree more: a drop may consist of few formulas that now always fail.
    step = max(_step([before for before, _ in pairs]), _step([after for _, after in pairs]))
    score = score_interval(*_in_single_trials(count, difference, mean_square, step), confidence)
    p_value = _p_value(changes, pairs)
    tail = (1.0 - confidence) / 2.0
    low, high = score.low, score.high
    if high < 0.0 and p_value > tail:
        high = 0.0
    if low > 0.0 and _p_value(Counter({-change: times for change, times in changes.items()}), _swapped(pairs)) > tail:
        low = 0.0
    return PairedTest(
        pairs=count,
        won=sum(times for change, times in changes.items() if change > 0),
        lost=sum(times for change, times in changes.items() if change < 0),
        tied=changes[0],
        before=sums[0] / (scale * count),
        after=sums[1] / (scale * count),
        difference=difference,
        interval=Interval(low, high),
        p_value=p_value,
        mean_square=mean_square,
        step=step,
    )


def two_sided_test(pairs: Sequence[tuple[Trials, Trials]]) -> tuple[PairedTest, float | None]:
    """The paired test and its two-sided p-value, None without pairs; with one trial each McNemar's exact test."""
    test = paired_test(pairs)
    tail = test if test.difference <= 0 else paired_test(_swapped(pairs))
    return test, None if tail.p_value is None else min(1.0, 2 * tail.p_value)


def _swapped(pairs: Sequence[tuple[Trials, Trials]]) -> list[tuple[Trials, Trials]]:
    return [(after, before) for before, after in pairs]


def _p_value(changes: Mapping[int, int], pairs: Sequence[tuple[Trials, Trials]]) -> float:
    """The one-sided p-value of a fall. ``changes`` counts the differences of the pairs, in units of any size."""
    flipped = lower_tail_probability(changes)
    if all(before[1] == after[1] for before, after in pairs):
        return flipped
    conditional = stratified_difference(_swapped(pairs)).p_value
    return flipped if conditional is None else max(flipped, conditional)


def _step(side: Sequence[Trials]) -> float:
    """The design effect divided by the repeats: 1 if repeats of a formula always agree."""
    return min(1.0, design_effect(side) * len(side) / sum(total for _, total in side))


def _in_single_trials(count: int, difference: float, mean_square: float, step: float) -> tuple[float, float, float]:
    """The equivalent numbers of formulas with one trial each: won, lost, and all."""
    every, gained = count / step, difference * count / step
    changed = min(every, max(abs(gained), mean_square * count / (step * step)))
    return (changed + gained) / 2, (changed - gained) / 2, every
