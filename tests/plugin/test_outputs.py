"""What a run shows and leaves beside its results: page, summary in Markdown, text that was read, server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chat_server import ChatServer
from support.documents_read import figures, read_summary, section
from support.formula_server import sensible
from support.page_blocks import PageBlocks

from .conftest import ROUND_TRIP, Rows, Run, Suite, said


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_page_and_summary_are_written_with_the_folders_above_them(
    run: Run, suite: Suite, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    suite(more=", threshold=0.95")
    result = run(
        "--autoeval-html=new/page.html", "--autoeval-github-summary=newer/still/run.md", *workers
    )
    result.stdout.fnmatch_lines(["the page: *page.html", "the summary: *run.md"])
    assert (pytester.path / "new/page.html").read_text("utf-8").startswith("<!doctype html>")
    assert (
        (pytester.path / "newer/still/run.md")
        .read_text("utf-8")
        .startswith("## ✓ pytest-autoeval: ")
    )


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
    run("--autoeval-github-summary").stdout.fnmatch_lines(
        ["*GITHUB_STEP_SUMMARY is not set; give a file"]
    )


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("--autoeval-html=here", "*here: the page cannot be written: Is a directory"),
        ("--autoeval-github-summary=here", "*here: cannot be written: Is a directory"),
        ("--autoeval-summary=here", "*here: cannot be written: Is a directory"),
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
    result.stdout.fnmatch_lines(["the suite passed", line])
    assert list(pytester.path.glob("here/*")) == []


def test_a_summary_of_the_job_that_nobody_asked_for_fails_nothing(
    run: Run, suite: Suite, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite(more=", threshold=0.95")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path))
    result = run()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*: cannot be written: Is a directory"])


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
    result.stdout.fnmatch_lines(["*calls 1; replayed 0.0 %; cost $1.00"])
    summary = read_summary(pytester.path / "s.json")
    spent = figures(section(summary, "calls"))
    assert (spent["calls"]["value"], spent["cost"]["value"]) == (1, 1.0)


CUT = ROUND_TRIP.replace("autoformalize(description,", "autoformalize({given},")


def test_the_text_that_was_read_stands_beside_the_description(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(CUT.replace("{given}", "'p4 holds.'"), more=", threshold=0.9")
    result = run(
        "--autoeval-results=out.jsonl",
        "--autoeval-html=page.html",
        "--autoeval-github-summary=run.md",
    )
    row = rows("out.jsonl")[0]
    assert row["description"] != row["description_read"] == "p4 holds."
    result.stdout.fnmatch_lines(
        ["    description  *", "    text read    p4 holds.", "    translation  p4"]
    )
    assert "text read    p4 holds." in (pytester.path / "run.md").read_text("utf-8")
    page = PageBlocks((pytester.path / "page.html").read_text("utf-8"))
    assert "p4 holds." in str(page.data("piece-0"))


def test_a_description_that_was_cut_is_not_shown_twice(suite: Suite, run: Run) -> None:
    suite(CUT.replace("{given}", "description[:5]"), more=", threshold=0.9")
    run().stdout.fnmatch_lines(["    text read    the first 5 characters of the description"])


def test_a_description_that_was_read_as_it_was_written_stands_once(
    suite: Suite, run: Run, rows: Rows
) -> None:
    suite(CUT.replace("{given}", "description"), more=", threshold=0.9")
    result = run("--autoeval-model=offline/or-for-and", "--autoeval-results=out.jsonl")
    assert not any("description_read" in row for row in rows("out.jsonl"))
    assert "text read" not in said(result)


MODEL = "--autoeval-model=some-model"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(sensible) as server:
        yield server


@pytest.mark.parametrize("by", ["option", "variable"])
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_address_stands_over_the_table_without_user_and_key(
    monkeypatch: pytest.MonkeyPatch,
    server: ChatServer,
    suite: Suite,
    run: Run,
    by: str,
    workers: tuple[str, ...],
) -> None:
    suite()
    url = server.url.replace("//", "//user:s3cret-word@") + "?key=s3cret-query"
    if by == "variable":
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    shown = said(run(MODEL, *([f"--autoeval-base-url={url}"] if by == "option" else []), *workers))
    assert f"server: {server.url}" in shown
    assert "s3cret" not in shown


def test_a_server_that_is_not_asked_is_not_shown(
    server: ChatServer, suite: Suite, run: Run
) -> None:
    suite()
    address = f"--autoeval-base-url={server.url}"
    assert "server:" in said(run(MODEL, address, "--autoeval-record-mode=once"))
    assert "server:" not in said(run(MODEL, address, "--autoeval-record-mode=none"))
    assert "server:" not in said(run(address))


OWN_PIPELINE = """
from pytest_autoeval import autoeval


def pipeline(text):
    return text.replace("∧", "∨")


@autoeval("propositional", operators=range(1, 3), samples=4, threshold=0.9)
def test_changed(sample, llm, assert_equivalent):
    answer = llm.autoformalize(llm.informalize(sample), like=sample)
    assert_equivalent(pipeline(str(answer)), sample.formula)


@autoeval("propositional", operators=range(1, 3), samples=4, threshold=0.9)
def test_own(sample, assert_equivalent):
    assert_equivalent(pipeline(sample.text), sample.formula)


@autoeval("propositional", operators=range(1, 3), samples=4, threshold=0.9)
def test_no_formula(sample, assert_equivalent):
    assert_equivalent("formula: " + sample.text, sample.formula)
"""


def test_the_formula_that_was_compared_is_in_the_results_and_in_each_report(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=OWN_PIPELINE)
    result = run("--autoeval-results=out.jsonl", "--autoeval-html=page.html", "-v")
    own = rows("out.jsonl")
    changed = [row for row in own if row["suite"].endswith("test_changed")]
    assert {row["outcome"] for row in changed} == {"different", "equivalent"}
    for row in changed:
        compared = row["formula"].replace("∧", "∨")
        shown = compared if compared != row["formula"] else None
        assert row["translation"] == row["formula"]
        assert (row.get("compared") is None) == (shown is None)
        # Marks in two equal formulas would show no difference.
        assert not row.get("differences")
    without_llm = [row for row in own if row["suite"].endswith("test_own")]
    assert "different" in {row["outcome"] for row in without_llm}
    assert all(row["compared"] and row["translation"] is None for row in without_llm)
    result.stdout.re_match_lines(
        [
            r"    formula +p\d+ ∧ p\d+",
            r"    .*",
            r"    translation +p\d+ ∧ p\d+",
            r"    compared +p\d+ ∨ p\d+",
        ],
        consecutive=False,
    )
    result.stdout.re_match_lines([r"    formula +p\d+ ∧ p\d+", r"    answer +p\d+ ∨ p\d+"])
    page = PageBlocks((pytester.path / "page.html").read_text("utf-8"))
    assert all(str(row["compared"]) in str(page.data("piece-0")) for row in without_llm)
    refused = [row for row in own if row["suite"].endswith("test_no_formula")]
    assert all(row["compared"] == f"formula: {row['formula']}" for row in refused)


def test_a_round_trip_does_not_repeat_its_translation(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    run("--autoeval-model=offline/or-for-and", "--autoeval-results=out.jsonl")
    assert not any("compared" in row or "compared_with" in row for row in rows("out.jsonl"))
