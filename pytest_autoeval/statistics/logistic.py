"""Fits falling logistic curves with lapses and guesses, many at once.

    rate(x) = guess + (1 − guess) · (1 − lapse) · σ((middle − x) / width)

Sizes are on a unit scale: 0 is the smallest drawn size, 1 the largest. A parameter vector is (middle, log width,
lapse), or (middle, log width, lapse, guess) if answers can be guessed: ``lapse`` is then the share of lapses among
trials that are not guessed right, so that both vary independently. Arrays of vectors have the shape (fits, 3 or 4);
counts are (fits, sizes), and need not be integers.

Source: F. A. Wichmann and N. J. Hill, "The psychometric function: I. Fitting, sampling, and goodness of fit",
Perception & Psychophysics 63 (2001), 1293-1313. They keep the lapse below 6 %, for observers who rarely err. Here it is
free, because a model may fail any share of the smallest formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from pytest_autoeval.statistics.special import expit, logit, xlog1py, xlogy

Numbers: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Indices: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.intp]]

#: Bounds of the width: the lower in units of the smallest gap between sizes, the upper in units of their range.
NARROWEST, WIDEST = 0.1, 10.0
#: The largest distance of a curve's middle from the sizes, in ranges of the sizes.
_FARTHEST = 50.0
#: Rates are kept this far from 0 and 1, for finite logarithms.
_MIN_RATE = 1e-12
#: A fit ends when a step gains less log-likelihood than this. The loose tolerance suffices where only the deviance is
#: used, not the curve.
_TIGHT, LOOSE = 1e-7, 1e-3
#: The most steps of a fit.
STEPS = 30

#: The log-likelihood of each curve, its gradient (fits, parameters), and the expected information matrices.
Derivatives: TypeAlias = tuple[Numbers, Numbers, Numbers]


def _columns(parameters: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """The middle, width, lapse and guess of each curve, as columns; that of guesses is empty if there are none.

    Columns, so that each row of parameters meets all sizes.
    """
    middle = parameters[:, :1]
    lapse = parameters[:, 2:3]
    guess = parameters[:, 3:]
    width = np.exp(parameters[:, 1:2])
    return middle, width, lapse, guess


def rates(parameters: Numbers, sizes: Numbers) -> Numbers:
    """The rate of each curve at each size, (fits, sizes)."""
    middle, width, lapse, guess = _columns(parameters)
    distance = (middle - sizes) / width
    not_guessed = np.asarray((1 - lapse) * expit(distance))
    if not guess.size:
        return not_guessed
    return guess + (1 - guess) * not_guessed


def crossing(parameters: Numbers, level: float) -> Numbers:
    """The size at which each curve falls to a level; -inf if it lies below the level everywhere.

    If answers can be guessed, the level is a fraction of the way from the rate of guessing up to the rate that lapses
    allow.
    """
    middle = parameters[:, 0]
    width = np.exp(parameters[:, 1])
    if parameters.shape[1] > 3:
        return np.asarray(middle - width * logit(level))
    top = 1 - parameters[:, 2]
    is_reached = top > level
    # The 0.5 only keeps the logarithm finite where the result is -inf anyway.
    above_bottom = np.where(is_reached, level, 0.5)
    below_top = np.where(is_reached, top - level, 0.5)
    odds = above_bottom / below_top
    size = middle - width * np.log(odds)
    return np.where(is_reached, size, -np.inf)


def passing_rate(parameters: Numbers, level: float) -> Numbers:
    """The rate of each curve at its horizon at a level."""
    if parameters.shape[1] == 3:
        return np.full(len(parameters), level)
    lapse = parameters[:, 2]
    guess = parameters[:, 3]
    return np.asarray(guess + level * (1 - guess) * (1 - lapse))


def guessing_gain(
    passed: Numbers, total: Numbers, chance: float, height: Numbers | float
) -> Numbers:
    """By how much each log-likelihood (``height``) exceeds that of the best constant rate ≤ ``chance``."""
    all_passed = passed.sum(axis=1)
    trials = total.sum(axis=1)
    rate = np.minimum(all_passed / trials, chance)
    # `xlogy` is 0 for 0 · log 0: a curve without a pass, or without a failure, has a likelihood.
    height_of_passed = xlogy(all_passed, rate)
    height_of_failed = xlog1py(trials - all_passed, -rate)
    return np.asarray(height - height_of_passed - height_of_failed)


def fit(
    sizes: Numbers, passed: Numbers, total: Numbers, chance: float = 0.0
) -> tuple[Numbers, Numbers]:
    """The likeliest curve for each row of counts: its parameters, and its log-likelihood.

    The rate of guessing is fitted in 0…``chance``. A coarse grid finds the start of each fit, to avoid local maxima.
    """
    grid = coarse_grid(chance)
    expected = np.clip(rates(grid, sizes), _MIN_RATE, 1 - _MIN_RATE)
    # (fits, curves): the log-likelihood of each curve of the grid.
    heights_of_passed = passed @ np.log(expected).T
    heights_of_failed = (total - passed) @ np.log1p(-expected).T
    heights = heights_of_passed + heights_of_failed
    start = grid[np.argmax(heights, axis=1)]
    return refit(start, sizes, passed, total, chance=chance, tolerance=_TIGHT)


def coarse_grid(chance: float) -> Numbers:
    """Curves of all kinds, (curves, parameters); the best of them is the start of a fit."""
    middles = np.linspace(-0.5, 1.5, 21)
    log_widths = np.log(np.geomspace(0.01, 3.0, 9))
    axes: list[Any] = [middles, log_widths, [0.002, 0.03, 0.12, 0.35]]
    if chance:
        axes.append([chance / 3, chance * 0.99])
    curves = np.stack(np.meshgrid(*axes), axis=-1)
    return curves.reshape(-1, len(axes))


def refit(  # noqa: PLR0913 (the data, and how to climb)
    start: Numbers,
    sizes: Numbers,
    passed: Numbers,
    total: Numbers,
    *,
    chance: float,
    tolerance: float = LOOSE,
) -> tuple[Numbers, Numbers]:
    """Fits like :func:`fit`, from a start for each row of counts, until a step gains too little log-likelihood."""

    def derivatives(rows: Indices, parameters: Numbers) -> Derivatives:
        return likelihood(parameters, sizes, passed[rows], total[rows])

    return climb(derivatives, start, bounds(sizes, chance), tolerance)


def bounds(sizes: Numbers, chance: float) -> tuple[Numbers, Numbers]:
    """The smallest and the largest parameters of a curve."""
    narrowest = NARROWEST * np.diff(sizes).min()
    smallest = [-_FARTHEST, np.log(narrowest), 0.0]
    largest = [1 + _FARTHEST, np.log(WIDEST), 1 - 1e-6]
    if chance:
        smallest.append(0.0)
        largest.append(chance)
    return np.array(smallest), np.array(largest)


def likelihood(parameters: Numbers, sizes: Numbers, passed: Numbers, total: Numbers) -> Derivatives:
    """The log-likelihood of each curve, and its derivatives."""
    return binomial(*shape(parameters, sizes), passed, total)


def shape(parameters: Numbers, sizes: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The rate of each curve at each size, 1 − rate, and the Jacobian (fits, parameters, sizes)."""
    middle, width, lapse, guess = _columns(parameters)
    distance = (middle - sizes) / width
    share = expit(distance)
    share_missed = expit(-distance)
    top = 1 - lapse
    rate = top * share
    # Not 1 − rate, which would lose all digits near 0.
    miss = lapse + top * share_missed
    # The derivatives by the middle, the logarithm of the width, and the lapse.
    slope = rate * share_missed
    jacobian = np.stack((slope / width, -slope * distance, -share), axis=1)
    if not guess.size:
        return rate, miss, jacobian
    not_guessed = 1 - guess
    by_guess = miss[:, None, :]
    by_shape = not_guessed[:, :, None] * jacobian
    jacobian = np.concatenate((by_shape, by_guess), axis=1)
    return guess + not_guessed * rate, not_guessed * miss, jacobian


