"""How much a comparison or a gate can see: the smallest drop, and how many samples it takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pytest_autoeval.statistics.paired import PairedTest


if TYPE_CHECKING:
    import numpy as np

    Numbers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

#: Past so many changed formulas the exact test and its normal approximation agree to a thousandth.
_MANY = 100_000
#: Standard deviations to either side of the mean, past which a number of changed formulas does not count.
_REACH = 9
#: How many numbers of changed formulas are worked out at once.
_BLOCK = 256
#: To what precision drops are searched.
_PRECISION = 1e-9


def smallest_detectable_drop(test: PairedTest, *, alpha: float, power: float = 0.8) -> float | None:
    """The smallest drop of the pass rate that a comparison like this one finds significant often enough.

    A drop is a rate, ``alpha`` the level of the one-sided test, ``power`` the share of comparisons that are to find it.
    None where so few pairs find no drop at all. Raises :class:`ValueError` for an ``alpha`` or ``power`` that does not
    lie between 0 and 1.

    The power is that of the exact McNemar test. Formulas are taken to change, either way as often, as much as they were
    seen to change, half a formula added to each way, so that none seen is not taken for none possible; the drop comes
    on top of that, from formulas that then fail altogether: the drop that is hardest to see. Formulas with repeats
    count for ``pairs / step`` formulas with one trial each.
    """
    _check(alpha, power)
    if _power(1.0, test.pairs, test, alpha) < power:
        return None
    low, high = 0.0, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        found = _power(middle, test.pairs, test, alpha) >= power
        low, high = (low, middle) if found else (middle, high)
    return high


def pairs_needed(drop: float, test: PairedTest, *, alpha: float, power: float = 0.8) -> int:
    """How many formulas it takes to find a drop of this size, where formulas change as they did in this comparison.

    More than ``test.pairs`` if and only if :func:`smallest_detectable_drop`, which makes the same assumptions, is more
    than ``drop``. Raises :class:`ValueError` for a drop that does not lie above 0 and at most at 1.
    """
    _check(alpha, power)
    if not 0.0 < drop <= 1.0:
        raise ValueError(f"a drop lies above 0 and at most at 1: {drop}")
    return _first(lambda pairs: _power(drop, pairs, test, alpha) >= power, test.pairs)


def samples_to_decide(
    rate: float, threshold: float, *, confidence: float = 0.95, design_effect: float = 1.0
) -> int | None:
    """The smallest number of samples at which Wilson's interval around this rate no longer holds the threshold.

    All rates and ``confidence`` lie in 0…1; a ``design_effect`` of 2 takes twice as many. None where the rate is the
    threshold: no number decides. Raises :class:`ValueError` for what is out of range.

    Wilson's interval holds the thresholds that a score test does not reject, which solves for the number.
    """
    if not (0.0 <= rate <= 1.0 and 0.0 <= threshold <= 1.0 and 0.0 < confidence < 1.0 and design_effect >= 1.0):
        raise ValueError(f"out of range: {rate=}, {threshold=}, {confidence=}, {design_effect=}")
    if rate == threshold:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    bound = design_effect * threshold * (1 - threshold) * (z / (rate - threshold)) ** 2
    return max(1, ceil(bound) if rate > threshold else floor(bound) + 1)


def power_of_comparison(drop: float, pairs: int, churn: float, *, alpha: float) -> float:
    """How often the exact McNemar test at level ``alpha`` finds a drop among so many pairs, with one trial each.

    ``churn`` is the share of formulas that change though the rate stays, half of them either way. Exact, by summing
    over the numbers of changed formulas, up to 100,000 of them; beyond, from the normal distribution.

    Source: J. T. Connett, J. A. Smith and R. B. McHugh, "Sample size and power for pair-matched case-control studies",
    Statistics in Medicine 6 (1987), 53-59 (the unconditional power of the exact test).
    """
    won = min(churn, 1 - drop) / 2
    changed = 2 * won + drop
    if not changed:
        return 0.0
    if pairs * changed > _MANY:
        normal = NormalDist()
        reach = sqrt(pairs) * drop + normal.inv_cdf(alpha) * sqrt(changed)
        return normal.cdf(reach / sqrt(max(changed - drop * drop, 1e-12)))
    import numpy as np

    spread = _REACH * (sqrt(pairs * changed * (1 - changed)) + 1)
    least, most = max(1, floor(pairs * changed - spread)), min(pairs, ceil(pairs * changed + spread))
    numbers = np.arange(least, most + 1, dtype=float)
    blocks = [_fewest_significant(block, alpha) for block in range(least // _BLOCK, most // _BLOCK + 1)]
    lost = np.concatenate(blocks)[least % _BLOCK :][: len(numbers)]
    chances = _binomial(numbers, pairs, changed) * _at_least(lost, numbers, (won + drop) / changed)
    return float(chances.sum())


@lru_cache(maxsize=1024)
def _fewest_significant(block: int, alpha: float) -> Numbers:
    """Of each number of changed formulas, how many must be lost for a p-value below ``alpha``; above all if none.

    For a block of numbers, because every search for a drop or a number of pairs asks for the same ones again.
    """
    import numpy as np

    changed = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=float)
    guess = changed / 2 - NormalDist().inv_cdf(alpha) * np.sqrt(changed) / 2
    lost: Numbers = np.clip(np.floor(guess), 1, changed + 1)
    while (short := (lost <= changed) & (_at_least(lost, changed, 0.5) >= alpha)).any():
        lost[short] += 1
    while (many := (lost > 1) & (_at_least(lost - 1, changed, 0.5) < alpha)).any():
        lost[many] -= 1
    return lost


def _at_least(least: Numbers, trials: Numbers, chance: float) -> Numbers:
    """The probability of so many successes or more; ``least`` is at least 1."""
    import numpy as np
    from scipy.special import betainc

    possible = np.minimum(least, trials)
    tail: Numbers = np.where(least > trials, 0.0, betainc(possible, trials - possible + 1, chance))
    return tail


def _binomial(successes: Numbers, trials: int, chance: float) -> Numbers:
    """The probability of each number of successes."""
    import numpy as np
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
    weights: Numbers = np.exp(ways + xlogy(successes, chance) + xlog1py(trials - successes, -chance))
    return weights


def _power(drop: float, pairs: int, test: PairedTest, alpha: float) -> float:
    """The power of a comparison of so many formulas, otherwise like this one, in terms of formulas with one trial each.

    A formula that passed ``before`` of its trials and then fails altogether takes before / step of those with it, which
    makes the drop scatter as more churn would.
    """
    changed = test.mean_square * test.pairs / (test.step * test.step)
    churn = (changed + 1) / (test.pairs / test.step + 1) + drop * max(0.0, test.before / test.step - 1)
    return power_of_comparison(drop, floor(pairs / test.step), min(1.0, churn), alpha=alpha)


def _first(enough: Callable[[int], bool], start: int) -> int:
    """The number from 1 at which it becomes enough, searched from ``start``."""
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
