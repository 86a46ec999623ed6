"""The hooks that only the controlling process has: it collects the reports of the suites, and shows the summary.

Nothing heavy is imported until a suite was collected.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.settings import settings_of
from pytest_autoeval.running.shared import collected

if TYPE_CHECKING:
    from pytest_autoeval.running.controller import Controller


class ControllerHooks:
    """A plugin object, registered in every process but xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        #: What the suites reported, as `SuiteReport.to_json` has it.
        self.reports: list[dict[str, Any]] = []
        #: The ids of items that failed without a report.
        self.broken: list[str] = []
        #: The ids of all items that were heard of.
        self.seen: set[str] = set()
        self.controller: Controller | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if self.config.option.autoeval_plan:
            return (yield from self._plan(session))
        if self.config.option.collectonly:
            return (yield)
        self._start_results()
        try:
            result = yield
        except BaseException:
            self._conclude(interrupted=True)
            raise
        self._refuse_useless()
        # A collected suite of which nothing was heard did not run, whatever the reason.
        self.broken += sorted(collected(self.config).keys() - self.seen)
        self._conclude(interrupted=False)
        self._refuse_unused_data()
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seen.add(report.nodeid)
        suite = getattr(report, "autoeval", None)
        if suite is not None:
            self.reports.append(json.loads(suite))
        elif report.failed and report.when != "teardown":
            self.broken.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        suite = getattr(report, "autoeval", None)
        if suite is None or not report.skipped or hasattr(report, "wasxfail"):
            return None
        if json.loads(suite)["inconclusive"]:
            return "inconclusive", "?", "INCONCLUSIVE"
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run that decides nothing neither passes nor fails."""
        if self.controller is not None and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = self.controller.exit_code

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.controller is not None:
            self.controller.summarize(terminalreporter)

    def _plan(self, session: pytest.Session) -> Generator[None, object, object]:
        self.config.option.collectonly = True
        result = yield
        from pytest_autoeval.running.plan import show_plan

        show_plan(session)
        return result

    def _start_results(self) -> None:
        """Creates the results file: one that cannot be written is refused before the first call is paid for."""
        settings = settings_of(self.config)
        if settings.results is None:
            return
        from pytest_autoeval.reporting.results import ResultsFile

        try:
            ResultsFile(settings.results).start()
        except AutoevalError as problem:
            raise pytest.UsageError(f"{settings.origin('results')}: {problem}") from None

    def _conclude(self, *, interrupted: bool) -> None:
        if not self.reports and not collected(self.config):
            return
        from pytest_autoeval.running.controller import Controller
        from pytest_autoeval.running.suite_report import SuiteReport

        reports = [SuiteReport.from_json(report) for report in self.reports]
        self.controller = Controller(self.config, reports, self.broken, interrupted=interrupted)

    def _refuse_useless(self) -> None:
        """A run in which no suite has the formula, the form of prompt or the kind of model asked for is a mistake."""
        if self.broken or any(report["obstacle"] in (None, "data") for report in self.reports):
            return
        if reasons := dict.fromkeys(report["reason"] for report in self.reports):
            raise pytest.UsageError(*reasons)

    def _refuse_unused_data(self) -> None:
        """A run in which no suite could use the user's data is a mistake."""
        reasons = [report["reason"] for report in self.reports if report["obstacle"] == "data"]
        others = any(report["own_data"] or report["obstacle"] == "formula" for report in self.reports)
        if not reasons or self.broken or others or not settings_of(self.config).dataset:
            return
        from pytest_autoeval.running.left_out import refuse_unused_data

        problems = [problem for report in self.reports for problem in (*report["problems"], *report["notes"])]
        refuse_unused_data(self.config, reasons, problems)
