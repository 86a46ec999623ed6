"""A marker that does nothing is an error of the collection: its test would check nothing."""

from __future__ import annotations

import pytest

from .conftest import Run, Suite, said

MARK = '@pytest.mark.autoeval("propositional", operators=[1], samples=2, threshold=1)'
BODY = "(sample, round_trip, assert_equivalent):\n    assert_equivalent(round_trip(sample), sample.formula)\n"
METHOD = BODY.replace("(sample", "(self, sample", 1).replace("\n    ", "\n        ")
IDLE = {
    "a method of TestCase": (
        f"import unittest\nclass TestIt(unittest.TestCase):\n    {MARK}\n    def test_it(self):\n        pass\n",
        "a method of unittest.TestCase cannot be a pass-rate test",
    ),
    "a TestCase": (
        f"import unittest\n{MARK}\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        pass\n",
        "a method of unittest.TestCase cannot be a pass-rate test",
    ),
    "a module with a TestCase": (
        f"from unittest import *\npytestmark = {MARK[1:]}\nclass T(TestCase):\n    def test_it(self):\n        pass\n",
        "a method of unittest.TestCase cannot be a pass-rate test",
    ),
    "a class with a constructor": (
        f"class TestIt:\n    def __init__(self):\n        pass\n    {MARK}\n    def test_it{METHOD}",
        "TestIt::test_it: this test has the marker",
    ),
    "a test that a class with a constructor inherits": (
        f"class Base:\n    {MARK}\n    def test_it{METHOD}class TestIt(Base):\n    def __init__(self):\n        pass\n",
        "TestIt::test_it: this test has the marker",
    ),
    "a class with another name": (
        f"class RoundTrips:\n    {MARK}\n    def test_it{METHOD}",
        "RoundTrips::test_it: this test has the marker, but pytest does not collect its class",
    ),
    "a class with another name in a class": (
        f"class TestIt:\n  class RoundTrips:\n    {MARK}\n    def test_it{METHOD}",
        "RoundTrips::test_it: this test has the marker, but pytest does not collect its class",
    ),
    "no grammar": (
        f"from pytest_autoeval import autoeval\n@autoeval()\ndef test_it{BODY}",
        "give one grammar or data set",
    ),
    "two grammars": (
        f"from pytest_autoeval import autoeval\n@autoeval('ltl', 'regex')\ndef test_it{BODY}",
        "give one grammar or data set",
    ),
    "no file of sentences": (
        f"from pytest_autoeval import autoeval\n@autoeval.sentences(language='ltl')\ndef test_it{BODY}",
        "give one file of sentences",
    ),
    "two markers": (
        f"{MARK.replace('propositional', 'ltl')}\n{MARK}\ndef test_it{BODY}",
        "several markers",
    ),
    "a function without a sample": (
        f"{MARK}\ndef test_it():\n    pass\n",
        "takes the argument 'sample'",
    ),
    "a class without a sample": (
        f"{MARK}\nclass TestIt:\n    def test_it(self):\n        pass\n",
        "takes the argument",
    ),
    "a default instead of a fixture": (
        f"{MARK}\ndef test_it(sample=None):\n    pass\n",
        "takes the argument 'sample'",
    ),
}


@pytest.mark.parametrize("case", IDLE)
def test_a_marker_without_effect_is_an_error(suite: Suite, run: Run, case: str) -> None:
    text, problem = IDLE[case]
    suite(f"import pytest\n{text}")
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert problem in said(result)


def test_it_is_an_error_with_workers_too(suite: Suite, run: Run) -> None:
    suite(f"import pytest\n{IDLE['a method of TestCase'][0]}")
    assert run("-n", "2").ret != pytest.ExitCode.OK


@pytest.mark.parametrize(
    "hook", ["pytest_itemcollected(item)", "pytest_collection_modifyitems(items)"]
)
def test_a_marker_that_a_hook_adds_too_late_is_an_error(
    pytester: pytest.Pytester, suite: Suite, run: Run, hook: str
) -> None:
    items = "items" if "items" in hook else "[item]"
    mark = MARK.removeprefix("@")
    pytester.makeconftest(
        f"import pytest\ndef {hook}:\n    for each in {items}:\n        each.add_marker({mark})\n"
    )
    suite("def test_it():\n    pass\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "the marker was added after the test was collected" in said(result)


WORKING = {
    "a marked class": f"{MARK}\nclass TestIt:\n    def test_it{METHOD}",
    "a static method": f"class TestIt:\n    {MARK}\n    @staticmethod\n"
    + f"    def test_it{BODY}".replace("\n", "\n    "),
    "a method of a base": f"class Base:\n    {MARK}\n    def test_it{METHOD}class TestIt(Base):\n    pass\n",
    "a base without subclasses": f"class Base:\n    __test__ = False\n    {MARK}\n    def test_it{METHOD}{MARK}\n"
    f"def test_it{BODY}",
    "a class and its method": f"{MARK}\nclass TestIt:\n    {MARK}\n    def test_it{METHOD}",
    "a metaclass beside it": f"class Kind(type):\n    pass\n{MARK}\ndef test_it{BODY}",
    "a marked module": f"pytestmark = {MARK[1:]}\ndef test_it{BODY}",
    "a function with two names": f"{MARK}\ndef body{BODY}test_it = body\n",
    "a function for run_suites": f"{MARK}\ndef survives{BODY}{MARK}\ndef test_it{BODY}",
    "not a test": f"{MARK}\ndef test_it{BODY}{MARK}\ndef body{BODY}body.__test__ = False\n",
    "a function that makes tests": f"def made():\n    {MARK}\n    def body"
    + BODY.replace("\n", "\n    ")
    + "return body\ntest_it = made()\n",
}


@pytest.mark.parametrize("case", WORKING)
def test_a_marker_with_effect_runs_its_suite(suite: Suite, run: Run, case: str) -> None:
    suite(f"import pytest\n{WORKING[case]}")
    result = run()
    result.assert_outcomes(passed=1)
    assert "test_it  100.0 %" in said(result)


def test_a_test_that_another_file_imports_is_no_test_there(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite(f"import pytest\n{MARK}\ndef test_it{BODY}")
    pytester.makepyfile(
        test_other="from test_suite import test_it as body\n\ndef test_plain():\n    assert body\n"
    )
    run().assert_outcomes(passed=2)


def test_a_forgotten_marker_is_one_line_without_our_code(suite: Suite, run: Run) -> None:
    suite(f"def test_it{BODY}")
    result = run()
    result.assert_outcomes(errors=1)
    assert "'sample' needs a marker: write @pytest.mark.autoeval(" in said(result)
    assert "fixtures.py" not in said(result)
