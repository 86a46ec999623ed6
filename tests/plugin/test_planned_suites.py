"""What a run planned stands in its results, so that later readers notice what did not run."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.program import Program

from pytest_autoeval.record.file import read_file

from .conftest import Run, Suite

WORKERS = pytest.mark.parametrize("workers", ["0", "2"])
TWO = """
import pytest

@pytest.mark.autoeval("propositional", operators=[1], samples=4, threshold=0.5)
def test_first(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.fixture
def between():
    {between}

{mark}
@pytest.mark.autoeval("propositional", operators=[2], samples=4, threshold=0.5)
def test_second(sample, round_trip, assert_equivalent, between):
    assert_equivalent(round_trip(sample), sample.formula)
"""
INTERRUPTED = pytest.ExitCode.INTERRUPTED
NOT_RUN = "1 suite was not run"


def two(between: str, mark: str = "") -> str:
    return TWO.replace("{between}", between).replace("{mark}", mark)


@pytest.mark.parametrize(
    "between", ["raise KeyboardInterrupt", "pytest.exit('bye')", "raise OSError('no device')"]
)
def test_a_run_that_ends_between_two_suites_is_not_whole(
    suite: Suite, run: Run, program: Program, between: str
) -> None:
    suite(two(between))
    run("--autoeval-results=out.jsonl", apart=True)
    report = program("report", "out.jsonl", "--results=again.jsonl", code=INTERRUPTED)
    assert "the run ended before all suites ran" in report.err + report.out
    assert NOT_RUN in program("report", "again.jsonl", code=INTERRUPTED).out


def test_a_run_that_was_killed_between_two_suites_is_not_whole(
    pytester: pytest.Pytester, suite: Suite, run: Run, program: Program
) -> None:
    suite(two("import os; os._exit(9)"))
    run("--autoeval-results=out.jsonl", apart=True)
    file = pytester.path / "out.jsonl"
    assert read_file(file).end is None
    assert NOT_RUN in program("report", "out.jsonl", code=INTERRUPTED).out


def test_parts_of_a_run_that_all_end_between_two_suites_are_not_whole(
    suite: Suite, run: Run, program: Program
) -> None:
    suite(two("raise KeyboardInterrupt"))
    for part in (1, 2):
        run(f"--autoeval-shard={part}/2", f"--autoeval-results={part}.jsonl", apart=True)
    assert NOT_RUN in program("report", "1.jsonl", "2.jsonl", code=INTERRUPTED).out
    suite(two("pass"))
    run("--autoeval-shard=2/2", "--autoeval-results=2.jsonl")
    run("--autoeval-shard=1/2", "--autoeval-results=1.jsonl")
    program("report", "1.jsonl", "2.jsonl")


@WORKERS
@pytest.mark.parametrize(
    "mark", ["@pytest.mark.skip", "@pytest.mark.xfail(run=False)", "@pytest.mark.skipif('True')"]
)
def test_a_suite_that_was_not_to_run_is_not_missed(
    pytester: pytest.Pytester, suite: Suite, run: Run, program: Program, mark: str, workers: str
) -> None:
    mark = mark.replace("'True'", "True, reason='no'")
    suite(two("pass", mark))
    run("--autoeval-results=out.jsonl", "-n", workers)
    results = read_file(pytester.path / "out.jsonl")
    assert [planned.number for planned in results.run.suites] == [1, 2]
    assert [(end.suite, end.ended) for end in results.ends_without_suite] == [(2, "left out")]
    program("report", "out.jsonl")


def test_a_chosen_suite_is_all_that_was_planned(suite: Suite, run: Run, program: Program) -> None:
    suite(two("pass"))
    run("--autoeval-results=one.jsonl", "-k", "first")
    program("report", "one.jsonl")
    run("--autoeval-results=other.jsonl", "-k", "second")
    program("report", "one.jsonl", "other.jsonl", "--results=both.jsonl")
    program("report", "both.jsonl")


@WORKERS
def test_suites_have_their_numbers_from_collection(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    suite(two("pass"))
    models = ("--autoeval-model=offline/faithful", "--autoeval-model=offline/or-for-and")
    run("--autoeval-results=out.jsonl", "-n", workers, *models)
    results = read_file(pytester.path / "out.jsonl")
    planned = [
        (suite.number, suite.name.rpartition("::")[2], suite.model) for suite in results.run.suites
    ]
    assert planned == [
        (1, "test_first", "offline/faithful"),
        (2, "test_first", "offline/or-for-and"),
        (3, "test_second", "offline/faithful"),
        (4, "test_second", "offline/or-for-and"),
    ]
    assert [
        (suite.number, suite.name.rpartition("::")[2], suite.model) for suite in results.suites
    ] == planned
    assert [len(suite.samples) for suite in results.suites] == [4, 4, 4, 4]
    assert results.end is not None


@WORKERS
def test_a_suite_without_a_verdict_is_among_the_last_failed(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    suite(two("pass", "@pytest.mark.skip"))
    inconclusive = ("--autoeval-gate=interval", "--autoeval-threshold=0.99", "-n", workers)
    changed = Path(pytester.path / "test_suite.py")
    changed.write_text(
        changed.read_text("utf-8").replace("threshold=0.5", "threshold=0.9"), "utf-8"
    )
    assert run(*inconclusive, cache=True).ret == 10
    again = run(*inconclusive, "--lf", cache=True)
    assert again.ret == 10
    assert "1 inconclusive" in again.stdout.str()
    assert "skipped" not in again.stdout.str()
    run("--lf", "-n", workers, cache=True).assert_outcomes(passed=1)
    run("--lf", "-n", workers, cache=True).assert_outcomes(passed=1, skipped=1)


def test_the_last_failed_include_what_an_interrupted_run_did_not_begin(
    suite: Suite, run: Run
) -> None:
    suite(two("raise KeyboardInterrupt"))
    run(cache=True, apart=True)
    suite(two("pass"))
    run("--lf", cache=True).assert_outcomes(passed=1)


def test_a_baseline_of_the_same_samples_is_noticed(
    pytester: pytest.Pytester, suite: Suite, run: Run, program: Program
) -> None:
    suite(two("pass"))
    run("--autoeval-results=out.jsonl")
    (pytester.path / "copy.jsonl").write_bytes((pytester.path / "out.jsonl").read_bytes())
    same = "8 samples of this run are also in the baseline, from the same calls"
    for baseline in ("out.jsonl", "copy.jsonl"):
        assert same in " ".join(
            program("report", "out.jsonl", f"--baseline={baseline}").out.split()
        )
    run("--autoeval-results=other.jsonl", "--autoeval-baseline=out.jsonl")
    assert "same calls" not in program("report", "other.jsonl", "--baseline=out.jsonl").out
