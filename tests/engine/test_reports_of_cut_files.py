"""A report of a results file that was cut off lists what its run planned, as the command `report` does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import Report, pass_rate_test, read_results, run_suites
from pytest_autoeval.__main__ import main

MODELS = ["offline/faithful", "offline/or-for-and", "offline/empty"]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a results file of three suites."""
    test = pass_rate_test("propositional", operators=range(1, 3), samples=2, threshold=0.5)
    path = tmp_path_factory.mktemp("run") / "whole.jsonl"
    Report(run_suites([test], MODELS, shrink_budget=1)).write_results(path)
    return path.read_text("utf-8").splitlines(keepends=True)


def of_command(path: Path) -> dict[str, Any]:
    """The summary that the command writes."""
    summary = path.with_suffix(".json")
    main(["report", str(path), f"--summary={summary}"])
    document: dict[str, Any] = json.loads(summary.read_text("utf-8"))
    return document


def compared(summary: dict[str, Any]) -> dict[str, Any]:
    """What a program and the command say alike: verdict, table of suites and the suites themselves."""
    sections = {section["name"]: section["blocks"] for section in summary["sections"]}
    of_suites = [section["title"] for section in summary["sections"] if section["name"] == "suite"]
    return {
        "state": summary["state"],
        "exit_code": summary["exit_code"],
        "verdict": sections["verdict"],
        "suites": of_suites,
    }


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("torn", [True, False], ids=["in a line", "between lines"])
def test_a_cut_file_has_the_suites_of_its_plan(
    lines: list[str], share: float, torn: bool, tmp_path: Path
) -> None:
    kept = round(len(lines) * share)
    half_a_line = lines[kept][:30] if torn and kept < len(lines) else ""
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(lines[:kept]) + half_a_line, encoding="utf-8")
    report = Report(read_results(path))
    assert compared(report.summary()) == compared(of_command(path))
    assert len(report.analysis.summaries) == len(MODELS)
    assert report.passed is (main(["report", str(path)]) == 0)
    incomplete = f"line {kept + 1} is incomplete (the run was killed) and was left out"
    assert (incomplete in str(report)) is bool(half_a_line)
    # What it writes still has the plan.
    again = tmp_path / "again.jsonl"
    report.write_results(again)
    assert compared(Report(read_results(again)).summary()) == compared(report.summary())


def test_a_file_of_a_run_whose_tests_could_not_be_collected_did_not_pass(
    lines: list[str], tmp_path: Path
) -> None:
    run = {**json.loads(lines[0]), "not_collected": ["tests/test_broken.py"]}
    path = tmp_path / "broken.jsonl"
    path.write_text("".join([f"{json.dumps(run)}\n", *lines[1:]]), encoding="utf-8")
    report = Report(read_results(path))
    assert "1 file could not be collected (tests/test_broken.py)" in str(report)
    assert compared(report.summary()) == compared(of_command(path))


def test_a_report_of_a_file_with_a_sample_twice_does_not_judge_its_suite(
    lines: list[str], tmp_path: Path
) -> None:
    number = next(number for number, line in enumerate(lines) if '"kind":"sample"' in line)
    path = tmp_path / "twice.jsonl"
    path.write_text("".join([*lines[: number + 1], *lines[number:]]), encoding="utf-8")
    report = Report(read_results(path))
    interrupted = [judged for judged in report.judgements if judged.verdict == "interrupted"]
    assert len(interrupted) == 1
    assert not report.passed
