"""Each metric beside the verdict: its means over what is equivalent and what is not, and how far both go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import mean
from pytest_autoeval.reporting.text_metrics.metrics import Metric, MissingMetricError, TextPair
from pytest_autoeval.statistics.correlation import Correlation, point_biserial

DECIDED = ("equivalent", "different")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """One metric over some rows that the verifier has decided.

    ``of`` is what was scored; means are None where there is nothing to take one of. ``problem`` says why the metric
    could not be computed, and is empty where it could.
    """

    metric: str
    of: str
    count: int = 0
    mean: float | None = None
    equivalent: float | None = None
    different: float | None = None
    correlation: Correlation = field(default_factory=lambda: Correlation(None, None, 0))
    problem: str = ""


def trusts(
    rows: Sequence[Row],
    english: Mapping[str, Metric],
    formulas: Mapping[str, Metric],
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Trust]:
    """The metrics of descriptions against their reference sentences, of translations against their formulas, and LE.

    All metrics of translations are of the same ones: those that have an LE score, which tasks on sentences give.

    ``progress`` is given the name of each metric before it is computed.
    """
    decided = [row for row in rows if row.outcome in DECIDED]
    described = [row for row in decided if row.sentence and row.description]
    translated = [row for row in decided if row.translation and row.le_score is not None]
    for of, among, keys, metrics in (
        ("descriptions", described, ("description", "sentence"), english),
        ("translations", translated, ("translation", "formula"), formulas),
    ):
        for name, metric in metrics.items():
            progress(name)
            pairs = [TextPair(*(str(row.value(key)) for key in keys)) for row in among]
            try:
                yield trust_in(name, of, among, metric(pairs) if pairs else [])
            except MissingMetricError as problem:
                yield Trust(metric=name, of=of, problem=str(problem))
    yield trust_in("LE", "translations", translated, [row.le_score for row in translated if row.le_score is not None])


def trust_in(metric: str, of: str, rows: Sequence[Row], scores: Sequence[float]) -> Trust:
    """How far the scores of some rows, one each, go with their verdicts."""
    passed = [row.outcome == "equivalent" for row in rows]
    return Trust(
        metric=metric,
        of=of,
        count=len(rows),
        mean=mean(scores),
        equivalent=mean([score for score, equal in zip(scores, passed, strict=True) if equal]),
        different=mean([score for score, equal in zip(scores, passed, strict=True) if not equal]),
        correlation=point_biserial(passed, scores),
    )
