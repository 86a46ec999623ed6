"""The example of a language of one's own: it passes, and a failure in it has a witness."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Rows, Run, said

EXAMPLE = Path(__file__).parents[2] / "examples" / "linear_arithmetic"


@pytest.fixture(autouse=True)
def _copy(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path / "linear", ignore=shutil.ignore_patterns("__pycache__"))


def test_the_example_has_fewer_than_170_lines_and_passes(run: Run) -> None:
    texts = [
        path.read_text(encoding="utf-8") for path in EXAMPLE.rglob("*.*") if path.suffix != ".pyc"
    ]
    assert sum(len(text.splitlines()) for text in texts) < 170
    run("linear").assert_outcomes(passed=3)


def test_a_failure_is_shrunk_and_has_a_witness(run: Run, rows: Rows) -> None:
    options = (
        "-v",
        "--autoeval-model=offline/student?strength=0.6",
        "--autoeval-results=out.jsonl",
    )
    result = run("linear", "-k", "round_trip", *options)
    result.assert_outcomes(failed=1)
    assert "no smaller variant fails" in said(result)
    witnesses = [row["witness"] for row in rows("out.jsonl") if row["outcome"] == "different"]
    assert witnesses
    assert all(
        witness["kind"] == "assignment" and witness["left"] != witness["right"]
        for witness in witnesses
    )
    assert any(type(value) is int for witness in witnesses for value in witness["values"].values())


def test_without_a_description_the_offline_model_says_what_to_define(
    pytester: pytest.Pytester, run: Run
) -> None:
    file = pytester.path / "linear" / "linear_arithmetic.py"
    text = file.read_text(encoding="utf-8")
    assert "def describe(" in text
    file.write_text(text.replace("def describe(", "def describe_in_english("), encoding="utf-8")
    result = run("linear", "-k", "round_trip", "--autoeval-threshold=0.9")
    result.assert_outcomes(failed=1)
    text = " ".join(said(result).split())
    assert "refused or empty (AE104)" in text
    assert "has no English for the offline models: define describe and read_description" in text
    assert "copied" not in text
