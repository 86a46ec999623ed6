"""What the controlling process does when the items are done: gates, smallest counterexamples, the summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.models import ModelError, unused_recordings
from pytest_autoeval.reporting.analysis import INCONCLUSIVE, Analysis, Extent, Rules, StoppedEarly, analyse
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.kept import KeptResult
from pytest_autoeval.reporting.line import Line
from pytest_autoeval.reporting.results import counted, read
from pytest_autoeval.reporting.terminal.summary import render
from pytest_autoeval.running.gate_reports import report_gates
from pytest_autoeval.running.kept import Scope, keep
from pytest_autoeval.running.left_out import left_out, listed
from pytest_autoeval.running.options import paths, typed
from pytest_autoeval.running.outputs import write_outputs
from pytest_autoeval.running.run import Run
from pytest_autoeval.running.shared import BASELINE
from pytest_autoeval.running.shrinking import command, shrink_suite, smallest_failures, unshrunk
from pytest_autoeval.running.suite_names import in_suite

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
        self.counterexamples: list[Counterexample] = []
        self.analysis = Analysis()
        #: What was written beside the results, or could not be, a line each.
        self.written: list[Line] = []
        self.interrupted = False

    def conclude(self, session: pytest.Session, *, interrupted: bool) -> None:
        """Reads every row back, shrinks the failures, judges the run and reports it. An interrupted run is not judged.

        Its file stays as it is: workers may still be writing to it.
        """
        self.interrupted = interrupted
        results = self.run.results
        if results.path.exists():
            self.rows = read(results.path).rows
            if not interrupted:
                self.rows = results.finish(self._ended())
        if not self.rows:
            self.analysis = Analysis(kept=self._kept())
            return
        try:
            if not interrupted:
                self._shrink(session)
        finally:
            self._judge()
            if not interrupted:
                report_gates(self.config, session, self.analysis, self.infos)
            self.written = write_outputs(self.config, self.analysis, self._command)

    def _ended(self) -> list[Row]:
        """The rows as they stay, for a report afterwards: what ended a suite before its plan did stands in its own."""
        suites = self._suites()
        extents = {key: self._extent(*key) for key in suites}
        ended = []
        for row in self.rows:
            key = (row["suite"], row["model"])
            kept = {name: value for name, value in row.items() if name != "unfinished"}
            if key in suites and not row.get("kept"):
                extent = extents[key]
                if extent.incomplete(len(suites[key])):
                    kept["unfinished"] = True
                if extent.stopped_early is not None:
                    kept["stopped_early"] = asdict(extent.stopped_early) | {"gate": self.run.option("gate")}
            ended.append(kept)
        return ended

    def _judge(self) -> None:
        known = {example.key for example in self.counterexamples}
        for key, rows in self._suites().items():
            self.counterexamples += [
                unshrunk(self.config, row, self._path(row))
                for kind, row in smallest_failures(rows).items()
                if (*key, kind) not in known
            ]
        baseline = paths(self.config, "baseline")
        self.analysis = analyse(
            self.rows,
            Rules(
                threshold=self.run.option("threshold"),
                gate=self.run.option("gate"),
                alpha=self.run.option("alpha"),
                drop=self.run.option("fail-on"),
            ),
            baseline=self.config.stash.get(BASELINE, None),
            baseline_name=baseline[0].name if baseline else "",
            extents={key: self._extent(*key) for key in self._judged()},
            counterexamples=self.counterexamples,
            kept=self._kept(),
        )

    def _kept(self) -> list[KeptResult]:
        scope: Scope = "interrupted" if self.interrupted else "chosen" if self._partial else "whole"
        return keep(self.config, self.counterexamples, self.rows, self.infos, scope)

    def _suites(self) -> dict[Key, list[Row]]:
        """The rows that count, by suite and model."""
        grouped: dict[Key, list[Row]] = defaultdict(list)
        for row in counted(self.rows):
            grouped[row["suite"], row["model"]].append(row)
        return dict(sorted(grouped.items()))

    def _judged(self) -> list[Key]:
        """What is to have a gate: also a suite that was to run and has no row."""
        planned = {(info["suite"], info["model"]) for info in self.infos if info["planned"]}
        return sorted(planned | self._suites().keys())

    def _extent(self, suite: str, model: str) -> Extent:
        infos = [info for info in self.infos if (info["suite"], info["model"]) == (suite, model)]
        unknown = self.interrupted or any(in_suite(nodeid, suite, model) for nodeid in self.broken)
        stopped = next((info["stopped_early"] for info in infos if info["stopped_early"]), None)
        return Extent(
            planned=None if unknown else sum(info["planned"] for info in infos),
            interrupted=unknown,
            stopped_early=None if stopped is None else StoppedEarly(**stopped),
        )

    def _path(self, row: Row) -> Path:
        told = next((info["path"] for info in self.infos if info["test"] == row["test"]), None)
        return Path(told) if told else self.config.rootpath / row["test"].partition("::")[0]

    def _command(self, row: Row) -> str:
        """What asks the same again."""
        return command(self.config, row, self._path(row))

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

    @property
    def exit_code(self) -> int:
        """The code of a run in which nothing failed: 10 where a gate is inconclusive."""
        return INCONCLUSIVE if any(gate.inconclusive for gate in self.analysis.judgements) else pytest.ExitCode.OK

    def summarize(self, terminal: Any) -> None:
        """Writes the summary, also of a run that was interrupted."""
        if not self.rows and not self.analysis.kept:
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
            self.analysis,
            verbosity=self.config.get_verbosity(),
            width=terminal._tw.fullwidth,  # noqa: SLF001  (pytest offers no public way to the width)
            unicode=_speaks_unicode(terminal),
        )
        for line in (*lines, *self.written):
            terminal.write_line(line.text, **markup.get(line.style, {}))
        for text in sorted({note for info in self.infos for note in info["notes"]}):
            terminal.write_line(f"note: {text}", light=True)
        problems = [problem for info in self.infos for problem in info["problems"]]
        if typed(self.config, "autoeval_dataset") and not any(info["own_data"] for info in self.infos):
            terminal.write_line("--autoeval-dataset: no suite of this run takes data from files", yellow=True)
        for text in (*left_out(self.config, problems), *self._unused_recordings()):
            terminal.write_line(text, yellow=True)

    @property
    def _partial(self) -> bool:
        """Whether only a part of what the tests would ask was asked."""
        return self.interrupted or _chooses(self.config)

    def _unused_recordings(self) -> list[str]:
        """Recordings that no request of a whole run asked for: their prompts or formulas are gone."""
        settings = self.run.settings
        failed = any(row["outcome"] == "error" for row in self.rows)
        if settings.record_mode is None or settings.cassettes is None or failed or self._partial:
            return []
        models = dict.fromkeys(row["model"] for row in self.rows)
        unused = unused_recordings(settings.cassettes, models, self.run.used_recordings())
        return listed(self.config, f"recordings that this run did not use, in {settings.cassettes}", unused)


def _chooses(config: pytest.Config) -> bool:
    """Whether only some items of the suites were asked for."""
    option = config.option
    chosen = (
        option.keyword,
        option.markexpr,
        option.deselect,
        getattr(option, "lf", False),
        getattr(option, "stepwise", False),
        option.autoeval_formula,
    )
    return any(chosen) or any("::" in argument for argument in config.args)


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
