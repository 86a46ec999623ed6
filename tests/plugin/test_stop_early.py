"""A suite that stops early: as soon as its gate is known, after the same samples however it is run."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from pytest_autoeval.engine.stopping import EarlyVerdict
from pytest_autoeval.reporting.judging.gates import Gate, Rule
from pytest_autoeval.reporting.row import Row, without_times

from .conftest import Rows, Run, Suite, marked, said

#: No server, no network, no words: many trials in no time. Sample 7 of each size is lost, undecided or broken.
QUICK = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(1, 5), samples=50{more})
def test_quick(sample, assert_equivalent):
    assert_equivalent({actual}, sample.formula)
"""
FAITHFUL, HOPELESS = 'f"({sample.formula})"', '"⊥"'


def quick(actual: str = FAITHFUL, more: str = ", threshold=0.9") -> str:
    return QUICK.replace("{actual}", actual).replace("{more}", more)


@pytest.mark.parametrize(
    ("actual", "verdict", "threshold"), [(FAITHFUL, "passed", "is met"), (HOPELESS, "failed", "is not met")]
)
def test_a_clear_case_is_decided_early(
    suite: Suite, run: Run, rows: Rows, actual: str, verdict: str, threshold: str
) -> None:
    suite(quick(actual))
    result = run("--autoeval-stop-early", "--autoeval-results=out.jsonl", "--autoeval-shrink-budget=0", "-rA")
    ran = len(rows("out.jsonl"))
    assert ran in {20, 40, 60}
    assert result.ret == (0 if verdict == "passed" else 1)
    result.stdout.fnmatch_lines([f"*{verdict.upper()} *test_quick?offline/faithful?*"])
    result.stdout.fnmatch_lines([f"*stopped early after {ran} of 200 samples*"])
    assert "interrupted" not in said(result)
    assert all(row["stopped_early"]["verdict"] == verdict for row in rows("out.jsonl"))
    if verdict == "failed":
        result.stdout.fnmatch_lines([f"*the threshold 90 % {threshold} (sequential test, error rate 5 %)*"])


def test_calls_that_were_not_made_are_counted(suite: Suite, run: Run, rows: Rows) -> None:
    suite(more=", threshold=0.9")
    result = run("--autoeval-stop-early", "--autoeval-model=offline/refusal", "--autoeval-shrink-budget=0", "-n", "0")
    result.stdout.fnmatch_lines(["*pass rate 0.0 %*"])
    assert "stopped early" not in said(result), "16 samples are fewer than a part"
    run(
        *("--autoeval-stop-early", "--autoeval-model=offline/refusal", "--autoeval-shrink-budget=0"),
        *("--autoeval-operators=1:4", "--autoeval-samples=40", "--autoeval-results=out.jsonl"),
    ).stdout.fnmatch_lines(["*stopped early after 20 of 120 samples, which saved about *calls*"])
    assert len(rows("out.jsonl")) == 20


def test_the_same_samples_run_with_any_workers_and_concurrency(suite: Suite, run: Run, rows: Rows) -> None:
    suite(more=", threshold=0.6")
    base = ("--autoeval-stop-early", "--autoeval-model=offline/student?strength=0.9", "--autoeval-samples=30", "-q")
    runs: dict[str, tuple[str, ...]] = {
        "alone": ("-n", "0"),
        "two": ("-n", "2"),
        "one call at a time": ("--autoeval-concurrency=1",),
    }
    found = {}
    for name, arguments in runs.items():
        run(*base, *arguments, f"--autoeval-results={name}.jsonl", "--autoeval-shrink-budget=0")
        found[name] = [without_times(Row.from_json(row)) for row in rows(f"{name}.jsonl")]
    assert 20 <= len(found["alone"]) < 100
    assert {row.operators for row in found["alone"]} == {0, 1, 2, 3}, "easy sizes do not come first"
    for name in runs:
        assert found[name] == found["alone"], name


