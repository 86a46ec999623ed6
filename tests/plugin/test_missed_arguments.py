"""``report --missed=FILE``, and ``pytest @FILE``, which asks about these items alone."""

from __future__ import annotations

from pathlib import Path

from pytest_autoeval import read_results
from pytest_autoeval.__main__ import main

from .conftest import Run, Suite

NEVER_RIGHT = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(3), samples=3)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    llm.autoformalize(description, like=sample)
    assert_equivalent("p1 & p2 & p3 & p4", sample.formula)
"""
MODEL = "--autoeval-model=offline/faithful"


def test_a_run_takes_the_file_as_its_arguments(suite: Suite, run: Run) -> None:
    suite(NEVER_RIGHT)
    run(MODEL, "--autoeval-repeats=2", "--autoeval-results=first.jsonl")
    main(["report", "first.jsonl", "--missed=missed.txt"])
    missed = [line.partition("=")[2] for line in Path("missed.txt").read_text("utf-8").splitlines()]
    assert len(missed) == 9
    Path("two.txt").write_text(
        "".join(f"--autoeval-formula={formula}\n" for formula in missed[:2]), "utf-8"
    )
    run("@two.txt", MODEL, "--autoeval-results=again.jsonl")
    assert {
        sample.formula
        for sample in read_results("again.jsonl").samples
        if sample.counts != "shrunk"
    } == set(missed[:2])
