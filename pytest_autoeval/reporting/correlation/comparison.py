"""Pass rates of several models beside their scores on another benchmark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from pytest_autoeval.reporting.correlation.scores import Scores
from pytest_autoeval.reporting.items import item_of, trials
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import count
from pytest_autoeval.statistics.correlation import (
    FEWEST,
    Correlation,
    PredictivePower,
    pearson,
    predictive_power,
    spearman,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComparison:
    """A suite beside a benchmark; ``suite`` is None for the mean over ``suites``, those that all its models ran.

    ``models`` have both a pass rate and a score: name, rate, score. ``unscored`` have results and no score,
    ``untested`` a score and no results. ``power`` is None where there are too few models for it. ``notes`` say what to
    mind.
    """

    benchmark: str
    suite: str | None
    suites: tuple[str, ...]
    models: tuple[tuple[str, float, float], ...]
    unscored: tuple[str, ...]
    untested: tuple[str, ...]
    pearson: Correlation
    spearman: Correlation
    power: PredictivePower | None
    notes: tuple[str, ...] = ()


class _Benchmark(NamedTuple):
    name: str
    scores: Mapping[str, float]


def compare_scores(rows: Iterable[Row], scores: Scores) -> list[ScoreComparison]:
    """Each suite, and all of them together, beside each benchmark.

    A model's rate of a suite is over its samples that ended in no error; an undecided one did not pass. The rate over
    all suites is the mean of the suites' rates, over those suites that every model with a score ran.
    """
    tested: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.kind != "error":
            tested[row.suite][row.model].append(row)
    return [one for name, scored in scores.items() for one in _of_benchmark(name, scored, tested)]


def _of_benchmark(
    benchmark: str, scored: Mapping[str, float], tested: Mapping[str, Mapping[str, list[Row]]]
) -> Iterator[ScoreComparison]:
    rates = {
        suite: {model: _rate(some) for model, some in sorted(by_model.items())}
        for suite, by_model in sorted(tested.items())
    }
    if len(rates) > 1:
        known = sorted({model for of_models in rates.values() for model in of_models})
        yield _of_all(_Benchmark(benchmark, scored), rates, known)
    for suite, of_models in rates.items():
        asked = {frozenset(map(item_of, tested[suite][model])) for model in of_models if model in scored}
        notes = ["the models were not asked the same formulas"] if len(asked) > 1 else []
        yield _comparison(_Benchmark(benchmark, scored), of_models, of_models, (suite,), notes)


def _of_all(
    benchmark: _Benchmark, rates: Mapping[str, Mapping[str, Fraction]], known: Sequence[str]
) -> ScoreComparison:
    both = [model for model in known if model in benchmark.scores]
    shared = tuple(suite for suite, of_models in rates.items() if all(model in of_models for model in both))
    means = {model: sum(rates[suite][model] for suite in shared) * Fraction(1, len(shared)) for model in both if shared}
    left_out = ", ".join(suite for suite in rates if suite not in shared)
    notes = [f"left out, because not every model with a score ran it: {left_out}"] if left_out else []
    return replace(_comparison(benchmark, means, known, shared, notes), suite=None)


def _comparison(
    benchmark: _Benchmark,
    rates: Mapping[str, Fraction],
    known: Iterable[str],
    suites: tuple[str, ...],
    notes: Iterable[str],
) -> ScoreComparison:
    scores = benchmark.scores
    models = tuple((model, float(rate), scores[model]) for model, rate in rates.items() if model in scores)
    here, there = [rate for _, rate, _ in models], [score for _, _, score in models]
    return ScoreComparison(
        benchmark=benchmark.name,
        suite=suites[0] if suites else None,
        suites=suites,
        models=models,
        unscored=tuple(model for model in known if model not in scores),
        untested=tuple(model for model in scores if model not in known),
        pearson=pearson(here, there),
        spearman=spearman(here, there),
        power=predictive_power(here, there) if len(models) >= FEWEST else None,
        notes=(*notes, *_shortcomings(here, there)),
    )


def _shortcomings(here: Sequence[float], there: Sequence[float]) -> Iterator[str]:
    if len(here) < FEWEST:
        yield f"{count(len(here), 'model')} with both a pass rate and a score: too few to compare, {FEWEST} are needed"
        return
    for name, values in (("pass rates", here), ("scores", there)):
        if len(set(values)) == 1:
            yield f"all {name} are equal, so that nothing correlates with them"


def _rate(rows: Sequence[Row]) -> Fraction:
    return Fraction(*trials(rows))  # exact, so that equal means are equal
