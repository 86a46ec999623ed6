"""What a run leaves beside its results: the page, and the summary in Markdown."""

from __future__ import annotations

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


def test_a_page_that_cannot_be_written_changes_no_verdict(run: Run, suite: Suite, pytester: pytest.Pytester) -> None:
    source = suite(more=", threshold=0.95")
    hindered = "\n\ndef test_hinders(pytestconfig):\n    (pytestconfig.rootpath / 'page.html').mkdir()\n"
    source.write_text(source.read_text("utf-8") + hindered, encoding="utf-8")
    result = run("--autoeval-html=page.html")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*page.html: the page needs an ordinary file"])
    assert list(pytester.path.glob("page.html/*")) == []
