"""What the screens show of an analysis: its document, printed by the terminal, as Markdown and in JUnit's file."""

from __future__ import annotations

from typing import Any

from pytest_autoeval.judging.item_groups import SuiteKey
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers import junit, terminal
from pytest_autoeval.report.renderers import markdown as markdown_renderer
from pytest_autoeval.text import Line


def render(analysis: Analysis, **settings: Any) -> list[Line]:
    """The lines of a terminal."""
    return terminal.lines(document(analysis), **settings)


def texts(analysis: Analysis, **settings: Any) -> list[str]:
    """The lines of a terminal without their styles."""
    return [line.text for line in render(analysis, **settings)]


def markdown(analysis: Analysis, **settings: Any) -> str:
    """The Markdown."""
    return markdown_renderer.markdown(document(analysis), **settings)


def properties(analysis: Analysis, suite: SuiteKey | None = None) -> list[tuple[str, str]]:
    """The properties of the suite of this number, or of the only one."""
    (found,) = [
        section
        for section in document(analysis).sections
        if section.suite is not None and suite in {None, section.suite.number}
    ]
    return junit.properties(found)
