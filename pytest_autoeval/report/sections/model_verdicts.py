"""The verdict on all suites of a model together: its figures, as programs read them."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.record.figure_sentences import given_drop, number
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.suite_names import in_id
from pytest_autoeval.report.blocks import Figures
from pytest_autoeval.statistics.paired import PairedTest


def name_of(run: WholeRun) -> str:
    """The name of the verdict on a model's whole run, as that of a test case: ``whole run[gpt-5-mini]``."""
    return f"whole run[{in_id(run.model)}]"


def paired_figures(test: PairedTest, confidence: float) -> Iterator[Figure]:
    """The pairs of a test, and the difference with its interval."""
    ends = test.interval
    yield number(test.pairs, name="pairs")
    yield number(test.won, name="won")
    yield number(test.lost, name="lost")
    yield Figure(
        "difference",
        test.difference,
        "points",
        ends.low,
        ends.high,
        n=test.pairs,
        confidence=confidence,
    )


def run_figures(run: WholeRun) -> Figures | None:
    """The figures of the verdict on a model's whole run; None without pairs."""
    test = run.test
    if test is None:
        return None
    figures = [
        *paired_figures(test, run.rules.confidence),
        Figure("p", run.bounds.p_value if run.bounds is not None else test.p_value, "p"),
        Figure("before", test.before, "rate", n=test.pairs),
        Figure("after", test.after, "rate", n=test.pairs),
    ]
    if run.drop is not None:
        figures.append(given_drop(run.drop, "allowed drop"))
    if run.rules.suite_drop is not None:
        figures.append(given_drop(run.rules.suite_drop, "allowed drop in each suite"))
    if run.rules.judges_falls:
        figures.append(Figure("level", run.level, "p"))
        figures.append(number(len(run.by_themselves), name="suites that fell by themselves"))
    figures.append(number(len(run.fallen), name="suites listed as fallen"))
    if run.needed is not None and run.verdict == "inconclusive":
        figures.append(number(run.needed, name="pairs for a decision"))
    return Figures(tuple(figures), title=f"{run.model} against the baseline", level="verbose")
