"""Compares pass rates with scores on another benchmark: suite by suite, and as means over suites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from pytest_autoeval.features.correlation.score_files import Scores
from pytest_autoeval.judging.item_groups import by_suite, grouped, item_of, side_by_side, trials
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.statistics.correlation import (
    FEWEST,
    Correlation,
    PredictivePower,
    pearson,
    predictive_power,
    spearman,
)
from pytest_autoeval.text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComparison:
    """A suite and a benchmark; ``suite`` is None for the mean over ``suites`` that all its models ran.

    ``data_set`` and ``task`` are those of the suites; None for the mean over suites of all kinds. A round trip has an
    empty task. ``models`` have a pass rate and a score: name, rate, score. ``power`` is None with too few models.
    """

    benchmark: str
    suite: str | None
    suites: tuple[str, ...]
    data_set: str | None
    task: str | None
    models: tuple[tuple[str, float, float], ...]
    no_score: tuple[str, ...]
    no_results: tuple[str, ...]
    pearson: Correlation
    spearman: Correlation
    power: PredictivePower | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """The suites of one name, one of each model, with the exact pass rates, so that equal means are equal."""

    suites: tuple[SuiteRecord, ...]
    rates: Mapping[str, Fraction]

    @property
    def name(self) -> str:
        return self.suites[0].name

    @property
    def kind(self) -> tuple[str, str]:
        """The data set and the task."""
        settings = self.suites[0].asked
        return settings.source, settings.task or ""


def compare_scores(samples: Iterable[Sample], scores: Scores) -> Iterator[ScoreComparison]:
    """Compares suites with each benchmark, without errors: the mean over all suites that all scored models ran, the
    same for the suites of one data set and task if there are several, and each suite.
    """
    # An error says nothing about the model.
    tested = by_suite(sample for sample in samples if sample.kind != OutcomeKind.ERROR)
    ordered = sorted(tested, key=lambda suite: (suite.name, suite.model, suite.number))
    groups = []
    for suites in side_by_side(ordered):
        rates = {suite.model: Fraction(*trials(tested[suite])) for suite in suites}
        groups.append(_Group(tuple(suites), rates))
    kinds = grouped(groups, lambda group: group.kind)
    for benchmark, scored in scores.items():
        if len(groups) > 1:
            yield _mean(benchmark, scored, groups, None)
        for kind, of_kind in sorted(kinds.items()):
            # One suite has a comparison of its own, and a kind that all suites share is their mean above.
            if 1 < len(of_kind) < len(groups):
                yield _mean(benchmark, scored, of_kind, kind)
        for group in groups:
            # Models without a score are not compared, so their formulas do not matter.
            suites_with_score = [suite for suite in group.suites if suite.model in scored]
            item_sets = {frozenset(map(item_of, tested[suite])) for suite in suites_with_score}
            notes = ["the models were not asked the same formulas"] if len(item_sets) > 1 else []
            about = _About(benchmark, group.name, (group.name,), group.kind)
            yield _comparison(about, scored, group.rates, sorted(group.rates), notes)


def _mean(
    benchmark: str,
    scored: Mapping[str, float],
    groups: Sequence[_Group],
    kind: tuple[str, str] | None,
) -> ScoreComparison:
    """The comparison of the mean over the suites that every model with a score ran."""
    models = sorted({model for group in groups for model in group.rates})
    scored_models = [model for model in models if model in scored]
    # A mean over different suites would compare how hard they are, and not the models.
    shared = [group for group in groups if group.rates.keys() >= set(scored_models)]
    # Fractions, so that equal means are tied: the order of a sum of floats would break the tie.
    means = {}
    if shared:
        for model in scored_models:
            total = sum(group.rates[model] for group in shared)
            means[model] = total * Fraction(1, len(shared))
    left_out = ", ".join(group.name for group in groups if group not in shared)
    notes = []
    if left_out:
        notes.append(f"left out, because not every model with a score ran it: {left_out}")
    about = _About(benchmark, None, tuple(group.name for group in shared), kind)
    return _comparison(about, scored, means, models, notes)


class _About(NamedTuple):
    """What is compared: a suite, or the mean over several, of one kind if there is one."""

    benchmark: str
    suite: str | None
    suites: tuple[str, ...]
    kind: tuple[str, str] | None


def _comparison(
    about: _About,
    scores: Mapping[str, float],
    rates: Mapping[str, Fraction],
    all_models: Sequence[str],
    notes: Sequence[str],
) -> ScoreComparison:
    models = tuple(
        (model, float(rate), scores[model]) for model, rate in rates.items() if model in scores
    )
    model_rates = [rate for _, rate, _ in models]
    model_scores = [score for _, _, score in models]
    if len(model_rates) < FEWEST:
        extent = f"{count(len(model_rates), 'model')} with both a pass rate and a score"
        notes = [*notes, f"{extent}: too few to compare, {FEWEST} are needed"]
    return ScoreComparison(
        benchmark=about.benchmark,
        suite=about.suite,
        suites=about.suites,
        data_set=None if about.kind is None else about.kind[0],
        task=None if about.kind is None else about.kind[1],
        models=models,
        no_score=tuple(model for model in all_models if model not in scores),
        no_results=tuple(model for model in scores if model not in all_models),
        pearson=pearson(model_rates, model_scores),
        spearman=spearman(model_rates, model_scores),
        power=predictive_power(model_rates, model_scores) if len(models) >= FEWEST else None,
        notes=tuple(notes),
    )
