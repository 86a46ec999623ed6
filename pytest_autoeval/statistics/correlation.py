"""Correlation of the scores of models here with their scores elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

#: With fewer models a correlation shows nothing.
FEWEST = 3
#: Up to this number of models all permutations are enumerated.
_MOST_EXACT = 9


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation of ``count`` pairs of scores, with its two-sided p-value.

    Both are None with fewer than three pairs, or if all scores of one side are equal.
    """

    coefficient: float | None
    p_value: float | None
    count: int


@dataclass(frozen=True, slots=True)
class PredictivePower:
    """How often a higher score here goes with a higher score there, over the pairs of models whose scores here differ.

    ``tied`` pairs are equal there; ``skipped`` pairs are equal here, and so predict nothing.
    """

    agreeing: int
    opposed: int
    tied: int
    skipped: int

    @property
    def pairs(self) -> int:
        """The number of pairs of models with different scores here."""
        return self.agreeing + self.opposed + self.tied

    @property
    def probability(self) -> float | None:
        """The share of agreeing pairs. A pair that is equal there counts half, like a guess. None without pairs."""
        return (self.agreeing + self.tied / 2) / self.pairs if self.pairs else None


def pearson(here: Sequence[float], there: Sequence[float]) -> Correlation:
    """Pearson's correlation. The p-value assumes normally distributed scores."""
    if not _varied(here, there):
        return Correlation(None, None, len(here))
    from scipy.stats import pearsonr

    result = pearsonr(here, there)
    return Correlation(float(result.statistic), float(result.pvalue), len(here))


def spearman(here: Sequence[float], there: Sequence[float]) -> Correlation:
    """Spearman's rank correlation; equal scores share their mean rank.

    The p-value is exact for up to nine pairs: the share of permutations with a correlation at least as far from 0. For
    more pairs it is from the t distribution.
    """
    if not _varied(here, there):
        return Correlation(None, None, len(here))
    from scipy.stats import rankdata, spearmanr

    result = spearmanr(here, there)
    exact = len(here) <= _MOST_EXACT
    p_value = _share_as_far(rankdata(here), rankdata(there)) if exact else result.pvalue
    return Correlation(float(result.statistic), float(p_value), len(here))


def predictive_power(here: Sequence[float], there: Sequence[float]) -> PredictivePower:
    """The probability that the model with the higher score here has the higher score there.

    A tie is not an agreement: otherwise two benchmarks on which all models are equal would predict each other
    perfectly.

    Source: R. Karia et al., "∀uto∃∨∧L: autonomous evaluation of LLMs for truth maintenance and reasoning tasks" (ICLR
    2025), section 5 and appendix K; how ties are counted is ours.
    """
    counts = {"agreeing": 0, "opposed": 0, "tied": 0, "skipped": 0}
    for (here_one, there_one), (here_other, there_other) in combinations(
        list(zip(here, there, strict=True)), 2
    ):
        if here_one == here_other:
            counts["skipped"] += 1
        elif there_one == there_other:
            counts["tied"] += 1
        else:
            counts[
                "agreeing" if (here_one > here_other) == (there_one > there_other) else "opposed"
            ] += 1
    return PredictivePower(**counts)


def _varied(here: Sequence[float], there: Sequence[float]) -> bool:
    if len(here) != len(there):
        raise ValueError(f"two sides of different length: {len(here)} and {len(there)}")
    return len(here) >= FEWEST and len(set(here)) > 1 and len(set(there)) > 1


def _share_as_far(here: Any, there: Any) -> float:
    """The share of all pairings of the ranks whose sum of products is at least as far from the mean as the given one.

    Ranks are counted in halves, so that all sums are integers.
    """
    import numpy as np

    first, second = (np.rint(2 * ranks).astype(int) for ranks in (here, there))
    centre = first.sum() * second.sum()
    distances = abs(len(first) * (second[_orders(len(second))] @ first) - centre)
    return float(np.mean(distances >= distances[0]))  # the first order is the one given


@lru_cache
def _orders(size: int) -> Any:
    import numpy as np

    return np.array(list(permutations(range(size))))
