"""The document of a judged run: its sections in the order in which every screen shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from pytest_autoeval.judging.gates import STATES
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document, Section
from pytest_autoeval.report.history import History
from pytest_autoeval.report.sections import run, suite, suites
from pytest_autoeval.report.whole_set import SetData

#: Makes sections of an analysis.
Maker = Callable[[Analysis], Iterator[Section]]

#: What each subject says of a run. To add a section, add its maker.
MAKERS: tuple[Maker, ...] = (
    run.verdict,
    suites.matrix,
    suites.variants,
    suite.suites,
    run.notes,
    run.next_steps,
)
#: The sections by name, in the order in which they are shown; those with other names stand before the notes.
ORDER = (
    "verdict",
    "suites",
    "models",
    "variants",
    "comparison",
    "readers",
    "scores",
    "agreement",
    "questions",
    "whole set",
    "trends",
    "suite",
)
_LAST = ("notes", "next steps")


def document(
    analysis: Analysis,
    *,
    exit_code: int | None = None,
    history: History | None = None,
    whole_set: SetData | None = None,
) -> Document:
    """The document of a run. ``exit_code`` is that of the run, if it is not that of the verdict.

    ``history`` has earlier runs, for the trends. ``whole_set`` is what an examination of a set of sentences found.
    """
    del history, whole_set  # no maker needs them yet
    sections = [section for maker in MAKERS for section in maker(analysis) if section.blocks]
    return Document(
        state=STATES[analysis.verdict],
        exit_code=analysis.exit_code if exit_code is None else exit_code,
        sections=tuple(in_order(sections)),
        release=version("pytest-autoeval"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def in_order(sections: Sequence[Section]) -> list[Section]:
    """The sections in the order of their names; those of one name keep theirs."""
    places = {name: place for place, name in enumerate((*ORDER, "", *_LAST))}
    return sorted(sections, key=lambda section: places.get(section.name, places[""]))
