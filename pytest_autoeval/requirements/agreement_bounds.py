"""Agreement of several answers without a reference: classes of equal meaning, and semantic entropy.

S. Farquhar, J. Kossen, L. Kuhn, Y. Gal, "Detecting hallucinations in large language models using semantic entropy",
Nature 630 (2024), 625-630. There a model judges whether two answers mean the same; here the classes are proved.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import fsum, log2

from pytest_autoeval.statistics.pass_rate import Interval

#: A value that is known to lie between two others; both are the value if it is known.
Bounds = Interval
#: Whether two answers mean the same; None if that is undecided.
Verdict = bool | None
#: Up to this many classes that may be equal, the bounds are exact: the work is 3 to this power.
_EXACT = 10
#: As docs/reference/statistics-methods.md names it. Only the entropy and the number of classes need it; the share of
#: the largest class has an exact interval.
_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Partition:
    """Answers in classes of equal meaning, by their numbers; each class in order, the class of answer 0 first.

    ``undecided`` has the pairs of classes that may have one meaning. All other classes are proved to be different.
    """

    classes: tuple[tuple[int, ...], ...]
    undecided: frozenset[tuple[int, int]]


def sort_by_meaning(number: int, verdict: Callable[[int, int], Verdict]) -> Partition:
    """Sorts answers into classes with few verdicts: a new answer is compared with one of each class.

    It is compared with others of two classes only if these are undecided: it may connect or separate them. Equality is
    transitive, so that members of one class may never have been compared.
    """
    classes: list[list[int]] = []
    # Pairs of first members of classes.
    differ: set[frozenset[int]] = set()

    def merge(target: list[int], merged: list[int]) -> None:
        first = min(target[0], merged[0])
        old_firsts = {target[0], merged[0]}
        target[:] = sorted(target + merged)
        classes.remove(merged)
        # What is proved to differ from one of the two classes differs from both: the proofs get the new first member.
        changed = set()
        for pair in differ:
            changed.add(frozenset(first if member in old_firsts else member for member in pair))
        differ.clear()
        differ.update(changed)

    for answer in range(number):
        new = [answer]
        classes.append(new)
        for earlier in [members for members in classes if members is not new]:
            # A merge on the way may have brought a proof: it saves a decision, which can take seconds.
            if frozenset((new[0], earlier[0])) in differ:
                continue
            are_equal = verdict(earlier[0], answer)
            if are_equal:
                merge(new, earlier)
            elif are_equal is False:
                differ.add(frozenset((new[0], earlier[0])))
    # By first members, so that the result does not depend on the order of the merges.
    classes.sort()
    numbers = {members[0]: position for position, members in enumerate(classes)}
    open_pairs = set()
    for member, partner in combinations(numbers, 2):
        if frozenset((member, partner)) not in differ:
            open_pairs.add((numbers[member], numbers[partner]))
    return Partition(tuple(map(tuple, classes)), frozenset(open_pairs))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far ``total`` answers to one question agree.

    ``largest`` is the number of answers in the largest class, ``classes`` the number of classes, ``entropy`` the
    entropy of the classes in bits. Undecided pairs open each into bounds. Answers without a formula count in ``total``
    and in no class.
    """

    total: int
    largest: Bounds
    classes: Bounds
    entropy: Bounds


def agreement(
    sizes: Sequence[int], undecided: Iterable[tuple[int, int]] = (), unread: int = 0
) -> Agreement:
    """The agreement of classes with these numbers of answers, and of ``unread`` answers without a class.

    ``undecided`` are the pairs of classes that may be equal. The bounds are the extremes over all ways to merge classes
    of which every pair is undecided. They are exact for up to 10 classes that are connected by undecided pairs. For
    more, these count as one class for the lower bounds of classes and entropy and for the upper bound of the largest.
    """
    read = sum(sizes)
    pairs = {frozenset(pair) for pair in undecided}
    fewest = 0.0
    largest = 0
    least = []
    # Classes of two components are proved to differ. So each component can be merged for itself, and sums are exact.
    for component in _connected(len(sizes), pairs):
        weights = [sizes[index] for index in component]
        if len(component) > _EXACT:
            # One class of all: no other way to merge them agrees more, so that the bounds stay true.
            cliques = [(1 << len(component)) - 1]
        else:
            open_pairs = []
            for i, j in combinations(range(len(component)), 2):
                if {component[i], component[j]} in pairs:
                    open_pairs.append((i, j))
            cliques = _cliques(len(component), open_pairs)
        totals = {clique: _total(weights, clique) for clique in cliques}
        largest = max(largest, *totals.values())
        fewest += _cheapest(len(component), dict.fromkeys(cliques, 1.0))
        bits = {clique: _bits(total, read) for clique, total in totals.items()}
        least.append(_cheapest(len(component), bits))
    # Undecided pairs that all differ: the most classes, and the most entropy.
    most = fsum(_bits(size, read) for size in sizes)
    return Agreement(
        total=read + unread,
        largest=Bounds(max(sizes, default=0), largest),
        classes=Bounds(fewest, len(sizes)),
        # The noise of floating point may be below zero.
        entropy=Bounds(max(0.0, fsum(least)), max(0.0, most)),
    )


