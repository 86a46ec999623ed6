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
    """The data of a suite that ran or would run: whether they are the user's, and which rows of them have problems."""

    own_data: bool
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def left_out(
    config: pytest.Config, without: Sequence[SuiteLeftOut], ran: Sequence[SuiteData]
) -> list[str]:
    """One line for each row of data that is left out, and for each reason why suites could not run.

    A suite that only waits for a file of the user's is named if it ran alone, or if verbose.
    """
    # Usually a suite without a file is no surprise. With files, or if it is alone, the user expects it to run.
    is_named = bool(settings_of(config).dataset) or not ran or config.get_verbosity() > 0
    waiting = () if is_named else ("file",)
    functions: dict[str, set[str]] = defaultdict(set)
    for event in without:
        if event.obstacle not in waiting:
            functions[event.reason].add(event.function)
    skipped = [
        f"skipped: {count(len(names), 'suite')}: {one_line(reason)}"
        for reason, names in functions.items()
    ]
    if config.get_verbosity() <= 0 and len(skipped) > SHOWN:
        skipped[SHOWN:] = [f"skipped for {len(skipped) - SHOWN} more reasons, which -v lists"]
    return [*_rows(config, _problems(without, ran)), *skipped]


def _problems(
    without: Sequence[SuiteLeftOut], ran: Sequence[SuiteData], *, notes: bool = False
) -> Iterator[str]:
    suites: list[SuiteLeftOut | SuiteData] = [*without, *ran]
    for suite in suites:
        yield from (*suite.problems, *(suite.notes if notes else ()))


def refuse_useless(
    config: pytest.Config, without: Sequence[SuiteLeftOut], ran: Sequence[SuiteData]
) -> None:
    """Raises :class:`pytest.UsageError` if no suite can use a formula, a file or a kind of model.

    ``without`` are the suites that could not run, ``ran`` those that did or would.
    """
    obstacles, files = {event.obstacle for event in without}, settings_of(config).dataset
    own_data = any(event.own_data for event in ran) or "formula" in obstacles
    lines: list[str] = []
    if "data" in obstacles and files and not own_data:
        from pytest_autoeval.datasets import file_problems

        with refusals(config, settings_of(config).origin("dataset")):
            columns = tuple((settings_of(config).columns or {}).items())
            problems = file_problems(list(files), columns)
        lines = _rows(config, (*problems, *_problems(without, ran, notes=True)))
    elif ran or not without:
        return
    reasons = dict.fromkeys(
        event.reason for event in without if event.obstacle == "data" or not ran
    )
    raise pytest.UsageError(inert("\n".join([*reasons, *lines])))


def _rows(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """Files in the current folder are shown by their names."""
    prefix = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(prefix) for problem in dict.fromkeys(problems)]
    head = f"rows of data that were left out: {len(rows)}"
    return listed(head, rows, verbose=config.get_verbosity() > 0)
