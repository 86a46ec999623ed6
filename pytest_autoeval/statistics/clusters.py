"""The design effect: repeats of one formula are correlated, so they count less than different formulas."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

#: How many trials passed, of how many: ``(passed, total)``.
Trials = tuple[int, int]


def design_effect(clusters: Sequence[Trials]) -> float:
    """The number of trials that show as much as one independent trial, from (passed, total) of each formula.

    It is the variance of the pooled rate when formulas are drawn, divided by that of independent trials: from 1
    (repeats show as much as other formulas) to Σ total² / Σ total (repeats copy the first trial). As a prior, half a
    formula that always passes and half a formula that always fails are added. So repeats count as copies until the data
    show otherwise. Raises :class:`ValueError` if ``passed`` is not in 0…``total``.

    Source: the linearised variance of a ratio over clusters, W. G. Cochran, "Sampling techniques" (3rd ed. 1977),
    section 9A; J. N. K. Rao and A. J. Scott, "A simple method for the analysis of clustered binary data", Biometrics 48
    (1992), 577-585. The two half formulas are ours, chosen by simulation.
    """
    if any(not 0 <= passed <= total for passed, total in clusters):
        raise ValueError("passed must lie in 0…total in each cluster")
    tried = [(passed, total) for passed, total in clusters if total]
    trials = sum(total for _, total in tried)
    # One trial each: there are no repeats.
    if trials == len(tried):
        return 1.0
    passes = sum(passed for passed, _ in tried)
    # The size of the formula of a trial that is drawn at random. No effect is larger.
    largest = sum(total * total for _, total in tried) / trials
    # The two half formulas of the prior have `largest` trials together, of which half pass.
    trials_with_prior = trials + largest
    rate = (passes + largest / 2) / trials_with_prior
    squares = fsum((passed - total * rate) ** 2 for passed, total in tried)
    # Of the half formula that always fails, and of the one that always passes.
    residual_of_failing = largest * rate
    residual_of_passing = largest * (1 - rate)
    squares += (residual_of_failing**2 + residual_of_passing**2) / 2
    # The usual correction n / (n − 1), for one formula more.
    variance = squares * (len(tried) + 1) / len(tried)
    independent_variance = trials_with_prior * rate * (1 - rate)
    effect = variance / independent_variance
    return min(largest, max(1.0, effect))
