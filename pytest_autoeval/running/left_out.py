"""What a run left out: rows of the user's data, and suites that could not run."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest

from pytest_autoeval.reporting.text import count, one_line
from pytest_autoeval.running.outputs import SHOWN, listed
from pytest_autoeval.running.settings import settings_of
from pytest_autoeval.running.suite_report import SuiteReport


def left_out(config: pytest.Config, reports: Iterable[SuiteReport]) -> list[str]:
    """The rows that are left out, a line each, and the suites that could not run, a line for each reason."""
    reports = list(reports)
    functions: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        if report.obstacle is not None:
            functions[report.reason].add(report.function)
    skipped = [f"skipped: {count(len(names), 'suite')}: {one_line(reason)}" for reason, names in functions.items()]
    if config.get_verbosity() <= 0 and len(skipped) > SHOWN:
        skipped[SHOWN:] = [f"skipped for {len(skipped) - SHOWN} more reasons, which -v lists"]
    return [*_rows(config, (problem for report in reports for problem in report.problems)), *skipped]


def refuse_useless(config: pytest.Config, reports: Sequence[SuiteReport]) -> None:
    """Raises :class:`pytest.UsageError` where no suite can use what was asked for: a formula, a file, a kind of model.

    ``reports`` are those of all suites, or of what they would be.
    """
    obstacles = {report.obstacle for report in reports}
    if reports and not obstacles & {None, "data"}:
        raise pytest.UsageError(*dict.fromkeys(report.reason for report in reports))
    own_data = any(report.own_data for report in reports) or "formula" in obstacles
    files = settings_of(config).dataset
    if "data" not in obstacles or own_data or not files:
        return
    from pytest_autoeval.datasets import file_problems

    reasons = dict.fromkeys(report.reason for report in reports if report.obstacle == "data")
    of_suites = [problem for report in reports for problem in (*report.problems, *report.notes)]
    raise pytest.UsageError("\n".join([*reasons, *_rows(config, (*file_problems(list(files)), *of_suites))]))


def _rows(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """Files in the current folder are shown by their names."""
    here = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(here) for problem in dict.fromkeys(problems)]
    head = f"rows of the data that are left out: {len(rows)}"
    return listed(head, rows, verbose=config.get_verbosity() > 0)
