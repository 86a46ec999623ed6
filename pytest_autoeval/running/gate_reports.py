"""Each gate as a real test report: in the terminal, in JUnit XML, in the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest
from _pytest.junitxml import xml_key

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.junit import properties
from pytest_autoeval.running.shared import UNDECIDED_GATE
from pytest_autoeval.running.suite_names import gate_id

#: What the id of a gate ends in.
_ENDINGS = {"threshold": "gate", "baseline": "baseline"}


def report_gates(
    config: pytest.Config, session: pytest.Session, analysis: Analysis, infos: Sequence[Mapping[str, Any]]
) -> None:
    """Reports the gates over thresholds, and those against the baseline."""
    gates: list[Gate | BaselineGate] = [*analysis.gates, *analysis.comparisons]
    session.testscollected += len(gates)
    for gate in gates:
        nodeid = gate_id(gate.suite, gate.model, _ENDINGS[gate.kind])
        location = (gate.suite.partition("::")[0], None, nodeid.partition("::")[2])
        report = _report(gate, nodeid, location, analysis)
        _tell_junit(config, report, nodeid)
        config.hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
        config.hook.pytest_runtest_logreport(report=report)
        config.hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)
        if report.failed:
            _rerun_with_lf(config, gate, nodeid, infos)


def _report(
    gate: Gate | BaselineGate, nodeid: str, location: tuple[str, int | None, str], analysis: Analysis
) -> pytest.TestReport:
    """Pytest knows passed, failed and skipped: what is inconclusive is none of them, and is shown as itself."""
    keywords: dict[str, Literal[1]] = {"autoeval": 1, _ENDINGS[gate.kind]: 1}
    longrepr: Any = None
    if gate.inconclusive:
        longrepr = (location[0], 0, f"inconclusive: {gate.reason}")
        keywords[UNDECIDED_GATE] = 1
    elif not gate.passes:
        longrepr = _why(gate, analysis)
    return pytest.TestReport(
        nodeid=_node_id(nodeid),
        location=location,
        keywords=keywords,
        outcome="skipped" if gate.inconclusive else "passed" if gate.passes else "failed",
        longrepr=longrepr,
        when="call",
        user_properties=properties(gate, analysis),
    )


def _why(gate: Gate | BaselineGate, analysis: Analysis) -> str:
    examples = [one for one in analysis.counterexamples if one.key[:2] == (gate.suite, gate.model)]
    return "\n".join([gate.reason, *(f"  {example.one_line}" for example in examples)])


def _tell_junit(config: pytest.Config, report: pytest.TestReport, nodeid: str) -> None:
    """Since 9.2 pytest takes ids apart for JUnit too, and would put the bracket last; properties it takes at teardown.

    A gate has none.
    """
    xml = config.stash.get(xml_key, None)
    if xml is None:
        return
    base, bracket, rest = nodeid.partition("[")
    reporter = xml.node_reporter(report)
    reporter.add_attribute("name", f"{base.rpartition('::')[2]}{bracket}{rest}")
    for name, value in report.user_properties:
        reporter.add_property(name, value)


def _rerun_with_lf(
    config: pytest.Config, gate: Gate | BaselineGate, nodeid: str, infos: Sequence[Mapping[str, Any]]
) -> None:
    """`--lf` knows items, not gates: after a failed gate it is to run the gate's items again."""
    last_failed = config.pluginmanager.get_plugin("lfplugin")
    if last_failed is not None and hasattr(last_failed, "lastfailed"):
        last_failed.lastfailed.pop(nodeid, None)
        items = [info["test"] for info in infos if (info["suite"], info["model"]) == (gate.suite, gate.model)]
        last_failed.lastfailed.update(dict.fromkeys(items, True))


def _node_id(text: str) -> Any:
    """A gate's id as pytest shows it: since 9.2 pytest takes ids apart, and would put the bracket last."""
    try:
        from _pytest.nodeid import NodeId
    except ImportError:
        return text
    path, _, name = text.partition("::")
    return NodeId(path=path, names=(name,))
