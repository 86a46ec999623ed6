"""What a run left out, told in the terminal: rows of the user's data, and suites that an option does not suit."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from pytest_autoeval.reporting.numbers import count
from pytest_autoeval.reporting.text import harmless
from pytest_autoeval.running.options import paths

#: How many entries of a list are shown unless the run is verbose.
_SHOWN = 5
#: What the reason begins with why a suite is skipped that an option does not suit: the option.
_BLAMED = "--autoeval-"


def listed(config: pytest.Config, head: str, entries: Sequence[str]) -> list[str]:
    """A heading with the number of entries, and the first ones, all with ``-v``; nothing where there are none."""
    shown = entries if config.get_verbosity() > 0 else entries[:_SHOWN]
    more = [f"  … and {len(entries) - len(shown)} more, which -v lists"] if len(shown) < len(entries) else []
    return [f"{head}: {len(entries)}", *(f"  {harmless(entry)}" for entry in shown), *more] if entries else []


def left_out(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """The rows that are left out, a line each, and the suites that were skipped, a line for each reason."""
    return [*_rows(config, problems), *_skipped(config)]


def refuse_unused_data(config: pytest.Config, reasons: Iterable[str], problems: Iterable[str] = ()) -> None:
    """Raises :class:`pytest.UsageError`: every suite that takes the user's data was skipped, for these reasons.

    ``problems`` are what the suites themselves found wrong with rows.
    """
    from pytest_autoeval.datasets import file_problems

    rows = _rows(config, (*file_problems(paths(config, "dataset")), *problems))
    raise pytest.UsageError("\n".join([*dict.fromkeys(reasons), *rows]))


def _rows(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """Files in the current folder by their name."""
    here = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(here) for problem in dict.fromkeys(problems)]
    return listed(config, "rows of the data that are left out", rows)


def _skipped(config: pytest.Config) -> list[str]:
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    suites: dict[str, set[str]] = defaultdict(set)
    for report in terminal.stats.get("skipped", ()) if terminal is not None else ():
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
        suites[reason.removeprefix("Skipped: ")].add(report.nodeid.partition("[")[0])
    told = [
        f"skipped{' in' if ' of size ' in reason else ':'} {count(len(names), 'suite')}: {harmless(reason)}"
        for reason, names in suites.items()
        if reason.startswith(_BLAMED)
    ]
    if config.get_verbosity() > 0 or len(told) <= _SHOWN:
        return told
    return [*told[:_SHOWN], f"skipped for {len(told) - _SHOWN} more reasons, which -v lists"]
