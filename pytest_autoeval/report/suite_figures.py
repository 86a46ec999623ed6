"""The figures of a suite: those of its task, and those that a user's functions gave in its run."""

from __future__ import annotations

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.task_figures import figures_in, task_blocks


def figures_of(suite: SuiteRecord) -> list[Figure]:
    """The figures of a suite by which runs can be compared, each with a name of its own.

    If the samples are of several runs that are one baseline, the figures that functions of one run gave say nothing
    about all of them, and are left out.
    """
    figures = list(figures_in(task_blocks(suite, suite.counted)))
    runs = {sample.suite for sample in suite.samples}
    if suite.end is not None and len(runs) == 1:
        figures += suite.end.figures
    return figures
