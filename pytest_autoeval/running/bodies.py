"""Runs the body of a pass-rate test with one trial, and tells how it ended.

With `--autoeval-stop-early` a suite ends when its gate is known to pass or to fail.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Literal, cast
from unittest import SkipTest

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.models.base import ConfigurationError, LimitReachedError
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.prompts import PromptError
from pytest_autoeval.reporting.error_kinds import kinds_of
from pytest_autoeval.reporting.judging.gates import Gate, Rule, StoppedEarly
from pytest_autoeval.reporting.results import ResultsError
from pytest_autoeval.reporting.text import count
from pytest_autoeval.running.settings import Settings
from pytest_autoeval.statistics.sequential import reaches
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, under_trial

#: Errors after which no further sample of the run can succeed.
FATAL = (ConfigurationError, PromptError, ResultsError)
#: Errors after which no further sample of the suite is started.
ENDING = (*FATAL, LimitReachedError)
#: A skip or an exit inside a body is an error of its sample, and must not become the suite's result.
_ONE_LINE = (AutoevalError, SkipTest, pytest.exit.Exception)
#: How many kinds of error are shown.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How one trial ended: its outcome's name, and the exception of its body."""

    trial: Trial
    outcome: str
    raised: BaseException | None = None

    @property
    def sample(self) -> Sample:
        """What a suite's trial is about."""
        return cast("Sample", self.trial.subject)


def run_body(body: Callable[[Trial], object], trial: Trial) -> TrialResult:
    """Runs one body to its end, also one that is a coroutine."""
    with under_trial(trial):
        try:
            value = body(trial)
            if isawaitable(value):
                import anyio

                awaited: Awaitable[object] = value
                value = anyio.run(lambda: awaited)
        except MeaningLostError as lost:
            return TrialResult(trial, lost.outcome, lost)
        except UndecidedError as undecided:
            return TrialResult(trial, "undecided", undecided)
        except (AssertionError, pytest.fail.Exception) as failed:
            return TrialResult(trial, "assertion failed", failed)
        except BaseException as error:  # noqa: BLE001  (a body may raise anything; its suite reports it)
            return TrialResult(trial, "error", error)
    if value is not None:
        problem = f"the test returned a value ({type(value).__name__}) instead of checking it: write assert"
    elif trial.task is not None and not trial.performed:
        problem = f"the body never called perform(), so the task {trial.task.name} did not run"
    else:
        asked = trial.verdict is not None and trial.verdict.outcome == "equivalent"
        return TrialResult(trial, trial.outcome or ("equivalent" if asked else "passed"))
    return TrialResult(trial, "error", AutoevalError(problem))


def raise_errors(results: Sequence[TrialResult]) -> None:
    """Fails the item where trials ended in errors, with one message for each kind of error and the number of its kind.

    A mistake of the body is raised as it is, with its traceback. Nothing that is shown depends on the order of the
    results.
    """
    errors = [result for result in results if result.outcome == "error"]
    if not errors:
        return
    for result in sorted(errors, key=lambda one: (one.sample.text, one.trial.repeat)):
        if isinstance(result.raised, Exception) and not isinstance(result.raised, _ONE_LINE):
            raise result.raised
    noted: dict[str, list[list[str]]] = defaultdict(list)
    for result in errors:
        text = str(result.raised) if isinstance(result.raised, AutoevalError) else plain_text(result.raised) or ""
        noted[text].append(getattr(result.raised, "__notes__", []))
    lines = [f"{len(errors)} of {len(results)} samples ended in an error:"]
    for text, number in list(kinds_of(text for text, notes in noted.items() for _ in notes).items())[:_SHOWN]:
        shown = "\n".join([text, *min(noted[text])])
        lines.append(f"{number} × {shown}" if number > 1 else shown)
    pytest.fail("\n".join(lines), pytrace=False)


