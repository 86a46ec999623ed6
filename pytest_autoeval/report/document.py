"""The document of a judged run: its sections in the order in which every screen shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from pytest_autoeval.built_in import PLUGINS, ShippedSection, shipped
from pytest_autoeval.judging.gate_verdicts import STATES
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document, Section
from pytest_autoeval.report.sections import (
    added,
    baseline_comparison,
    models,
    run_overview,
    suite_details,
    suite_matrix,
)
from pytest_autoeval.report.sections.counterexamples import with_notation_once

#: Makes sections of an analysis.
Maker = Callable[[Analysis], Iterator[Section]]

#: What each subject says of a run. To add a section, add its maker.
MAKERS: tuple[Maker, ...] = (
    run_overview.verdict,
    suite_matrix.matrix,
    run_overview.calls,
    models.models,
    baseline_comparison.comparison,
    suite_details.suites,
    added.added,
    run_overview.rows_left_out,
    run_overview.notes,
    run_overview.next_steps,
)
#: The sections by name, in the order in which they are shown; those with other names stand before the notes.
ORDER = (
    "verdict",
    "suites",
    "calls",
    "models",
    "comparison",
    "suite",
)
_LAST = ("data", "notes", "next steps")


def document(
    analysis: Analysis,
    *,
    exit_code: int | None = None,
    more: Iterable[Section] = (),
) -> Document:
    """The document of a run. ``exit_code`` is that of the run, if it is not that of the verdict.

    ``more`` are sections that a command makes, such as the trends of earlier runs.
    """
    sections = [section for maker in MAKERS for section in maker(analysis)]
    for plugin_section in sections_of_plugins():
        if plugin_section.used is not None and plugin_section.used(analysis.suites):
            # The code of a plugin is loaded only for a run that has something to show in its section.
            sections += shipped("section", plugin_section.name)(analysis)
    sections += more
    shown_sections = [section for section in sections if section.blocks]
    return Document(
        state=STATES[analysis.verdict],
        exit_code=analysis.exit_code if exit_code is None else exit_code,
        sections=tuple(with_notation_once(in_order(shown_sections))),
        release=version("pytest-autoeval"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def sections_of_plugins() -> list[ShippedSection]:
    """The sections that shipped plugins can make."""
    return [section for plugin in PLUGINS for section in plugin.sections]


def names_in_order() -> list[str]:
    """The names of the sections of the core and of shipped plugins, as they stand on every screen."""
    names = [*ORDER]
    for plugin_section in sections_of_plugins():
        # A plugin names its neighbour, so that the core need not know its sections.
        names.insert(names.index(plugin_section.before), plugin_section.name)
    return names


def in_order(sections: Sequence[Section]) -> list[Section]:
    """The sections in the order of their names; those of one name keep theirs."""
    positions = {name: position for position, name in enumerate((*names_in_order(), "", *_LAST))}
    # Sections of a user's functions have other names: they stand behind ours, before the notes.
    return sorted(sections, key=lambda section: positions.get(section.name, positions[""]))
