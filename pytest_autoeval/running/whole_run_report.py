"""The test case of a run that fell as a whole: no suite of it failed, and yet the run has to be red.

A run that is inconclusive as a whole has no test case. But the last line of pytest counts it, and is not green.
"""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.junitxml import xml_key

from pytest_autoeval.inert import inert
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.report.renderers.junit import run_properties, whole_run_properties
from pytest_autoeval.report.sections.model_verdicts import name_of, run_figures
from pytest_autoeval.running.controller import Controller
from pytest_autoeval.running.printing import mark_as_asking
from pytest_autoeval.text import one_line

#: Plugins that choose tests by their reports. This one is no test that they could run again.
_CHOOSING = ("lfplugin", "stepwiseplugin")
#: The class of the test case in JUnit XML.
_CLASS = "autoeval"


def report_whole_runs(session: pytest.Session, controller: Controller, own_plugin: object) -> None:
    """Reports each model whose pass rate fell over all suites as a failed test, where no failed suite shows it.

    JUnit XML also gets the verdict on the run and its reason, as properties of the file. ``own_plugin`` follows the
    reports of tests: the controller knows these verdicts already.
    """
    config = session.config
    xml = config.stash.get(xml_key, None)
    if xml is not None:
        for name, value in run_properties(controller.document):
            xml.add_global_property(name, inert(value))
    for run in controller.fallen_runs:
        reports = _reports(run)
        if xml is not None:
            node = xml.node_reporter(reports[0])
            node.add_attribute("classname", f"{xml.prefix}.{_CLASS}" if xml.prefix else _CLASS)
            node.add_attribute("name", reports[0].nodeid)
        _show(session, reports[1])
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        receivers = [
            own_plugin,
            session,
            terminal,
            *map(config.pluginmanager.get_plugin, _CHOOSING),
        ]
        tell = config.pluginmanager.subset_hook_caller(
            "pytest_runtest_logreport", [plugin for plugin in receivers if plugin is not None]
        )
        for report in reports:
            tell(report=report)
    for run in controller.open_runs:
        _show_open(session, name_of(run))


def _reports(run: WholeRun) -> list[pytest.TestReport]:
    """The reports of the three phases of a test, of which the second one failed: other plugins expect all of them."""
    name = name_of(run)
    reason = inert(one_line(run.reason))
    call = pytest.CallInfo.from_call(lambda: pytest.fail(reason, pytrace=False), when="call")
    assert call.excinfo is not None
    failure = call.excinfo.getrepr(style="value")
    properties = whole_run_properties(run.model, run.reason, run_figures(run))
    reports = []
    for when in ("setup", "call", "teardown"):
        report = pytest.TestReport(
            nodeid=name,
            location=(name, None, name),
            keywords={},
            outcome="failed" if when == "call" else "passed",
            longrepr=failure if when == "call" else None,
            when=when,
            user_properties=properties,
        )
        mark_as_asking(report)
        reports.append(report)
    return reports


def _show(session: pytest.Session, report: pytest.TestReport) -> None:
    """Counts a failed test, and shows it among the failures of the terminal.

    The session would take it as a reason to stop (`-x`), and the terminal as a test that it had collected.
    """
    session.testsfailed += 1
    _print(session, report, "failed", "F", red=True)


def _show_open(session: pytest.Session, name: str) -> None:
    """Counts an inconclusive whole run in the last line of pytest, as it counts inconclusive suites."""
    report = pytest.TestReport(
        nodeid=name,
        location=(name, None, name),
        keywords={},
        outcome="skipped",
        longrepr=None,
        when="call",
    )
    _print(session, report, "inconclusive", "?", yellow=True)


def _print(
    session: pytest.Session, report: pytest.TestReport, ended: str, sign: str, **markup: bool
) -> None:
    """Shows how a test of ours ended, where pytest shows it of other tests."""
    terminal: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        return
    if terminal.verbosity > 0:
        terminal.write_ensure_prefix(f"{report.nodeid} ", ended.upper(), **markup)
    elif terminal.showfspath:
        terminal.write_fspath_result(report.nodeid, sign, **markup)
    else:
        terminal.write(sign, **markup)
    terminal.stats.setdefault(ended, []).append(report)