def first_of(errors: tuple[type[Exception], ...], results: Iterable[TrialResult]) -> BaseException | None:
    """The first error of some kinds, where there was one."""
    return next((result.raised for result in results if isinstance(result.raised, errors)), None)


def plain_text(error: BaseException | None) -> str | None:
    """An exception as it stands in a row of the results."""
    if isinstance(error, MeaningLostError | UndecidedError):
        return str(error).partition("\n")[0]
    return None if error is None else f"{type(error).__name__}: {error}"


#: A part is this share of a suite, but no smaller than so many trials: calls wait between two parts.
_SHARE, _FEWEST = 20, 20


def parts(trials: Sequence[Trial]) -> list[Sequence[Trial]]:
    """The trials in the parts in which they are run; after each the gate may be decided.

    The parts depend only on the number of trials, and a part is looked at only when it is complete: so the same samples
    run with any concurrency and number of workers.
    """
    size = max(_FEWEST, len(trials) // _SHARE)
    return [trials[start : start + size] for start in range(0, len(trials), size)]


def stopped_early(
    results: Sequence[TrialResult], trials: Sequence[Trial], threshold: float, settings: Settings
) -> StoppedEarly | None:
    """What ends a suite of some trials after the parts that ended so; None where it goes on.

    A suite with an error goes on: its gate cannot pass, and the samples show why.
    """
    kinds = Counter(outcome_named(result.outcome).kind for result in results)
    ran, planned = len(results), len(trials)
    if kinds["error"] or ran == planned:
        return None
    alike = Counter(str(trial.about.formula) for trial in trials).values()
    widening = sum(size * size for size in alike) / planned
    early = EarlyVerdict(planned, threshold, settings.gate, settings.alpha, alike=widening)
    verdict = early.after(ran, passed=kinds["pass"], undecided=kinds["undecided"])
    if verdict is None:
        return None
    calls = round((planned - ran) * sum(len(result.trial.calls) for result in results) / ran)
    saved = f"about {count(calls, 'call')}" if calls else ""
    return StoppedEarly(
        verdict=verdict, ran=ran, planned=planned, gate=settings.gate, alpha=settings.alpha, saved=saved
    )


class EarlyVerdict:
    """What the gate will say of a whole run of which a part was seen.

    It is wrong at most at the rate ``alpha``, however often one looks, unless samples that were not run would have
    ended in errors. ``alike`` is the design effect of trials about one formula, which widens the interval. An
    inconclusive end is never predicted.
    """

    def __init__(self, planned: int, threshold: float, rule: Rule, alpha: float, *, alike: float = 1.0) -> None:
        self._planned, self._rule = planned, rule
        #: The rule `interval` has two questions, each of which may be answered wrongly.
        self._alpha = alpha if rule == "point" else alpha / 2

        def verdict(passed: int) -> str:
            asked: dict[str, Any] = {"threshold": threshold, "rule": rule, "design_effect": alike}
            return Gate(suite="", model="", samples=planned, passed=passed, **asked).verdict

        totals = range(planned + 1)
        #: From which number of passes on the gate passes, and from which on it no longer fails.
        self._passing = bisect_left(totals, True, key=lambda passed: verdict(passed) == "passed")
        self._not_failing = bisect_left(totals, True, key=lambda passed: verdict(passed) != "failed")

    def after(self, ran: int, *, passed: int, undecided: int) -> Literal["passed", "failed"] | None:
        """The verdict after so many trials in random order, or None while it is open."""
        if self._reaches(self._passing, passed, ran):
            return "passed"
        # The interval's upper end counts an undecided trial as passed; the rate does not.
        possible = passed + undecided if self._rule == "interval" else passed
        return "failed" if self._reaches(self._not_failing, possible, ran) is False else None

    def _reaches(self, needed: int, passed: int, ran: int) -> bool | None:
        return reaches(needed, passes=passed, seen=ran, planned=self._planned, alpha=self._alpha)
