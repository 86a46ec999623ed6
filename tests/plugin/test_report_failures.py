"""`report RESULTS --failures=FILE.jsonl`: the formulas that failed, as data that a later run asks about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.program import Program
from support.result_rows import row, write_rows

from pytest_autoeval.record.file import read_file

from .conftest import Rows, Run, Suite


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(file: str = "failures.jsonl") -> list[dict[str, str]]:
    return [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]


def test_each_formula_that_failed_stands_once_and_in_its_simplest_form(report: Program) -> None:
    same = {"grammar": "ksat", "vocabulary": "english"}
    other = {"suite": "suites/test_simple.py::test_round_trip", **same}
    rows = [
        row("equivalent", index=0, formula="p1"),
        row("different", index=1, formula="p2 ∧ p3", shrunk_to="p2"),
        row("unparseable", index=2, formula="p4", **other),
        row("unparseable", index=2, formula="p4", repeat=1, **other),
        row("undecided", index=3, formula="p5"),
        row("error", index=4, formula="p6", error="no server"),
        row("different", index=5, formula="p7", shrunk=True),
        row("different", index=6, formula="p2"),
    ]
    write_rows("r.jsonl", rows)
    line = "failures.jsonl: 2 formulas on which a model failed"
    assert line in report("r.jsonl", "--failures=failures.jsonl", code=1).err
    plain = {"language": "propositional", "grammar": "propositional", "vocabulary": "synthetic"}
    assert written() == [{"formula": "p2", **plain}, {**plain, **same, "formula": "p4"}]


def test_failures_of_other_tasks_are_left_out_and_counted(report: Program) -> None:
    judged = row("wrong answer", suite="suites/test_judge.py::test_judge", task="judge", other="p1")
    write_rows("r.jsonl", [judged, row("different", index=1, formula="p2")])
    shown = report("r.jsonl", "--failures=failures.jsonl").err
    assert (
        "1 formula on which a model failed; without 1 failure of tasks whose items have more than a formula"
        in shown
    )
    assert [one["formula"] for one in written()] == ["p2"]


def test_the_results_are_not_overwritten(report: Program) -> None:
    write_rows("r.jsonl", [row("different")])
    assert (
        "--failures: would overwrite the results r.jsonl"
        in report("r.jsonl", "--failures=r.jsonl", code=2).err
    )


@pytest.mark.parametrize(
    "more", [("--autoeval-dataset=failures.jsonl",), ()], ids=["option", "marker"]
)
def test_a_run_asks_about_the_file(
    suite: Suite,
    run: Run,
    rows: Rows,
    report: Program,
    pytester: pytest.Pytester,
    more: tuple[str, ...],
) -> None:
    suite(more=", threshold=0.9")
    run("--autoeval-model=offline/or-for-and", "--autoeval-results=r.jsonl")
    (pytester.path / "r.jsonl").rename(Path("r.jsonl"))
    shrunk = {
        found.shrunk_to
        for suite in read_file(Path("r.jsonl")).suites
        if suite.end is not None
        for found in suite.end.counterexamples
        if found.shrunk_to
    }
    assert shrunk
    report("r.jsonl", f"--failures={pytester.path / 'failures.jsonl'}", code=1)
    formulas = {one["formula"] for one in written(str(pytester.path / "failures.jsonl"))}
    assert shrunk <= formulas
    if not more:
        text = pytester.path.joinpath("test_suite.py").read_text("utf-8")
        pytester.path.joinpath("test_suite.py").write_text(
            text.replace('"propositional", operators=range(4)', '"failures.jsonl"'), "utf-8"
        )
    run(
        "--autoeval-model=offline/faithful", "--autoeval-results=again.jsonl", *more
    ).assert_outcomes(passed=1)
    assert {one["formula"] for one in rows("again.jsonl")} == formulas
