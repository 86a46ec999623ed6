"""Agreement of several answers without a reference: classes of equal meaning, and semantic entropy.

S. Farquhar, J. Kossen, L. Kuhn, Y. Gal, "Detecting hallucinations in large language models using semantic entropy",
Nature 630 (2024), 625-630. There a model judges whether two answers mean the same; here the classes are proved.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import fsum, log2

from pytest_autoeval.statistics.pass_rate import Interval

#: A value that is known to lie between two others; both are the value if it is known.
Bounds = Interval
#: Whether two answers mean the same; None if that is undecided.
Equality = bool | None
#: Up to this many classes that may be equal, the bounds are exact. The work is 3 to this power: each set of classes is
#: split in two in every way. 3^10 is 59,049.
_MOST_EXACT_CLASSES = 10
#: So many means are drawn for an interval. The reference (`docs/reference/statistics-methods.md`) states the number.
_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Partition:
    """Answers in classes of equal meaning, by their numbers; each class in order, the class of answer 0 first.

    ``undecided`` has the pairs of classes that may have one meaning. All other classes are proved to be different.
    """

    classes: tuple[tuple[int, ...], ...]
    undecided: frozenset[tuple[int, int]]


def sort_by_meaning(number: int, equality: Callable[[int, int], Equality]) -> Partition:
    """Sorts answers into classes of equal meaning, with few comparisons: only the first member of a class is compared.

    ``number`` is that of the answers. ``equality`` compares two of them, by their numbers from 0. Equality is
    transitive, so that members of one class may never have been compared. Two classes that are undecided stay apart,
    until a later answer equals both (then they become one), or equals one and differs from the other.
    """
    classes: list[list[int]] = []
    # The classes that are proved to differ, in pairs of their first members.
    differ: set[frozenset[int]] = set()

    def merge(target: list[int], merged: list[int]) -> None:
        """Moves the members of ``merged`` into ``target``, whose first member may become another one."""
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
        # A copy of the list, since `merge` removes classes from it.
        for earlier in classes[:-1]:
            # The new answer may have joined a class that is already proved to differ from this one.
            # A merge on the way may also have brought a proof, which saves a decision that can take seconds.
            if frozenset((new[0], earlier[0])) in differ:
                continue
            are_equal = equality(earlier[0], answer)
            if are_equal:
                merge(new, earlier)
            elif are_equal is False:
                differ.add(frozenset((new[0], earlier[0])))
    # By first members, so that the result does not depend on the order of the merges.
    classes.sort()
    undecided = set()
    for (index, members), (later_index, later_members) in combinations(enumerate(classes), 2):
        if frozenset((members[0], later_members[0])) not in differ:
            undecided.add((index, later_index))
    return Partition(tuple(map(tuple, classes)), frozenset(undecided))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far ``total`` answers to one question agree.

    ``largest`` is the number of answers in the largest class, ``classes`` the number of classes, ``entropy`` the
    entropy of the classes in bits. If pairs of classes are undecided, each of the three is known only between bounds.
    Answers without a formula count in ``total`` and in no class.
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
    fewest_classes = 0.0
    largest = 0
    least_entropies = []
    # Classes of two components are proved to differ. So each component can be merged for itself, and sums are exact.
    for component in _connected(len(sizes), pairs):
        weights = [sizes[index] for index in component]
        cliques = _mergeable_sets(component, pairs)
        # The classes of a clique can be merged into one, which has the answers of all of them.
        totals = {clique: _total(weights, clique) for clique in cliques}
        largest = max(largest, *totals.values())
        # The fewest merged classes: each one costs 1.
        ones = dict.fromkeys(cliques, 1.0)
        fewest_classes += _cheapest(len(component), ones)
        # The least entropy: each merged class costs what it adds to the entropy.
        bits = {clique: _bits(total, read) for clique, total in totals.items()}
        least_entropies.append(_cheapest(len(component), bits))
    # If all undecided pairs differ, there are the most classes, and the most entropy.
    most_entropy = fsum(_bits(size, read) for size in sizes)
    return Agreement(
        total=read + unread,
        largest=Bounds(max(sizes, default=0), largest),
        classes=Bounds(fewest_classes, len(sizes)),
        # The noise of floating point may be below zero.
        entropy=Bounds(max(0.0, fsum(least_entropies)), max(0.0, most_entropy)),
    )


def _mergeable_sets(component: Sequence[int], undecided: Container[frozenset[int]]) -> list[int]:
    """The sets of classes that may be merged into one, as bits: bit i is class ``component[i]``."""
    number = len(component)
    if number > _MOST_EXACT_CLASSES:
        # Only the set of all. No way to merge them agrees more, so that the bounds stay true.
        return [(1 << number) - 1]
    open_pairs = []
    for i, j in combinations(range(number), 2):
        if frozenset((component[i], component[j])) in undecided:
            open_pairs.append((i, j))
    return _cliques(number, open_pairs)


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
    # The number of the group of each class. At first each class is a group of its own.
    group_of = list(range(number))
    for pair in pairs:
        lower, higher = sorted(group_of[index] for index in pair)
        # The higher group is joined to the lower one, so that a group has the number of its first class.
        for index, group in enumerate(group_of):
            if group == higher:
                group_of[index] = lower
    for chosen_group in sorted(set(group_of)):
        yield [index for index, group in enumerate(group_of) if group == chosen_group]


def _cliques(number: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The sets, as bits, of which every two members are a pair: the cliques of a graph with these edges."""
    # The neighbours of each member, as bits.
    neighbours_of = [0] * number
    for i, j in pairs:
        neighbours_of[i] |= 1 << j
        neighbours_of[j] |= 1 << i
    empty_set = 0
    cliques = [empty_set]
    for index, neighbours in enumerate(neighbours_of):
        # A member extends the sets that consist of its neighbours. Each set is made once, by its highest member.
        extended = [clique | 1 << index for clique in cliques if clique & ~neighbours == 0]
        cliques += extended
    # Without the empty set, which is no class.
    return cliques[1:]


def _cheapest(number: int, costs: dict[int, float]) -> float:
    """The least sum of costs of disjoint sets that together have all members. ``costs`` is by sets, as bits."""

    @cache
    def least_cost(remaining: int) -> float:
        if not remaining:
            return 0.0
        # Some set must have the lowest member. To choose this one first visits each combination of sets once.
        lowest = remaining & -remaining
        sums = []
        for subset, cost in costs.items():
            is_within_remaining = subset & ~remaining == 0
            if subset & lowest and is_within_remaining:
                sums.append(cost + least_cost(remaining ^ subset))
        return min(sums)

    everything = (1 << number) - 1
    return least_cost(everything)


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
    # Every resample of equal values has their mean.
    if len(set(values)) == 1:
        return MeanBounds(number, low, high, Bounds(low, high))
    generator = random.Random(number)  # noqa: S311 (no secret; the same in every process)
    lows, highs = [], []
    for _ in range(_RESAMPLES):
        resample = generator.choices(values, k=number)
        lows.append(fsum(value.low for value in resample) / number)
        highs.append(fsum(value.high for value in resample) / number)
    lows.sort()
    highs.sort()
    # The number of resampled means that are below the interval, and as many are above it: half of 1 - confidence each.
    index = round((1 - confidence) / 2 * (_RESAMPLES - 1))
    return MeanBounds(number, low, high, Bounds(lows[index], highs[-1 - index]))
