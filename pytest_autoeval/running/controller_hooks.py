"""The hooks of the controlling process: they begin and end the run, and show the summary.

Nothing heavy is imported before a suite is collected.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.junitxml import LogXML, xml_key

from pytest_autoeval.engine.collector import rarer_collections
from pytest_autoeval.engine.settings import shown_name
from pytest_autoeval.engine.suite_files import installed_module
from pytest_autoeval.inert import inert
from pytest_autoeval.running.idle_options import idle_options
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.printing import STREAMS, wrap_failures
from pytest_autoeval.running.progress import ProgressLine, RunProgress
from pytest_autoeval.running.run_state import (
    FOLDER,
    ITEM_HOOKS,
    RUN,
    WORKERS,
    collected,
    has_workers,
    not_collected,
    refusals,
    run_folder,
)

if TYPE_CHECKING:
    from pytest_autoeval.engine.settings import Settings
    from pytest_autoeval.running.controller import Controller

#: The key under which pytest's cache has the tests that `--lf` runs.
_LAST_FAILED = "cache/lastfailed"
#: Seconds that an interrupted run waits for its workers; they need milliseconds.
_PARTING = 2.0
#: The exit codes of pytest for a run that was not broken off.
_RAN = frozenset(
    (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
)


class ControllerHooks:
    """A plugin object, registered in every process except xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reports = ReportLog(config)
        self.controller: Controller | None = None
        #: What `--lf` would have run before this run.
        self._last_failed: dict[str, bool] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            not_collected(self.config)[report.nodeid] = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if self.config.option.autoeval_plan:
            self.config.option.collectonly = True
            result = yield
            from pytest_autoeval.running.plan import show_plan

            show_plan(session)
            return result
        if self.config.option.collectonly:
            result = yield
            from pytest_autoeval.running.collected import show_collected

            show_collected(session)
            return result
        try:
            # With `-p no:cacheprovider` there is no cache.
            if cache := getattr(self.config, "cache", None):
                self._last_failed = cache.get(_LAST_FAILED, {})
            with ExitStack() as until_the_end:
                self._begin(until_the_end)
                # No test runs in this process. Elsewhere, each suite sees to this itself.
                if has_workers(self.config):
                    until_the_end.enter_context(rarer_collections())
                try:
                    result = yield
                except BaseException:
                    self._stop()
                    self._conclude(interrupted=True)
                    raise
                self._conclude(interrupted=False)
                if self.controller is not None and not self.controller.broken:
                    self.controller.refuse_useless()
                return result
        finally:  # the line that shows the progress is gone
            if self.controller is not None:
                from pytest_autoeval.running.whole_run_report import report_whole_runs

                report_whole_runs(session, self.controller, self.reports)

    def _stop(self) -> None:
        """Stops what still runs."""
        workers = self.config.stash.get(WORKERS, None)
        run = self.config.stash.get(RUN, None)
        # Workers are told first, so that they end while this process ends.
        if workers is not None:
            workers.stop()
        if run is not None:
            run.stop()
        if workers is not None:
            # What they still send is counted too.
            workers.wait(_PARTING)

    def _begin(self, until_the_end: ExitStack) -> None:
        """Makes the results file and the folder of the run, and reports what earlier runs left there."""
        settings = settings_of(self.config)
        notes = []
        if settings.results is not None:
            from pytest_autoeval.record.results_log import ResultsFile

            # Before the first test, so that a file that cannot be written costs no call.
            file = ResultsFile(settings.results)
            # What ends the run is written at the very end.
            self.config.add_cleanup(file.close)
            with refusals(self.config, settings.origin("results")):
                aside = file.start()
            if aside is not None:
                notes.append(f"the results of an interrupted run are now in {aside}")
        has_suites = bool(collected(self.config)) or has_workers(self.config)
        summaries = {"summary": settings.summary, "github_summary": _own_markdown(settings)}
        for name, summary in summaries.items():
            if summary is not None and has_suites:
                with refusals(self.config, settings.origin(name)):
                    _remove_earlier(summary, name)
        # Without a suite that runs, one may be left out.
        if has_suites or self.config.pluginmanager.has_plugin(ITEM_HOOKS):
            self.config.pluginmanager.register(self.reports)
        if has_suites:
            until_the_end.enter_context(_sigterm_interrupts(self.config))
            notes.insert(0, run_folder(self.config).note)
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is None:
            return
        if note := "; ".join(filter(None, notes)):
            terminal.write_line(inert(f"autoeval: {note}"), yellow=True)
        if has_suites and self.config.get_verbosity() >= 0:
            streams: Any = self.config.pluginmanager.get_plugin(STREAMS)
            self.reports.progress = until_the_end.enter_context(
                ProgressLine(terminal, streams.stdout, self._progress)
            )

    def _progress(self) -> RunProgress:
        """What the line of progress shows now."""
        suites = collected(self.config)
        started, traffic, batches = {}, None, ""
        if RUN in self.config.stash:
            from pytest_autoeval.running.run_services import leader_of

            leader = leader_of(self.config)
            # A copy: threads of the run change the original.
            started = dict(leader.record.going)
            traffic = leader.pool.traffic()
            batches = leader.pool.batches()
        without_report = [suite for test, suite in started.items() if test not in self.reports.seen]
        return RunProgress(
            ended=len(suites.keys() & self.reports.seen),
            suites=len(suites),
            going=without_report,
            traffic=traffic,
            batches=batches,
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self) -> None:
        """Stops the run if a worker cannot begin: xdist would restart it again and again."""
        if WORKERS in self.config.stash and (refusal := self.config.stash[WORKERS].refused):
            raise pytest.UsageError(refusal)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Sets the exit code: an inconclusive run neither passes nor fails. The terminal shows its failures later."""
        controller = self.controller
        if controller is None:
            self._remember(int(session.exitstatus))
            return
        terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            wrap_failures(terminal, controller.own_tests)
        passed = session.exitstatus == pytest.ExitCode.OK
        if passed:
            session.exitstatus = controller.exit_code
        controller.write_summary(int(session.exitstatus))
        # If the file could not be written, the exit code is another one now.
        if passed:
            session.exitstatus = controller.exit_code
        failed = session.exitstatus == pytest.ExitCode.TESTS_FAILED or session.testsfailed
        # What is in a batch is still to be judged, so that the run cannot have passed.
        if controller.leader.pool.suspended and not failed:
            from pytest_autoeval.judging.gate_verdicts import INCONCLUSIVE

            session.exitstatus = INCONCLUSIVE
        # After the summary: the line has the exit code, which a file that cannot be written changes.
        controller.end_results(int(session.exitstatus))
        # If the results could not be written, it is another one again.
        if passed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = controller.exit_code
        # The hook of the terminal gets the exit code of the tests alone.
        controller.final_exit_code = int(session.exitstatus)
        self._remember(int(session.exitstatus))

    def _remember(self, exit_code: int) -> None:
        """Has `--lf` run the suites again that neither passed nor failed: pytest forgets what was skipped.

        A test that the options leave out stays among the last failed if it was there before.
        """
        cache = getattr(self.config, "cache", None)
        if cache is None:
            return
        tests = [test for test in self._last_failed if test in self.reports.left_out]
        # After a mistake in the options, a suite that did not run is no news.
        if self.controller is not None and exit_code != pytest.ExitCode.USAGE_ERROR:
            tests += self.controller.open_tests
        if not tests:
            return
        failed = cache.get(_LAST_FAILED, {})
        cache.set(_LAST_FAILED, {**failed, **dict.fromkeys(tests, True)})

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, exitstatus: int
    ) -> None:
        if exitstatus in _RAN and (idle := idle_options(self.config)):
            terminalreporter.write_line(inert(idle), yellow=True)
        if self.controller is not None:
            self.controller.summarize(terminalreporter)
            if self.controller.broke_by_itself:
                return
            if suspended := self.controller.leader.pool.suspended:
                typed = [
                    argument
                    for argument in self.config.invocation_params.args
                    if argument != shown_name("resume")
                ]
                command = join(["pytest", *map(str, typed), shown_name("resume")])
                terminalreporter.write_line(
                    f"{suspended}; this command continues the run:\n  {command}", yellow=True
                )
                return
        folder = self.config.stash.get(FOLDER, None)
        answers = "" if folder is None or folder.ended_well else folder.kept
        if answers:
            terminalreporter.write_line(
                f"--autoeval-resume continues this run: {answers} are kept", yellow=True
            )

    def _conclude(self, *, interrupted: bool) -> None:
        """Makes the controller, which judges the run, and notes for the folder of the run how the run ended."""
        if RUN in self.config.stash or collected(self.config):
            from pytest_autoeval.running.controller import Controller

            # A judgement makes as many objects as Python waits for before it searches through the whole run.
            with rarer_collections(is_last=True):
                self.controller = Controller(self.config, self.reports, interrupted=interrupted)
        if FOLDER in self.config.stash:
            ended_well = self.controller is None or self.controller.ended_well
            self.config.stash[FOLDER].ended_well = ended_well and not interrupted


def _own_markdown(settings: Settings) -> Path | None:
    """The Markdown that this run replaces; None if there is none, or if it is the job's, which grows."""
    file, of_the_job = settings.github_summary, os.environ.get("GITHUB_STEP_SUMMARY")
    if not file or (of_the_job and os.path.realpath(file) == os.path.realpath(of_the_job)):
        return None
    return file


