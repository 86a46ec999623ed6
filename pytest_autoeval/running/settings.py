"""`Settings`: every option and ini key, read once when pytest is configured.

Only the standard library is imported here: this runs in every pytest run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_autoeval.running.options import OPTIONS, Option
from pytest_autoeval.running.shared import BASELINE, is_worker

Prompting = Literal["zero-shot", "few-shot", "self-refine"]

_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The value of each option, under the option's name: from the command line, else the ini file, else its default.

    Repeatable options are tuples. Paths are absolute: relative to the current folder where they were typed, to the ini
    file's folder where they stand there. ``samples`` and ``operators`` are those of the command line, which win over a
    test's marker; ``usual_samples`` and ``usual_operators`` are those of the ini file, which the marker overrides.
    """

    model: tuple[str, ...]
    base_url: str | None
    samples: int | None
    usual_samples: int | None
    seed: int
    operators: tuple[int, ...] | None
    usual_operators: tuple[int, ...] | None
    repeats: int
    prompting: tuple[Prompting, ...]
    interface: tuple[str, ...]
    dataset: tuple[Path, ...]
    prompts: tuple[Path, ...]
    threshold: float | None
    gate: Literal["point", "interval"]
    baseline: Path | None
    fail_on: float | None
    alpha: float
    stop_early: bool
    blame: bool
    keep_counterexamples: Path | None
    record_mode: Literal["none", "once", "new_episodes", "all"] | None
    cassettes: Path
    concurrency: int
    rpm: int | None
    shrink_budget: int
    max_calls: int | None
    max_cost: float | None
    price: tuple[tuple[str, float, float], ...]
    results: Path | None
    html: Path | None
    #: False where the option stands without a value: the summary of the GitHub job is meant.
    github_summary: Path | Literal[False] | None
    temperature: float | None
    max_tokens: int | None
    max_retries: int
    timeout: float
    verify_timeout: float | None
    parameters: Mapping[str, Any] | None
    formula: tuple[str, ...]
    #: The options that stand on the command line, in the order of the help, with their parsed values.
    typed: Mapping[str, Any]
    #: The folder that pytest was started in.
    folder: Path

    def origin(self, name: str) -> str:
        """Where the value of an option comes from, for a message: `--autoeval-NAME` or `ini key autoeval_NAME`."""
        return f"--autoeval-{name}" if name in self.typed else f"ini key autoeval_{name.replace('-', '_')}"


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run. Raises :class:`pytest.UsageError` for a bad ini value, on the first call."""
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _read(config)
    return config.stash[_SETTINGS]


def _read(config: pytest.Config) -> Settings:
    typed = {option.name: getattr(config.option, option.key, None) for option in OPTIONS}
    values: dict[str, Any] = {}
    for option in OPTIONS:
        written = _from_ini(option, config)
        if option.below_marker:
            values[f"usual_{option.field}"] = written
            values[option.field] = typed[option.name]
        else:
            values[option.field] = _value(option, typed[option.name], written, config)
    given = {name: value for name, value in typed.items() if value is not None}
    return Settings(**values, typed=given, folder=config.invocation_params.dir)


def _value(option: Option, typed: Any, written: Any, config: pytest.Config) -> Any:
    folder = config.invocation_params.dir
    value = typed
    if value is None and written is not None:
        value = written
        folder = config.inipath.parent if config.inipath else folder
    if value is None:
        value = option.default
    if option.flag:
        return bool(value)
    if option.is_path and value not in (None, False):
        value = [folder / entry for entry in value] if option.repeatable else folder / value
    return tuple(dict.fromkeys(value)) if option.repeatable else value


def _from_ini(option: Option, config: pytest.Config) -> Any:
    """The value in the ini file, or None."""
    written = config.getini(option.key) if option.ini else None
    if written in (None, "", []):
        return None
    read = [_parsed(option, str(entry)) for entry in (written if option.repeatable else [written])]
    return read if option.repeatable else read[0]


def _parsed(option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise pytest.UsageError(f"ini key {option.key}: {text!r} is none of {', '.join(option.choices)}")
    try:
        return option.from_ini(text)
    except argparse.ArgumentTypeError as problem:
        raise pytest.UsageError(f"ini key {option.key}: {problem}") from None


def check_settings(config: pytest.Config, settings: Settings) -> None:
    """Refuses a file or folder that cannot be used. Raises :class:`pytest.UsageError`."""
    for file in settings.dataset:
        _check_data(file, settings)
    for name, written in (("html", settings.html), ("github-summary", settings.github_summary)):
        if written:
            _check_can_be_written(name, written, settings)
    _check_baseline(config, settings)
    if (folder := settings.keep_counterexamples) is not None:
        if folder.exists() and not folder.is_dir():
            raise pytest.UsageError(f"{settings.origin('keep-counterexamples')}: {folder} is not a folder")
        _check_folder("keep-counterexamples", folder, settings)
    for folder in settings.prompts:
        if not folder.is_dir():
            raise pytest.UsageError(f"{settings.origin('prompts')}: there is no folder {folder}")
        _check_prompts(folder, settings)


def _check_baseline(config: pytest.Config, settings: Settings) -> None:
    """Reads the baseline once, in the controlling process: a bad one is refused before a run is paid for."""
    file = settings.baseline
    if file is None:
        if settings.fail_on is not None:
            raise pytest.UsageError(
                f"{settings.origin('fail-on')}: needs --autoeval-baseline, the results to compare with"
            )
        return
    origin = settings.origin("baseline")
    if not file.is_file():
        problem = "is a folder; name a file of results" if file.is_dir() else "there is no such file"
        raise pytest.UsageError(f"{origin}: {file}: {problem}")
    if settings.results is not None and file.resolve() == settings.results.resolve():
        raise pytest.UsageError(
            f"{settings.origin('results')}: would overwrite the baseline {file}; write the new results to another file"
        )
    if is_worker(config):
        return
    from pytest_autoeval.reporting.results import ResultsError, read

    try:
        rows = read(file).rows
    except ResultsError as problem:
        raise pytest.UsageError(f"{origin}: {problem}") from None
    if not rows:
        raise pytest.UsageError(f"{origin}: {file} holds no results")
    config.stash[BASELINE] = rows


def _check_can_be_written(name: str, file: Path, settings: Settings) -> None:
    origin = settings.origin(name)
    if file.is_dir():
        raise pytest.UsageError(f"{origin}: {file} is a folder; write --autoeval-{name}=FILE")
    _check_folder(name, file.parent, settings)
    if name == "github-summary" and file.is_file() and not _is_markdown(file):
        raise pytest.UsageError(
            f"{origin}: {file} exists and is not a Markdown file (.md), so it is not overwritten; "
            f"write --autoeval-{name}=FILE.md"
        )


def _check_folder(name: str, folder: Path, settings: Settings) -> None:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise pytest.UsageError(f"{settings.origin(name)}: {there} is not a folder, so nothing can be written below it")
    if not os.access(there, os.W_OK | os.X_OK):
        raise pytest.UsageError(f"{settings.origin(name)}: the folder {there} cannot be written to")


def _is_markdown(file: Path) -> bool:
    """Whether Markdown may be written to a file: an option without a value swallows the argument behind it."""
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    return file.suffix in {".md", ".markdown"} or bool(of_the_job and file.resolve() == Path(of_the_job).resolve())


def _check_data(file: Path, settings: Settings) -> None:
    from pytest_autoeval.datasets import DataSetError
    from pytest_autoeval.datasets.tables import check_file

    try:
        check_file(file)
    except DataSetError as problem:
        raise pytest.UsageError(f"{settings.origin('dataset')}: {problem}") from None


def _check_prompts(folder: Path, settings: Settings) -> None:
    from pytest_autoeval.languages import language_names
    from pytest_autoeval.prompts import PromptError, check_folder

    try:
        check_folder(folder, language_names())
    except PromptError as problem:
        raise pytest.UsageError(f"{settings.origin('prompts')}: {problem}") from None
