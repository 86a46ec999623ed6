"""A suite is one pytest item: what pytest's users know of tests is true of it, with and without workers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from .conftest import Run, Suite

WORKERS = pytest.mark.parametrize("workers", ["0", "2"])

#: Three suites: one passes with any model that reads its own English, two fail with `offline/or-for-and`.
THREE = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(1, 4), samples=4, threshold=0.99)
def test_first(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("regex", depth=[1, 2], samples=3, threshold=0.99)
def test_second(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.parametrize("tone", ["plain", "in-formal"])
@pytest.mark.autoeval("propositional", operators=range(1, 4), samples=4, threshold=0.99)
def test_third(sample, round_trip, assert_equivalent, tone):
    assert_equivalent(round_trip(sample), sample.formula)
"""
FAULTY = "--autoeval-model=offline/or-for-and"
QUICK = "--autoeval-shrink-budget=0"

#: A model that writes down which suite asked it.
WITNESS = """
from pathlib import Path
from pytest_autoeval.tasks.trial import current_trial

class Wrong:
    def complete(self, messages, *, repeat=0):
        Path(f"asked-{current_trial().about.operators}").touch()
        return "p1 ∧ ¬p1"

def pytest_autoeval_register(registry):
    registry.add_model("wrong", Wrong)
"""


def failed_ids(result: pytest.RunResult) -> list[str]:
    return [line.split(" ")[1] for line in result.outlines if line.startswith("FAILED ")]


