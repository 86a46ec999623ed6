"""How well a metric of texts agrees with the verifier's verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.statistics.correlation import pearson
from pytest_autoeval.statistics.ratios import mean

#: The outcomes of samples that the verifier decided.
DECIDED = (Outcome.EQUIVALENT, Outcome.DIFFERENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """One metric of the texts ``of``, and its correlation with the verdicts; None if it cannot be measured."""

    metric: str
    of: str
    pairs: int = 0
    mean: float | None = None
    equivalent: float | None = None
    different: float | None = None
    correlation: float | None = None
    p_value: float | None = None
    problem: str = ""


def le_scores(samples: Iterable[Sample]) -> list[tuple[Sample, float]]:
    """The samples that have an LE score, with it."""
    scores = ((sample, sample.part_or_empty(Translated).le_score) for sample in samples)
    return [(sample, score) for sample, score in scores if score is not None]


def trust_in(metric: str, of: str, scored: Sequence[tuple[Sample, float]]) -> Trust:
    """How well the scores of some samples agree with their verdicts."""
    scores = [score for _, score in scored]
    by_outcome = {}
    for kind in DECIDED:
        by_outcome[kind] = [score for sample, score in scored if sample.outcome == kind]
    # Point-biserial correlation: Pearson's with the verdict as 0 or 1.
    correlation = pearson(
        [float(sample.outcome == Outcome.EQUIVALENT) for sample, _ in scored], scores
    )
    return Trust(
        metric=metric,
        of=of,
        pairs=len(scored),
        mean=mean(scores),
        equivalent=mean(by_outcome[Outcome.EQUIVALENT]),
        different=mean(by_outcome[Outcome.DIFFERENT]),
        correlation=correlation.coefficient,
        p_value=correlation.p_value,
    )
