"""A project may have fixtures and parameters of its own under the names of ours."""

from __future__ import annotations

import pytest

from .conftest import FAITHFUL, Run

TESTS = """
import pytest

@pytest.fixture
def llm():
    return "mine"

@pytest.fixture
def answer(llm):
    return llm

def test_fixture(llm):
    assert llm == "mine"

def test_through_another(answer):
    assert answer == "mine"

@pytest.mark.parametrize("perform", ["a", "b"])
def test_parameter(perform):
    assert perform in "ab"

@pytest.mark.parametrize("round_trip, number", [("a", 1)])
def test_two_parameters(round_trip, number):
    assert round_trip == "a"
"""
WRAPPED = """
import pytest

@pytest.fixture
def llm(llm):
    return llm

@pytest.mark.autoeval("propositional", operators=range(2), samples=2)
def test_suite(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""


def test_their_tests_are_collected_as_without_the_plugin(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_own=TESTS)
    result = run("-v", FAITHFUL, "--autoeval-model=offline/negation-scope")
    result.assert_outcomes(passed=5)
    for name in ("fixture", "through_another", "parameter[a]", "two_parameters[a-1]"):
        result.stdout.fnmatch_lines([f"*::test_{name.replace('[', '[[]')} PASSED*"])


def test_a_fixture_that_requests_ours_asks_as_ours_does(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_own=WRAPPED)
    result = run("-v", FAITHFUL)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*test_suite[[]offline/faithful] PASSED*"])