@WORKERS
def test_each_suite_is_one_item(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    run("-n", workers).assert_outcomes(passed=4)


def test_there_is_an_item_for_each_model_and_variant(suite: Suite, run: Run) -> None:
    suite(THREE)
    chosen = (
        "--autoeval-model=a",
        "--autoeval-model=b",
        "--autoeval-prompting=zero-shot",
        "--autoeval-prompting=few-shot",
    )
    result = run("--co", "-q", *chosen)
    ids = [line for line in result.outlines if "::" in line]
    assert len(ids) == 4 * 2 * 2
    assert {"test_suite.py::test_first[a-zero-shot]", "test_suite.py::test_third[b-few-shot-in-formal]"} <= {*ids}


@WORKERS
def test_a_printed_id_runs_when_it_is_pasted_back(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    found = failed_ids(run(FAULTY, QUICK, "-n", workers))
    assert len(found) == 3
    for test in found:
        again = run(test, FAULTY, QUICK, "-n", workers)
        again.assert_outcomes(failed=1)
        assert failed_ids(again) == [test]


@WORKERS
@pytest.mark.parametrize("option", ["-x", "--maxfail=1"])
def test_after_the_first_failed_suite_later_ones_ask_nothing(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str, option: str
) -> None:
    pytester.makeconftest(WITNESS)
    tests = [
        f"@pytest.mark.autoeval('propositional', operators={size}, samples=2, threshold=1)\n"
        f"def test_{size}(sample, round_trip, assert_equivalent):\n"
        "    assert_equivalent(round_trip(sample), sample.formula)\n"
        for size in range(1, 9)
    ]
    suite("import pytest\n\n" + "\n".join(tests))
    result = run("--autoeval-model=wrong", QUICK, option, "-n", workers)
    asked = {file.name for file in pytester.path.glob("asked-*")}
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    assert 1 <= len(asked) <= max(1, int(workers))
    result.stdout.fnmatch_lines(["*stopping after * failures*"])


@WORKERS
@pytest.mark.parametrize(
    ("mark", "model", "outcomes"),
    [
        ("xfail", FAULTY, {"xfailed": 1}),
        ("xfail", "--autoeval-model=offline/faithful", {"xpassed": 1}),
        ("xfail(strict=True)", FAULTY, {"xfailed": 1}),
        ("xfail(strict=True)", "--autoeval-model=offline/faithful", {"failed": 1}),
        ("xfail(reason='known', run=False)", FAULTY, {"xfailed": 1}),
    ],
)
def test_xfail_is_about_the_result_of_the_suite(
    suite: Suite, run: Run, workers: str, mark: str, model: str, outcomes: dict[str, int]
) -> None:
    suite(
        f"""
        import pytest

        @pytest.mark.{mark}
        @pytest.mark.autoeval("propositional", operators=range(1, 4), samples=4, threshold=0.99)
        def test_it(sample, round_trip, assert_equivalent):
            assert_equivalent(round_trip(sample), sample.formula)
        """
    )
    result = run(model, QUICK, "-n", workers)
    result.assert_outcomes(**outcomes)
    assert result.ret == (pytest.ExitCode.TESTS_FAILED if "failed" in outcomes else pytest.ExitCode.OK)


@WORKERS
def test_last_failed_runs_the_failed_suites_again(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    run(FAULTY, QUICK, "-n", workers, cache=True).assert_outcomes(passed=1, failed=3)
    run(FAULTY, QUICK, "-n", workers, "--lf", cache=True).assert_outcomes(failed=3)


@WORKERS
def test_keywords_choose_suites(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    run("-k", "formal", "-n", workers).assert_outcomes(passed=1, deselected=0 if int(workers) else 3)


@WORKERS
def test_durations_show_suites(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    result = run("--durations=2", "--durations-min=0", "-n", workers)
    result.stdout.re_match_lines([r".*s call +test_suite.py::test_\w+\[offline/faithful.*"])


@WORKERS
def test_junit_has_one_case_for_each_suite(pytester: pytest.Pytester, suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    run(FAULTY, QUICK, "--junitxml=out.xml", "-n", workers)
    cases: Any = list(ET.parse(pytester.path / "out.xml").iter("testcase"))
    assert {case.get("name") for case in cases} == {
        *("test_first[offline/or-for-and]", "test_second[offline/or-for-and]"),
        *("test_third[offline/or-for-and-plain]", "test_third[offline/or-for-and-in-formal]"),
    }
    assert len(cases) == 4
    for case in cases:
        values = {one.get("name"): one.get("value") for one in case.iter("property")}
        failed = case.find("failure") is not None
        assert values["autoeval.verdict"] == ("failed" if failed else "passed")
        assert values["autoeval.model"] == "offline/or-for-and"
        assert failed == (case.get("name") != "test_second[offline/or-for-and]")


@WORKERS
def test_an_inconclusive_run_ends_with_code_10(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    result = run("--autoeval-gate=interval", "-n", workers, "-v")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["*INCONCLUSIVE*", "*4 inconclusive*"])
    assert run("--autoeval-gate=interval", FAULTY, QUICK, "-n", workers).ret == pytest.ExitCode.TESTS_FAILED


@WORKERS
def test_the_comparison_counts_the_suites_that_were_collected(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    suite(THREE)
    run("--autoeval-results=old.jsonl").assert_outcomes(passed=4)
    against = ("--autoeval-baseline=old.jsonl", "--autoeval-fail-on=drop:5%", "--junitxml=out.xml")
    run(FAULTY, QUICK, *against, "-n", workers)
    values = p_values(pytester)
    run(FAULTY, QUICK, *against, "-n", workers, "-k", "first")
    alone = p_values(pytester)
    p, corrected = values["test_first[offline/or-for-and]"]
    assert corrected == pytest.approx(min(1.0, 4 * p), rel=1e-4)
    assert alone["test_first[offline/or-for-and]"] == (p, p)


def p_values(pytester: pytest.Pytester) -> dict[str, tuple[float, float]]:
    """Of each case that has one, the p-value and the corrected one."""
    found = {}
    cases: Any = ET.parse(pytester.path / "out.xml").iter("testcase")
    for case in cases:
        values = {one.get("name"): one.get("value") for one in case.iter("property")}
        if "autoeval.p_value" in values:
            found[case.get("name")] = (float(values["autoeval.p_value"]), float(values["autoeval.p_value_bonferroni"]))
    return found
