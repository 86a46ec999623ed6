"""The exact interval of a proportion, by Clopper and Pearson.

It needs one quantile of the beta distribution for each end. They are computed here and not with scipy, because every
run shows intervals, and the import of scipy takes longer than a small run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, lgamma, log, log1p

#: Newton's method ends when a step is this small.
_PRECISION = 1e-13
#: More steps than Newton's method with bisection ever needs in floating point.
_STEPS = 200
#: A number that replaces 0 as a denominator of the continued fraction.
_TINY = 1e-300


@lru_cache(maxsize=4096)
def clopper_pearson(
    successes: float, total: float, confidence: float = 0.95
) -> tuple[float, float]:
    """The lower and upper end of the exact interval of a proportion; 0 and 1 without observations.

    A true proportion lies below the interval in at most (1 − ``confidence``) / 2 of all cases, and above it as often.
    Counts may be fractions: the effective numbers of dependent observations. Raises :class:`ValueError` for counts or a
    confidence out of range.

    Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934), 404-413; as quantiles of the beta distribution.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"successes must lie in 0…total: {successes} of {total}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence must lie between 0 and 1: {confidence}")
    tail = (1.0 - confidence) / 2.0
    failures = total - successes
    low = beta_quantile(tail, successes, failures + 1.0) if successes else 0.0
    high = 1.0 - beta_quantile(tail, failures, successes + 1.0) if failures else 1.0
    return low, high


def at_least(passed: float, samples: float, rate: float) -> float:
    """The probability of ``passed`` or more of ``samples``, at a true ``rate``. Counts may be fractions."""
    if passed <= 0:
        return 1.0
    if passed > samples:
        return 0.0
    return incomplete_beta(rate, passed, samples - passed + 1.0)


def beta_quantile(chance: float, alpha: float, beta: float) -> float:
    """Where the beta distribution with these parameters reaches ``chance``, which lies between 0 and 1."""
    if beta == 1.0:
        return float(chance ** (1.0 / alpha))
    constant = _log_constant(alpha, beta)

    def density(value: float) -> float:
        if not 0.0 < value < 1.0:
            return inf
        exponent = constant + (alpha - 1.0) * log(value) + (beta - 1.0) * log1p(-value)
        # A larger exponent would overflow.
        return exp(min(exponent, 700.0))

    def excess(value: float) -> float:
        return incomplete_beta(value, alpha, beta) - chance

    mean = alpha / (alpha + beta)
    return _root(excess, density, start=mean)


def _root(excess: Callable[[float], float], slope: Callable[[float], float], start: float) -> float:
    """The zero of a rising function between 0 and 1: Newton's method, with a bisection where it would leave."""
    low, high, value = 0.0, 1.0, start
    for _ in range(_STEPS):
        over = excess(value)
        if over > 0.0:
            high = value
        else:
            low = value
        steepness = slope(value)
        # Far from the mean the density underflows to 0; `low` then makes the next step a bisection.
        following = value - over / steepness if steepness > 0.0 else low
        if not low < following < high:
            following = (low + high) / 2.0
        if abs(following - value) <= _PRECISION * value:
            return following
        value = following
    return value


def incomplete_beta(value: float, alpha: float, beta: float) -> float:
    """The regularised incomplete beta function: the distribution function of the beta distribution at ``value``.

    Source: W. H. Press et al., "Numerical recipes" (3rd ed. 2007), section 6.4: a continued fraction, by the method of
    Lentz. It converges fast on the side of the mean that is chosen here.
    """
    if value <= 0.0:
        return 0.0
    if value >= 1.0:
        return 1.0
    turning_point = (alpha + 1.0) / (alpha + beta + 2.0)
    if value > turning_point:
        return 1.0 - incomplete_beta(1.0 - value, beta, alpha)
    exponent = _log_constant(alpha, beta) + alpha * log(value) + beta * log1p(-value)
    factor = exp(exponent) / alpha
    return factor * _continued_fraction(value, alpha, beta)


def _log_constant(alpha: float, beta: float) -> float:
    """The logarithm of 1 / B(alpha, beta): the density integrates to 1 with it."""
    return lgamma(alpha + beta) - lgamma(alpha) - lgamma(beta)


def _continued_fraction(value: float, alpha: float, beta: float) -> float:
    """The fraction of :func:`incomplete_beta`, evaluated from its beginning until a term changes nothing."""
    both = alpha + beta
    numerator = 1.0
    denominator = 1.0 - both * value / (alpha + 1.0)
    # Lentz's method divides by each denominator, so none may be 0.
    denominator = 1.0 / (denominator or _TINY)
    fraction = denominator
    # The number of terms grows with the root of the larger parameter.
    most_terms = 100 + int(5.0 * both**0.5)
    for term in range(1, most_terms):
        index = alpha + 2 * term
        even = term * (beta - term) * value / ((index - 1) * index)
        odd = -(alpha + term) * (both + term) * value / (index * (index + 1))
        for coefficient in (even, odd):
            denominator = 1.0 + coefficient * denominator
            denominator = 1.0 / (denominator or _TINY)
            numerator = (1.0 + coefficient / numerator) or _TINY
            change = numerator * denominator
            fraction *= change
        if abs(change - 1.0) < 1e-15:
            break
    return fraction
