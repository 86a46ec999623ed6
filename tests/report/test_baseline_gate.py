"""The gate of a suite against a baseline: when it passes, fails, or says that it cannot tell."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from support.analyses import analyse, baseline_of, judge
from support.result_rows import row
from support.screens import properties, render

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gate_verdicts import MARKS, STATES
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.record.figures import filled
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Verdict
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.report.sections.suite_details import verdicts

SUITE, MODEL = "t.py::test_a", "m"


def run(passed: str, suite: str = SUITE, model: str = MODEL) -> list[Sample]:
    """A run with ``1`` for each formula that passes, ``0`` for one that fails, ``?`` undecided, ``!`` error."""
    outcomes = {"1": "equivalent", "0": "different", "?": "undecided", "!": "error"}
    return [
        row(outcomes[sign], index=n, formula=f"p{n}", suite=suite, model=model)
        for n, sign in enumerate(passed)
    ]


def judged(
    after: str,
    before: str,
    suite_drop: float | None = 0.05,
    extent: Extent | None = None,
    alpha: float = 0.05,
    suites: int = 1,
) -> BaselineGate:
    rules, extents = (
        Rules(suite_drop=suite_drop, alpha=alpha),
        {} if extent is None else {(SUITE, MODEL): extent},
    )
    analysis = analyse(
        run(after), rules, baseline=baseline_of(run(before)), extents=extents, suites=suites
    )
    (gate,) = analysis.comparisons
    return gate


def test_a_large_drop_fails() -> None:
    gate = judged("0" * 40 + "1" * 160, "1" * 200)
    assert gate.verdict == "failed"
    assert gate.reason.startswith("significantly worse; 200 pairs, 0 won")
    assert "40 lost: −20.0 points (95 % interval −" in gate.reason
    assert gate.reason.endswith("; p < 0.0001)")


def test_an_unchanged_run_of_enough_formulas_passes() -> None:
    gate = judged("1" * 300, "1" * 300)
    assert gate.verdict == "passed"
    assert str(gate.conclusion) == "any drop is smaller than 5 points"


def test_a_small_but_sure_drop_fails_and_says_that_it_is_small() -> None:
    gate = judged("0" * 20 + "1" * 1980, "1" * 2000)
    assert (gate.verdict, str(gate.conclusion)) == (
        "failed",
        "significantly worse, though by less than 5 points",
    )


def test_a_drop_that_was_not_found_and_is_not_excluded_is_no_pass() -> None:
    gate = judged("1" * 5 + "0" * 11 + "1" * 284, "0" * 5 + "1" * 295)
    assert gate.verdict == "inconclusive"
    assert str(gate.conclusion) == (
        "not significantly worse, but the data cannot rule out a drop of 5 points or more; "
        "more pairs narrow the interval"
    )
    assert gate.detectable is not None
    assert gate.detectable < 0.05, (
        "so many pairs find the drop in 80 % of runs: that is no reason to pass"
    )


@pytest.mark.parametrize(
    "rules", [Rules(drop=0.05), Rules(suite_drop=0.05), Rules(drop=0.05, suite_drop=0.05)]
)
def test_what_is_inconclusive_has_no_sign_that_looks_like_a_pass(rules: Rules) -> None:
    after, before = run("1" * 5 + "0" * 11 + "1" * 284), run("0" * 5 + "1" * 295)
    analysis = analyse(after, rules, baseline=baseline_of(before))
    assert (analysis.verdict, analysis.exit_code) == ("inconclusive", 10)
    assert not any(MARKS["passed"][0] in line.text for line in render(analysis))


def test_the_interval_that_is_printed_is_the_one_that_decides() -> None:
    after, before = "1" * 4 + "0" * 9 + "1" * 287, "0" * 4 + "1" * 296
    alone, of_many, strict = (
        judged(after, before),
        judged(after, before, suites=20),
        judged(after, before, alpha=0.01),
    )
    assert "(95 % interval −" in alone.reason
    assert "(95 % interval −" in of_many.reason
    assert "(99 % interval −" in strict.reason
    for gate in (alone, of_many, strict):
        assert gate.test is not None
        assert (gate.verdict == "passed") == (gate.test.interval.low > -0.05)
    assert (alone.verdict, strict.verdict) == ("passed", "inconclusive")


def test_several_gates_on_a_suite_share_its_level() -> None:
    """Five lost formulas of 100 have p = 0.031: significant alone, but not if two gates share the level."""
    after, before = run("0" * 5 + "1" * 95), run("1" * 100)
    shared = Rules(suite_drop=0.02, agreement_drop=0.1)
    (alone,) = analyse(after, Rules(suite_drop=0.02), baseline=baseline_of(before)).comparisons
    (one,) = analyse(after, shared, baseline=baseline_of(before)).comparisons
    assert (alone.verdict, one.verdict) == ("failed", "inconclusive")
    assert (alone.level, one.level) == (0.05, 0.025)
    assert str(one.corrected) == "corrected for 2 gates"
    assert "corrected 0.062" in one.reason


@pytest.mark.parametrize(
    ("suites", "verdict"), [(1, "failed"), (2, "inconclusive"), (20, "inconclusive")]
)
def test_over_many_suites_a_fall_must_be_significant_at_the_corrected_level(
    suites: int, verdict: str
) -> None:
    """Six lost formulas of 60 have p = 0.016. With two suites, each has a quarter of 5 %."""
    assert judged("0" * 6 + "1" * 54, "1" * 60, suites=suites).verdict == verdict


def test_over_many_suites_a_drop_is_excluded_by_the_same_interval() -> None:
    """A run passes only if all drops are excluded, so it passes no more often than one suite does."""
    after, before = "1" * 4 + "0" * 9 + "1" * 287, "0" * 4 + "1" * 296
    assert judged(after, before).verdict == judged(after, before, suites=20).verdict == "passed"


def test_too_few_formulas_are_inconclusive_and_say_how_many_it_takes() -> None:
    gate = judged("1" * 18 + "0" * 2, "0" * 2 + "1" * 18)
    assert gate.verdict == "inconclusive"
    assert gate.needed is not None
    assert gate.needed > 20
    assert str(gate.conclusion) == (
        "not significantly worse, but the data cannot rule out a drop of 5 points or more; "
        f"a decision needs about {gate.needed:,} pairs (more samples)"
    )


def test_the_drop_that_is_shown_as_detectable_can_be_detected() -> None:
    gate = judged("1" * 300, "1" * 300)
    assert structs.replace(gate, detectable=0.05001).shown_detectable == pytest.approx(0.051)
    assert structs.replace(gate, detectable=0.05).shown_detectable == pytest.approx(0.05)


def test_without_a_drop_to_fail_on_the_comparison_is_reported() -> None:
    gate = judged("0" * 40 + "1" * 160, "1" * 200, suite_drop=None)
    assert (gate.verdict, gate.conclusion) == ("reported", None)
    assert gate.reason.startswith("200 pairs, 0 won, 40 lost: −20.0 points")


@pytest.mark.parametrize(
    ("after", "before", "obstacle"),
    [
        ("!!!!", "1111", "no sample was answered"),
        ("1111", "!!!!", "no sample of the baseline was answered"),
        ("!!!!", "!!!!", "no sample was answered"),
        ("11!!", "!!11", "the two runs have no formula in common"),
    ],
)
def test_nothing_in_common_is_inconclusive(after: str, before: str, obstacle: str) -> None:
    gate = judged(after, before)
    assert (gate.verdict, gate.reason) == ("inconclusive", f"not compared: {obstacle}")
    whole = analyse(run(after), Rules(drop=0.05), baseline=baseline_of(run(before)))
    assert [one.verdict for one in whole.whole_runs] == ["inconclusive"]
    assert [gate.reason for gate in whole.comparisons] == [f"not compared: {obstacle}"]


def test_a_suite_that_the_budget_never_reached_says_that_nothing_was_asked() -> None:
    """It has formulas in common with the baseline: only, nobody asked about them."""
    asked, not_asked = "t.py::test_a", "t.py::test_b"
    before = [*run("1111", suite=asked), *run("1111", suite=not_asked)]
    spent = {(not_asked, MODEL): Extent(planned=4, spent="the limit of 4 calls is used up")}
    analysis = analyse(
        run("1111", suite=asked), Rules(drop=0.05), baseline=baseline_of(before), extents=spent
    )
    [gate] = [gate for gate in analysis.comparisons if gate.suite == not_asked]
    assert gate.reason == "not compared: no sample was asked"


@pytest.mark.parametrize("drop", [None, 0.05])
def test_an_empty_baseline_says_nothing(drop: float | None) -> None:
    analysis = analyse(run("1" * 99), Rules(drop=drop), baseline=baseline_of([]))
    assert analysis.verdict == ("reported" if drop is None else "inconclusive")
    assert (
        analysis.comparisons[0].reason
        == "not compared: the baseline does not have this suite (renamed?)"
    )


def test_an_interrupted_run_is_not_judged() -> None:
    gate = judged("1" * 300, "1" * 300, extent=Extent(planned=400))
    assert gate.verdict == "interrupted"
    assert gate.reason.startswith("interrupted, so that the suite cannot pass; 300 pairs")


def test_a_suite_that_its_own_results_ended_is_not_judged_against_a_baseline() -> None:
    stopped = Stopped(verdict="passed", ran=300, planned=400)
    gate = judged("1" * 300, "1" * 300, extent=Extent(planned=400, stopped_early=stopped))
    assert gate.verdict == "inconclusive"
    assert gate.reason.startswith("not judged: the suite was stopped early")


def test_p_values_are_corrected_over_all_suites_and_models() -> None:
    after = [one for model in "abcd" for one in run("0" * 5 + "1" * 95, model=model)]
    before = [one for model in "abcd" for one in run("1" * 100, model=model)]
    gates = analyse(after, Rules(suite_drop=0.02), baseline=baseline_of(before)).comparisons
    assert [gate.suites for gate in gates] == [4] * 4
    for gate in gates:
        assert gate.test is not None
        assert gate.test.p_value == pytest.approx(0.5**5)
        assert gate.p_corrected == pytest.approx(8 * 0.5**5), (
            "half of the level is for the whole run"
        )
        assert gate.verdict == "inconclusive"
    assert "p 0.031, corrected 0.250" in gates[0].reason
    alone = analyse(
        after[:100], Rules(suite_drop=0.02), baseline=baseline_of(before[:100])
    ).comparisons[0]
    assert (alone.verdict, alone.suites) == ("failed", 1)


def summed_up(after: list[Sample], before: list[Sample], rules: Rules) -> Analysis:
    return analyse(after, rules, baseline=baseline_of(before), baseline_name="before.jsonl")


def test_the_run_is_as_bad_as_its_worst_gate() -> None:
    fine, short = run("1" * 300, suite="fine"), run("1" * 5, suite="short")
    broken = run("0" * 300, suite="broken")
    before = fine + short + run("1" * 300, suite="broken")
    rules = Rules(suite_drop=0.05)
    assert (summed_up(fine, before, rules).verdict, summed_up(fine, before, rules).exit_code) == (
        "passed",
        0,
    )
    both = summed_up(fine + short, before, rules)
    assert (both.verdict, both.exit_code) == ("inconclusive", 10)
    assert "1 of 2 suites is inconclusive, none failed" in both.headline
    every = summed_up(fine + short + broken, before, rules)
    assert (every.verdict, every.exit_code) == ("failed", 1)
    assert "1 of 3 suites failed, 1 inconclusive" in every.headline
    assert [*map(str, summed_up(fine, before, rules).notes)] == [
        "in the baseline but not in this run (renamed?): broken[m], short[m]"
    ]


signs = st.lists(st.tuples(st.sampled_from("01?!"), st.sampled_from("01?!")), max_size=60)


@settings(max_examples=60)
@given(signs, st.sampled_from([0.05, 0.2, 0.5]), st.sampled_from([0.01, 0.05, 0.2]))
def test_no_verdict_is_better_than_the_pairs(
    pairs: list[tuple[str, str]], drop: float, alpha: float
) -> None:
    after, before = ("".join(side) for side in zip(*pairs, strict=True)) if pairs else ("!", "1")
    gate = judged(after, before, drop, alpha=alpha)
    usable = [(new == "1", old == "1") for new, old in pairs if "!" not in (new, old)]
    assert len(gate.compared.pairs) == max(1, len(pairs))
    assert (
        gate.test is None
        if not usable
        else gate.test is not None and gate.test.pairs == len(usable)
    )
    assert gate.reason
    if not usable:
        assert gate.verdict == "inconclusive"
        return
    lost = sum(old and not new for new, old in usable)
    won = sum(new and not old for new, old in usable)
    # At worst, an error of this run would have been a failure, and one of the baseline a pass; at best the other way.
    worst = sum((old in "1!") - (new == "1") for new, old in pairs)
    best = sum((old == "1") - (new in "1!") for new, old in pairs)
    if gate.verdict == "passed":
        assert max(worst / len(pairs), (lost - won) / len(usable)) < drop
    if gate.verdict == "failed":
        assert min(best, lost - won) > 0
        assert gate.p_corrected is not None
        assert gate.p_corrected < alpha


PASS, FAIL = "equivalent", "different"
RULES = Rules(threshold=0.8, suite_drop=0.05)


def test_a_suite_by_itself_is_judged_as_in_the_whole_run() -> None:
    rows = [
        *run("1" * 90 + "0" * 10),
        *run("1" * 50, "t.py::test_b"),
        *run("10" * 20, "t.py::test_c", "n"),
    ]
    baseline = baseline_of([*run("1" * 100), *run("1" * 50, "t.py::test_b")])
    extents = {("t.py::test_b", "m"): Extent(planned=60), ("t.py::test_d", "m"): Extent(planned=5)}
    whole = analyse(rows, RULES, baseline=baseline, extents=extents, suites=4)
    assert [judgement.gate.name for judgement in whole.judgements] == [
        *("t.py::test_a[m]", "t.py::test_c[n]", "t.py::test_b[m]", "t.py::test_d[m]")
    ]
    by_number = {suite.number: suite for suite in whole.suites}
    for judgement in whole.judgements:
        extent = extents.get((judgement.gate.suite, judgement.gate.model), Extent())
        alone = judge_suite(
            by_number[judgement.key], RULES, extent=extent, baseline=baseline, suites=4
        )
        assert alone == judgement


@pytest.mark.parametrize(
    ("after", "before", "rules", "verdict", "reason"),
    [
        ("1" * 300, None, Rules(), "reported", "pass rate 100.0 %"),
        ("1" * 300, None, Rules(threshold=0.9), "passed", "pass rate 100.0 %"),
        ("1" * 300, "1" * 300, Rules(threshold=0.9), "passed", "pass rate 100.0 %"),
        (
            "1" * 300,
            "1" * 300,
            Rules(suite_drop=0.05),
            "passed",
            "against the baseline: any drop is smaller than 5",
        ),
        (
            "1" * 300,
            "1" * 300,
            Rules(threshold=0.9, suite_drop=0.05),
            "passed",
            "\nagainst the baseline: any drop is smaller",
        ),
        (
            "1" * 20,
            "1" * 20,
            Rules(threshold=0.9, suite_drop=0.05),
            "inconclusive",
            "against the baseline: not signif",
        ),
        (
            "1" * 20,
            "1" * 20,
            Rules(drop=0.05),
            "with the run",
            "against the baseline: not judged alone: it did not",
        ),
        (
            "1" * 20,
            "1" * 20,
            Rules(threshold=0.9, drop=0.05),
            "passed",
            "against the baseline: not judged alone: it",
        ),
        (
            "1" * 9 + "0",
            "1" * 10,
            Rules(threshold=1, drop=0.05),
            "failed",
            "is below the threshold 100 %; only 10 samples: ",
        ),
        (
            "0" * 30 + "1" * 70,
            "1" * 100,
            Rules(threshold=0.5, drop=0.05),
            "failed",
            "against the baseline: significantly",
        ),
    ],
)
def test_the_worst_gate_decides_and_those_that_judged_say_why(
    after: str, before: str | None, rules: Rules, verdict: str, reason: str
) -> None:
    one = judge(run(after), rules, baseline=None if before is None else baseline_of(run(before)))
    assert one.verdict == verdict
    assert one.passes == (verdict in ("passed", "reported", "with the run"))
    assert reason in "\n".join(one.reasons)
    assert (one.comparison is None) == (before is None)


#: What a suite did before and after, its threshold, and the gate that decides.
DECIDING = {
    "the baseline": ("1" * 60 + "0" * 20, "1" * 80, 0.5, "baseline"),
    "the threshold": ("1" * 40 + "0" * 40, "1" * 40 + "0" * 40, 0.9, "threshold"),
    "the baseline, which leaves it open": ("1" * 9 + "0", "1" * 9 + "0", 0.5, "baseline"),
    "the threshold, of a suite without a drop": ("1" * 80, "1" * 80, 0.5, "threshold"),
}


@pytest.mark.parametrize("case", DECIDING)
def test_the_first_reason_is_that_of_the_gate_that_decides(case: str) -> None:
    after, before, threshold, deciding = DECIDING[case]
    rules = Rules(threshold=threshold, suite_drop=0.05, gate="point")
    analysis = analyse(run(after), rules, baseline=baseline_of(run(before)))
    (summary,) = analysis.summaries
    first, *others = (block for block in verdicts(summary) if isinstance(block, Verdict))
    assert first.what == deciding
    assert first.state == STATES[summary.judgement.verdict]
    assert others, "the other gate says what it found too"
    assert len({first.what, *(other.what for other in others)}) == 1 + len(others)

    values = {name.removeprefix("autoeval."): value for name, value in properties(analysis)}
    assert values["reason"] == values[f"{deciding}_reason"] == filled(first.text, first.values)
    assert values["kind"] == "threshold and baseline"


def test_the_reasons_of_a_suite_begin_with_the_worst() -> None:
    """A threshold that is open stands behind the fall that fails the suite."""
    judgement = judge(
        run("1" * 60 + "0" * 20),
        Rules(threshold=0.7, suite_drop=0.05, gate="interval"),
        baseline=baseline_of(run("1" * 80)),
    )
    assert [gate.verdict for gate in judgement.gates] == ["inconclusive", "failed"]
    assert [reason.startswith("against the baseline") for reason in judgement.reasons] == [
        True,
        False,
    ]


PROPERTIES_OF_BOTH_GATES = (
    *("kind", "model", "verdict", "samples", "rate", "interval_low", "interval_high"),
    *("threshold", "baseline_verdict", "pairs", "won", "lost", "difference"),
    *("difference_low", "difference_high", "difference_confidence", "p_value"),
    *("p_value_bonferroni", "drop", "detectable_drop", "pairs_needed"),
    *("reason", "baseline_reason", "counterexample"),
)


def test_the_properties_of_both_gates_stand_in_one_list_each_once() -> None:
    smaller = row(FAIL, suite="t.py::test_a", model="m", operators=1)
    of_another_model = row(FAIL, suite="t.py::test_a", model="other")
    examples = [
        Counterexample(sample=of_another_model, command="pytest"),
        Counterexample(sample=smaller, command="pytest"),
    ]
    judged = analyse(
        run("1" * 30 + "0" * 10),
        structs.replace(RULES, drop=0.05, alpha=0.01),
        baseline=baseline_of(run("1" * 40)),
        counterexamples=examples,
        suites=3,
    )
    pairs = [(name.removeprefix("autoeval."), value) for name, value in properties(judged)]
    values = dict(pairs)
    assert len(pairs) == len(values)
    assert set(PROPERTIES_OF_BOTH_GATES) <= set(values)
    assert values["kind"] == "threshold and baseline"
    assert (values["verdict"], values["baseline_verdict"]) == ("failed", "failed")
    corrected = float(values["p_value_bonferroni"])
    assert corrected == pytest.approx(6 * float(values["p_value"]), rel=1e-5)
    assert values["counterexample"].startswith("different: formula ")
    numbers = [values[name] for name in ("drop", "pairs", "won", "lost")]
    assert numbers == ["0.05", "40", "0", "10"]
    low, difference, high = (float(values[f"difference{end}"]) for end in ("_low", "", "_high"))
    assert low < difference == -10 / 40 < high < 0


def test_values_are_one_line_that_xml_can_hold() -> None:
    hostile = 'a\x1b[2J\x00\ud800\ufffe\u202e"<&]]>\r\n\u2028b'
    bad = row(
        "different", suite=hostile, formula=hostile, translation=hostile, witness_text=hostile
    )
    example = Counterexample(sample=bad, command="")
    found = properties(analyse([bad], Rules(threshold=1.0), counterexamples=[example]))
    document = ET.Element("properties")
    for name, value in found:
        assert value.isprintable()
        ET.SubElement(document, "property", name=name, value=value)
    back = ET.fromstring(ET.tostring(document))
    assert [(one.get("name"), one.get("value")) for one in back] == found
    assert dict(found)["autoeval.counterexample"].startswith(
        "different: formula a\\x1b[2J\\x00\\ud800"
    )


def test_the_smallest_counterexample_is_named() -> None:
    nothing = {"description": None, "translation": None, "answer": None}
    found = [
        row("different", model="m", index=number, formula=text, **nothing)
        for number, text in enumerate(("p ∧ q", "r", "s ∧ t ∧ u"))
    ]
    other = row("different", model="n", formula="x", **nothing)
    examples = [Counterexample(sample=one, command="") for one in (*found, other)]
    analysis = analyse([*found, other], Rules(threshold=0.5), counterexamples=examples)
    named = {
        judgement.gate.model: dict(properties(analysis, judgement.key))["autoeval.counterexample"]
        for judgement in analysis.judgements
    }
    assert named == {"m": "different: formula r", "n": "different: formula x"}


def test_a_suite_that_meets_its_threshold_but_became_worse_has_no_tick() -> None:
    analysis = analyse(
        run("0" * 30 + "1" * 70),
        Rules(threshold=0.5, drop=0.05),
        baseline=baseline_of(run("1" * 100)),
    )
    assert analysis.verdict == "failed"
    assert not any(line.text.startswith("✓") for line in render(analysis))


def test_a_pair_that_can_show_nothing_is_said_to_show_nothing() -> None:
    gate = judged("1", "1")
    assert str(gate.conclusion) == (
        "not significantly worse, but 1 pair cannot show any drop; compare runs with more common formulas"
    )


def test_the_table_says_what_its_reader_may_miss() -> None:
    def said(rules: Rules) -> str:
        before = [one for model in "abcd" for one in run("1" * 100, model=model)]
        after = [one for model in "abcd" for one in run("0" * 5 + "1" * 95, model=model)]
        return " ".join(
            " ".join(line.text for line in render(summed_up(after, before, rules))).split()
        )

    assert "compared, but not judged: --autoeval-fail-on=drop:5% fails a run" in said(Rules())
    judged_text = said(Rules(suite_drop=0.02))
    assert "not judged" not in judged_text
    assert "corrected for 4 suites and the run" in judged_text
