"""What the controlling process hears of each test.

Registered in a run in which some test asks a model, or with workers that may have such tests.
"""

from __future__ import annotations

import pytest
from _pytest.junitxml import LogXML, xml_key

from pytest_autoeval.engine.suite_files import installed_module
from pytest_autoeval.running.progress import ProgressLine


class Heard:
    """A plugin object that follows the reports of the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        #: The ids of items that failed outside of their teardown.
        self.failed: set[str] = set()
        #: The ids of all items that were heard of.
        self.seen: set[str] = set()
        #: The names of test files in JUnit XML, where they have one of ours.
        self._modules: dict[str, str] = {}
        self.progress: ProgressLine | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        if self.progress is not None:
            self.progress.hide()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.progress is not None:
            self.progress.hide()
        if report.when == "call" or not report.passed:
            self.seen.add(report.nodeid)
        if report.failed and report.when != "teardown":
            self.failed.add(report.nodeid)
        if (xml := self.config.stash.get(xml_key, None)) is not None:
            self._name_in_junit(xml, report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        ended: str = getattr(report, "autoeval", "")
        if not ended or not report.skipped or hasattr(report, "wasxfail"):
            return None
        return ended, "?", ended.upper()

    def _name_in_junit(self, xml: LogXML, report: pytest.TestReport) -> None:
        """In JUnit XML the class of a packaged suite does not depend on where it is installed."""
        file = report.location[0]
        if file not in self._modules:
            self._modules[file] = installed_module((self.config.rootpath / file).resolve())
        if module := self._modules[file]:
            name = f"{xml.prefix}.{module}" if xml.prefix else module
            xml.node_reporter(report).add_attribute("classname", name)
