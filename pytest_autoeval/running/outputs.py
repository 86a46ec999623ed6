"""What the end of a run and the commands share: the summary for a terminal, text files, a progress line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.terminal import render
from pytest_autoeval.reporting.text import Line, one_line, to_ascii

if TYPE_CHECKING:
    from pytest_autoeval.reporting.history import History

#: How many entries of a list are shown by default.
SHOWN = 5


def summary(
    analysis: Analysis, verbosity: int, width: int, encoding: str | None, history: History | None = None
) -> list[Line]:
    """The summary for a terminal, with the trends of a history; in ASCII if it cannot print our symbols."""
    try:
        unicode = bool("▁█∧∀¬".encode(encoding or "ascii"))
    except (UnicodeEncodeError, LookupError):
        unicode = False
    lines = list(render(analysis, verbosity=verbosity, width=width, unicode=unicode))
    if history is not None:
        from pytest_autoeval.reporting.trends import trend_lines

        trends = trend_lines(history, width, unicode=unicode)
        lines += trends if unicode else (Line(to_ascii(line.text), line.style) for line in trends)
    return lines


def save(path: Path, text: str, *, append: bool = False) -> None:
    """Writes a summary to a file, or appends it. Raises :class:`AutoevalError` if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if append else "wb") as file:
            file.write(text.encode())
    except OSError as error:
        raise AutoevalError(f"{path}: the summary cannot be written: {error.strerror}") from None


def progress(text: str) -> None:
    """A line that the next one replaces, on a terminal; an empty text clears it."""
    terminal = getattr(sys.stderr, "unchanged", sys.stderr)
    if terminal.isatty():
        terminal.write(f"\r\x1b[K{one_line(text)}")
        terminal.flush()


def listed(head: str, entries: Sequence[str], *, verbose: bool) -> list[str]:
    """A heading and the first entries, or all of them; nothing if there are none."""
    shown = entries if verbose else entries[:SHOWN]
    more = [f"  … and {len(entries) - len(shown):,} more, which -v lists"] if len(shown) < len(entries) else []
    return [head, *(f"  {one_line(entry)}" for entry in shown), *more] if entries else []
