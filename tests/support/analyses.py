"""Judges and analyses samples for tests, with their suites as a file would have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import SuiteJudgement, judge_suite
from pytest_autoeval.record.lines import Run, Sample, Suite, SuiteRecord
from pytest_autoeval.report import analysis
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.counterexample import Counterexample
from support.result_rows import suites_of

#: A suite's name and its model.
Names = tuple[str, str]


def analyse(
    samples: Iterable[Sample],
    rules: Rules,
    *,
    extents: Mapping[Names, Extent] | None = None,
    counterexamples: Iterable[Counterexample] = (),
    **options: Any,
) -> Analysis:
    """The analysis of these samples. ``extents`` are by the names of suites and models; a suite without samples is
    made.
    """
    suites = suites_of(samples)
    by_names = {(suite.name, suite.model): suite for suite in suites}
    for names in extents or {}:
        if names not in by_names:
            by_names[names] = empty_suite(*names, number=len(by_names) + 1)
    return analysis.analyse(
        by_names.values(),
        rules,
        extents={by_names[names].number: extent for names, extent in (extents or {}).items()},
        counterexamples=[in_suite_of(example, by_names) for example in counterexamples],
        **options,
    )


def judge(samples: Iterable[Sample], rules: Rules, **options: Any) -> SuiteJudgement:
    """The judgement of the samples of one suite."""
    (suite,) = suites_of(samples)
    return judge_suite(suite, rules, **options)


def baseline_of(samples: Iterable[Sample]) -> Baseline:
    """The baseline with these samples."""
    return Baseline(suites_of(samples))


def empty_suite(name: str, model: str, number: int = 1) -> SuiteRecord:
    """A suite that has no samples."""
    return SuiteRecord(
        Suite(number=number, name=name, function=name, model=model, language="", source=""),
        Run(schema_version=2),
    )


def in_suite_of(example: Counterexample, suites: Mapping[Names, SuiteRecord]) -> Counterexample:
    """The counterexample in the suite of its name and model."""

    def moved(sample: Sample) -> Sample:
        names = sample.suite.name, sample.model
        return structs.replace(sample, suite=suites.get(names) or empty_suite(*names, number=0))

    return structs.replace(
        example, sample=moved(example.sample), shrunk=example.shrunk and moved(example.shrunk)
    )
