"""A planned look at a suite while it runs: whether its verdict is decided."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from pytest_autoeval.judging.agreement_gates import MeaningsOf
from pytest_autoeval.judging.baseline import Baseline
from pytest_autoeval.judging.gates import INTERVAL_ERROR, Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suites import SuiteJudgement, judge_suite
from pytest_autoeval.record.lines import Stopped, SuiteRecord

#: Why a suite that would pass goes on.
NEEDS_PAIRS = "the drop is judged over the pairs of all suites"
NEEDS_ANSWERS = "its agreement is judged over all answers"


class Look(NamedTuple):
    """What a look found: the decision, or why a suite that meets its threshold goes on (empty if it is open)."""

    stopped: Stopped | None = None
    goes_on: str = ""


def judge_look(  # noqa: PLR0913 - a suite, its rules, and how far it is
    suite: SuiteRecord,
    rules: Rules,
    *,
    look: int,
    planned: int,
    baseline: Baseline | None = None,
    suites: int = 1,
    meanings: MeaningsOf = lambda _: (),
) -> Look:
    """Judges a suite of which all samples up to a look have ended, of the ``planned`` ones.

    The decision is the verdict that the suite has if it ends now. A suite that fails ends. One that meets its threshold
    ends unless another gate needs all samples. Errors decide nothing: the other samples may be answered.
    """
    ran = Stopped(
        verdict="failed",
        ran=len(suite.regular),
        planned=planned,
        look=look,
        gate=rules.gate,
        alpha=INTERVAL_ERROR if rules.gate == "interval" else 0.0,
    )
    extent = Extent(planned=planned, stopped_early=ran)
    judgement = judge_suite(suite, rules, extent=extent, baseline=baseline, suites=suites, meanings=meanings)
    gate, comparison = judgement.gate, judgement.comparison
    if gate.interrupted:
        return Look()
    if comparison is not None and comparison.verdict == "failed":
        return Look(replace(ran, by="baseline", alpha=rules.alpha))
    if gate.errors or gate.verdict not in {"passed", "failed"}:
        return Look()
    if gate.verdict == "failed":
        return Look(ran)
    if why := _needs_all(judgement, rules):
        return Look(goes_on=why)
    return Look(replace(ran, verdict="passed"))


def _needs_all(judgement: SuiteJudgement, rules: Rules) -> str:
    """Why a suite cannot pass before all of its samples have run; empty if it can."""
    if judgement.comparison is not None and rules.judges_falls:
        return NEEDS_PAIRS
    if judgement.agreement is not None or rules.agreement_drop is not None:
        return NEEDS_ANSWERS
    return ""
