"""What the controlling process does when the items are done: gates, smallest counterexamples, the summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.junitxml import xml_key

from pytest_autoeval.models import ModelError, unused_recordings
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.gates import Gate
from pytest_autoeval.reporting.results import read
from pytest_autoeval.reporting.summary import Counterexample, render, suite_summaries
from pytest_autoeval.running.items import gate_id, in_suite
from pytest_autoeval.running.left_out import left_out, listed
from pytest_autoeval.running.options import typed
from pytest_autoeval.running.run import Run
from pytest_autoeval.running.shrinking import shrink_suite, smallest_failures, unshrunk

Row = dict[str, Any]
Key = tuple[str, str]


class Controller:
    """Collects what the items tell, judges each suite and model, and has the last word in the terminal."""

    def __init__(self, config: pytest.Config, run: Run, infos: list[dict[str, Any]], broken: list[str]) -> None:
        self.config, self.run = config, run
        self.infos = infos
        #: The ids of items that told nothing: a fixture failed, or their process died.
        self.broken = broken
        self.rows: list[Row] = []
        self.gates: list[Gate] = []
        self.counterexamples: list[Counterexample] = []
        self.interrupted = False

    def conclude(self, session: pytest.Session, *, interrupted: bool) -> None:
        """Reads every row back, shrinks the failures and reports the gates. An interrupted run is not judged.

        Its file stays as it is: workers may still be writing to it.
        """
        self.interrupted = interrupted
        results = self.run.results
        if results.path.exists():
            self.rows = read(results.path).rows if interrupted else results.finish()
        if not self.rows:
            return
        try:
            if not interrupted:
                self._shrink(session)
        finally:
            known = {
                (example.row["suite"], example.row["model"], example.row["outcome"]) for example in self.counterexamples
            }
            for key, rows in self._suites().items():
                self.counterexamples += [
                    unshrunk(self.config, row, self._path(row))
                    for kind, row in smallest_failures(rows).items()
                    if (*key, kind) not in known
                ]
            self.gates = [self._gate(key, rows) for key, rows in self._suites().items()]
            if not interrupted:
                self._report_gates(session)

    def _suites(self) -> dict[Key, list[Row]]:
        grouped: dict[Key, list[Row]] = defaultdict(list)
        for row in self.rows:
            grouped[row["suite"], row["model"]].append(row)
        return dict(sorted(grouped.items()))

    def _path(self, row: Row) -> Path:
        told = next((info["path"] for info in self.infos if info["test"] == row["test"]), None)
        return Path(told) if told else self.config.rootpath / row["test"].partition("::")[0]

    def _gate(self, key: Key, rows: Sequence[Row]) -> Gate:
        kinds = [outcome_named(row["outcome"]).kind for row in rows]
        infos = [info for info in self.infos if (info["suite"], info["model"]) == key]
        own = next((info["threshold"] for info in infos if info["threshold"] is not None), None)
        planned = sum(info["planned"] for info in infos)
        unknown = self.interrupted or any(in_suite(nodeid, *key) for nodeid in self.broken)
        return Gate(
            suite=key[0],
            model=key[1],
            samples=len(rows),
            passed=kinds.count("pass"),
            undecided=kinds.count("undecided"),
            errors=kinds.count("error"),
            threshold=self._threshold(own),
            interrupted=unknown or planned > len(rows),
            planned=None if unknown else planned,
        )

    def _threshold(self, own: float | None) -> float | None:
        """The marker's, else the option's. A typed formula is asked to see whether it passes, so that it must."""
        if own is not None:
            return own
        asked: float | None = self.run.option("threshold")
        return 1.0 if asked is None and self.run.option("formula") else asked

    def _report_gates(self, session: pytest.Session) -> None:
        """Each gate as a real report: in the terminal, in JUnit XML, in the exit code."""
        session.testscollected += len(self.gates)
        for gate in self.gates:
            nodeid = gate_id(gate.suite, gate.model)
            location = (gate.suite.partition("::")[0], None, nodeid.partition("::")[2])
            report = pytest.TestReport(
                nodeid=_node_id(nodeid),
                location=location,
                keywords={"autoeval": 1, "gate": 1},
                outcome="passed" if gate.passes else "failed",
                longrepr=None if gate.passes else self._why(gate),
                when="call",
            )
            self._name_in_junit(report, nodeid)
            self.config.hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
            self.config.hook.pytest_runtest_logreport(report=report)
            self.config.hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)
            if not gate.passes:
                self._rerun_with_lf(gate, nodeid)

    def _name_in_junit(self, report: pytest.TestReport, nodeid: str) -> None:
        """Since 9.2 pytest takes ids apart for JUnit too, and would put the bracket last."""
        xml = self.config.stash.get(xml_key, None)
        if xml is not None:
            base, bracket, rest = nodeid.partition("[")
            xml.node_reporter(report).add_attribute("name", f"{base.rpartition('::')[2]}{bracket}{rest}")

    def _why(self, gate: Gate) -> str:
        examples = [
            example
            for example in self.counterexamples
            if (example.row["suite"], example.row["model"]) == (gate.suite, gate.model)
        ]
        return "\n".join([gate.reason, *(f"  {example.one_line}" for example in examples)])

    def _rerun_with_lf(self, gate: Gate, nodeid: str) -> None:
        """`--lf` knows items, not gates: after a failed gate it is to run the gate's items again."""
        last_failed = self.config.pluginmanager.get_plugin("lfplugin")
        if last_failed is not None and hasattr(last_failed, "lastfailed"):
            last_failed.lastfailed.pop(nodeid, None)
            items = [info["test"] for info in self.infos if (info["suite"], info["model"]) == (gate.suite, gate.model)]
            last_failed.lastfailed.update(dict.fromkeys(items, True))

    def _shrink(self, session: pytest.Session) -> None:
        budget = self.run.option("shrink-budget")
        failing = {key: rows for key, rows in self._suites().items() if smallest_failures(rows)}
        if not budget or not failing:
            return
        items = _items(session, self.infos, failing)
        for key, rows in failing.items():
            if key not in items:
                continue
            try:
                shrink_suite(items[key], rows, budget, self.counterexamples, self._tell)
            except ModelError as problem:
                self._tell(f"shrinking ended: {problem}")
                return

    def _tell(self, text: str) -> None:
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None and self.config.get_verbosity() >= 0:
            terminal.ensure_newline()
            terminal.write_line(f"autoeval: {text}")

    def summarize(self, terminal: Any) -> None:
        """Writes the summary, also of a run that was interrupted."""
        if not self.rows:
            return
        terminal.section("autoeval")
        markup: dict[str, dict[str, bool]] = {
            "good": {"green": True},
            "bad": {"red": True},
            "warn": {"yellow": True},
            "dim": {"light": True},
            "title": {"bold": True},
        }
        lines = render(
            suite_summaries(self.rows, self.gates),
            self.counterexamples,
            verbosity=self.config.get_verbosity(),
            width=terminal._tw.fullwidth,  # noqa: SLF001  (pytest offers no public way to the width)
            unicode=_speaks_unicode(terminal),
        )
        for line in lines:
            terminal.write_line(line.text, **markup.get(line.style, {}))
        for text in sorted({note for info in self.infos for note in info["notes"]}):
            terminal.write_line(f"note: {text}", light=True)
        problems = [problem for info in self.infos for problem in info["problems"]]
        if typed(self.config, "autoeval_dataset") and not any(info["own_data"] for info in self.infos):
            terminal.write_line("--autoeval-dataset: no suite of this run takes data from files", yellow=True)
        for text in (*left_out(self.config, problems), *self._unused_recordings()):
            terminal.write_line(text, yellow=True)

    def _unused_recordings(self) -> list[str]:
        """Recordings that no request of a whole run asked for: their prompts or formulas are gone."""
        settings = self.run.settings
        failed = any(row["outcome"] == "error" for row in self.rows)
        partial = self.interrupted or failed or _chooses(self.config)
        if settings.record_mode is None or settings.cassettes is None or partial:
            return []
        models = dict.fromkeys(row["model"] for row in self.rows)
        unused = unused_recordings(settings.cassettes, models, self.run.used_recordings())
        return listed(self.config, f"recordings that this run did not use, in {settings.cassettes}", unused)


