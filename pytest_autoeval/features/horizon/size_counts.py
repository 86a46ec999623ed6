"""Passed and failed trials by size, and the fit of a curve to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pytest_autoeval.features.horizon.likelihood_drop import RISE, likelihood_drop
from pytest_autoeval.statistics.logistic import Numbers, fit, rates, refit
from pytest_autoeval.statistics.special import xlogy

Scale = Literal["linear", "log"]
#: A curve falls with the size or with its logarithm: both are tried.
SCALES: tuple[Scale, Scale] = ("linear", "log")

#: The factor of :func:`likelihood_floor` for a fitted rate of guessing or luck.
_GUESSED = 0.4
#: The gain in log-likelihood that luck alone exceeds with probability 5 %.
_VISIBLE = 1.35
#: The number of folds of the cross-validation.
_FOLDS = 5
#: Numbers of simulated data sets for the goodness of fit.
_DRAWS = (99, 400)


@dataclass(frozen=True, slots=True)
class SizeCounts:
    """The counts by size: the distinct ``sizes``, ascending, and the trials at each size.

    ``formulas`` has a row (index of the size, passed, total) for each formula, sorted.
    """

    sizes: Numbers
    passed: Numbers
    total: Numbers
    formulas: Numbers


@dataclass(frozen=True, slots=True)
class Fitted:
    """The likeliest logistic curve: ``parameters`` on a unit scale of sizes, four if ``chance`` is above 0, else three.

    ``luck`` is a rate of passes by luck that is not a parameter: the curve is that of trials without luck. ``passed``
    and ``total`` are the counts at each size, divided by the design effect.
    """

    scale: Scale
    units: Numbers
    passed: Numbers
    total: Numbers
    parameters: Numbers
    likelihood: float
    chance: float
    luck: float = 0.0

    @property
    def row(self) -> Numbers:
        """The parameters as one row, (1, parameters), for functions that take many curves at once."""
        return self.parameters[None, :]

    @property
    def rates(self) -> Numbers:
        """The rates of the curve at all sizes, (1, sizes), without luck."""
        return rates(self.row, self.units)


def count_sizes(formulas: Sequence[tuple[float, int, int]]) -> SizeCounts:
    """Sums formulas by size, without those that have no trial. Raises :class:`ValueError` for impossible counts."""
    table = np.array(formulas, dtype=float).reshape(-1, 3)
    size, passed, total = table.T
    if not np.all((size >= 0) & (size < np.inf) & (passed >= 0) & (passed <= total)):
        raise ValueError("a size must be a number ≥ 0, and passed must lie in 0…total")
    table = table[total > 0]
    # Sorted, so that the folds and the draws do not depend on the order of the samples.
    table = table[np.lexsort(table.T[::-1])]
    sizes, index = np.unique(table[:, 0], return_inverse=True)
    table[:, 0] = index
    passed_at_sizes = np.bincount(index, table[:, 1]).astype(float)
    total_at_sizes = np.bincount(index, table[:, 2]).astype(float)
    return SizeCounts(sizes, passed_at_sizes, total_at_sizes, formulas=table)


def resample(formulas: Numbers, draws: int) -> tuple[Numbers, Numbers]:
    """Resamples the formulas: the distinct rows, sorted, and how often each was drawn, (draws, rows)."""
    rows, count = np.unique(formulas, axis=0, return_counts=True)
    number = count.sum()
    # A fixed seed: the same results have the same report.
    random = np.random.default_rng(1)
    drawn = random.multinomial(number, count / number, draws)
    return rows, drawn.astype(float)


def sums_by_size(rows: Numbers, drawn: Numbers, column: int) -> Numbers:
    """A column of the rows, weighted by how often they were drawn, summed by size: (draws, sizes)."""
    starts = np.flatnonzero(np.diff(rows[:, 0], prepend=-1))
    return np.asarray(np.add.reduceat(drawn * rows[:, column], starts, axis=1))


def to_unit(scale: Scale, sizes: Numbers, drawn: Numbers) -> Numbers:
    """Sizes, or log(1 + size), on a scale from 0, the smallest drawn size, to 1, the largest."""
    ends = drawn[[0, -1]]
    if scale == "log":
        sizes = np.log1p(sizes)
        ends = np.log1p(ends)
    smallest, largest = ends
    return np.asarray((sizes - smallest) / (largest - smallest))


def from_unit(scale: Scale, units: Numbers, drawn: Numbers) -> Numbers:
    """The sizes of places on the unit scale."""
    smallest, largest = drawn[0], drawn[-1]
    if scale == "linear":
        return np.asarray(smallest + units * (largest - smallest))
    low, high = np.log1p(drawn[[0, -1]])
    sizes = np.expm1(low + units * (high - low))
    # Without rounding: a horizon at the largest size must not lie beyond it.
    return np.asarray(np.where(units == 1, largest, sizes))


def fit_counts(counts: SizeCounts, chance: float) -> tuple[Fitted, Fitted]:
    """The likeliest curve on each scale, the better one (by cross-validation) first.

    A scale that the data exclude never comes first. Each formula is a cluster: the counts are divided by the design
    effect around the better curve.
    """
    fits = [_fit_and_foresight(counts, scale, chance) for scale in SCALES]
    floor = max(curve.likelihood for curve, _ in fits) - RISE / 2
    fits.sort(key=lambda fit: (fit[0].likelihood > floor, fit[1]), reverse=True)
    better, other = (curve for curve, _ in fits)
    effect = design_effect(counts, better.rates[0])
    if effect > 1:
        better, other = _divided(better, effect), _divided(other, effect)
    return better, other


def _divided(curve: Fitted, effect: float) -> Fitted:
    """The curve for so many times fewer trials. All counts shrink alike, so that the parameters stay the likeliest."""
    return replace(
        curve,
        passed=curve.passed / effect,
        total=curve.total / effect,
        likelihood=curve.likelihood / effect,
    )


def _fit_and_foresight(counts: SizeCounts, scale: Scale, chance: float) -> tuple[Fitted, float]:
    """The likeliest curve, and the log-likelihood of each part of the formulas under a curve fitted to the others."""
    units = to_unit(scale, counts.sizes, counts.sizes)
    index, passed, total = counts.formulas.T
    number = len(units)
    # The formulas are sorted by size, so that each fold has some of all sizes.
    fold = np.arange(len(index)) % _FOLDS
    cell = fold * number + index.astype(int)

    def in_folds(trials: Numbers) -> Numbers:
        """The trials of each fold at each size, (folds, sizes)."""
        sums = np.bincount(cell, trials, _FOLDS * number)
        return np.asarray(sums.reshape(_FOLDS, -1), float)

    held_passed, held_total = in_folds(passed), in_folds(total)
    # The first curve is fitted to all formulas, each other one without the formulas of its fold.
    none = np.zeros((1, number))
    curves, likelihood = fit(
        units,
        counts.passed - np.concatenate((none, held_passed)),
        counts.total - np.concatenate((none, held_total)),
        chance,
    )
    # A rate of 0 or 1 makes one unexpected trial impossible, and its logarithm infinite.
    expected = np.clip(rates(curves[1:], units), 1e-9, 1 - 1e-9)
    height_of_passed = xlogy(held_passed, expected)
    height_of_failed = xlogy(held_total - held_passed, 1 - expected)
    foresight = np.sum(height_of_passed + height_of_failed)
    fitted = Fitted(
        scale, units, counts.passed, counts.total, curves[0], float(likelihood[0]), chance
    )
    return fitted, float(foresight)


def with_luck(curve: Fitted, most: float) -> Fitted | None:
    """The likeliest curve with a rate of luck below ``most``; None if it is hardly likelier than the one without."""
    passed, total = curve.passed[None, :], curve.total[None, :]
    curves, likelihoods = fit(curve.units, passed, total, most)
    likelihood = float(likelihoods[0])
    # Luck fits any data a little better: it needs a gain that chance alone seldom gives.
    if likelihood - curve.likelihood < _VISIBLE:
        return None
    *parameters, luck = curves[0].tolist()
    return replace(curve, parameters=np.array(parameters), likelihood=likelihood, luck=luck)


def likelihood_floor(curves: Sequence[Fitted]) -> float:
    """The smallest log-likelihood of curves inside 95 % intervals, on any scale.

    The asymptotic threshold of the deviance is too small with a fitted rate of guessing or luck. The correction factor
    was found by simulation (``benchmarks/horizon_coverage.py``).
    """
    best = max(curves, key=lambda curve: curve.likelihood)
    for_guesses = 1 + _GUESSED * ((2 * best.chance) ** 4 + (best.luck > 0))
    return best.likelihood - for_guesses * likelihood_drop(float(best.total.sum()))


def design_effect(counts: SizeCounts, expected: Numbers) -> float:
    """The number of trials that show as much as one independent trial, if each size has its own rate (``expected``).

    Like :func:`pytest_autoeval.statistics.clusters.design_effect`. One formula at a rate of one half, whose repeats
    agree, is added to the squared deviations, and to those of independent trials.
    """
    index, passed, total = counts.formulas.T
    # The size of the formula of a trial that is drawn at random. No effect is larger.
    most = float(np.sum(total**2) / np.sum(total))
    rate = expected[index.astype(int)]
    squares = np.sum((passed - total * rate) ** 2) + most**2 / 4
    independent_squares = np.sum(total * rate * (1 - rate)) + most / 4
    return float(np.clip(squares / independent_squares, 1, most))


def goodness_of_fit(fitted: Fitted) -> float:
    """The p-value of the deviance by parametric bootstrap: the share of simulated data sets that fit at least as badly.

    The first hundred data sets are enough if ten of them do.
    """
    expected = fitted.rates
    trials = np.maximum(np.rint(fitted.total), 1)
    # Whole trials can be simulated, and the counts may be fractions: they keep their rates.
    observed = fitted.passed / fitted.total * trials
    distance = _deviance(observed, trials, expected)[0]
    random = np.random.default_rng(1)
    draws = farther = 0
    for number in _DRAWS:
        shape = (number, len(trials))
        drawn = random.binomial(trials.astype(int), expected[0], shape).astype(float)
        start = np.repeat(fitted.row, number, axis=0)
        totals = np.broadcast_to(trials, drawn.shape)
        curves, _ = refit(start, fitted.units, drawn, totals, chance=fitted.chance)
        distances = _deviance(drawn, trials, rates(curves, fitted.units))
        draws += number
        # Fits end within a tolerance, so equal data may differ by a little.
        farther += int(np.sum(distances >= distance - 1e-3))
        if farther >= 10:
            break
    # The data themselves are one of the sets.
    return (1 + farther) / (draws + 1)


def _deviance(passed: Numbers, total: Numbers, expected: Numbers) -> Numbers:
    failed = total - passed
    expected = np.clip(expected, 1e-12, 1 - 1e-12)
    of_passed = xlogy(passed, passed / (total * expected))
    of_failed = xlogy(failed, failed / (total * (1 - expected)))
    return np.asarray(2 * np.sum(of_passed + of_failed, axis=1))
