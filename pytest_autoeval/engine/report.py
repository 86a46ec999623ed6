"""A judged run for programs, made from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pytest_autoeval.engine.events import Event, RunEnded, SampleEnded
from pytest_autoeval.engine.record import Record
from pytest_autoeval.engine.reproducing import command_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.record.file import Results, write_results
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.report.analysis import Analysis

if TYPE_CHECKING:
    from pytest_autoeval.report.blocks import Document


class Report:
    """The result of a run; ``events`` are all events of `run_suites`, or the first ones.

    Suites that are not judged yet count as interrupted.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        record, samples, ended = Record(), list[Sample](), None
        for event in events:
            record.take(event)
            if isinstance(event, SampleEnded):
                samples.append(event.sample)
            elif isinstance(event, RunEnded):
                ended = event
        # Without the last event the run still goes on, or was closed.
        if ended is None:
            _leave_out_later(record, samples)
            record.put_in_order()
        self.suites: Sequence[SuiteRecord] = [*record.suites.values()]
        self.analysis: Analysis = (
            record.analysis(Rules(), counterexamples=record.counterexamples)
            if ended is None
            else ended.analysis
        )
        self._end = self.analysis.end(exit_code=2, interrupted=True) if ended is None else ended.end

    @property
    def interrupted(self) -> bool:
        """Whether the run ended before all suites were judged."""
        return self._end.interrupted

    @property
    def samples(self) -> list[Sample]:
        """The samples of all suites, in order."""
        return [sample for suite in self.suites for sample in suite.samples]

    @property
    def judgements(self) -> list[SuiteJudgement]:
        return self.analysis.judgements

    @property
    def passed(self) -> bool:
        """Whether no gate failed, no suite was interrupted and none is inconclusive."""
        return self.analysis.exit_code == 0

    @cached_property
    def document(self) -> Document:
        """All that was found, as sections of figures, tables, curves, counterexamples and notes."""
        from pytest_autoeval.report.document import document

        return document(self.analysis)

    def __str__(self) -> str:
        """The summary that a run prints."""
        from pytest_autoeval.report.renderers.terminal import lines

        return "\n".join(line.text for line in lines(self.document))

    def markdown(self) -> str:
        """The summary as GitHub's Markdown."""
        from pytest_autoeval.report.renderers.markdown import markdown

        return markdown(self.document)

    def summary(self) -> dict[str, Any]:
        """The document as plain basic types; docs/reference/summary.md describes it."""
        from pytest_autoeval.report.renderers.summary import summary_data

        return summary_data(self.document)

    def write_html(self, path: Path | str) -> None:
        """Writes a page for a browser; raises :class:`AutoevalError` if it cannot be written."""
        from pytest_autoeval.report.renderers.page import write_page

        write_page(path, self.document, self.analysis.suites, command_of=command_of)

    def write_results(self, path: Path | str) -> None:
        """Writes a results file (JSON Lines); raises :class:`AutoevalError` if it cannot be written."""
        if not self.samples:
            raise AutoevalError("there are no results to write")
        run = self.suites[0].run
        write_results(Path(path), Results(runs=[run], suites=[*self.suites], end=self._end))


def _leave_out_later(record: Record, samples: Sequence[Sample]) -> None:
    """Suites grow while their run goes on: those that are not judged get the ``samples`` of the events alone."""
    judged = {event.suite.number for event in record.judged}
    for number, suite in record.suites.items():
        if number not in judged:
            # A copy, since the run goes on to add samples to the suite itself.
            copy = SuiteRecord(suite.asked, suite.run)
            copy.samples = [
                replace(sample, suite=copy) for sample in samples if sample.suite is suite
            ]
            record.suites[number] = copy
