"""The section about a history: rates and figures over the runs, falls, and what the CSV of the trends has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from support.result_rows import row, suites_of, write_rows
from support.sections import column, of_kind, only, plain, tables, texts

from pytest_autoeval.features.trends.history import find_runs, history_of
from pytest_autoeval.features.trends.sections import trends
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.file import Results, write_results
from pytest_autoeval.record.lines import Sample, SuiteEnd
from pytest_autoeval.report.blocks import Curve, Note, Section
from pytest_autoeval.report.rates import rate

pytestmark = pytest.mark.usefixtures("here")
DAY = datetime(2026, 1, 1, 2, tzinfo=UTC)
SUITE = "t.py::test_a"


def night(number: int, passed: int, total: int = 60, **changes: Any) -> list[Sample]:
    """The samples of the run of a night; the first night is 1."""
    started = (DAY + timedelta(days=number - 1)).isoformat()
    return [
        row(
            "equivalent" if place < passed else "different",
            formula=f"p{place} ∧ q",
            index=place,
            operators=1 + place % 6,
            model="m",
            suite=SUITE,
            started=started,
            **changes,
        )
        for place in range(total)
    ]


def section(baseline: list[Sample] | None = None) -> Section:
    from pathlib import Path

    runs, notes = find_runs([Path("runs")])
    suites = None if baseline is None else suites_of(baseline)
    return only(trends(history_of(runs, Rules(), baseline=suites, notes=notes)))


def nights(*passed: int) -> None:
    for number, some in enumerate(passed, 1):
        write_rows(f"runs/{number}.jsonl", night(number, some))


def test_each_suite_has_a_curve_over_the_runs() -> None:
    nights(56, 57, 55)
    (curve,) = of_kind(section(), Curve)
    assert (curve.over, curve.unit, curve.title) == ("runs", "rate", f"{SUITE}[m]")
    (series,) = curve.series
    assert [(point.x, point.label, point.n) for point in series.points] == [
        (1, "2026-01-01", 60),
        (2, "2026-01-02", 60),
        (3, "2026-01-03", 60),
    ]
    assert [point.value for point in series.points] == pytest.approx([56 / 60, 57 / 60, 55 / 60])
    assert all(point.low is not None and point.high is not None for point in series.points)


def test_a_fall_is_a_warning_with_its_numbers_and_a_mark_in_the_curve() -> None:
    nights(56, 57, 30)
    shown = section()
    (fall,) = [note for note in of_kind(shown, Note) if note.tone == "warning"]
    difference = fall.values["difference"]
    assert isinstance(difference, Figure)
    assert difference.value == pytest.approx(-27 / 60)
    (text,) = [text for text in texts(shown) if "fell on" in text]
    assert text.startswith(f"{SUITE}[m] fell on 2026-01-03 (3): −45.0 (")
    assert text.endswith("points against the run before (60 pairs, p < 0.0001)")
    (curve,) = of_kind(shown, Curve)
    assert [(mark.name, mark.x) for mark in curve.marks] == [("fell", 3)]


def test_the_table_has_the_first_and_the_last_rate_and_the_horizon() -> None:
    nights(56, 57, 55)
    table = tables(section())[""]
    assert column(table, "suite") == [f"{SUITE}[m]"]
    assert [plain(cell) for cell in (*column(table, "first"), *column(table, "last"))] == [
        56 / 60,
        55 / 60,
    ]
    (horizon,) = column(table, "horizon 50 %")
    assert isinstance(horizon, Figure)
    assert (horizon.unit, horizon.measure) == ("size", "operators")
    assert column(table, "runs") == [3]


def test_every_run_has_a_row_as_in_the_csv() -> None:
    nights(56, 30)
    table = tables(section())["all runs"]
    assert table.level == "verbose"
    assert column(table, "run") == ["1", "2"]
    assert column(table, "passed") == [56, 30]
    assert column(table, "fell against") == [None, "the run before"]
    assert [one.name for one in table.columns] == [
        *("run", "date", "dated by", "suite", "model", "samples", "passed", "errors", "pass rate"),
        *("horizon 50 %", "not compared", "fell against", "p"),
    ]


def test_runs_that_are_not_compared_have_a_star_and_a_reason() -> None:
    nights(56, 57)
    write_rows("runs/3.jsonl", night(3, 20, incomparable="its sizes were chosen by the answers"))
    shown = section()
    assert tables(shown)[""].rows[0].marked == (2,)
    assert "runs with a star are not compared: a run of an older release" in texts(shown)


def test_the_baseline_is_a_height_in_the_curve() -> None:
    nights(40, 40)
    (curve,) = of_kind(section(baseline=night(1, 58)), Curve)
    (height,) = [mark for mark in curve.marks if mark.name == "baseline"]
    assert height.value == pytest.approx(58 / 60)


def test_how_the_history_was_dated_and_tested_is_said_with_values() -> None:
    nights(56, 57)
    shown = texts(section())
    assert shown[0] == "2 runs, 2026-01-01 to 2026-01-02"
    assert "dated by the start that the results name" in shown
    assert any(text.endswith("corrected by Holm for 1 test, level 5 %") for text in shown)


def test_figures_of_tasks_and_users_are_series_by_their_units() -> None:
    for number in (1, 2):
        suites = suites_of(night(number, 50))
        for suite in suites:
            delay = Figure("delay", 1.5 * number, "seconds")
            suite.end = SuiteEnd(
                suite=suite.number, figures=(rate("polite", 10 * number, 60), delay)
            )
        write_results_of(f"runs/{number}.jsonl", suites)
    rates, seconds = of_kind(section(), Curve)
    assert [series.name for series in rates.series] == ["pass rate", "polite"]
    assert [point.value for point in rates.series[1].points] == pytest.approx([10 / 60, 20 / 60])
    assert seconds.unit == "seconds"
    assert [point.value for point in seconds.series[0].points] == [1.5, 3.0]


def write_results_of(name: str, suites: list[Any]) -> None:
    from pathlib import Path

    Path(name).parent.mkdir(exist_ok=True)
    runs = list({id(suite.run): suite.run for suite in suites}.values())
    write_results(Path(name), Results(runs=runs, suites=suites))
    for suite in suites:
        suite.end = None


def test_a_figure_that_one_run_lacks_leaves_a_gap() -> None:
    nights(56)
    suites = suites_of(night(2, 50))
    suites[0].end = SuiteEnd(suite=suites[0].number, figures=(replace(rate("polite", 10, 60)),))
    write_results_of("runs/2.jsonl", suites)
    (curve,) = of_kind(section(), Curve)
    assert [point.value for point in curve.series[1].points] == [None, pytest.approx(1 / 6)]
