"""The exit code and the headline say what the suites say, whatever other plugins report and whatever did not run."""

from __future__ import annotations

import pytest
from support.documents_read import read_summary, section, sentences
from support.page_blocks import PageBlocks
from support.program import Program

from .conftest import FAITHFUL, Run, Suite, marked, said

WORKERS = pytest.mark.parametrize("workers", ["0", "2"])

CHANGED = {
    "makereport": """
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome = "passed"
    return report
""",
    "skipped": """
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        report.outcome, report.longrepr = "skipped", ("conftest.py", 1, "Skipped: flaky")
    return report
""",
    "call": """
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    try:
        yield
    except BaseException:
        pass
""",
}


@WORKERS
@pytest.mark.parametrize("case", CHANGED)
def test_a_hook_cannot_make_a_failed_suite_pass(
    pytester: pytest.Pytester, suite: Suite, run: Run, case: str, workers: str
) -> None:
    pytester.makeconftest(f"import pytest\n{CHANGED[case]}")
    suite(more=", threshold=1")
    result = run("--autoeval-model=offline/or-for-and", "--autoeval-shrink-budget=0", "-n", workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "failed, but its report does not say so: a plugin or a hook has changed it" in said(
        result
    )
    assert run("-n", workers).ret == pytest.ExitCode.OK


@WORKERS
def test_a_suite_that_a_plugin_does_not_run_is_not_judged(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    hook = "@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_call(item):\n    item.runtest = lambda: None\n"
    pytester.makeconftest(f"import pytest\n{hook}")
    suite(more=", threshold=1")
    result = run("-n", workers)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "interrupted: no sample was answered; 1 suite could not be judged" in said(result)


def test_an_expected_failure_is_no_changed_report(suite: Suite, run: Run) -> None:
    suite(
        marked(
            '"propositional", operators=1, samples=3',
            "assert False",
            before="pytestmark = pytest.mark.xfail",
        )
    )
    result = run()
    assert result.ret == pytest.ExitCode.OK
    assert "does not say so" not in said(result)


FAILS_OTHERWISE = {
    "test_other": "def test_other():\n    assert False",
    "a teardown": "@pytest.fixture(autouse=True)\ndef ends():\n    yield\n    raise OSError",
    "an unexpected pass": "pytestmark = pytest.mark.xfail(strict=True)",
    "a subtest": "@pytest.fixture(autouse=True)\ndef part(subtests):\n    with subtests.test():\n        assert False",
}


@pytest.mark.parametrize("case", FAILS_OTHERWISE)
def test_the_headline_says_which_tests_failed_besides_the_suites(
    pytester: pytest.Pytester, suite: Suite, run: Run, case: str
) -> None:
    marker = '"propositional", operators=[1, 2], samples=3, threshold=1'
    suite(marked(marker, "TRIP", before=FAILS_OTHERWISE[case]))
    files = ("github-summary=run.md", "summary=s.json", "html=page.html")
    result = run(FAITHFUL, *(f"--autoeval-{file}" for file in files))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    test = "test_other" if case == "test_other" else "test_it[offline/faithful]"
    headline = f"1 test failed, besides the verdicts on the suites (test_suite.py::{test})"
    assert headline in said(result)
    assert (pytester.path / "run.md").read_text("utf-8").startswith("## ✗ ")
    assert headline in PageBlocks((pytester.path / "page.html").read_text("utf-8")).shown
    summary = read_summary(pytester.path / "s.json")
    assert (summary["state"], summary["exit_code"]) == ("failed", 1)
    assert sentences(section(summary, "verdict"), "verdict")[0] == headline


def test_a_failed_suite_is_no_other_failure(suite: Suite, run: Run) -> None:
    marker = '"propositional", operators=[1, 2], samples=3, threshold=1'
    suite(marked(marker, "TRIP", before=FAILS_OTHERWISE["a teardown"]))
    assert "besides the verdicts" not in said(run("--autoeval-model=offline/or-for-and"))


@pytest.mark.parametrize("options", [("-n", "2"), ("--continue-on-collection-errors",)])
def test_the_headline_says_what_could_not_be_collected(
    pytester: pytest.Pytester, suite: Suite, run: Run, program: Program, options: tuple[str, ...]
) -> None:
    suite(more=", threshold=0.5")
    pytester.makepyfile(test_other=marked('"fol"', "pass"))
    files = ("results=out.jsonl", "html=page.html", "github-summary=run.md", "summary=s.json")
    result = run(*options, *(f"--autoeval-{file}" for file in files))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    headline = "not everything ran: 1 file could not be collected (test_other.py)"
    assert headline in said(result)
    markdown = (pytester.path / "run.md").read_text("utf-8")
    assert markdown.startswith("## ! ")
    assert "not everything ran: 1 file could not be collected" in markdown
    assert headline in PageBlocks((pytester.path / "page.html").read_text("utf-8")).shown.replace(
        "Not", "not"
    )
    summary = read_summary(pytester.path / "s.json")
    assert (summary["state"], summary["exit_code"]) == ("interrupted", 1)
    assert sentences(section(summary, "verdict"), "verdict")[0] == headline
    assert headline in program("report", "out.jsonl", code=pytest.ExitCode.INTERRUPTED).out
