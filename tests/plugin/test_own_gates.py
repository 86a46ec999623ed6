"""`registry.add_gate` in a `conftest.py`: a run fails by it, and a report judges by what the file says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from support.program import Program

Suite: TypeAlias = Callable[..., Path]
Run: TypeAlias = Callable[..., pytest.RunResult]

CONFTEST = """
from pytest_autoeval import GateResult


def long_descriptions(samples):
    long = sum(len((sample.description or "").split()) > MOST for sample in samples)
    verdict = "failed" if long else "passed"
    return GateResult(verdict, f"{long} of {len(samples)} descriptions have more than MOST words")


def pytest_autoeval_register(registry):
    registry.add_gate(long_descriptions)
"""
FAITHFUL = ("--autoeval-model=offline/faithful", "--autoeval-results=out.jsonl")


def with_gate(most: int) -> None:
    Path("conftest.py").write_text(CONFTEST.replace("MOST", str(most)), "utf-8")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_run_fails_by_a_gate_of_the_user_and_report_says_so_too(
    suite: Suite, run: Run, program: Program, workers: tuple[str, ...]
) -> None:
    suite()
    with_gate(1)
    failed = run(*FAITHFUL, *workers)
    assert failed.ret == 1
    failed.stdout.fnmatch_lines(["*long descriptions: * descriptions have more than 1 words*"])
    Path("conftest.py").unlink()
    assert "long descriptions" in program("report", "out.jsonl", code=1).text


def test_a_gate_that_passes_is_said_with_v_and_leaves_the_run_green(suite: Suite, run: Run) -> None:
    suite()
    with_gate(1000)
    passed = run(*FAITHFUL, "-v")
    assert passed.ret == 0
    passed.stdout.fnmatch_lines(
        ["*long descriptions: 0 of * descriptions have more than 1000 words*"]
    )


def test_parts_are_not_judged_and_a_report_of_them_is_inconclusive(
    suite: Suite, run: Run, program: Program
) -> None:
    suite()
    with_gate(1)
    for part in ("1/2", "2/2"):
        results = f"--autoeval-results={part[0]}.jsonl"
        assert (
            run("--autoeval-model=offline/faithful", f"--autoeval-shard={part}", results).ret == 0
        )
    said = program("report", "1.jsonl", "2.jsonl", code=10).text
    assert "long descriptions: not judged, because the suite ran in parts" in said


def test_files_that_cannot_be_joined_are_inconclusive(
    suite: Suite, run: Run, program: Program
) -> None:
    suite()
    with_gate(1000)
    for seed in ("1", "2"):
        results = f"--autoeval-results={seed}.jsonl"
        assert run("--autoeval-model=offline/faithful", f"--autoeval-seed={seed}", results).ret == 0
    said = program("report", "1.jsonl", "2.jsonl", code=10).text
    assert (
        "long descriptions: the functions of registry.add_gate judged 2 files, which cannot be joined"
        in said
    )
    assert "figures of functions" not in said


def test_what_cannot_be_called_is_refused_at_once(suite: Suite, run: Run) -> None:
    suite()
    Path("conftest.py").write_text(
        "def pytest_autoeval_register(registry):\n    registry.add_gate('short')\n", "utf-8"
    )
    done = run(*FAITHFUL)
    assert done.ret == 4
    assert "add_gate('short'): give a function that takes the samples of a suite" in str(
        done.stderr
    ) + str(done.stdout)
