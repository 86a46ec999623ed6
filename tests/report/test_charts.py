"""Which charts a document has, what stands in them, how their files are named, and their tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from support.analyses import analyse
from support.documents import documents
from support.result_rows import changed, row
from support.written_documents import document_of, rate

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.suite_names import named, without_model
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Curve,
    Document,
    Figures,
    Mark,
    Point,
    Section,
    Series,
    SuiteName,
)
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.charts import (
    CurveChart,
    IntervalChart,
    charts,
    curves_csv,
    file_names,
    intervals_csv,
)

SUITE = "suites/test_propositional.py::test_round_trip"


def curve(
    over: str = "operators", rates: Sequence[float | None] = (1.0, 0.5), **fields: Any
) -> Curve:
    points = tuple(Point(size, value, n=4) for size, value in enumerate(rates))
    values: dict[str, Any] = {"unit": "rate", "series": (Series("pass rate", points),), **fields}
    return Curve(over=over, **values)


def section(*blocks: AnyBlock, suite: str = SUITE, model: str = "m", number: int = 1) -> Section:
    name = named(suite, model)
    return Section(name="suite", title=name, suite=SuiteName(number, name, model), blocks=blocks)


def curves(*sections: Section) -> list[CurveChart]:
    return [chart for chart in charts(document_of(*sections)) if isinstance(chart, CurveChart)]


def intervals(*sections: Section) -> list[IntervalChart]:
    return [chart for chart in charts(document_of(*sections)) if isinstance(chart, IntervalChart)]


@pytest.mark.parametrize(
    ("suite", "model"),
    [
        (SUITE, "m"),
        (f"{SUITE}[structured]", "a/b"),
        (f"{SUITE}[a-b]", "a"),
        ("a[b].py::test", "日本語"),
    ],
)
def test_an_id_without_its_model_is_the_name_of_the_suite(suite: str, model: str) -> None:
    assert without_model(named(suite, model), model) == suite


def test_an_id_of_another_model_stays() -> None:
    assert without_model("a.py::test[mother]", "m") == "a.py::test[mother]"
    assert without_model("a.py::test", "m") == "a.py::test"


def test_models_of_a_suite_stand_in_one_chart_and_measures_in_charts_of_their_own() -> None:
    first = section(curve(), curve("depth"), model="b")
    second = section(curve(), model="a", number=2)
    operators, depth = curves(first, second)
    assert (operators.heading, operators.over, operators.labels) == (SUITE, "operators", ["a", "b"])
    assert (depth.over, depth.labels) == ("depth", ["b"])


def test_each_series_of_a_suite_has_a_panel() -> None:
    series = (Series("syntactic compliance", (Point(1, 1.0), Point(2, 1.0))), *curve().series)
    (chart,) = curves(section(curve(series=series)))
    assert [panel.title for panel in chart.panels] == ["syntactic compliance", "pass rate"]


def test_two_curves_with_series_of_one_name_have_two_panels() -> None:
    (chart,) = curves(section(curve(), curve(title="another")))
    assert [len(panel.lines) for panel in chart.panels] == [1, 1]


def test_a_smooth_curve_alone_is_drawn() -> None:
    fitted = (Point(1, 0.9), Point(1.5, 0.7), Point(2, 0.5))
    (chart,) = curves(
        section(curve("depth", title="over depth", series=(Series("pass rate", (), fitted),)))
    )
    assert (chart.over, chart.panels[0].title, chart.points) == ("depth", "pass rate", fitted)


def test_two_suites_of_one_name_and_model_have_two_charts() -> None:
    first, second = curves(section(curve()), section(curve(), number=2))
    assert first.heading == second.heading
    assert len(set(file_names([first, second]))) == 2


def test_series_of_another_section_are_the_lines_of_one_panel() -> None:
    of_suites = curve(
        "runs", series=tuple(Series(name, (Point(0, 1.0), Point(1, 0.5))) for name in "ab")
    )
    (chart,) = curves(Section(name="trends", title="Trends", blocks=(of_suites,)))
    ((panel),) = chart.panels
    assert (chart.heading, chart.labels, panel.title) == ("Trends", ["a", "b"], "rate")


def test_a_mark_belongs_to_its_series_or_to_all() -> None:
    series = (
        Series("one", (Point(1, 1.0), Point(2, 1.0))),
        Series("two", (Point(1, 1.0), Point(2, 1.0))),
    )
    marks = (Mark("threshold", value=0.9), Mark("horizon 50 %", x=1.5, series="two"))
    (chart,) = curves(section(curve(series=series, marks=marks)))
    first, second = (panel.lines[0].marks for panel in chart.panels)
    assert first == marks[:1]
    assert second == marks


@pytest.mark.parametrize("rates", [(), (1.0,), (None, None), (1.0, None)])
def test_a_curve_without_two_values_is_not_drawn(rates: Sequence[float | None]) -> None:
    assert not charts(document_of(section(curve(rates=rates))))


def test_a_figure_with_intervals_of_several_suites_is_a_chart() -> None:
    kappa = Figure("kappa", 0.5, low=0.2, high=0.8)
    (chart,) = intervals(
        section(Figures(figures=(rate(3, 4), Figure("asked again", 3, "count"), kappa)), model="b"),
        section(Figures(figures=(rate(2, 4),)), model="a", number=2),
        section(Figures(figures=(rate(1, 4),)), suite="other.py::test", number=3),
    )
    assert (chart.heading, chart.unit, chart.labels) == ("pass rate", "rate", ["a", "b", "m"])
    assert chart.rows == [SUITE, "other.py::test"]
    assert [bar.figure.value for bar in chart.bars] == [0.75, 0.5, 0.25]


def test_the_charts_of_a_run_have_its_models_and_the_samples_that_count() -> None:
    """What shrinking made is in no chart."""
    results = {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}
    samples = [
        row(
            "different" if failed else "equivalent",
            index=index,
            operators=index % 2,
            formula=f"p{index}",
            model=model,
        )
        for model, outcomes in results.items()
        for index, failed in enumerate(outcomes)
    ]
    samples += [changed(one, shrunk=True, index=9) for one in samples]
    drawn = charts(document(analyse(samples, Rules())))
    (chart,) = [one for one in drawn if isinstance(one, CurveChart) and one.over == "operators"]
    assert [(line.label, [point.n for point in line.known]) for line in chart.panels[0].lines] == [
        ("a", [2, 2]),
        ("b", [2, 2]),
    ]
    (rates,) = [
        one for one in drawn if isinstance(one, IntervalChart) and one.heading == "pass rate"
    ]
    assert {bar.label: bar.figure.value for bar in rates.bars} == {"a": 0.5, "b": 0.25}


def test_many_suites_are_divided_into_several_charts() -> None:
    sections = [
        section(Figures(figures=(rate(1, 4),)), suite=f"a.py::test_{number}", number=number)
        for number in range(130)
    ]
    found = intervals(*sections)
    assert [len(chart.rows) for chart in found] == [60, 60, 10]
    assert len(set(file_names(found))) == 3


def test_names_of_files_are_safe_and_differ() -> None:
    suites = (
        SUITE,
        "other/test_propositional.py::test_round_trip",
        "suites/test_PROPOSITIONAL.py::test_round_trip",
        "a.py::test[../../etc/passwd]",
        "a.py::test[é]",
        "a.py::test[e]",
        "a.py::test[" + "x" * 300 + "]",
        "日本語",
    )
    measures = ("operators", "depth of it", "../x", "…")
    found = [CurveChart(suite, measure, ()) for suite in suites for measure in measures]
    names = file_names(
        [*found, IntervalChart("pass rate", "rate", "", ()), IntervalChart("パス", "rate", "", ())]
    )
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"\w[\w.-]*", name, re.ASCII) for name in names)
    assert max(map(len, names)) < 200
    assert file_names(found[:1]) == ["test_propositional-test_round_trip.operators"]
    assert names[-2] == "pass-rate"


@given(documents())
def test_any_document_has_charts_with_safe_and_different_names(document: Document) -> None:
    drawn = charts(document)
    names = file_names(drawn)
    assert len({name.lower() for name in names}) == len(drawn)
    assert all(re.fullmatch(r"\w[\w.-]*", name, re.ASCII) for name in names)


@given(documents())
def test_the_tables_have_each_point_and_each_interval_on_a_line_of_its_own(
    document: Document,
) -> None:
    blocks = [block for section in document.sections for block in section.blocks]
    points = [
        point
        for block in blocks
        if isinstance(block, Curve)
        for one in block.series
        for point in one.points
    ]
    bounded = [
        figure
        for block in blocks
        if isinstance(block, Figures)
        for figure in block.figures
        if figure.low is not None or figure.high is not None
    ]
    for text, number in (
        (curves_csv(document), len(points)),
        (intervals_csv(document), len(bounded)),
    ):
        assert len(text.splitlines()) == number + 1
        for cells in csv.reader(io.StringIO(text, newline="")):
            assert all(cell.isprintable() for cell in cells)


def test_the_table_of_curves() -> None:
    point = Point(2, 0.75, low=0.25, high=1.0, n=4, label="2–3")
    drawn = curve(series=(Series("pass rate", (point, Point(4.5, None))),), title="accuracy")
    first, second = csv.DictReader(
        io.StringIO(curves_csv(document_of(section(drawn, model="a, b"))))
    )
    assert first == {
        "section": "suite",
        "suite": f"{SUITE}[a-b]",
        "model": "a, b",
        "curve": "accuracy",
        "series": "pass rate",
        "over": "operators",
        "x": "2",
        "label": "2–3",
        "unit": "rate",
        "n": "4",
        "value": "0.75",
        "low": "0.25",
        "high": "1",
    }
    assert (second["x"], second["value"], second["n"]) == ("4.5", "", "")


def test_the_table_of_intervals() -> None:
    horizon = Figure(
        "horizon 50 %",
        12.0,
        "size",
        low=9.5,
        n=30,
        bound="above",
        measure="operators",
        confidence=0.9,
    )
    block = Figures(title="horizons", figures=(horizon, Figure("calls", 3, "count")))
    (found,) = csv.DictReader(io.StringIO(intervals_csv(document_of(section(block)))))
    assert (found["title"], found["figure"], found["unit"], found["measure"]) == (
        "horizons",
        "horizon 50 %",
        "size",
        "operators",
    )
    assert (
        found["n"],
        found["value"],
        found["low"],
        found["high"],
        found["confidence"],
        found["bound"],
    ) == (*("30", "12", "9.5", "", "0.9", "above"),)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r="])
def test_no_name_in_a_table_is_a_formula_for_a_spreadsheet(start: str) -> None:
    hostile = f"{start}SUM(A1)"
    name = SuiteName(1, hostile, hostile)
    drawn = curve(
        hostile, title=hostile, series=(Series(hostile, (Point(1, 1.0, label=hostile),)),)
    )
    figure = Figures(title=hostile, figures=(Figure(hostile, 1.0, low=0.0),))
    document = document_of(Section(name="suite", suite=name, blocks=(drawn, figure)))
    (point,) = csv.DictReader(io.StringIO(curves_csv(document), newline=""))
    (interval,) = csv.DictReader(io.StringIO(intervals_csv(document), newline=""))
    cells = [point[column] for column in ("suite", "model", "curve", "series", "over", "label")]
    cells += [interval[column] for column in ("suite", "model", "title", "figure")]
    assert all(cell.startswith("'") and cell.isprintable() for cell in cells)
