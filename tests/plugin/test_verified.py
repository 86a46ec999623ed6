"""A suite that verifies nothing ends as an error, soon; one that asserts in any way, or says that it means it, runs."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, Suite, said

SUITE = """
import pytest
from unittest import TestCase
from pytest_autoeval import language

def check(sample, formula):
    compare(sample, formula)

def compare(sample, formula):
    assert formula

def look(formula):
    return str(formula)

@pytest.mark.autoeval("propositional", operators=range(4), samples=10, threshold=0.9{more})
def test_it(sample, round_trip, assert_equivalent):
    formula = round_trip(sample)
    {statement}
"""
NOTHING = (
    "nothing was verified: call `assert_equivalent`, or assert something; `verified=False` in the marker allows this"
)
FAULTY = "--autoeval-model=offline/negation-scope"


@pytest.mark.parametrize("statement", ["look(formula)", "if not formula: assert_equivalent(formula, sample.formula)"])
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_that_verifies_nothing_is_an_error(suite: Suite, run: Run, workers: str, statement: str) -> None:
    suite(SUITE.replace("{statement}", statement))
    result = run(FAULTY, "-n", workers)
    result.assert_outcomes(failed=1)
    assert NOTHING in said(result)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("option", ["", "--autoeval-stop-early", "--autoeval-adaptive"])
def test_it_is_noticed_after_the_first_samples(suite: Suite, run: Run, rows: Rows, option: str) -> None:
    suite(SUITE.replace("{statement}", "pass"))
    result = run(FAULTY, "--autoeval-results=out.jsonl", *filter(None, [option]))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = rows("out.jsonl")
    assert {row["outcome"] for row in found} == {"error"}
    assert len(found) <= (16 if option == "--autoeval-adaptive" else 5)


@pytest.mark.parametrize(
    "statement",
    [
        "assert formula",
        "assert_equivalent(formula, sample.formula)",
        "check(sample, formula)",
        "TestCase().assertTrue(formula)",
        "if not formula: pytest.fail('lost')",
        "if not formula: raise AssertionError",
    ],
)
def test_a_suite_that_asserts_in_any_way_runs(suite: Suite, run: Run, rows: Rows, statement: str) -> None:
    suite(SUITE.replace("{statement}", statement))
    run("--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    assert len(rows("out.jsonl")) == 40


def test_a_sample_that_is_not_verified_passes_beside_one_that_is(suite: Suite, run: Run, rows: Rows) -> None:
    suite(SUITE.replace("{statement}", "if sample.operators > 1: assert_equivalent(formula, sample.formula)"))
    run("--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    assert {row["outcome"] for row in rows("out.jsonl")} == {"passed", "equivalent"}


def test_a_suite_may_say_that_it_verifies_nothing(suite: Suite, run: Run) -> None:
    suite(SUITE.replace("{statement}", "pass"), more=", verified=False")
    run(FAULTY).assert_outcomes(passed=1)


def test_the_answers_that_were_paid_are_kept(suite: Suite, run: Run) -> None:
    suite(SUITE.replace("{statement}", "pass"))
    assert "--autoeval-resume continues this run: 10 answers are kept" in said(run(FAULTY, cache=True))
