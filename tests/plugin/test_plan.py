"""`--autoeval-plan`: what a run would take; nothing is asked and nothing runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_autoeval.record.file import read_file
from pytest_autoeval.statistics.planned_pairs import assumed_churn, measured_churn, planned_pairs
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop
from pytest_autoeval.statistics.run_plan import (
    PlannedThreshold,
    RunPlan,
    SuitePlan,
    threshold_chances,
)
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
    run("--autoeval-model=offline/negation-scope", "--autoeval-record-mode=once").assert_outcomes(
        passed=1
    )
    result = run(
        "--autoeval-model=offline/negation-scope",
        "--autoeval-plan",
        "--autoeval-samples=5",
        "--autoeval-operators=3",
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
    run(*plan).stdout.fnmatch_lines(
        ["Time: about 8 s for 32 calls, at most 4 in flight, 1 s a call (assumed, because"]
    )
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
    paced.stdout.fnmatch_lines(
        ["Time: about 16 min for 32 calls, at most 4 in flight, 2 started in a minute, 30"]
    )
    one = run(
        *plan, "--autoeval-results=old.jsonl", "--autoeval-operators=0", "--autoeval-samples=1"
    )
    one.stdout.fnmatch_lines(
        ["Time: about 60 s for 2 calls, at most 4 in flight, 30 s a*", "*old.jsonl)."]
    )
    run("--autoeval-plan").stdout.fnmatch_lines(["Time: no server is asked."])


def test_a_time_is_shown_in_the_units_that_matter() -> None:
    shown = [duration(seconds) for seconds in (0.2, 40, 720, 12_000)]
    assert shown == ["less than 1 s", "40 s", "12 min", "3 h 20 min"]


def test_the_plan_says_what_shrinking_may_add(suite: Suite, run: Run) -> None:
    suite()
    plan = (
        "--autoeval-plan",
        "--autoeval-model=m",
        "--autoeval-price=m=1000/1000",
        "--autoeval-shrink-budget=10",
    )
    result = run(*plan)
    (total,) = [line.split() for line in result.outlines if line.endswith("in all")]
    # 32 calls of 16 round trips are planned, and 20 more of 10.
    more = f"{20 * float(total[5]) / 32:.2f}"
    result.stdout.fnmatch_lines(
        [f"Shrinking: at most 20 calls and {more} USD more if no suite passes;*"]
    )
    run(*plan, "--autoeval-shrink=always").stdout.fnmatch_lines(
        [f"Shrinking: at most 20 calls and {more} USD more;*"]
    )
    run(*plan, "--autoeval-shrink-budget=0").stdout.fnmatch_lines(["Shrinking: none."])


#: What stands before the sentences about the verdict.
HEADING = "The verdict by luck (exit code: green 0, inconclusive 10, red 1):"
STUDENT = "--autoeval-model=offline/student?strength=0.9"
TWO_SUITES = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(4), samples=10{more})
def test_logic(sample, llm, assert_equivalent):
    assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)

@pytest.mark.autoeval("regex", operators=range(1, 4), samples=10{more})
def test_regex(sample, llm, assert_equivalent):
    assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)
"""


def verdict_of(result: pytest.RunResult) -> str:
    """What the plan says of the verdict, in one line; empty if it says nothing."""
    _, heading, after = said(result).partition(HEADING)
    return " ".join(after.split()) if heading else ""


def percents(text: str, *names: str) -> list[float]:
    """The shares that stand after these names; 0 where the name is missing."""
    found = (re.search(rf"{name} in >? ?(\d+) %", text) for name in names)
    return [float(one[1]) if one else 0.0 for one in found]


def baseline(run: Run, *more: str) -> str:
    """The results of a run, as an option that compares with them."""
    run(STUDENT, "--autoeval-results=old.jsonl", "--autoeval-shrink-budget=0", *more)
    return "--autoeval-baseline=old.jsonl"


def test_without_a_gate_there_is_no_verdict_to_plan(suite: Suite, run: Run) -> None:
    suite()
    assert verdict_of(run("--autoeval-plan")) == ""
    against = baseline(run)
    # It is compared, and not judged.
    assert verdict_of(run("--autoeval-plan", STUDENT, against)) == ""


