"""The state of a run, collected from its events: rows, judgements, progress of its suites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from pytest_autoeval.engine.agreement import sentence_meanings
from pytest_autoeval.engine.events import Event, NamesListed, SampleEnded, SuiteJudged, SuiteLeftOut, SuiteStarted
from pytest_autoeval.judging.gates import Extent, Rules
from pytest_autoeval.judging.items import SuiteKey, by_suite, grouped, identity_of
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.reporting.analysis import Analysis, analyse
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.results import in_order
from pytest_autoeval.reporting.row import Row, counted, without_times


class SuiteProgress(NamedTuple):
    """The numbers of planned, ended and passed samples of a suite."""

    planned: int
    ended: int = 0
    passed: int = 0


class Record:
    """Collects events from any thread, in their order."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.rows: list[Row] = []
        self.judged: list[SuiteJudged] = []
        self.left_out: list[SuiteLeftOut] = []
        #: The names that models listed, by file and language.
        self.names: dict[tuple[Path, str], NamesListed] = {}
        #: Returns the suites and models that the run has, as far as that is known.
        self.planned: Callable[[], Iterable[SuiteKey]] = lambda: ()
        #: What could not be collected, so that it is unknown which suites it has.
        self.not_collected: list[str] = []
        #: Suites that have started and are not judged, by the ids of their tests.
        self.going: dict[str, SuiteProgress] = {}

    def take(self, event: Event) -> None:
        with self._lock:
            match event:
                case SuiteStarted(test=test, planned=planned):
                    self.going[test] = SuiteProgress(planned)
                case NamesListed():
                    self.names[event.file, event.language] = event
                case SampleEnded(test=test, row=row):
                    self.rows.append(row)
                    if test in self.going:
                        planned, ended, passed = self.going[test]
                        self.going[test] = SuiteProgress(planned, ended + 1, passed + row.passed)
                case SuiteJudged(test=test):
                    self.judged.append(event)
                    self.going.pop(test, None)
                case SuiteLeftOut():
                    self.left_out.append(event)

    @property
    def counterexamples(self) -> list[Counterexample]:
        return [example for event in self.judged for example in event.counterexamples]

    @property
    def ended(self) -> list[SuiteJudged | SuiteLeftOut]:
        """The events of all suites that were judged or left out."""
        return [*self.judged, *self.left_out]

    @property
    def mixed(self) -> set[SuiteKey]:
        """Suites that ran more than once, or under the name of another, so that their rows cannot be separated."""
        return {key for key, number in Counter(event.judgement.key for event in self.judged).items() if number > 1}

    def judgements(self, unknown: Collection[SuiteKey] = ()) -> dict[SuiteKey, SuiteJudgement]:
        """The judgements of the suites, except mixed ones and those of which it is ``unknown`` whether they are
        complete.
        """
        judgements = {event.judgement.key: event.judgement for event in self.judged}
        return {key: judgement for key, judgement in judgements.items() if key not in self.mixed and key not in unknown}

    def with_plan(self, row: Row, skipped: Collection[SuiteKey] = ()) -> Row:
        """The row with the suites of the whole run, for the first row of a file. Suites that were ``skipped`` are left
        out.

        Without it, a file whose run ended between two suites would look complete.
        """
        suites: dict[str, list[str]] = {}
        for suite, model in sorted(set(self.planned()).difference(skipped)):
            suites.setdefault(suite, []).append(model)
        plan: dict[str, Any] = {"run_suites": suites} if suites else {}
        if self.not_collected:
            plan["run_not_collected"] = sorted(self.not_collected)
        return replace(row, facts={**row.facts, **plan})

    def final_rows(
        self, unknown: Collection[SuiteKey] = (), *, once: bool = False, skipped: Collection[SuiteKey] = ()
    ) -> list[Row]:
        """The final rows in order, with how the suite of each ended; the first one with the plan of the run.

        ``once``: samples that a worker began before it died and that another worker repeated count once. ``skipped``
        are suites that were planned, and not to run after all.
        """
        final: list[Row] = []
        shrunk = {identity_of(example.row): example for example in self.counterexamples}
        judgements = self.judgements(unknown)
        for key, rows in by_suite(self.rows).items():
            ended: dict[str, Any] = {"unfinished": True}
            if (judgement := judgements.get(key)) is not None:
                gate = judgement.gate
                ended = {"unfinished": gate.interrupted, "stopped_early": gate.stopped_early}
            for row in _once(rows) if once else rows:
                example = shrunk.get(identity_of(row)) if shrunk else None
                made: dict[str, Any] = {}
                if example is not None:
                    simplest = None if example.shrunk_row is None else example.shrunk_row.formula
                    made = {"shrinking": example.calls, "shrunk_to": simplest}
                final.append(replace(row, **ended, **made))
        ordered = in_order(final)
        return [*(self.with_plan(row, skipped) for row in ordered[:1]), *ordered[1:]]

    def analysis(
        self, rows: Sequence[Row], rules: Rules, *, unknown: Collection[SuiteKey] = (), **more: Any
    ) -> Analysis:
        """The analysis of the whole run. ``rows`` are the final ones; suites without a judgement were interrupted.

        ``more`` is what the events of the run do not say, as in :func:`analyse`.
        """
        judgements = self.judgements(unknown)
        keys = {*by_suite(counted(rows)), *self.mixed, *unknown} - judgements.keys()
        extents = dict.fromkeys(keys, Extent(interrupted=True))
        return analyse(rows, rules, judgements=judgements, extents=extents, meanings=sentence_meanings, **more)


def _once(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows of a suite, with equal rows of one sample only once."""
    if len({(row.operators, row.index, row.repeat) for row in rows}) == len(rows):
        return rows
    unique: list[Row] = []
    for alike in grouped(rows, identity_of).values():
        unique += [row for at, row in enumerate(alike) if without_times(row) not in map(without_times, alike[:at])]
    return unique
