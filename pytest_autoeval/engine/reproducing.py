"""The command that asks a model about one sample again."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pytest_autoeval.engine.option_values import columns, columns_text
from pytest_autoeval.engine.settings import OPTIONS, Settings, shown_name
from pytest_autoeval.engine.suite_files import (
    SHIPPED_SUITES,
    installed_module,
    is_shipped,
    shown_folder,
)
from pytest_autoeval.inert import inert_in_shell
from pytest_autoeval.models.redaction import masked, shown_url
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.lines import Sample, Suite, SuiteRecord
from pytest_autoeval.record.suite_names import in_id, reader_label
from pytest_autoeval.record.task_parts import Given

_CONSTRAINED, _SEED, _DATASET, _COLUMNS, _PROMPTS = (
    f"{shown_name(name)}=" for name in ("constrained", "seed", "dataset", "columns", "prompts")
)


def options_of(settings: Settings) -> list[str]:
    """The words of the command line that a command needs to ask about a sample of the run again.

    Values under secret names are masked; the redactor of the run hides other secrets.
    """
    options = []
    for name, value in settings.typed.items():
        if name not in OPTIONS or not OPTIONS[name].reproduces:
            continue
        # An option that was typed several times is repeated.
        entries = value if OPTIONS[name].repeatable else [value]
        options += [f"{shown_name(name)}={_as_typed(name, entry)}" for entry in entries]
    # Several folders of the ini file are variants too, and the command asks with one of them.
    if "prompts" not in settings.typed and len(settings.prompts) > 1:
        folders = (shown_folder(folder, settings.folder) for folder in settings.prompts)
        options += [f"{_PROMPTS}{folder}" for folder in folders]
    return [*settings.ini_options, *options]


class TestFile(NamedTuple):
    """The file of a test on this machine, the root folder of the run, and the folder in which pytest was started."""

    path: Path
    root: Path
    folder: Path

    @property
    def shown(self) -> str:
        """The file as a command in the folder names it."""
        # Below the root folder the path is short, and holds on every machine with the project.
        if self.path.is_relative_to(self.root):
            return os.path.relpath(self.path, self.folder)
        return str(self.path)


def command_of(sample: Sample, file: TestFile | None = None) -> str:
    """The command that asks about a sample again, with the options of its run.

    It is for the root folder of the run, in which the ids of tests start; with the ``file`` of the test, for the folder
    in which pytest was started. Empty for a suite without pytest: its name names no test.
    """
    suite = sample.suite.asked
    if file is None and "::" not in (suite.function or suite.name):
        return ""
    test = test_words(suite, file)
    words = [*test, f"--autoeval-model={suite.model}", *_run_options(sample), *_own_options(sample)]
    return inert_in_shell(shlex.join(["pytest", *words]))


def _run_options(sample: Sample) -> list[str]:
    """The options of the sample's run that its suite needs."""
    suite, options = sample.suite.asked, sample.suite.run.options
    # Each suite says itself whether it was constrained. Files that it did not read were for others of the run.
    left_out: tuple[str, ...] = (_CONSTRAINED,)
    if not _reads_files(suite, options):
        left_out += (_DATASET, _COLUMNS)
    needed = [word for word in options if not word.startswith(left_out)]
    needed = _with_own_prompts(needed, suite)
    # The seed may come from the ini file, and then no option names it.
    if sample.seed and not any(word.startswith(_SEED) for word in needed):
        needed.append(f"{_SEED}{sample.seed}")
    return needed


def _own_options(sample: Sample) -> list[str]:
    """The options that choose this sample, and the variant of its suite, among those of the run."""
    suite = sample.suite.asked
    # Enough that the sample's own repeat is among them. With API seeds, their number is that of the repeats.
    repeats = sample.repeat + 1 if sample.repeat and not suite.api_seeds else 0
    values = {
        "reader": suite.reader,
        "interface": suite.interface,
        "prompting": "" if suite.prompting == Prompting.ZERO_SHOT else suite.prompting,
        "repeats": repeats,
        "constrained": _dialect(sample.suite.run.options) if suite.constrained else "",
        # An item of a data set has a name, or its line: other items may have the same formula.
        "formula": sample.part_or_empty(Given).name or _typed_formula(sample),
    }
    return [f"{shown_name(name)}={value}" for name, value in values.items() if value]


