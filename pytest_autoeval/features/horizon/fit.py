"""The horizon of a model: the size at which its probability to pass falls to a level, by a fitted curve."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

if TYPE_CHECKING:
    from pytest_autoeval.features.horizon.size_counts import Fitted, SizeCounts
    from pytest_autoeval.statistics.logistic import Numbers

#: Size, passed trials and total trials of one formula; its repeats are a cluster.
Formula = tuple[float, int, int]

#: The pass rates whose horizons a curve has. The matrix of a report shows the first.
LEVELS = (0.5, 0.8, 0.9)

#: With fewer sizes or formulas no curve is fitted.
FEWEST_SIZES, FEWEST_FORMULAS = 3, 20
#: Below this p-value of the logistic fit, the isotonic estimate is used.
_MISFIT = 0.01
#: Below this p-value of the logistic fit, the interval also contains that of the isotonic estimate.
_DOUBT = 0.6
#: A falling curve must gain this much log-likelihood over guessing everywhere: half the 99 % quantile of chi-squared
#: with three degrees of freedom (middle, width and height of the fall).
GUESSING = 5.67
#: The largest share of the longest formulas that may pass by luck, if answers cannot be guessed.
_MOST_LUCK = 0.2
#: A curve is drawn at so many sizes at most.
_MOST_POINTS = 61
#: The number of resampled sets of formulas for the isotonic estimate, and the quantiles that are its 95 % interval.
_DRAWS = 399
_ENDS = (0.025, 0.975)


class Horizon(Struct, frozen=True):
    """The size at which the probability to pass falls to ``level``, with its 95 % interval.

    If answers can be guessed, the level is a share of the way up from the rate of guessing to that of lapses, and
    ``rate`` is the pass rate there; otherwise ``rate`` is None. A model that may be guessing at all sizes has the bound
    "below", and an open interval.

    ``value`` is None if the horizon lies outside the drawn sizes, ``least`` to ``largest``; ``bound`` then gives the
    side. An end of the interval is None if it is open. If the whole interval lies beyond the largest size, ``low`` is
    the largest; if it lies below the smallest, ``high`` is the smallest.
    """

    level: float
    value: float | None
    low: float | None
    high: float | None
    bound: Literal["", "above", "below"]
    least: float
    largest: float
    rate: float | None = None

    @property
    def known(self) -> bool:
        """Whether the interval has an end: else the horizon may lie anywhere, and its value shows nothing."""
        return self.low is not None or self.high is not None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval within the drawn sizes; an open end becomes the smallest or the largest size."""
        return (
            self.least if self.low is None else self.low,
            self.largest if self.high is None else self.high,
        )


class CurvePoint(Struct, frozen=True):
    """The fitted rate at a size, in 0…1, with its pointwise 95 % interval."""

    size: float
    rate: float
    low: float
    high: float


class Curve(Struct, frozen=True):
    """The fitted probability to pass over the sizes, its horizons, and points for drawing it.

    ``scale`` is the scale of size in the logistic curve, ``lapse`` its rate of failures at easy sizes. ``fit_p`` is the
    p-value of its goodness of fit; below 0.01 ``method`` is "isotonic". ``points`` are at the sizes drawn, at most 61.
    ``guess`` is the rate of passes by luck, fitted in 0…``chance``.
    """

    method: Literal["logistic", "isotonic"]
    scale: Literal["linear", "log"]
    fit_p: float | None
    lapse: float | None
    formulas: int
    horizons: tuple[Horizon, ...]
    points: tuple[CurvePoint, ...]
    guess: float | None = None
    chance: float = 0.0

    def horizon(self, level: float) -> Horizon:
        """The horizon at one of the curve's levels. Raises :class:`ValueError` for another level."""
        for horizon in self.horizons:
            if horizon.level == level:
                return horizon
        raise ValueError(f"the curve has no horizon at {level}")


