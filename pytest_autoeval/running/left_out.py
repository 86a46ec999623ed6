"""Lines about suites and rows of data that were left out, and the refusal of a run that has nothing else."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pytest

from pytest_autoeval.engine.events import SuiteLeftOut
from pytest_autoeval.inert import inert
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.outputs import SHOWN, listed
from pytest_autoeval.running.run_state import refusals
from pytest_autoeval.text import count, one_line


class SuiteData(NamedTuple):
    """The data of a suite: whether they are the user's, the rows that are left out, and what else is said of them."""

    own_data: bool
    rows_left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def left_out(
    config: pytest.Config, skipped: Sequence[SuiteLeftOut], ran: Sequence[SuiteData]
) -> list[str]:
    """One line for each reason why suites could not run.

    A suite that only waits for a file of the user's is named if it ran alone, or if verbose.
    """
    is_verbose = config.get_verbosity() > 0
    # Usually a suite without a file is no surprise. With files, or if it is alone, the user expects it to run.
    names_suites_without_file = bool(settings_of(config).dataset) or not ran or is_verbose
    functions_by_reason: dict[str, set[str]] = defaultdict(set)
    for suite in skipped:
        if suite.obstacle != "file" or names_suites_without_file:
            functions_by_reason[suite.reason].add(suite.function)
    lines = [
        f"skipped: {count(len(functions), 'suite')}: {one_line(reason)}"
        for reason, functions in functions_by_reason.items()
    ]
    if not is_verbose and len(lines) > SHOWN:
        lines[SHOWN:] = [f"skipped for {len(lines) - SHOWN} more reasons, which -v lists"]
    return lines


def shown_notes(config: pytest.Config, notes: Iterable[str]) -> list[str]:
    """The notes of suites, each once. A file in the current folder is shown by its name."""
    prefix = f"{config.invocation_params.dir}{os.sep}"
    # Sorted, since suites of several workers end in any order.
    return [note.removeprefix(prefix) for note in sorted(set(notes))]


def refuse_useless(
    config: pytest.Config, skipped: Sequence[SuiteLeftOut], ran: Sequence[SuiteData]
) -> None:
    """Raises :class:`pytest.UsageError` if no suite can use a formula, a file or a kind of model.

    ``skipped`` are the suites that could not run, ``ran`` those that did or would.
    """
    settings = settings_of(config)
    files = settings.dataset
    obstacles = {suite.obstacle for suite in skipped}
    # A suite that only lacks the formula that was asked for (--autoeval-formula) can use the files.
    some_suite_uses_own_data = any(suite.own_data for suite in ran) or "formula" in obstacles
    no_suite_uses_files = "data" in obstacles and not some_suite_uses_own_data
    nothing_ran = bool(skipped) and not ran
    lines: list[str] = []
    if files and no_suite_uses_files:
        from pytest_autoeval.datasets import file_problems

        with refusals(config, settings.origin("dataset")):
            columns = tuple((settings.columns or {}).items())
            problems = file_problems(list(files), columns)
        lines = lines_of_rows(config, (*problems, *_remarks(skipped, ran)))
    elif not nothing_ran:
        return
    # If other suites ran, only the reasons why none used the files matter.
    reasons = dict.fromkeys(
        suite.reason for suite in skipped if suite.obstacle == "data" or not ran
    )
    raise pytest.UsageError(inert("\n".join([*reasons, *lines])))


def _remarks(skipped: Sequence[SuiteLeftOut], ran: Sequence[SuiteData]) -> Iterator[str]:
    """What is said of the rows of the suites' data: which are left out, and what else."""
    for event in skipped:
        yield from event.problems
        yield from event.notes
    for data in ran:
        yield from data.rows_left_out
        yield from data.notes


def lines_of_rows(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """The lines about rows that were left out, each problem once. A file in the current folder is shown by its name."""
    prefix = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(prefix) for problem in dict.fromkeys(problems)]
    head = f"rows of data that were left out: {len(rows)}"
    return listed(head, rows, verbose=config.get_verbosity() > 0)
