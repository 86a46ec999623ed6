"""`--autoeval-stop-early`: a suite ends as soon as its gate is known to pass or to fail."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from pytest_autoeval.engine.bodies import TrialResult
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.outcomes import OutcomeKind, outcome_named
from pytest_autoeval.reporting.judging.gates import Gate, Rule, StoppedEarly
from pytest_autoeval.reporting.text import count
from pytest_autoeval.statistics.sequential import reaches
from pytest_autoeval.tasks.trial import Trial

#: A part is this share of a suite, but at least this many trials, since calls pause between two parts.
_SHARE, _FEWEST = 20, 20


def parts(trials: Sequence[Trial]) -> list[Sequence[Trial]]:
    """The trials in parts. After each part the gate may be decided.

    The parts depend only on the number of trials, and only complete parts are judged. So the same samples run with any
    concurrency and any number of workers.
    """
    size = max(_FEWEST, len(trials) // _SHARE)
    return [trials[start : start + size] for start in range(0, len(trials), size)]


def stopped_early(
    results: Sequence[TrialResult], trials: Sequence[Trial], threshold: float, settings: Settings
) -> StoppedEarly | None:
    """Why a suite ends after these parts, or None if it continues.

    A suite with an error continues: its gate cannot pass, and the other samples show why.
    """
    kinds = Counter(outcome_named(result.outcome).kind for result in results)
    ran, planned = len(results), len(trials)
    if kinds[OutcomeKind.ERROR] or ran == planned:
        return None
    alike = Counter(map(_question, trials)).values()
    widening = sum(size * size for size in alike) / planned
    early = EarlyVerdict(planned, threshold, settings.gate, settings.alpha, alike=widening)
    verdict = early.after(ran, passed=kinds[OutcomeKind.PASS], undecided=kinds[OutcomeKind.UNDECIDED])
    if verdict is None:
        return None
    calls = round((planned - ran) * sum(len(result.trial.calls) for result in results) / ran)
    saved = f"about {count(calls, 'call')}" if calls else ""
    return StoppedEarly(
        verdict=verdict, ran=ran, planned=planned, gate=settings.gate, alpha=settings.alpha, saved=saved
    )


def _question(trial: Trial) -> tuple[str, str]:
    """What a trial asks: a formula, or a sentence without one."""
    facts = getattr(trial.about, "facts", {})
    return str(trial.about.formula), "" if str(trial.about.formula) else facts.get("sentence", "")


class EarlyVerdict:
    """Predicts the gate's verdict on a whole suite from the part that ran.

    It is wrong at most at the rate ``alpha``, however often it is asked, unless samples that were not run would have
    ended in errors. ``alike`` is the design effect of several trials of one formula, which widens the interval. An
    inconclusive end is never predicted.
    """

    def __init__(self, planned: int, threshold: float, rule: Rule, alpha: float, *, alike: float = 1.0) -> None:
        self._planned, self._rule = planned, rule
        #: The rule `interval` asks two questions, and either answer may be wrong.
        self._alpha = alpha if rule == "point" else alpha / 2

        def verdict(passed: int) -> str:
            asked: dict[str, Any] = {"threshold": threshold, "rule": rule, "design_effect": alike}
            return Gate(suite="", model="", samples=planned, passed=passed, **asked).verdict

        totals = range(planned + 1)
        #: The smallest number of passes at which the gate passes, and at which it no longer fails.
        self._passing = bisect_left(totals, True, key=lambda passed: verdict(passed) == "passed")
        self._not_failing = bisect_left(totals, True, key=lambda passed: verdict(passed) != "failed")

    def after(self, ran: int, *, passed: int, undecided: int) -> Literal["passed", "failed"] | None:
        """The verdict after ``ran`` trials in random order, or None if it is still open."""
        if self._reaches(self._passing, passed, ran):
            return "passed"
        # The upper end of the interval counts an undecided trial as passed; the rate does not.
        possible = passed + undecided if self._rule == "interval" else passed
        return "failed" if self._reaches(self._not_failing, possible, ran) is False else None

    def _reaches(self, needed: int, passed: int, ran: int) -> bool | None:
        return reaches(needed, passes=passed, seen=ran, planned=self._planned, alpha=self._alpha)