def test_without_a_threshold_the_suite_runs_whole_and_reports_why(suite: Suite, run: Run, rows: Rows) -> None:
    suite(quick(more=""))
    result = run("--autoeval-stop-early", "--autoeval-results=out.jsonl")
    assert len(rows("out.jsonl")) == 200
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["note: --autoeval-stop-early: a suite without a threshold runs all samples"])


def test_after_an_error_nothing_is_decided_early(suite: Suite, run: Run, rows: Rows) -> None:
    body = "if sample.index % 5 == 0:\n    raise OSError('no route to host')\nassert sample.operators < 0"
    suite(marked('"propositional", operators=[1, 2], samples=50, threshold=0.5', body))
    result = run("--autoeval-stop-early", "--autoeval-results=out.jsonl", "--autoeval-shrink-budget=0")
    assert result.ret == 1
    assert len(rows("out.jsonl")) == 100
    result.stdout.fnmatch_lines(["*20 of 100 samples ended in an error*"])


def whole_verdict(planned: int, passed: int, undecided: int, rule: Rule, **more: Any) -> str:
    """What the gate says when everything ran."""
    gate = Gate(
        suite="s", model="m", samples=planned, passed=passed, undecided=undecided, threshold=0.8, rule=rule, **more
    )
    return gate.verdict


@pytest.mark.parametrize("rule", ["point", "interval"])
@pytest.mark.parametrize("alike", [1.0, 3.0])
def test_what_is_certain_agrees_with_the_gate_itself(rule: Rule, alike: float) -> None:
    """Where the rest cannot change the verdict the early one is that of every way in which the rest may end."""
    planned = 24
    early = EarlyVerdict(planned, 0.8, rule, 1e-12, alike=alike)
    decided = set()
    for ran in range(planned + 1):
        left = planned - ran
        for passed in range(ran + 1):
            for undecided in range(ran + 1 - passed):
                verdict = early.after(ran, passed=passed, undecided=undecided)
                if verdict is None:
                    continue
                decided.add(verdict)
                ends = {
                    whole_verdict(planned, passed + more, undecided + unknown, rule, design_effect=effect)
                    for more in range(left + 1)
                    for unknown in range(left + 1 - more)
                    for effect in {1.0, alike}
                }
                assert ends == {verdict}
    can_pass = whole_verdict(planned, planned, 0, rule, design_effect=alike) == "passed"
    assert decided == ({"passed", "failed"} if can_pass else {"failed"})


@pytest.mark.parametrize("rule", ["point", "interval"])
@pytest.mark.parametrize("rate", [0.7, 0.8, 0.9])
def test_in_two_thousand_runs_with_undecided_samples_the_promise_holds(rule: Rule, rate: float) -> None:
    early = EarlyVerdict(200, 0.8, rule, 0.05)
    after = cache(lambda ran, passed, undecided: early.after(ran, passed=passed, undecided=undecided))
    wrong = stopped = 0
    for seed in range(2000):
        chance = random.Random(seed)
        kinds = chance.choices(["pass", "undecided", "fail"], [rate, 0.03, 0.97 - rate], k=200)
        for ran in range(20, 200, 20):
            verdict = after(ran, kinds[:ran].count("pass"), kinds[:ran].count("undecided"))
            if verdict is not None:
                stopped += 1
                wrong += verdict != whole_verdict(200, kinds.count("pass"), kinds.count("undecided"), rule)
                break
    assert stopped > 0
    assert wrong <= 0.05 * 2000


def test_a_run_that_will_be_inconclusive_goes_on() -> None:
    early = EarlyVerdict(1000, 0.8, "interval", 0.05)
    assert whole_verdict(1000, 800, 0, "interval") == "inconclusive"
    assert early.after(999, passed=799, undecided=0) is None


def test_repeats_of_one_formula_need_more_to_pass_by_interval() -> None:
    alone, repeated = (EarlyVerdict(300, 0.8, "interval", 0.05, alike=alike) for alike in (1.0, 3.0))
    first = [
        next(ran for ran in range(301) if early.after(ran, passed=round(0.95 * ran), undecided=0))
        for early in (alone, repeated)
    ]
    assert first[0] < first[1]
