"""Compares two groups of formulas within the same sizes, so that size is not a confounder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import fsum, sqrt
from operator import mul
from statistics import NormalDist
from typing import TYPE_CHECKING

from msgspec import Struct

from pytest_autoeval.statistics.clusters import Trials

if TYPE_CHECKING:
    from pytest_autoeval.statistics.logistic import Numbers

#: Multiplications, about a tenth of a second.
MOST_WORK = 20_000_000


class StratifiedTest(Struct, frozen=True):
    """Tests whether trials inside a group pass less often than those outside it, in the same strata.

    ``difference`` is the weighted mean over strata of the rate inside − the rate outside; ``score`` is the
    Mantel-Haenszel statistic as a normal deviate. ``p_value`` is one-sided (inside is worse). None if no stratum has
    both.
    """

    difference: float | None
    score: float | None
    p_value: float | None


def stratified_difference(
    strata: Sequence[tuple[Trials, Trials]], *, design_effect: float = 1.0
) -> StratifiedTest:
    """Compares (passed, total) inside and outside a group, stratum by stratum.

    The p-value is exact: that of the number of passes inside, given the totals of the strata, which is then a sum of
    independent hypergeometric numbers. Above :data:`MOST_WORK` multiplications, or if trials are dependent
    (``design_effect`` above 1), it is that of the score, divided by √design effect, with a continuity correction.
    Raises :class:`ValueError`.

    Sources: N. Mantel and W. Haenszel, Journal of the National Cancer Institute 22 (1959), 719-748 (the score); D. G.
    Thomas, Computers and Biomedical Research 8 (1975), 423-446 (the exact test); S. Greenland and J. M. Robins,
    Biometrics 41 (1985), 55-68 (the difference).
    """
    groups = [group for stratum in strata for group in stratum]
    if any(not 0 <= passed <= total for passed, total in groups):
        raise ValueError("passed must lie in 0…total in each stratum")
    if not design_effect >= 1.0:
        raise ValueError(f"a design effect is at least 1: {design_effect}")
    compared = [(inside, outside) for inside, outside in strata if inside[1] and outside[1]]
    if not compared:
        return StratifiedTest(None, None, None)
    weights, differences = [], []
    for (passed_inside, inside), (passed_outside, outside) in compared:
        weights.append(inside * outside / (inside + outside))
        differences.append(passed_inside / inside - passed_outside / outside)
    weighted = map(mul, weights, differences)
    difference = fsum(weighted) / fsum(weights)
    score, of_one_trial = _score(compared, design_effect)
    if score is None:
        p_value = None
    elif design_effect == 1.0 and _work(compared) <= MOST_WORK:
        p_value = _exact(compared)
    else:
        # The correction is half of the change by one trial, since the number of passes is an integer.
        p_value = NormalDist().cdf(score + of_one_trial / 2)
    return StratifiedTest(difference, score, p_value)


def _score(strata: Sequence[tuple[Trials, Trials]], effect: float) -> tuple[float | None, float]:
    """The normal deviate, and its change by one more independent trial that passes."""
    excess = variance = 0.0
    for (passed_inside, inside), (passed_outside, outside) in strata:
        trials = inside + outside
        passes = passed_inside + passed_outside
        failures = trials - passes
        excess += passed_inside - inside * passes / trials
        # Of the hypergeometric distribution: the totals of the stratum are given.
        variance += inside * outside * passes * failures / (trials * trials * (trials - 1))
    if not variance:
        return None, 0.0
    deviation = sqrt(variance * effect)
    return excess / deviation, effect / deviation


def _exact(strata: Sequence[tuple[Trials, Trials]]) -> float:
    """The probability of at most this number of passes inside, if the group made no difference."""
    import numpy as np

    weights = np.ones(1)
    fewest = 0
    observed = 0
    # Equal strata are convolved by repeated squaring, which is faster than one by one.
    kinds: Counter[tuple[int, int, int]] = Counter()
    for (passed_inside, inside), (passed_outside, outside) in strata:
        observed += passed_inside
        kinds[passed_inside + passed_outside, inside, outside] += 1
    # In a fixed order, so that rounding does not depend on that of the strata.
    for (passes, inside, outside), times in sorted(kinds.items()):
        of_stratum = hypergeometric(passes, inside, outside)
        weights = np.convolve(weights, sum_of_equal(of_stratum, times))
        fewest += times * max(0, passes - outside)
    at_most_observed = weights[: observed - fewest + 1]
    return min(1.0, float(at_most_observed.sum()))


def sum_of_equal(weights: Numbers, times: int) -> Numbers:
    """The distribution of the sum of ``times`` independent numbers with this distribution, by repeated squaring."""
    import numpy as np

    total: Numbers = np.ones(1)
    squared = weights
    while times:
        if times & 1:
            total = np.convolve(total, squared)
        times >>= 1
        if times:
            squared = np.convolve(squared, squared)
    return total


def hypergeometric(passes: int, inside: int, outside: int) -> Numbers:
    """The probability of each number of passes inside, from the smallest possible one."""
    import numpy as np

    from pytest_autoeval.statistics.special import gammaln

    def log_choices(trials: int, successes: Numbers) -> Numbers:
        logarithm: Numbers = (
            gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
        )
        return logarithm

    fewest = max(0, passes - outside)
    most = min(inside, passes)
    passes_inside = np.arange(fewest, most + 1, dtype=float)
    logs = log_choices(inside, passes_inside) + log_choices(outside, passes - passes_inside)
    # Relative to the largest, so that large strata neither overflow nor vanish.
    weights: Numbers = np.exp(logs - logs.max())
    shares: Numbers = weights / weights.sum()
    return shares


def _work(strata: Sequence[tuple[Trials, Trials]]) -> int:
    """How many multiplications the exact test needs, at most."""
    work = length = 0
    for (passed_inside, inside), (passed_outside, outside) in strata:
        passes = passed_inside + passed_outside
        failures = inside + outside - passes
        width = min(inside, outside, passes, failures)
        length += width
        work += (width + 1) * (length + 1)
    return work
