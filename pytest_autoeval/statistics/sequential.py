"""A sequential test: will the whole run have enough passes, of which only a part was seen?

Trials are drawn without replacement from the planned ones. So the question is about a number, the passes of the whole
run, and not about a probability. Under each number every order of the trials is equally likely, and its likelihood has
a closed form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, inf, lgamma, log


def reaches(needed: int, *, passes: int, seen: int, planned: int, alpha: float) -> bool | None:
    """Whether a run of ``planned`` trials in random order will have ``needed`` passes; None while undecided.

    ``passes`` counts the first ``seen`` trials. The answer is certain once the other trials cannot change it. Before
    that, there is an answer if the numbers of passes that make it true are 1/``alpha`` times likelier, on average, than
    the likeliest number that makes it false. Against the true number that average is a martingale with the start 1. By
    Ville's inequality it ever reaches 1/``alpha`` with a probability of at most ``alpha``. So an answer is wrong at
    most that often, however many times one looks. This rests on the random order alone: trials may depend on each
    other, as repeats do. Raises :class:`ValueError`.

    Source: I. Waudby-Smith and A. Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020 (the
    prior-posterior-ratio martingale), here with a uniform prior over the numbers on one side of ``needed`` against each
    number on the other, which decides sooner than one confidence set for both.
    """
    if not 0 <= passes <= seen <= planned:
        raise ValueError(f"the counts do not add up: {passes} passes of {seen} trials of {planned}")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"the error rate must lie between 0 and 1: {alpha}")
    if passes >= needed:
        return True
    if passes + planned - seen < needed:
        return False
    short = _log_likelihoods(range(needed), passes, seen, planned)
    enough = _log_likelihoods(range(needed, planned + 1), passes, seen, planned)
    if _log_mean(enough) - max(short) >= _log_odds(alpha):
        return True
    return False if _log_mean(short) - max(enough) >= _log_odds(alpha) else None


#: Larger than the rounding error of a logarithm of factorials up to a million.
_ROUNDING = 1e-6


def _log_odds(alpha: float) -> float:
    """The required difference of log-likelihoods, with a margin for rounding."""
    return -log(alpha) + _ROUNDING


def _log_likelihoods(totals: Iterable[int], passes: int, seen: int, planned: int) -> list[float]:
    """For each total of passes, the log-probability of the observed sequence."""
    return [
        _log_binomial(planned - seen, total - passes) - _log_binomial(planned, total)
        if passes <= total <= planned - seen + passes
        else -inf
        for total in totals
    ]


def _log_binomial(whole: int, part: int) -> float:
    return lgamma(whole + 1) - lgamma(part + 1) - lgamma(whole - part + 1)


def _log_mean(logarithms: Sequence[float]) -> float:
    """The logarithm of the mean of exp of these values; not all are -inf."""
    largest = max(logarithms)
    return largest + log(sum(exp(logarithm - largest) for logarithm in logarithms) / len(logarithms))
