"""Suites that are judged with planned looks: each look has its share of the error of every gate."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs
from support.analyses import analyse, baseline_of, judge
from support.result_rows import row, suites_of
from support.sentence_rows import sentence_row

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.look_verdict import NEEDS_ALL, NEEDS_PAIRS, Look, judge_look
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.record.lines import Sample, SuiteEnd, SuiteRecord
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.report.analysis import analyse as analysis_of
from pytest_autoeval.statistics.look_levels import share_of_look

SUITE, OTHER, MODEL = "t.py::test_a", "t.py::test_b", "m"
INTERVAL = Rules(gate="interval")


def run(passed: str, suite: str = SUITE, **changes: Any) -> list[Sample]:
    """A run with ``1`` for each formula that passes, ``0`` for one that fails, ``!`` for an error."""
    outcomes = {"1": "equivalent", "0": "different", "!": "error"}
    return [
        row(outcomes[sign], index=n, formula=f"p{n}", suite=suite, model=MODEL, **changes)
        for n, sign in enumerate(passed)
    ]


def planned(samples: list[Sample]) -> SuiteRecord:
    """The suite of some samples, with planned looks."""
    (suite,) = suites_of(samples)
    suite.asked = structs.replace(suite.asked, looks=5)
    return suite


def looked(samples: list[Sample], rules: Rules, look: int = 3, **options: Any) -> Look:
    (suite,) = suites_of(samples)
    return judge_look(suite, rules, look=look, planned=100, **options)


def stopped(look: int, ran: int, planned: int = 100, **more: Any) -> Extent:
    stop = Stopped(verdict="failed", ran=ran, planned=planned, look=look, **more)
    return Extent(planned=planned, stopped_early=stop)


@pytest.mark.parametrize(("look", "extent"), [(5, Extent()), (2, stopped(2, 40, gate="interval"))])
def test_a_threshold_is_judged_with_the_error_of_its_look(look: int, extent: Extent) -> None:
    gate = judge_suite(planned(run("1" * 40, threshold=0.7)), INTERVAL, extent=extent).gate
    assert gate.confidence == pytest.approx(1 - 0.05 * share_of_look(look))
    assert gate.reason.endswith(f"the whole interval meets the threshold 70 %, at look {look} of 5")


def test_a_suite_without_looks_is_judged_as_before() -> None:
    gate = judge(run("1" * 40, threshold=0.7), INTERVAL).gate
    assert (gate.confidence, gate.look) == (0.95, 0)
    assert gate.reason.endswith("the whole interval meets the threshold 70 %")


def test_a_point_threshold_has_no_look() -> None:
    gate = judge_suite(planned(run("1" * 40, threshold=0.7)), Rules()).gate
    assert (gate.confidence, gate.look) == (0.95, 0)


@pytest.mark.parametrize(
    ("passed", "threshold", "verdict"),
    [("1" * 60, 0.6, "passed"), ("1" * 60, 0.7, "inconclusive"), ("0" * 60, 0.5, "failed")],
)
def test_after_a_stop_the_rule_point_judges_only_what_is_certain(
    passed: str, threshold: float, verdict: str
) -> None:
    assert (
        judge(run(passed, threshold=threshold), Rules(), extent=stopped(3, 60)).verdict == verdict
    )


@pytest.mark.parametrize(("lost", "verdict"), [(8, "inconclusive"), (14, "failed")])
def test_a_fall_at_the_look_that_ended_a_suite_needs_the_level_of_the_look(
    lost: int, verdict: str
) -> None:
    # 8 lost pairs have p = 0.004: enough for α, and too much for the share of the second look.
    after = run("0" * lost + "1" * (40 - lost))
    rules, extents = Rules(drop=0.05), {(SUITE, MODEL): stopped(2, 40, by="baseline")}
    analysis = analyse(after, rules, baseline=baseline_of(run("1" * 40)), extents=extents, suites=1)
    (gate,) = analysis.comparisons
    assert gate.level == pytest.approx(0.05 * share_of_look(2))
    assert gate.verdict == verdict
    assert ("significantly worse at look 2 of 5" in gate.reason) is (verdict == "failed")
    assert "p < 0.05" not in gate.reason
    assert analysis.whole_runs[0].verdict == verdict


def test_a_run_of_one_suite_has_one_test_with_the_error_of_the_last_look() -> None:
    analysis = analysis_of(
        [planned(run("1" * 40))], Rules(drop=0.5), baseline=baseline_of(run("1" * 40)), suites=1
    )
    assert (
        analysis.whole_runs[0].level
        == analysis.comparisons[0].level
        == pytest.approx(0.05 * share_of_look(5))
    )


def test_a_fall_against_a_baseline_that_stopped_early_decides_nothing() -> None:
    (there,) = suites_of(run("1" * 40))
    there.end = SuiteEnd(suite=there.number, ended="stopped early")
    analysis = analyse(
        run("0" * 40),
        Rules(drop=0.05),
        baseline=Baseline([there]),
        extents={(SUITE, MODEL): stopped(2, 40)},
        suites=1,
    )
    assert analysis.comparisons[0].verdict == "inconclusive"


def test_the_run_fails_by_the_suite_that_ended_and_the_others_are_not_judged_with_it() -> None:
    here = run("0" * 40) + run("1" * 100, OTHER)
    there = run("1" * 100) + run("1" * 100, OTHER)
    extents = {(SUITE, MODEL): stopped(2, 40, by="baseline"), (OTHER, MODEL): Extent(planned=100)}
    analysis = analyse(here, Rules(drop=0.05), baseline=baseline_of(there), extents=extents)
    (whole,) = analysis.whole_runs
    assert whole.verdict == "failed"
    assert [gate.suite for gate in whole.by_themselves] == [SUITE]
    assert f"all suites together are not judged, since {SUITE} was stopped early" in whole.reason
    assert analysis.exit_code == 1


def test_a_look_that_ends_a_suite_is_the_verdict_of_the_suite() -> None:
    rules = INTERVAL
    for passed in range(61):
        samples = run("1" * passed + "0" * (60 - passed), threshold=0.6)
        found = looked(samples, rules).stopped
        verdict = judge(samples, rules, extent=stopped(3, 60, gate="interval")).verdict
        assert (found.verdict if found is not None else "inconclusive") == verdict


@pytest.mark.parametrize(
    ("passed", "rules", "before", "why"),
    [
        ("1" * 60, Rules(gate="interval", drop=0.05), "1" * 100, NEEDS_PAIRS),
        ("1" * 59 + "!", INTERVAL, "", ""),
        ("10" * 30, INTERVAL, "", ""),
    ],
)
def test_a_suite_that_does_not_fail_goes_on_if_a_gate_needs_all_samples(
    passed: str, rules: Rules, before: str, why: str
) -> None:
    baseline = baseline_of(run(before)) if before else None
    assert looked(run(passed, threshold=0.5), rules, baseline=baseline) == Look(goes_on=why)


def test_a_gate_of_the_user_needs_all_samples_and_one_on_sentences_those_of_sentences() -> None:
    samples = run("1" * 60, threshold=0.5)
    assert looked(samples, INTERVAL, own_gates=True) == Look(
        goes_on=NEEDS_ALL.format(gate="a gate of your own")
    )
    of_others = Rules(gate="interval", agreement_drop=0.05)
    assert looked(samples, of_others, baseline=baseline_of(run("1" * 100))).stopped is not None
    answers = [
        sentence_row("p", item=f"r{item}", index=item, sentence=f"It is {item}.", threshold=0.5)
        for item in range(60)
    ]
    why = NEEDS_ALL.format(gate="its agreement drop")
    assert looked(answers, of_others, baseline=baseline_of(answers)) == Look(goes_on=why)
    required = Rules(gate="interval", agreement=0.5)
    assert looked(answers, required) == Look(goes_on=NEEDS_ALL.format(gate="its agreement"))


def test_a_suite_that_fell_ends_even_with_errors() -> None:
    baseline = baseline_of(run("1" * 100))
    found = looked(run("0" * 59 + "!", threshold=0.5), Rules(drop=0.05), baseline=baseline)
    assert found.stopped is not None
    assert (found.stopped.verdict, found.stopped.by, found.stopped.alpha) == (
        "failed",
        "baseline",
        0.05,
    )


def test_samples_that_a_look_saved_are_not_missing() -> None:
    here = run("0" * 40) + run("1" * 10, OTHER)
    extents = {
        (SUITE, MODEL): stopped(2, 40),
        (OTHER, MODEL): Extent(planned=100, interrupted=True),
    }
    assert (
        "interrupted: 50 of 140 samples ran"
        in analyse(here, Rules(threshold=0.9), extents=extents).headline
    )
