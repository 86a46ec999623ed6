"""The summary of a run that was compared with a baseline, as its readers see it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from support.analyses import analyse, baseline_of
from support.documents_read import data_of, figures, section, sections, suite, table, value
from support.result_rows import call, changed, row
from support.screens import render
from support.snapshot import assert_snapshot

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.document import document
from pytest_autoeval.report.error_kinds import kinds_of

FIRST_ORDER = "suites/test_first_order.py::test_synthetic_names"
KSAT = "suites/test_ksat.py::test_round_trip"
LTL = "suites/test_ltl.py::test_round_trip"
REGEX = "suites/test_regex.py::test_round_trip"
PASS, FAIL = "equivalent", "different"


def run(suite: str, outcomes: Sequence[str], *, repeats: int = 1, **changes: Any) -> list[Sample]:
    """A run of formulas of which every other one has an existential quantifier, each with its outcome."""
    return [
        row(
            outcome,
            suite=suite,
            formula=f"{'∃x. ' if index % 2 else ''}P{index}(x)",
            index=index,
            repeat=repeat,
            operators=index % 5,
            measures={"operators": index % 5, "depth": index % 5 + 1, "existentials": index % 2},
            **changes,
        )
        for index, outcome in enumerate(outcomes)
        for repeat in range(repeats)
    ]


@cache
def whole_run() -> Analysis:
    """A suite that got worse, one that did not, one too small to tell, one that the baseline lacks."""
    worse = [FAIL if index % 8 == 1 or index % 20 == 0 else PASS for index in range(400)]
    rows = run(FIRST_ORDER, worse, threshold=0.85)
    halves = (
        changed(one, blame={"half": "description" if one.index % 3 else "reading"})
        for one in rows[1::16]
    )
    rows[1::16] = list(halves)
    rows += run(KSAT, [PASS] * 300 + ["undecided"], repeats=1)
    rows += run(LTL, [PASS] * 30 + [FAIL] * 2, repeats=3, seed=7)
    rows += run(REGEX, [PASS] * 60)
    baseline = run(FIRST_ORDER, [FAIL if index % 20 == 0 else PASS for index in range(400)])
    earlier = [call("informalize", prompt_digest="earlier"), call("autoformalize")]
    baseline[:7] = [changed(one, calls=earlier) for one in baseline[:7]]
    baseline += run(KSAT, [PASS] * 320, model="offline/teacher\x1b[2J")
    baseline += run(LTL, [PASS] * 32) + run("suites/test_gone.py::test_round_trip", [PASS])
    return analyse(
        rows,
        Rules(threshold=0.9, gate="interval", drop=0.05),
        baseline=baseline_of(baseline),
        baseline_name="release-1.4.jsonl",
        extents={
            (REGEX, "offline/student"): Extent(
                planned=200,
                stopped_early=Stopped(
                    verdict="passed", ran=60, planned=200, saved="about 280 calls"
                ),
            )
        },
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("compared", {"width": 100}),
        ("compared_verbose", {"width": 100, "verbosity": 1}),
        ("compared_quiet", {"verbosity": -1}),
        ("compared_ascii", {"unicode": False}),
    ],
)
def test_a_run_that_is_compared_with_a_baseline(name: str, settings: dict[str, Any]) -> None:
    assert_snapshot(name, render(whole_run(), **settings))


def test_the_summary_for_programs_is_as_documented() -> None:
    data = data_of(document(whole_run()))
    assert table(section(data, "comparison"))
    shown = sections(data, "suite")
    titles = {block.get("title", "") for one in shown for block in one["blocks"]}
    assert {
        "where the meaning was lost",
        "fails more often than on other formulas (difference at equal size)",
    } <= titles
    names = {name for one in shown for name in figures(one)}
    assert {
        "pass rate over repeats",
        "pass rate over batches",
        "difference",
        "p, corrected",
    } <= names


def test_the_summary_for_programs_has_scores_errors_and_what_is_unfinished() -> None:
    rows = run(
        KSAT,
        [PASS, FAIL],
        task="most_similar_english",
        form="english",
        data_set="folio",
        expected=1,
    )
    rows += run(LTL, ["error"] * 3 + [PASS], error="the server is gone")
    analysis = analyse(rows, Rules(), extents={(KSAT, "offline/student"): Extent(planned=5)})
    data = data_of(document(analysis, exit_code=2))
    assert table(section(data, "scores"))[0]["task"] == "Most similar"
    ltl = suite(data, LTL)
    assert table(ltl)[0] == {"errors": 3, "message": "the server is gone"}
    assert (value(ltl, "samples"), value(ltl, "errors"), figures(ltl)["pass rate"]["n"]) == (
        4,
        3,
        1,
    )
    left = suite(data, KSAT)
    assert (left["state"], value(left, "samples"), value(left, "planned")) == ("interrupted", 2, 5)


def test_a_comparison_that_is_not_judged() -> None:
    rows = run(FIRST_ORDER, [PASS] * 40)
    analysis = analyse(
        rows,
        Rules(),
        baseline=baseline_of(run(FIRST_ORDER, [FAIL, *[PASS] * 39])),
        baseline_name="old.jsonl",
    )
    assert (analysis.verdict, analysis.exit_code) == ("reported", 0)
    assert_snapshot("compared_reported", render(analysis))


def test_a_suite_has_the_threshold_of_its_rows_and_else_that_of_the_rules() -> None:
    rows = (
        run(FIRST_ORDER, [PASS, FAIL], threshold=0.4)
        + run(KSAT, [PASS, FAIL], threshold=None)
        + run(LTL, [PASS])
    )
    gates = {gate.suite: gate for gate in analyse(rows, Rules(threshold=0.9)).gates}
    assert {suite: gate.threshold for suite, gate in gates.items()} == {
        FIRST_ORDER: 0.4,
        KSAT: 0.9,
        LTL: 0.9,
    }
    assert [gates[suite].verdict for suite in (FIRST_ORDER, KSAT, LTL)] == [
        "passed",
        "failed",
        "passed",
    ]


def test_fewer_samples_than_were_planned_are_not_judged() -> None:
    analysis = analyse(
        run(FIRST_ORDER, [PASS] * 20),
        Rules(threshold=0.5),
        extents={
            (FIRST_ORDER, "offline/student"): Extent(planned=21),
            ("lost", "m"): Extent(planned=9),
        },
    )
    assert [gate.verdict for gate in analysis.gates] == ["interrupted", "interrupted"]
    assert (analysis.verdict, analysis.exit_code) == ("interrupted", 2)
    assert analysis.headline == "interrupted: 20 of 30 samples ran; 2 suites could not be judged"


def test_a_failed_gate_is_told_beside_an_interruption() -> None:
    rows = run(FIRST_ORDER, [FAIL] * 20) + run(KSAT, [PASS] * 3)
    extents = {(KSAT, "offline/student"): Extent(interrupted=True)}
    analysis = analyse(rows, Rules(threshold=0.5), extents=extents)
    assert (analysis.verdict, analysis.exit_code) == ("failed", 1)
    assert (
        analysis.headline
        == "1 suite failed; interrupted: 23 samples ran; 1 suite could not be judged"
    )


def test_no_rows_at_all() -> None:
    analysis = analyse([], Rules(threshold=0.5, drop=0.1), baseline=baseline_of(run(KSAT, [PASS])))
    assert (analysis.headline, analysis.verdict) == ("no sample ran", "reported")
    assert [*map(str, analysis.notes)] == [
        f"in the baseline but not in this run (renamed?): {KSAT}[offline/student]"
    ]


def test_messages_that_differ_only_in_numbers_or_ids_are_one_kind() -> None:
    waits = [
        f"429: slow down (request req_7{number:x}f); try again in 0.{number}s."
        for number in range(10, 99)
    ]
    lost = [f"connection lost: 127.0.0.1:{port}" for port in (8000, 8001, 8001)]
    details = ["no recording\nthe prompt has: this", "no recording\nthe prompt has: that"]
    found = kinds_of([*lost, *waits, "connection refused: 127.0.0.1:8000", "no digit", *details])
    assert list(found.items()) == [
        (min(waits), 89),
        ("connection lost: 127.0.0.1:8001", 3),
        ("no recording\nthe prompt has: that", 2),
        ("connection refused: 127.0.0.1:8000", 1),
        ("no digit", 1),
    ]
