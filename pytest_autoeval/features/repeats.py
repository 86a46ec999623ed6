"""Repeats (`--autoeval-repeats`): pass@k, pass^k, and the spread of the pass rate over repeats and over batches.

Mean and deviation are over the whole suite, and at every size: Figure 5 of the AutoEval paper has the deviation of ten
runs of the same formulas over the number of operators.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec import Struct

from pytest_autoeval.judging.item_groups import Item, by_size, grouped, trials
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import AnyBlock, Curve, Figures, Point, Series
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.statistics.repeat_statistics import Spread, pass_at_k, pass_hat_k, spread

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: The AutoEval paper takes mean and deviation over this number of batches.
BATCHES = 10


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_suite_blocks("repeats", blocks_of_repeats)


def blocks_of_repeats(summary: SuiteSummary) -> Iterator[AnyBlock]:
    """Figures of the repeats and of ten batches. Without repeats the batches are for -v, as are deviations by size."""
    repeats = repeats_of(summary.items)
    if repeats is not None:
        k, formulas = repeats.number, repeats.formulas
        figures = (
            Figure(f"pass@{k}", repeats.any_passes, "rate", n=formulas),
            Figure(f"pass^{k}", repeats.all_pass, "rate", n=formulas),
            _deviation("pass rate over repeats", repeats.over_repeats),
        )
        yield Figures(figures, level="default")
    batches = over_batches(summary.items)
    if batches is not None:
        figure = _deviation("pass rate over batches", batches)
        yield Figures((figure,), level="verbose" if repeats is None else "default")
    yield from _deviations_by_size(summary)


def _deviations_by_size(summary: SuiteSummary) -> Iterator[Curve]:
    """The standard deviations at every size, of sizes that have several rates; nothing if no rate ever differs."""
    measured = (
        ("pass rate over repeats", repeats_by_size(summary.items)),
        ("compliant over repeats", compliance_by_size(summary.items)),
        ("pass rate over batches", batches_by_size(summary.items)),
    )
    series = []
    for name, spreads in measured:
        # A single size is no curve, and a line at 0 shows nothing.
        if len(spreads) < 2 or not any(spread.deviation for spread in spreads.values()):
            continue
        points = [Point(size, spread.deviation, n=spread.count) for size, spread in spreads.items()]
        series.append(Series(name, tuple(points)))
    if series:
        yield Curve(
            title="standard deviation by size",
            over=summary.size_name,
            unit="rate",
            series=tuple(series),
            level="verbose",
        )


def _deviation(name: str, spread: Spread) -> Figure:
    """A mean of rates with its standard deviation. ``n`` is the number of rates."""
    return Figure(name, spread.mean, "rate", n=spread.count, deviation=spread.deviation)


class Repeats(Struct, frozen=True, kw_only=True):
    """The results of ``number`` trials of each formula, for the ``formulas`` with so many trials without an error.

    The probabilities that any and that all trials pass; the spread of the pass rates of the first, second … trials.
    """

    number: int
    formulas: int
    any_passes: float
    all_pass: float
    over_repeats: Spread


def repeats_of(items: Mapping[Item, Sequence[Sample]]) -> Repeats | None:
    """The results of the repeats; None if each formula was tried once. Undecided trials count as not passed."""
    in_turn = grouped(chain.from_iterable(items.values()), lambda sample: sample.repeat)
    number = len(in_turn)
    # A formula with an error has fewer trials: any and all of them would mean something else.
    complete = [trials(tried) for tried in items.values() if len(tried) >= number]
    if number < 2 or not complete:
        return None
    return Repeats(
        number=number,
        formulas=len(complete),
        any_passes=fmean(pass_at_k(*formula, number) for formula in complete),
        all_pass=fmean(pass_hat_k(*formula, number) for formula in complete),
        over_repeats=spread(_rates(in_turn)),
    )


def over_batches(items: Mapping[Item, Sequence[Sample]]) -> Spread | None:
    """The spread of the pass rate over ten batches, each a tenth of the formulas of each size; None with too few."""
    # Of each size by itself, so that no batch has the larger formulas.
    sizes = grouped(items.values(), lambda samples: samples[0].size)
    samples_by_batch: dict[int, list[Sample]] = defaultdict(list)
    for formulas in sizes.values():
        for batch, samples in _batches(formulas).items():
            samples_by_batch[batch] += samples
    if len(samples_by_batch) < BATCHES:
        return None
    return spread(_rates(samples_by_batch))


def repeats_by_size(items: Mapping[Item, Sequence[Sample]]) -> dict[int, Spread]:
    """The spread of the pass rates of the first, second … trials at each size that has several."""
    return _spreads({size: _rates(of_size) for size, of_size in _repeats_at_sizes(items).items()})


def compliance_by_size(items: Mapping[Item, Sequence[Sample]]) -> dict[int, Spread]:
    """The same for the shares of answers in the strict syntax."""
    shares: dict[int, list[float]] = {}
    for size, repeats in _repeats_at_sizes(items).items():
        shares[size] = []
        for number in sorted(repeats):
            answers = [sample.compliant for sample in repeats[number]]
            decided = [compliant for compliant in answers if compliant is not None]
            # An answer whose syntax is not judged is in no share.
            if decided:
                shares[size].append(fmean(decided))
    return _spreads(shares)


def batches_by_size(items: Mapping[Item, Sequence[Sample]]) -> dict[int, Spread]:
    """The spread of the pass rate over ten batches at each size that has ten formulas or more."""
    sizes = grouped(items.values(), lambda tried: tried[0].size)
    return _spreads(
        {
            size: _rates(_batches(sizes[size]))
            for size in sorted(sizes)
            if len(sizes[size]) >= BATCHES
        }
    )


def _batches(formulas: Iterable[Sequence[Sample]]) -> dict[int, list[Sample]]:
    """The samples of formulas of one size in ten batches, in the order in which they were drawn."""
    ordered = sorted(formulas, key=lambda samples: (samples[0].index, samples[0].formula))
    batches: dict[int, list[Sample]] = defaultdict(list)
    for index, samples in enumerate(ordered):
        batch = index * BATCHES // len(ordered)
        batches[batch] += samples
    return batches


def _repeats_at_sizes(items: Mapping[Item, Sequence[Sample]]) -> dict[int, dict[int, list[Sample]]]:
    """The samples of each size by the number of their repeat."""
    sizes = by_size(chain.from_iterable(items.values()))
    return {size: grouped(samples, lambda sample: sample.repeat) for size, samples in sizes.items()}


def _spreads(rates: Mapping[int, Sequence[float]]) -> dict[int, Spread]:
    """The spread at each size that has several rates."""
    return {size: spread(of_size) for size, of_size in rates.items() if len(of_size) > 1}


def _rates(groups: Mapping[int, Sequence[Sample]]) -> list[float]:
    counts = [trials(groups[key]) for key in sorted(groups)]
    return [passed / total for passed, total in counts]
