"""`--lf` after a run whose options leave tests out: such a run says nothing about how these tests would end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run, Suite, said

#: Tests of which all but `test_healthy` fail with this model.
FAULTY = "--autoeval-model=offline/or-for-and"
TESTS = """
import pytest

@pytest.mark.autoeval("propositional", operators=[3], samples=8, threshold=1)
def test_logic(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("regex", depth=[2], samples=2, threshold=1)
def test_healthy(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("ltl_future", task="translate_sentence", operators=[2], samples=8, threshold=1)
def test_task(sample, perform):
    perform(sample)
    assert False

def test_asks(llm):
    assert llm.ask("Is this a word?") == "yes"
"""
FAILING = {
    f"test_suite.py::{name}[offline/or-for-and]"
    for name in ("test_logic", "test_task", "test_asks")
}


def last_failed() -> set[str]:
    """The ids of the tests that `--lf` would run."""
    file = Path(".pytest_cache/v/cache/lastfailed")
    return set(json.loads(file.read_text("utf-8"))) if file.is_file() else set()


@pytest.fixture
def failed_before(pytester: pytest.Pytester, suite: Suite, run: Run) -> set[str]:
    """What `--lf` would run after a run in which most tests failed."""
    suite(TESTS)
    run(FAULTY, "--autoeval-shrink-budget=0", cache=True)
    failed = last_failed()
    assert failed >= FAILING
    return failed


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_formula_that_no_suite_can_read_runs_no_test(
    run: Run, failed_before: set[str], workers: str
) -> None:
    result = run(FAULTY, "--autoeval-formula=p2 ∨", "-n", workers, cache=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "no tests ran" in said(result)
    assert "skipped" not in said(result)
    assert last_failed() == failed_before


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_that_a_formula_leaves_out_failed_as_before(
    run: Run, failed_before: set[str], workers: str
) -> None:
    result = run(FAULTY, "--autoeval-formula=0*1", "-k", "not asks", "-n", workers, cache=True)
    assert "skipped" in result.parseoutcomes()
    assert last_failed() == failed_before


@pytest.mark.parametrize(
    ("options", "code"),
    [
        # A run that asks nothing is refused: before its tests if that is known, else at its end.
        (("--autoeval-prompting=same-story", "-k", "logic"), pytest.ExitCode.USAGE_ERROR),
        (("--autoeval-operators=30", "-k", "task"), pytest.ExitCode.USAGE_ERROR),
        # Beside a test that fails, it is not refused.
        (("--autoeval-measures=foo=1",), pytest.ExitCode.TESTS_FAILED),
    ],
)
def test_what_options_leave_out_failed_as_before(
    run: Run, failed_before: set[str], options: tuple[str, ...], code: int
) -> None:
    result = run(FAULTY, *options, cache=True)
    assert result.ret == code
    assert last_failed() == failed_before


def test_beside_a_test_that_fails_the_reasons_are_still_told(run: Run, suite: Suite) -> None:
    suite(TESTS)
    result = run(FAULTY, "--autoeval-measures=foo=1")
    result.stdout.fnmatch_lines(
        ["skipped: 1 suite: --autoeval-measures: there is no measure 'foo'*"]
    )


def test_a_test_that_another_part_runs_failed_as_before(run: Run, failed_before: set[str]) -> None:
    result = run(FAULTY, "--autoeval-shard=2/2", "-k", "asks", cache=True)
    result.assert_outcomes(skipped=1)
    assert last_failed() == failed_before


def test_a_test_that_is_skipped_by_its_mark_is_forgotten_as_ever(
    suite: Suite, run: Run, failed_before: set[str]
) -> None:
    suite(TESTS.replace("def test_asks", "@pytest.mark.skip\ndef test_asks"))
    run(FAULTY, "-k", "asks", cache=True).assert_outcomes(skipped=1)
    assert last_failed() == {test for test in failed_before if "asks" not in test}
