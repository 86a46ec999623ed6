"""Correlates two suites size by size: does a model fail on the sizes of one on which it fails on the other?

Source: R. Karia et al., "∀uto∃∨∧L: autonomous evaluation of LLMs for truth maintenance and reasoning tasks" (ICLR
2025), appendix K.5 with Figure 17: each point is a number of operators, and the coefficient is over all points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_autoeval.judging.item_groups import by_size, by_suite, grouped, size_name, trials
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.statistics.correlation import Correlation, pearson, spearman


@dataclass(frozen=True, slots=True)
class SizePoint:
    """The pass rates of a model at one size, on the two suites."""

    model: str
    size: int
    rate: float
    other_rate: float


@dataclass(frozen=True, slots=True)
class SizeComparison:
    """The rates of a suite and of another one at the sizes that both have; ``model`` is None for all models.

    ``problem`` says why there are no points.
    """

    suite: str
    other: str
    model: str | None
    points: tuple[SizePoint, ...] = ()
    problem: str = ""

    @property
    def pearson(self) -> Correlation:
        return pearson(
            [point.rate for point in self.points], [point.other_rate for point in self.points]
        )

    @property
    def spearman(self) -> Correlation:
        return spearman(
            [point.rate for point in self.points], [point.other_rate for point in self.points]
        )


def compare_sizes(samples: Iterable[Sample], other: str) -> Iterator[SizeComparison]:
    """Compares each suite with those that have ``other`` in their name, for all models and for each; without errors.

    Two suites are compared without their models: those of one model belong together.
    """
    tested = by_suite(sample for sample in samples if sample.kind != OutcomeKind.ERROR)
    tests = grouped(
        sorted(tested, key=lambda suite: (suite.model, suite.number)), lambda suite: suite.name
    )
    theirs = [name for name in sorted(tests) if other in name]
    for name in sorted(tests):
        for other_name in theirs:
            if name in theirs and name >= other_name:
                continue  # a pair of two such suites once, and none with itself
            here, there = (
                size_name([one for suite in tests[key] for one in tested[suite]])
                for key in (name, other_name)
            )
            if here != there:
                yield SizeComparison(
                    name,
                    other_name,
                    None,
                    problem=f"its sizes are {here}, and those there are {there}",
                )
                continue
            points = tuple(_points(tests[name], tests[other_name], tested))
            if not points:
                yield SizeComparison(
                    name, other_name, None, problem="no model ran both at the same sizes"
                )
                continue
            yield SizeComparison(name, other_name, None, points)
            of_models = grouped(points, lambda point: point.model)
            for model in sorted(of_models):
                if len(of_models) > 1:
                    yield SizeComparison(name, other_name, model, tuple(of_models[model]))


def _points(
    ours: Iterable[SuiteRecord],
    theirs: Iterable[SuiteRecord],
    tested: dict[SuiteRecord, list[Sample]],
) -> Iterator[SizePoint]:
    """The points of each model that ran both, from the smallest size."""
    others = grouped(theirs, lambda suite: suite.model)
    for model, suites in grouped(ours, lambda suite: suite.model).items():
        here, there = (
            by_size(sample for suite in of_model for sample in tested[suite])
            for of_model in (suites, others.get(model, []))
        )
        for size in here:
            if size in there:
                (passed, total), (passed_there, total_there) = (
                    trials(here[size]),
                    trials(there[size]),
                )
                yield SizePoint(model, size, passed / total, passed_there / total_there)
