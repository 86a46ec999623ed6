"""The summary for programs is what `docs/reference/summary.md` says, and equal runs have equal ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.documents_read import (
    counterexamples,
    fields,
    figures,
    lasting,
    read_summary,
    section,
    sections,
    states,
    table,
    value,
)
from support.documents_read import (
    suite as suite_in,
)
from support.program import Program

from .conftest import ROUND_TRIP, Rows, Run, Suite, said

FAULTY = ("--autoeval-model=offline/faithful", "--autoeval-model=offline/negation-scope")


def test_the_summary_has_the_figures_of_the_run_and_of_its_suites(
    run: Run, suite: Suite, rows: Rows
) -> None:
    suite(more=", threshold=0.9")
    run(*FAULTY[1:], "--autoeval-results=before.jsonl", "--autoeval-shrink-budget=0")
    more = ("--autoeval-repeats=2", "--autoeval-blame", "--autoeval-fail-on=drop:5%")
    result = run(
        *FAULTY,
        *more,
        "--autoeval-baseline=before.jsonl",
        "--autoeval-results=r.jsonl",
        "--autoeval-summary=s.json",
    )
    result.stdout.fnmatch_lines(["the summary for programs: *s.json"])
    summary, written = read_summary("s.json"), rows("r.jsonl")
    assert (summary["state"], summary["exit_code"]) == ("failed", result.ret)
    whole = section(summary, "verdict")
    assert (
        value(whole, "samples") == len(written) == value(whole, "passed") + value(whole, "failed")
    )
    shrinking = [row["shrinking"]["number"] for row in written if "shrinking" in row]
    assert value(section(summary, "calls"), "calls") == sum(
        len(row["calls"]) for row in written
    ) + sum(shrinking)
    faithful, faulty = (
        suite_in(summary, model=f"offline/{name}") for name in ("faithful", "negation-scope")
    )
    assert (faithful["state"], value(faithful, "failed"), value(faithful, "pass rate")) == (
        "passed",
        0,
        1.0,
    )
    assert (faulty["state"], value(faulty, "threshold"), value(faulty, "planned")) == (
        "failed",
        0.9,
        len(written) / 2,
    )
    assert value(faulty, "failed") == sum(row["outcome"] == "different" for row in written)
    assert sum(row["samples"] for row in table(faulty, "by size")) == value(faulty, "samples")
    halves = [
        figure["value"] for name, figure in figures(faulty).items() if name.startswith("in the ")
    ]
    assert sum(halves) == value(faulty, "failed")
    assert value(faulty, "pairs") > value(faulty, "won") + value(faulty, "lost") == 0
    ((_, example),) = counterexamples(summary)
    assert example["outcome"] == "different"
    assert {"formula", "description", "translation", "witness"} <= fields(example).keys()


def test_equal_runs_have_equal_objects_but_for_times(run: Run, suite: Suite) -> None:
    suite(more=", threshold=0.9")
    for calls in (8, 1):  # in another order
        assert (
            run(*FAULTY, f"--autoeval-summary={calls}.json", f"--autoeval-concurrency={calls}").ret
            == 1
        )
    summary = read_summary("8.json")
    assert [*counterexamples(summary)]
    other = read_summary("1.json")
    for one in (summary, other):  # the next steps name the options
        one["sections"].remove(section(one, "next steps"))
    assert lasting(summary) == lasting(other)


STOPS = """
from pathlib import Path

def test_stops():
    assert not Path("s.json").exists()
    pytest.exit("enough")

@pytest.mark.autoeval("propositional", operators=range(2), samples=2, threshold=0.9)
def test_never_runs(sample, llm, assert_equivalent):
    assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)
"""


def test_an_interrupted_run_says_what_did_not_run_and_leaves_no_earlier_verdict(
    run: Run, suite: Suite
) -> None:
    suite(ROUND_TRIP + STOPS, more=", threshold=0.9")
    Path("s.json").write_text('{\n  "schema_version": 1, "run": "an earlier one"}', "utf-8")
    assert run("--autoeval-summary=s.json").ret == pytest.ExitCode.INTERRUPTED
    summary = read_summary("s.json")
    assert (summary["state"], summary["exit_code"]) == ("interrupted", 2)
    assert states(summary) == ["interrupted", "passed"]
    left = suite_in(summary, "test_suite.py::test_never_runs")
    assert (left["state"], value(left, "samples")) == ("interrupted", 0)


def test_a_report_has_it_too(run: Run, suite: Suite, program: Program) -> None:
    suite(more=", threshold=0.9")
    run(
        *FAULTY,
        "--autoeval-results=r.jsonl",
        "--autoeval-summary=run.json",
        "--autoeval-shrink-budget=0",
    )
    program("report", "r.jsonl", "--summary=report.json", code=1)
    of_run, of_report = lasting(read_summary("run.json")), lasting(read_summary("report.json"))
    for summary in (of_run, of_report):
        for _, example in counterexamples(summary):
            del example["command"]
    named = ("verdict", "suites", "suite", "models")
    for name in named:
        assert sections(of_run, name) == sections(of_report, name)
    printed = lasting(program("report", "r.jsonl", "--summary=-", code=1).data)
    assert section(printed, "verdict") == section(of_run, "verdict")


@pytest.mark.parametrize("text", ['{"name": "a-package"}', "[1]", "words"])
def test_what_is_no_earlier_summary_is_left_alone(run: Run, suite: Suite, text: str) -> None:
    suite()
    Path("package.json").write_text(text, "utf-8")
    result = run("--autoeval-summary=package.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "exists and does not contain a summary in JSON" in said(result)
    assert Path("package.json").read_text("utf-8") == text


def test_a_run_without_a_suite_leaves_an_earlier_summary(run: Run, suite: Suite) -> None:
    suite()
    run("--autoeval-summary=s.json")
    before = Path("s.json").read_bytes()
    run("--autoeval-summary=s.json", "-k", "nothing")
    assert Path("s.json").read_bytes() == before


def test_a_link_to_a_summary_stays_a_link(run: Run, suite: Suite) -> None:
    suite()
    Path("s.json").symlink_to("real.json")
    for _ in range(2):
        run("--autoeval-summary=s.json")
        assert Path("s.json").is_symlink()
        assert read_summary("real.json")["exit_code"] == 0


@pytest.mark.parametrize("of_the_job", [False, True])
def test_a_run_that_ends_before_its_first_sample_leaves_no_earlier_markdown(
    run: Run, suite: Suite, monkeypatch: pytest.MonkeyPatch, of_the_job: bool
) -> None:
    suite(more=", threshold=0.9")
    run("--autoeval-github-summary=run.md")
    before = Path("run.md").read_text("utf-8")
    assert before.startswith("## ✓ ")
    if of_the_job:  # it belongs to the runner, and other steps write to it too
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(Path("run.md").resolve()))
    Path("conftest.py").write_text(
        "def pytest_runtest_setup():\n    raise KeyboardInterrupt\n", "utf-8"
    )
    assert run("--autoeval-github-summary=run.md", apart=True).ret == pytest.ExitCode.INTERRUPTED
    assert Path("run.md").exists() is of_the_job
