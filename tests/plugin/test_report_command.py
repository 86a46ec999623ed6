"""`python -m pytest_autoeval report`: one report of the results files of one or many runs."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.program import Program
from support.result_rows import call, changed, keys_of, write_rows
from support.result_rows import row as a_row

from pytest_autoeval.engine.suite_files import SHIPPED_SUITES
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.running import report_command

from .conftest import Run, Suite

SUITE = "suites/test_ksat.py::test_round_trip"
OTHER = "suites/test_regex.py::test_round_trip"
PASS, FAIL = "equivalent", "different"


def row(outcome: str, number: int, /, **changes: Any) -> Sample:
    about = {
        "suite": SUITE,
        "test": f"{SUITE}[m]",
        "model": "m",
        "grammar": "ksat",
        "calls": [],
        "way": "zero-shot",
    }
    of_formula = {
        "index": number,
        "formula": f"p{number} ∧ q",
        "measures": {"operators": 2, "depth": 1 + number % 3},
    }
    return a_row(**{"outcome": outcome, **about, **of_formula, **changes})


def rows(outcomes: Sequence[str], **changes: Any) -> list[Sample]:
    return [row(outcome, number, **changes) for number, outcome in enumerate(outcomes)]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("COLUMNS", "120")


def test_a_mistyped_file_option_or_command_gets_the_right_one(
    report: Program, program: Program
) -> None:
    write_rows("good.jsonl", rows([PASS]))
    assert "Did you mean 'good.jsonl'?" in report("god.jsonl", code=2).err
    assert "Did you mean 'good.jsonl'?" in report("good.jsonl", "--baseline=god.jsonl", code=2).err
    assert "Did you mean '--baseline'?" in report("good.jsonl", "--basline=x.jsonl", code=2).err
    assert "Did you mean 'report'?" in program("reprot", "good.jsonl", code=2).err


@pytest.mark.parametrize("options", [[], ["--markdown=-"]])
def test_a_reader_that_stops_early_does_not_change_the_exit_code(options: list[str]) -> None:
    """As in ``report r.jsonl | head -n 1``: 0 would make a red run green."""
    write_rows("r.jsonl", rows([FAIL] * 5, threshold=0.5))
    command = [sys.executable, "-m", "pytest_autoeval", "report", "r.jsonl", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, check=False, env=environment, text=True
        )
    finally:
        os.close(writing)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


@pytest.mark.parametrize("standing", ["0123", "01234", "00123", "001234"])
def test_a_suite_with_lost_or_doubled_rows_is_not_judged(standing: str, report: Program) -> None:
    """Of five samples that were to run, of which all passed."""
    numbered = rows([PASS] * 5, planned=5, threshold=0.5)
    write_rows("r.jsonl", [numbered[int(number)] for number in standing])
    code = 0 if standing == "01234" else 2
    report("r.jsonl", "--results=again.jsonl", code=code)
    report("again.jsonl", code=code)


def test_without_an_output_it_prints_the_summary(report: Program) -> None:
    write_rows("r.jsonl", rows([PASS] * 6 + [FAIL] * 4, threshold=0.9))
    printed = report("r.jsonl", code=1)
    assert printed.out.startswith("the suite failed\n")
    assert "pass rate (6 of 10) is below" in printed.out
    # Outside of the checkout, a packaged suite has its whole path.
    assert f"reproduce    pytest {SHIPPED_SUITES.parent / SUITE} --autoeval-model=m" in printed.out
    assert printed.err == ""


@pytest.mark.parametrize(
    "outcomes", [[PASS] * 40, [PASS, PASS, FAIL] * 20], ids=["flawless", "failing"]
)
@pytest.mark.parametrize("suites", [1, 6])
def test_the_terminal_shows_the_same_if_details_for_v_and_files_are_not_made(
    outcomes: list[str], suites: int, report: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"test_it.py::test_{number}" for number in range(suites)]
    write_rows("r.jsonl", [one for name in names for one in rows(outcomes, suite=name, test=name)])
    printed = report("r.jsonl").out
    monkeypatch.setattr(report_command, "_shows_details", lambda _: True)
    assert printed == report("r.jsonl").out
    assert len(report("r.jsonl", "-v").out) > len(printed)


def test_the_page_and_the_results_have_the_messages(report: Program) -> None:
    started = "2026-11-26T12:00:00+00:00"
    whole = [row(FAIL, 0, started=started, calls=[call("informalize")])]
    write_rows("r.jsonl", whole)
    report("r.jsonl", "--results=again.jsonl")
    assert [one.calls for one in read_file("again.jsonl").samples] == [one.calls for one in whole]
    # A comparison with itself is noticed, whether messages are kept or not.
    printed = (
        report("r.jsonl", "--baseline=r.jsonl"),
        report("r.jsonl", "--baseline=r.jsonl", "--html=page.html"),
    )
    for output in (printed[0].text, printed[1].err):
        assert "1 sample of this run is also in the baseline" in output


@pytest.mark.parametrize(
    ("outcomes", "options", "code"),
    [
        ([PASS] * 10, "--threshold=90%", 0),
        ([FAIL] * 10, "", 0),
        ([PASS] * 8 + [FAIL] * 2, "--threshold=90%", 1),
        ([PASS] * 10 + ["error"], "--threshold=90%", 1),
        ([PASS] * 9 + [FAIL], "--threshold=80% --gate=interval", 10),
        ([PASS] * 60, "--threshold=80% --gate=interval", 0),
    ],
)
def test_the_exit_code_is_that_of_a_run(
    outcomes: list[str], options: str, code: int, report: Program
) -> None:
    write_rows("r.jsonl", rows(outcomes))
    report("r.jsonl", *options.split(), code=code)


def test_shards_end_in_one_report(report: Program) -> None:
    every = rows([PASS] * 7 + [FAIL] * 3, threshold=0.5) + rows([PASS] * 4, suite=OTHER)
    write_rows("a.jsonl", every[::2])
    write_rows("b.jsonl", every[1::2])
    write_rows("whole.jsonl", every)
    assert (
        "all.jsonl: 14 samples"
        in report("a.jsonl", "b.jsonl", "--results=new/all.jsonl", "--markdown=apart.md").err
    )
    report("whole.jsonl", "--results=same.jsonl", "--markdown=whole.md")
    assert Path("new/all.jsonl").read_bytes() == Path("same.jsonl").read_bytes()
    assert Path("apart.md").read_text("utf-8") == Path("whole.md").read_text("utf-8")
    report("new/all.jsonl", "--results=new/all.jsonl")
    assert Path("new/all.jsonl").read_bytes() == Path("same.jsonl").read_bytes()


def test_a_sample_that_stands_twice_counts_once(report: Program) -> None:
    one = rows([PASS, FAIL])
    write_rows("a.jsonl", one)
    write_rows("b.jsonl", [changed(one[0], verdict_seconds=3.5), row(PASS, 2)])
    text = report("a.jsonl", "b.jsonl", "--threshold=90%", code=1).out
    assert "1 sample occurred twice with the same content and counted once" in text
    assert "(2 of 3)" in text


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"outcome": FAIL, "code": "AE101", "translation": "p2"}, "code, outcome, translation"),
        ({"threshold": 0.9}, "threshold"),
    ],
)
def test_a_sample_that_differs_between_two_files_is_refused(
    changes: dict[str, Any], named: str, report: Program
) -> None:
    write_rows("a.jsonl", rows([PASS] * 3))
    write_rows("b.jsonl", [row(PASS, 7), row(PASS, 1, **changes)])
    Path("b.jsonl").write_text("\n\n" + Path("b.jsonl").read_text("utf-8"), "utf-8")
    text = report("a.jsonl", "b.jsonl", code=2).err
    assert (
        f"b.jsonl:6: this sample is also at a.jsonl:4, and differs ({named}): {SUITE}[m], size 2, index 1"
        in text
    )
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat": 1},
        {"model": "n"},
        {"seed": 1},
        {"formula": "other"},
        {"suite": OTHER},
        {"way": "few-shot"},
    ],
)
def test_other_samples_are_other_samples(changes: dict[str, Any], report: Program) -> None:
    write_rows("a.jsonl", [row(PASS, 0)])
    write_rows("b.jsonl", [row(FAIL, 0, **changes)])
    report("a.jsonl", "b.jsonl", "--results=all.jsonl")
    assert len(read_file("all.jsonl").samples) == 2


def test_a_suite_that_jobs_asked_with_several_promptings_has_a_gate_for_each(
    report: Program,
) -> None:
    write_rows("a.jsonl", rows([PASS] * 4, threshold=0.9))
    write_rows("b.jsonl", rows([FAIL] * 4, threshold=0.9, way="few-shot"))
    assert "1 of 2 suites failed" in report("a.jsonl", "b.jsonl", "--results=all.jsonl", code=1).err
    names = {f"{SUITE}[zero-shot]", f"{SUITE}[few-shot]"}
    assert {suite.name for suite in read_file("all.jsonl").suites} == names
    # The merged file and one of those that it was made of: still each sample once.
    report("all.jsonl", "b.jsonl", "--results=again.jsonl", code=1)
    assert Path("again.jsonl").read_bytes() == Path("all.jsonl").read_bytes()


def test_rows_that_shrinking_made_count_in_nothing(report: Program) -> None:
    write_rows(
        "a.jsonl",
        [
            *rows([PASS] * 4),
            row(FAIL, 0, shrunk=True, formula="k"),
            row(PASS, 0, shrunk=True, formula="l"),
        ],
    )
    text = report("a.jsonl", "--threshold=1").text
    assert "100.0 % (39.8–100.0) 4" in text


def test_a_torn_line_is_left_out_and_suites_without_an_end_are_not_judged(report: Program) -> None:
    ended = rows([PASS] * 4, suite="suites/test_a.py::test_that_ended", threshold=0.5)
    write_rows(
        "a.jsonl",
        [*ended, *rows([PASS] * 4, threshold=0.5, unfinished=True)],
        torn='{"kind":"sample","sui',
    )
    write_rows("b.jsonl", rows([PASS] * 4, suite=OTHER, threshold=0.5))
    text = report("a.jsonl", "b.jsonl", code=2).text
    assert "a.jsonl: line 13 is incomplete (the run was killed) and was left out" in text
    assert "1 suite could not be judged" in text
    assert "the other 2 suites passed" in text


def test_of_older_files_with_a_torn_line_no_suite_is_judged(report: Program) -> None:
    """They do not say which suites had ended."""
    keys = [
        keys_of(one)
        for one in rows([PASS] * 4, threshold=0.5) + rows([PASS] * 4, suite=OTHER, threshold=0.5)
    ]
    Path("a.jsonl").write_text(
        "".join(f"{json.dumps(one)}\n" for one in keys) + '{"schema_version": 1, "sui', "utf-8"
    )
    text = report("a.jsonl", code=2).text
    assert "a.jsonl: line 9 is incomplete (the run was killed) and was left out" in text
    assert "2 suites could not be judged" in text


def test_a_run_that_did_not_come_to_its_end_is_not_judged(report: Program) -> None:
    write_rows("a.jsonl", rows([PASS] * 4, threshold=0.5, unfinished=True))
    write_rows("b.jsonl", rows([PASS] * 4, suite=OTHER, threshold=0.5))
    assert (
        "a.jsonl: its run was interrupted"
        in report("a.jsonl", "b.jsonl", "--results=all.jsonl", code=2).err
    )
    text = report("all.jsonl", code=2).text
    assert "1 suite could not be judged" in text
    assert "1 suite passed" in text


STOPPED = {
    "verdict": "failed",
    "ran": 20,
    "planned": 400,
    "alpha": 0.05,
    "saved": "",
    "gate": "point",
}


@pytest.mark.parametrize(
    ("more", "code"),
    [([], 1), (["--gate=interval"], 2), (["b.jsonl"], 2)],
    ids=["as it was", "another rule", "with other samples"],
)
def test_what_ended_a_suite_early_holds_for_its_own_samples_and_rule(
    more: list[str], code: int, report: Program
) -> None:
    shrunk = row(PASS, 0, shrunk=True)  # counts in nothing
    write_rows(
        "a.jsonl", [*rows([PASS] * 10 + [FAIL] * 10, threshold=0.5, stopped_early=STOPPED), shrunk]
    )
    write_rows("b.jsonl", rows([PASS] * 4, seed=1, threshold=0.5))
    report("a.jsonl", *more, code=code)


@pytest.mark.parametrize(
    ("threshold", "code", "headline"), [("0.9", 1, "2 of 2 failed"), ("10%", 0, "all 2 passed")]
)
def test_a_given_threshold_judges_anew_and_says_so(
    report: Program, threshold: str, code: int, headline: str
) -> None:
    write_rows(
        "a.jsonl",
        rows([PASS] * 4 + [FAIL], threshold=0.85) + rows([PASS] * 4 + [FAIL], suite=OTHER),
    )
    assert "1 suite failed; 1 without a gate" in report("a.jsonl", code=1).text
    text = report("a.jsonl", f"--threshold={threshold}", code=code).text
    assert headline in text.replace(" suites", "")
    assert "judged by --threshold: 1 suite had another threshold in their run" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--fail-on=drop:5%", "--fail-on needs --baseline"),
        ("--baseline-model=m", "--baseline-model needs --baseline"),
        ("--github-summary", "GITHUB_STEP_SUMMARY is not set"),
        ("--markdown=r.jsonl", "--markdown: would overwrite the results r.jsonl"),
        ("--baseline=r.jsonl --results=r.jsonl", "--results: would overwrite the results r.jsonl"),
        ("--markdown=r.jsonl/x.md", "r.jsonl/x.md: cannot be written: File exists"),
        ("--html=.", "--html: . is a folder; name a file"),
        ("--baseline=none.jsonl", "none.jsonl: there is no such file"),
    ],
)
def test_mistakes_are_one_clear_line(options: str, message: str, report: Program) -> None:
    write_rows("r.jsonl", rows([PASS]))
    before = Path("r.jsonl").read_bytes()
    error = report("r.jsonl", *options.split(), code=2).err
    assert message in error
    assert error.count("\n") == 1
    assert Path("r.jsonl").read_bytes() == before


def test_each_output_is_written_and_named(monkeypatch: pytest.MonkeyPatch, report: Program) -> None:
    write_rows("r.jsonl", rows([PASS] * 8 + [FAIL], threshold=0.9))
    Path("job.md").write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "job.md")
    outputs = [
        "--html=out/page.html",
        "--markdown=out/summary.md",
        "--github-summary",
        "--plots=figures",
    ]
    printed = report("r.jsonl", *outputs, "--title=Nightly", code=1)
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "out/page.html: open it in a browser",
        "job.md: the summary of the job",
        "out/summary.md: the summary",
        f"figures: {len(list(Path('figures').iterdir()))} files",
        "the suite failed",
    ]
    summary = Path("out/summary.md").read_text("utf-8")
    assert summary.startswith("## ✗ Nightly: the suite failed\n")
    assert Path("job.md").read_text("utf-8") == "before\n" + summary
    page = Path("out/page.html").read_text("utf-8")
    assert "Nightly" in page
    assert "--autoeval-formula" in page or "reproduce" in page
    assert {path.suffix for path in Path("figures").iterdir()} == {".svg", ".png", ".csv"}


def test_csv_and_plots_have_every_size(report: Program) -> None:
    """41 sizes, the odd ones of two formulas."""
    sizes = [size for size in range(41) for _ in range(1 + size % 2)]
    samples = [
        row(
            PASS if number % 3 else FAIL,
            number,
            operators=size,
            measures={"operators": size, "depth": 1},
        )
        for number, size in enumerate(sizes)
    ]
    write_rows("r.jsonl", samples)
    printed = report("r.jsonl", "--csv=tables", "--plots=figures")
    tables = {
        path.name: list(csv.DictReader(path.open(encoding="utf-8")))
        for path in Path("tables").iterdir()
    }
    assert f"tables: {len(tables)} files" in printed.err
    expected = [(str(size), str(1 + size % 2)) for size in range(41)]
    curve = [
        line
        for line in tables["curves.csv"]
        if line["series"] == "pass rate" and line["over"] == "operators"
    ]
    assert [(line["x"], line["n"]) for line in curve] == expected
    assert [
        (line["operators"], line["samples"]) for line in tables["suite_1_by_size.csv"]
    ] == expected
    passed = sum(number % 3 > 0 for number, size in enumerate(sizes) if size == 7)
    assert curve[7]["value"] == f"{passed / 2:g}"
    assert Path("figures/curves.csv").read_bytes() == Path("tables/curves.csv").read_bytes()


def test_an_earlier_folder_of_tables_is_replaced_and_no_other(report: Program) -> None:
    write_rows("r.jsonl", rows([PASS, FAIL]))
    report("r.jsonl", "--csv=tables")
    Path("tables/suite_1_by_size.csv").write_text("other,columns\n", "utf-8")
    report("r.jsonl", "--csv=tables")
    assert Path("tables/suite_1_by_size.csv").read_text("utf-8").startswith("operators,samples,")
    for name in ("figures.csv", "suite_1_by_size.csv"):
        mine = Path(f"of {name}") / name
        mine.parent.mkdir()
        mine.write_text("my own numbers\n", "utf-8")
        refused = report("r.jsonl", f"--csv={mine.parent}", code=2)
        assert f"{mine}: cannot be written: the file exists" in refused.err
        assert mine.read_text("utf-8") == "my own numbers\n"


def test_a_command_reproduces_what_failed(report: Program) -> None:
    one = row(FAIL, 3, seed=7, repeat=1, way="few-shot", interface="python", formula="it's")
    write_rows("r.jsonl", [one])
    assert (
        f"pytest {SHIPPED_SUITES.parent / SUITE} --autoeval-model=m --autoeval-seed=7 --autoeval-interface=python "
        "--autoeval-prompting=few-shot --autoeval-repeats=2 '--autoeval-formula=it'\"'\"'s'"
    ) in report("r.jsonl").out


def test_results_of_a_real_run_are_judged_as_the_run_judged_them(
    suite: Suite, run: Run, report: Program
) -> None:
    suite(more=", threshold=0.9")
    model = "--autoeval-model=offline/negation-scope"
    ran = run(model, "--autoeval-results=r.jsonl", "--autoeval-github-summary=run.md")
    assert ran.ret == 1
    report("r.jsonl", "--markdown=report.md", code=1)
    start = [
        Path(name).read_text("utf-8").partition("different (AE101)")[0]
        for name in ("run.md", "report.md")
    ]
    assert start[0] == start[1]
