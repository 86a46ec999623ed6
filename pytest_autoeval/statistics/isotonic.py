"""Isotonic regression: the likeliest rates that never rise with size, and their bootstrap intervals.

Not with scipy, whose import takes as long as a run of two hundred samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import ge, le
from typing import NamedTuple

import numpy as np

from pytest_autoeval.statistics.logistic import Numbers


def falling_rates(passed: Numbers, total: Numbers) -> Numbers:
    """The likeliest rates that never rise, for each row of counts (draws, sizes): pool adjacent violators.

    A size without trials has the rate of its neighbours.
    """
    # A weight of almost nothing makes no difference, and a weight of 0 would have no mean.
    weights = np.maximum(total, 1e-9)
    rows = zip((passed / weights).tolist(), weights.tolist(), strict=True)
    return np.array([_falling_row(*row) for row in rows])


class _Block(NamedTuple):
    """Neighbouring sizes that have one rate, and the sum of their weights."""

    rate: float
    weight: float
    sizes: int = 1


def _falling_row(rates: Sequence[float], weights: Sequence[float]) -> list[float]:
    # The largest size is the first one that is taken, so that rates must not fall on the way.
    unseen = [_Block(*block) for block in zip(rates, weights, strict=True)]
    blocks: list[_Block] = []
    while unseen:
        block = unseen.pop()
        if blocks and blocks[-1].rate >= block.rate:
            block = _pooled(block, blocks, unseen)
        blocks.append(block)
    falling: list[float] = []
    for block in reversed(blocks):
        falling += [block.rate] * block.sizes
    return falling


def _pooled(block: _Block, before: list[_Block], after: list[_Block]) -> _Block:
    """A block joined with the one before it and with all neighbours whose rates would fall then; they are taken out.

    The sums are made in the order of scipy's. A rate may be exactly at a level, and its last digit then decides where
    the horizon is.
    """
    last = before.pop()
    passed = last.weight * last.rate + block.weight * block.rate
    weight = block.weight + last.weight
    sizes = block.sizes + last.sizes
    rate = passed / weight
    for neighbours, falls in ((after, ge), (before, le)):
        while neighbours and falls(rate, neighbours[-1].rate):
            neighbour = neighbours.pop()
            passed += neighbour.weight * neighbour.rate
            weight += neighbour.weight
            sizes += neighbour.sizes
            rate = passed / weight
    return _Block(rate, weight, sizes)


def rates_at(level: float, rates: Numbers, chance: float) -> Numbers:
    """The rate at a level, for each row of falling rates.

    If answers can be guessed, the level is a share of the way up to the rate at the smallest size: from the rate at the
    largest size, or from ``chance`` if the rates do not fall so far.
    """
    if not chance:
        return np.full(len(rates), level)
    rate_of_smallest = rates[:, 0]
    rate_of_largest = rates[:, -1]
    least = np.minimum(rate_of_largest, chance)
    return np.asarray(least + level * (rate_of_smallest - least))


def falling_crossing(rates: Numbers, sizes: Numbers, level: Numbers) -> Numbers:
    """The size at which each row of falling rates reaches its level, by linear interpolation.

    inf if the rate is above the level at the largest size, -inf if it is below the level at the smallest.
    """
    reached = np.sum(rates >= level[:, None], axis=1)
    is_inner = (reached > 0) & (reached < len(sizes))
    # The level lies between the sizes `left` and `right`. Where it is never crossed, any neighbours stand in.
    left = np.clip(reached - 1, 0, len(sizes) - 2)
    right = left + 1
    row = np.arange(len(rates))
    rate_left = rates[row, left]
    rate_right = rates[row, right]
    # 0 / 1 where the level is never crossed: the two rates may be equal there.
    fall_to_level = np.where(is_inner, rate_left - level, 0.0)
    whole_fall = np.where(is_inner, rate_left - rate_right, 1.0)
    share = fall_to_level / whole_fall
    gap = sizes[right] - sizes[left]
    between = sizes[left] + share * gap
    beyond = np.where(reached > 0, np.inf, -np.inf)
    return np.where(is_inner, between, beyond)
