"""A suite is one pytest item: what pytest's users know of tests is true of it, with and without workers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from .conftest import ROUND_TRIP, Rows, Run, Suite, lasting

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
class Wrong:
    def complete(self, messages, *, repeat=0):
        return "p1 ∧ ¬p1"

def pytest_autoeval_register(registry):
    registry.add_model("wrong", Wrong)
"""


def failed_ids(result: pytest.RunResult) -> list[str]:
    return [line.split(" ")[1] for line in result.outlines if line.startswith("FAILED ")]


def test_suites_pass_without_the_plugins_that_capture_and_log(suite: Suite, run: Run) -> None:
    suite()
    run("-p", "no:capture", "-p", "no:logging").assert_outcomes(passed=1)


@WORKERS
def test_suites_pass_and_show_their_durations(suite: Suite, run: Run, workers: str) -> None:
    suite(THREE)
    durations = ("--durations=2", "--durations-min=0")
    if workers == "0":
        run().assert_outcomes(passed=4)
    inconclusive = run("--autoeval-gate=interval", "-n", workers, "-v", *durations)
    assert inconclusive.ret == 10
    inconclusive.stdout.fnmatch_lines(["*INCONCLUSIVE*", "*4 inconclusive*"])
    inconclusive.stdout.re_match_lines([r".*s call +test_suite.py::test_\w+\[offline/faithful.*"])