def test_a_formula_of_the_command_line_has_no_planned_verdict(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.8")
    assert verdict_of(run("--autoeval-plan", "--autoeval-formula=p1")) == ""


def test_the_plan_says_how_often_a_model_above_the_thresholds_is_red(
    suite: Suite, run: Run
) -> None:
    suite(TWO_SUITES, more=", threshold=0.9")
    result = run("--autoeval-plan", "--autoeval-model=a", "--autoeval-model=b")
    shown = verdict_of(result)
    samples = [int(line.split()[0]) for line in result.outlines if line.endswith("[a]")]
    assert len(samples) == 2
    gates = [PlannedThreshold(threshold=0.9, samples=number) for number in samples]
    above, below = threshold_chances(gates, above=True), threshold_chances(gates, above=False)
    assert shown.startswith(
        "2 models, the first: a thresholds of 2 suites: a model 5 points above is red in some suite in "
        f"{100 * above.red:.0f} % of runs, and one 5 points below is green in {100 * below.green:.0f} % "
    )
    assert "Assumed" not in shown  # nothing is, without repeats and without a comparison


def test_the_plan_says_how_many_samples_an_interval_needs(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.8")
    shown = verdict_of(run("--autoeval-plan", "--autoeval-samples=1", "--autoeval-gate=interval"))
    assert (
        "threshold 80 %: a model 5 points above is inconclusive in > 99 % of runs, and one 5 points below"
        in shown
    )
    assert (
        "test_suite.py::test_round_trip cannot pass its threshold 80 %, which needs at least 17 samples"
        in shown
    )
    needed = re.search(r"takes about (\d+) samples; this run has 4 \((\d+) times as many\)", shown)
    assert needed is not None
    assert int(needed[1]) == pytest.approx(4 * int(needed[2]), rel=0.05)
    gate = PlannedThreshold(threshold=0.8, samples=int(needed[1]), interval=True)
    assert threshold_chances([gate], above=True).green > 0.75
    enough = f"--autoeval-samples={2 * int(needed[2])}"  # the smallest sizes have fewer formulas
    many = verdict_of(run("--autoeval-plan", enough, "--autoeval-gate=interval"))
    assert "to be right" not in many


def test_near_the_ends_a_model_5_points_above_is_halfway(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.98")
    assert "a model 5 points above (or halfway to 100 %) is red" in verdict_of(
        run("--autoeval-plan")
    )


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_plan_says_the_verdict_and_the_drops_that_the_run_finds(
    suite: Suite, run: Run, workers: str
) -> None:
    suite(TWO_SUITES)
    plan = ("--autoeval-plan", STUDENT, baseline(run), "--autoeval-fail-on=drop:20%", "-n", workers)
    shown = verdict_of(run(*plan))
    rows = read_file(Path("old.jsonl")).samples
    pairs = []
    for name in ("logic", "regex"):
        passed = [row.passed for row in rows if name in row.suite.name]
        rate = sum(passed) / len(passed)
        pairs.append(
            planned_pairs(len(passed), rate, assumed_churn(rate), added=len(passed) / len(rows))
        )
    expected = RunPlan(
        suites=[SuitePlan(rate=one.before, pairs=one) for one in pairs],
        level=0.025,
        suite_level=0.0125,
        drop=0.2,
    )
    green, inconclusive, red = (round(100 * share) for share in expected.chances())
    assert percents(shown.partition(" of runs")[0], "green", "inconclusive", "red") == [
        pytest.approx(share, abs=1) for share in (green, inconclusive, red)
    ]
    assert expected.all_pairs is not None
    over_all = smallest_detectable_drop(expected.all_pairs, alpha=0.025)
    found = re.search(
        r"it finds a drop of ([\d.]+) points over all suites, or of .* in one suite, in 80 % of runs",
        shown,
    )
    assert over_all is not None
    assert found is not None
    assert float(found[1]) == pytest.approx(100 * over_all, abs=0.11)
    question = f"is found in {100 * expected.chances(0.2).red:.0f} % of runs"
    assert f"the drop in question, 20 points over all suites, {question}" in shown
    assert (
        "The rates are the baseline's. Assumed: 10 % of answers change by chance from run to run"
        in shown
    )
    small = verdict_of(run(*plan[:3], "--autoeval-fail-on=drop:5%", "-n", workers))
    needed = re.search(rf"takes about (\d+) pairs; this run has {len(rows)} ", small)
    assert needed is not None
    least = pairs_needed(0.05, expected.all_pairs, alpha=0.025)
    assert least <= int(needed[1]) <= 1.1 * least


def test_enough_pairs_are_said_to_be_enough(suite: Suite, run: Run) -> None:
    suite()
    shown = verdict_of(
        run("--autoeval-plan", STUDENT, baseline(run), "--autoeval-fail-on=drop:60%")
    )
    assert (
        "its 16 pairs are enough: it finds the drop, and is green if nothing changed, in 80 % of runs"
        in shown
    )


def test_a_drop_of_each_suite_is_that_of_one_suite(suite: Suite, run: Run) -> None:
    suite(TWO_SUITES)
    plan = ("--autoeval-plan", STUDENT, baseline(run))
    whole, each = (
        verdict_of(run(*plan, f"--autoeval-fail-on={rule}:20%")) for rule in ("drop", "suite-drop")
    )
    assert "the drop in question, 20 points over all suites, is found" in whole
    assert "the drop in question, 20 points in one suite, is found" in each
    assert percents(whole, "green") > percents(each, "green")
    both = verdict_of(run(*plan, "--autoeval-fail-on=drop:20%,suite-drop:20%"))
    assert "to find it, and to be green" in each
    assert "to find both, and to be green" in both


def test_repeats_of_the_baseline_measure_what_changes_by_chance(suite: Suite, run: Run) -> None:
    suite()
    against = (baseline(run, "--autoeval-repeats=4"), "--autoeval-fail-on=drop:20%")
    once = verdict_of(run("--autoeval-plan", STUDENT, *against))
    often = verdict_of(run("--autoeval-plan", STUDENT, *against, "--autoeval-repeats=4"))
    formulas: dict[str, list[bool]] = {}
    for row in read_file(Path("old.jsonl")).samples:
        formulas.setdefault(row.formula, []).append(row.passed)
    churn = measured_churn([(sum(passed), len(passed)) for passed in formulas.values()])
    assert churn is not None
    assert (
        f"Repeated answers in it show that {100 * churn:.1f} % of answers change by chance from run to run."
        in once
    )
    assert "Assumed" not in once
    # With few pairs, a share of 0 % and one of nearly 100 % may stand beside each other.
    assert "of runs; inconclusive is a missed verdict" in once
    assert (
        "Changes by chance cause false alarms. Too few pairs cause missed verdicts, even without such changes."
        in once
    )
    drops = [
        float(re.findall(r"finds a drop of ([\d.]+) points", text)[0]) for text in (once, often)
    ]
    assert drops[1] < drops[0]


def test_before_there_is_a_baseline_the_plan_assumes_one(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.8")
    shown = verdict_of(run("--autoeval-plan", "--autoeval-fail-on=drop:10%"))
    assert "if nothing changed, this run is" in shown
    assert (
        "No baseline is given: each suite is assumed to pass 5 points above its threshold" in shown
    )
    refused = run("--autoeval-fail-on=drop:10%")
    assert "--autoeval-fail-on: needs --autoeval-baseline" in said(refused)


def test_what_the_runs_do_not_have_in_common_is_said_first(suite: Suite, run: Run) -> None:
    suite()
    plan = ("--autoeval-plan", STUDENT, baseline(run), "--autoeval-fail-on=drop:20%")
    other = verdict_of(run(*plan, "--autoeval-seed=5", "--autoeval-operators=3"))
    assert other.startswith(
        "the baseline is of another seed (0; this run: 5); 0 of 4 formulas are the same; "
        "to compare them,"
    )
    assert "finds a drop" not in other
    assert "if nothing changed" not in other


def test_a_suite_that_the_baseline_lacks_is_named(suite: Suite, run: Run) -> None:
    suite(TWO_SUITES)
    against = baseline(run, "-k", "logic")
    shown = verdict_of(run("--autoeval-plan", STUDENT, against, "--autoeval-fail-on=drop:20%"))
    assert shown.startswith(
        "not compared: test_suite.py::test_regex: the baseline does not have this suite"
    )
    assert "if nothing changed, this run is" in shown


def test_suites_that_can_hardly_pass_and_drops_that_cannot_occur_are_named(
    suite: Suite, run: Run
) -> None:
    suite()
    run(
        "--autoeval-model=offline/negation-scope",
        "--autoeval-results=old.jsonl",
        "--autoeval-shrink-budget=0",
    )
    plan = (
        "--autoeval-plan",
        "--autoeval-model=offline/negation-scope",
        "--autoeval-baseline=old.jsonl",
    )
    rate = sum(row.passed for row in read_file(Path("old.jsonl")).samples) / 16
    shown = verdict_of(run(*plan, "--autoeval-fail-on=drop:90%", "--autoeval-threshold=0.95"))
    assert (
        f"a drop of 90 points cannot occur, since the baseline's rate is {100 * rate:.1f} %"
        in shown
    )
    assert "takes about" not in shown.partition("threshold 95 %")[0]
    assert re.search(
        rf"passes its threshold 95 % in < 1 % of runs at the baseline's rate of {100 * rate:.1f} %",
        shown,
    )
    assert "if nothing changed, this run is red in > 99 % of runs" in shown


def test_each_model_has_its_own_verdict(suite: Suite, run: Run) -> None:
    suite()
    models = ("--autoeval-model=offline/negation-scope", "--autoeval-model=offline/faithful")
    run(*models, "--autoeval-results=old.jsonl", "--autoeval-shrink-budget=0")
    shown = verdict_of(
        run(
            "--autoeval-plan",
            *models,
            "--autoeval-baseline=old.jsonl",
            "--autoeval-fail-on=drop:30%",
        )
    )
    first, second = shown.split(" offline/negation-scope ")
    assert first.startswith("offline/faithful if nothing changed")
    assert percents(first, "green") != percents(second, "green")


def test_a_part_is_not_judged(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.8")
    result = run("--autoeval-plan", "--autoeval-shard=1/2")
    assert verdict_of(result) == ""
    text = "Part 1/2 is not judged: `python -m pytest_autoeval report` judges all parts together."
    assert text in " ".join(said(result).split())


def test_formulas_that_suites_share_are_taken_to_change_together(suite: Suite, run: Run) -> None:
    plan = ("--autoeval-plan", "--autoeval-fail-on=drop:10%")
    sentence = "Formulas that several suites or rows share are taken to change together, which is the worst case."
    suite(TWO_SUITES)
    apart = verdict_of(run(*plan))
    suite(
        TWO_SUITES.replace('"regex", operators=range(1, 4)', '"propositional", operators=range(4)')
    )
    shared = verdict_of(run(*plan))
    assert (sentence in apart, sentence in shared) == (False, True)
    drops = [
        float(re.findall(r"finds a drop of ([\d.]+) points over all suites", text)[0])
        for text in (apart, shared)
    ]
    assert drops[1] > drops[0]


def test_several_runs_of_a_baseline_measure_what_changes_by_chance(suite: Suite, run: Run) -> None:
    suite()
    for name, model in (("one", "offline/faithful"), ("two", "offline/negation-scope")):
        run(
            f"--autoeval-model={model}",
            f"--autoeval-results={name}.jsonl",
            "--autoeval-shrink-budget=0",
        )
    two = Path("two.jsonl")
    text = two.read_text(encoding="utf-8").replace("offline/negation-scope", "offline/faithful")
    two.write_text(text.replace("offline-negation-scope", "offline-faithful"), encoding="utf-8")
    rows = [read_file(Path(f"{name}.jsonl")).samples for name in ("one", "two")]
    passed = [{row.formula: row.passed for row in some} for some in rows]
    changed = sum(passed[0][formula] != passed[1][formula] for formula in passed[0])
    plan = ("--autoeval-plan", "--autoeval-model=offline/faithful", "--autoeval-fail-on=drop:20%")
    shown = verdict_of(run(*plan, "--autoeval-baseline=one.jsonl", "--autoeval-baseline=two.jsonl"))
    assert changed > 0
    assert (
        f"Repeated answers in it show that {100 * changed / 16:.1f} % of answers change by chance"
        in shown
    )
    assert "Assumed" not in shown


def test_a_plan_with_planned_looks_says_so(suite: Suite, run: Run) -> None:
    suite()
    plan = ("--autoeval-plan", "--autoeval-fail-on=drop:10%")
    sentence = "With --autoeval-stop-early each suite is tested at five looks"
    assert sentence not in verdict_of(run(*plan))
    assert sentence in verdict_of(run(*plan, "--autoeval-stop-early"))