def binomial(
    rate: Numbers, miss: Numbers, jacobian: Numbers, passed: Numbers, total: Numbers
) -> Derivatives:
    """The derivatives for binomial counts, from the ``jacobian``, (fits, parameters, sizes); ``miss`` is 1 − rate."""
    # The logarithm and the quotients stay finite.
    rate = np.maximum(rate, _MIN_RATE)
    miss = np.maximum(miss, _MIN_RATE)
    failed = total - passed
    heights = passed * np.log(rate) + failed * np.log(miss)
    by_rate = passed / rate - failed / miss
    slope = jacobian @ by_rate[:, :, None]
    weight = total / (rate * miss)
    weighted = jacobian * weight[:, None, :]
    information = weighted @ jacobian.transpose(0, 2, 1)
    return np.sum(heights, axis=1), slope[:, :, 0], information


def climb(
    derivatives: Callable[[Indices, Numbers], Derivatives],
    start: Numbers,
    ends: tuple[Numbers, Numbers],
    tolerance: float,
    steps: int = STEPS,
) -> tuple[Numbers, Numbers]:
    """Climbs from each start to a maximum; parameters stay within their ``ends``.

    Fisher scoring with the damping of Levenberg and Marquardt. ``derivatives`` receives the rows that still climb.
    """
    lowest, highest = (np.broadcast_to(end, start.shape) for end in ends)
    best = np.minimum(np.maximum(start, lowest), highest)
    rows = np.arange(len(start))
    height, slope, information = derivatives(rows, best)
    best_height = height.copy()
    damping = np.full(len(start), 1e-3)
    for _ in range(steps):
        current = best[rows]
        floor = lowest[rows]
        ceiling = highest[rows]
        free = _are_free(current, slope, floor, ceiling)
        step = _damped_step(slope, information, free, damping)
        candidate = np.minimum(np.maximum(current + step, floor), ceiling)
        height, new_slope, new_information = derivatives(rows, candidate)
        gain = height - best_height[rows]
        better = gain >= 0
        best[rows] = np.where(better[:, None], candidate, current)
        best_height[rows] = np.maximum(height, best_height[rows])
        slope = np.where(better[:, None], new_slope, slope)
        information = np.where(better[:, None, None], new_information, information)
        damping = np.where(better, damping / 10, damping * 10)
        # A row ends when a step gains too little, or when even tiny steps gain nothing.
        climbing = np.where(better, gain > tolerance, damping < 1e6)
        if not climbing.any():
            break
        rows = rows[climbing]
        damping = damping[climbing]
        slope = slope[climbing]
        information = information[climbing]
    return best, best_height


def _are_free(current: Numbers, slope: Numbers, floor: Numbers, ceiling: Numbers) -> np.ndarray:
    """Which parameters may move: one at its end that would leave the bounds is held there."""
    leaves_below = (current <= floor) & (slope < 0)
    leaves_above = (current >= ceiling) & (slope > 0)
    return ~(leaves_below | leaves_above)


def _damped_step(
    slope: Numbers, information: Numbers, free: np.ndarray, damping: Numbers
) -> Numbers:
    """The step of each fit, (fits, parameters). Parameters that are not ``free`` do not move.

    The row and the column of such a parameter become diagonal, so that it does not couple with the others.
    """
    both_free = free[:, :, None] & free[:, None, :]
    system = information * both_free
    diagonal = np.einsum("kii->ki", system)  # a view
    diagonal *= 1 + damping[:, None]
    # The tiny amount keeps the system regular where the data say nothing about a parameter.
    diagonal += np.where(free, 1e-9, 1.0)
    free_slope = (slope * free)[:, :, None]
    step: Numbers = np.linalg.solve(system, free_slope)[:, :, 0]
    return step