def _typed_formula(sample: Sample) -> str:
    """The formula of a sample without a name, as it is typed. In brackets it is not taken for an id, such as 10."""
    suite = sample.suite
    is_name = sample.formula in _names_of_items(suite, len(suite.samples))
    return f"({sample.formula})" if is_name else sample.formula


# A page asks for each sample of a suite in turn. The number of samples is a part of the key: a suite of a run grows.
@lru_cache(maxsize=1)
def _names_of_items(suite: SuiteRecord, number_of_samples: int) -> frozenset[str]:  # noqa: ARG001
    return frozenset(sample.part_or_empty(Given).name for sample in suite.samples)


def _dialect(options: Sequence[str]) -> str:
    """The value of ``--autoeval-constrained`` with which a suite of the run was constrained."""
    values = [word.removeprefix(_CONSTRAINED) for word in options if word.startswith(_CONSTRAINED)]
    # `both` and `False` say whether suites are constrained, and name no dialect.
    return next((value for value in values if value not in ("both", "False")), "auto")


def _with_own_prompts(options: Sequence[str], suite: Suite) -> list[str]:
    """The options without the folders of prompts that the suite did not ask with, if the run had several."""
    folders = [word for word in options if word.startswith(_PROMPTS)]
    if len(folders) < 2:
        return list(options)
    own_folder = ""
    if suite.prompts:
        own_folder = max(
            folders, key=lambda word: _common_end(word.removeprefix(_PROMPTS), suite.prompts[0])
        )
    return [word for word in options if word not in folders or word == own_folder]


def _common_end(folder: str, other: str) -> int:
    """How many names two paths have in common at their ends: one may be relative, the other absolute."""
    pairs = zip(reversed(Path(folder).parts), reversed(PurePosixPath(other).parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def test_words(suite: Suite, file: TestFile | None) -> list[str]:
    """The arguments that name the test to pytest: its one item with the test's parameters, if it has any."""
    file_name, colons, name = (suite.function or suite.name).partition("::")
    if suite.parameters:
        parts_of_id = (in_id(suite.model), reader_label(suite.reader or ""), suite.parameters)
        item = "-".join(filter(None, parts_of_id))
        # A suite without pytest has a name alone, which then stands where the file would.
        if colons:
            name = f"{name}[{item}]"
        else:
            file_name = f"{file_name}[{item}]"
    module = _module(file_name, file)
    if module:
        return ["--pyargs", f"{module}::{name}"]
    return [f"{_shown_file(file_name, file)}{colons}{name}"]


def _shown_file(file_name: str, file: TestFile | None) -> str:
    """The file of a test as a command names it. Outside of a checkout, a packaged suite is found by its whole path."""
    if file is not None:
        return file.shown
    if is_shipped(file_name) and not Path(file_name).exists():
        return str(SHIPPED_SUITES.parent / file_name)
    return file_name


def _module(file_name: str, file: TestFile | None) -> str:
    """The installed module of a test; empty for another file."""
    if file is not None:
        return installed_module(file.path)
    # In a checkout the file exists, and its path is what a contributor types.
    if not is_shipped(file_name) or Path(file_name).exists():
        return ""
    return installed_module(SHIPPED_SUITES.parent / file_name)


def _reads_files(suite: Suite, options: Sequence[str]) -> bool:
    """Whether the suite's formulas were in a file of the user's, so that a command needs the file again.

    ``options`` are the words of the run, which name the files and their columns.
    """
    # Imported here: a report in which no sample failed needs neither data sets nor languages.
    from pytest_autoeval.datasets.catalogue import takes_files
    from pytest_autoeval.engine.formula_files import takes_formulas

    files = [Path(word.removeprefix(_DATASET)) for word in options if word.startswith(_DATASET)]
    names_of_columns: list[tuple[str, str]] = []
    for word in options:
        if word.startswith(_COLUMNS):
            names_of_columns += columns(word.removeprefix(_COLUMNS)).items()
    return takes_files(suite.source) or takes_formulas(files, tuple(names_of_columns))


def _as_typed(name: str, entry: Any) -> str:
    """The value of an option as a word of the command line."""
    if name == "base_url":
        return shown_url(str(entry))
    if name == "columns":
        return columns_text(entry)
    if isinstance(entry, tuple):
        return ",".join(map(str, entry))
    return json.dumps(masked(entry)) if isinstance(entry, dict) else str(entry)
