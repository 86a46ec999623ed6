"""The paired test: did the pass rate fall on the same formulas?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from math import fsum, lcm

from msgspec import Struct

from pytest_autoeval.statistics.clusters import Trials, design_effect
from pytest_autoeval.statistics.pass_rate import Interval, score_interval
from pytest_autoeval.statistics.sign_flips import lower_tail_probability
from pytest_autoeval.statistics.unequal_repeats import lower_tail_of_unequal


class PairedTest(Struct, frozen=True):
    """The paired test of formulas tried before and after.

    ``won`` of the ``pairs`` have a higher rate after, ``lost`` a lower one. ``before`` and ``after`` are the means of
    the formulas' rates, ``difference`` is after − before. ``p_value`` is one-sided: the probability of so low a sum of
    differences if nothing changed; None without pairs. ``mean_square`` is the mean of the squared
    differences. ``step`` is the change of a formula's rate by one changed trial, from 1 to 1 / repeats: ``pairs`` with
    repeats show as much as ``pairs / step`` with one trial each. ``effect`` is the number of pairs that show as much
    as one independent pair: above 1 if formulas of one cluster change together.
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
    effect: float = 1.0

    @property
    def independent(self) -> float:
        """The number of independent formulas with one trial each that show as much."""
        return self.pairs / self.step / self.effect

    @property
    def churn(self) -> float:
        """The share of formulas that changed, of the independent ones. One is added: few pairs cannot show that
        changes are rare.
        """
        changed = self.mean_square * self.pairs / (self.step * self.step * self.effect)
        return min(1.0, (changed + 1) / (self.independent + 1))


