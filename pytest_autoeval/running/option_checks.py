"""Options are checked before anything runs: what cannot be of use is refused, with the option's name and the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_autoeval.running.options import OPTIONS, paths, source, value
from pytest_autoeval.running.shared import BASELINE, is_worker

#: Files that are written when the run is over.
_WRITTEN = ("html", "github-summary")


def check_options(config: pytest.Config) -> None:
    """Refuses a bad ini value, or a file or folder that is of no use, before anything runs.

    What else was typed was checked as it was parsed.
    """
    for option in OPTIONS:
        value(config, option)
    for file in paths(config, "dataset"):
        _check_data(config, file)
    for name in _WRITTEN:
        _check_can_be_written(config, name)
    _check_baseline(config)
    for folder in paths(config, "keep-counterexamples"):
        if folder.exists() and not folder.is_dir():
            raise pytest.UsageError(f"{source(config, 'keep-counterexamples')}: {folder} is no folder")
        _check_folder(config, "keep-counterexamples", folder)
    for folder in paths(config, "prompts"):
        if not folder.is_dir():
            raise pytest.UsageError(f"{source(config, 'prompts')}: there is no folder {folder}")
        _check_prompts(config, folder)


def _check_baseline(config: pytest.Config) -> None:
    baselines = paths(config, "baseline")
    if not baselines:
        if _given(config, "fail-on") is not None:
            raise pytest.UsageError(
                f"{source(config, 'fail-on')}: needs --autoeval-baseline, the results to compare with"
            )
        return
    (file,) = baselines
    if not file.is_file():
        what = "is a folder; name a file of results" if file.is_dir() else "there is no such file"
        raise pytest.UsageError(f"{source(config, 'baseline')}: {file}: {what}")
    if any(file.resolve() == results.resolve() for results in paths(config, "results")):
        raise pytest.UsageError(
            f"{source(config, 'results')}: would overwrite the baseline {file}; write the new results to another file"
        )
    _read_baseline(config, file)


def _read_baseline(config: pytest.Config, file: Path) -> None:
    """Reads the baseline, once; refuses what is no results file before a run is paid for."""
    from pytest_autoeval.reporting.results import ResultsError, read

    if is_worker(config):
        return
    try:
        rows = read(file).rows
    except ResultsError as problem:
        raise pytest.UsageError(f"{source(config, 'baseline')}: {problem}") from None
    if not rows:
        raise pytest.UsageError(f"{source(config, 'baseline')}: {file} holds no results")
    config.stash[BASELINE] = rows


def _check_can_be_written(config: pytest.Config, name: str) -> None:
    if not _given(config, name):
        return
    (file,) = paths(config, name)
    if file.is_dir():
        raise pytest.UsageError(f"{source(config, name)}: {file} is a folder; write --autoeval-{name}=FILE")
    _check_folder(config, name, file.parent)
    if name == "github-summary" and file.is_file() and not _is_markdown(file):
        raise pytest.UsageError(
            f"{source(config, name)}: {file} is there already and is no Markdown file (.md), so that it is left alone; "
            f"write --autoeval-{name}=FILE.md"
        )


def _check_folder(config: pytest.Config, name: str, folder: Path) -> None:
    """Refuses a place in which nothing can be written: known before a run is paid for."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise pytest.UsageError(
            f"{source(config, name)}: {there} is no folder, so that nothing can be written below it"
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise pytest.UsageError(f"{source(config, name)}: nothing can be written to the folder {there}")


def _is_markdown(file: Path) -> bool:
    """Whether a file is one to write Markdown to: an option that may stand alone swallows what is typed behind it."""
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    return file.suffix in {".md", ".markdown"} or bool(of_the_job and file.resolve() == Path(of_the_job).resolve())


def _given(config: pytest.Config, name: str) -> object:
    return value(config, next(option for option in OPTIONS if option.name == name))


def _check_data(config: pytest.Config, file: Path) -> None:
    from pytest_autoeval.datasets import DataSetError, check_file

    try:
        check_file(file)
    except DataSetError as problem:
        raise pytest.UsageError(f"{source(config, 'dataset')}: {problem}") from None


def _check_prompts(config: pytest.Config, folder: Path) -> None:
    from pytest_autoeval.languages import language_names
    from pytest_autoeval.prompts import PromptError, check_folder

    try:
        check_folder(folder, language_names())
    except PromptError as problem:
        raise pytest.UsageError(f"{source(config, 'prompts')}: {problem}") from None
