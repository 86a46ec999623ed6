"""A judged run for programs, made from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pytest_autoeval.engine.events import (
    Event,
    NamesListed,
    RunEnded,
    SampleEnded,
    SuiteJudged,
    SuiteLeftOut,
    SuiteStarted,
)
from pytest_autoeval.engine.keyword_names import all_with_keywords, with_keywords
from pytest_autoeval.engine.record import Record
from pytest_autoeval.engine.reproducing import command_of
from pytest_autoeval.errors import AutoevalError, check_type
from pytest_autoeval.judging.recorded_extent import NEVER_STARTED, extent_of
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.record.file import Results, write_results
from pytest_autoeval.record.joined_suites import Plans, never_started
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.merging import problem_of_samples
from pytest_autoeval.report.analysis import Analysis, analyse
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures

if TYPE_CHECKING:
    from pytest_autoeval.report.blocks import Document

#: The types of events.
_EVENTS = (SuiteStarted, NamesListed, SampleEnded, SuiteJudged, SuiteLeftOut, RunEnded)


class Report:
    """The result of a run.

    Suites that are not judged yet count as interrupted. Suites of a results file are judged by the thresholds of their
    run.

    Args:
        events: all events of `run_suites`, or the first ones; or what `read_results` gave.

    Raises:
        AutoevalError: ``events`` is something else.
    """

    def __init__(self, events: Iterable[Event] | Results) -> None:
        if isinstance(events, Results):
            self.suites: Sequence[SuiteRecord] = list(events.suites)
            self.analysis: Analysis = _analysis_of(events)
            interrupted = self.analysis.verdict == "interrupted"
            self._end = events.end or self.analysis.end(interrupted=interrupted)
            self._runs = list(events.runs)
            self._ends_without_suite = events.ends_without_suite
        else:
            self._take(_checked(events))
            self._runs = [suite.run for suite in self.suites[:1]]

    def _take(self, events: Iterable[Event]) -> None:
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
        self.suites = [*record.suites.values()]
        self.analysis = (
            record.analysis(Rules(), counterexamples=record.counterexamples)
            if ended is None
            else ended.analysis
        )
        self._ends_without_suite = [event.end for event in record.left_out if event.end is not None]
        # 2 is pytest's exit code of an interrupted run.
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

        # Of a program, which has no options of a command line.
        return all_with_keywords(document(self.analysis))

    def figures(self) -> list[dict[str, Any]]:
        """One flat dict for each figure, for pandas: pass rates with their 95 % intervals, and figures of the tasks.

        ``suite``, ``model`` and ``variant`` say whose it is. ``size`` is None for all sizes together, and ``size_of``
        says what a size counts. ``value``, ``low`` and ``high`` are shares from 0 to 1 where ``unit`` is ``rate``;
        ``n`` is the number of samples.

        The figure ``difference`` is that of two models, or of two variants, on the same formulas: ``model`` or
        ``variant`` minus ``compared_with``, as a share (``unit`` is ``points``). It has its ``p`` and ``p_corrected``;
        ``n`` is the number of pairs. Of two variants, ``suite`` names the model.

        The figures ``mean pass rate`` and ``mean rank`` are of a model over several suites, without a ``suite``; ``n``
        is the number of suites.
        """
        from pytest_autoeval.report.figure_rows import figure_rows

        return figure_rows(self.analysis, self.document)

    def __str__(self) -> str:
        """The summary that a run prints."""
        from pytest_autoeval.report.renderers.terminal import lines

        # A program has no option -v, and ends as its author wants.
        shown = lines(self.document, more="report.markdown()", exits=False)
        return with_keywords("\n".join(line.text for line in shown))

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

        check_type("path", path, str, Path)
        write_page(path, self.document, self.analysis.suites, command_of=command_of)

    def write_results(self, path: Path | str) -> None:
        """Writes a results file (JSON Lines); raises :class:`AutoevalError` if it cannot be written."""
        check_type("path", path, str, Path)
        if not self.samples:
            raise AutoevalError("there are no results to write")
        results = Results(
            runs=self._runs,
            suites=[*self.suites],
            end=self._end,
            ends_without_suite=self._ends_without_suite,
        )
        write_results(Path(path), results)


def _checked(events: Any) -> list[Event]:
    """The events; raises :class:`AutoevalError` for anything else."""
    advice = "give the events of run_suites(...), or read_results(...)"
    if isinstance(events, str | Path) or not isinstance(events, Iterable):
        raise AutoevalError(f"events={events!r:.60} are no events; {advice}")
    listed = list(events)
    if unfit := [event for event in listed if not isinstance(event, _EVENTS)]:
        raise AutoevalError(f"{unfit[0]!r:.60} is no event; {advice}")
    return listed


def _analysis_of(results: Results) -> Analysis:
    """The analysis of a results file, by the thresholds of its run.

    Suites that its run planned, and that it lacks since the run was cut off, count as interrupted.
    """
    plans = Plans()
    plans.add(results)
    absent = never_started(plans.absent, results.run, results.suites) if plans.absent else []
    extents = {
        suite.number: extent_of(suite, unjudgeable=bool(problem_of_samples(suite)))
        for suite in results.suites
    }
    extents |= {suite.number: NEVER_STARTED for suite in absent}
    counterexamples = [
        Counterexample(sample=sample, command=command_of(sample))
        for suite in results.suites
        for sample in smallest_failures(suite.counted).values()
    ]
    analysis = analyse(
        [*results.suites, *absent],
        Rules(),
        extents=extents,
        # All that were planned count in the correction of p-values, as in the run itself.
        suites=max(plans.number, sum(bool(suite.regular) for suite in results.suites)),
        counterexamples=counterexamples,
        ends_without_suite=results.ends_without_suite,
    )
    notes = [*analysis.notes]
    if results.torn is not None:
        notes.insert(0, f"line {results.torn} is incomplete (the run was killed) and was left out")
    not_collected = {file for run in results.runs for file in run.not_collected}
    return replace(analysis, notes=notes, not_collected=sorted(not_collected))


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
