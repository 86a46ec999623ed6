"""Compares two groups of formulas within the same sizes, so that size is not a confounder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from pytest_autoeval.statistics.clusters import Trials

if TYPE_CHECKING:
    from pytest_autoeval.statistics.logistic import Numbers

#: Multiplications, about a tenth of a second.
MOST_WORK = 20_000_000


@dataclass(frozen=True, slots=True)
class StratifiedTest:
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
    if any(not 0 <= passed <= total for stratum in strata for passed, total in stratum):
        raise ValueError("passed must lie in 0…total in each stratum")
    if not design_effect >= 1.0:
        raise ValueError(f"a design effect is at least 1: {design_effect}")
    both = [(inside, outside) for inside, outside in strata if inside[1] and outside[1]]
    if not both:
        return StratifiedTest(None, None, None)
    weights = [inside[1] * outside[1] / (inside[1] + outside[1]) for inside, outside in both]
    differences = [inside[0] / inside[1] - outside[0] / outside[1] for inside, outside in both]
    difference = fsum(w * d for w, d in zip(weights, differences, strict=True)) / fsum(weights)
    score, least = _score(both, design_effect)
    exact = design_effect == 1.0 and _work(both) <= MOST_WORK
    return StratifiedTest(
        difference=difference,
        score=score,
        p_value=None
        if score is None
        else _exact(both)
        if exact
        else NormalDist().cdf(score + least / 2),
    )


def _score(strata: Sequence[tuple[Trials, Trials]], effect: float) -> tuple[float | None, float]:
    """The normal deviate, and its change by one more independent trial that passes."""
    excess = variance = 0.0
    for (passed, inside), (passed_outside, outside) in strata:
        every, passes = inside + outside, passed + passed_outside
        excess += passed - inside * passes / every
        variance += inside * outside * passes * (every - passes) / (every * every * (every - 1))
    deviation = sqrt(variance * effect)
    return (excess / deviation, effect / deviation) if variance else (None, 0.0)


def _exact(strata: Sequence[tuple[Trials, Trials]]) -> float:
    """The probability of at most this number of passes inside, if the group made no difference."""
    import numpy as np

    weights, least = np.ones(1), 0
    kinds = Counter(
        (passed + passed_outside, inside, outside)
        for (passed, inside), (passed_outside, outside) in strata
    )
    # In a fixed order, so that rounding does not depend on that of the strata.
    for (passes, inside_trials, outside_trials), times in sorted(kinds.items()):
        one = hypergeometric(passes, inside_trials, outside_trials)
        weights = np.convolve(weights, sum_of_equal(one, times))
        least += times * max(0, passes - outside_trials)
    passed_inside = sum(inside[0] for inside, _ in strata)
    return min(1.0, float(weights[: passed_inside - least + 1].sum()))


def sum_of_equal(weights: Numbers, times: int) -> Numbers:
    """The distribution of the sum of ``times`` independent numbers with this distribution, by repeated squaring."""
    import numpy as np

    whole: Numbers = np.ones(1)
    squared = weights
    while times:
        if times & 1:
            whole = np.convolve(whole, squared)
        times >>= 1
        if times:
            squared = np.convolve(squared, squared)
    return whole


def hypergeometric(passes: int, inside: int, outside: int) -> Numbers:
    """The probability of each number of passes inside, from the smallest possible one."""
    import numpy as np

    from pytest_autoeval.statistics.special import gammaln

    def ways(whole: int, part: Numbers) -> Numbers:
        logarithm: Numbers = gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1)
        return logarithm

    there = np.arange(max(0, passes - outside), min(inside, passes) + 1, dtype=float)
    logs = ways(inside, there) + ways(outside, passes - there)
    weights: Numbers = np.exp(logs - logs.max())
    shares: Numbers = weights / weights.sum()
    return shares


def _work(strata: Sequence[tuple[Trials, Trials]]) -> int:
    work = length = 0
    for (passed, inside), (passed_outside, outside) in strata:
        width = min(
            inside, outside, passed + passed_outside, inside + outside - passed - passed_outside
        )
        length += width
        work += (width + 1) * (length + 1)
    return work
