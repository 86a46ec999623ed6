"""Clusters of dependent results, and the design effect: they count less than results of different formulas."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
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


def cluster_numbers(keys: Iterable[Sequence[Hashable]]) -> list[int]:
    """A number for each collection of keys: collections that share a key, also through others, have one number.

    It is that of the first of them.
    """
    keys = list(keys)
    # Usually nothing is shared. Large runs are judged noticeably faster if no collection is looked at by itself.
    if len(set(chain.from_iterable(keys))) == sum(map(len, keys)):
        return list(range(len(keys)))
    # Union and find. The smaller number becomes the root, so that the numbers do not depend on the order of the keys.
    parents: list[int] = []
    owner_of: dict[Hashable, int] = {}

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for number, own in enumerate(keys):
        parents.append(number)
        for key in own:
            owner, joined = root(owner_of.setdefault(key, number)), root(number)
            parents[max(owner, joined)] = min(owner, joined)
    return [root(number) for number in range(len(parents))]
