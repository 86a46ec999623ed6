"""Profile likelihood of a logistic curve: the largest likelihood of curves with a given rate at a given size.

An interval contains all horizons (or rates) whose profile likelihood is close to that of the best curve. It needs no
standard error, and an end is open if the data exclude nothing there.

A plain bootstrap of the fitted curve would be simpler, and is not enough: its 95 % interval contained the horizon in
82 to 92 % of runs with 40 formulas, in 58 % for a fall in two stairs, and in 54.5 % for a straight line
(`benchmarks/horizon_coverage.py --method bootstrap`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import sqrt
from typing import TypeAlias

import numpy as np

from pytest_autoeval.features.horizon.size_counts import Fitted, from_unit
from pytest_autoeval.statistics.logistic import (
    LOOSE,
    NARROWEST,
    STEPS,
    WIDEST,
    Derivatives,
    Indices,
    Numbers,
    binomial,
    bounds,
    climb,
    coarse_grid,
    crossing,
    likelihood,
    rates,
    shape,
)
from pytest_autoeval.statistics.special import expit, logit

#: The end of an interval is found when the root of its deviance is this close; 1.96 stands for 95 %.
_NEAR_ENOUGH = 0.005
#: The most rounds of false position. An end that is not near enough by then is taken as it is.
_ROUNDS = 10
#: The number of tilts of the likelihood on each side, for a mean rate.
_TILTS = 60
#: At the far ends of a band, this number of climbing steps shows that the likelihood is low.
_FEW_STEPS = 6


def horizon_ends(
    fitted: Fitted, drawn: Numbers, levels: Sequence[float], *, floor: float
) -> tuple[Numbers, ...]:
    """The smallest and largest horizons at the levels of curves whose log-likelihood is at least ``floor``.

    An end is NaN if the horizon lies outside the sizes drawn. If no curve has its horizon inside, the smallest is inf
    and the largest -inf.
    """
    # The parameters describe the curve without luck: it passes these lower levels where the rate passes the given ones.
    levels = [(level - fitted.luck) / (1 - fitted.luck) for level in levels]
    crossings = np.array([crossing(fitted.row, level)[0] for level in levels])
    inside = crossings.clip(0, 1)
    # Each level twice: from its horizon to the smallest size, and to the largest one.
    angles = np.tile(np.arcsin(np.sqrt(levels)), 2)
    start = np.column_stack((np.tile(inside, 2), angles))
    far = np.column_stack((np.repeat([0.0, 1.0], len(levels)), angles))
    shares = _ends(fitted, start, far, floor, exact=True)
    units = start[:, 0] + shares * (far[:, 0] - start[:, 0])
    ends = from_unit(fitted.scale, units, drawn)
    nowhere = np.repeat([np.inf, -np.inf], len(levels))
    low, high = np.where(shares == 0, nowhere, ends).reshape(2, -1)
    return from_unit(fitted.scale, crossings, drawn), low, high


def rate_ends(fitted: Fitted, units: Numbers, middle: Numbers, *, floor: float) -> Numbers:
    """The smallest and largest rates, (2, sizes), of curves whose log-likelihood is at least ``floor``.

    ``middle`` are the rates of the likeliest curve at these sizes. Ends within 0.0001 of 0 or 1 become 0 and 1.
    """
    if fitted.chance:
        return np.array(mean_rate_ends(fitted, units[:, None], floor=floor))
    middle = middle.clip(1e-9, 1 - 1e-9)
    # Not 0 and 1 themselves, where the likelihood of one unexpected trial is 0.
    lowest = np.minimum(1e-4, middle / 2)
    highest = 1 - np.minimum(1e-4, (1 - middle) / 2)
    far = np.concatenate((lowest, highest))
    angles = np.arcsin(np.sqrt(np.tile(middle, 2)))
    way = np.arcsin(np.sqrt(far)) - angles
    points = np.column_stack((np.tile(units, 2), angles))
    # The size stays, and the rate moves.
    step = np.column_stack((np.zeros(len(way)), way))
    shares = _ends(fitted, points, points + step, floor, exact=False)
    ends = np.sin(angles + shares * way) ** 2
    return np.where(np.isnan(shares), np.round(far), ends).reshape(2, -1)


def _ends(
    fitted: Fitted, inside: Numbers, outside: Numbers, floor: float, *, exact: bool
) -> Numbers:
    """Where the profile log-likelihood falls to ``floor`` on the way from ``inside`` to ``outside``, as a share in 0…1.

    Both are points (ends, 2) of a size and a rate, the rate as its angle asin √rate; a point stands for the likeliest
    curve through it. NaN if the likelihood does not fall so far; 0 if it is so low at the beginning. If there are
    several maxima, ends that are not ``exact`` take the one with the highest foot. False position (the Illinois
    variant) on the root of the deviance, which is nearly linear.
    """

    def root(height: Numbers) -> Numbers:
        return np.asarray(np.sqrt(np.maximum(2 * (fitted.likelihood - height), 0)))

    def excess(
        which: Indices, share: Numbers, starts: Numbers, steps: int = STEPS
    ) -> tuple[Numbers, Numbers]:
        way = (outside - inside)[which]
        points = inside[which] + share[:, None] * way
        # From the angle to the rate.
        points[:, 1] = np.sin(points[:, 1]) ** 2
        make_curves = _guessed_curves if fitted.chance else _curves
        derivatives, least, largest = make_curves(fitted, points)
        curves, height = _highest(derivatives, starts, (least, largest), (first_steps, steps))
        return root(height) - root(np.array(floor)), curves

    everywhere = np.arange(len(inside))
    first_steps, last_steps = (STEPS, STEPS) if exact else (0, _FEW_STEPS)
    at_inner, inner_curves = excess(everywhere, np.zeros(len(inside)), _starts(fitted, inside))
    at_outer, outer_curves = excess(
        everywhere, np.ones(len(inside)), _starts(fitted, outside), last_steps
    )
    shares = np.where(at_inner > 0, 0.0, np.where(at_outer > 0, 0.5, np.nan))
    inner = np.zeros(len(inside))
    outer = np.ones(len(inside))
    last_side = np.zeros(len(inside))
    which = np.flatnonzero((at_inner <= 0) & (at_outer > 0))
    for _ in range(_ROUNDS):
        if not len(which):
            break
        # Where the line through both ends is 0.
        gap = outer[which] - inner[which]
        rise = at_outer[which] - at_inner[which]
        share = inner[which] - at_inner[which] * gap / rise
        curves_at_ends = np.stack([inner_curves[which], outer_curves[which]])
        at_share, curves = excess(which, share, curves_at_ends)
        shares[which] = share
        beyond = at_share > 0
        out = which[beyond]
        within = which[~beyond]
        # An end that stays twice in a row counts half, so that the other one moves.
        at_inner[out[last_side[out] > 0]] /= 2
        at_outer[within[last_side[within] < 0]] /= 2
        outer[out] = share[beyond]
        at_outer[out] = at_share[beyond]
        outer_curves[out] = curves[beyond]
        last_side[out] = 1
        inner[within] = share[~beyond]
        at_inner[within] = at_share[~beyond]
        inner_curves[within] = curves[~beyond]
        last_side[within] = -1
        which = which[np.abs(at_share) > _NEAR_ENOUGH]
    return shares


def _starts(fitted: Fitted, points: Numbers) -> Numbers:
    """Where to climb from, (starts, points, parameters): the likeliest curve, and curves of several widths.

    Some of them have few lapses and some have more, since the likelihood may have several maxima.
    """
    number = len(points)
    if fitted.chance:
        # The last one is a curve that only guesses.
        shapes = (*product((0.02, 0.1, 0.5), (0.05, 0.4), (0.3, 1.0)), (0.5, 1.0, 1.0))
        alternatives = [
            np.array([np.log(width), lapse, guess * fitted.chance])
            for width, lapse, guess in shapes
        ]
        curves = (fitted.parameters[1:], *alternatives)
        return np.stack([np.tile(curve, (number, 1)) for curve in curves])
    # With a smaller logit, the lapse would be below 0.
    least = 2 * np.log(np.tan(points[:, 1]))
    middle, log_width = fitted.parameters[:2]
    distance = (middle - points[:, 0]) / np.exp(log_width)
    alternatives = [np.column_stack((distance, np.full(number, log_width)))]
    for offset, width in product((0.1, 2.0), (0.02, 0.1, 0.5)):
        column = np.full(number, np.log(width))
        alternatives.append(np.column_stack((least + offset, column)))
    return np.stack(alternatives)


_Climb: TypeAlias = tuple[Callable[[Indices, Numbers], Derivatives], Numbers, Numbers]


def _highest(
    derivatives: Callable[[Indices, Numbers], Derivatives],
    starts: Numbers,
    ends: tuple[Numbers, Numbers],
    steps: tuple[int, int],
) -> tuple[Numbers, Numbers]:
    """The likeliest curve through each point, and its log-likelihood.

    Takes this number of steps from each of the ``starts``, (starts, points, parameters), then continues from the best.
    """
    number = starts.shape[1]

    def climbed(start: Numbers, steps: int) -> tuple[Numbers, Numbers]:
        lowest, highest = (np.tile(end, (len(start) // number, 1)) for end in ends)
        return climb(derivatives, start, (lowest, highest), LOOSE, steps)

    all_starts = starts.reshape(-1, starts.shape[2])
    curves, heights = climbed(all_starts, steps[0])
    best_start = np.argmax(heights.reshape(-1, number), axis=0)
    # Rows are (start, point), the points of one start after each other.
    best = best_start * number + np.arange(number)
    return climbed(curves[best], steps[1])


def _curves(fitted: Fitted, points: Numbers) -> _Climb:
    """Curves through each point (size, rate), as (logit, log width): their derivatives and ends.

    The curve is rate · σ(logit + (size − x) / width) / σ(logit), its lapse 1 − rate / σ(logit).
    """
    rate_of_points = points[:, 1]
    lowest = np.empty_like(points)
    # At this logit the lapse is 0.
    lowest[:, 0] = np.log(rate_of_points / (1 - rate_of_points))
    lowest[:, 1] = np.log(NARROWEST * np.diff(fitted.units).min())
    highest = np.tile([1e4, np.log(WIDEST)], (len(points), 1))

    def derivatives(which: Indices, parameters: Numbers) -> Derivatives:
        # Several starts climb from each point.
        size, level = points[which % len(points)].T[:, :, None]
        logit = parameters[:, :1]
        width = np.exp(parameters[:, 1:])
        away = (size - fitted.units) / width
        top = level / expit(logit)
        complement = expit(-logit - away)
        rate = top * expit(logit + away)
        miss = 1 - top + top * complement
        by_logit = rate * (complement - expit(-logit))
        by_width = -rate * complement * away
        jacobian = np.stack((by_logit, by_width), axis=1)
        unlucky = 1 - fitted.luck
        return binomial(
            fitted.luck + unlucky * rate,
            unlucky * miss,
            unlucky * jacobian,
            fitted.passed,
            fitted.total,
        )

    return derivatives, lowest, highest


def _guessed_curves(fitted: Fitted, points: Numbers) -> _Climb:
    """Curves with guesses whose horizon at a level is each point (size, level): their derivatives and ends.

    Their parameters are (log width, lapse, guess): the middle follows from the width.
    """
    smallest, largest = bounds(fitted.units, fitted.chance)
    number = len(points)
    # Without those of the middle, which is no parameter here.
    lowest = np.tile(smallest[1:], (number, 1))
    highest = np.tile(largest[1:], (number, 1))

    def derivatives(which: Indices, parameters: Numbers) -> Derivatives:
        size, level = points[which % number].T
        away = np.exp(parameters[:, 0]) * logit(level)
        middle = (size + away)[:, None]
        whole_parameters = np.concatenate((middle, parameters), axis=1)
        rate, miss, jacobian = shape(whole_parameters, fitted.units)
        # The chain rule: with the width, the middle moves too.
        jacobian[:, 1] += away[:, None] * jacobian[:, 0]
        return binomial(rate, miss, jacobian[:, 1:], fitted.passed, fitted.total)

    return derivatives, lowest, highest


def mean_rate_ends(fitted: Fitted, units: Numbers, *, floor: float) -> tuple[Numbers, Numbers]:
    """The smallest and largest mean rates over each row of sizes of curves whose log-likelihood is at least ``floor``.

    The likelihood is tilted towards lower or higher means step by step, and its maximum is followed.
    """
    upwards = np.geomspace(1, 1e6, _TILTS)
    tilts = np.concatenate([-upwards[::-1], upwards])
    number = len(units)
    grid = np.concatenate([fitted.row, coarse_grid(fitted.chance)])
    heights, _, _ = likelihood(grid, fitted.units, fitted.passed, fitted.total)
    starts = []
    for row in units:
        tilted_heights = heights + tilts[:, None] * rates(grid, row).mean(axis=1)
        starts.append(grid[np.argmax(tilted_heights, axis=1)])
    start = np.concatenate(starts)
    tilt = np.tile(tilts, number)
    sizes = np.repeat(units, len(tilts), axis=0)

    def tilted(which: Indices, parameters: Numbers) -> Derivatives:
        value, slope, information = likelihood(
            parameters, fitted.units, fitted.passed, fitted.total
        )
        rate, _, jacobian = shape(parameters, sizes[which])
        value += tilt[which] * rate.mean(axis=1)
        slope += tilt[which, None] * jacobian.mean(axis=2)
        return value, slope, information

    curves, value = climb(tilted, start, bounds(fitted.units, fitted.chance), LOOSE)
    means = rates(curves, sizes).mean(axis=1)
    deviance = 2 * (fitted.likelihood - (value - tilt * means))
    # Negative below the likeliest curve and positive above it, so that it grows with the mean.
    roots = np.sqrt(np.maximum(deviance, 0)) * np.sign(tilt)
    edge = sqrt(2 * (fitted.likelihood - floor))
    rows = zip(roots.reshape(number, -1), means.reshape(number, -1), strict=True)
    ends = []
    for root, mean in rows:
        # A fit that ended early may fall back a little; interpolation needs roots that do not fall.
        rising = np.maximum.accumulate(root)
        ends.append(np.interp([-edge, edge], rising, mean))
    low, high = np.array(ends).T
    return low, high
