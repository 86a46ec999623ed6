"""The end of a run in the controlling process: it shows and writes the analysis of its record."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace as with_values

from pytest_autoeval.engine.engine import rules_of
from pytest_autoeval.engine.notes_of_servers import notes_of_servers
from pytest_autoeval.engine.reproducing import TestFile, command_of
from pytest_autoeval.engine.suite_files import file_of
from pytest_autoeval.inert import inert
from pytest_autoeval.judging.gate_verdicts import INCONCLUSIVE
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.models.connections import OPENAI_URL, USERS_SERVER, users_url
from pytest_autoeval.models.model_names import is_offline
from pytest_autoeval.models.redaction import shown_url
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.file import ResultsError
from pytest_autoeval.record.lines import RunEnd, Sample, Suite, SuiteEnd, SuiteRecord
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures
from pytest_autoeval.report.document import document
from pytest_autoeval.report.sections.model_verdicts import name_of
from pytest_autoeval.running.first_steps import with_first_step
from pytest_autoeval.running.left_out import left_out, refuse_useless
from pytest_autoeval.running.left_over_recordings import LeftOverRecordings, why_a_part
from pytest_autoeval.running.listed_names import write_names
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.outputs import (
    save,
    shows_details,
    summary,
    write_reports,
    written,
)
from pytest_autoeval.running.page_command import page_steps, shown_results
from pytest_autoeval.running.printing import STREAMS
from pytest_autoeval.running.remarks import Remarks, suites_that_ran
from pytest_autoeval.running.reports import Reports
from pytest_autoeval.running.run_services import leader_of
from pytest_autoeval.running.run_state import collected, not_collected
from pytest_autoeval.text import Line
from pytest_autoeval.written_file import SUMMARY

#: How pytest's terminal marks a line, by its style.
_MARKUP = {"good": "green", "bad": "red", "warn": "yellow", "dim": "light", "title": "bold"}


class Controller:
    """Makes the analysis of a run from its events, and prints the summary.

    ``reports`` are those of the tests. A suite may lack a verdict although its test was not skipped: a fixture failed,
    the process died, or a plugin did not run the test.
    """

    def __init__(self, config: pytest.Config, reports: Reports, *, interrupted: bool) -> None:
        self.config = config
        self.settings = settings_of(config)
        self.leader = leader_of(config)
        #: The suites that were collected, by the ids of their tests.
        self._suites = collected(config)
        self._reports = reports
        self._interrupted = interrupted
        # No event after this: each figure of the report is of the same samples.
        self.leader.close()
        record = self.record = self.leader.record
        tests_with_suites = {event.test for event in record.ended}
        #: Tests whose suites are unknown: they failed, or did not run, whatever their reports say.
        self.broken = (
            reports.failed | (self._suites.keys() - reports.skipped - reports.xfailed)
        ) - tests_with_suites
        #: What was written besides the results, or could not be; one line each.
        self._written: list[Line] = []
        #: The exit code of pytest, when it is known. It has what other tests and files that cannot be written change.
        self.final_exit_code: int | None = None
        # Before the analysis, which judges suites by their ends.
        self._write_missing_ends()
        self.analysis = self._analyzed()
        results = self.settings.results
        if "failed" in self.analysis.verdicts:
            end = self._end(int(self.analysis.exit_code))
            steps, results = page_steps(config, self.leader, self.analysis, end)
            self.analysis = structs.replace(self.analysis, page_steps=steps)
        if results is not None:
            shown = shown_results(results, self.settings)
            self.analysis = structs.replace(self.analysis, results=[shown])
        self.document = document(self.analysis)
        if record.names:
            self._written += write_names(record.names.values(), self.settings.results, config)
        if record.samples:
            self._written += write_reports(
                self.settings, self.analysis, self.document, self._command_of
            )

    def _analyzed(self) -> Analysis:
        """The analysis of the record, with what only this process knows of the run."""
        record, earlier_runs = self.record, self.leader.earlier_runs
        analysis = record.analysis(
            rules_of(self.settings),
            lost=self._lost(),
            baseline=self.leader.baseline() if record.samples else None,
            baseline_name=earlier_runs.name if earlier_runs else "",
            baseline_notes=earlier_runs.notes if earlier_runs else (),
            counterexamples=[
                *record.counterexamples,
                *self._counterexamples_of_interrupted_suites(),
            ],
            suites=len(self._suites),
        )
        return structs.replace(
            analysis,
            notes=[*analysis.notes, *notes_of_servers(self.leader, analysis)],
            server=self._server(),
            not_collected=[*not_collected(self.config)],
            failed_tests=self._failed_for_other_reasons(),
            added_blocks=tuple(self.leader.registry.blocks),
            details=shows_details(self.settings, self.config.get_verbosity()),
        )

    def _lost(self) -> list[SuiteRecord]:
        """The suites that should have run and never started."""
        lost = []
        for test in self.broken & self._suites.keys():
            planned = self._suites[test]
            if planned.number in self.record.suites:
                continue
            # A suite that never started has no line in the results. Its language and source are not known.
            suite = Suite(
                number=planned.number,
                name=planned.name,
                model=planned.model,
                language="",
                source="",
            )
            lost.append(SuiteRecord(suite, self.leader.run))
        return lost

    def _counterexamples_of_interrupted_suites(self) -> Iterator[Counterexample]:
        """The smallest failures of suites that were interrupted, not shrunk."""
        judged = {event.suite.number for event in self.record.judged}
        for number, suite in self.record.suites.items():
            if number not in judged:
                for sample in smallest_failures(suite.counted).values():
                    yield Counterexample(sample=sample, command=self._command_of(sample))

    def _write_missing_ends(self) -> None:
        """Writes the ends of suites that no event ended: those whose test was skipped, and those that ran twice."""
        record = self.record
        ended = {event.test for event in record.ended}
        skipped_tests: set[str] = set()
        # After an interruption, a suite without an end counts as interrupted.
        if not self._interrupted:
            skipped_tests = (self._reports.skipped | self._reports.xfailed) - ended
        numbers = {self._suites[test].number for test in skipped_tests if test in self._suites}
        # Samples may have started before the test was skipped. Such a suite was not left out.
        skipped = numbers - record.suites.keys()
        ends = [
            SuiteEnd(suite=number, verdict="reported", ended="left out", why="its test was skipped")
            for number in sorted(skipped)
        ]
        ends += [
            SuiteEnd(
                suite=number,
                verdict="interrupted",
                ended="interrupted",
                why="it ran more than once",
            )
            for number in sorted(record.repeated)
        ]
        try:
            if self._suites:
                self.leader.start()
            for end in ends:
                self.leader.append(end)
        except ResultsError as error:
            self._written.append(Line(str(error), "bad"))
        for end in ends:
            if end.suite in record.suites:
                record.suites[end.suite].end = end

    def end_results(self, exit_code: int) -> None:
        """Writes how the run ended, and sorts the results. :attr:`exit_code` changes if that fails."""
        try:
            self.leader.end(self._end(exit_code))
        except ResultsError as error:  # the samples are there, in the order in which they came
            self._written.append(Line(str(error), "bad"))

    def _end(self, exit_code: int) -> RunEnd:
        # A suite that never started leaves nothing behind that a later run could destroy.
        started = [gate for gate in self.analysis.gates if gate.number in self.record.suites]
        interrupted = self._interrupted or any(gate.interrupted for gate in started)
        return self.analysis.end(exit_code=exit_code, interrupted=interrupted)

    @property
    def exit_code(self) -> int:
        """The exit code of a run without failed tests.

        1 if a suite failed and was reported as something else, 2 if a suite is incomplete, 1 if a requested file could
        not be written, 10 if a suite or a whole run is inconclusive.
        """
        if self.overruled or self.fallen_runs:
            return pytest.ExitCode.TESTS_FAILED
        if "interrupted" in self.analysis.verdicts:
            return pytest.ExitCode.INTERRUPTED
        if any(line.style == "bad" for line in self._written):
            return pytest.ExitCode.TESTS_FAILED
        return INCONCLUSIVE if "inconclusive" in self.analysis.verdicts else pytest.ExitCode.OK

    @property
    def overruled(self) -> list[str]:
        """The tests whose suites failed, and whose reports are neither failed nor xfailed.

        A plugin or a hook of a `conftest.py` has changed the report, or kept the exception from pytest.
        """
        without_failed_report = (self._failed_suites & self._reports.seen) - self._reports.failed
        return sorted(without_failed_report - self._reports.xfailed)

    @property
    def _failed_suites(self) -> set[str]:
        """The tests whose suites failed."""
        return {event.test for event in self.record.judged if event.judgement.verdict == "failed"}

    @property
    def own_tests(self) -> list[str]:
        """The ids of the tests whose failures are texts of this plugin, not tracebacks."""
        return [*self._suites, *map(name_of, self.fallen_runs)]

    @property
    def fallen_runs(self) -> list[WholeRun]:
        """The whole runs of models whose pass rate over all suites fell, if no failed test shows that."""
        shown_suites = {
            self._suites[test].number for test in self._reports.failed if test in self._suites
        }
        fallen = []
        for run in self.analysis.whole_runs:
            numbers = {gate.number for gate in run.by_themselves}
            if run.fell_over_all_suites and shown_suites.isdisjoint(numbers):
                fallen.append(run)
        return fallen

    @property
    def open_runs(self) -> list[WholeRun]:
        """The inconclusive whole runs of models, if the run ends so and no test shows it."""
        is_shown = any(event.judgement.verdict == "inconclusive" for event in self.record.judged)
        if self.exit_code != INCONCLUSIVE or self._reports.failed or is_shown:
            return []
        return [run for run in self.analysis.whole_runs if run.verdict == "inconclusive"]

    def _failed_for_other_reasons(self) -> list[str]:
        """The tests that failed although their suite did not, such as in a fixture's teardown, or without a suite."""
        judged = {
            event.test
            for event in self.record.judged
            if event.judgement.verdict in {"failed", "interrupted"}
        }
        explained = judged | (self.broken & self._suites.keys())
        return sorted((self._reports.failed | self._reports.failed_in_teardown) - explained)

    @property
    def open_tests(self) -> list[str]:
        """The tests that `--lf` asks again although their reports do not say that they failed."""
        passed = {event.test for event in self.record.judged if event.judgement.passes}
        # A suite that was left out cannot run with these options, and would be left out again.
        left_out_tests = {event.test for event in self.record.left_out}
        skipped = self._reports.skipped | self._reports.xfailed
        open_tests = self._suites.keys() - passed - left_out_tests - skipped
        return sorted(open_tests.union(self.overruled))

    def write_summary(self, exit_code: int) -> None:
        """Writes the JSON summary if it was requested, also after an interruption.

        :attr:`exit_code` changes if the file cannot be written.
        """
        file = self.settings.summary
        if file is None:
            return
        from pytest_autoeval.report.renderers.summary import summary_text

        text = summary_text(with_values(self.document, exit_code=exit_code))
        line = written("the summary for programs", file, lambda: save(file, text, SUMMARY))
        self._written.append(line)

    @property
    def ended_well(self) -> bool:
        """Whether no answer is worth keeping for a run that continues this one.

        Nothing is left to ask, or the test's own code failed and the answers cost nothing.
        """
        if self._has_interrupted_suites:
            return False
        answers_are_free = all(is_offline(name) for name in self._models)
        return not self._number_of_errors or (answers_are_free and self.broke_by_itself)

    @property
    def broke_by_itself(self) -> bool:
        """Whether all that is left to ask ended in an error of the tests' own code, which comes again in each run."""
        if self._interrupted or self._has_interrupted_suites:
            return False
        errors_of_tests = sum(event.broken for event in self.record.judged)
        return 0 < self._number_of_errors == errors_of_tests

    @property
    def _has_interrupted_suites(self) -> bool:
        return any(judgement.gate.interrupted for judgement in self.analysis.judgements)

    @property
    def _has_lost_suites(self) -> bool:
        """Whether suites did not run, and neither a failure nor an interruption that pytest shows says why."""
        return not self._interrupted and bool(
            (self.broken & self._suites.keys()) - self._reports.failed
        )

    @property
    def _number_of_errors(self) -> int:
        return sum(sample.kind == OutcomeKind.ERROR for sample in self.record.samples)

    @property
    def _models(self) -> list[str]:
        """The models that were asked, and those that read."""
        suites = [suite.asked for suite in self.record.suites.values()]
        return [
            *dict.fromkeys(name for suite in suites for name in (suite.model, suite.reader) if name)
        ]

    def summarize(self, terminal: Any) -> None:
        """Prints the summary, also after an interruption."""
        # Without a sample there is a summary only if it explains why there is none.
        has_reason = self._has_lost_suites or any(
            gate.spent or gate.nothing or gate.part for gate in self.analysis.gates
        )
        if not self.record.samples and not has_reason:
            # Such a run is refused, unless other tests failed. Then nothing else says why the suites did not run.
            if self.broken:
                for reason in left_out(self.config, self.record.left_out, ()):
                    terminal.write_line(inert(reason), yellow=True)
            return
        terminal.write_sep("=", "autoeval")
        streams: Any = self.config.pluginmanager.get_plugin(STREAMS)
        # pytest replaces `sys.stdout` while it captures. The summary goes to the stream before that.
        encoding = getattr(streams.stdout, "encoding", None)
        width = self.config.get_terminal_writer().fullwidth
        # pytest has printed the failures, unless it was told not to. A suite that ran twice has another verdict by now.
        printed: Collection[int] = ()
        if self.config.option.tbstyle != "no":
            printed = self._reports.explained - self.record.repeated
        shown_document = self._document_on_screen()
        if self.final_exit_code is not None:
            shown_document = with_values(shown_document, exit_code=self.final_exit_code)
        lines = summary(shown_document, self.config.get_verbosity(), width, encoding, printed)
        remarks = Remarks(
            self.leader,
            self.config,
            tests_overruled=self.overruled,
            tests_xfailed=sorted(self._failed_suites & self._reports.xfailed),
            recordings=self._left_over_recordings(),
            is_whole=not self._interrupted and not self._has_interrupted_suites,
        )
        for line in (*lines, *self._written, *remarks.lines()):
            markup = {_MARKUP[line.style]: True} if line.style in _MARKUP else {}
            terminal.write_line(inert(line.text), **markup)

    def _document_on_screen(self) -> Document:
        """The document of the run. To somebody who tries the plugin, the terminal shows a first step too."""
        # The step shows a failure, which the default model never has.
        if not self.analysis.default_model or "failed" in self.analysis.verdicts:
            return self.document
        suites = [
            suite.asked
            for suite in self.record.suites.values()
            if any(sample.calls for sample in suite.samples)
        ]
        return with_first_step(self.document, suites, self.config.rootpath, self.settings.folder)

    def refuse_useless(self) -> None:
        """Raises :class:`pytest.UsageError` if no suite could use a formula, a file or a model of the command line."""
        refuse_useless(self.config, self.record.left_out, suites_that_ran(self.record))

    def _server(self) -> str:
        """The address of the user's server if it answered in this run; without secrets."""
        answered = self.leader.pool.was_answered_by(USERS_SERVER)
        return shown_url(users_url(self.settings.base_url) or OPENAI_URL) if answered else ""

    def _command_of(self, sample: Sample) -> str:
        """The command that asks about a sample again, without secrets."""
        root = self.config.rootpath
        file = TestFile(file_of(sample.suite.asked.function, root), root, self.settings.folder)
        return self.leader.pool.redactor.text(command_of(sample, file))

    def _left_over_recordings(self) -> LeftOverRecordings:
        if self._interrupted:
            part = "interrupted"
        elif self._number_of_errors:
            part = "errors"
        else:
            part = why_a_part(self.config, self.leader, self._suites, self._reports)
        return LeftOverRecordings(self.config, self.leader, self._models, part=part)
