"""``report --missed=FILE``, and ``pytest @FILE``, which asks about these items alone."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_a_run_without_repeats_has_its_failures_in_the_file(suite: Suite, run: Run) -> None:
    suite(NEVER_RIGHT)
    run(MODEL, "--autoeval-results=once.jsonl")
    main(["report", "once.jsonl", "--missed=missed.txt"])
    assert len(Path("missed.txt").read_text("utf-8").splitlines()) == 9


def test_without_a_failure_no_file_is_written_that_would_ask_everything(
    suite: Suite, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    suite(NEVER_RIGHT.replace('"p1 & p2 & p3 & p4"', "sample.formula"))
    run(MODEL, "--autoeval-results=good.jsonl")
    main(["report", "good.jsonl", "--missed=missed.txt"])
    assert not Path("missed.txt").exists()
    assert "missed.txt is not written" in capsys.readouterr().err