def fit_curve(
    formulas: Sequence[Formula],
    *,
    levels: Sequence[float] = LEVELS,
    chance: float = 0.0,
    with_points: bool = True,
) -> Curve | None:
    """Fit the falling curve of the pass rate over sizes; None with fewer than three sizes or 20 formulas.

    The curve is logistic, with lapses, over size or log(1 + size), chosen by cross-validation. ``chance`` (≥ 0, below
    1) is the rate of who only guesses; the curve has a rate of guesses up to it. Intervals are by profile likelihood.
    Without its points a logistic curve takes less time. Raises :class:`ValueError` for impossible arguments.
    """
    if not all(0 < level < 1 for level in levels):
        raise ValueError("a level must lie between 0 and 1")
    fitted_curves = _fit(formulas, chance)
    if fitted_curves is None:
        return None
    counts, curves, fit_p = fitted_curves
    fitted = curves[0]
    lapse = guess = None
    if fit_p < _MISFIT:
        horizons, points = _isotonic(counts, levels, chance)
    else:
        guess = float(fitted.parameters[3]) if chance else 0.0
        lapse = float(fitted.parameters[2]) * (1 - guess)
        horizons = () if _may_guess(curves) else _profile(counts, curves, levels)
        if horizons and fit_p < _DOUBT:
            horizons = tuple(map(_joined, horizons, _isotonic(counts, levels, chance)[0]))
        points = _band(counts, fitted) if with_points else ()
    # Where all sizes look like guessing, each horizon is below them, whatever the fitted curve says.
    if _may_guess(curves):
        horizons = tuple(_horizon(level, -inf, nan, nan, counts.sizes, chance) for level in levels)
    method: Literal["logistic", "isotonic"] = "isotonic" if lapse is None else "logistic"
    return Curve(
        method, fitted.scale, fit_p, lapse, len(counts.formulas), horizons, points, guess, chance
    )


def _joined(horizon: Horizon, further: Horizon) -> Horizon:
    low = high = None
    # An end that is open in one of the intervals is open.
    if horizon.low is not None and further.low is not None:
        low = min(horizon.low, further.low)
    if horizon.high is not None and further.high is not None:
        high = max(horizon.high, further.high)
    return structs.replace(horizon, low=low, high=high)


def _may_guess(curves: Sequence[Fitted]) -> bool:
    """Whether one rate of guessing at all sizes is nearly as likely as the curves."""
    from pytest_autoeval.statistics.logistic import guessing_gain

    best = max(curves, key=lambda curve: curve.likelihood)
    if not best.chance:
        return False
    passed, total = best.passed[None, :], best.total[None, :]
    gain = guessing_gain(passed, total, best.chance, best.likelihood)[0]
    return bool(gain < GUESSING)


def _fit(
    formulas: Sequence[Formula], chance: float
) -> tuple[SizeCounts, Sequence[Fitted], float] | None:
    """The logistic curve on the better scale, then on the other, and the p-value of the fit; None with too few data."""
    from pytest_autoeval.features.horizon.size_counts import (
        count_sizes,
        fit_counts,
        goodness_of_fit,
    )

    if not 0 <= chance < 1:
        raise ValueError("a chance must be at least 0 and below 1")
    counts = count_sizes(formulas)
    if len(counts.sizes) < FEWEST_SIZES or len(counts.formulas) < FEWEST_FORMULAS:
        return None
    curves = fit_counts(counts, chance)
    return counts, curves, goodness_of_fit(curves[0])


def _profile(
    counts: SizeCounts, curves: Sequence[Fitted], levels: Sequence[float]
) -> tuple[Horizon, ...]:
    """The horizons of a logistic curve, with intervals by profile likelihood.

    The scale of size is a parameter: curves on the other scale count if they are as likely. So do curves that fall to a
    rate of luck instead of 0.
    """
    import numpy as np

    from pytest_autoeval.features.horizon.profile_likelihood import horizon_ends
    from pytest_autoeval.features.horizon.size_counts import likelihood_floor, with_luck
    from pytest_autoeval.statistics.logistic import passing_rate

    shown = curves[0]
    all_curves = list(curves)
    # With a chance of guessing, the curve has a rate of guesses anyway.
    if not shown.chance:
        lucky = [with_luck(curve, min(_MOST_LUCK, *levels)) for curve in curves]
        all_curves += [curve for curve in lucky if curve is not None]
    floor = likelihood_floor(all_curves)
    ends = []
    for curve in all_curves:
        # The curve that is shown always lies within the interval, even if one with luck is much likelier.
        least = min(floor, curve.likelihood) if curve is shown else floor
        if curve.likelihood >= least:
            ends.append(horizon_ends(curve, counts.sizes, levels, floor=least))
    values = ends[0][0].tolist()
    lows = np.min([low for _, low, _ in ends], axis=0).tolist()
    highs = np.max([high for *_, high in ends], axis=0).tolist()
    horizons = []
    for level, value, low, high in zip(levels, values, lows, highs, strict=True):
        rate = float(passing_rate(shown.row, level)[0]) if shown.chance else None
        horizons.append(_horizon(level, value, low, high, counts.sizes, rate))
    return tuple(horizons)


