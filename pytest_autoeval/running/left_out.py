"""What of the user's own data is not used, told in the terminal: rows that cannot be read, files that suit no suite."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import pytest

from pytest_autoeval.reporting.text import harmless
from pytest_autoeval.running.options import paths

#: How many entries of a list are shown unless the run is verbose.
_SHOWN = 5


def listed(config: pytest.Config, head: str, entries: Sequence[str]) -> list[str]:
    """A heading with the number of entries, and the first ones, all with ``-v``; nothing where there are none."""
    shown = entries if config.get_verbosity() > 0 else entries[:_SHOWN]
    more = [f"  … and {len(entries) - len(shown)} more, which -v lists"] if len(shown) < len(entries) else []
    return [f"{head}: {len(entries)}", *(f"  {harmless(entry)}" for entry in shown), *more] if entries else []


def left_out(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """The rows that could not be read, a line each; files in the current folder by their name."""
    here = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(here) for problem in dict.fromkeys(problems)]
    return listed(config, "rows of the data that could not be read, and are left out", rows)


def refuse_unused_data(config: pytest.Config, reasons: Iterable[str]) -> None:
    """Raises :class:`pytest.UsageError`: every suite that takes the user's data was skipped, for these reasons."""
    from pytest_autoeval.datasets import file_problems

    rows = left_out(config, file_problems(paths(config, "dataset")))
    raise pytest.UsageError("\n".join([*dict.fromkeys(reasons), *rows]))
