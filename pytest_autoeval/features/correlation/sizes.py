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
        return pearson(*self._rates)

    @property
    def spearman(self) -> Correlation:
        return spearman(*self._rates)

    @property
    def _rates(self) -> tuple[list[float], list[float]]:
        """The rates on the suite, and those on the other one."""
        rates = [point.rate for point in self.points]
        return rates, [point.other_rate for point in self.points]


def compare_sizes(samples: Iterable[Sample], other: str) -> Iterator[SizeComparison]:
    """Compares each suite with those that have ``other`` in their name, for all models and for each; without errors.

    Two suites are compared without their models: those of one model belong together.
    """
    tested = by_suite(sample for sample in samples if sample.kind != OutcomeKind.ERROR)
    ordered = sorted(tested, key=lambda suite: (suite.model, suite.number))
    tests = grouped(ordered, lambda suite: suite.name)
    references = [name for name in sorted(tests) if other in name]
    for name in sorted(tests):
        for other_name in references:
            if name in references and name >= other_name:
                # A pair of two such suites once, and none with itself.
                continue
            size_here = size_name([tried for suite in tests[name] for tried in tested[suite]])
            size_there = size_name(
                [tried for suite in tests[other_name] for tried in tested[suite]]
            )
            # Numbers of words and of operators, for instance, are not the same scale.
            if size_here != size_there:
                problem = f"its sizes are {size_here}, and those there are {size_there}"
                yield SizeComparison(name, other_name, None, problem=problem)
                continue
            points = tuple(_points(tests[name], tests[other_name], tested))
            if not points:
                problem = "no model ran both at the same sizes"
                yield SizeComparison(name, other_name, None, problem=problem)
                continue
            yield SizeComparison(name, other_name, None, points)
            points_by_model = grouped(points, lambda point: point.model)
            # The points of a single model are all points.
            if len(points_by_model) < 2:
                continue
            for model in sorted(points_by_model):
                yield SizeComparison(name, other_name, model, tuple(points_by_model[model]))


def _points(
    suites_here: Iterable[SuiteRecord],
    suites_there: Iterable[SuiteRecord],
    tested: dict[SuiteRecord, list[Sample]],
) -> Iterator[SizePoint]:
    """The points of each model that ran both, from the smallest size."""
    by_model_there = grouped(suites_there, lambda suite: suite.model)
    for model, suites in grouped(suites_here, lambda suite: suite.model).items():
        suites_of_model_there = by_model_there.get(model, [])
        samples_here = by_size(sample for suite in suites for sample in tested[suite])
        samples_there = by_size(
            sample for suite in suites_of_model_there for sample in tested[suite]
        )
        for size in samples_here:
            if size in samples_there:
                passed, total = trials(samples_here[size])
                passed_there, total_there = trials(samples_there[size])
                yield SizePoint(model, size, passed / total, passed_there / total_there)
