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

#: The largest number of multiplications, which take about a second. 20,000 formulas with 20 repeats each need fewer.
MOST_WORK = 200_000_000
#: Standard deviations from the mean beyond which a binomial probability underflows to zero.
_REACH = 39


def lower_tail_probability(changes: Mapping[int, int]) -> float:
    """The probability of a sum as low as that of these differences, if their signs are random.

    ``changes`` counts each difference, in units of any size. The distribution of the sum is the convolution of one
    binomial distribution for each size of difference: all terms are positive, so small probabilities are precise. Above
    :data:`MOST_WORK` multiplications a normal distribution of the same variance replaces it; its error is of the order
    of 1/n for n differences.
    """
    unit = gcd(*changes)
    if not unit:
        return 1.0
    sizes: Counter[int] = Counter()
    for change, times in changes.items():
        if change:
            sizes[abs(change) // unit] += times
    lost = sum(-change * times for change, times in changes.items() if change < 0) // unit
    if _work(sizes) > MOST_WORK:
        return _approximate_chance(lost, sizes)
    return _chance_of_losing(lost, sizes)


def _approximate_chance(lost: int, sizes: Counter[int]) -> float:
    """The normal approximation of :func:`_chance_of_losing`."""
    total = sum(size * times for size, times in sizes.items())
    squares = sum(size * size * times for size, times in sizes.items())
    # A fair coin has the variance 1/4, so half of the root of the squares.
    gained = NormalDist(total / 2, sqrt(squares) / 2)
    # The normal distribution has a longer tail than a few differences: all of them may be lost, and no more.
    all_lost = 0.5 ** sizes.total()
    return max(gained.cdf(total - lost), all_lost)


def _chance_of_losing(lost: int, sizes: Mapping[int, int]) -> float:
    """The probability that the differences whose coin shows heads sum to ``lost`` or more."""
    import numpy as np

    total = 0
    weights = np.ones(1)
    for size, times in sorted(sizes.items()):
        coins = _fair_binomial(times)
        weights = _trimmed(_convolved(weights, coins, size))
        total += size * times
    # The distribution is symmetric, and both ends were trimmed equally.
    smallest = (total + 1 - len(weights)) // 2
    start = max(0, lost - smallest)
    tail = float(weights[start:].sum())
    # The outcome in which all are lost has this chance, even where trimming removed it.
    all_lost = 0.5 ** sum(sizes.values())
    return min(1.0, max(tail, all_lost))


def _convolved(weights: Weights, coins: Weights, size: int) -> Weights:
    """The distribution of a sum to which each head of the coins adds ``size``."""
    import numpy as np

    sums = np.zeros(len(weights) + size * (len(coins) - 1))
    # Both ways compute the same. The loop in Python takes the smaller number of turns.
    if len(coins) < size:
        for heads, chance in enumerate(coins):
            start = heads * size
            sums[start : start + len(weights)] += chance * weights
    else:
        for remainder in range(min(size, len(weights))):
            every_size = slice(remainder, None, size)
            sums[every_size] = np.convolve(weights[every_size], coins)
    return sums


def _fair_binomial(times: int) -> Weights:
    """The distribution of the number of heads of ``times`` fair coins, by repeated squaring."""
    import numpy as np

    weights = np.ones(1)
    squared = np.full(2, 0.5)
    while times:
        if times & 1:
            weights = _trimmed(np.convolve(weights, squared))
        times >>= 1
        if times:
            squared = _trimmed(np.convolve(squared, squared))
    return weights


def _trimmed(weights: Weights) -> Weights:
    """Removes as many weights from each end as are zero at both ends."""
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
        of_coins = min(times + 1, _REACH * sqrt(times))
        of_sums = min(total + 1, _REACH * sqrt(squares))
        work += of_coins * of_sums
    return work
