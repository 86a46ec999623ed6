"""What the end of a run and the commands show and write: the summary, text files, a progress line, short lists."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document
from pytest_autoeval.report.renderers.terminal import lines as lines_of
from pytest_autoeval.text import Line, one_line
from pytest_autoeval.written_file import MARKDOWN, OutputKind, append_text, write_file

if TYPE_CHECKING:
    import pytest

    from pytest_autoeval.engine.settings import Settings
    from pytest_autoeval.record.lines import Sample

#: How many entries of a list are shown by default.
SHOWN = 5


def summary(
    document: Document,
    verbosity: int,
    width: int,
    encoding: str | None,
    printed: Collection[int] = (),
) -> list[Line]:
    """The summary for a terminal; in ASCII if it cannot print our symbols.

    ``printed`` are the numbers of the suites whose verdict and counterexample stand on the screen already.
    """
    return lines_of(
        document,
        verbosity=verbosity,
        width=width,
        unicode=_has_our_symbols(encoding or "ascii"),
        said=printed,
    )


def _has_our_symbols(encoding: str) -> bool:
    """Whether an encoding has the bars of charts and the signs of logic. Python may not know the encoding at all."""
    try:
        "▁█∧∀¬".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def save(path: Path, text: str, kind: OutputKind | None = None, *, append: bool = False) -> None:
    """Writes a text to a file, or appends it. Raises :class:`AutoevalError` if that fails.

    An existing file is replaced only if it is an earlier output of this ``kind``.
    """
    try:
        if append:
            append_text(path, text)
        else:
            write_file(path, [text], kind)
    except OSError as error:
        raise AutoevalError(f"{path}: cannot be written: {error.strerror}") from None


def written(description: str, path: Path, write: Callable[[], object]) -> Line:
    """Writes a file, and returns a line about it.

    An error becomes such a line, too, so that the run, which has been paid for, keeps its verdict.
    """
    try:
        write()
    except AutoevalError as error:
        return Line(str(error), "bad")
    return Line(f"{description}: {path}", "dim")


def shows_details(settings: Settings, verbosity: int) -> bool:
    """Whether the end of a run shows all of its document: on the terminal with -v, or in a file."""
    files = (settings.html, settings.github_summary, settings.summary)
    return verbosity > 0 or any(files) or "GITHUB_STEP_SUMMARY" in os.environ


def write_reports(
    settings: Settings, analysis: Analysis, document: Document, command_of: Callable[[Sample], str]
) -> list[Line]:
    """Writes the page and the Markdown of a run, where they were requested, and the summary of a job of GitHub."""
    page = settings.html
    # The file that was given; False if the option was given without one, None if it was not given.
    summary_file = settings.github_summary
    path_of_job = os.environ.get("GITHUB_STEP_SUMMARY")
    job_summary = Path(path_of_job) if path_of_job else None
    lines = []
    if page is not None:
        from pytest_autoeval.report.renderers.page import write_page

        write = partial(write_page, page, document, analysis.suites, command_of=command_of)
        lines.append(written("the page", page, write))
    if summary_file is False and job_summary is None:
        lines.append(
            Line("--autoeval-github-summary: GITHUB_STEP_SUMMARY is not set; give a file", "warn")
        )
    if not summary_file and job_summary is None:
        return lines
    from pytest_autoeval.report.renderers.markdown import markdown

    text = markdown(document)
    # If both are the same file, it is written once, as the summary of the job, which is appended.
    is_same_file = summary_file and job_summary and summary_file.resolve() == job_summary.resolve()
    if summary_file and not is_same_file:
        write = partial(save, summary_file, text, MARKDOWN)
        lines.append(written("the summary", summary_file, write))
    if job_summary is not None:
        # Other steps of the job write to this file, too.
        write = partial(save, job_summary, text, append=True)
        line = written("the summary of the job", job_summary, write)
        # Without the option, only the environment variable asked for it: the user may not need it.
        if line.style == "bad" and summary_file is None:
            line = line._replace(style="warn")
        lines.append(line)
    return lines


def progress(text: str) -> None:
    """A line that the next one replaces, on a terminal; an empty text clears it."""
    # The commands make stderr inert (see `inert_output`), which would escape the control sequence.
    terminal = getattr(sys.stderr, "unchanged", sys.stderr)
    if terminal.isatty():
        terminal.write(f"\r\x1b[K{one_line(text)}")
        terminal.flush()


def listed(head: str, entries: Sequence[str], *, verbose: bool) -> list[str]:
    """A heading and the first entries, or all of them; nothing if there are none."""
    if not entries:
        return []
    shown_entries = entries if verbose else entries[:SHOWN]
    lines = [head, *(f"  {one_line(entry)}" for entry in shown_entries)]
    if hidden := len(entries) - len(shown_entries):
        lines.append(f"  … and {hidden:,} more, which -v lists")
    return lines


def listed_with_note(
    heading: str, note: str, entries: Sequence[str], *, verbose: bool
) -> Iterator[str]:
    """As `listed`, indented: the heading has the number of the entries, and what it means for the user."""
    return (
        f"  {line}"
        for line in listed(f"{heading}: {len(entries):,} ({note})", entries, verbose=verbose)
    )


def numbered_names(counts: Mapping[Any, int]) -> str:
    """The numbers above 0, each before the name of what it counts: ``3 read, 1 repaired``."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)


def folder_in_cache(config: pytest.Config, name: str) -> Path | None:
    """A folder in pytest's cache; None without a cache, and if the folder cannot be made."""
    # With ``-p no:cacheprovider`` the configuration has no such attribute.
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if cache is None:
        return None
    try:
        return cache.mkdir(name)
    except OSError:
        return None
