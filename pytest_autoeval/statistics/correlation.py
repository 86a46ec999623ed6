"""Correlation of the scores of models here with their scores elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

#: With fewer models a correlation shows nothing.
FEWEST = 3
#: Up to this number of models all permutations are enumerated: 9! = 362,880, and ten times as many for the next one.
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


def pearson(scores: Sequence[float], scores_elsewhere: Sequence[float]) -> Correlation:
    """Pearson's correlation. The p-value assumes normally distributed scores."""
    if not _varied(scores, scores_elsewhere):
        return Correlation(None, None, len(scores))
    from scipy.stats import pearsonr

    result = pearsonr(scores, scores_elsewhere)
    return Correlation(float(result.statistic), float(result.pvalue), len(scores))


def spearman(scores: Sequence[float], scores_elsewhere: Sequence[float]) -> Correlation:
    """Spearman's rank correlation; equal scores share their mean rank.

    The p-value is exact for up to nine pairs: the share of permutations with a correlation at least as far from 0. For
    more pairs it is from the t distribution.
    """
    if not _varied(scores, scores_elsewhere):
        return Correlation(None, None, len(scores))
    from scipy.stats import rankdata, spearmanr

    result = spearmanr(scores, scores_elsewhere)
    p_value = result.pvalue
    if len(scores) <= _MOST_EXACT:
        p_value = _share_as_far(rankdata(scores), rankdata(scores_elsewhere))
    return Correlation(float(result.statistic), float(p_value), len(scores))


def predictive_power(scores: Sequence[float], scores_elsewhere: Sequence[float]) -> PredictivePower:
    """The probability that the model with the higher score here has the higher score there.

    A tie is not an agreement: otherwise two benchmarks on which all models are equal would predict each other
    perfectly.

    Source: R. Karia et al., "∀uto∃∨∧L: autonomous evaluation of LLMs for truth maintenance and reasoning tasks" (ICLR
    2025), section 5 and appendix K; how ties are counted is ours.
    """
    agreeing = opposed = tied = skipped = 0
    models = list(zip(scores, scores_elsewhere, strict=True))
    for (score_a, elsewhere_a), (score_b, elsewhere_b) in combinations(models, 2):
        if score_a == score_b:
            skipped += 1
        elif elsewhere_a == elsewhere_b:
            tied += 1
        elif (score_a > score_b) == (elsewhere_a > elsewhere_b):
            agreeing += 1
        else:
            opposed += 1
    return PredictivePower(agreeing, opposed, tied, skipped)


def _varied(scores: Sequence[float], scores_elsewhere: Sequence[float]) -> bool:
    count = len(scores)
    count_elsewhere = len(scores_elsewhere)
    if count != count_elsewhere:
        raise ValueError(f"two sides of different length: {count} and {count_elsewhere}")
    varies_here = len(set(scores)) > 1
    varies_elsewhere = len(set(scores_elsewhere)) > 1
    return count >= FEWEST and varies_here and varies_elsewhere


def _share_as_far(ranks: Any, ranks_elsewhere: Any) -> float:
    """The share of all pairings of the ranks whose sum of products is at least as far from the mean as the given one.

    Ranks are counted in halves, so that all sums are integers.
    """
    import numpy as np

    halves = np.rint(2 * ranks).astype(int)
    halves_elsewhere = np.rint(2 * ranks_elsewhere).astype(int)
    count = len(halves)
    permuted = halves_elsewhere[_orders(count)]
    # Times the number of ranks, so that the mean is an integer too.
    sums = count * (permuted @ halves)
    mean = halves.sum() * halves_elsewhere.sum()
    distances = abs(sums - mean)
    # The first order is the one given.
    is_as_far = distances >= distances[0]
    return float(np.mean(is_as_far))


@lru_cache
def _orders(size: int) -> Any:
    """All permutations of 0…``size`` − 1, one in each row, the identity first. Kept: a report asks for few sizes."""
    import numpy as np

    return np.array(list(permutations(range(size))))
