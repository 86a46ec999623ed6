"""The end of a run in the controlling process: it shows and writes the analysis of its record."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import Any

import pytest
from msgspec.structs import replace as with_values

from pytest_autoeval.engine.effects import without_effect
from pytest_autoeval.engine.engine import rules_of
from pytest_autoeval.engine.option_values import Need
from pytest_autoeval.engine.reproducing import TestFile, command_of
from pytest_autoeval.engine.settings import names_of, shown_name
from pytest_autoeval.engine.suite_files import file_of
from pytest_autoeval.inert import inert
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.models.connections import OPENAI_URL, USERS_SERVER, users_url
from pytest_autoeval.models.model_names import is_offline
from pytest_autoeval.models.redaction import shown_url
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.file import Results, ResultsError, write_results
from pytest_autoeval.record.lines import RunEnd, Sample, Suite, SuiteEnd, SuiteRecord
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.report.analysis import INCONCLUSIVE, Analysis
from pytest_autoeval.report.blocks import Document
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures
from pytest_autoeval.report.document import document
from pytest_autoeval.report.sections.model_verdicts import name_of
from pytest_autoeval.report.spending import calls_of, total
from pytest_autoeval.running.first_steps import with_first_step
from pytest_autoeval.running.left_out import SuiteData, left_out, refuse_useless
from pytest_autoeval.running.left_over_recordings import LeftOverRecordings, why_a_part
from pytest_autoeval.running.listed_names import write_names
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.other_plugins import notes_of_other_plugins
from pytest_autoeval.running.outputs import (
    folder_in_cache,
    save,
    summary,
    write_reports,
    written,
)
from pytest_autoeval.running.printing import STREAMS
from pytest_autoeval.running.reports import Reports
from pytest_autoeval.running.run_services import leader_of
from pytest_autoeval.running.run_state import collected, not_collected
from pytest_autoeval.text import Line, count, dollars, one_line
from pytest_autoeval.written_file import SUMMARY

#: USD. A smaller difference of two sums is rounding.
_LEAST = 1e-6
_MARKUP = {"good": "green", "bad": "red", "warn": "yellow", "dim": "light", "title": "bold"}


class Controller:
    """Makes the analysis of a run from its events, and prints the summary.

    ``reports`` are those of the tests. If a suite was not judged, and its test was not skipped, a fixture failed, the
    process died, or a plugin did not run the test.
    """

    def __init__(self, config: pytest.Config, reports: Reports, *, interrupted: bool) -> None:
        self.config, self.settings, self._interrupted = config, settings_of(config), interrupted
        self.leader, self._suites = leader_of(config), collected(config)
        # No event after this: each figure of the report is of the same samples.
        self.leader.close()
        record = self.record = self.leader.record
        tests_with_suites = {event.test for event in record.ended}
        #: Tests whose suites are unknown: they failed, or did not run, whatever their reports say.
        self.broken = (
            reports.failed | (self._suites.keys() - reports.skipped - reports.xfailed)
        ) - tests_with_suites
        self._reports = reports
        #: What was written besides the results, or could not be; one line each.
        self._written: list[Line] = []
        self._end_suites()
        analysis = record.analysis(
            rules_of(self.settings),
            lost=self._lost(),
            baseline=self.leader.baseline() if record.samples else None,
            baseline_name=self.leader.earlier_runs.name if self.leader.earlier_runs else "",
            baseline_notes=self.leader.earlier_runs.notes if self.leader.earlier_runs else (),
            counterexamples=[*record.counterexamples, *self._of_interrupted()],
            suites=len(self._suites),
        )
        notes = [*analysis.notes, *self._of_servers(analysis)]
        self.analysis = replace(
            analysis,
            notes=notes,
            server=self._server(),
            not_collected=[*not_collected(config)],
            failed_tests=self._failed_for_other_reasons(),
            added_blocks=tuple(self.leader.registry.blocks),
        )
        if "failed" in self.analysis.verdicts:
            self.analysis = replace(self.analysis, page_steps=self._page_steps())
        self.document = document(self.analysis)
        if record.names:
            self._written += write_names(record.names.values(), self.settings.results, config)
        if record.samples:
            self._written += write_reports(
                self.settings, self.analysis, self.document, self._command
            )

    def _lost(self) -> list[SuiteRecord]:
        """The suites that should have run and never started."""
        lost = [self._suites[test] for test in self.broken if test in self._suites]
        return [
            SuiteRecord(
                Suite(
                    number=planned.number,
                    name=planned.name,
                    model=planned.model,
                    language="",
                    source="",
                ),
                self.leader.run,
            )
            for planned in lost
            if planned.number not in self.record.suites
        ]

    def _of_interrupted(self) -> Iterator[Counterexample]:
        """The smallest failures of suites that were interrupted, not shrunk."""
        judged = {event.suite.number for event in self.record.judged}
        for number, suite in self.record.suites.items():
            if number not in judged:
                for sample in smallest_failures(suite.counted).values():
                    yield Counterexample(sample=sample, command=self._command(sample))

    def _end_suites(self) -> None:
        """Writes the ends of suites that no event ended: those not to run after all, and those that ran twice."""
        record, ended = self.record, {event.test for event in self.record.ended}
        not_asked = (
            set() if self._interrupted else (self._reports.skipped | self._reports.xfailed) - ended
        )
        numbers = {self._suites[test].number for test in not_asked if test in self._suites}
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
        is_cut = self._interrupted or any(gate.interrupted for gate in started)
        return self.analysis.end(exit_code=exit_code, interrupted=is_cut)

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
        failed = {event.test for event in self.record.judged if event.judgement.verdict == "failed"}
        return sorted((failed & self._reports.seen) - self._reports.failed - self._reports.xfailed)

    @property
    def own_tests(self) -> list[str]:
        """The ids of the tests whose failures are sentences of ours."""
        return [*self._suites, *map(name_of, self.fallen_runs)]

    @property
    def fallen_runs(self) -> list[WholeRun]:
        """The models whose pass rate over all suites fell, and of which no failed test shows it."""
        shown_suites = {
            self._suites[test].number for test in self._reports.failed if test in self._suites
        }
        fallen = []
        for run in self.analysis.whole_runs:
            numbers = {gate.number for gate in run.by_themselves}
            if run.fell_over_all_suites and shown_suites.isdisjoint(numbers):
                fallen.append(run)
        return fallen

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
        done = {event.test for event in self.record.judged if event.judgement.passes}
        # A suite that was left out cannot run with these options, and would be left out again.
        ended = done.union(event.test for event in self.record.left_out)
        lost = self._suites.keys() - ended - self._reports.skipped - self._reports.xfailed
        return sorted(lost.union(self.overruled))

    def write_summary(self, exit_code: int) -> None:
        """Writes the JSON summary if it was requested, also after an interruption.

        :attr:`exit_code` changes if the file cannot be written.
        """
        if (file := self.settings.summary) is not None:
            from pytest_autoeval.report.renderers.summary import summary_text

            text = summary_text(with_values(self.document, exit_code=exit_code))
            self._written.append(
                written("the summary for programs", file, lambda: save(file, text, SUMMARY))
            )

    @property
    def ended_well(self) -> bool:
        """Whether no answer is worth keeping for a run that continues this one.

        Nothing is left to ask, or the test's own code failed and the answers cost nothing.
        """
        offline = all(is_offline(name) for name in self._models)
        return not self._is_cut and (not self._errors or (offline and self.broke_by_itself))

    @property
    def broke_by_itself(self) -> bool:
        """Whether all that is left to ask ended in an error of the tests' own code, which comes again in each run."""
        broken = sum(event.broken for event in self.record.judged)
        return not self._interrupted and not self._is_cut and 0 < self._errors == broken

    @property
    def _is_cut(self) -> bool:
        return any(judgement.gate.interrupted for judgement in self.analysis.judgements)

    @property
    def _has_lost_suites(self) -> bool:
        """Whether suites did not run, and neither a failure nor an interruption that pytest shows says why."""
        return not self._interrupted and bool(
            (self.broken & self._suites.keys()) - self._reports.failed
        )

    @property
    def _errors(self) -> int:
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
        incomplete = (
            any(gate.spent or gate.nothing or gate.part for gate in self.analysis.gates)
            or self._has_lost_suites
        )
        if not self.record.samples and not incomplete:
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
        lines = summary(self._on_screen(), self.config.get_verbosity(), width, encoding, printed)
        for line in (*lines, *self._written, *self._remarks()):
            markup = {_MARKUP[line.style]: True} if line.style in _MARKUP else {}
            terminal.write_line(inert(line.text), **markup)

    def _on_screen(self) -> Document:
        """The document of the run. To somebody who tries the plugin, the terminal shows a first step too."""
        if not self.analysis.default_model or "failed" in self.analysis.verdicts:
            return self.document
        suites = [suite.asked for suite in self.record.suites.values()]
        return with_first_step(self.document, suites, self.config.rootpath, self.settings.folder)

    def _remarks(self) -> list[Line]:
        """Notes of the suites, and lines about what was left out or not used."""
        record, pool = self.record, self.leader.pool
        notes = sorted({note for event in record.ended for note in event.notes})
        notes += [
            f"{named(suite.name, suite.model)} ran more than once, so it is not judged; give its parameters different "
            "ids, and switch off plugins that run tests again"
            for number, suite in record.suites.items()
            if number in record.repeated
        ]
        notes += notes_of_other_plugins(self.config)
        if self.settings.resume:
            samples = sum(event.taken_over for event in record.judged)
            taken_over = f"{count(samples, 'sample')}, {count(pool.journal.taken_over, 'call')}"
            notes.append(f"continued from an earlier run: {taken_over}")
        warnings = [f"asked again: {line}" for line in pool.unreadable_recordings()]
        warnings += left_out(self.config, record.left_out, self._ran)
        recordings = self._left_over_recordings()
        warnings += recordings.warnings()
        notes += recordings.notes()
        warnings += [
            f"{one_line(test)} failed, but its report does not say so: a plugin or a hook has changed it; "
            "this run ends with exit code 1"
            for test in self.overruled
        ]
        notes += self._prompts_in_use()
        if idle := self._without_effect():
            warnings.insert(0, f"without effect in this run: {', '.join(idle)}")
        return [
            *(Line(f"note: {note}", "dim") for note in notes),
            *(Line(text, "warn") for text in warnings),
        ]

    def _prompts_in_use(self) -> list[str]:
        """One line with the prompts of the user's that the run used, if there is any folder of prompts."""
        folders = (*self.settings.prompts, *self.leader.registry.prompt_folders)
        if not folders or not self.record.judged:
            return []
        files = sorted({file for event in self.record.judged for file in event.own_prompts})
        paths = [one_line(os.path.relpath(file, self.settings.folder)) for file in files]
        return [f"prompts of your own in use: {', '.join(paths) or 'none'}"]

    def _without_effect(self) -> list[str]:
        """The typed options without effect; empty if the run ended before that is known."""
        judged = self.record.judged
        if self._interrupted or self._is_cut or not judged:
            return []
        met: set[Need] = {need for event in judged for need in event.needs_met}
        if self.leader.pool.traffic().attempts or self.settings.batch is not None:
            met.add("a call that is not replayed")
        prompts = {file for event in judged for file in event.own_prompts}
        return list(without_effect(self.settings, met, prompts))

    @property
    def _ran(self) -> list[SuiteData]:
        return [
            SuiteData(event.own_data, event.problems, event.notes) for event in self.record.judged
        ]

    def refuse_useless(self) -> None:
        """Raises :class:`pytest.UsageError` if no suite could use a formula, a file or a model of the command line."""
        refuse_useless(self.config, self.record.left_out, self._ran)

    def _of_servers(self, analysis: Analysis) -> Iterator[str]:
        """Lines about models that refuse a schema, and about the cost if the report does not have all calls."""
        yield from (
            f"{why}; its answers are text" for why in self.leader.pool.refused_schemas().values()
        )
        # Also of equal paraphrases, which count in no rate.
        traffic, examples = self.leader.pool.traffic(), self.record.counterexamples
        sample_calls = calls_of(
            call for sample in self.record.samples for call in sample.calls if call.asked
        )
        calls = total(
            [sample_calls, *(example.calls for example in examples if example.calls is not None)]
        )
        limited = any(gate.spent for gate in analysis.gates)
        # The calls of a batch that is not answered are not paid yet.
        if self.leader.pool.suspended:
            return
        costs_more = traffic.cost > (calls.cost or 0.0) + _LEAST
        if costs_more or (limited and traffic.attempts > calls.number):
            paid = f"{count(traffic.attempts, 'call')}, {dollars(traffic.cost)}"
            yield f"this run paid for {paid}, also for calls that failed and samples that were cut off"

    def _server(self) -> str:
        """The address of the user's server if it answered in this run; without secrets."""
        answered = self.leader.pool.was_answered_by(USERS_SERVER)
        return shown_url(users_url(self.settings.base_url) or OPENAI_URL) if answered else ""

    def _command(self, sample: Sample) -> str:
        root = self.config.rootpath
        file = TestFile(file_of(sample.suite.asked.function, root), root, self.settings.folder)
        return self.leader.pool.redactor.text(command_of(sample, file))

    def _page_steps(self) -> dict[str, str]:
        """The command that makes the page: from the results, or by another run if `report` would judge otherwise."""
        settings, typed = self.settings, [*map(str, self.config.invocation_params.args)]
        if settings.html is not None:
            return {}
        page = f"{shown_name('html')}=autoeval.html"
        judging = names_of(lambda option: option.judges == "run")
        prefixes = tuple(f"{shown_name(name)}=" for name in judging)
        rules = [word for word in typed if word.startswith(prefixes)]
        # A rule from the ini file is no word of the command line, and `report` reads no ini file.
        judges_alike = len(rules) == sum(map(settings.is_given, judging))
        results = None
        if judges_alike:
            results = settings.results or self._results_in_cache()
        if results is None:
            return {"see why (asks again)": join(["pytest", *typed, page])}
        file = os.path.relpath(results, settings.folder)
        report = ["python", "-m", "pytest_autoeval", "report", file]
        options = [word.replace("--autoeval-", "--", 1) for word in (*rules, page)]
        return {"see why": join([*report, *options])}

    def _results_in_cache(self) -> Path | None:
        """A results file in pytest's cache, so that the page needs no second run; None without a cache.

        Samples that shrinking made count in no rate. Their calls count as shrinking.
        """
        # Copies, because the shrunk samples must not get into the report of this run.
        suites = {number: _copy(suite) for number, suite in self.record.suites.items()}
        for example in self.analysis.counterexamples:
            if example.shrunk is not None:
                suite = suites[example.shrunk.suite.number]
                suite.samples.append(with_values(example.shrunk, calls=()))
        results = Results(
            runs=[self.leader.run],
            suites=[*suites.values()],
            end=self._end(int(self.analysis.exit_code)),
        )
        with suppress(ResultsError):
            if (folder := folder_in_cache(self.config, "autoeval-failed")) is not None:
                # A run that asks about given formulas reproduces a failure: the evidence of that failure stays.
                file = folder / ("formula.jsonl" if self.settings.formula else "results.jsonl")
                write_results(file, results)
                return file
        return None

    def _left_over_recordings(self) -> LeftOverRecordings:
        if self._interrupted:
            part = "interrupted"
        elif self._errors:
            part = "errors"
        else:
            part = why_a_part(self.config, self.leader, self._suites, self._reports)
        return LeftOverRecordings(self.config, self.leader, self._models, part=part)


def _copy(suite: SuiteRecord) -> SuiteRecord:
    return SuiteRecord(suite.asked, suite.run, suite.samples, suite.end)