def _chooses(config: pytest.Config) -> bool:
    """Whether only some items of the suites were asked for."""
    option = config.option
    chosen = (option.keyword, option.markexpr, option.deselect, getattr(option, "lf", False), option.autoeval_formula)
    return any(chosen) or any("::" in argument for argument in config.args)


def _node_id(text: str) -> Any:
    """A gate's id as pytest shows it: since 9.2 pytest takes ids apart, and would put the bracket last."""
    try:
        from _pytest.nodeid import NodeId
    except ImportError:
        return text
    path, _, name = text.partition("::")
    return NodeId(path=path, names=(name,))


def _speaks_unicode(terminal: Any) -> bool:
    encoding = getattr(terminal._tw._file, "encoding", None) or "ascii"  # noqa: SLF001
    try:
        "▁█∧∀¬".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _items(
    session: pytest.Session, infos: Sequence[dict[str, Any]], wanted: dict[Key, Any]
) -> dict[Key, pytest.Function]:
    """One item of each wanted suite. Under xdist the controller has none, and collects these few."""
    chosen = {(info["suite"], info["model"]): info for info in reversed(infos)}
    targets = {key: chosen[key] for key in wanted if key in chosen}
    have = {item.nodeid: item for item in getattr(session, "items", ())}
    if any(info["test"] not in have for info in targets.values()):
        have = _collect(session, [info["path"] + "::" + info["test"].partition("::")[2] for info in targets.values()])
    found = {key: have.get(info["test"]) for key, info in targets.items()}
    return {key: item for key, item in found.items() if isinstance(item, pytest.Function)}


def _collect(session: pytest.Session, arguments: list[str]) -> dict[str, pytest.Item]:
    counted = session.testscollected
    with _silent(session.config):
        session.perform_collect(arguments)
    session.testscollected = counted
    return {item.nodeid: item for item in session.items}


@contextmanager
def _silent(config: pytest.Config) -> Iterator[None]:
    """Keeps collecting anew out of the terminal."""
    manager = config.pluginmanager
    terminal = manager.get_plugin("terminalreporter")
    if terminal is None:
        yield
        return
    manager.unregister(terminal)
    try:
        yield
    finally:
        manager.register(terminal, "terminalreporter")
