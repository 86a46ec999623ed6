"""The command that asks a model about one sample again."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.catalogue import takes_files
from pytest_autoeval.engine.formula_files import takes_formulas
from pytest_autoeval.engine.option_values import columns, columns_text
from pytest_autoeval.engine.settings import OPTIONS, Settings, shown_name
from pytest_autoeval.engine.suite_files import SHIPPED_SUITES, installed_module, is_shipped
from pytest_autoeval.inert import inert_in_shell
from pytest_autoeval.models.redaction import masked, shown_url
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.names import function_and_parameters, in_id, plain_suite, reader_label
from pytest_autoeval.reporting.row import Row

_CONSTRAINED, _SEED, _DATASET, _COLUMNS = (
    f"{shown_name(name)}=" for name in ("constrained", "seed", "dataset", "columns")
)


def options_of(settings: Settings) -> list[str]:
    """What of the command line a command needs to ask about a sample of the run again.

    Values under secret names are masked; the redactor of the run hides other secrets.
    """
    options = [
        f"{shown_name(name)}={_as_typed(name, entry)}"
        for name, value in settings.typed.items()
        if name in OPTIONS and OPTIONS[name].reproduces
        for entry in (value if isinstance(value, list | tuple) else [value])
    ]
    return [*settings.ini_options, *options]


def command_from_row(row: Row) -> str:
    """The command, from the folder in which the run's ids start. A row has the options of its run."""
    test = _test(row)
    file, _, name = test.partition("::")
    module = installed_module(SHIPPED_SUITES.parent / file) if is_shipped(file) and not Path(file).exists() else ""
    return _command(row, ["--pyargs", f"{module}::{name}"] if module else [test], row.options)


def command_of_run(row: Row, file: Path, root: Path, settings: Settings) -> str:
    """The command from the folder in which pytest was started; ``file`` is that of the row's test."""
    module, name = installed_module(file), _test(row).partition("::")[2]
    shown = module or (os.path.relpath(file, settings.folder) if file.is_relative_to(root) else str(file))
    return _command(row, [*(["--pyargs"] if module else []), f"{shown}::{name}"], options_of(settings))


def _command(row: Row, test: Iterable[str], asked: Sequence[str]) -> str:
    """The command that asks about a row; ``asked`` are the options of its run."""
    left_out = (_CONSTRAINED,) if _reads_files(row, asked) else (_CONSTRAINED, _DATASET, _COLUMNS)
    options = [word for word in asked if not word.startswith(left_out)]
    if row.seed and not any(word.startswith(_SEED) for word in options):
        options.append(f"{_SEED}{row.seed}")
    dialects = [word.removeprefix(_CONSTRAINED) for word in asked if word.startswith(_CONSTRAINED)]
    dialect = next((dialect for dialect in dialects if dialect not in ("both", "False")), "auto")
    chosen = {
        "reader": row.reader,
        "interface": row.interface,
        "prompting": "" if row.prompting == Prompting.ZERO_SHOT else row.prompting,
        "repeats": row.repeat and row.repeat + 1,
        "constrained": dialect if row.constrained else "",
        # An item of a data set has a name, or its line: other items may have the same formula.
        "formula": row.item or row.value("source") or row.formula,
    }
    words = [
        shown_name(name) if value is True else f"{shown_name(name)}={value}" for name, value in chosen.items() if value
    ]
    return inert_in_shell(shlex.join(["pytest", *test, f"--autoeval-model={row.model}", *options, *words]))


def _reads_files(row: Row, asked: Sequence[str]) -> bool:
    """Whether the row's formula was in a file of the user's, so that a command needs the file again."""
    files = [Path(word.removeprefix(_DATASET)) for word in asked if word.startswith(_DATASET)]
    renamed = [columns(word.removeprefix(_COLUMNS)) for word in asked if word.startswith(_COLUMNS)]
    return takes_files(row.grammar) or takes_formulas(files, tuple(item for names in renamed for item in names.items()))


def _test(row: Row) -> str:
    """The argument that names the test to pytest: its one item with the row's parameters, if it has any."""
    plain = plain_suite(row.suite, row.interface or "", row.prompting or Prompting.ZERO_SHOT, row.variant)
    function, parameters = function_and_parameters(plain)
    own = "-".join(filter(None, (in_id(row.model), reader_label(row.reader or ""), parameters)))
    return f"{function}[{own}]" if parameters else plain


def _as_typed(name: str, entry: Any) -> str:
    if name == "base_url":
        return shown_url(str(entry))
    if name == "columns":
        return columns_text(entry)
    return json.dumps(masked(entry)) if isinstance(entry, dict) else str(entry)
