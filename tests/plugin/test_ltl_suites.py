"""The shipped suites of temporal logic, small: each fault is caught by name, rows and terminal tell the figures."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Rows, Run, said

SUITES = Path(__file__).parents[2] / "suites"
FILE = "test_ltl_tasks.py"
OF_FORMULAS = {
    "globally-for-eventually": {"test_future_formula", "test_past_formula"},
    "dropped-next": {"test_future_formula"},
    "weak-until": {"test_future_formula"},
    "mis-scoped": {"test_future_formula", "test_past_formula"},
    "yesterday-for-historically": {"test_past_formula"},
    "equals-for-iff": {"test_future_formula"},
    "new-atom": {"test_future_formula", "test_past_formula"},
}
OF_OTHERS = {
    "over-extracts": {"test_propositions"},
    "whole-sentence": {"test_propositions"},
    "accepts-all": {"test_well_formed"},
}
ANSWER = {"task", "interface", "way", "answer"}
FORMULA = ANSWER | {
    "sentence",
    "propositions",
    "relation",
    "meaningful",
    "syntactically_correct",
    "lacking",
}
KEYS = {
    "test_propositions": ANSWER | {"sentence", "propositions", "answered", "scores", "error_kind"},
    "test_well_formed": ANSWER | {"text", "expected", "answered"},
    "test_future_formula": FORMULA,
    "test_past_formula": FORMULA,
    "test_judged_trace": ANSWER | {"trace", "expected", "answered"},
    "test_written_trace": ANSWER | {"trace", "expected", "answered"},
    "test_sentence_alone": FORMULA | {"alignment", "alignment_basis"},
}
FIGURES = {
    "test_propositions": "precision 100.0 % of 4; recall 100.0 % of 4; F1 100.0 % of 4; ",
    "test_well_formed": "false positive rate 0.0 %; false negative rate 0.0 %",
    "test_future_formula": "equivalent 100.0 % (39.8–100.0) of 4; not comparable 0; ",
    "test_past_formula": "equivalent 100.0 % (15.8–100.0) of 2; not comparable 0; ",
    "test_judged_trace": "soundness 100.0 %; completeness 100.0 %; ",
    "test_written_trace": "right 100.0 % (15.8–100.0) of 4; satisfying right 100.0 % (15.8–100.0) of 2; ",
    "test_sentence_alone": "equivalent 100.0 % (39.8–100.0) of 4; not comparable 0; ",
}


@pytest.fixture(autouse=True)
def _suites(pytester: pytest.Pytester) -> None:
    shutil.copy(SUITES / FILE, pytester.path)


@pytest.mark.parametrize(
    ("faults", "options"),
    [
        (OF_FORMULAS, ("-k", "past_formula or future_formula", "--autoeval-operators=1,9,11")),
        (
            OF_OTHERS,
            (
                "-k",
                "test_propositions or well_formed",
                "--autoeval-operators=1",
                "--autoeval-samples=4",
            ),
        ),
    ],
)
def test_each_fault_is_caught_by_name(
    run: Run, faults: dict[str, set[str]], options: tuple[str, ...]
) -> None:
    models = [f"--autoeval-model=offline/{name}" for name in ("faithful", *faults)]
    shown = said(run(*models, "--autoeval-threshold=1", *options, "-q"))
    failed = {line.split(" - ")[0] for line in shown.splitlines() if line.startswith("FAILED")}
    assert failed == {
        f"FAILED {FILE}::{test}[offline/{name}]"
        for name, caught in faults.items()
        for test in caught
    }


def test_rows_and_terminal_tell_the_figures_of_each_task(run: Run, rows: Rows) -> None:
    result = run(
        "-v", "--autoeval-operators=1,3", "--autoeval-samples=2", "--autoeval-results=out.jsonl"
    )
    assert result.ret == pytest.ExitCode.OK
    written = rows("out.jsonl")
    assert {row["suite"] for row in written} == {f"{FILE}::{test}" for test in KEYS}
    for row in written:
        assert set(row) >= KEYS[row["suite"].partition("::")[2]], row["suite"]
    sections = said(result).split("\n· ")
    for test, figures in FIGURES.items():
        (section,) = [one for one in sections if one.startswith(f"{FILE}::{test}\n")]
        assert figures in " ".join(section.split())


def test_the_whole_grid_of_interfaces_and_ways_runs(run: Run, rows: Rows) -> None:
    interfaces, ways = ("minimal", "detailed", "python"), ("zero-shot", "few-shot", "self-refine")
    chosen = [f"--autoeval-interface={name}" for name in interfaces] + [
        f"--autoeval-prompting={way}" for way in ways
    ]
    result = run(
        *chosen, "--autoeval-operators=3", "--autoeval-samples=1", "--autoeval-results=out.jsonl"
    )
    assert result.ret == pytest.ExitCode.OK
    written = rows("out.jsonl")
    assert {row["outcome"] for row in written} == {"equivalent", "correct"}
    asked = {(row["task"], row["interface"], row["way"]) for row in written}
    for task in {task for task, _, _ in asked}:
        known = interfaces[:2] if task in ("propositions", "well_formed") else interfaces
        assert {(i, w) for name, i, w in asked if name == task} == {
            (i, w) for i in known for w in ways
        }
    assert {("first_answer" in row, row["way"]) for row in written} == {
        (way == "self-refine", way) for way in ways
    }
