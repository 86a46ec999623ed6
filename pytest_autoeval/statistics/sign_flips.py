"""The exact sign-flip test: the probability that differences with random signs sum to at most the observed value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import gcd, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Weights: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

#: The largest number of multiplications, which take less than a second. 20,000 formulas with 20 repeats each need 80
#: million, if the two runs have the same pass rates and differ by chance.
MOST_WORK = 200_000_000
#: Standard deviations from the mean beyond which a binomial probability underflows to zero. By Hoeffding's inequality
#: it is at most exp(-39² / 2), which is below the smallest floating-point number.
_REACH = 39


def lower_tail_probability(changes: Mapping[int, int]) -> float:
    """The probability of a sum as low as that of these differences, if their signs are random.

    ``changes`` counts each difference, in units of any size. Each difference is a fair coin: heads, and it is lost
    (negative); tails, and it is gained. So a sum as low as the observed one means that as much is lost, or more.

    The distribution of what is lost is the convolution of one binomial distribution for each size of difference. All
    terms are positive, so small probabilities are precise. Above :data:`MOST_WORK` multiplications a normal
    distribution of the same variance replaces it; its error is of the order of 1/n for n differences.
    """
    # In the largest common unit, the distribution has the fewest values.
    unit = gcd(*changes)
    if not unit:  # there is no difference, or each one is zero
        return 1.0
    sizes: Counter[int] = Counter()
    for change, times in changes.items():
        if change:
            sizes[abs(change) // unit] += times
    observed_loss = sum(-change * times for change, times in changes.items() if change < 0)
    lost = observed_loss // unit
    if _work(sizes) > MOST_WORK:
        return _approximate_chance(lost, sizes)
    return _chance_of_losing(lost, sizes)


def _approximate_chance(lost: int, sizes: Counter[int]) -> float:
    """The normal approximation of :func:`_chance_of_losing`."""
    total = sum(size * times for size, times in sizes.items())
    squares = sum(size * size * times for size, times in sizes.items())
    # A fair coin has the mean 1/2 and the variance 1/4, so the standard deviation is half of the root of the squares.
    gained = NormalDist(total / 2, sqrt(squares) / 2)
    # To lose ``lost`` or more is to gain the rest of the total or less.
    tail = gained.cdf(total - lost)
    # With fewer than 12 differences the tail may be below the chance that all are lost, which is part of it.
    all_lost = 0.5 ** sizes.total()
    return max(tail, all_lost)


def _chance_of_losing(lost: int, sizes: Mapping[int, int]) -> float:
    """The probability that the differences whose coin shows heads sum to ``lost`` or more.

    ``sizes`` has the number of differences of each size, without their signs.
    """
    import numpy as np

    total = 0
    # The chance of each sum. Before the first coin, the sum is 0 for sure.
    weights = np.ones(1)
    for size, times in sorted(sizes.items()):
        coins = _fair_binomial(times)
        weights = _trimmed(_convolved(weights, coins, size))
        total += size * times
    # There are total + 1 sums, from 0. Those without a weight were trimmed, half of them at each end.
    smallest = (total + 1 - len(weights)) // 2
    # The place of the sum ``lost`` among the weights. It may lie before them, and then all of them count.
    start = max(0, lost - smallest)
    tail = float(weights[start:].sum())
    # The outcome in which all are lost has this chance, even where trimming removed it.
    all_lost = 0.5 ** sum(sizes.values())
    return min(1.0, max(tail, all_lost))


def _convolved(weights: Weights, coins: Weights, size: int) -> Weights:
    """The distribution of a sum to which each head of the coins adds ``size``."""
    import numpy as np

    sums = np.zeros(len(weights) + size * (len(coins) - 1))
    # Both ways compute the same: one turn for each number of heads, or one for each remainder of a sum by ``size``.
    # The way with fewer turns of the loop in Python is faster.
    if len(coins) < size:
        for heads, chance in enumerate(coins):
            # All sums are moved up by what these heads add.
            start = heads * size
            sums[start : start + len(weights)] += chance * weights
    else:
        for remainder in range(min(size, len(weights))):
            # The heads add multiples of ``size``, so they lead from a sum to others of the same remainder only.
            same_remainder = slice(remainder, None, size)
            sums[same_remainder] = np.convolve(weights[same_remainder], coins)
    return sums


def _fair_binomial(times: int) -> Weights:
    """The distribution of the number of heads of ``times`` fair coins, by repeated doubling of the number of coins."""
    import numpy as np

    weights = np.ones(1)
    # The distribution for 1, 2, 4, 8, … coins. Those that are bits of ``times`` are joined.
    power_of_two = np.full(2, 0.5)
    while times:
        if times & 1:
            weights = _trimmed(np.convolve(weights, power_of_two))
        times >>= 1
        if times:
            power_of_two = _trimmed(np.convolve(power_of_two, power_of_two))
    return weights


def _trimmed(weights: Weights) -> Weights:
    """The weights without the zeros at their ends; equally many at each end, so that the middle stays the middle."""
    positive = weights.nonzero()[0]
    zeros_before = positive[0]
    zeros_after = len(weights) - 1 - positive[-1]
    edge = int(min(zeros_before, zeros_after))
    return weights[edge : len(weights) - edge]


def _work(sizes: Mapping[int, int]) -> float:
    """How many multiplications the convolutions need, of which those with zeros are left out."""
    work = total = squares = 0.0
    for size, times in sorted(sizes.items()):
        total += size * times
        squares += size * size * times
        # The standard deviation is half of the root, and the weights reach to both sides of the mean.
        positive_coins = min(times + 1, _REACH * sqrt(times))
        positive_sums = min(total + 1, _REACH * sqrt(squares))
        work += positive_coins * positive_sums
    return work
