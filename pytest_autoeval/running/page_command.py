"""The command that makes the page of a run that failed, named as a next step."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from pytest_autoeval.engine.settings import names_of, shown_name
from pytest_autoeval.record.file import Results, ResultsError, write_results
from pytest_autoeval.record.lines import RunEnd, SuiteRecord
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.outputs import folder_in_cache

if TYPE_CHECKING:
    from pytest_autoeval.engine.leader import Leader
    from pytest_autoeval.engine.settings import Settings


def page_steps(
    config: pytest.Config, leader: Leader, analysis: Analysis, end: RunEnd
) -> tuple[dict[str, str], Path | None]:
    """The command that makes the page, by its description, and the results of this run.

    There is no command if the run made the page itself. It makes the page from the results, or by another run if
    `report` would judge otherwise.
    """
    settings, typed = settings_of(config), [*map(str, config.invocation_params.args)]
    if settings.html is not None:
        return {}, settings.results
    page = f"{shown_name('html')}=autoeval.html"
    judging = names_of(lambda option: option.judges == "run")
    prefixes = tuple(f"{shown_name(name)}=" for name in judging)
    rules = [word for word in typed if word.startswith(prefixes)]
    # A rule from the ini file is no word of the command line, and `report` reads no ini file.
    judges_alike = len(rules) == sum(map(settings.is_given, judging))
    results = None
    if judges_alike:
        results = settings.results or _results_in_cache(config, leader, analysis, end)
    if results is None:
        return {"see why (asks again)": join(["pytest", *typed, page])}, settings.results
    report = ["python", "-m", "pytest_autoeval", "report", shown_results(results, settings)]
    options = [word.replace("--autoeval-", "--", 1) for word in (*rules, page)]
    return {"see why": join([*report, *options])}, results


def shown_results(results: Path, settings: Settings) -> str:
    """The path of a file, as a command in the folder of the run names it."""
    return os.path.relpath(results, settings.folder)


def _results_in_cache(
    config: pytest.Config, leader: Leader, analysis: Analysis, end: RunEnd
) -> Path | None:
    """A results file in pytest's cache, so that the page needs no second run; None without a cache.

    Samples that shrinking made count in no rate. Their calls count as shrinking.
    """
    # Copies, because the shrunk samples must not get into the report of this run.
    suites = {number: _copy(suite) for number, suite in leader.record.suites.items()}
    for example in analysis.counterexamples:
        if example.shrunk is not None:
            suite = suites[example.shrunk.suite.number]
            suite.samples.append(replace(example.shrunk, calls=()))
    results = Results(runs=[leader.run], suites=[*suites.values()], end=end)
    with suppress(ResultsError):
        if (folder := folder_in_cache(config, "autoeval-failed")) is not None:
            # A run that asks about given formulas reproduces a failure: the evidence of that failure stays.
            name = "formula.jsonl" if settings_of(config).formula else "results.jsonl"
            write_results(folder / name, results)
            return folder / name
    return None


def _copy(suite: SuiteRecord) -> SuiteRecord:
    return SuiteRecord(suite.asked, suite.run, suite.samples, suite.end)
