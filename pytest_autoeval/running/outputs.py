"""What the end of a run and the commands show and write: the summary, text files, a progress line, listed names."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document
from pytest_autoeval.report.renderers.terminal import lines as lines_of
from pytest_autoeval.text import Line, count, one_line
from pytest_autoeval.written_file import MARKDOWN, OutputKind, append_text, write_file

if TYPE_CHECKING:
    import pytest

    from pytest_autoeval.engine.events import NamesListed
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
    try:
        unicode = bool("▁█∧∀¬".encode(encoding or "ascii"))
    except (UnicodeEncodeError, LookupError):
        unicode = False
    return lines_of(document, verbosity=verbosity, width=width, unicode=unicode, said=printed)


def save(path: Path, text: str, kind: OutputKind | None = None, *, append: bool = False) -> None:
    """Writes a summary to a file, or appends it. Raises :class:`AutoevalError` if that fails.

    An existing file is replaced only if it is an earlier output of this ``kind``.
    """
    try:
        if append:
            append_text(path, text)
        else:
            write_file(path, [text], kind)
    except OSError as error:
        raise AutoevalError(f"{path}: the summary cannot be written: {error.strerror}") from None


def written(description: str, path: Path, write: Callable[[], object]) -> Line:
    """Writes a file. If that fails, the run, which has been paid for, keeps its verdict."""
    try:
        write()
    except AutoevalError as error:
        return Line(str(error), "bad")
    return Line(f"{description}: {path}", "dim")


def write_reports(
    settings: Settings, analysis: Analysis, document: Document, command_of: Callable[[Sample], str]
) -> list[Line]:
    """Writes the page and the Markdown of a run, where they were requested, and the summary of a job of GitHub."""
    page, summary_file = settings.html, settings.github_summary
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    job = Path(of_the_job) if of_the_job else None
    lines = []
    if page is not None:
        from pytest_autoeval.report.renderers.page import write_page

        write = lambda: write_page(page, document, analysis.suites, command_of=command_of)  # noqa: E731 - passed on
        lines.append(written("the page", page, write))
    if summary_file is False and job is None:
        lines.append(
            Line("--autoeval-github-summary: GITHUB_STEP_SUMMARY is not set; give a file", "warn")
        )
    if not summary_file and job is None:
        return lines
    from pytest_autoeval.report.renderers.markdown import markdown

    text = markdown(document)
    # The same file is written once, as the summary of the job, which is appended.
    if summary_file and (job is None or summary_file.resolve() != job.resolve()):
        lines.append(
            written("the summary", summary_file, lambda: save(summary_file, text, MARKDOWN))
        )
    if job is not None:
        line = written("the summary of the job", job, lambda: save(job, text, append=True))
        # Only the environment variable asked for it.
        if line.style == "bad" and summary_file is None:
            line = line._replace(style="warn")
        lines.append(line)
    return lines


def progress(text: str) -> None:
    """A line that the next one replaces, on a terminal; an empty text clears it."""
    # Past what makes output harmless, which would take the control codes away.
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


def tally(counts: Mapping[Any, int]) -> str:
    """The numbers above 0, each before what it counts: ``3 read, 1 repaired``."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)


def folder_in_cache(config: pytest.Config, name: str) -> Path | None:
    """A folder in pytest's cache; None without a cache, and if the folder cannot be made."""
    cache: pytest.Cache | None = getattr(config, "cache", None)
    with suppress(OSError):
        return None if cache is None else cache.mkdir(name)
    return None


def write_names(
    events: Iterable[NamesListed], results: Path | None, config: pytest.Config
) -> Iterator[Line]:
    """Writes the names of each file as a glossary beside the results, or else in pytest's cache; yields lines about it.

    The name of the glossary has that of the file, and the language.
    """
    for event in events:
        name = f"{event.file.stem}.{event.language}.toml"
        folder = folder_in_cache(config, "autoeval_names")
        path = folder and folder / name
        if results is not None:
            path = results.with_name(f"{results.stem}.{name}")
        lines = list(toml_lines(event))
        head = f"names in {event.file.name}, listed by {event.model}: {count(len(lines), 'name')}"
        yield from (
            Line(text, "dim") for text in listed(head, lines, verbose=config.get_verbosity() > 0)
        )
        if path is None:
            continue
        try:
            save(path, "".join(f"{line}\n" for line in lines))
        except AutoevalError as problem:
            yield Line(str(problem), "bad")
        else:
            beside = event.file.with_suffix(".toml").name
            yield Line(
                f"  written to {path}; correct them and save them as {beside} beside {event.file.name}",
                "dim",
            )


def toml_lines(event: NamesListed) -> Iterator[str]:
    """The names as lines of a glossary in TOML."""
    for name, phrase in event.names.items():
        # TOML allows only these characters in a key without quotes.
        is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
        key = name if is_bare else _quoted(name)
        yield f"{key} = {_quoted(phrase)}"


def _quoted(text: str) -> str:
    # A JSON text is one of TOML, apart from pairs of surrogates and the sign DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
