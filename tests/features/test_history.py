"""Pass rates over the runs of a history: their dates and order, which tests are made, and where a fall is marked."""

from __future__ import annotations

import csv
import gc
import io
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.result_rows import changed, suites_of, write_rows
from support.result_rows import row as a_row
from support.sections import only, texts

from pytest_autoeval.engine.report import Report
from pytest_autoeval.engine.without_pytest import run_suites
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.features.trends.history import History, Trend, date_text, find_runs, history_of
from pytest_autoeval.features.trends.sections import points, trends
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.file import Results, write_results
from pytest_autoeval.record.lines import Run, Sample, SuiteEnd, SuiteRecord
from pytest_autoeval.report.renderers.csv import table_text
from pytest_autoeval.statistics.paired import paired_test

pytestmark = pytest.mark.usefixtures("here")
DAY = datetime(2026, 1, 1, 2, tzinfo=UTC)


def rows(passed: int, total: int = 60, **changes: Any) -> list[Sample]:
    """The first formulas passed; of sizes 1 to 6 in turn."""
    return [
        a_row(
            "equivalent" if number < passed else "different",
            **{
                "formula": f"p{number} ∧ q",
                "index": number,
                "operators": 1 + number % 6,
                "model": "m",
                **changes,
            },
        )
        for number in range(total)
    ]


def night(number: int, passed: int, total: int = 60, **changes: Any) -> list[Sample]:
    """The rows of the run of a night; the first night is 1."""
    return rows(
        passed, total, **{"started": (DAY + timedelta(days=number - 1)).isoformat(), **changes}
    )


def history(*paths: str, baseline: Sequence[Sample] | None = None) -> History:
    runs, notes = find_runs([Path(path) for path in paths or ("runs",)])
    return history_of(
        runs, Rules(), baseline=None if baseline is None else suites_of(baseline), notes=notes
    )


def falls(found: History) -> list[str]:
    return [date_text(found.runs[point.run]) for trend in found.trends for point in trend.falls]


def test_runs_stand_in_the_order_of_their_start_whatever_their_names_and_files_say() -> None:
    for name, number in (("c", 1), ("a", 2), ("b", 3)):
        file = write_rows(f"runs/{name}.jsonl", night(number, 50))
        os.utime(file, (1e9 - number, 1e9 - number))
    found = history()
    assert [run.name for run in found.runs] == ["c", "a", "b"]
    assert str(found.dates) == "dated by the start that the results name"


