"""Which formulas fail more than the others, and which got worse: named only where it is significant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Literal

from pytest_autoeval.reporting.items import Item, Paired, Trials, by_item, effect_of, pass_rate, trials
from pytest_autoeval.reporting.judging.baseline import Comparison
from pytest_autoeval.reporting.judging.slice_kinds import slice_kinds
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.paired import paired_test
from pytest_autoeval.statistics.stratified import stratified_difference

#: Formulas inside a slice, and outside of one that is compared with the others, without which it is not looked at.
FEWEST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A sort of formula on which a model is worse.

    ``kind`` is ``level`` where it is worse than on the suite's other formulas of the same size (``outside``), and
    ``baseline`` where it is worse than on the same formulas in the baseline (``before``). ``difference`` is of pass
    rates, and negative; ``p_value`` is corrected by Holm's method over all slices of the suite and model that were
    tested likewise.
    """

    suite: str
    model: str
    kind: Literal["level", "baseline"]
    name: str
    inside: PassRate
    outside: PassRate | None = None
    before: PassRate | None = None
    difference: float
    p_value: float


def failing_slices(suite: str, model: str, rows: Sequence[Row], *, alpha: float) -> list[Slice]:
    """The sorts of formula on which a model fails more than on others of the same size, the surest first.

    Undecided samples are left out: that the verifier gave up is no failing of a model.
    """
    items = by_item(_decided(rows))
    effect = effect_of(items)
    level = partial(Slice, suite=suite, model=model, kind="level")
    found = []
    for kind in slice_kinds([some[0] for some in items.values()]):
        inside = {item: some for item, some in items.items() if kind.holds(some[0].measures)}
        outside = {item: some for item, some in items.items() if item not in inside}
        if min(len(inside), len(outside)) < FEWEST:
            continue
        test = stratified_difference(_by_size(inside, outside), design_effect=effect)
        difference, p = test.difference, test.p_value
        if difference is not None and p is not None:
            rates = pass_rate(inside), pass_rate(outside)
            found.append(level(name=kind.name, inside=rates[0], outside=rates[1], difference=difference, p_value=p))
    return _significant(found, alpha)


def worsened_slices(compared: Comparison, *, alpha: float) -> list[Slice]:
    """The sorts of formula on which a model is worse than the same formulas were in the baseline, the surest first.

    Undecided samples are left out on both sides.
    """
    decided = (Paired(pair.item, _decided(pair.here), _decided(pair.there)) for pair in compared.pairs)
    pairs = [pair for pair in decided if pair.here and pair.there]
    worse = partial(Slice, suite=compared.suite, model=compared.model, kind="baseline")
    found = []
    for kind in slice_kinds([pair.here[0] for pair in pairs]):
        inside = [pair for pair in pairs if kind.holds(pair.here[0].measures)]
        # What is true of all formulas shows no more than the comparison itself.
        if len(inside) < FEWEST or len(inside) == len(pairs):
            continue
        test = paired_test([(trials(pair.there), trials(pair.here)) for pair in inside])
        if test.p_value is not None:
            here, there = {pair.item: pair.here for pair in inside}, {pair.item: pair.there for pair in inside}
            one = worse(name=kind.name, inside=pass_rate(here), difference=test.difference, p_value=test.p_value)
            found.append(replace(one, before=pass_rate(there)))
    return _significant(found, alpha)


def _decided(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.outcome != "undecided"]


def _significant(found: Sequence[Slice], alpha: float) -> list[Slice]:
    """Those whose p-value, corrected over all that were looked at, is below the level."""
    adjusted = holm([one.p_value for one in found])
    corrected = [replace(one, p_value=p) for one, p in zip(found, adjusted, strict=True)]
    return sorted(
        (one for one in corrected if one.p_value < alpha and one.difference < 0),
        key=lambda one: (one.p_value, one.name),
    )


def _by_size(
    inside: Mapping[Item, Sequence[Row]], outside: Mapping[Item, Sequence[Row]]
) -> list[tuple[Trials, Trials]]:
    """Of each size the trials inside and outside, so that a slice is not blamed for holding the longer formulas."""
    sizes: dict[int, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, items in enumerate((inside, outside)):
        for row in chain.from_iterable(items.values()):
            sizes[row.operators][side].append(row)
    return [(trials(within), trials(without)) for within, without in sizes.values()]
