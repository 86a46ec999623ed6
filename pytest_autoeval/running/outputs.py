"""What a run leaves beside its results file: the page, and the summary of the GitHub job."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import Line
from pytest_autoeval.running.settings import Settings

CommandOf = Callable[[Row], str]


def write_outputs(settings: Settings, analysis: Analysis, command_of: CommandOf) -> list[Line]:
    """Writes the files that were asked for. Returns a line for each that was written, or could not be."""
    lines: list[Line] = []
    if (page := settings.html) is not None:
        lines.append(_attempt("the page", page, lambda: _write_page(page, analysis, command_of)))
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    job = Path(of_the_job) if of_the_job else None
    if (path := settings.github_summary) and (job is None or path.resolve() != job.resolve()):
        lines.append(_attempt("the summary", path, lambda: _write(path, _markdown(analysis))))
    if job is not None:
        lines.append(_attempt("the summary of the job", job, lambda: _append(job, _markdown(analysis))))
    elif settings.github_summary is False:
        lines.append(Line("--autoeval-github-summary: GITHUB_STEP_SUMMARY is not set; give a file", "warn"))
    return lines


def _attempt(what: str, path: Path, write: Callable[[], object]) -> Line:
    """A run that was paid for keeps its verdict when a file cannot be written."""
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