def test_runs_of_older_releases_are_dated_by_their_files_and_the_output_says_so() -> None:
    for name, day in (("b", 1), ("a", 2)):
        file = write_rows(f"runs/{name}.jsonl", rows(50))
        when = (DAY + timedelta(days=day)).timestamp()
        os.utime(file, (when, when))
    found = history()
    assert [(run.name, run.dated_by, run.started.day) for run in found.runs] == [
        ("b", "file", 2),
        ("a", "file", 3),
    ]
    assert str(found.dates).startswith("dated by the modification time of the files")
    write_rows("runs/c.jsonl", night(20, 50))
    assert "2 older runs by the modification time of the file" in str(history().dates)
    for started in ("yesterday", "", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"):
        write_rows("runs/d.jsonl", rows(50, started=started))
        assert {run.name: run.dated_by for run in history().runs}["d"] == "file"


def test_a_fall_is_marked_once_at_the_run_that_it_begins_with() -> None:
    for number, passed in enumerate((56, 57, 56, 55, 30, 31, 30, 57, 56, 20), 1):
        write_rows(f"runs/{number}.jsonl", night(number, passed))
    found = history()
    assert falls(found) == ["2026-01-05", "2026-01-10"]
    (trend,) = found.trends
    (fell, _) = trend.falls
    assert fell.fell is not None
    assert fell.fell.reference == "the run before"
    assert (fell.fell.test.pairs, round(fell.fell.test.difference, 3)) == (60, -0.417)
    assert fell.fell.p < 0.0001


def test_a_slow_decline_is_found_against_the_first_run() -> None:
    """No step between two nights is significant."""
    for number in range(12):
        write_rows(f"runs/{number:02}.jsonl", night(number + 1, 58 - 2 * number))
    found = history()
    (trend,) = found.trends
    assert all(
        one.p >= 0.05
        for point in trend.points
        for one in point.compared
        if one.reference == "the run before"
    )
    (fall,) = trend.falls
    assert fall.fell is not None
    assert fall.fell.reference == "the first run"
    first = min(point.run for point in trend.points for one in point.compared if one.p < 0.05)
    assert fall.run == first


def test_with_a_baseline_the_runs_are_compared_with_it() -> None:
    for number in range(4):
        write_rows(f"runs/{number}.jsonl", night(number + 1, 40))
    assert falls(history()) == []
    found = history(baseline=rows(58))
    assert falls(found) == ["2026-01-01"]
    (trend,) = found.trends
    assert trend.baseline is not None
    assert trend.baseline.rate is not None
    assert trend.baseline.rate.passed == 58
    assert "of the baseline" in str(found.method)
    other = history(baseline=rows(58, model="another"))
    assert (falls(other), other.trends[0].baseline) == ([], None)


def test_p_values_are_those_of_the_paired_test_corrected_over_the_whole_history() -> None:
    for number, passed in enumerate((50, 50, 43), 1):
        write_rows(f"runs/{number}.jsonl", night(number, passed))
    found = history()
    assert found.tests == 3
    alone = paired_test([((int(k < 50), 1), (int(k < 43), 1)) for k in range(60)]).p_value
    assert alone is not None
    p = [[one.p for one in point.compared] for point in found.trends[0].points]
    assert p == [[], [1.0], [pytest.approx(3 * alone), pytest.approx(3 * alone)]]
    assert falls(found) == ["2026-01-03"]
    for number in range(4, 60):  # each further night makes two more tests
        write_rows(f"runs/{number:02}.jsonl", night(number, 50))
    assert falls(history()) == []


def test_suites_and_models_come_and_go() -> None:
    one: dict[str, Any] = {"suite": "test_a.py::test_one"}
    two: dict[str, Any] = {"suite": "test_a.py::test_two"}
    write_rows("runs/1.jsonl", [*night(1, 50, **one), *night(1, 55, **two)])
    write_rows("runs/2.jsonl", night(2, 50, **one, model="new"))
    write_rows(
        "runs/3.jsonl",
        [*night(3, 20, **one), *night(3, 55, **two), *night(3, 10, **one, model="new")],
    )
    found = history()
    shown = {
        (trend.suite[-3:], trend.model): [point.run for point in trend.points]
        for trend in found.trends
    }
    assert shown == {("one", "m"): [0, 2], ("one", "new"): [1, 2], ("two", "m"): [0, 2]}
    assert [(trend.model, len(trend.falls)) for trend in found.trends] == [
        ("m", 1),
        ("new", 1),
        ("m", 0),
    ]


def test_a_run_that_did_not_end_is_shown_and_not_compared() -> None:
    write_rows("runs/1.jsonl", night(1, 55))
    write_rows("runs/2.jsonl", night(2, 5, total=30, unfinished=True, planned=60))
    write_rows("runs/3.jsonl", night(3, 55))
    found = history()
    assert falls(found) == []
    doubts = [bool(point.doubt) for point in found.trends[0].points]
    assert doubts == [False, True, False]
    assert "interrupted, or not all of its samples are there" in {
        point.doubt for point in found.trends[0].points
    }


def test_a_suite_that_a_limit_ended_is_shown_and_not_compared() -> None:
    write_rows("runs/1.jsonl", night(1, 55))
    suites = suites_of(night(2, 5, total=30, planned=60))
    for suite in suites:
        suite.end = SuiteEnd(
            suite=suite.number, ended="limit reached", why="--autoeval-max-calls=60 is reached"
        )
    write_results(Path("runs/2.jsonl"), Results(runs=[suites[0].run], suites=suites))
    write_rows("runs/3.jsonl", night(3, 55))
    found = history()
    assert falls(found) == []
    assert [bool(point.doubt) for point in found.trends[0].points] == [False, True, False]


def test_free_and_constrained_answers_are_not_compared() -> None:
    write_rows("runs/1.jsonl", night(1, 55))
    write_rows("runs/2.jsonl", night(2, 5, constrained=True))
    assert (history().tests, falls(history())) == (0, [])


def test_the_parts_of_a_run_in_one_folder_are_one_run() -> None:
    for number in (1, 2):
        every = night(number, 50, planned=60, shard_settings="same")
        for part in (1, 2):
            some = [changed(one, shard=f"{part}/2") for one in every if one.index % 2 == part - 1]
            write_rows(f"runs/night-{number}/{part}.jsonl", some)
    found = history()
    assert [(run.name, len(run.files)) for run in found.runs] == [("night-1", 2), ("night-2", 2)]
    (trend,) = found.trends
    assert [(point.rate and point.rate.total, point.doubt) for point in trend.points] == [
        (60, ""),
        (60, ""),
    ]


def test_what_cannot_be_read_is_named_and_left_out() -> None:
    write_rows("runs/1.jsonl", night(1, 55))
    Path("runs/notes.jsonl").write_text('{"a": 1}\n')
    Path("runs/empty.jsonl").write_text("")
    broken = Path(write_rows("runs/2.jsonl", night(2, 55)))
    broken.write_text(broken.read_text("utf-8").replace('"index":7,', '"index":"seven",'), "utf-8")
    found = history()
    assert [run.name for run in found.runs] == ["1"]
    for name, problem in (
        ("notes.jsonl", "missing required field `kind`"),
        ("empty.jsonl", "no results"),
        ("2.jsonl:10", "index: Expected `int`, got `str`"),
    ):
        (note,) = [note for note in found.notes if f"{name}:" in note]
        assert problem in note
        assert note.startswith("left out of the history: ")
    with pytest.raises(
        AutoevalError, match=r"no results in runs/notes\.jsonl; left out .* field `kind`"
    ):
        history("runs/notes.jsonl")
    Path("void").mkdir()
    with pytest.raises(AutoevalError, match="--history: no results in void"):
        history("void")
    with pytest.raises(AutoevalError, match=r"missing: .*No such file|absent\.jsonl"):
        history("absent.jsonl")


def test_one_run_has_a_point_and_no_test() -> None:
    write_rows("runs/1.jsonl", night(1, 55))
    found = history()
    assert (found.tests, len(found.trends[0].points)) == (0, 1)
    assert texts(only(trends(found)))[0] == "1 run, 2026-01-01"


def test_the_csv_has_a_line_for_each_point_and_no_formula_of_a_spreadsheet() -> None:
    for number, passed in enumerate((55, 20), 1):
        write_rows(f"runs/{number}.jsonl", night(number, passed, model="=cmd()"))
    header, *lines = list(csv.reader(io.StringIO(table_text(points(history())))))
    first, second = (dict(zip(header, line, strict=True)) for line in lines)
    assert first["model"] == "'=cmd()"
    assert first["date"] == "2026-01-01T02:00:00+00:00"
    assert (first["samples"], first["passed"]) == ("60", "55")
    assert float(first["pass_rate"]) == pytest.approx(55 / 60)
    assert float(first["pass_rate_low"]) < 0.916667 < float(first["pass_rate_high"])
    assert (first["fell_against"], second["fell_against"]) == ("", "the run before")
    assert first["horizon_50_bound"] == "above"


def test_a_history_of_hundreds_of_runs_keeps_the_samples_of_few() -> None:
    for number in range(1, 201):
        write_rows(f"runs/{number:03}.jsonl", night(number, 10, total=20))
    before, alive = samples_in_memory(), list[int]()

    def progress(text: str) -> None:
        if text.startswith(("history: run 50 ", "history: run 200 ")):
            alive.append(samples_in_memory() - before)

    runs, _ = find_runs([Path("runs")])
    assert len(history_of(runs, Rules(), progress=progress).runs) == 200
    assert len(alive) == 2
    assert max(alive) < 200 * 20 / 4


def samples_in_memory() -> int:
    gc.collect()
    return sum(isinstance(one, Sample) for one in gc.get_objects())


@cache
def asked(model: str) -> SuiteRecord:
    """A suite of an offline model. Whenever it runs, its answers are the same."""
    report = Report(
        run_suites(["propositional"], [model], samples=10, operators="2:8", shrink_budget=0)
    )
    (suite,) = report.suites
    return suite


def renamed(suite: SuiteRecord, number: int, model: str, run: Run) -> SuiteRecord:
    """The suite with another number and another name of its model, in another run."""
    assert suite.end is not None
    other = SuiteRecord(
        replace(suite.asked, number=number, model=model), run, end=replace(suite.end, suite=number)
    )
    other.samples = [replace(sample, suite=other) for sample in suite.samples]
    return other


def test_ten_runs_of_offline_models_that_lose_their_strength() -> None:
    """The student errs more and more; the faithful model stays."""
    strengths = (0.995, 0.995, 0.993, 0.995, 0.995, 0.9, 0.9, 0.88, 0.87, 0.85)
    for number, strength in enumerate(strengths, 1):
        of_models = [asked(f"offline/student?strength={strength}"), asked("offline/faithful")]
        assert of_models[0].run.started
        run = replace(of_models[0].run, started=(DAY + timedelta(days=number - 1)).isoformat())
        suites = [
            renamed(suite, at, suite.model.partition("?")[0], run)
            for at, suite in enumerate(of_models, 1)
        ]
        Path("runs").mkdir(exist_ok=True)
        write_results(Path(f"runs/night-{number:02}.jsonl"), Results(runs=[run], suites=suites))
    found = history()
    trends: dict[str, Trend] = {trend.model: trend for trend in found.trends}
    assert trends["offline/faithful"].falls == []
    student = trends["offline/student"]
    assert [found.runs[point.run].name for point in student.falls] == ["night-06"]
    rates = [point.rate.lower for point in student.points if point.rate is not None]
    assert len(rates) == 10
    assert min(rates[:5]) > max(rates[5:])
    assert all("horizon 50 %" in point.measured for point in student.points)
    assert all(
        one <= other for one, other in pairwise([found.runs[0].started, found.runs[-1].started])
    )
