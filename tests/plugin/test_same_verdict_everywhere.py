"""The verdict against a baseline is the same from one process, from workers, and from `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.documents_read import lasting, read_summary
from support.program import Program

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.merging import merge

from .conftest import FAITHFUL, Run, Suite

#: Of four suites one is skipped, and one ends in errors for some of its samples.
SUITES = """
import os
import pytest

@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.autoeval("propositional", operators=range(6), samples=8)
def test_whole(name, sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample.formula), sample.formula)

@pytest.mark.autoeval("ksat", operators=range(4), samples=8)
def test_broken(sample, round_trip, assert_equivalent):
    if sample.index == 3 and "BREAK" in os.environ:
        raise RuntimeError("broken")
    assert_equivalent(round_trip(sample.formula), sample.formula)

@pytest.mark.skip
@pytest.mark.autoeval("propositional", operators=range(6), samples=8)
def test_skipped(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample.formula), sample.formula)
"""
WEAK = "--autoeval-model=offline/student?strength=0.9"
JUDGE = ("--autoeval-baseline=old.jsonl", "--autoeval-fail-on=drop:5%,suite-drop:20%")


def verdicts(name: str) -> dict[str, list[Any]]:
    """The sections of a summary about verdicts and comparisons."""
    summary = lasting(read_summary(name))
    found: dict[str, list[Any]] = {}
    for section in summary["sections"]:
        if section["name"] in {"verdict", "suites", "comparison"}:
            found.setdefault(section["name"], []).append(without_defaults(section))
    return found


def without_defaults(value: Any) -> Any:
    """The value without a confidence of 95 %, which is the default: what a worker sent says it, other values do not."""
    if isinstance(value, dict):
        return {
            key: without_defaults(one)
            for key, one in value.items()
            if (key, one) != ("confidence", 0.95)
        }
    return [*map(without_defaults, value)] if isinstance(value, list) else value


def test_one_process_workers_and_report_agree(
    suite: Suite, run: Run, report: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite(SUITES)
    common = ("--autoeval-shrink-budget=0", "-q")
    run(*common, FAITHFUL, "--autoeval-results=old.jsonl")
    monkeypatch.setenv("BREAK", "1")
    alone = run(
        *common, *JUDGE, WEAK, "--autoeval-results=run.jsonl", "--autoeval-summary=run.json"
    )
    divided = run(
        *common, *JUDGE, WEAK, "-n2", "--autoeval-results=two.jsonl", "--autoeval-summary=two.json"
    )
    assert alone.ret == divided.ret == 1
    against = ("--baseline", "old.jsonl", "--fail-on", "drop:5%,suite-drop:20%")
    report("run.jsonl", *against, "--summary", "report.json", code=1)
    first = verdicts("run.json")
    assert first == verdicts("two.json") == verdicts("report.json")
    assert (len(read_file("run.jsonl").suites), merge([Path("run.jsonl")]).number_of_suites) == (
        3,
        4,
    )
