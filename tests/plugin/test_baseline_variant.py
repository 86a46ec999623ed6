"""`--autoeval-baseline-variant`: a run against another prompting or interface of its baseline."""

from __future__ import annotations

import pytest
from support.program import Program

from .conftest import Run, Suite, said


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_run_is_compared_with_another_variant_of_its_baseline(
    suite: Suite, run: Run, program: Program, workers: tuple[str, ...]
) -> None:
    suite()
    run("--autoeval-prompting=zero-shot", "--autoeval-results=zero.jsonl")
    few = (
        "--autoeval-prompting=few-shot",
        "--autoeval-baseline=zero.jsonl",
        "--autoeval-results=few.jsonl",
    )
    assert "this run has the prompting few-shot, and the baseline zero-shot" in " ".join(
        said(run(*few)).split()
    )
    compared = run(
        *few, "--autoeval-baseline-variant=zero-shot", "--autoeval-fail-on=drop:90%", *workers
    )
    assert compared.ret == 0
    assert "not compared" not in said(compared)
    shown = program(
        "report", "few.jsonl", "--baseline=zero.jsonl", "--baseline-variant=zero-shot"
    ).text
    assert "compared with the baseline" in shown
    assert "not compared" not in shown


def test_a_variant_that_the_baseline_does_not_have_is_refused(suite: Suite, run: Run) -> None:
    suite()
    run("--autoeval-results=zero.jsonl")
    refused = run("--autoeval-baseline=zero.jsonl", "--autoeval-baseline-variant=few-shot")
    assert refused.ret == 4
    assert "few-shot" in said(refused)
    assert "zero-shot" in said(refused)
    assert "needs --autoeval-baseline" in said(run("--autoeval-baseline-variant=few-shot"))
