"""`python -m pytest_autoeval report --history`: the newest run, and the trends in every output."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.documents_read import blocks, read_summary, section, sentences, table
from support.page_blocks import PageBlocks
from support.program import Program
from support.result_rows import row, write_rows

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Curve

from .conftest import Run


def night(number: int, passed: int, model: str = "m") -> list[Sample]:
    return [
        row(
            "equivalent" if index < passed else "different",
            formula=f"p{index} ∧ q",
            index=index,
            operators=1 + index % 6,
            model=model,
            started=f"2026-01-{number:02}T02:00:00+00:00",
            threshold=0.5,
            planned=40,
        )
        for index in range(40)
    ]


@pytest.fixture(autouse=True)
def _runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("COLUMNS", "110")
    for number, passed in ((1, 38), (2, 37), (3, 10)):
        write_rows(f"runs/{number}.jsonl", night(number, passed))


FELL = "fell on 2026-01-03 (3): −67.5 (−79.9 to −52.0) points against the run before (40 pairs, p < 0.0001)"


def test_without_files_the_newest_run_is_judged_and_the_trends_follow(report: Program) -> None:
    printed = report("--history", "runs", code=1)
    assert "pass rate (10 of 40) is below" in printed.out
    assert "3 runs, 2026-01-01 to 2026-01-03" in printed.out
    assert FELL in " ".join(printed.out.split())
    assert "dated by the start that the results name" in printed.out
    assert printed.err == ""


def test_given_files_are_a_run_of_the_history(report: Program) -> None:
    write_rows("new.jsonl", night(4, 39))
    printed = report("new.jsonl", "--history", "runs").out
    assert "4 runs, 2026-01-01 to 2026-01-04" in printed
    assert "3 runs, 2026-01-01 to 2026-01-03" in report("runs/2.jsonl", "--history", "runs").out
    assert "3 runs, " in report("runs/2.jsonl", "--history", "runs/1.jsonl", "runs/3.jsonl").out


def test_every_output_has_the_trends(report: Program) -> None:
    Path("runs/other.jsonl").write_text("{}\n")
    outputs = (
        "--html=page.html",
        "--markdown=m.md",
        "--trends=t.csv",
        "--summary=s.json",
        "--baseline=runs/1.jsonl",
    )
    errors = report("--history", "runs", *outputs, code=1).err
    assert "t.csv: the trends" in errors
    assert "note: left out of the history: runs/other.jsonl" in errors
    assert "### trends\n\n- 3 runs, `2026-01-01` to `2026-01-03`\n" in Path("m.md").read_text(
        "utf-8"
    )
    assert "−67.5 (−79.9 to −52.0) points against the run before" in Path("m.md").read_text("utf-8")
    assert len(Path("t.csv").read_text("utf-8").splitlines()) == 4
    curve = PageBlocks(Path("page.html").read_text("utf-8")).shown_blocks(Curve, "trends")[0]
    assert [point.value for point in curve.series[0].points] == [38 / 40, 37 / 40, 10 / 40]
    trends = section(read_summary("s.json"), "trends")
    points = table(trends, "all runs")
    assert [point["passed"] for point in points] == [38, 37, 10]
    assert [bool(point["fell against"]) for point in points] == [False, False, True]
    fell = "fell on 2026-01-03 (3): −67.5 (−79.9 to −52.0) points against the run before (40 pairs, p < 0.0001)"
    assert [text.partition(" ")[2] for text in sentences(trends) if " fell on " in text] == [fell]
    (rates,) = [one for one in blocks(trends, "curve") if one["unit"] == "rate"]
    assert [point["value"] for point in rates["series"][0]["points"]] == [
        point["pass rate"]["value"] for point in points
    ]
    assert points[0]["horizon 50 %"]["bound"] == "above"
    (baseline,) = [mark for mark in rates["marks"] if mark["name"] == "baseline"]
    assert baseline["value"] == points[0]["pass rate"]["value"]
    page = PageBlocks(Path("page.html").read_text("utf-8")).data("overview")["document"]
    assert section(page, "trends") == trends
    assert report("--history", "runs", "--trends=-", code=1).out.startswith("run,date,dated_by,")


def test_the_markdown_keeps_its_limit(report: Program) -> None:
    shown = set()
    for limit in (4000, 4100, 100_000):
        report("--history", "runs", "--markdown=m.md", f"--markdown-limit={limit}", code=1)
        text = Path("m.md").read_text("utf-8")
        assert len(text.encode()) <= limit
        assert ("there is no room" in text) == (limit < 100_000)
        begin, _, details = text.partition("<details>")
        shown.add(begin.replace(f"-limit={limit}", ""))
        assert ("seed | 0" in details) == (limit == 100_000)
    assert len(shown) == 1, "nothing but details is left out"
    assert FELL.removeprefix("fell on 2026-01-03 (3): ") in shown.pop()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "give results files, or a folder"),
        (("runs/1.jsonl", "--trends=t.csv"), "--trends needs --history"),
        (
            ("--history", "runs", "--trends=runs/1.jsonl"),
            "would overwrite the results runs/1.jsonl",
        ),
        (("--history", "runs", "--html=runs/3.jsonl"), "would overwrite the results runs/3.jsonl"),
        (("--history", "none"), "--history: no results in none"),
    ],
)
def test_wrong_use_is_named(arguments: tuple[str, ...], problem: str, report: Program) -> None:
    before = Path("runs/1.jsonl").read_bytes()
    assert problem in report(*arguments, code=2).err
    assert Path("runs/1.jsonl").read_bytes() == before


def test_a_run_says_when_it_started(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        """
        from pytest_autoeval import autoeval

        @autoeval("propositional", operators=range(1, 3), samples=3)
        def test_survives(sample, round_trip, assert_equivalent):
            assert_equivalent(round_trip(sample), sample.formula)
        """
    )
    for more in ((), ("-n2",)):
        run("--autoeval-model=offline/negation-scope", "--autoeval-results=out.jsonl", *more)
        results = read_file(pytester.path / "out.jsonl")
        (started,) = (one.started for one in results.runs)
        assert started is not None
        assert started.endswith("+00:00")
        assert any(
            sample.differences and sample.differences["formula"] for sample in results.samples
        )
