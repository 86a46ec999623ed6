"""A judged run for programs, made from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pytest_autoeval.engine.events import Event, RunEnded
from pytest_autoeval.engine.record import Record
from pytest_autoeval.engine.reproducing import command_from_row
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.gates import Rules
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.row import Row


class Report:
    """The result of a run; ``events`` are all events of `run_suites`, or the first ones.

    Suites that are not judged yet count as interrupted.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        record, ended = Record(), None
        for event in events:
            record.take(event)
            if isinstance(event, RunEnded):
                ended = event
        self.analysis: Analysis = (
            ended.analysis
            if ended is not None
            else record.analysis(record.final_rows(), Rules(), counterexamples=record.counterexamples)
        )
        self.interrupted = ended is None or ended.interrupted

    @property
    def rows(self) -> Sequence[Row]:
        return self.analysis.rows

    @property
    def judgements(self) -> list[SuiteJudgement]:
        return self.analysis.judgements

    @property
    def passed(self) -> bool:
        """Whether no gate failed, no suite was interrupted and none is inconclusive."""
        return self.analysis.exit_code == 0

    def __str__(self) -> str:
        """The summary that a run prints."""
        from pytest_autoeval.reporting.terminal import render

        return "\n".join(line.text for line in render(self.analysis))

    def markdown(self) -> str:
        """The summary as GitHub's Markdown."""
        from pytest_autoeval.reporting.markdown import markdown

        return markdown(self.analysis)

    def summary(self) -> dict[str, Any]:
        """The whole analysis as plain basic types; docs/reference/summary.md describes it."""
        from pytest_autoeval.reporting.summary_json import summary_data

        return dict(summary_data(self.analysis, self.analysis.exit_code))

    def write_html(self, path: Path | str) -> None:
        """Writes a page for a browser; raises :class:`AutoevalError` if it cannot be written."""
        from pytest_autoeval.reporting.page import write_page

        write_page(path, self.analysis, command_of=command_from_row)

    def write_results(self, path: Path | str) -> None:
        """Writes the rows as JSON Lines; raises :class:`AutoevalError` if they cannot be written."""
        from pytest_autoeval.reporting.results import ResultsFile

        if not self.rows:
            raise AutoevalError("there are no results to write")
        ResultsFile(Path(path)).finish(self.rows)
