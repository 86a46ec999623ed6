"""The messages of failed suites under pytest's heading FAILURES, wrapped at the width of the terminal."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from _pytest._code.code import ReprEntry


def wrap_failures(terminal: Any, suites: Container[str]) -> None:
    """Wraps the messages of these tests before the terminal prints them. JUnit XML already has them, not wrapped."""
    width = terminal.config.get_terminal_writer().fullwidth
    for report in terminal.stats.get("failed", ()):
        entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
        for entry in entries if report.nodeid in suites else ():
            if isinstance(entry, ReprEntry) and entry.style == "value":  # a message without a traceback
                entry.lines = list(_wrapped(entry.lines, width))


def _wrapped(lines: Iterable[str], width: int) -> Iterator[str]:
    """The lines; the continuation of a long one is indented further. A long word, such as a path, is never broken."""
    from pytest_autoeval.reporting.text import wrap  # not light enough for a plugin's start

    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        room = max(20, width - len(indent) - 3)
        if len(line) < width or max(map(len, line.split())) > room:
            yield line
            continue
        first, *rest = wrap(line, room)
        yield f"{indent}{first}"
        yield from (f"{indent}  {more}" for more in rest)
