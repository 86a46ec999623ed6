"""What a run leaves beside its results: the page, and the summary in Markdown."""

from __future__ import annotations

import json

import pytest

from .conftest import Run, Suite


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_page_and_summary_are_written_with_the_folders_above_them(
    run: Run, suite: Suite, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    suite(more=", threshold=0.95")
    result = run("--autoeval-html=new/page.html", "--autoeval-github-summary=newer/still/run.md", *workers)
    result.stdout.fnmatch_lines(["the page: *page.html", "the summary: *run.md"])
    assert (pytester.path / "new/page.html").read_text("utf-8").startswith("<!doctype html>")
    assert (pytester.path / "newer/still/run.md").read_text("utf-8").startswith("## ✓ pytest-autoeval: ")


def test_the_summary_of_the_job_is_added_to_whatever_file_was_asked_for(
    run: Run, suite: Suite, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite(more=", threshold=0.95")
    job = pytester.path / "job"
    job.write_text("what stood there\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job))
    run("--autoeval-github-summary=run.md")
    summary = (pytester.path / "run.md").read_text("utf-8")
    assert job.read_text("utf-8") == f"what stood there\n{summary}"
    run()
    assert job.read_text("utf-8") == f"what stood there\n{summary}{summary}"
    run("--autoeval-github-summary=job")
    assert job.read_text("utf-8") == f"what stood there\n{summary * 3}"


def test_without_a_job_the_summary_needs_a_file(run: Run, suite: Suite) -> None:
    suite()
    run("--autoeval-github-summary").stdout.fnmatch_lines(["*GITHUB_STEP_SUMMARY is not set; give a file"])


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("--autoeval-html=here", "*here: the page needs an ordinary file"),
        ("--autoeval-github-summary=here", "*here: the summary cannot be written: Is a directory"),
        ("--autoeval-summary=here", "*here: the summary cannot be written: Is a directory"),
    ],
)
def test_a_file_that_was_asked_for_and_cannot_be_written_fails_the_run(
    run: Run, suite: Suite, pytester: pytest.Pytester, option: str, line: str
) -> None:
    source = suite(more=", threshold=0.95")
    hindered = "\n\ndef test_hinders(pytestconfig):\n    (pytestconfig.rootpath / 'here').mkdir()\n"
    source.write_text(source.read_text("utf-8") + hindered, encoding="utf-8")
    result = run(option)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["the gate passed", line])
    assert list(pytester.path.glob("here/*")) == []


def test_a_summary_of_the_job_that_nobody_asked_for_fails_nothing(
    run: Run, suite: Suite, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite(more=", threshold=0.95")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path))
    result = run()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*the summary cannot be written: Is a directory"])


PRICED = """
from pytest_autoeval import Reply

class Priced:
    def complete(self, messages, *, repeat=0):
        return Reply("p1", cost=1.0)

def pytest_autoeval_register(registry):
    registry.add_model("priced", Priced)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_all_spend_is_shown_also_that_of_samples_that_were_cut_off(
    run: Run, suite: Suite, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    suite()
    pytester.makeconftest(PRICED)
    result = run(
        "--autoeval-model=priced",
        "--autoeval-max-cost=1",
        "--autoeval-concurrency=64:64",
        "--autoeval-summary=s.json",
        *workers,
        apart=True,
    )
    note = "this run paid for 1 call, $1.00, also for calls that failed and samples that were cut off"
    result.stdout.fnmatch_lines([f"*{note}"])
    assert note in json.loads((pytester.path / "s.json").read_text("utf-8"))["notes"]
