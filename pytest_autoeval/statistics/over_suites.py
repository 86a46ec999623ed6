"""Means over several suites with equal weight, with bootstrap intervals: of pass rates, and of the ranks of models.

The bootstrap draws formulas within each suite (a stratified bootstrap), so an interval is about runs with other
formulas of these suites. Formulas whose results depend on each other are a cluster, and whole clusters are drawn. If a
cluster has formulas of several suites, these suites are drawn together: a cluster that is drawn twice counts twice in
each of them. Drawn apart, equal results would count as independent ones, and the interval of 12 suites with the same
formulas would hold the mean in half of the runs (`benchmarks/gate_error_rates.py`). Equal arguments give equal
intervals. An interval is widened to hold the mean.

Sources: B. Efron and R. Tibshirani, "An introduction to the bootstrap" (1993), section 13.3; A. Davison and D. Hinkley,
"Bootstrap methods and their application" (1997), section 3.2; for ranks, H. Goldstein and D. Spiegelhalter, "League
tables and their limitations", Journal of the Royal Statistical Society A 159 (1996).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, TypeAlias

from msgspec import Struct

from pytest_autoeval.statistics.clusters import Trials, cluster_numbers

#: The number of bootstrap draws, and their seed. It is not an option, so that a report repeats the figures of its run.
_DRAWS, _SEED = 1000, 0
#: The quantiles of the draws that are the ends of a 95 % interval.
_TAIL = (1.0 - 0.95) / 2
_ENDS = (_TAIL, 1.0 - _TAIL)
#: For each suite the cluster of each formula.
Clusters: TypeAlias = Sequence[Sequence[Hashable]]
#: Draws that differ by less are equal.
_ROUNDING = 1e-12


class MeanRate(Struct, frozen=True):
    """A mean over suites and the ends of its 95 % interval; None if every draw gives the same mean rate."""

    mean: float
    low: float | None
    high: float | None


def mean_rate(suites: Sequence[Sequence[Trials]], clusters: Clusters | None = None) -> MeanRate:
    """The mean of the pass rates of some suites.

    ``suites[s][f]`` are the passed and all trials of formula ``f`` of suite ``s``. Formulas with the same value in
    ``clusters[s][f]``, of one suite or of several, are a cluster; without it all formulas are independent. If the
    formulas of each suite have equal results, all draws are equal and show nothing about other formulas: there is no
    interval. Raises :class:`ValueError`.
    """
    import numpy as np

    _check(suites, clusters)
    rates: list[float] = []
    # The sum over suites of the rates of each draw.
    drawn = np.zeros(_DRAWS)
    arrays = [np.asarray(formulas) for formulas in suites]
    for (passed, trials), draws in _sums(arrays, clusters):
        rate = float(passed / trials)
        rates.append(rate)
        drawn += _quotients(draws[:, 0], draws[:, 1], rate)
    mean = fmean(rates)  # exactly 1 if every rate is 1
    shows_nothing = all(map(_has_equal_results, suites))
    # With one cluster, or several that are alike, all draws are equal too.
    spread = float(np.ptp(drawn))
    if shows_nothing or spread < _ROUNDING:
        return MeanRate(mean, None, None)
    drawn_means = drawn / len(suites)
    low, high = map(float, np.quantile(drawn_means, _ENDS))
    # Draws of few formulas may all lie on one side of the mean; the interval holds it nevertheless.
    return MeanRate(mean, min(low, mean), max(high, mean))


def _has_equal_results(formulas: Sequence[Trials]) -> bool:
    return len({passed / trials for passed, trials in formulas}) == 1


def mean_ranks(
    suites: Sequence[Sequence[Sequence[float]]], clusters: Clusters | None = None
) -> list[MeanRate]:
    """The mean rank of each model over some suites; 1 is best.

    ``suites[s][f][m]`` is the pass rate (0…1) of model ``m`` on formula ``f`` of suite ``s``, and ``clusters`` is that
    of :func:`mean_rate`. In a suite the highest mean rate has rank 1; equal rates share the mean of their ranks. The
    same formulas are drawn for all models. Raises :class:`ValueError`.
    """
    import numpy as np

    _check(suites, clusters)
    # The last value of each formula is 1, so that its sum is their number.
    values = [np.asarray([[*rates, 1.0] for rates in formulas]) for formulas in suites]
    rank_sums: Any = 0.0
    drawn: Any = 0.0
    for sums, draws in _sums(values, clusters):
        rates = sums[:-1] / sums[-1]
        rank_sums += _ranks(rates)
        drawn_rates = _quotients(draws[:, :-1], draws[:, -1:], rates)
        drawn += _ranks(drawn_rates)
    means = rank_sums / len(suites)
    drawn_means = drawn / len(suites)
    low, high = np.quantile(drawn_means, _ENDS, axis=0)
    low = np.minimum(low, means)
    high = np.maximum(high, means)
    return [MeanRate(*map(float, values)) for values in zip(means, low, high, strict=True)]


def _sums(suites: Sequence[Any], clusters: Clusters | None) -> Iterator[tuple[Any, Any]]:
    """For each suite the sum of its values as they are, and of each draw.

    ``suites`` are arrays with the values of a formula in each row.
    """
    import numpy as np

    random = np.random.default_rng(_SEED)
    if clusters is None:
        clusters = [_independent(suite, len(values)) for suite, values in enumerate(suites)]
    width = suites[0].shape[1]
    sums_of: dict[int, tuple[Any, Any]] = {}
    for stratum in _strata(clusters):
        suites_of_stratum = [suites[suite] for suite in stratum]
        results = _results(suites_of_stratum, [clusters[suite] for suite in stratum])
        # Clusters with equal results are drawn together, in an order that does not depend on that of the formulas.
        kinds, times = np.unique(results, axis=0, return_counts=True)
        sums = times @ kinds
        number = len(results)
        times_drawn = random.multinomial(number, times / number, size=_DRAWS)
        draws = times_drawn @ kinds
        for column, suite in enumerate(stratum):
            own = slice(column * width, (column + 1) * width)
            sums_of[suite] = sums[own], draws[:, own]
    for suite in range(len(suites)):
        yield sums_of[suite]


def _results(suites: Sequence[Any], clusters: Clusters) -> Any:
    """What each cluster has in each suite, (clusters, suites · values)."""
    import numpy as np

    rows = _rows(clusters)
    width = suites[0].shape[1]
    values = np.zeros((len(rows), len(suites), width), dtype=suites[0].dtype)
    for column, (values_of_suite, names) in enumerate(zip(suites, clusters, strict=True)):
        rows_of_suite = [rows[name] for name in names]
        # Not `values[…] += …`, which would count a cluster that has several formulas only once.
        np.add.at(values, (rows_of_suite, column), values_of_suite)
    return values.reshape(len(rows), -1)


def _independent(suite: int, formulas: int) -> list[Hashable]:
    """A cluster for each formula of a suite, which no other suite has."""
    return [(suite, formula) for formula in range(formulas)]


def _rows(names_of_suites: Iterable[Iterable[Hashable]]) -> dict[Hashable, int]:
    """A number for each cluster of some suites, from 0, in the order in which they first occur."""
    rows: dict[Hashable, int] = {}
    for names in names_of_suites:
        for name in names:
            rows.setdefault(name, len(rows))
    return rows


def _strata(clusters: Clusters) -> list[list[int]]:
    """The suites, by their numbers, in groups that have clusters in common, also through other suites."""
    strata: dict[int, list[int]] = {}
    for suite, stratum in enumerate(cluster_numbers(clusters)):
        strata.setdefault(stratum, []).append(suite)
    return list(strata.values())


def _quotients(sums: Any, numbers: Any, observed: Any) -> Any:
    """Means of the draws. A suite of which nothing was drawn keeps the observed mean."""
    import numpy as np

    means = sums / np.maximum(numbers, 1)
    return np.where(numbers > 0, means, observed)


def _check(suites: Sequence[Sequence[object]], clusters: Clusters | None) -> None:
    if not suites or not all(suites):
        raise ValueError("a mean over suites needs suites, and each suite needs formulas")
    if clusters is None:
        return
    if [*map(len, clusters)] != [*map(len, suites)]:
        raise ValueError("each formula of each suite needs a cluster")


def _ranks(rates: Any) -> Any:
    """The rank of each model (last axis) by its rate: the highest has 1, equal ones share their mean rank."""
    rounded = rates.round(9)  # equal rates may differ by how they were summed
    rivals = rounded[..., None, :]
    own = rounded[..., :, None]
    best_rank = (rivals > own).sum(axis=-1) + 1
    worst_rank = (rivals >= own).sum(axis=-1)
    return (best_rank + worst_rank) / 2
