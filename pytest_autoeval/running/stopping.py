"""`--autoeval-stop-early`: a whole suite is run in random order, and ends when its gate is known to pass or to fail."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Literal

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.judging.gates import Gate, Rule
from pytest_autoeval.reporting.numbers import count
from pytest_autoeval.running.bodies import Ending
from pytest_autoeval.running.cells import Cell, threshold_of
from pytest_autoeval.running.run import Run
from pytest_autoeval.running.spec import Spec
from pytest_autoeval.statistics.sequential import reaches
from pytest_autoeval.tasks.trial import Trial

#: A part is as large as this share of the suite, but no smaller than so many trials: between two parts calls wait.
_SHARE, _FEWEST = 20, 20


class WholeSuite:
    """A suite's trials in the order of a seed, in parts, after each of which is looked whether its gate is decided.

    Neither order nor parts depend on anything but trials and seed, and a part is looked at only when it is complete:
    so the same samples run with any concurrency and number of workers.
    """

    def __init__(self, trials: Sequence[Trial], spec: Spec, run: Run) -> None:
        threshold = threshold_of(spec, run.config)
        if threshold is None:
            raise ValueError("without a threshold there is nothing to decide")
        self._trials = in_random_order(trials, run.option("seed"))
        self._alpha: float = run.option("alpha")
        self._verdict = EarlyVerdict(len(trials), threshold, run.option("gate"), self._alpha, alike=most_alike(trials))

    @property
    def parts(self) -> list[Sequence[Trial]]:
        """The trials in the parts in which they are to be run."""
        size = max(_FEWEST, len(self._trials) // _SHARE)
        return [self._trials[start : start + size] for start in range(0, len(self._trials), size)]

    def stopped(self, endings: Sequence[Ending]) -> dict[str, Any] | None:
        """What ended the suite after the parts that ended so, as plain basic types; None where it is to go on.

        A suite with an error goes on: its gate cannot pass whatever comes, and the samples say why.
        """
        kinds = Counter(outcome_named(ending.outcome).kind for ending in endings)
        planned, ran = len(self._trials), len(endings)
        if kinds["error"] or ran == planned:
            return None
        verdict = self._verdict.after(ran, passed=kinds["pass"], undecided=kinds["undecided"])
        if verdict is None:
            return None
        calls = round((planned - ran) * sum(len(ending.trial.calls) for ending in endings) / ran)
        saved = f"about {count(calls, 'call')}" if calls else ""
        return {"verdict": verdict, "ran": ran, "planned": planned, "alpha": self._alpha, "saved": saved}


class EarlyVerdict:
    """What the gate will say of a whole run of which a part was seen.

    It is wrong at most at the rate ``alpha``, however often one looks, unless samples that were not run would have
    ended in errors. ``alike`` is how many trials at most tell no more than one: it widens the interval of the rule
    ``interval``, and is known only when all ran. Nobody is told early that a run will be inconclusive.
    """

    def __init__(self, planned: int, threshold: float, rule: Rule, alpha: float, *, alike: float = 1.0) -> None:
        self._planned, self._rule = planned, rule
        #: The rule `interval` has two questions, each of which may be answered wrongly.
        self._alpha = alpha if rule == "point" else alpha / 2

        def verdict(passed: int) -> str:
            gate = Gate(
                suite="",
                model="",
                samples=planned,
                passed=passed,
                threshold=threshold,
                rule=rule,
                design_effect=alike,
            )
            return gate.verdict

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


def in_random_order(trials: Sequence[Trial], seed: int) -> list[Trial]:
    """The trials in an order that depends on the seed and on what they are about, the same in every process."""

    def place(entry: tuple[int, Trial]) -> bytes:
        position, trial = entry
        return sha256(f"{seed} {position} {trial.about.formula} {trial.repeat}".encode()).digest()

    return [trial for _, trial in sorted(enumerate(trials), key=place)]


def most_alike(trials: Iterable[Trial]) -> float:
    """By how much the interval widens at most because trials are about the same formula."""
    sizes = Counter(str(trial.about.formula) for trial in trials).values()
    return sum(size * size for size in sizes) / sum(sizes) if sizes else 1.0


def notes_on_stopping(spec: Spec, cell: Cell, run: Run) -> list[str]:
    """What `--autoeval-stop-early` cannot do for an item, or does to a comparison, a line each."""
    if not run.option("stop-early") or cell.formula is not None or cell.kept:
        return []
    if threshold_of(spec, run.config) is None:
        return ["--autoeval-stop-early: a suite without a threshold has nothing to decide, and runs whole"]
    if run.option("fail-on"):
        return ["--autoeval-stop-early: a suite that ends early is not judged against the baseline: its end biases it"]
    if run.option("baseline"):
        return ["--autoeval-stop-early: a suite that ends early is compared with the baseline on the samples that ran"]
    return []
