"""Rates as figures: with the exact interval, and how many samples they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pytest_autoeval.judging.item_groups import dependent_samples, grouped, item_of
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.statistics.clusters import design_effect
from pytest_autoeval.statistics.pass_rate import PassRate


def rate(name: str, passed: int, total: int, *, undecided: int = 0) -> Figure:
    """A rate as a figure, with its exact 95 % interval (Clopper and Pearson); without a value if ``total`` is 0.

    Args:
        name: what it is the rate of.
        passed: the number of samples for which it holds.
        total: the number of samples. The interval takes them as independent; for samples, use `rate_over`.
        undecided: the number of further samples for which it may hold.

    Raises:
        ValueError: the counts do not add up.
    """
    return rate_figure(PassRate(passed, undecided, total), name)


def rate_over(name: str, samples: Iterable[Sample], holds: Callable[[Sample], bool]) -> Figure:
    """The share of samples for which something holds, as a figure with its 95 % interval.

    Repeats of one item (``--autoeval-repeats``) are not independent, nor are items with one formula or one value in the
    column ``cluster``. If these agree, the interval is wider than that of `rate`, as that of the pass rate is.

    Args:
        name: what it is the rate of.
        samples: the samples that it is of.
        holds: gets a sample, and says whether it holds.
    """
    counts = []
    passed = total = 0
    # The clusters of the pass rate: one share must not have two intervals on a screen.
    for tried in dependent_samples(grouped(samples, item_of)):
        held = sum(bool(holds(sample)) for sample in tried)
        counts.append((held, len(tried)))
        passed += held
        total += len(tried)
    return rate_figure(PassRate(passed, 0, total, design_effect(counts)), name)
