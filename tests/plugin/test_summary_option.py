"""The summary for programs is what `docs/reference/summary.md` says, and equal runs have equal ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.documented_summary import check
from support.program import Program

from .conftest import ROUND_TRIP, Rows, Run, Suite, said

FAULTY = ("--autoeval-model=offline/faithful", "--autoeval-model=offline/negation-scope")
TIMES = {"created", "seconds", "started", "verdict_seconds"}


def read(path: str | Path) -> Any:
    """A summary, which is checked."""
    summary = json.loads(Path(path).read_text("utf-8"))
    check(summary)
    return summary


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def test_the_object_is_as_documented(run: Run, suite: Suite, rows: Rows) -> None:
    suite(more=", threshold=0.9")
    run(*FAULTY[1:], "--autoeval-results=before.jsonl", "--autoeval-shrink-budget=0")
    more = (
        "--autoeval-repeats=2",
        "--autoeval-blame",
        "--autoeval-fail-on=drop:5%",
    )
    result = run(
        *FAULTY, *more, "--autoeval-baseline=before.jsonl", "--autoeval-results=r.jsonl", "--autoeval-summary=s.json"
    )
    result.stdout.fnmatch_lines(["the summary for programs: *s.json"])
    summary, written = read("s.json"), rows("r.jsonl")
    run_ = summary["run"]
    assert (run_["verdict"], run_["exit_code"]) == ("failed", result.ret)
    assert run_["models"] == ["offline/faithful", "offline/negation-scope"]
    assert run_["samples"] == len(written) == run_["passed"] + run_["failed"]
    shrinking = [row["shrinking"]["number"] for row in written if "shrinking" in row]
    assert run_["calls"]["number"] == sum(len(row["calls"]) for row in written) + sum(shrinking)
    faithful, faulty = summary["suites"]
    assert (faithful["verdict"], faithful["failed"], faithful["rate"]["lower"]) == ("passed", 0, 1.0)
    assert (faulty["verdict"], faulty["threshold"], faulty["planned"]) == ("failed", 0.9, len(written) / 2)
    assert faulty["failed"] == sum(row["outcome"] == "different" for row in written)
    assert sum(size["rate"]["total"] for size in faulty["by_size"]) == faulty["samples"]
    assert sum(faulty["blame"].values()) == faulty["failed"]
    assert faulty["comparison"]["tied"] == faulty["comparison"]["pairs"] > 0
    assert faithful["comparison"]["baseline_model"] == "offline/negation-scope"
    (example,) = summary["counterexamples"]
    assert example["row"]["outcome"] == example["outcome"] == "different"
    assert example["row"]["calls"][0]["messages"][0]["role"] == "system"
    assert summary["unfinished"] == []


def test_equal_runs_have_equal_objects_but_for_times(run: Run, suite: Suite) -> None:
    suite(more=", threshold=0.9")
    for calls in (8, 1):  # in another order
        assert run(*FAULTY, f"--autoeval-summary={calls}.json", f"--autoeval-concurrency={calls}").ret == 1
    summary = read("8.json")
    assert summary["counterexamples"]
    assert without_times(summary) == without_times(read("1.json"))


STOPS = """
from pathlib import Path

def test_stops():
    assert not Path("s.json").exists()
    pytest.exit("enough")

@pytest.mark.autoeval("propositional", operators=range(2), samples=2, threshold=0.9)
def test_never_runs(sample, llm, assert_equivalent):
    assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)
"""


def test_an_interrupted_run_says_what_did_not_run_and_leaves_no_earlier_verdict(run: Run, suite: Suite) -> None:
    suite(ROUND_TRIP + STOPS, more=", threshold=0.9")
    Path("s.json").write_text('{\n  "schema_version": 1, "run": "an earlier one"}', "utf-8")
    assert run("--autoeval-summary=s.json").ret == pytest.ExitCode.INTERRUPTED
    summary = read("s.json")
    assert (summary["run"]["verdict"], summary["run"]["exit_code"]) == ("interrupted", 2)
    assert [one["verdict"] for one in summary["suites"]] == ["interrupted", "passed"]
    (left,) = summary["unfinished"]
    assert (left["suite"], left["samples"]) == ("test_suite.py::test_never_runs", 0)


def test_a_report_has_it_too(run: Run, suite: Suite, program: Program) -> None:
    suite(more=", threshold=0.9")
    run(*FAULTY, "--autoeval-results=r.jsonl", "--autoeval-summary=run.json", "--autoeval-shrink-budget=0")
    program("report", "r.jsonl", "--summary=report.json", code=1)
    of_run, of_report = without_times(read("run.json")), without_times(read("report.json"))
    for suite_ in (*of_run["suites"], *of_report["suites"]):
        del suite_["planned"]
    for example in (*of_run["counterexamples"], *of_report["counterexamples"]):
        del example["command"]
    assert of_run == of_report
    assert without_times(program("report", "r.jsonl", "--summary=-", code=1).data)["run"] == of_run["run"]


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
        assert read("real.json")["run"]["exit_code"] == 0


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
    Path("conftest.py").write_text("def pytest_runtest_setup():\n    raise KeyboardInterrupt\n", "utf-8")
    assert run("--autoeval-github-summary=run.md", apart=True).ret == pytest.ExitCode.INTERRUPTED
    assert Path("run.md").exists() is of_the_job
