"""`--autoeval-plan`: what a run would take; nothing is asked and nothing runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.record.file import read_file
from pytest_autoeval.statistics.power import planned_exclusion, planned_pairs, planned_power, threshold_plan
from pytest_autoeval.text import duration

from .conftest import Run, Suite, said


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_plan_counts_samples_and_calls_and_runs_nothing(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    suite()
    result = run(
        "--autoeval-plan",
        "--autoeval-model=gpt-x",
        "--autoeval-model=offline/negation-scope",
        "--autoeval-repeats=2",
        "--autoeval-results=out.jsonl",
        "-n",
        workers,
    )
    assert result.ret == 0
    result.stdout.re_match_lines(
        [
            r" +32 +64 +0 +[\d,]+ +[\d,]+ +— +— +test_suite.py::test_round_trip\[gpt-x\]",
            r" +32 +64 +0 +[\d,]+ +[\d,]+ +0.00 +— +test_suite.py::test_round_trip\[offline/negation-scope\]",
            r" +64 +128 +0 +[\d,]+ +[\d,]+ +— +in all",
            r"A cost is missing because a price is not known: give.*",
        ]
    )
    assert "passed" not in result.stdout.str()
    assert not (pytester.path / "out.jsonl").exists()


def test_recorded_answers_are_planned_as_replayed_and_free(suite: Suite, run: Run) -> None:
    suite()
    run("--autoeval-model=offline/negation-scope", "--autoeval-record-mode=once").assert_outcomes(passed=1)
    result = run(
        "--autoeval-model=offline/negation-scope", "--autoeval-plan", "--autoeval-samples=5", "--autoeval-operators=3"
    )
    result.stdout.re_match_lines([r" +5 +10 +8 +.*0.00 +in all"])


def test_a_price_makes_a_cost(suite: Suite, run: Run) -> None:
    suite()
    result = run("--autoeval-plan", "--autoeval-model=gpt-x", "--autoeval-price=gpt-x=1000000/0")
    row = next(line for line in result.outlines if line.endswith("in all"))
    tokens, cost = row.split()[3].replace(",", ""), row.split()[5]
    assert float(cost) == float(tokens)


@pytest.mark.parametrize("more", [(), ("-p", "no:terminal")])
def test_without_pass_rate_tests_there_is_nothing_to_plan(
    pytester: pytest.Pytester, run: Run, more: tuple[str, ...]
) -> None:
    pytester.makepyfile("def test_plain(): pass\n")
    result = run("--autoeval-plan", *more)
    assert result.ret == 0
    assert "no pass-rate test was collected, so no call would be made" in said(result)


def test_the_time_follows_from_the_limits_and_from_earlier_results(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite()
    plan = ("--autoeval-plan", "--autoeval-model=m", "--autoeval-concurrency=4")
    run(*plan).stdout.fnmatch_lines(["Time: about 8 s for 32 calls, at most 4 in flight, 1 s a call (assumed, because"])
    pytester.makeconftest(
        """
        from pytest_autoeval.models import Reply

        class Slow:
            def complete(self, messages, *, repeat=0):
                return Reply(messages[-1].content, seconds=30.0)

        def pytest_autoeval_register(registry):
            registry.add_model("m", Slow)
        """
    )
    run("--autoeval-model=m", "--autoeval-results=old.jsonl", "--autoeval-shrink-budget=0")
    paced = run(*plan, "--autoeval-baseline=old.jsonl", "--autoeval-rpm=2")
    paced.stdout.fnmatch_lines(["Time: about 16 min for 32 calls, at most 4 in flight, 2 started in a minute, 30"])
    one = run(*plan, "--autoeval-results=old.jsonl", "--autoeval-operators=0", "--autoeval-samples=1")
    one.stdout.fnmatch_lines(["Time: about 60 s for 2 calls, at most 4 in flight, 30 s a*", "*old.jsonl)."])
    run("--autoeval-plan").stdout.fnmatch_lines(["Time: no server is asked."])


def test_a_time_is_shown_in_the_units_that_matter() -> None:
    shown = [duration(seconds) for seconds in (0.2, 40, 720, 12_000)]
    assert shown == ["less than 1 s", "40 s", "12 min", "3 h 20 min"]


def test_the_plan_says_what_shrinking_may_add(suite: Suite, run: Run) -> None:
    suite()
    plan = ("--autoeval-plan", "--autoeval-model=m", "--autoeval-price=m=1000/1000", "--autoeval-shrink-budget=10")
    result = run(*plan)
    (total,) = [line.split() for line in result.outlines if line.endswith("in all")]
    # 32 calls of 16 round trips are planned, and 20 more of 10.
    more = f"{20 * float(total[5]) / 32:.2f}"
    result.stdout.fnmatch_lines([f"Shrinking: at most 20 calls and {more} USD more if no suite passes;*"])
    run(*plan, "--autoeval-shrink=always").stdout.fnmatch_lines([f"Shrinking: at most 20 calls and {more} USD more;*"])
    run(*plan, "--autoeval-shrink-budget=0").stdout.fnmatch_lines(["Shrinking: none."])


def gates_of(result: pytest.RunResult) -> str:
    """What the plan says about gates, in one line."""
    return " ".join(said(result).partition("What the gates can show:")[2].split())


def test_the_plan_says_at_which_rates_a_threshold_decides(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.8")
    plan = ("--autoeval-plan", "--autoeval-samples=25", "--autoeval-operators=1:3")
    shown = gates_of(run(*plan, "--autoeval-model=a", "--autoeval-model=b"))
    decided = threshold_plan(50, 0.8)
    assert decided.passing_rate is not None
    assert decided.failing_rate is not None
    assert shown.startswith(
        f"2 suites, the first: test_suite.py::test_round_trip[a] threshold 80 %, 50 samples: passes in 80 % of "
        f"runs if the true rate is {100 * decided.passing_rate:.1f} %; fails in 80 % of runs if the true rate is "
        f"{100 * decided.failing_rate:.1f} % "
    )
    few = gates_of(run("--autoeval-plan", "--autoeval-samples=1", "--autoeval-gate=interval"))
    assert "threshold 80 %, 4 samples:" in few
    assert "cannot pass, which needs at least 17 samples" in few
    for option in ("--autoeval-shard=1/2", "--autoeval-formula=p1"):
        assert gates_of(run(*plan, option)) == ""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_plan_says_which_drops_the_baseline_shows(suite: Suite, run: Run, workers: str) -> None:
    suite()
    run("--autoeval-model=offline/negation-scope", "--autoeval-results=old.jsonl", "--autoeval-shrink-budget=0")
    rate = sum(row.passed for row in read_file(Path("old.jsonl")).samples) / 16
    against = (
        "--autoeval-plan",
        "--autoeval-model=offline/negation-scope",
        "--autoeval-baseline=old.jsonl",
        "-n",
        workers,
    )
    shown = gates_of(run(*against, "--autoeval-fail-on=drop:20%"))
    found = planned_power(0.2, rate, 16, alpha=0.05)
    excluded = planned_exclusion(0.2, rate, 16, alpha=0.05)
    needed = planned_pairs(0.2, rate, 16, alpha=0.05)
    assert needed > 16
    assert (
        f"baseline: a drop of 20 points is found in {100 * found:.0f} % of such runs, and excluded in "
        f"{100 * excluded:.0f} % if nothing changed; 80 % of both need about {needed} formulas, and this plan has 16 "
        "A drop is found if the gate fails, and excluded if it passes."
    ) in shown
    assert planned_power(0.55, rate, 16, alpha=0.05) > 0.8
    large = gates_of(run(*against, "--autoeval-fail-on=drop:55%", "--autoeval-threshold=0.5"))
    assert f"at the baseline's rate of {100 * rate:.1f} % it passes in" in large
    assert "(16 formulas)" in large
    assert gates_of(run(*against)) == ""  # nothing is judged
    impossible = gates_of(run(*against, "--autoeval-fail-on=drop:90%"))
    assert f"a drop of 90 points cannot occur, since the baseline's rate is {100 * rate:.1f} %" in impossible
    other = gates_of(run(*against, "--autoeval-fail-on=drop:20%", "--autoeval-seed=5", "--autoeval-operators=3"))
    assert "baseline: the baseline has seed 0, this run 5: 0 of 4 formulas are the same" in other