def _remove_earlier(summary: Path, name: str) -> None:
    """Removes an earlier summary, so that a run that is killed leaves no earlier verdict. A link stays a link."""
    from pytest_autoeval.errors import AutoevalError
    from pytest_autoeval.written_file import MARKDOWN, SUMMARY, target_of

    try:
        target_of(summary, SUMMARY if name == "summary" else MARKDOWN).unlink(missing_ok=True)
    except OSError as error:
        raise AutoevalError(f"{summary}: {error.strerror}") from None


class ReportLog:
    """A plugin object that follows the reports of the tests.

    Registered in a run in which a test asks a model, or with workers that may have such tests.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        #: The ids of items that failed outside of their teardown, and in it.
        self.failed: set[str] = set()
        self.failed_in_teardown: set[str] = set()
        #: The ids of all items with a report.
        self.seen: set[str] = set()
        #: The ids of items that were skipped, or failed as expected.
        self.skipped: set[str] = set()
        self.xfailed: set[str] = set()
        #: The ids of items that could not run with the options of the run.
        self.left_out: set[str] = set()
        #: The numbers of the suites whose failures have their verdict and a counterexample.
        self.explained: set[int] = set()
        #: The names of test files in JUnit XML, for packaged suites.
        self._modules: dict[str, str] = {}
        self.progress: ProgressLine | None = None

    # First, so that pytest's own line does not stand behind the line that shows the progress.
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        if self.progress is not None:
            self.progress.hide()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.progress is not None:
            self.progress.hide()
        # A set-up or teardown that passed does not show how the test ended.
        if report.when == "call" or not report.passed:
            self.seen.add(report.nodeid)
        if report.failed:
            failed = self.failed_in_teardown if report.when == "teardown" else self.failed
            failed.add(report.nodeid)
        if getattr(report, "autoeval_left_out", False):
            self.left_out.add(report.nodeid)
        explained = getattr(report, "autoeval_explained", None)
        if report.failed and explained is not None:
            self.explained.add(explained)
        if report.skipped and hasattr(report, "wasxfail"):
            self.xfailed.add(report.nodeid)
        elif report.skipped and not getattr(report, "autoeval", ""):
            self.skipped.add(report.nodeid)
        if (xml := self.config.stash.get(xml_key, None)) is not None:
            self._name_in_junit(xml, report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        ended: str = getattr(report, "autoeval", "")
        if not ended or not report.skipped or hasattr(report, "wasxfail"):
            return None
        return ended, "?", ended.upper()

    def _name_in_junit(self, xml: LogXML, report: pytest.TestReport) -> None:
        """Gives a packaged suite a class name in JUnit XML that does not depend on where it is installed."""
        file = report.location[0]
        if file not in self._modules:
            self._modules[file] = installed_module((self.config.rootpath / file).resolve())
        if module := self._modules[file]:
            name = f"{xml.prefix}.{module}" if xml.prefix else module
            xml.node_reporter(report).add_attribute("classname", name)


class _Interrupt:
    """The handler of SIGTERM. In this process, with suites, it acts like Ctrl-C; otherwise as without a handler."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._process = config, os.getpid()

    def __call__(self, *_: object) -> None:
        # A forked child inherits the handler, and must not act as the run.
        if os.getpid() == self._process and collected(self._config):
            raise KeyboardInterrupt
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)


def _end_by_sigterm() -> None:
    """Gives SIGTERM its default effect back, if the handler is ours."""
    if isinstance(signal.getsignal(signal.SIGTERM), _Interrupt):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@cache
def _spare_children() -> None:
    """Makes SIGTERM end forked children as without our handler; once, since a registration cannot be undone."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=_end_by_sigterm)


@contextmanager
def _sigterm_interrupts(config: pytest.Config) -> Iterator[None]:
    """Makes SIGTERM end a run with suites like Ctrl-C: with a summary, and so that it can be continued."""
    # Only the main thread may set a handler. One that the user set stays.
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _Interrupt(config))
        _spare_children()
    try:
        yield
    finally:
        if in_main_thread:
            _end_by_sigterm()
