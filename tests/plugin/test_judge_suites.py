"""The shipped suites of the judge, small: who judges rightly, who always answers the same, who errs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.blocks import Table
from pytest_autoeval.report.task_figures import figures_in, task_blocks

from .conftest import Rows, Run

SUITES = Path(__file__).parents[2] / "suites"
#: Another name than the suite has: a module `test_judge` of ours is there already.
FILE = "test_shipped_judge.py"
TESTS = {
    "test_propositional",
    "test_ksat",
    "test_first_order",
    "test_regex",
    "test_ltl",
    "test_past_ltl",
}
SMALL = ("--autoeval-operators=5", "--autoeval-samples=4", "--autoeval-results=out.jsonl")
RATES = ("accuracy", "precision", "recall", "specificity", "F1", "kappa")
MATRIX = "right answers (down) and given answers (across)"


@pytest.fixture(autouse=True)
def _suites(pytester: pytest.Pytester) -> None:
    shutil.copy(SUITES / "test_judge.py", pytester.path / FILE)


def figures(file: str) -> dict[str, dict[str, Any]]:
    """The figures of each suite of a results file by their names, with the rows of its tables by their titles."""
    return {suite.name.partition("::")[2]: figures_of(suite) for suite in read_file(file).suites}


def figures_of(suite: SuiteRecord) -> dict[str, Any]:
    blocks = task_blocks(suite, suite.counted)
    tables = {
        block.title: [row.cells for row in block.rows]
        for block in blocks
        if isinstance(block, Table)
    }
    return {figure.name: figure.value for figure in figures_in(blocks)} | tables


def test_the_faithful_model_is_right_by_every_figure(run: Run) -> None:
    result = run("-v", "--autoeval-threshold=1", *SMALL)
    assert result.ret == pytest.ExitCode.OK
    blocks = figures("out.jsonl")
    assert set(blocks) == TESTS
    for block in blocks.values():
        assert [block[rate] for rate in RATES] == [1.0] * len(RATES)
        assert block[MATRIX] == [("same meaning", 2, 0), ("different meaning", 0, 2)]
        assert block["unreadable"] == 0
    for test in sorted(TESTS):
        result.stdout.fnmatch_lines(
            [f"✓ {FILE}::{test} *", "*accuracy 100.0 % (*) of 4; kappa 1; unreadable 0*"]
        )


@pytest.mark.parametrize(
    ("model", "recall", "specificity"), [("yes-sayer", 1.0, 0.0), ("no-sayer", 0.0, 1.0)]
)
def test_one_answer_to_everything_knows_nothing(
    run: Run, model: str, recall: float, specificity: float
) -> None:
    result = run(f"--autoeval-model=offline/{model}", "--autoeval-threshold=0.6", *SMALL)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for block in figures("out.jsonl").values():
        found = (block["recall"], block["specificity"], block["accuracy"], block["kappa"])
        assert found == (recall, specificity, 0.5, 0.0)


def test_a_student_lies_between_and_is_the_same_on_workers(run: Run, rows: Rows) -> None:
    asked = (
        "--autoeval-model=offline/student?strength=0.93",
        "-k",
        "propositional",
        "--autoeval-samples=24",
    )
    written = []
    for workers in ("0", "2"):
        run(
            *asked, "--autoeval-operators=3,4", f"--autoeval-results={workers}.jsonl", "-n", workers
        )
        written.append(
            [(row["formula"], row["other"], row["answered"]) for row in rows(f"{workers}.jsonl")]
        )
    assert written[0] == written[1]
    (block,) = figures("0.jsonl").values()
    assert 0.5 < block["accuracy"] < 1.0
    assert 0.0 < block["kappa"] < 1.0
    assert [cells[0] for cells in block["accuracy by size"]] == [3, 4]


def test_looks_show_nothing_of_these_pairs(run: Run) -> None:
    run(
        "--autoeval-model=offline/lookalike",
        "--autoeval-operators=3",
        "--autoeval-samples=12",
        SMALL[2],
    )
    suites = read_file("out.jsonl").suites
    whole = SuiteRecord(
        suites[0].asked, suites[0].run, [sample for suite in suites for sample in suite.samples]
    )
    block = figures_of(whole)
    assert abs(block["kappa"]) < 0.25
    yes = sum(cells[1] for cells in block[MATRIX])
    no = sum(cells[2] for cells in block[MATRIX])
    assert yes > 0
    assert no > 0


def test_the_command_of_a_failure_asks_the_same_pair_again(run: Run, rows: Rows) -> None:
    asked = (
        "--autoeval-model=offline/yes-sayer",
        "--autoeval-seed=3",
        "--autoeval-threshold=1",
        "-k",
        "past_ltl",
    )
    shown = run(*asked, *SMALL).stdout.str()
    block = shown[shown.index("= FAILURES =") : shown.index("= autoeval =")]
    assert [
        word in block
        for word in ("    formula ", "    other ", "    expected     no", "    answered     yes")
    ] == [True] * 4
    assert "    witness " in block
    formula = block.partition("    formula ")[2].partition("\n")[0].strip()
    assert "--autoeval-seed=3" in block
    run(*asked, f"--autoeval-formula={formula}", "--autoeval-results=again.jsonl")
    first = {
        (row["formula"], row["other"], row["expected"])
        for row in rows("out.jsonl")
        if row["formula"] == formula
    }
    assert {(row["formula"], row["other"], row["expected"]) for row in rows("again.jsonl")} == first
