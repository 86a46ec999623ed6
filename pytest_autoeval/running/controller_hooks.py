"""The hooks that only the controlling process has: it collects the reports of the suites, and shows the summary.

Nothing heavy is imported until a suite was collected.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest
from _pytest.junitxml import xml_key

from pytest_autoeval.running.checking import refused
from pytest_autoeval.running.settings import settings_of
from pytest_autoeval.running.shared import collected
from pytest_autoeval.running.suites import installed_module

if TYPE_CHECKING:
    from pytest_autoeval.running.controller import Controller
    from pytest_autoeval.running.suite_report import SuiteReport


class ControllerHooks:
    """A plugin object, registered in every process but xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reports: list[SuiteReport] = []
        #: The ids of items that failed without a report.
        self.broken: list[str] = []
        #: The ids of all items that were heard of.
        self.seen: set[str] = set()
        self.controller: Controller | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if self.config.option.autoeval_plan:
            self.config.option.collectonly = True
            result = yield
            from pytest_autoeval.running.plan import show_plan

            show_plan(session)
            return result
        if self.config.option.collectonly:
            return (yield)
        settings = settings_of(self.config)
        if settings.results is not None:
            from pytest_autoeval.reporting.results import ResultsFile

            with refused(settings.origin("results")):
                ResultsFile(settings.results).start()
        if settings.summary is not None:  # of a run that is killed no earlier verdict must be left
            settings.summary.unlink(missing_ok=True)
        try:
            result = yield
        except BaseException:
            self._conclude(interrupted=True)
            raise
        self._conclude(interrupted=False)
        if self.reports and not self.broken:
            from pytest_autoeval.running.controller import refuse_useless

            refuse_useless(self.config, self.reports)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seen.add(report.nodeid)
        self._name_in_junit(report)
        suite = getattr(report, "autoeval", None)
        if suite is not None:
            from pytest_autoeval.running.suite_report import SuiteReport

            self.reports.append(SuiteReport.from_json(json.loads(suite)))
        elif report.failed and report.when != "teardown":
            self.broken.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        suite = json.loads(getattr(report, "autoeval", "{}"))
        ended = suite.get("inconclusive") and report.skipped and not hasattr(report, "wasxfail")
        return ("inconclusive", "?", "INCONCLUSIVE") if ended else None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run that decides nothing neither passes nor fails."""
        if self.controller is not None:
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = self.controller.exit_code
            self.controller.write_summary(int(session.exitstatus))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.controller is not None:
            self.controller.summarize(terminalreporter)

    def _name_in_junit(self, report: pytest.TestReport) -> None:
        """In JUnit XML the class of a packaged suite does not depend on where it is installed."""
        xml = self.config.stash.get(xml_key, None)
        module = installed_module((self.config.rootpath / report.location[0]).resolve())
        if xml is not None and module:
            name = f"{xml.prefix}.{module}" if xml.prefix else module
            xml.node_reporter(report).add_attribute("classname", name)

    def _conclude(self, *, interrupted: bool) -> None:
        # A collected suite of which nothing was heard did not run, whatever the reason.
        self.broken += sorted(collected(self.config).keys() - self.seen)
        if self.reports or collected(self.config):
            from pytest_autoeval.running.controller import Controller

            self.controller = Controller(self.config, self.reports, self.broken, interrupted=interrupted)
