"""The gate against a baseline: when it passes, fails, or says that it cannot tell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from result_rows import row

from pytest_autoeval.reporting.analysis import Analysis, analyse
from pytest_autoeval.reporting.judging.baseline import Baseline, BaselineGate
from pytest_autoeval.reporting.judging.gates import Extent, Rules, StoppedEarly
from pytest_autoeval.reporting.row import Row

SUITE, MODEL = "t.py::test_a", "m"


def run(passed: str, suite: str = SUITE, model: str = MODEL) -> list[Row]:
    """A run with ``1`` for each formula that passes, ``0`` for one that fails, ``?`` undecided, ``!`` error."""
    outcomes = {"1": "equivalent", "0": "different", "?": "undecided", "!": "error"}
    return [row(outcomes[sign], index=n, formula=f"p{n}", suite=suite, model=model) for n, sign in enumerate(passed)]


def judged(
    after: str, before: str, drop: float | None = 0.05, extent: Extent | None = None, alpha: float = 0.05
) -> BaselineGate:
    extents = {} if extent is None else {(SUITE, MODEL): extent}
    analysis = analyse(run(after), Rules(drop=drop, alpha=alpha), baseline=Baseline(run(before)), extents=extents)
    (gate,) = analysis.comparisons
    return gate


def test_a_large_drop_fails() -> None:
    gate = judged("0" * 40 + "1" * 160, "1" * 200)
    assert (gate.verdict, gate.passes) == ("failed", False)
    assert gate.reason.startswith(
        "significantly worse, and a drop of 5 points or more is not excluded; 200 pairs, 0 won"
    )
    assert "40 lost: −20.0 points (95 % interval −" in gate.reason
    assert gate.reason.endswith("; p < 0.0001)")


def test_an_unchanged_run_of_enough_formulas_passes() -> None:
    gate = judged("1" * 300, "1" * 300)
    assert (gate.verdict, gate.passes) == ("passed", True)
    assert gate.conclusion == "a drop of 5 points or more is excluded"


def test_a_run_that_got_better_passes() -> None:
    assert judged("1" * 200, "0" * 100 + "1" * 100).verdict == "passed"


def test_a_small_but_sure_drop_passes_and_says_that_it_is_there() -> None:
    gate = judged("0" * 20 + "1" * 1980, "1" * 2000)
    assert (gate.verdict, gate.conclusion) == (
        "passed",
        "significantly worse, but a drop of 5 points or more is excluded",
    )


def test_too_few_formulas_are_inconclusive_and_say_how_many_it_takes() -> None:
    gate = judged("1" * 18 + "0" * 2, "0" * 2 + "1" * 18)
    assert (gate.verdict, gate.passes) == ("inconclusive", False)
    assert gate.needed is not None
    assert gate.needed > 20
    assert gate.shown_detectable is not None
    assert gate.conclusion == (
        f"no significant drop, but 20 pairs show only drops of {100 * gate.shown_detectable:.1f} points or more with "
        f"80 % power; a drop of 5 points needs about {gate.needed:,} pairs"
    )


def test_the_drop_that_is_shown_as_detectable_can_be_detected() -> None:
    gate = BaselineGate(suite=SUITE, model=MODEL, detectable=0.05001)
    assert gate.shown_detectable == pytest.approx(0.051)
    assert BaselineGate(suite=SUITE, model=MODEL, detectable=0.05).shown_detectable == pytest.approx(0.05)


def test_without_a_drop_to_fail_on_the_comparison_is_reported() -> None:
    gate = judged("0" * 40 + "1" * 160, "1" * 200, drop=None)
    assert (gate.verdict, gate.passes, gate.conclusion) == ("reported", True, "")
    assert gate.reason.startswith("200 pairs, 0 won, 40 lost: −20.0 points")


@pytest.mark.parametrize(("after", "before"), [("!!!!", "1111"), ("1111", "!!!!")])
def test_nothing_in_common_is_inconclusive(after: str, before: str) -> None:
    gate = judged(after, before)
    assert (gate.verdict, gate.reason) == ("inconclusive", "not compared: the two runs have no formula in common")


@pytest.mark.parametrize("drop", [None, 0.05])
def test_an_empty_baseline_says_nothing(drop: float | None) -> None:
    analysis = analyse(run("1" * 99), Rules(drop=drop), baseline=Baseline([]))
    assert analysis.verdict == ("reported" if drop is None else "inconclusive")
    assert analysis.comparisons[0].reason == "not compared: the baseline does not have this suite"


def test_an_interrupted_run_is_not_judged() -> None:
    gate = judged("1" * 300, "1" * 300, extent=Extent(planned=400))
    assert (gate.verdict, gate.passes) == ("interrupted", False)
    assert gate.reason.startswith("interrupted, so that the gate cannot pass; 300 pairs")


def test_a_suite_that_its_own_results_ended_is_not_judged_against_a_baseline() -> None:
    stopped = StoppedEarly(verdict="passed", ran=300, planned=400)
    gate = judged("1" * 300, "1" * 300, extent=Extent(planned=400, stopped_early=stopped))
    assert gate.verdict == "inconclusive"
    assert gate.reason.startswith("not judged: the suite was stopped early by its own results")


def test_p_values_are_corrected_over_all_suites_and_models() -> None:
    after = [one for model in "abcd" for one in run("0" * 5 + "1" * 95, model=model)]
    before = [one for model in "abcd" for one in run("1" * 100, model=model)]
    gates = analyse(after, Rules(drop=0.02), baseline=Baseline(before)).comparisons
    assert [gate.suites for gate in gates] == [4] * 4
    for gate in gates:
        assert gate.test is not None
        assert gate.test.p_value == pytest.approx(0.5**5)
        assert gate.p_corrected == pytest.approx(4 * 0.5**5)
        assert gate.verdict == "inconclusive"
    assert "p 0.031, after Bonferroni 0.125" in gates[0].reason
    alone = analyse(after[:100], Rules(drop=0.02), baseline=Baseline(before[:100])).comparisons[0]
    assert (alone.verdict, alone.suites) == ("failed", 1)


def summed_up(after: list[Row], before: list[Row], rules: Rules) -> Analysis:
    return analyse(after, rules, baseline=Baseline(before), baseline_name="before.jsonl")


def test_the_run_is_as_bad_as_its_worst_gate() -> None:
    fine, short = run("1" * 300, suite="fine"), run("1" * 5, suite="short")
    broken = run("0" * 300, suite="broken")
    before = fine + short + run("1" * 300, suite="broken")
    rules = Rules(drop=0.05)
    assert (summed_up(fine, before, rules).verdict, summed_up(fine, before, rules).exit_code) == ("passed", 0)
    both = summed_up(fine + short, before, rules)
    assert (both.verdict, both.exit_code) == ("inconclusive", 10)
    assert both.headline == "no gate failed, but 1 of 2 is inconclusive"
    every = summed_up(fine + short + broken, before, rules)
    assert (every.verdict, every.exit_code) == ("failed", 1)
    assert every.headline == "1 of 3 gates failed, 1 inconclusive"
    assert summed_up(fine, before, rules).notes == ["in the baseline, and not in this run: broken[m], short[m]"]


signs = st.lists(st.tuples(st.sampled_from("01?!"), st.sampled_from("01?!")), max_size=60)


@settings(max_examples=60)
@given(signs, st.sampled_from([0.05, 0.2, 0.5]), st.sampled_from([0.01, 0.05, 0.2]))
def test_no_verdict_is_better_than_the_pairs(pairs: list[tuple[str, str]], drop: float, alpha: float) -> None:
    after, before = ("".join(side) for side in zip(*pairs, strict=True)) if pairs else ("!", "1")
    gate = judged(after, before, drop, alpha=alpha)
    usable = [(new == "1", old == "1") for new, old in pairs if "!" not in (new, old)]
    assert gate.pairs == len(usable)
    assert gate.reason
    if not usable:
        assert gate.verdict == "inconclusive"
        return
    lost = sum(old and not new for new, old in usable)
    won = sum(new and not old for new, old in usable)
    if gate.verdict == "passed":
        assert (lost - won) / len(usable) < drop
    if gate.verdict == "failed":
        assert lost > won
        assert gate.p_corrected is not None
        assert gate.p_corrected < alpha