def paired_test(
    pairs: Sequence[tuple[Trials, Trials]],
    confidence: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> PairedTest:
    """Tests whether a pass rate fell, from (passed, total) before and after of each formula.

    Every formula has the same weight. With one trial each it is McNemar's exact test; with repeats it is the exact
    sign-flip test on the formulas' differences, of which McNemar's is a special case.

    With other numbers of trials before than after, random signs are not exact: the side with fewer trials varies more.
    The p-value is then the larger one of two tests: the sign-flip test, and
    :func:`~pytest_autoeval.statistics.unequal_repeats.lower_tail_of_unequal`.

    Pairs with the same value in ``clusters``, one for each pair, change together: their signs are flipped together.
    With equal repeats that is exact however strongly they depend on each other.

    The interval is :func:`~pytest_autoeval.statistics.pass_rate.score_interval`. Repeats count as the number of
    formulas with one trial each that show as much, and clusters as the number of independent pairs that do. It contains
    0 unless a test rejects at its level, so that it never claims a change that the p-value does not. Raises
    :class:`ValueError`.

    Sources: Q. McNemar, Psychometrika 12 (1947), 153-157; R. A. Fisher, "The design of experiments" (1935), section 21;
    N. Mantel and W. Haenszel, Journal of the National Cancer Institute 22 (1959), 719-748 (the conditional test, of
    which that of unequal repeats is a cautious form).
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    kinds = Counter(pairs)
    sides = [side for pair in kinds for side in pair]
    if any(not (0 <= passed <= total and total) for passed, total in sides):
        raise ValueError(
            "each formula needs trials before and after, and passed must lie in 0…total"
        )
    if clusters is not None and len(clusters) != len(pairs):
        raise ValueError(f"{len(pairs)} pairs need as many clusters, not {len(clusters)}")
    if not pairs:
        return PairedTest(0, 0, 0, 0, 0.0, 0.0, 0.0, Interval(-1.0, 1.0), None, 0.0)
    # In integers, in units of 1 / scale, so that no sum depends on the order of the formulas.
    scale = lcm(*{total for _, total in sides})
    changes: Counter[int] = Counter()
    sum_before = sum_after = 0
    for ((passed_before, tried_before), (passed_after, tried_after)), times in kinds.items():
        rate_before = passed_before * (scale // tried_before)
        rate_after = passed_after * (scale // tried_after)
        changes[rate_after - rate_before] += times
        sum_before += rate_before * times
        sum_after += rate_after * times
    count = len(pairs)
    difference = (sum_after - sum_before) / (scale * count)
    squares = sum(change * change * times for change, times in changes.items())
    mean_square = squares / (scale * scale * count)
    # The side whose repeats agree more: a drop may consist of few formulas that now always fail.
    step_before = _step([before for before, _ in pairs])
    step_after = _step([after for _, after in pairs])
    step = max(step_before, step_after)
    flipped, effect = changes, 1.0
    if clusters is not None and len(set(clusters)) < count:
        cluster_sums, cluster_sizes = _by_cluster(pairs, clusters, scale)
        flipped = Counter(cluster_sums)
        squares_of_pairs = scale * scale * mean_square * count
        effect = _cluster_effect(cluster_sums, cluster_sizes, squares_of_pairs, scale)
    won, lost, total = _in_single_trials(count / effect, difference, mean_square, step)
    score = score_interval(won, lost, total, confidence)
    p_value = _p_value(flipped, pairs)
    tail = (1.0 - confidence) / 2.0
    low, high = score.low, score.high
    if high < 0.0 and p_value > tail:
        high = 0.0
    if low > 0.0 and _p_value(_negated(flipped), _swapped(pairs)) > tail:
        low = 0.0
    return PairedTest(
        pairs=count,
        won=sum(times for change, times in changes.items() if change > 0),
        lost=sum(times for change, times in changes.items() if change < 0),
        tied=changes[0],
        before=sum_before / (scale * count),
        after=sum_after / (scale * count),
        difference=difference,
        interval=Interval(low, high),
        p_value=p_value,
        mean_square=mean_square,
        step=step,
        effect=effect,
    )


def two_sided_test(
    pairs: Sequence[tuple[Trials, Trials]], clusters: Sequence[Hashable] | None = None
) -> tuple[PairedTest, float | None]:
    """The paired test and its two-sided p-value, None without pairs; with one trial each McNemar's exact test."""
    test = paired_test(pairs, clusters=clusters)
    # The smaller tail is that in the direction of the difference.
    tail = test
    if test.difference > 0:
        tail = paired_test(_swapped(pairs), clusters=clusters)
    if tail.p_value is None:
        return test, None
    return test, min(1.0, 2 * tail.p_value)


def _by_cluster(
    pairs: Sequence[tuple[Trials, Trials]], clusters: Sequence[Hashable], scale: int
) -> tuple[list[int], list[int]]:
    """The sum of differences of each cluster, in units of 1 / ``scale``, and its number of pairs."""
    sums: Counter[Hashable] = Counter()
    sizes: Counter[Hashable] = Counter()
    for ((passed_before, tried_before), (passed_after, tried_after)), cluster in zip(
        pairs, clusters, strict=True
    ):
        rate_before = passed_before * (scale // tried_before)
        rate_after = passed_after * (scale // tried_after)
        sums[cluster] += rate_after - rate_before
        sizes[cluster] += 1
    return [sums[cluster] for cluster in sizes], [*sizes.values()]


def _cluster_effect(sums: Sequence[int], sizes: Sequence[int], squares: float, scale: int) -> float:
    """The variance of the sum of all differences, with clusters, divided by that of independent pairs.

    As a prior, one cluster of the usual size is added that changed as a whole: the clusters count as copies until the
    data show otherwise.
    """
    # The size of the cluster of a pair that is drawn at random. No effect is larger.
    largest = fsum(size * size for size in sizes) / sum(sizes)
    unit = scale * scale
    squared_sums = fsum(total * total for total in sums)
    of_clusters = squared_sums + largest * largest * unit
    of_pairs = squares + largest * unit
    effect = of_clusters / of_pairs
    return min(largest, max(1.0, effect))


def _negated(changes: Mapping[int, int]) -> Counter[int]:
    return Counter({-change: times for change, times in changes.items()})


def _swapped(pairs: Sequence[tuple[Trials, Trials]]) -> list[tuple[Trials, Trials]]:
    return [(after, before) for before, after in pairs]


def _p_value(changes: Mapping[int, int], pairs: Sequence[tuple[Trials, Trials]]) -> float:
    """The one-sided p-value of a fall. ``changes`` counts the differences of the pairs, in units of any size."""
    flipped = lower_tail_probability(changes)
    has_equal_repeats = all(before[1] == after[1] for before, after in pairs)
    if has_equal_repeats:
        return flipped
    unequal = lower_tail_of_unequal(Counter(pairs))
    return max(flipped, unequal)


def _step(side: Sequence[Trials]) -> float:
    """The design effect divided by the repeats: 1 if repeats of a formula always agree."""
    trials = sum(total for _, total in side)
    return min(1.0, design_effect(side) * len(side) / trials)


def _in_single_trials(
    count: float, difference: float, mean_square: float, step: float
) -> tuple[float, float, float]:
    """The equivalent numbers of formulas with one trial each: won, lost, and all."""
    total = count / step
    gained = difference * count / step
    spread = mean_square * count / (step * step)
    # At least as many changed as the difference needs, and not more than there are.
    changed = min(total, max(abs(gained), spread))
    won = (changed + gained) / 2
    lost = (changed - gained) / 2
    return won, lost, total
