"""The verdict on a whole run against a baseline: test case, JUnit XML, exit code, results, with and without workers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.program import Program

from pytest_autoeval.record.file import read_file

from .conftest import Run, Suite, said

#: Each suite loses as many of its 40 formulas as `lost.json` says.
SUITES = """
import json
from pathlib import Path
import pytest

LOST = json.loads(Path("lost.json").read_text())

""" + "\n".join(
    f"""
@pytest.mark.autoeval("propositional", operators=[{size}], samples=40)
def test_{name}(sample):
    assert sample.index >= LOST.get("{name}", 0)
"""
    for name, size in (("a", 5), ("b", 6), ("c", 7), ("d", 8))
)
MODEL = "offline/faithful"
TEST_CASE = f"whole run[{MODEL}]"
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
#: No suite falls by itself; all together do.
ALL_A_LITTLE = dict.fromkeys("abcd", 4)
ONE_A_LOT = {"b": 15}
WORSE = f"{MODEL} is worse than in the baseline: −10.0 points over 160 pairs "
Compare = Callable[..., pytest.RunResult]


@pytest.fixture
def compare(suite: Suite, run: Run) -> Compare:
    """Runs the suites, which lose so much, against a run that lost nothing. The results are in `now.jsonl`."""
    suite(SUITES)
    common = (f"--autoeval-model={MODEL}", "--autoeval-shrink-budget=0")
    Path("lost.json").write_text("{}", "utf-8")
    assert run(*common, "--autoeval-results=base.jsonl").ret == 0

    def against(
        lost: dict[str, int],
        *arguments: str,
        drop: str = "5%",
        cache: bool = False,
        apart: bool = False,
    ) -> pytest.RunResult:
        Path("lost.json").write_text(json.dumps(lost), "utf-8")
        rules = (
            "--autoeval-baseline=base.jsonl",
            f"--autoeval-fail-on=drop:{drop}",
            "--autoeval-results=now.jsonl",
        )
        return run(*common, *rules, "--junitxml=junit.xml", *arguments, apart=apart, cache=cache)

    return against


def judged_again(report: Program, drop: str, code: int) -> str:
    """The first line of `report` on the same results."""
    told = report("now.jsonl", "--baseline", "base.jsonl", "--fail-on", f"drop:{drop}", code=code)
    return next(line for line in told.out.splitlines() if line.strip())


def failed_cases() -> list[str]:
    """The names of the test cases that a reader of JUnit XML sees as failed."""
    return [
        str(case.get("name"))
        for case in ET.parse("junit.xml").iter("testcase")
        if case.find("failure") is not None
    ]


def properties(parent: Any) -> dict[str, str]:
    return {one.get("name"): one.get("value") for one in parent.iterfind("properties/property")}


@WORKERS
def test_a_run_that_fell_as_a_whole_is_a_failed_test(
    compare: Compare, report: Program, workers: tuple[str, ...]
) -> None:
    result = compare(ALL_A_LITTLE, *workers)
    assert result.ret == 1
    result.assert_outcomes(passed=4, failed=1)
    lines = said(result).splitlines()
    assert any(line.startswith(f"FAILED {TEST_CASE} - ") for line in lines)
    assert any(line.strip("_ ") == TEST_CASE for line in lines), "among the failures"
    assert sum(WORSE in line for line in lines) == 2, "in the failure, and first in the summary"

    assert failed_cases() == [TEST_CASE]
    root = ET.parse("junit.xml").getroot()
    [of_file] = root.iter("testsuite")
    assert (of_file.get("failures"), of_file.get("tests")) == ("1", "5")
    assert properties(of_file)["autoeval.verdict"] == "failed"
    assert properties(of_file)["autoeval.reason"].startswith(WORSE)
    [case] = [case for case in root.iter("testcase") if case.get("name") == TEST_CASE]
    values = properties(case)
    assert case.get("classname") == "autoeval"
    assert (values["autoeval.pairs"], values["autoeval.lost"], values["autoeval.won"]) == (
        "160",
        "16",
        "0",
    )
    assert values["autoeval.difference"] == "-0.1"
    assert values["autoeval.drop"] == "0.05"
    assert float(values["autoeval.p_value"]) == pytest.approx(2**-16, rel=1e-4)
    assert values["autoeval.reason"].startswith(WORSE)

    end = read_file(Path("now.jsonl")).end
    assert end is not None
    assert (end.verdict, end.exit_code, end.reasons[0].startswith(WORSE)) == ("failed", 1, True)
    assert judged_again(report, "5%", 1).startswith(WORSE.strip())


@WORKERS
def test_a_suite_that_fell_by_itself_fails_alone(
    compare: Compare, workers: tuple[str, ...]
) -> None:
    result = compare(ONE_A_LOT, *workers)
    assert result.ret == 1
    result.assert_outcomes(passed=3, failed=1)
    assert failed_cases() == [f"test_b[{MODEL}]"]
    [of_file] = ET.parse("junit.xml").getroot().iter("testsuite")
    assert "fell by itself: test_suite.py::test_b (" in properties(of_file)["autoeval.reason"]


@WORKERS
@pytest.mark.parametrize(
    ("drop", "code", "verdict", "sentence"),
    [
        (
            "5%",
            0,
            "passed",
            f"{MODEL} is not worse than in the baseline: 0.0 points over 160 pairs ",
        ),
        (
            "1%",
            10,
            "inconclusive",
            f"whether {MODEL} is worse than in the baseline is open: 0.0 points over 160 pairs ",
        ),
    ],
)
def test_a_run_that_did_not_fall_passes_or_is_open(
    compare: Compare,
    report: Program,
    workers: tuple[str, ...],
    drop: str,
    code: int,
    verdict: str,
    sentence: str,
) -> None:
    result = compare({}, *workers, drop=drop)
    assert result.ret == code
    result.assert_outcomes(passed=4)
    assert failed_cases() == []
    [of_file] = ET.parse("junit.xml").getroot().iter("testsuite")
    assert properties(of_file)["autoeval.verdict"] == verdict
    assert properties(of_file)["autoeval.reason"].startswith(sentence)
    end = read_file(Path("now.jsonl")).end
    assert end is not None
    assert (end.verdict, end.exit_code, end.reasons[0].startswith(sentence)) == (
        verdict,
        code,
        True,
    )
    # pytest's own words are green: the first line of the report says that the run is not.
    beginning = "inconclusive (exit code 10): " if code else ""
    [headline] = [line for line in said(result).splitlines() if sentence[:60] in line]
    assert headline.startswith(beginning + sentence[:40])
    assert judged_again(report, drop, code).startswith((beginning + sentence)[:70])
    counts = result.parseoutcomes()
    assert (counts["passed"], counts.get("inconclusive", 0)) == (4, 1 if code else 0)


def test_a_run_that_was_interrupted_is_not_judged_as_a_whole(
    compare: Compare, report: Program
) -> None:
    *first, last = SUITES.split("\n@")
    stop = "\ndef test_ctrl_c():\n    raise KeyboardInterrupt\n"
    Path("test_suite.py").write_text("\n@".join([*first[:-1], first[-1] + stop, last]), "utf-8")
    result = compare(ALL_A_LITTLE, apart=True)
    assert result.ret == 2
    assert failed_cases() == []
    assert "is open, since the run was interrupted: " in " ".join(said(result).split())
    judged_again(report, "5%", 2)


def test_tests_are_chosen_as_if_there_was_no_such_test(compare: Compare) -> None:
    """`--lf` runs no less, `-x` counts no failure, `--stepwise` stops at none."""
    cached = Path(".pytest_cache/v/cache/lastfailed")
    assert compare(ALL_A_LITTLE, "--stepwise", cache=True).ret == 1
    assert not cached.exists()
    again = compare(ALL_A_LITTLE, "--lf", "-x", cache=True)
    again.assert_outcomes(passed=4, failed=1)
    assert "stopping after" not in said(again)
    assert not cached.exists()
    lasting = said(compare(ALL_A_LITTLE, "--autoeval-summary=run.json"))
    assert "besides the verdicts on the suites" not in lasting


def test_an_xfailed_suite_does_not_hide_that_the_run_fell(compare: Compare) -> None:
    text = Path("test_suite.py").read_text("utf-8")
    Path("test_suite.py").write_text(
        text.replace("\n@pytest.mark.autoeval", "\n@pytest.mark.xfail\n@pytest.mark.autoeval")
    )
    result = compare(ONE_A_LOT)
    assert result.ret == 1
    assert failed_cases() == [TEST_CASE]


@pytest.mark.extra("junitparser")
def test_a_strangers_parser_sees_the_red(compare: Compare) -> None:
    import junitparser

    compare(ALL_A_LITTLE)
    xml: Any = junitparser.JUnitXml.fromfile("junit.xml")
    xml.update_statistics()
    assert (xml.tests, xml.failures, xml.errors) == (5, 1, 0)
    [failed] = [case for suite in xml for case in suite if case.result]
    assert failed.name == TEST_CASE
    assert failed.result[0].message.startswith(f"Failed: {WORSE}")
