"""A description that copies the formula fails, by `--autoeval-copies`, its ini key and the marker's ``copies=``."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, Suite, said

ECHO = "--autoeval-model=offline/echo"
#: Sizes from 1 on: a formula without an operator has nothing to copy.
OPTIONS = ("--autoeval-operators=1:4", "--autoeval-threshold=0.9", "--autoeval-shrink-budget=20")


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize("model", ["offline/echo", "offline/code"])
def test_a_model_that_copies_fails_by_name_and_is_asked_once(
    suite: Suite, run: Run, rows: Rows, model: str, workers: tuple[str, ...]
) -> None:
    suite()
    result = run(f"--autoeval-model={model}", *OPTIONS, "--autoeval-results=out.jsonl", *workers)
    result.assert_outcomes(failed=1)
    copied = [row for row in rows("out.jsonl") if row["outcome"] == "copied"]
    assert len(copied) >= 8
    assert {(row["code"], row["copies"], row["leaked"], len(row["calls"])) for row in copied} == {
        ("AE115", "fail", True, 1)
    }
    assert f"copied {len(copied)}" in said(result)
    assert "copied (AE115)" in said(result)
    assert "the description is not English" in said(result)


@pytest.mark.parametrize(
    ("more", "arguments", "ini"),
    [
        ("", ("--autoeval-copies=count",), ""),
        ("", (), "autoeval_copies = count"),
        (', copies="count"', (), ""),
    ],
)
def test_copies_that_are_counted_are_marked_and_read(
    pytester: pytest.Pytester,
    suite: Suite,
    run: Run,
    rows: Rows,
    more: str,
    arguments: tuple[str, ...],
    ini: str,
) -> None:
    suite(more=more)
    pytester.makeini(f"[pytest]\n{ini}\n")
    result = run(ECHO, *OPTIONS, *arguments, "--autoeval-results=out.jsonl")
    result.assert_outcomes(passed=1)
    found = rows("out.jsonl")
    assert {(row["outcome"], row["copies"], row["leaked"]) for row in found} == {
        ("equivalent", "count", True)
    }
    assert f"leaked {len(found)}" in said(run(ECHO, *OPTIONS, *arguments, "-v"))


def test_the_marker_wins_over_the_option(suite: Suite, run: Run) -> None:
    suite(more=', copies="fail"')
    run(ECHO, *OPTIONS, "--autoeval-copies=count").assert_outcomes(failed=1)


def test_runs_that_treat_copies_differently_are_not_compared(suite: Suite, run: Run) -> None:
    suite()
    before = ("--autoeval-copies=count", "--autoeval-results=before.jsonl")
    run(*OPTIONS, *before).assert_outcomes(passed=1)
    result = run(*OPTIONS, "--autoeval-baseline=before.jsonl", "--autoeval-fail-on=drop:5%")
    shown = " ".join(said(result).split())
    assert "this run has copies=fail, and the baseline copies=count (--autoeval-copies)" in shown
