"""What a run leaves beside its results file: the page, and the summary of the GitHub job."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.line import Line
from pytest_autoeval.running.options import OPTIONS, paths, value

CommandOf = Callable[[dict[str, Any]], str]


def write_outputs(config: pytest.Config, analysis: Analysis, command_of: CommandOf) -> list[Line]:
    """Writes what was asked for; a line for each file that was written, or could not be."""
    told: list[Line] = []
    if _given(config, "html"):
        (page,) = paths(config, "html")
        told.append(_attempt("the page", page, lambda: _write_page(page, analysis, command_of)))
    asked = _given(config, "github-summary")
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    job = Path(of_the_job) if of_the_job else None
    if asked:
        (path,) = paths(config, "github-summary")
        if job is None or path.resolve() != job.resolve():
            told.append(_attempt("the summary", path, lambda: _write(path, _markdown(analysis))))
    if job is not None:
        told.append(_attempt("the summary of the job", job, lambda: _append(job, _markdown(analysis))))
    elif asked is False:
        told.append(Line("--autoeval-github-summary: GITHUB_STEP_SUMMARY is not set; give a file", "warn"))
    return told


def _attempt(what: str, path: Path, write: Callable[[], object]) -> Line:
    """A run that was paid for keeps its verdict, whatever becomes of a file."""
    try:
        write()
    except OSError as error:
        return Line(f"{what} cannot be written: {path}: {error.strerror}", "bad")
    except AutoevalError as error:
        return Line(str(error), "bad")
    return Line(f"{what}: {path}", "dim")


def _write_page(path: Path, analysis: Analysis, command_of: CommandOf) -> None:
    from pytest_autoeval.reporting.page import write_page

    write_page(path, analysis, command_of=command_of)


def _markdown(analysis: Analysis) -> str:
    from pytest_autoeval.reporting.markdown import markdown

    return markdown(analysis)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _given(config: pytest.Config, name: str) -> Any:
    return value(config, next(option for option in OPTIONS if option.name == name))
