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


SUITE = """
from pytest_autoeval import autoeval

@autoeval("propositional", operators=range(1, 3), samples=2)
def test_suite(sample, round_trip, llm, assert_equivalent):
    BODY
"""
TRIP = "assert_equivalent(round_trip(sample), sample.formula)"
CHAIN = "assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)"


@pytest.mark.parametrize(
    ("name", "value", "body"),
    [
        ("round_trip", "lambda sample: sample.formula", TRIP),
        ("assert_equivalent", "lambda left, right: None", TRIP),
        ("llm", "'mine'", CHAIN),
    ],
)
def test_a_suite_says_which_fixture_hides_ours(
    pytester: pytest.Pytester, run: Run, name: str, value: str, body: str
) -> None:
    folder = pytester.mkdir("tests")
    fixture = f"import pytest\n\n@pytest.fixture\ndef {name}():\n    return {value}\n"
    (folder / "conftest.py").write_text(fixture)
    (folder / "test_own.py").write_text(SUITE.replace("BODY", body))
    result = run(FAITHFUL, "tests")
    assert result.ret == 1
    text = " ".join(result.stdout.str().split())
    assert f"your fixture {name} in tests/conftest.py hides ours" in text
    assert "call `assert_equivalent`" not in text
    assert "did not ask the model through" not in text


def test_a_fixture_of_another_name_and_one_that_requests_ours_hide_nothing(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_own=WRAPPED.replace("llm.informalize(sample.formula)", "'p1'"))
    assert "hides ours" not in run(FAITHFUL).stdout.str()