@WORKERS
def test_failed_suites_can_be_run_again(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    suite(THREE)
    result = run(
        FAULTY, QUICK, "--autoeval-gate=interval", "-n", workers, "--junitxml=out.xml", cache=True
    )
    result.assert_outcomes(passed=0, failed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    cases: Any = list(ET.parse(pytester.path / "out.xml").iter("testcase"))
    assert len(cases) == 4
    for case in cases:
        values = {one.get("name"): one.get("value") for one in case.iter("property")}
        passed = case.get("name") == "test_second[offline/or-for-and]"
        assert values["autoeval.verdict"] == ("inconclusive" if passed else "failed")
        assert (case.find("failure") is None) == passed
    found = failed_ids(result)
    assert len(found) == 3
    assert failed_ids(run(found[-1], FAULTY, QUICK)) == [found[-1]]
    # The inconclusive suite is asked again, too: by its rate it passes.
    run(FAULTY, QUICK, "-n", workers, "--lf", cache=True).assert_outcomes(failed=3, passed=1)


@WORKERS
def test_after_the_first_failed_suite_later_ones_ask_nothing(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    pytester.makeconftest(WITNESS)
    tests = [
        f"@pytest.mark.autoeval('propositional', operators={size}, samples=2, threshold=1)\n"
        f"def test_{size}(sample, round_trip, assert_equivalent):\n"
        f"    Path('asked-{size}').touch()\n"
        "    assert_equivalent(round_trip(sample), sample.formula)\n"
        for size in range(1, 9)
    ]
    suite("import pytest\nfrom pathlib import Path\n\n" + "\n".join(tests))
    result = run("--autoeval-model=wrong", QUICK, "-x", "-n", workers)
    asked = {file.name for file in pytester.path.glob("asked-*")}
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    assert 1 <= len(asked) <= max(1, int(workers))
    result.stdout.fnmatch_lines(["*stopping after * failures*"])


@pytest.mark.parametrize(
    ("model", "outcomes"),
    [
        (FAULTY, {"xfailed": 3}),
        ("--autoeval-model=offline/faithful", {"xpassed": 1, "failed": 1, "xfailed": 1}),
    ],
)
def test_xfail_is_about_the_result_of_the_suite(
    pytester: pytest.Pytester, run: Run, model: str, outcomes: dict[str, int]
) -> None:
    marks = {
        "test_lenient": "",
        "test_strict": "(strict=True)",
        "test_not_run": "(reason='known', run=False)",
    }
    trip = ROUND_TRIP.replace("{more}", ", threshold=0.99")
    pytester.makepyfile(
        **{name: trip.replace("@", f"@pytest.mark.xfail{how}\n@") for name, how in marks.items()}
    )
    result = run(model, QUICK)
    result.assert_outcomes(**outcomes)
    assert result.ret == (
        pytest.ExitCode.TESTS_FAILED if "failed" in outcomes else pytest.ExitCode.OK
    )
    note = "note: test_lenient.py::test_round_trip[offline/or-for-and] failed as its mark xfail expects"
    assert (note in result.stdout.str()) == (model == FAULTY)


@WORKERS
def test_the_comparison_counts_the_suites_that_were_collected(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    suite(THREE)
    run("--autoeval-results=old.jsonl").assert_outcomes(passed=4)
    against = ("--autoeval-baseline=old.jsonl", "--autoeval-fail-on=drop:5%", "--junitxml=out.xml")
    run(FAULTY, QUICK, *against, "-n", workers)
    values = p_values(pytester)
    run(FAULTY, QUICK, *against, "-k", "first")
    alone = p_values(pytester)
    p, corrected = values["test_first[offline/or-for-and]"]
    # Half of the error is for the whole run, so that each of four suites has an eighth.
    assert corrected == pytest.approx(min(1.0, 8 * p), rel=1e-4)
    assert alone["test_first[offline/or-for-and]"] == (p, p)


def p_values(pytester: pytest.Pytester) -> dict[str, tuple[float, float]]:
    """Of each case that has one, the p-value and the corrected one."""
    found = {}
    cases: Any = ET.parse(pytester.path / "out.xml").iter("testcase")
    for case in cases:
        values = {one.get("name"): one.get("value") for one in case.iter("property")}
        if "autoeval.p_value" in values:
            found[case.get("name")] = (
                float(values["autoeval.p_value"]),
                float(values["autoeval.p_value_bonferroni"]),
            )
    return found


def test_a_run_that_asks_no_model_has_none_of_our_hooks_around_its_tests(
    suite: Suite, run: Run
) -> None:
    suite(
        """
        def test_it(request):
            hooks = request.config.hook
            callers = [hooks.pytest_runtest_protocol, hooks.pytest_runtest_setup, hooks.pytest_runtest_call]
            callers += [hooks.pytest_runtest_makereport, hooks.pytest_runtest_logstart, hooks.pytest_report_teststatus]
            modules = {hook.function.__module__ for caller in callers for hook in caller.get_hookimpls()}
            assert "_pytest.runner" in modules
            assert not [module for module in modules if module.startswith("pytest_autoeval")]
        """
    )
    run().assert_outcomes(passed=1)


def test_results_do_not_depend_on_workers_or_order(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    pytester.makeconftest(
        """
        import os
        import time
        from pathlib import Path

        def pytest_configure(config):
            if worker := os.environ.get("PYTEST_XDIST_WORKER"):
                config.add_cleanup(lambda: (time.sleep(0.1), Path(f"{worker}.cleaned").touch()))

        def pytest_addoption(parser):
            parser.addoption("--backwards", action="store_true")

        def pytest_collection_modifyitems(config, items):
            if config.option.backwards:
                items.reverse()
        """
    )
    base = ("--autoeval-model=offline/student?strength=0.8", "--autoeval-repeats=2", "-q")
    runs: dict[str, tuple[str, ...]] = {
        "alone": ("-n", "0"),
        "two": ("-n", "2"),
        "one call at a time": ("--autoeval-concurrency=1",),
        "backwards": ("--backwards",),
        "without xdist": ("-p", "no:xdist"),
        "stolen work": ("-n", "3", "--dist", "worksteal", "--backwards"),
    }
    found, shown = {}, {}
    for name, arguments in runs.items():
        result = run(*base, *arguments, f"--autoeval-results={name}.jsonl", "-v")
        found[name] = lasting(f"{name}.jsonl")
        shown[name] = result.stdout.str().partition(" calls")[2].partition("\n=")[0]
    assert len(found["alone"]) == 4 * 4 * 2
    assert {row["outcome"] for row in found["alone"]} > {"equivalent"}
    assert "reproduce" in shown["alone"]
    # Everybody's cleanups run to their end in a worker too.
    assert sorted(file.stem for file in pytester.path.glob("*.cleaned")) == ["gw0", "gw1", "gw2"]
    for name in runs:
        assert found[name] == found["alone"], name
        assert shown[name] == shown["alone"], name
