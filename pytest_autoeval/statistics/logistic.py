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
from typing import TypeAlias

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
STEPS = 30

#: The log-likelihood of each curve, its gradient (fits, parameters), and the expected information matrices.
Derivatives: TypeAlias = tuple[Numbers, Numbers, Numbers]


def rates(parameters: Numbers, sizes: Numbers) -> Numbers:
    """The rate of each curve at each size, (fits, sizes)."""
    middle, width, lapse, guess = (
        parameters[:, :1],
        np.exp(parameters[:, 1:2]),
        parameters[:, 2:3],
        parameters[:, 3:],
    )
    known = np.asarray((1 - lapse) * expit((middle - sizes) / width))
    return guess + (1 - guess) * known if guess.size else known


def crossing(parameters: Numbers, level: float) -> Numbers:
    """The size at which each curve falls to a level; -inf if it lies below the level everywhere.

    If answers can be guessed, the level is a fraction of the way from the rate of guessing up to the rate that lapses
    allow.
    """
    middle, width, top = parameters[:, 0], np.exp(parameters[:, 1]), 1 - parameters[:, 2]
    if parameters.shape[1] > 3:
        return np.asarray(middle - width * logit(level))
    reached = top > level
    odds = np.where(reached, level, 0.5) / np.where(reached, top - level, 0.5)
    return np.where(reached, middle - width * np.log(odds), -np.inf)


def passing_rate(parameters: Numbers, level: float) -> Numbers:
    """The rate of each curve at its horizon at a level."""
    if parameters.shape[1] == 3:
        return np.full(len(parameters), level)
    lapse, guess = parameters[:, 2], parameters[:, 3]
    return np.asarray(guess + level * (1 - guess) * (1 - lapse))


def guessing_gain(
    passed: Numbers, total: Numbers, chance: float, height: Numbers | float
) -> Numbers:
    """By how much each log-likelihood (``height``) exceeds that of the best constant rate ≤ ``chance``."""
    all_passed, trials = passed.sum(axis=1), total.sum(axis=1)
    rate = np.minimum(all_passed / trials, chance)
    return np.asarray(height - xlogy(all_passed, rate) - xlog1py(trials - all_passed, -rate))


def fit(
    sizes: Numbers, passed: Numbers, total: Numbers, chance: float = 0.0
) -> tuple[Numbers, Numbers]:
    """The likeliest curve for each row of counts: its parameters, and its log-likelihood.

    The rate of guessing is fitted in 0…``chance``. A coarse grid finds the start of each fit, to avoid local maxima.
    """
    grid = coarse_grid(chance)
    expected = np.clip(rates(grid, sizes), _MIN_RATE, 1 - _MIN_RATE)
    heights = passed @ np.log(expected).T + (total - passed) @ np.log1p(-expected).T
    return refit(
        grid[np.argmax(heights, axis=1)], sizes, passed, total, chance=chance, tolerance=_TIGHT
    )


def coarse_grid(chance: float) -> Numbers:
    """Curves of all kinds, (curves, parameters); the best of them is the start of a fit."""
    middles, widths, lapses = (
        np.linspace(-0.5, 1.5, 21),
        np.geomspace(0.01, 3.0, 9),
        [0.002, 0.03, 0.12, 0.35],
    )
    axes = [middles, np.log(widths), lapses, *([[chance / 3, chance * 0.99]] if chance else [])]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(axes))


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

    return climb(
        lambda which, parameters: likelihood(parameters, sizes, passed[which], total[which]),
        start,
        bounds(sizes, chance),
        tolerance,
    )


def bounds(sizes: Numbers, chance: float) -> tuple[Numbers, Numbers]:
    """The smallest and the largest parameters of a curve."""
    narrowest = NARROWEST * np.diff(sizes).min()
    least, largest = [-_FARTHEST, np.log(narrowest), 0.0], [1 + _FARTHEST, np.log(WIDEST), 1 - 1e-6]
    return np.array([*least, 0.0][: 4 if chance else 3]), np.array(
        [*largest, chance][: 4 if chance else 3]
    )


def likelihood(parameters: Numbers, sizes: Numbers, passed: Numbers, total: Numbers) -> Derivatives:
    """The log-likelihood of each curve, and its derivatives."""
    return binomial(*shape(parameters, sizes), passed, total)


def shape(parameters: Numbers, sizes: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The rate of each curve at each size, 1 − rate, and the Jacobian (fits, parameters, sizes)."""
    width, lapse, guess = np.exp(parameters[:, 1:2]), parameters[:, 2:3], parameters[:, 3:]
    away = (parameters[:, :1] - sizes) / width
    share, top = expit(away), 1 - lapse
    rate, miss = top * share, lapse + top * expit(-away)
    steep = rate * expit(-away)
    jacobian = np.stack((steep / width, -steep * away, -share), axis=1)
    if not guess.size:
        return rate, miss, jacobian
    not_guessed = 1 - guess
    jacobian = np.concatenate((not_guessed[:, :, None] * jacobian, miss[:, None, :]), axis=1)
    return guess + not_guessed * rate, not_guessed * miss, jacobian


def binomial(
    rate: Numbers, miss: Numbers, jacobian: Numbers, passed: Numbers, total: Numbers
) -> Derivatives:
    """The derivatives for binomial counts, from the ``jacobian``, (fits, parameters, sizes); ``miss`` is 1 − rate."""
    rate, miss = np.maximum(rate, _MIN_RATE), np.maximum(miss, _MIN_RATE)
    value = np.sum(passed * np.log(rate) + (total - passed) * np.log(miss), axis=1)
    slope = (jacobian @ (passed / rate - (total - passed) / miss)[:, :, None])[:, :, 0]
    weight = total / (rate * miss)
    return value, slope, (jacobian * weight[:, None, :]) @ jacobian.transpose(0, 2, 1)


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
    top = np.minimum(np.maximum(start, lowest), highest)
    which = np.arange(len(start))
    height, slope, information = derivatives(which, top)
    most = height.copy()
    damping = np.full(len(start), 1e-3)
    for _ in range(steps):
        here, floor, ceiling = top[which], lowest[which], highest[which]
        free = ~(((here <= floor) & (slope < 0)) | ((here >= ceiling) & (slope > 0)))
        system = information * (free[:, :, None] & free[:, None, :])
        diagonal = np.einsum("kii->ki", system)  # a view
        diagonal *= 1 + damping[:, None]
        diagonal += np.where(free, 1e-9, 1.0)
        step = np.linalg.solve(system, (slope * free)[:, :, None])[:, :, 0]
        there = np.minimum(np.maximum(here + step, floor), ceiling)
        height, new_slope, new_information = derivatives(which, there)
        gain = height - most[which]
        better = gain >= 0
        top[which] = np.where(better[:, None], there, here)
        most[which] = np.maximum(height, most[which])
        slope = np.where(better[:, None], new_slope, slope)
        information = np.where(better[:, None, None], new_information, information)
        damping = np.where(better, damping / 10, damping * 10)
        climbing = np.where(better, gain > tolerance, damping < 1e6)
        if not climbing.any():
            break
        which, slope, information = which[climbing], slope[climbing], information[climbing]
        damping = damping[climbing]
    return top, most
