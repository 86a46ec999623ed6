"""Repeats (`--autoeval-repeats`): pass@k, pass^k, and the spread of the pass rate over repeats and over batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING

from pytest_autoeval.judging.items import Item, grouped, trials
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Figures
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.statistics.repeats import Spread, pass_at_k, pass_hat_k, spread

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: The AutoEval paper takes mean and deviation over this number of batches.
BATCHES = 10


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_suite_blocks("repeats", blocks_of_repeats)


def blocks_of_repeats(summary: SuiteSummary) -> Iterator[Figures]:
    """Figures of the repeats and of ten batches. Without repeats, the batches are for -v."""
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


def _deviation(name: str, spread: Spread) -> Figure:
    """A mean of rates with its standard deviation. ``n`` is the number of rates."""
    return Figure(name, spread.mean, "rate", n=spread.count, deviation=spread.deviation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
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
    whole = [trials(tried) for tried in items.values() if len(tried) >= number]
    if number < 2 or not whole:
        return None
    return Repeats(
        number=number,
        formulas=len(whole),
        any_passes=fmean(pass_at_k(*formula, number) for formula in whole),
        all_pass=fmean(pass_hat_k(*formula, number) for formula in whole),
        over_repeats=spread(_rates(in_turn)),
    )


def over_batches(items: Mapping[Item, Sequence[Sample]]) -> Spread | None:
    """The spread of the pass rate over ten batches, each a tenth of the formulas of each size; None with too few."""
    sizes = grouped(items.values(), lambda tried: tried[0].size)
    batches: dict[int, list[Sample]] = defaultdict(list)
    for listed in sizes.values():
        listed.sort(key=lambda tried: (tried[0].index, tried[0].formula))
        for place, tried in enumerate(listed):
            batches[place * BATCHES // len(listed)] += tried
    return spread(_rates(batches)) if len(batches) == BATCHES else None


def _rates(groups: Mapping[int, Sequence[Sample]]) -> list[float]:
    counts = [trials(groups[key]) for key in sorted(groups)]
    return [passed / total for passed, total in counts]