def _total(weights: Sequence[int], clique: int) -> int:
    """The sum of the weights whose bits are in a set."""
    return sum(weight for index, weight in enumerate(weights) if clique >> index & 1)


def _bits(size: int, total: int) -> float:
    """What a class of this size adds to the entropy of ``total`` answers."""
    if not size:
        return 0.0
    share = size / total
    return -share * log2(share)


def _connected(number: int, pairs: Iterable[frozenset[int]]) -> Iterator[list[int]]:
    """The classes in groups that undecided pairs connect: no class of one group equals one of another."""
    group = list(range(number))
    for pair in pairs:
        lower, higher = sorted(group[index] for index in pair)
        # The higher group is joined to the lower one, so that a group has the number of its first class.
        for index, label in enumerate(group):
            if label == higher:
                group[index] = lower
    for name in sorted(set(group)):
        yield [index for index, label in enumerate(group) if label == name]


def _cliques(number: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The sets, as bits, of which all members may be equal."""
    # The neighbours of each member, as bits.
    beside = [0] * number
    for i, j in pairs:
        beside[i] |= 1 << j
        beside[j] |= 1 << i
    cliques = [0]
    for index, neighbours in enumerate(beside):
        # A member extends the sets that consist of its neighbours. Each set is made once, by its highest member.
        extended = [clique | 1 << index for clique in cliques if clique & ~neighbours == 0]
        cliques += extended
    # The empty set is none.
    return cliques[1:]


def _cheapest(number: int, costs: dict[int, float]) -> float:
    """The least sum of costs of disjoint sets that together have all members."""

    @cache
    def rest(remaining: int) -> float:
        if not remaining:
            return 0.0
        # A set that has the lowest member must be chosen anyway. To choose it first counts each cover once.
        lowest = remaining & -remaining
        sums = []
        for subset, cost in costs.items():
            if subset & lowest and subset & ~remaining == 0:
                sums.append(cost + rest(remaining ^ subset))
        return min(sums)

    everything = (1 << number) - 1
    return rest(everything)


@dataclass(frozen=True, slots=True)
class MeanBounds:
    """The mean over questions of a value with bounds, and its 95 % interval; ``number`` is that of the questions."""

    number: int
    low: float
    high: float
    interval: Bounds


def mean_of(values: Sequence[Bounds], confidence: float = 0.95) -> MeanBounds:
    """The mean, with the percentile bootstrap over the questions; always the same resamples.

    The interval reaches from the lower end of that of the lower bounds to the upper end of that of the upper bounds.
    With few questions it is too narrow, as every bootstrap. Raises :class:`ValueError` without values.

    Source: B. Efron, R. J. Tibshirani, "An introduction to the bootstrap" (1993), section 13.3.
    """
    if not values:
        raise ValueError("there are no values to take the mean of")
    number = len(values)
    low = fsum(value.low for value in values) / number
    high = fsum(value.high for value in values) / number
    # All resamples would have the same mean.
    if len(set(values)) == 1:
        return MeanBounds(number, low, high, Bounds(low, high))
    draw = random.Random(number).choices  # noqa: S311 (no secret; the same in every process)
    resamples = [draw(values, k=number) for _ in range(_RESAMPLES)]
    lows, highs = [], []
    for resample in resamples:
        lows.append(fsum(value.low for value in resample) / number)
        highs.append(fsum(value.high for value in resample) / number)
    lows.sort()
    highs.sort()
    # So many of the resampled means are below the interval, and as many above it.
    index = round((1 - confidence) / 2 * (_RESAMPLES - 1))
    return MeanBounds(number, low, high, Bounds(lows[index], highs[-1 - index]))
