"""Pairs that are planned: how much they will show, from the rate and the churn of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from pytest_autoeval.statistics.clusters import Trials

#: The share of answers that change by chance from one run to the next, if no repeats show it.
ASSUMED_CHURN = 0.1


def assumed_churn(rate: float) -> float:
    """The assumed share of answers that change by chance: not more than if all answers were independent."""
    return min(ASSUMED_CHURN, 2 * rate * (1 - rate))


def measured_churn(formulas: Sequence[Trials]) -> float | None:
    """The share of answers that change by chance, from (passed, total) of each formula; None without repeats.

    It is the probability that two trials of one formula differ: twice the unbiased variance of a trial.
    """
    repeated = [(passed, total) for passed, total in formulas if total > 1]
    if not repeated:
        return None
    return fmean(
        2 * passed * (total - passed) / (total * (total - 1)) for passed, total in repeated
    )


def alike(rate: float, churn: float) -> float:
    """How much repeats of one formula agree, from 0 (like other formulas) to 1 (copies): their correlation.

    Of the variance of an answer, half of the ``churn`` is within formulas. Without variance they count as copies.
    """
    variance = rate * (1 - rate)
    if not variance:
        return 1.0
    correlation = 1 - churn / (2 * variance)
    return min(1.0, max(0.0, correlation))


def repeats_effect(rate: float, churn: float, repeats: int) -> float:
    """The design effect of so many repeats of each formula."""
    return 1 + (repeats - 1) * alike(rate, churn)


class PlannedPairs(Struct, frozen=True):
    """Planned pairs, with what :class:`~pytest_autoeval.statistics.power.Pairs` needs."""

    pairs: int
    before: float
    churn: float
    step: float = 1.0
    effect: float = 1.0

    @property
    def independent(self) -> float:
        """The number of independent formulas with one trial each that show as much."""
        return self.pairs / self.step / self.effect


def planned_pairs(
    pairs: int, rate: float, churn: float, *, repeats: tuple[int, int] = (1, 1), added: float = 1.0
) -> PlannedPairs:
    """The pairs of formulas that pass at a mean ``rate``, of whose answers a share ``churn`` changes by chance.

    ``repeats`` are the trials of each formula before and after. As in a paired test, one changed pair is added, since
    few pairs cannot show that changes are rare; of several suites, each has the share ``added`` of it.
    """
    # As in the paired test: the side whose repeats show less counts.
    step = max(repeats_effect(rate, churn, number) / number for number in repeats)
    # The variance of a difference of means: that of one trial, which is churn / 2, divided by the trials of each side.
    mean_square = churn / 2 * sum(1 / number for number in repeats)
    independent = pairs / step
    changed = independent * mean_square / step
    churn_of_pairs = min(1.0, (changed + added) / (independent + added))
    return PlannedPairs(pairs, rate, churn_of_pairs, step)


def together(suites: Sequence[PlannedPairs], effect: float = 1.0) -> PlannedPairs:
    """The pairs of several suites (at least one) as those of one test."""
    pairs = sum(suite.pairs for suite in suites)
    independent = sum(suite.independent for suite in suites)
    # Each pair has the same weight in the rate, each independent formula in the churn.
    passes = sum(suite.before * suite.pairs for suite in suites)
    changes = sum(suite.churn * suite.independent for suite in suites)
    return PlannedPairs(
        pairs,
        before=passes / pairs,
        churn=changes / independent,
        step=pairs / independent,
        effect=effect,
    )
