"""The events of a run. Everything that is shown, written or decided about a run follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pytest_autoeval.engine.option_values import Need
from pytest_autoeval.engine.suite import Obstacle
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.row import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    """A suite starts. ``planned`` is the largest number of samples, with their repeats.

    ``test`` is the id of the test, here and in the other events.
    """

    test: str
    suite: str
    model: str
    planned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleEnded:
    """A sample has its outcome. The thread that ran the sample emits the event at once."""

    test: str
    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteJudged:
    """All samples of a suite have ended, and it is judged.

    ``taken_over`` is the number of samples whose calls were all made by an earlier run. ``notes`` are lines for the
    summary. ``own_data``: the suite used rows of the user's data; ``problems`` are the rows that were left out.
    ``broken`` is the number of samples in which the test's own code raised an exception. ``needs_met`` is what the
    suite offers to options, and ``own_prompts`` are the files of the user's prompts that it used.
    """

    test: str
    function: str
    judgement: SuiteJudgement
    counterexamples: tuple[Counterexample, ...] = ()
    taken_over: int = 0
    notes: tuple[str, ...] = ()
    own_data: bool = False
    problems: tuple[str, ...] = ()
    broken: int = 0
    needs_met: frozenset[Need] = frozenset()
    own_prompts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteLeftOut:
    """A test cannot be run with these options. ``obstacle`` is the kind of ``reason``."""

    test: str
    function: str
    obstacle: Obstacle
    reason: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


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
    """The last event. ``interrupted``: the run ended before all suites were judged."""

    analysis: Analysis
    interrupted: bool = False


Event: TypeAlias = "SuiteStarted | NamesListed | SampleEnded | SuiteJudged | SuiteLeftOut | RunEnded"
