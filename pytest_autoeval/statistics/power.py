"""Power: the smallest drop that a comparison detects, and the number of samples that a decision needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.statistics.logistic import Numbers
    from pytest_autoeval.statistics.paired import PairedTest

#: Beyond this number of changed formulas the exact test and its normal approximation agree to a thousandth.
_EXACT_LIMIT = 100_000
#: Standard deviations around the mean; numbers of changed formulas beyond them are ignored.
_MAX_DEVIATIONS = 9
#: How many numbers of changed formulas are computed at once.
_BLOCK = 256
#: The precision of the search for drops.
_PRECISION = 1e-9


def smallest_detectable_drop(test: PairedTest, *, alpha: float, power: float = 0.8) -> float | None:
    """The smallest drop of the pass rate that such a comparison finds with probability ``power``, or None.

    The power is that of McNemar's exact test, one-sided at level ``alpha``. Without a drop, formulas are assumed to
    change as often as in ``test``, equally in both directions. Half a formula is added to each direction. The drop
    consists of further formulas that fail in all trials, which is hardest to detect. Raises :class:`ValueError`.
    """
    _check(alpha, power)
    if _power(1.0, test.pairs, test, alpha) < power:
        return None
    low, high = 0.0, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        is_enough = _power(middle, test.pairs, test, alpha) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def pairs_needed(drop: float, test: PairedTest, *, alpha: float, power: float = 0.8) -> int:
    """The number of formulas needed to find a drop of this size, as :func:`smallest_detectable_drop` assumes.

    It exceeds ``test.pairs`` if and only if that drop exceeds ``drop``. Raises :class:`ValueError`.
    """
    _check(alpha, power)
    if not 0.0 < drop <= 1.0:
        raise ValueError(f"a drop must be above 0 and at most 1: {drop}")
    return _smallest_sufficient(lambda pairs: _power(drop, pairs, test, alpha) >= power, test.pairs)


def samples_to_decide(
    rate: float, threshold: float, *, confidence: float = 0.95, design_effect: float = 1.0
) -> int | None:
    """The smallest number of samples at which Wilson's interval around this rate excludes the threshold.

    All rates and ``confidence`` lie in 0…1; a ``design_effect`` of 2 doubles the number. None if the rate equals the
    threshold. Raises :class:`ValueError` for values out of range.
    """
    if not (0.0 <= rate <= 1.0 and 0.0 <= threshold <= 1.0 and 0.0 < confidence < 1.0 and design_effect >= 1.0):
        raise ValueError(f"out of range: {rate=}, {threshold=}, {confidence=}, {design_effect=}")
    if rate == threshold:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    bound = design_effect * threshold * (1 - threshold) * (z / (rate - threshold)) ** 2
    return max(1, ceil(bound) if rate > threshold else floor(bound) + 1)


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
        return normal.cdf(z_score / sqrt(max(changed - drop * drop, 1e-12)))
    import numpy as np

    spread = _MAX_DEVIATIONS * (sqrt(pairs * changed * (1 - changed)) + 1)
    least, most = max(1, floor(pairs * changed - spread)), min(pairs, ceil(pairs * changed + spread))
    numbers = np.arange(least, most + 1, dtype=float)
    blocks = [_fewest_significant(block, alpha) for block in range(least // _BLOCK, most // _BLOCK + 1)]
    lost = np.concatenate(blocks)[least % _BLOCK :][: len(numbers)]
    chances = _binomial(numbers, pairs, changed) * _binomial_tail(lost, numbers, (won + drop) / changed)
    return float(chances.sum())


@lru_cache(maxsize=1024)
def _fewest_significant(block: int, alpha: float) -> Numbers:
    """For each number of changed formulas: the smallest number of lost ones with a p-value below ``alpha``.

    It is one more than all of them if no number suffices. Computed in blocks, since every search asks for the same
    numbers again.
    """
    import numpy as np

    changed = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=float)
    guess = changed / 2 - NormalDist().inv_cdf(alpha) * np.sqrt(changed) / 2
    lost: Numbers = np.clip(np.floor(guess), 1, changed + 1)
    while (too_few := (lost <= changed) & (_binomial_tail(lost, changed, 0.5) >= alpha)).any():
        lost[too_few] += 1
    while (too_many := (lost > 1) & (_binomial_tail(lost - 1, changed, 0.5) < alpha)).any():
        lost[too_many] -= 1
    return lost


def _binomial_tail(least: Numbers, trials: Numbers, chance: float) -> Numbers:
    """The probability of ``least`` or more successes; ``least`` is at least 1."""
    import numpy as np
    from scipy.special import betainc

    possible = np.minimum(least, trials)
    tail: Numbers = np.where(least > trials, 0.0, betainc(possible, trials - possible + 1, chance))
    return tail


def _binomial(successes: Numbers, trials: int, chance: float) -> Numbers:
    import numpy as np
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
    weights: Numbers = np.exp(ways + xlogy(successes, chance) + xlog1py(trials - successes, -chance))
    return weights


def _power(drop: float, pairs: int, test: PairedTest, alpha: float) -> float:
    """The power of a comparison like ``test`` with ``pairs`` formulas, in terms of one trial per formula.

    A formula that passed at rate ``before`` and then always fails counts as before / step changed formulas. The
    additional variance of the drop is added to the churn.
    """
    changed = test.mean_square * test.pairs / (test.step * test.step)
    churn = (changed + 1) / (test.pairs / test.step + 1) + drop * max(0.0, test.before / test.step - 1)
    return power_of_comparison(drop, floor(pairs / test.step), min(1.0, churn), alpha=alpha)


def _smallest_sufficient(enough: Callable[[int], bool], start: int) -> int:
    """The smallest number for which ``enough`` holds, searched from ``start``."""
    low, high = (0, start) if start and enough(start) else (start, 2 * start + 1)
    while high > start and not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check(alpha: float, power: float) -> None:
    if not (0.0 < alpha < 1.0 and 0.0 < power < 1.0):
        raise ValueError(f"alpha and power must lie between 0 and 1: {alpha}, {power}")
