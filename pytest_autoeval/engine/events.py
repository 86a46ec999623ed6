"""What a run tells while it runs. Everything that is shown, written or decided of a run follows from its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pytest_autoeval.engine.suite import Obstacle
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.judging.suites import SuiteJudgement
from pytest_autoeval.reporting.row import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    """A suite begins with its samples; ``planned`` is how many it is to have, at most, with their repeats.

    ``test`` is the id of the test, here and in the other events.
    """

    test: str
    suite: str
    model: str
    planned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleEnded:
    """A sample has its outcome. It is told by the thread that ran the sample, the moment that it ended."""

    test: str
    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteJudged:
    """All samples of a suite have ended, and it is judged.

    ``taken_over`` is the number of samples of which an earlier run had made all calls. ``notes`` are for the summary, a
    line each. ``own_data``: the suite took rows of the user's data; ``problems`` are those that were left out.
    ``kept_problems`` are the files of kept counterexamples that could not be asked, with the reasons.
    """

    test: str
    function: str
    judgement: SuiteJudgement
    counterexamples: tuple[Counterexample, ...] = ()
    taken_over: int = 0
    notes: tuple[str, ...] = ()
    own_data: bool = False
    problems: tuple[str, ...] = ()
    kept_problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteLeftOut:
    """A test cannot be run with what was asked for; ``obstacle`` is the kind of ``reason``."""

    test: str
    function: str
    obstacle: Obstacle
    reason: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """Nothing more comes; ``interrupted``: before all suites were judged."""

    analysis: Analysis
    interrupted: bool = False


Event: TypeAlias = "SuiteStarted | SampleEnded | SuiteJudged | SuiteLeftOut | RunEnded"
