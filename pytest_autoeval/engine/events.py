"""The events of a run, which carry the lines of its results.

Everything that is shown, written or decided about a run follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pytest_autoeval.engine.option_values import Need
from pytest_autoeval.engine.suite import Obstacle
from pytest_autoeval.record.lines import RunEnd, Sample, SuiteEnd, SuiteRecord

if TYPE_CHECKING:
    from pytest_autoeval.judging.suite_judgement import SuiteJudgement
    from pytest_autoeval.report.analysis import Analysis
    from pytest_autoeval.report.counterexample import Counterexample


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    """A suite starts: ``suite.asked`` says what is asked, of whom. ``suite.samples`` grows as samples end.

    ``planned`` is the largest number of samples that this run asks, with their repeats.
    """

    suite: SuiteRecord
    planned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleEnded:
    """A sample has its outcome. The thread that ran the sample emits the event at once."""

    sample: Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteJudged:
    """All samples of a suite have ended, and it is judged: ``end`` is how it ended, ``judgement`` has its gates.

    ``taken_over`` is the number of samples whose calls were all made by an earlier run. ``notes`` are lines for the
    summary. ``own_data``: the suite used rows of the user's data. ``broken`` is the number of samples in which the
    test's own code raised an exception. ``needs_met`` is what the suite offers to options, and ``own_prompts`` are the
    files of the user's prompts that it used.
    """

    suite: SuiteRecord
    end: SuiteEnd
    judgement: SuiteJudgement
    counterexamples: tuple[Counterexample, ...] = ()
    taken_over: int = 0
    notes: tuple[str, ...] = ()
    own_data: bool = False
    broken: int = 0
    needs_met: frozenset[Need] = frozenset()
    own_prompts: frozenset[str] = frozenset()

    @property
    def test(self) -> str:
        """The id of the test."""
        return self.suite.asked.test

    @property
    def problems(self) -> tuple[str, ...]:
        """The rows of the suite's data that were left out."""
        return self.end.rows_left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteLeftOut:
    """A test cannot be run with these options. ``obstacle`` is the kind of ``reason``.

    ``test`` is the id of the test, ``function`` its file, class and function. ``end`` is None for a test that is no
    suite.
    """

    test: str
    function: str
    obstacle: Obstacle
    reason: str
    end: SuiteEnd | None = None
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The rows of the suite's data that were left out."""
        return () if self.end is None else self.end.rows_left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesListed:
    """A model has listed the names of a file of sentences that has no glossary.

    ``names`` maps each name to its phrase, as the glossary of the file would.
    """

    file: Path
    language: str
    model: str
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The last event: how the run ended, and its analysis."""

    end: RunEnd
    analysis: Analysis

    @property
    def interrupted(self) -> bool:
        """Whether the run ended before all suites were judged."""
        return self.end.interrupted


Event: TypeAlias = (
    "SuiteStarted | NamesListed | SampleEnded | SuiteJudged | SuiteLeftOut | RunEnded"
)
