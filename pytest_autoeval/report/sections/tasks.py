"""The figures of a suite below its pass rate: those of its task, and those of a user's functions."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pytest_autoeval.record.whole_types import whole_type
from pytest_autoeval.report.blocks import AnyBlock, Figures, Table
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.report.suite_summary import SuiteSummary


def blocks_of(summary: SuiteSummary) -> Iterator[AnyBlock]:
    """The figures and tables of a suite, and why figures are missing."""
    yield from summary.task_figures
    end = summary.suite.end
    if end is None:
        return
    for problem in end.without_figures:
        yield note(problem, "error", "quiet")
    if end.figures:
        yield Figures(figures=end.figures, level="default")
    for table in end.tables:
        try:
            yield msgspec.convert(table, whole_type(Table))
        except (
            msgspec.ValidationError
        ) as problem:  # a file of another release, or one that was edited
            yield note(f"a table of the results file cannot be read: {problem}", "error", "quiet")
