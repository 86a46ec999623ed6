"""What the controlling process does when the items are done: it reads all rows, and shows the analysis of the run."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.models import unused_recordings
from pytest_autoeval.models.connections import OPENAI_URL, USERS_SERVER, users_url
from pytest_autoeval.models.redaction import shown_url
from pytest_autoeval.reporting.analysis import INCONCLUSIVE, analyse
from pytest_autoeval.reporting.counterexample import Counterexample, smallest_failures
from pytest_autoeval.reporting.items import SuiteKey, by_suite, grouped, identity_of
from pytest_autoeval.reporting.judging.gates import Extent
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.results import ResultsError, in_order, read
from pytest_autoeval.reporting.row import Calls, Row, counted, without_times
from pytest_autoeval.reporting.text import Line, count, dollars, one_line
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.outputs import SHOWN, listed, save, summary
from pytest_autoeval.running.reproducing import command_of_run
from pytest_autoeval.running.run import run_of
from pytest_autoeval.running.shared import collected, has_workers
from pytest_autoeval.running.suite_report import SuiteReport
from pytest_autoeval.running.suites import file_of

if TYPE_CHECKING:
    from pytest_autoeval.reporting.counterexample import KeptResult


#: USD; less is no difference of two sums.
_LEAST = 1e-6
_MARKUP = {"good": "green", "bad": "red", "warn": "yellow", "dim": "light", "title": "bold"}


class Controller:
    """Makes the analysis of a run from its rows and the reports of its suites, and has the last word in the terminal.

    ``broken`` are the ids of items that failed and reported nothing: a fixture failed, or their process died.
    """

    def __init__(
        self, config: pytest.Config, reports: Sequence[SuiteReport], broken: Sequence[str], *, interrupted: bool
    ) -> None:
        self.config, self.run = config, run_of(config)
        self.settings = self.run.settings
        self._all_reports, self._interrupted = reports, interrupted
        ran = [report for report in reports if report.obstacle is None]
        self._reports = {(report.suite, report.model): report for report in ran}
        #: Suites that ran more than once, or under the name of another: their rows cannot be told apart.
        self._mixed = {key for key, number in Counter((one.suite, one.model) for one in ran).items() if number > 1}
        suites = collected(config)
        broken_suites = {suites[test] for test in broken if test in suites}
        self._unknown = self._mixed | broken_suites
        #: What was written beside the results, or could not be, a line each.
        self._written: list[Line] = []
        self._rows = self._read()
        groups = by_suite(counted(self._rows))
        examples = [example for report in ran for example in report.counterexamples]
        # Of a suite that was interrupted, the smallest failures as they are.
        for key in groups.keys() - self._reports.keys():
            smallest = smallest_failures(groups[key]).values()
            examples += [Counterexample(row=row, command=self._command(row)) for row in smallest]
        self.analysis = analyse(
            self._rows,
            self.run.rules,
            baseline=self.run.baseline if self._rows else None,
            baseline_name=self.settings.baseline.name if self.settings.baseline else "",
            extents={key: self._extent(key) for key in sorted({*groups, *self._reports, *broken_suites})},
            counterexamples=examples,
            kept=self._kept(examples),
            suites=self.run.number_of_suites,
        )
        notes = [*self.analysis.notes, *self._of_servers()]
        self.analysis = replace(self.analysis, notes=notes, server=self._server())
        if self._rows:
            self._written += self._write_outputs()

    @property
    def exit_code(self) -> int:
        """The code of a run without failures.

        2 where a suite did not run whole, 1 where a file that was asked for is not written, 10 where a suite is
        inconclusive.
        """
        verdicts = {one.verdict for one in self.analysis.judgements}
        if "interrupted" in verdicts:
            return pytest.ExitCode.INTERRUPTED
        if any(line.style == "bad" for line in self._written):
            return pytest.ExitCode.TESTS_FAILED
        return INCONCLUSIVE if "inconclusive" in verdicts else pytest.ExitCode.OK

    def write_summary(self, exit_code: int) -> None:
        """Writes the summary for programs where it was asked for, also of a run that was interrupted.

        :attr:`exit_code` may change, for it may not be possible.
        """
        if (file := self.settings.summary) is not None:
            from pytest_autoeval.reporting.summary_json import summary_text

            text = summary_text(self.analysis, exit_code)
            self._written.append(_attempt("the summary for programs", file, lambda: save(file, text)))

    @property
    def ended_well(self) -> bool:
        """Whether nothing is left to ask: every suite ran whole, and no sample ended in an error."""
        cut = any(one.gate.interrupted for one in self.analysis.judgements)
        return not cut and not any(row.kind == "error" for row in self._rows)

    def summarize(self, terminal: Any) -> None:
        """Writes the summary, also of a run that was interrupted."""
        told = any(one.spent or one.nothing or one.part for one in self.analysis.gates)
        if not self._rows and not self.analysis.kept and not told:
            return
        terminal.write_sep("=", "autoeval")
        writer = terminal._tw  # noqa: SLF001  (pytest offers no public way to width and encoding)
        encoding = getattr(writer._file, "encoding", None)  # noqa: SLF001
        lines = summary(self.analysis, self.config.get_verbosity(), writer.fullwidth, encoding)
        for line in (*lines, *self._written, *self._remarks()):
            terminal.write_line(inert(line.text), **{_MARKUP[line.style]: True} if line.style in _MARKUP else {})

    def _remarks(self) -> list[Line]:
        """Notes of the suites, and what was left out or not used."""
        account = self.run.whole_account
        notes = sorted({note for report in self._all_reports for note in report.notes})
        notes += [
            f"{named(suite, model)} ran more than once, so it is not judged; give its parameters different ids"
            for suite, model in sorted(self._mixed)
        ]
        if self.settings.resume:
            samples = sum(report.taken_over for report in self._all_reports)
            taken_over = f"{count(samples, 'sample')}, {count(account.taken_over, 'call')}"
            notes.append(f"continued from an earlier run: {taken_over}")
        warnings = [f"asked again: {line}" for line in sorted(account.unreadable)]
        warnings += [*left_out(self.config, self._all_reports), *self._unused_recordings()]
        if "dataset" in self.settings.typed and not any(report.own_data for report in self._all_reports):
            warnings.insert(0, "--autoeval-dataset: no suite of this run takes data from files")
        return [*(Line(f"note: {note}", "dim") for note in notes), *(Line(text, "warn") for text in warnings)]

    def _read(self) -> list[Row]:
        """The rows of the run. A file that was asked for is put in order, unless workers may still be writing to it.

        A report from the file needs to know how the suite of each row ended.
        """
        results = self.run.results
        if not results.path.exists():
            return []
        rows = read(results.path, own=True).rows
        if self._interrupted and has_workers(self.config):
            return rows
        final = [replace(row, unfinished=False) for row in rows if row.kept]
        shrunk = {
            identity_of(one.row): one.calls
            for report in self._all_reports
            for one in report.counterexamples
            if one.calls
        }
        for key, group in by_suite(counted(rows)).items():
            extent = self._extent(key)
            samples = _once(group) if has_workers(self.config) else group
            ended: dict[str, Any] = {
                "unfinished": extent.incomplete(len(samples)),
                "stopped_early": extent.stopped_early,
            }
            if group[0].adaptive is not None and extent.planned is not None:  # only now it is known
                ended["planned"] = extent.planned
            final += [replace(row, **ended, shrinking=shrunk.get(identity_of(row))) for row in samples]
        if self.settings.results is None:  # nobody will read the file
            return in_order(final)
        try:
            return results.finish(final)
        except ResultsError as error:  # the rows are there, in the order in which they came
            self._written.append(Line(str(error), "bad"))
            return final

    def _extent(self, key: SuiteKey) -> Extent:
        report = self._reports.get(key)
        if report is None or key in self._unknown:
            return Extent(interrupted=True)
        part = self.settings.part
        told = {name: getattr(report, name) for name in ("planned", "stopped_early", "spent", "nothing")}
        return Extent(**told, part=part)

    def _of_servers(self) -> Iterator[str]:
        """Which models are refused a schema, and what the run spent, where its calls in the report are not all."""
        yield from (f"{why}; its answers are text" for why in self.run.pool.refused_schemas().values())
        traffic = self.run.pool.traffic()
        rows = self.analysis.rows
        asked = Calls.of(call for row in rows for call in row.calls if not call.replayed)
        calls = Calls.total([asked, *(row.shrinking for row in rows if row.shrinking is not None)])
        limited = any(gate.spent for gate in self.analysis.gates)
        if traffic.cost > (calls.cost or 0.0) + _LEAST or (limited and traffic.attempts > calls.number):
            whole = f"{count(traffic.attempts, 'call')}, {dollars(traffic.cost)}"
            yield f"this run paid for {whole}, also for calls that failed and samples that were cut off"

    def _server(self) -> str:
        """The address of the server that the user names, if it answered in this run; without any secret."""
        answered = self.run.pool.was_answered_by(USERS_SERVER)
        return shown_url(users_url(self.settings.base_url) or OPENAI_URL) if answered else ""

    def _command(self, row: Row) -> str:
        root = self.config.rootpath
        return command_of_run(row, file_of(row.suite, root), root, self.settings)

    def _kept(self, examples: Sequence[Counterexample]) -> list[KeptResult]:
        if (folder := self.settings.keep_counterexamples) is None:
            return []
        from pytest_autoeval.running.kept import Keeping, Scope

        scope: Scope = "interrupted" if self._interrupted else "chosen" if _chooses(self.config) else "whole"
        root, reports = self.config.rootpath, list(self._reports.values())
        return Keeping(folder, root, self._rows, reports, examples, scope).results()

    def _write_outputs(self) -> list[Line]:
        page, summary_file = self.settings.html, self.settings.github_summary
        of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
        job = Path(of_the_job) if of_the_job else None
        lines = []
        if page is not None:
            from pytest_autoeval.reporting.page import write_page

            lines.append(_attempt("the page", page, lambda: write_page(page, self.analysis, command_of=self._command)))
        if summary_file is False and job is None:
            lines.append(Line("--autoeval-github-summary: GITHUB_STEP_SUMMARY is not set; give a file", "warn"))
        if not summary_file and job is None:
            return lines
        from pytest_autoeval.reporting.markdown import markdown

        text = markdown(self.analysis)
        if summary_file and (job is None or summary_file.resolve() != job.resolve()):
            lines.append(_attempt("the summary", summary_file, lambda: save(summary_file, text)))
        if job is not None:
            line = _attempt("the summary of the job", job, lambda: save(job, text, append=True))
            # Nobody asked for it where only the variable is set.
            lines.append(line._replace(style="warn") if line.style == "bad" and summary_file is None else line)
        return lines

    def _unused_recordings(self) -> list[str]:
        """Recordings that no request of a whole run asked for: their prompts or formulas are gone."""
        settings = self.settings
        failed = any(row.kind == "error" for row in self._rows)
        if settings.record_mode is None or failed or self._interrupted or _chooses(self.config):
            return []
        models = dict.fromkeys(name for row in self._rows for name in (row.model, row.reader) if name)
        unused = unused_recordings(settings.cassettes, models, self.run.whole_account.used)
        head = f"unused recordings in {settings.cassettes}: {len(unused)}"
        return listed(head, unused, verbose=self.config.get_verbosity() > 0)


def _once(rows: Iterable[Row]) -> list[Row]:
    """The rows, each once: what a worker began early and died over, another did again, with the same answers."""
    found: list[Row] = []
    for alike in grouped(rows, identity_of).values():
        found += [row for at, row in enumerate(alike) if without_times(row) not in map(without_times, alike[:at])]
    return found


def _chooses(config: pytest.Config) -> bool:
    names = ("keyword", "markexpr", "deselect", "lf", "stepwise", "autoeval_formula")
    chosen = any(getattr(config.option, name, None) for name in names)
    return chosen or settings_of(config).shard is not None or any("::" in argument for argument in config.args)


def _attempt(what: str, path: Path, write: Callable[[], object]) -> Line:
    """A run that was paid for keeps its verdict when a file cannot be written."""
    try:
        write()
    except AutoevalError as error:
        return Line(str(error), "bad")
    return Line(f"{what}: {path}", "dim")


def left_out(config: pytest.Config, reports: Sequence[SuiteReport]) -> list[str]:
    """The rows that are left out, a line each, and the suites that could not run, a line for each reason."""
    functions: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        if report.obstacle is not None:
            functions[report.reason].add(report.function)
    skipped = [f"skipped: {count(len(names), 'suite')}: {one_line(reason)}" for reason, names in functions.items()]
    if config.get_verbosity() <= 0 and len(skipped) > SHOWN:
        skipped[SHOWN:] = [f"skipped for {len(skipped) - SHOWN} more reasons, which -v lists"]
    return [*_rows(config, (problem for report in reports for problem in report.problems)), *skipped]


def refuse_useless(config: pytest.Config, reports: Sequence[SuiteReport]) -> None:
    """Raises :class:`pytest.UsageError` where no suite can use what was asked for: a formula, a file, a kind of model.

    ``reports`` are those of all suites, or of what they would be.
    """
    obstacles = {report.obstacle for report in reports}
    asked, files = None in obstacles, run_of(config).settings.dataset
    own_data = any(report.own_data and report.obstacle is None for report in reports) or "formula" in obstacles
    lines: list[str] = []
    if "data" in obstacles and files and not own_data:
        from pytest_autoeval.datasets import file_problems

        of_suites = [problem for report in reports for problem in (*report.problems, *report.notes)]
        lines = _rows(config, (*file_problems(list(files)), *of_suites))
    elif asked or not reports:
        return
    reasons = dict.fromkeys(one.reason for one in reports if one.obstacle == "data" or (one.obstacle and not asked))
    raise pytest.UsageError(inert("\n".join([*reasons, *lines])))


def _rows(config: pytest.Config, problems: Iterable[str]) -> list[str]:
    """Files in the current folder are shown by their names."""
    here = f"{config.invocation_params.dir}{os.sep}"
    rows = [problem.removeprefix(here) for problem in dict.fromkeys(problems)]
    head = f"rows of data that were left out: {len(rows)}"
    return listed(head, rows, verbose=config.get_verbosity() > 0)
