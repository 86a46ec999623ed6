"""Notes and warnings below the report of a run: what was left out, not used, or changed by other plugins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from msgspec import Struct

from pytest_autoeval.engine.effects import without_effect
from pytest_autoeval.engine.option_values import Need
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.running.left_out import SuiteData, left_out, shown_notes
from pytest_autoeval.running.left_over_recordings import LeftOverRecordings
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.other_plugins import notes_of_other_plugins
from pytest_autoeval.text import Line, count, one_line

if TYPE_CHECKING:
    from pytest_autoeval.engine.leader import Leader
    from pytest_autoeval.engine.record import Record


class Remarks(Struct, frozen=True):
    """What is said below the report of a run, in this order: notes, then warnings.

    Attributes:
        leader: its record and its models are those of the run.
        tests_overruled: the tests whose failures their reports do not show.
        tests_xfailed: the tests whose suites failed, as their mark `xfail` expects.
        recordings: those that the run did not use.
        is_whole: whether all suites ran to their end. Only then is it known what had no effect.
    """

    leader: Leader
    config: pytest.Config
    tests_overruled: list[str]
    tests_xfailed: list[str]
    recordings: LeftOverRecordings
    is_whole: bool

    def lines(self) -> list[Line]:
        return [
            *(Line(f"note: {note}", "dim") for note in self._notes()),
            *(Line(text, "warn") for text in self._warnings()),
        ]

    def _notes(self) -> Iterator[str]:
        record = self.leader.record
        notes = [note for event in record.ended for note in event.notes]
        yield from shown_notes(self.config, notes)
        for number, suite in record.suites.items():
            if number in record.repeated:
                yield (
                    f"{named(suite.name, suite.model)} ran more than once, so it is not judged; give its parameters "
                    "different ids, and switch off plugins that run tests again"
                )
        for test in self.tests_xfailed:
            yield f"{one_line(test)} failed as its mark xfail expects, so pytest does not count it as failed"
        yield from notes_of_other_plugins(self.config)
        if settings_of(self.config).resume:
            journal = self.leader.pool.journal
            samples = sum(event.taken_over for event in record.judged)
            taken_over = f"{count(samples, 'sample')}, {count(journal.taken_over, 'call')}"
            # The heading of the run says so too, but `-q` has none.
            yield (
                f"continued from an earlier run: {taken_over}"
                if journal.earlier
                else "--autoeval-resume found no interrupted run of these tests, models and options"
            )
        yield from self.recordings.notes()
        yield from self._prompts_in_use()

    def _warnings(self) -> Iterator[str]:
        if idle := self._without_effect():
            yield f"without effect in this run: {', '.join(idle)}"
        for line in self.leader.pool.unreadable_recordings():
            yield f"asked again: {line}"
        record = self.leader.record
        yield from left_out(self.config, record.left_out, suites_that_ran(record))
        yield from self.recordings.warnings()
        for test in self.tests_overruled:
            yield (
                f"{one_line(test)} failed, but its report does not say so: a plugin or a hook has changed it; "
                "this run ends with exit code 1"
            )

    def _prompts_in_use(self) -> Iterator[str]:
        """One line with the prompts of the user's that the run used, if there is any folder of prompts."""
        settings, judged = settings_of(self.config), self.leader.record.judged
        if not judged or not (settings.prompts or self.leader.registry.prompt_folders):
            return
        files = sorted({file for event in judged for file in event.own_prompts})
        paths = [one_line(os.path.relpath(file, settings.folder)) for file in files]
        yield f"prompts of your own in use: {', '.join(paths) or 'none'}"

    def _without_effect(self) -> list[str]:
        """The typed options without effect; empty if the run ended before that is known."""
        settings, judged = settings_of(self.config), self.leader.record.judged
        if not self.is_whole or not judged:
            return []
        met: set[Need] = {need for event in judged for need in event.needs_met}
        if self.leader.pool.traffic().attempts or settings.batch is not None:
            met.add("a call that is not replayed")
        prompts = {file for event in judged for file in event.own_prompts}
        return list(without_effect(settings, met, prompts))


def suites_that_ran(record: Record) -> list[SuiteData]:
    """The data of the suites that were judged."""
    return [SuiteData(event.own_data, event.problems, event.notes) for event in record.judged]
