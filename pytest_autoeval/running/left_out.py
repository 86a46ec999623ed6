"""What a run left out, for the terminal: rows of the user's data, and suites that could not run."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest

from pytest_autoeval.reporting.text import count, harmless
from pytest_autoeval.running.settings import settings_of

#: How many entries of a list are shown unless the run is verbose.
_SHOWN = 5


def listed(config: pytest.Config, head: str, entries: Sequence[str]) -> list[str]:
    """A heading with the number of entries, and the first ones, all with ``-v``; nothing where there are none."""
    shown = entries if config.get_verbosity() > 0 else entries[:_SHOWN]
    more = [f"  … and {len(entries) - len(shown)} more, which -v lists"] if len(shown) < len(entries) else []
    return [f"{head}: {len(entries)}", *(f"  {harmless(entry)}" for entry in shown), *more] if entries else []


def left_out(config: pytest.Config, problems: Iterable[str], obstacles: Iterable[tuple[str, str]]) -> list[str]:
    """The rows that are left out, a line each, and the suites that could not run, a line for each reason.

    ``obstacles`` are test functions with the reason why they could not run.
    """
    return [*_rows(config, problems), *_skipped(config, obstacles)]


def refuse_unused_data(config: pytest.Config, reasons: Iterable[str], problems: Iterable[str] = ()) -> None:
    """Raises :class:`pytest.UsageError`: every suite that takes the user's data was left out, for these reasons.

    ``problems`` are the rows that the suites themselves left out.
    """
    from pytest_autoeval.datasets import file_problems

    rows = _rows(config, (*file_problems(list(settings_of(config).dataset)), *problems))
    raise pytest.UsageError("\n".join([*dict.fromkeys(reasons), *rows]))


def _rows(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """Files in the current folder are shown by their names."""
    here = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(here) for problem in dict.fromkeys(problems)]
    return listed(config, "rows of the data that are left out", rows)


def _skipped(config: pytest.Config, obstacles: Iterable[tuple[str, str]]) -> list[str]:
    functions: dict[str, set[str]] = defaultdict(set)
    for function, reason in obstacles:
        functions[reason].add(function)
    lines = [f"skipped: {count(len(names), 'suite')}: {harmless(reason)}" for reason, names in functions.items()]
    if config.get_verbosity() > 0 or len(lines) <= _SHOWN:
        return lines
    return [*lines[:_SHOWN], f"skipped for {len(lines) - _SHOWN} more reasons, which -v lists"]
