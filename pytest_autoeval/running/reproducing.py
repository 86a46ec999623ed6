"""The command that asks a model about one sample again, told from its row alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

from pytest_autoeval.running.suite_names import formula_id

Row = dict[str, Any]


def reproduction(row: Row) -> str:
    """One command for a row of a results file, from the folder that its run's ids start at.

    The row does not know how the run was called: its server, prompts and the like are to be added.
    """
    return command_line(row, formula_id(row), [f"--autoeval-seed={row['seed']}"] if row["seed"] else [])


def command_line(row: Row, node: str, options: Iterable[str]) -> str:
    """The command: pytest on a test, the row's model and way, more options, and what to ask about.

    An item that was written has a name, or the line that it stands in: others may be about the same formula.
    """
    words = [
        "pytest",
        node,
        f"--autoeval-model={row['model']}",
        *options,
        *([f"--autoeval-interface={row['interface']}"] if row.get("interface") else []),
        *([f"--autoeval-prompting={row['way']}"] if (row.get("way") or "zero-shot") != "zero-shot" else []),
        *([f"--autoeval-repeats={row['repeat'] + 1}"] if row["repeat"] else []),
        f"--autoeval-formula={row.get('item') or row.get('source') or row['formula']}",
    ]
    return shlex.join(words)