def _band(counts: SizeCounts, fitted: Fitted) -> tuple[CurvePoint, ...]:
    import numpy as np

    from pytest_autoeval.features.horizon.profile_likelihood import rate_ends
    from pytest_autoeval.features.horizon.size_counts import likelihood_floor

    indices = _shown(counts.sizes)
    middle = fitted.rates[0, indices]
    floor = likelihood_floor([fitted])
    low, high = rate_ends(fitted, fitted.units[indices], middle, floor=floor)
    points = np.column_stack((counts.sizes[indices], middle, low, high)).tolist()
    return tuple(CurvePoint(*point) for point in points)


def _isotonic(
    counts: SizeCounts, levels: Sequence[float], chance: float
) -> tuple[tuple[Horizon, ...], tuple[CurvePoint, ...]]:
    """The horizons and the points of falling rates, with intervals by bootstrap over formulas."""
    import numpy as np

    from pytest_autoeval.statistics.isotonic import falling_crossing, rates_at

    drawn = counts.sizes
    rates, resampled = _falling(counts)
    horizons = []
    for level in levels:
        rate = rates_at(level, rates, chance)
        value = float(falling_crossing(rates, drawn, rate)[0])
        crossings = falling_crossing(resampled, drawn, rates_at(level, resampled, chance))
        ends = np.quantile(crossings, _ENDS, method="inverted_cdf")
        # An end beyond all sizes is open.
        low = np.nan if ends[0] == -np.inf else float(ends[0])
        high = np.nan if ends[1] == np.inf else float(ends[1])
        horizon_rate = float(rate[0]) if chance else None
        horizons.append(_horizon(level, value, low, high, drawn, horizon_rate))
    lows, highs = np.quantile(resampled, _ENDS, axis=0)
    points = []
    for index in _shown(drawn):
        values = (drawn[index], rates[0, index], lows[index], highs[index])
        points.append(CurvePoint(*map(float, values)))
    return tuple(horizons), tuple(points)


def _falling(counts: SizeCounts) -> tuple[Numbers, Numbers]:
    """The falling rates at each size: of the formulas, (1, sizes), and of resampled ones, (draws, sizes)."""
    from pytest_autoeval.features.horizon.size_counts import resample, sums_by_size
    from pytest_autoeval.statistics.isotonic import falling_rates

    rates = falling_rates(counts.passed[None, :], counts.total[None, :])
    rows, draws = resample(counts.formulas, _DRAWS)
    passed = sums_by_size(rows, draws, 1)
    total = sums_by_size(rows, draws, 2)
    return rates, falling_rates(passed, total)


def _shown(drawn: Numbers) -> Sequence[int]:
    most = min(len(drawn), _MOST_POINTS)
    last = len(drawn) - 1
    # Evenly, and always with the smallest and the largest size.
    return [round(index * last / (most - 1)) for index in range(most)]


def _horizon(  # noqa: PLR0913, PLR0917 (a horizon)
    level: float, value: float, low: float, high: float, drawn: Numbers, rate: float | None
) -> Horizon:
    """A horizon from its position and the ends of its interval: NaN for an open end, inf beyond the sizes."""
    least, largest = drawn[[0, -1]].tolist()
    bound: Literal["", "above", "below"] = ""
    if value < least:
        bound = "below"
    elif value > largest:
        bound = "above"
    return Horizon(
        level,
        None if bound else value,
        None if isnan(low) or bound == "below" else min(low, largest),
        None if isnan(high) or bound == "above" else max(high, least),
        bound,
        least,
        largest,
        rate,
    )
