"""Checks the settings before anything runs. A setting that cannot work is refused with its option and the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_autoeval.running.settings import Settings
from pytest_autoeval.running.shared import BASELINE, is_worker


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
    from pytest_autoeval.datasets import DataSetError, check_file

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
