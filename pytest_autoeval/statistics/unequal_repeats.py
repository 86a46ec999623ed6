"""The test of differences of formulas that were tried more often in one of two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import lcm, sqrt
from operator import mul
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_autoeval.statistics.clusters import Trials
from pytest_autoeval.statistics.stratified import hypergeometric, sum_of_equal

if TYPE_CHECKING:
    from pytest_autoeval.statistics.logistic import Numbers

#: Multiplications, about a second.
MOST_WORK = 500_000_000
#: The passes of a formula in both runs, its trials before and after, and 0; or zeros, and the difference to flip.
_Kind: TypeAlias = tuple[int, int, int, int]


class _Difference(NamedTuple):
    """The possible differences of one formula, in equal steps from the ``least``, with their probabilities."""

    least: int
    step: int
    weights: Numbers

    @property
    def variance(self) -> float:
        # The mean of the differences is 0, so no square of it is subtracted.
        weights = self.weights.tolist()
        differences = [self.least + self.step * number for number in range(len(weights))]
        squares = [difference**2 for difference in differences]
        return float(sum(map(mul, weights, squares)))


def lower_tail_of_unequal(pairs: Mapping[tuple[Trials, Trials], int]) -> float:
    """The probability of a sum of differences of rates as low as that of these pairs, if nothing changed.

    ``pairs`` counts the formulas by their (passed, total) before and after. It is not known whether the trials of a
    formula agree within a run, or are independent. So each formula has the distribution of the kind that it may be of:

    - If its trials end in several ways in one of the runs, they are independent. Given all its passes, those after are
      hypergeometric.
    - If all its trials of each run end alike, but the two runs differ, its trials may agree within a run: then both
      signs of the difference are equally likely. This varies more than if they were independent.

    So it is exact for trials that agree, and cautious for independent ones. The conditional test alone takes all trials
    as independent: with 1 and 10 repeats, of which half agree, it was wrong four times as often as it may be, at the
    level of one of 30 suites (`benchmarks/gate_error_rates.py`). Above :data:`MOST_WORK` multiplications a normal
    distribution of the same variance is used.
    """
    # In units of 1 / scale all differences of rates are integers.
    numbers_of_trials = {total for pair in pairs for _, total in pair}
    scale = lcm(*numbers_of_trials)
    observed, kinds = _observed_and_kinds(pairs, scale)
    differences = [(_difference(*kind, scale), times) for kind, times in sorted(kinds.items())]
    if _work(differences) > MOST_WORK:
        variance = sum(difference.variance * times for difference, times in differences)
        return NormalDist(0, sqrt(variance)).cdf(observed)
    least, weights = _sum_of(differences)
    at_most_observed = weights[: observed - least + 1]
    return min(1.0, float(at_most_observed.sum()))


def _observed_and_kinds(
    pairs: Mapping[tuple[Trials, Trials], int], scale: int
) -> tuple[int, Counter[_Kind]]:
    """The sum of all differences, and how often each kind of formula occurs."""
    observed = 0
    kinds: Counter[_Kind] = Counter()
    for ((passed_before, before), (passed_after, after)), times in pairs.items():
        rate_before = passed_before * (scale // before)
        rate_after = passed_after * (scale // after)
        change = rate_after - rate_before
        observed += change * times
        is_unanimous = passed_before in {0, before} and passed_after in {0, after}
        if before != after and not is_unanimous:
            kinds[passed_before + passed_after, before, after, 0] += times
        elif change:  # without a change, no sign has an effect
            kinds[0, 0, 0, abs(change)] += times
    return observed, kinds


def _sum_of(differences: Sequence[tuple[_Difference, int]]) -> tuple[int, Numbers]:
    """The smallest sum of so many differences of each kind, and the probabilities of all sums from it on."""
    import numpy as np

    least = 0
    weights: Numbers = np.ones(1)
    for difference, times in differences:
        summed = sum_of_equal(difference.weights, times)
        # The steps of one kind are several units of the whole: the sums between them have weight 0.
        width = (len(summed) - 1) * difference.step + 1
        spread = np.zeros(width)
        spread[:: difference.step] = summed
        weights = np.convolve(weights, spread)
        least += difference.least * times
    return least, weights


def _difference(passes: int, before: int, after: int, flipped: int, scale: int) -> _Difference:
    """The differences of a formula with so many passes in both runs, or of one whose sign is ``flipped``."""
    import numpy as np

    if flipped:
        return _Difference(-flipped, 2 * flipped, np.full(2, 0.5))
    pass_after = scale // after
    pass_before = scale // before
    fewest_after = max(0, passes - before)
    most_before = passes - fewest_after
    least = fewest_after * pass_after - most_before * pass_before
    # A pass that moves from the earlier run to this one changes both rates.
    step = pass_after + pass_before
    return _Difference(least, step, hypergeometric(passes, after, before))


def _work(differences: list[tuple[_Difference, int]]) -> int:
    """How many multiplications the exact distribution needs."""
    work, length = 0, 1
    for difference, times in differences:
        width = (len(difference.weights) - 1) * difference.step * times + 1
        work += width * min(width, length)
        length += width
    return work
