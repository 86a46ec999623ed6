"""The command that makes the page of a run in which a suite failed, as the run's next step.

With pytest's cache, the run keeps its results there, so that the page needs no second run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shlex import join

import pytest

from pytest_autoeval.engine.settings import Settings, names_of, shown_name
from pytest_autoeval.record.file import Results, ResultsError, write_results
from pytest_autoeval.running.outputs import folder_in_cache


def page_steps(
    config: pytest.Config, settings: Settings, results_to_keep: Callable[[], Results]
) -> dict[str, str]:
    """The command that makes the page, by its purpose; empty if the run writes the page itself.

    The page is made from the results, or by another run if the command `report` would judge otherwise.
    ``results_to_keep`` is called only if the run writes no results file of its own.
    """
    if settings.html is not None:
        return {}
    typed = [*map(str, config.invocation_params.args)]
    page = f"{shown_name('html')}=autoeval.html"
    judging = names_of(lambda option: option.judges == "run")
    prefixes = tuple(f"{shown_name(name)}=" for name in judging)
    rules = [word for word in typed if word.startswith(prefixes)]
    # A rule from the ini file is no word of the command line, and `report` reads no ini file.
    judges_alike = len(rules) == sum(map(settings.is_given, judging))
    file = None
    if judges_alike:
        file = settings.results or _kept_in_cache(config, settings, results_to_keep)
    if file is None:
        return {"see why (asks again)": join(["pytest", *typed, page])}
    report = ["python", "-m", "pytest_autoeval", "report", os.path.relpath(file, settings.folder)]
    options = [word.replace("--autoeval-", "--", 1) for word in (*rules, page)]
    return {"see why": join([*report, *options])}


def _kept_in_cache(
    config: pytest.Config, settings: Settings, results_to_keep: Callable[[], Results]
) -> Path | None:
    """The file in pytest's cache with the results; None without a cache, or if the file cannot be written."""
    results = results_to_keep()
    with suppress(ResultsError):
        folder = folder_in_cache(config, "autoeval-failed")
        if folder is not None:
            # A run that asks about given formulas reproduces a failure: the evidence of that failure stays.
            file = folder / ("formula.jsonl" if settings.formula else "results.jsonl")
            write_results(file, results)
            return file
    return None
