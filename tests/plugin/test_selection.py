"""pytest's own options choose, stop and show suites as its users expect."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from .conftest import Run, Suite, said

SUITE = """
import pytest

class TestTwo:
    @pytest.mark.parametrize("tone", ["plain", "formal"])
    @pytest.mark.autoeval("propositional", operators=[1, 2], samples=2, threshold=0.99)
    def test_tone(self, sample, round_trip, assert_equivalent, tone):
        assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("regex", depth=2, samples=2, threshold=0.99)
def test_regex(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

def test_plain():
    pass
"""


def test_keywords_choose_suites(suite: Suite, run: Run) -> None:
    suite(SUITE)
    result = run("-k", "formal", "-v")
    result.assert_outcomes(passed=1, deselected=3)
    result.stdout.fnmatch_lines(["*::TestTwo::test_tone?offline/faithful-formal?*PASSED*"])
    assert "plain" not in result.stdout.str()


def test_the_shown_name_of_a_parameter_without_text_can_be_run_again(
    suite: Suite, run: Run
) -> None:
    suite(SUITE.replace("plain", ""))
    shown = "test_suite.py::TestTwo::test_tone[offline/faithful-few-shot-]"
    result = run("--autoeval-prompting=few-shot", "--autoeval-prompting=zero-shot", shown)
    result.assert_outcomes(passed=1)
    assert shown in said(
        run("--autoeval-prompting=few-shot", "--autoeval-prompting=zero-shot", shown, "-v")
    )


def test_collect_only_shows_items_and_asks_nothing(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite(SUITE)
    result = run("--co", "-q", "--autoeval-results=out.jsonl")
    result.stdout.fnmatch_lines(
        ["test_suite.py::test_regex?offline/faithful?", "4 tests collected in *"]
    )
    assert not (pytester.path / "out.jsonl").exists()


def test_without_a_terminal_the_exit_code_and_junit_tell(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite(SUITE)
    result = run(
        "-p",
        "no:terminal",
        "--autoeval-model=offline/or-for-and",
        "--junitxml=out.xml",
        "-k",
        "plain",
        apart=True,
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert said(result) == ""
    cases = {
        (case.get("classname"), case.get("name"))
        for case in ET.parse(pytester.path / "out.xml").iter("testcase")
    }
    assert ("test_suite.TestTwo", "test_tone[offline/or-for-and-plain]") in cases
