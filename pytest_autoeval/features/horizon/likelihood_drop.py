"""How far the likelihood of curves inside 95 % intervals lies below the best. This needs no NumPy."""

from __future__ import annotations

#: The 95 % quantile of chi-squared with one degree of freedom: the square of 1.96.
RISE = 3.841458820694124
#: The factor for few trials.
_FEW = 12.0


def likelihood_drop(trials: float) -> float:
    """The largest drop in log-likelihood below the best curve, for so many independent trials.

    The asymptotic threshold of the deviance is too small for few trials. The correction factor was found by simulation
    (``benchmarks/horizon_coverage.py``).
    """
    for_few_trials = 1 + _FEW / (20 + trials)
    return for_few_trials * RISE / 2
