"""One suite judged by itself says what the analysis of the whole run says of it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import asdict, replace

import pytest
from result_rows import changed, row

from pytest_autoeval.reporting.analysis import analyse, judge_suite
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.items import by_suite
from pytest_autoeval.reporting.judging.baseline import Baseline
from pytest_autoeval.reporting.judging.gates import Extent, Rules, StoppedEarly
from pytest_autoeval.reporting.junit import properties
from pytest_autoeval.reporting.row import Row

PASS, FAIL = "equivalent", "different"
RULES = Rules(threshold=0.8, drop=0.05)


def run(passed: str, suite: str = "t.py::test_a", model: str = "m") -> list[Row]:
    """A run with ``1`` for each formula that passes, ``0`` for one that fails."""
    outcomes = {"1": PASS, "0": FAIL}
    return [row(outcomes[sign], index=n, formula=f"p{n}", suite=suite, model=model) for n, sign in enumerate(passed)]


def test_a_suite_by_itself_is_judged_as_in_the_whole_run() -> None:
    rows = [*run("1" * 90 + "0" * 10), *run("1" * 50, "t.py::test_b"), *run("10" * 20, "t.py::test_c", "n")]
    baseline = Baseline([*run("1" * 100), *run("1" * 50, "t.py::test_b")])
    extents = {("t.py::test_b", "m"): Extent(planned=60), ("t.py::test_d", "m"): Extent(planned=5)}
    whole = analyse(rows, RULES, baseline=baseline, extents=extents, suites=4)
    assert [one.gate.name for one in whole.judgements] == [
        *("t.py::test_a[m]", "t.py::test_b[m]", "t.py::test_c[n]", "t.py::test_d[m]")
    ]
    for one in whole.judgements:
        key = (one.gate.suite, one.gate.model)
        alone = judge_suite(
            by_suite(rows).get(key, []),
            RULES,
            extent=extents.get(key, Extent()),
            baseline=baseline,
            suites=4,
            suite=one.gate.suite,
            model=one.gate.model,
        )
        assert alone == one


@pytest.mark.parametrize(
    ("after", "before", "rules", "verdict", "reason"),
    [
        ("1" * 300, None, Rules(), "reported", "pass rate 100.0 %"),
        ("1" * 300, None, Rules(threshold=0.9), "passed", "pass rate 100.0 %"),
        ("1" * 300, "1" * 300, Rules(threshold=0.9), "passed", "pass rate 100.0 %"),
        ("1" * 300, "1" * 300, Rules(drop=0.05), "passed", "against the baseline: a drop of 5 points or more is"),
        ("1" * 300, "1" * 300, Rules(threshold=0.9, drop=0.05), "passed", ". Against the baseline: a drop of 5 points"),
        ("1" * 20, "1" * 20, Rules(threshold=0.9, drop=0.05), "inconclusive", ". Against the baseline: no significant"),
        ("1" * 9 + "0", "1" * 10, Rules(threshold=1, drop=0.05), "failed", "threshold 100 %. Against the baseline: "),
        (
            "0" * 30 + "1" * 70,
            "1" * 100,
            Rules(threshold=0.5, drop=0.05),
            "failed",
            "Against the baseline: significantly",
        ),
    ],
)
def test_the_worst_gate_decides_and_those_that_judged_say_why(
    after: str, before: str | None, rules: Rules, verdict: str, reason: str
) -> None:
    one = judge_suite(run(after), rules, baseline=None if before is None else Baseline(run(before)))
    assert one.verdict == verdict
    assert (one.passes, one.inconclusive) == (verdict in ("passed", "reported"), verdict == "inconclusive")
    assert reason in one.reason
    assert (one.comparison is None) == (before is None)


def test_a_suite_without_rows_has_the_name_that_it_is_given() -> None:
    one = judge_suite([], Rules(threshold=0.5), extent=Extent(planned=8), baseline=Baseline([]), suite="s", model="m")
    assert (one.gate.name, one.verdict, one.comparison) == ("s[m]", "interrupted", None)


def test_of_a_part_of_the_suites_the_correction_counts_all() -> None:
    after, before = run("0" * 5 + "1" * 95), Baseline(run("1" * 100))
    (gate,) = analyse(after, RULES, baseline=before, suites=4).comparisons
    assert gate.suites == 4
    assert gate.p_corrected == pytest.approx(4 * 0.5**5)
    assert judge_suite(after, RULES, baseline=before, suites=4).comparison == gate


def test_the_properties_of_both_gates_stand_in_one_list_each_once() -> None:
    example = Counterexample(row=row(FAIL, suite="t.py::test_a", model="m", operators=1), command="pytest")
    other = Counterexample(row=row(FAIL, suite="t.py::test_a", model="other"), command="pytest")
    judgement = judge_suite(run("1" * 30 + "0" * 10), RULES, baseline=Baseline(run("1" * 40)), suites=3)
    found = properties(judgement, [other, example])
    assert [name.removeprefix("autoeval.") for name, _ in found] == [
        *("kind", "model", "verdict", "samples", "rate", "interval_low", "interval_high", "threshold"),
        *("baseline_model", "baseline_verdict", "pairs", "won", "lost", "difference", "difference_low"),
        *("difference_high", "p_value", "p_value_bonferroni", "drop", "detectable_drop", "pairs_needed"),
        *("reason", "baseline_reason", "counterexample"),
    ]
    values = dict(found)
    assert values["autoeval.kind"] == "threshold and baseline"
    assert (values["autoeval.verdict"], values["autoeval.baseline_verdict"]) == ("failed", "failed")
    assert float(values["autoeval.p_value_bonferroni"]) == pytest.approx(
        3 * float(values["autoeval.p_value"]), rel=1e-5
    )
    assert values["autoeval.counterexample"] == example.one_line


def test_what_a_worker_sends_arrives_as_it_was() -> None:
    example = Counterexample(row=row(FAIL, law="De Morgan"), command="pytest", confirmed="2 of 2", minimal=True)
    shrunk = replace(example, shrunk_row=changed(row(FAIL), way="few-shot"), round_trips_spent=7)
    for one in (example, shrunk):
        assert Counterexample.from_json(json.loads(json.dumps(one.to_json()))) == one
    stopped = StoppedEarly(verdict="failed", ran=20, planned=40, gate="interval", saved="40 calls")
    assert StoppedEarly(**json.loads(json.dumps(asdict(stopped)))) == stopped


def test_values_are_one_line_that_xml_can_hold() -> None:
    hostile = 'a\x1b[2J\x00\ud800\ufffe\u202e"<&]]>\r\n\u2028b'
    bad = row("different", suite=hostile, formula=hostile, translation=hostile, witness_text=hostile)
    (judgement,) = analyse([bad], Rules(threshold=1.0)).judgements
    found = properties(judgement, [Counterexample(row=bad, command="")])
    document = ET.Element("properties")
    for name, value in found:
        assert value.isprintable()
        ET.SubElement(document, "property", name=name, value=value)
    back = ET.fromstring(ET.tostring(document))
    assert [(one.get("name"), one.get("value")) for one in back] == found
    assert dict(found)["autoeval.counterexample"].startswith("different: a\\x1b[2J\\x00\\ud800")


def test_what_is_not_known_is_left_out() -> None:
    (judgement,) = analyse([row("error", error="no network")], Rules()).judgements
    assert properties(judgement, []) == [
        ("autoeval.kind", "threshold"),
        ("autoeval.model", "offline/student"),
        ("autoeval.verdict", "failed"),
        ("autoeval.samples", "1"),
        ("autoeval.errors", "1"),
        ("autoeval.reason", judgement.gate.reason),
    ]


def test_the_smallest_counterexample_is_named() -> None:
    nothing = {"translation": None, "answer": None}
    found = [
        row("different", model="m", index=number, formula=text, **nothing)
        for number, text in enumerate(("p ∧ q", "r", "s ∧ t ∧ u"))
    ]
    other = row("different", model="n", formula="x", **nothing)
    examples = [Counterexample(row=one, command="") for one in (*found, other)]
    judgements = analyse([*found, other], Rules(threshold=0.5)).judgements
    named = {one.gate.model: dict(properties(one, examples))["autoeval.counterexample"] for one in judgements}
    assert named == {"m": "different: r: no answer", "n": "different: x: no answer"}
