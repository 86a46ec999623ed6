"""Power: the smallest drop that a comparison detects, and the number of samples that a decision needs.

The power of a test is the probability that it finds a drop at the level at which a gate uses it. There is one
definition, for a suite, for all suites of a run, and for a plan: :func:`power_to_find`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from pytest_autoeval.statistics.exact_bounds import at_least, beta_quantile
from pytest_autoeval.statistics.pass_rate import Interval, PassRate, excludes_drop

if TYPE_CHECKING:
    from pytest_autoeval.statistics.logistic import Numbers

#: Beyond this number of changed formulas the exact test and its normal approximation agree to a thousandth.
_EXACT_LIMIT = 100_000
#: Standard deviations around the mean; numbers of changed formulas beyond them are ignored.
_MAX_DEVIATIONS = 9
#: How many numbers of changed formulas are computed at once.
_BLOCK = 256
#: The precision of the search for drops.
_PRECISION = 1e-9


class Pairs(Protocol):
    """What decides how much pairs can show: a :class:`~pytest_autoeval.statistics.paired.PairedTest`, or a plan.

    ``before`` is the mean rate of the formulas. ``step`` and ``effect`` are the numbers of pairs that show as much as
    one independent pair with one trial each, because of repeats and because of clusters. ``churn`` is the share of
    these independent pairs that change although nothing changed.
    """

    @property
    def pairs(self) -> int: ...
    @property
    def before(self) -> float: ...
    @property
    def churn(self) -> float: ...
    @property
    def step(self) -> float: ...
    @property
    def effect(self) -> float: ...


def independent(test: Pairs, pairs: int | None = None) -> int:
    """The number of independent formulas with one trial each that show as much as ``pairs`` of this kind."""
    if pairs is None:
        pairs = test.pairs
    # An integer must not become one less by rounding.
    return floor(pairs / test.step / test.effect + 1e-9)


def changing(drop: float, test: Pairs) -> tuple[float, float]:
    """The chances that an independent pair is won, and that it is lost, if the pass rate falls by ``drop``.

    Without a drop as many are won as lost. The drop consists of formulas that then fail in all trials, which is
    hardest to detect: such a formula, which passed at rate ``before``, counts as before / step changed formulas.
    """
    # By how many changed formulas one that now always fails counts for more than one.
    surplus = max(0.0, test.before / test.step - 1)
    churn = min(1.0, test.churn + drop * surplus)
    won = min(churn, 1 - drop) / 2
    return won, won + drop


def power_to_find(drop: float, test: Pairs, *, alpha: float, pairs: int | None = None) -> float:
    """The probability that the test finds a drop, at the one-sided level ``alpha``, with so many ``pairs``."""
    churn = 2 * changing(drop, test)[0]
    return power_of_comparison(drop, independent(test, pairs), churn, alpha=alpha)


def power_to_exclude(
    drop: float, test: Pairs, *, confidence: float = 0.95, pairs: int | None = None
) -> float:
    """The probability that the interval excludes a drop with so many ``pairs`` if nothing changed."""
    return power_of_exclusion(drop, independent(test, pairs), test.churn, confidence=confidence)


def smallest_detectable_drop(test: Pairs, *, alpha: float, power: float = 0.8) -> float | None:
    """The smallest drop of the pass rate that such a comparison finds with probability ``power``, or None.

    The power is that of :func:`power_to_find`. A rate cannot fall below 0. Raises :class:`ValueError`.
    """
    _check(alpha, power)
    low, high = 0.0, test.before
    if power_to_find(high, test, alpha=alpha) < power:
        return None
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if power_to_find(middle, test, alpha=alpha) >= power:
            high = middle
        else:
            low = middle
    return high


def pairs_needed(
    drop: float, test: Pairs, *, alpha: float, confidence: float = 0.95, power: float = 0.8
) -> int:
    """The number of formulas that a decision on a drop of this size needs.

    With so many formulas the drop is found at level ``alpha`` with probability ``power`` if it occurred
    (:func:`power_to_find`). If nothing changed, the interval of this ``confidence`` excludes it with the same
    probability. Raises :class:`ValueError`.
    """
    _check(alpha, power)
    if not 0.0 < drop <= 1.0:
        raise ValueError(f"a drop must be above 0 and at most 1: {drop}")

    def decides(pairs: int) -> bool:
        if power_to_exclude(drop, test, confidence=confidence, pairs=pairs) < power:
            return False
        return power_to_find(drop, test, alpha=alpha, pairs=pairs) >= power

    return _smallest_sufficient(decides, test.pairs)


def samples_to_decide(
    rate: float, threshold: float, *, confidence: float = 0.95, design_effect: float = 1.0
) -> int | None:
    """The smallest number of samples at which the exact interval around this rate excludes the threshold.

    All rates and ``confidence`` lie in 0…1; a ``design_effect`` of 2 doubles the number. Above 100,000 samples it is
    that of Wilson's interval, which differs by less than 1 %. None if the rate equals the threshold. Raises
    :class:`ValueError` for values out of range.
    """
    rates_are_valid = 0.0 <= rate <= 1.0 and 0.0 <= threshold <= 1.0
    if not (rates_are_valid and 0.0 < confidence < 1.0 and design_effect >= 1.0):
        raise ValueError(f"out of range: {rate=}, {threshold=}, {confidence=}, {design_effect=}")
    if rate == threshold:
        return None
    if threshold in (0.0, 1.0):
        return 1
    tail = (1 - confidence) / 2
    # Wilson's interval excludes the threshold if the rate is so many standard errors of the threshold away from it.
    deviations = NormalDist().inv_cdf(1 - tail) / (rate - threshold)
    roughly = ceil(design_effect * threshold * (1 - threshold) * deviations**2)
    if roughly > _EXACT_LIMIT:
        return roughly

    def decides(samples: int) -> bool:
        independent = samples / design_effect
        if rate > threshold:
            return at_least(rate * independent, independent, threshold) <= tail
        return at_least((1 - rate) * independent, independent, 1 - threshold) < tail

    return _smallest_sufficient(decides, roughly)


class ThresholdPlan(Struct, frozen=True):
    """What a gate at a threshold decides with ``samples`` independent samples.

    It passes from ``passes_from`` passed samples on, and fails up to ``fails_to``; in between it is inconclusive.
    ``passing_rate`` is the smallest true rate at which it passes with the planned probability, ``failing_rate`` the
    largest at which it fails; None if no rate does.
    """

    samples: int
    passes_from: int
    fails_to: int
    passing_rate: float | None
    failing_rate: float | None

    def chances(self, rate: float) -> tuple[float, float]:
        """The probabilities that it passes and that it fails at a true rate."""
        passes = at_least(self.passes_from, self.samples, rate)
        fails = 1 - at_least(self.fails_to + 1, self.samples, rate)
        return passes, fails


@lru_cache(maxsize=1024)
def threshold_plan(
    samples: int,
    threshold: float,
    *,
    interval: bool = False,
    confidence: float = 0.95,
    power: float = 0.8,
) -> ThresholdPlan:
    """The plan of a gate: its rate must meet the threshold, or with ``interval`` the exact interval of its rate.

    ``samples`` is at least 1. The rates are exact (binomial).
    """

    def ends(passed: int) -> Interval:
        rate = PassRate(passed, 0, samples)
        return rate.interval(confidence) if interval else Interval(rate.lower, rate.lower)

    # Both ends rise with the number of passed samples.
    numbers = range(samples + 1)
    passes_from = bisect_left(numbers, True, key=lambda passed: ends(passed).low >= threshold)
    fails_to = bisect_left(numbers, True, key=lambda passed: ends(passed).high >= threshold) - 1
    # The chance of n or more passes rises with the true rate as the distribution function of a beta distribution.
    passing_rate = failing_rate = None
    if passes_from == 0:
        passing_rate = 0.0
    elif passes_from <= samples:
        passing_rate = beta_quantile(power, passes_from, samples - passes_from + 1)
    if 0 <= fails_to < samples:
        failing_rate = beta_quantile(1 - power, fails_to + 1, samples - fails_to)
    return ThresholdPlan(samples, passes_from, fails_to, passing_rate, failing_rate)


def power_of_comparison(drop: float, pairs: int, churn: float, *, alpha: float) -> float:
    """The probability that McNemar's exact test at level ``alpha`` finds a drop, with one trial for each pair.

    ``churn`` is the share of formulas that change although the rate stays, half of them in each direction. The
    probability is exact (a sum over the numbers of changed formulas) if at most 100,000 changed formulas are expected,
    and a normal approximation beyond.

    Source: J. T. Connett, J. A. Smith and R. B. McHugh, "Sample size and power for pair-matched case-control studies",
    Statistics in Medicine 6 (1987), 53-59 (the unconditional power of the exact test).
    """
    won = min(churn, 1 - drop) / 2
    changed = 2 * won + drop
    if not changed:
        return 0.0
    if pairs * changed > _EXACT_LIMIT:
        normal = NormalDist()
        z_score = sqrt(pairs) * drop + normal.inv_cdf(alpha) * sqrt(changed)
        deviation = sqrt(max(changed - drop * drop, 1e-12))
        return normal.cdf(z_score / deviation)
    import numpy as np

    fewest, most = _likely_numbers(pairs, changed, least=1)
    numbers = np.arange(fewest, most + 1, dtype=float)
    # For each number of changed formulas, the smallest number of lost ones that is significant.
    first_block = fewest // _BLOCK
    last_block = most // _BLOCK
    blocks = [_fewest_significant(block, alpha) for block in range(first_block, last_block + 1)]
    start = fewest % _BLOCK
    lost = np.concatenate(blocks)[start : start + len(numbers)]
    share_lost = (won + drop) / changed
    chances = _binomial(numbers, pairs, changed)
    powers = _binomial_tail(lost, numbers, share_lost)
    return float((chances * powers).sum())


def power_of_exclusion(drop: float, pairs: int, churn: float, *, confidence: float = 0.95) -> float:
    """The probability that the interval of a comparison excludes a drop, if the rate stays; one trial for each pair.

    ``churn`` is the share of formulas that change although the rate stays, half of them in each direction. The interval
    is the two-sided score interval with this ``confidence``. As for :func:`power_of_comparison`, the probability is
    exact up to 100,000 changed formulas.
    """
    import numpy as np

    normal = NormalDist()
    z = normal.inv_cdf(0.5 + confidence / 2)
    if not pairs:
        return 0.0
    if pairs * churn > _EXACT_LIMIT:
        deviation = sqrt(churn)
        margin = sqrt(pairs) * drop - z * deviation
        return normal.cdf(margin / deviation)
    fewest, most = _likely_numbers(pairs, churn, least=0)
    changed = np.arange(fewest, most + 1, dtype=float)
    lost = _fewest_not_excluding(changed, drop, pairs, z)
    chances = _binomial(changed, pairs, churn)
    # A tail of 0 or more lost ones is certain, and has no incomplete beta function.
    tail = _binomial_tail(np.maximum(lost, 1), changed, 0.5)
    too_many = np.where(lost > 0, tail, 1.0)
    return float((chances * (1 - too_many)).sum())


def _fewest_not_excluding(changed: Numbers, drop: float, pairs: int, z: float) -> Numbers:
    """For each number of changed formulas: the smallest number of lost ones with which a drop is not excluded.

    It is one more than all of them if the drop is excluded anyway. The more are lost, the less is excluded: so one
    bisection finds it, for all numbers at once.
    """
    import numpy as np

    fewest = np.zeros_like(changed)
    most = changed + 1
    while (searching := fewest < most).any():
        middle = np.floor((fewest + most) / 2)
        excludes = excludes_drop(drop, changed - middle, middle, pairs, z)
        fewest = np.where(searching & excludes, middle + 1, fewest)
        most = np.where(searching & ~excludes, middle, most)
    return fewest


def _likely_numbers(pairs: int, share: float, *, least: int) -> tuple[int, int]:
    """The smallest and the largest number of changed formulas whose chance is not negligible."""
    expected = pairs * share
    deviation = sqrt(pairs * share * (1 - share))
    spread = _MAX_DEVIATIONS * (deviation + 1)
    fewest = floor(expected - spread)
    most = ceil(expected + spread)
    return max(least, fewest), min(pairs, most)


@lru_cache(maxsize=1024)
def _fewest_significant(block: int, alpha: float) -> Numbers:
    """For each number of changed formulas: the smallest number of lost ones with a p-value below ``alpha``.

    It is one more than all of them if no number suffices. Computed in blocks, since every search asks for the same
    numbers again.
    """
    import numpy as np

    changed = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=float)
    z = NormalDist().inv_cdf(alpha)
    guess = changed / 2 - z * np.sqrt(changed) / 2
    lost: Numbers = np.clip(np.floor(guess), 1, changed + 1)
    # The guess by the normal distribution is off by one or two: upwards first, then downwards.
    while True:
        is_significant = _binomial_tail(lost, changed, 0.5) < alpha
        too_few = (lost <= changed) & ~is_significant
        if not too_few.any():
            break
        lost[too_few] += 1
    while True:
        is_significant = _binomial_tail(lost - 1, changed, 0.5) < alpha
        too_many = (lost > 1) & is_significant
        if not too_many.any():
            break
        lost[too_many] -= 1
    return lost


def _binomial_tail(least: Numbers, trials: Numbers, chance: float) -> Numbers:
    """The probability of ``least`` or more successes; ``least`` is at least 1."""
    import numpy as np
    from scipy.special import betainc

    # More successes than trials have no incomplete beta function; their probability is 0.
    possible = np.minimum(least, trials)
    tail = betainc(possible, trials - possible + 1, chance)
    chances: Numbers = np.where(least > trials, 0.0, tail)
    return chances


def _binomial(successes: Numbers, trials: int, chance: float) -> Numbers:
    """The probability of each number of successes."""
    import numpy as np
    from scipy.special import gammaln, xlog1py, xlogy

    failures = trials - successes
    # By logarithms: the binomial coefficients of thousands of trials would overflow.
    log_choices = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(failures + 1)
    logarithms = log_choices + xlogy(successes, chance) + xlog1py(failures, -chance)
    weights: Numbers = np.exp(logarithms)
    return weights


def _smallest_sufficient(enough: Callable[[int], bool], start: int) -> int:
    """The smallest number for which ``enough`` holds, searched from ``start``."""
    low = start
    high = 2 * start + 1
    if start and enough(start):
        low, high = 0, start
    # Doubles until it is enough; then a bisection between a number that is not enough and one that is.
    while high > start and not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def _check(alpha: float, power: float) -> None:
    if not (0.0 < alpha < 1.0 and 0.0 < power < 1.0):
        raise ValueError(f"alpha and power must lie between 0 and 1: {alpha}, {power}")
