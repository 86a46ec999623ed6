"""A planned look at a suite while it runs: whether its verdict is decided."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from pytest_autoeval.judging.added_gates import shipped_gates
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import INTERVAL_ERROR, Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import SuiteJudgement, judge_suite
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.stop_reasons import Stopped

#: Why a suite that would pass goes on.
NEEDS_PAIRS = "the drop is judged over the pairs of all suites"
NEEDS_ALL = "{gate} is judged over all answers"


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
    own_gates: bool = False,
) -> Look:
    """Judges a suite of which all samples up to a look have ended, of the ``planned`` ones.

    The decision is the verdict that the suite has if it ends now. A suite that fails ends. One that meets its threshold
    ends unless another gate needs all samples, as ``own_gates`` do. Errors decide nothing: the other samples may be
    answered.
    """
    # The gates judge as if the suite ended here. They do not read this verdict: it is that of a suite which fails.
    ran = Stopped(
        verdict="failed",
        ran=len(suite.regular),
        planned=planned,
        look=look,
        gate=rules.gate,
        alpha=INTERVAL_ERROR if rules.gate == "interval" else 0.0,
    )
    extent = Extent(planned=planned, stopped_early=ran)
    judgement = judge_suite(suite, rules, extent=extent, baseline=baseline, suites=suites, own=())
    gate, comparison = judgement.gate, judgement.comparison
    # Samples of the looks so far are missing, or ran twice.
    if gate.interrupted:
        return Look()
    # A fall comes before errors: it fell at best, as if all of them had passed.
    if comparison is not None and comparison.verdict == "failed":
        return Look(replace(ran, by="baseline", alpha=rules.alpha))
    if gate.errors or gate.verdict not in {"passed", "failed"}:
        return Look()
    if gate.verdict == "failed":
        return Look(ran)
    why = _needs_all(judgement, suite, own_gates=own_gates)
    return Look(goes_on=why) if why else Look(replace(ran, verdict="passed"))


def _needs_all(judgement: SuiteJudgement, suite: SuiteRecord, *, own_gates: bool) -> str:
    """Why a suite cannot pass before all of its samples have run; empty if it can."""
    rules = judgement.rules
    if judgement.comparison is not None and rules.judges_falls:
        return NEEDS_PAIRS
    for gate in shipped_gates(suite):
        if gate.wanted(suite, rules):
            return NEEDS_ALL.format(gate=f"its {gate.kind}")
    return NEEDS_ALL.format(gate="a gate of your own") if own_gates else ""
