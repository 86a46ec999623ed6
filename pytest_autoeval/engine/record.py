"""The state of a run, collected from its events: suites, judgements, progress."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_autoeval.engine.events import (
    Event,
    NamesListed,
    SampleEnded,
    SuiteJudged,
    SuiteLeftOut,
    SuiteStarted,
)
from pytest_autoeval.record.lines import Sample, SuiteRecord

if TYPE_CHECKING:
    from pytest_autoeval.judging.rules import Rules
    from pytest_autoeval.judging.suite_judgement import SuiteJudgement
    from pytest_autoeval.report.analysis import Analysis
    from pytest_autoeval.report.counterexample import Counterexample


class SuiteProgress(NamedTuple):
    """The numbers of planned, ended and passed samples of a suite."""

    planned: int
    ended: int = 0
    passed: int = 0


class Record:
    """What the events of a run say, in their order. Events are taken one at a time."""

    def __init__(self) -> None:
        #: The suites that have started, by number. One that starts again replaces the first one: its worker died.
        self.suites: dict[int, SuiteRecord] = {}
        self.judged: list[SuiteJudged] = []
        #: The numbers of these suites, so that a run of many suites does not search the list at each start.
        self._judged_numbers: set[int] = set()
        self.left_out: list[SuiteLeftOut] = []
        #: The numbers of suites that ran more than once to their end, so that nobody knows which samples count.
        self.repeated: set[int] = set()
        #: The names that models listed, by file and language.
        self.names: dict[tuple[Path, str], NamesListed] = {}
        #: Suites that have started and are not judged, by the ids of their tests.
        self.going: dict[str, SuiteProgress] = {}

    def take(self, event: Event) -> None:
        match event:
            case SuiteStarted(suite=suite, planned=planned):
                # A plugin runs the test again. A worker that died left no judgement, and its suite may start anew.
                if suite.number in self._judged_numbers:
                    self.repeated.add(suite.number)
                self.suites[suite.number] = suite
                self.going[suite.asked.test] = SuiteProgress(planned)
            case NamesListed():
                self.names[event.file, event.language] = event
            case SampleEnded(sample=sample):
                test = sample.suite.asked.test
                # Samples of a worker that died may still come, after its suite has started again elsewhere.
                if test in self.going and self.suites.get(sample.suite.number) is sample.suite:
                    planned, ended, passed = self.going[test]
                    self.going[test] = SuiteProgress(planned, ended + 1, passed + sample.passed)
            case SuiteJudged(suite=suite):
                if self.suites.get(suite.number) is not suite:  # two workers run it at once
                    self.repeated.add(suite.number)
                self.judged.append(event)
                self._judged_numbers.add(suite.number)
                self.going.pop(event.test, None)
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
    def samples(self) -> list[Sample]:
        """The samples of all suites, also those that count in no rate."""
        return [sample for suite in self.suites.values() for sample in suite.samples]

    @property
    def judgements(self) -> dict[int, SuiteJudgement]:
        """The judgements by the numbers of their suites, except those of suites that ran more than once."""
        judged = {event.suite.number: event.judgement for event in self.judged}
        return {
            number: judgement for number, judgement in judged.items() if number not in self.repeated
        }

    def put_in_order(self) -> None:
        """Sorts suites and samples, so that no report depends on the order in which they ended."""
        self.suites = dict(sorted(self.suites.items()))
        for suite in self.suites.values():
            suite.samples = sorted(suite.samples, key=lambda sample: sample.key)

    def analysis(
        self, rules: Rules, *, lost: Iterable[SuiteRecord] = (), **details: Any
    ) -> Analysis:
        """The analysis of the whole run. Suites without a judgement were interrupted; ``lost`` ones never started.

        ``details`` is what the events of the run do not say, as in :func:`analyse`.
        """
        from pytest_autoeval.judging.gates import Extent
        from pytest_autoeval.report.analysis import analyse

        judgements = self.judgements
        suites = {**{suite.number: suite for suite in lost}, **self.suites}
        extents = dict.fromkeys(suites.keys() - judgements.keys(), Extent(interrupted=True))
        suites_in_order = [suites[number] for number in sorted(suites)]
        left_out = [event.end for event in self.left_out if event.end is not None]
        return analyse(
            suites_in_order,
            rules,
            judgements=judgements,
            extents=extents,
            ends_without_suite=left_out,
            **details,
        )
