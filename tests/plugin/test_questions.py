"""The packaged suite of questions: it needs a file, and asks about every question in it."""

from __future__ import annotations

import json

import pytest

from pytest_autoeval.engine.suite_files import SHIPPED_SUITES

from .conftest import Rows, Run, said

SUITE = str(SHIPPED_SUITES / "test_questions.py")
QUESTIONS = {
    "logic": "pl",
    "rule": "MP",
    "depth": "d1",
    "samples": [
        {
            "id": number,
            "context": f"If it rains, then lamp {number} is lit. It rains.",
            "question": question,
            "answer": right,
        }
        for number, (question, right) in enumerate((("Is it lit?", "yes"), ("Is it dark?", "no")))
    ],
}


@pytest.mark.parametrize("interface", ["structured", "text"])
def test_the_questions_of_a_file_are_asked(
    pytester: pytest.Pytester, run: Run, rows: Rows, interface: str
) -> None:
    (pytester.path / "MP.json").write_text(json.dumps(QUESTIONS))
    options = (
        f"--autoeval-interface={interface}",
        "--autoeval-results=out.jsonl",
        "--autoeval-threshold=1",
    )
    result = run(SUITE, "--autoeval-dataset=MP.json", *options)
    assert result.ret == pytest.ExitCode.OK
    assert {(row["item"], row["expected"], row["outcome"]) for row in rows("out.jsonl")} == {
        ("d1/pl/MP/0", True, "correct"),
        ("d1/pl/MP/1", False, "correct"),
    }


def test_without_a_file_the_suite_is_skipped_and_says_what_it_needs(run: Run) -> None:
    assert "--autoeval-dataset=FILE takes the columns context, question, answer" in said(run(SUITE))
