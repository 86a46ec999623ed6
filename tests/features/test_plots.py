"""Figures for papers: what is drawn of the charts of a document, and the files."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.documents import HOSTILE
from support.written_documents import document_of, rate

from pytest_autoeval.features.plots.figure_files import (
    PlotsError,
    drawing,
    samples_drawing,
    write_plots,
)
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.suite_names import named
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
from pytest_autoeval.report.renderers.charts import CurveChart, charts

SUITE = "suites/test_propositional.py::test_round_trip"
RATES = Series(
    "pass rate", (Point(1, 0.75, low=0.2, high=0.9, n=4), Point(3, 0.5, low=0.1, high=0.8, n=2))
)


def curve(
    *series: Series, over: str = "operators", marks: Sequence[Mark] = (), title: str = ""
) -> Curve:
    return Curve(over=over, unit="rate", series=series or (RATES,), marks=tuple(marks), title=title)


def section(*blocks: AnyBlock, suite: str = SUITE, model: str = "m", number: int = 1) -> Section:
    name = named(suite, model)
    return Section(name="suite", title=name, suite=SuiteName(number, name, model), blocks=blocks)


def drawn(*sections: Section) -> Any:
    """The first chart of these sections, as matplotlib has it."""
    return drawing(charts(document_of(*sections))[0])


def points(line: Any) -> list[tuple[float, float]]:
    return [tuple(point) for point in line.get_xydata()]


def legend(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_line_goes_through_the_values_of_its_points_in_its_interval() -> None:
    figure = drawn(section(curve()))
    (axes,) = figure.axes
    (line,) = axes.get_lines()
    assert points(line) == [(1, 0.75), (3, 0.5)]
    (band,) = axes.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert {(1, 0.2), (1, 0.9), (3, 0.1), (3, 0.8)} <= corners
    assert (axes.get_title(), axes.get_xlabel(), legend(figure)) == (
        "pass rate",
        "operators",
        ["m"],
    )


def test_a_model_has_one_colour_in_all_panels() -> None:
    compliance = Series("compliance", RATES.points)
    figure = drawn(
        section(curve(RATES, compliance), model="a"),
        section(curve(compliance), model="b", number=2),
    )
    (only,), both = (axes.get_lines() for axes in figure.axes)
    assert only.get_color() == both[0].get_color() != both[1].get_color()
    assert legend(figure) == ["a", "b"]


def test_a_smooth_curve_takes_the_place_of_the_lines_between_points() -> None:
    fitted = (Point(1, 0.8, low=0.7, high=0.9), Point(2, 0.6), Point(3, 0.4, low=0.3, high=0.5))
    figure = drawn(section(curve(Series("pass rate", RATES.points, fitted))))
    smooth, measured = figure.axes[0].get_lines()
    assert points(smooth) == [(1, 0.8), (2, 0.6), (3, 0.4)]
    assert (smooth.get_marker(), measured.get_linestyle()) == ("", "None")
    _, bars = figure.axes[0].collections
    assert [[tuple(end) for end in bar] for bar in bars.get_segments()] == [
        [(1, 0.2), (1, 0.9)],
        [(3, 0.1), (3, 0.8)],
    ]
    assert legend(figure) == ["m"]


def test_a_smooth_curve_alone_has_the_name_of_its_model() -> None:
    figure = drawn(
        section(curve(Series("pass rate", (), (Point(1, 0.8), Point(3, 0.4))), over="depth"))
    )
    (smooth,) = figure.axes[0].get_lines()
    assert points(smooth) == [(1, 0.8), (3, 0.4)]
    assert legend(figure) == ["m"]


def test_a_place_without_a_value_is_a_gap() -> None:
    gap = Series("pass rate", (Point(1, 1.0), Point(2, None), Point(3, 0.0)))
    (line,) = drawn(section(curve(gap))).axes[0].get_lines()
    values = [value for _, value in points(line)]
    assert (values[0], values[2], values[1] == values[1]) == (1.0, 0.0, False)


def test_a_height_is_drawn_once_and_a_place_for_each_model() -> None:
    height, at_two = Mark("threshold", value=0.9), Mark("horizon 50 %", x=2.0, low=1.5, high=2.5)
    figure = drawn(
        section(curve(marks=(height, at_two)), model="a"),
        section(curve(marks=(height, Mark("horizon 50 %", x=2.5))), model="b", number=2),
    )
    lines = [line for line in figure.axes[0].get_lines() if len(points(line)) == 2]
    assert [line.get_ydata()[0] for line in lines if line.get_label() == "threshold"] == [0.9]
    places = [line for line in lines if line.get_xdata()[0] == line.get_xdata()[1]]
    assert [line.get_xdata()[0] for line in places] == [2.0, 2.5]
    assert [line.get_color() for line in places] == [line.get_color() for line in lines[:2]]
    assert legend(figure) == ["a", "b", "threshold", "horizon 50 %"]


def test_a_place_on_a_curve_is_a_bar_at_its_height() -> None:
    mark = Mark("horizon 50 %", value=0.5, x=2.0, low=1.5, high=2.5)
    axes = drawn(section(curve(marks=(mark,)))).axes[0]
    assert [(2.0, 0.5)] in [points(line) for line in axes.get_lines()]
    _, bars = axes.collections
    assert [[tuple(end) for end in bar] for bar in bars.get_segments()] == [
        [(1.5, 0.5), (2.5, 0.5)]
    ]


def test_places_with_names_show_them() -> None:
    runs = Series("a", tuple(Point(at, 0.5, label=f"2026-11-{at + 1:02}") for at in range(30)))
    figure = drawn(Section(name="trends", title="trends", blocks=(curve(runs, over="runs"),)))
    names = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert names == [f"2026-11-{day:02}" for day in range(1, 31, 3)]


def test_intervals_stand_in_rows_from_the_top() -> None:
    figure = drawn(
        section(Figures(figures=(rate(3, 4),)), model="a"),
        section(
            Figures(figures=(Figure("pass rate", 0.5, "rate", low=0.25, high=0.75, upper=0.6),)),
            model="b",
        ),
        section(Figures(figures=(rate(1, 4),)), model="a", suite="other.py::test_it"),
    )
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [SUITE, "other.py::test_it"]
    assert axes.get_ylim() == (1.5, -0.5)
    lines = [points(line) for line in axes.get_lines()]
    shift = lines[0][0][1]
    assert [(0.5, -shift), (0.25, -shift)] in lines
    assert [(0.5, -shift), (0.6, -shift)] in lines
    assert legend(figure) == ["a", "b"]


def test_samples_are_counted_for_each_model() -> None:
    fewer = Series("pass rate", (Point(1, 1.0, n=4), Point(3, 1.0, n=1)))
    (chart,) = charts(
        document_of(section(curve(), model="a"), section(curve(fewer), model="b", number=2))
    )
    assert isinstance(chart, CurveChart)
    (axes,) = samples_drawing(chart).axes
    assert [points(line) for line in axes.get_lines()] == [[(1, 4), (3, 2)], [(1, 4), (3, 1)]]


def hostile_document() -> Document:
    names = (*HOSTILE, "$\\frac{1}{2}$", "_hidden", "日本語", "x" * 200)
    sections = [
        section(
            curve(
                over=names[-1 - number % 2],
                title=name,
                marks=(Mark(name, value=0.5), Mark(name, x=2)),
            ),
            Figures(
                figures=(
                    Figure(
                        "$bad_{figure}$", 0.5, "size", low=0.25, bound="above", measure=names[-1]
                    ),
                )
                * 2
            ),
            suite="a.py::test[$x$]",
            model=name,
            number=number,
        )
        for number, name in enumerate(names[-5:])
    ]
    labelled = Series(
        names[0], tuple(Point(at, 0.5, label=name or "…") for at, name in enumerate(names))
    )
    return document_of(
        *sections, Section(name=names[0], title=names[3], blocks=(curve(labelled, title=names[4]),))
    )


def test_figures_are_files_of_the_same_bytes_each_time(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    document, progress = hostile_document(), list[str]()
    first = write_plots(document, tmp_path / "new" / "one", progress.append)
    second = write_plots(document, tmp_path / "two")
    assert [path.name for path in first] == [path.name for path in second]
    assert [path.name for path in first[:2]] == ["curves.csv", "intervals.csv"]
    assert sorted(path.name for path in first) == sorted(
        path.name for path in (tmp_path / "new" / "one").iterdir()
    )
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert progress[0].startswith("figure 1 of ")
    for path in first:
        if path.suffix == ".svg":
            text = path.read_text("utf-8")
            ET.fromstring(text)
            assert "<date" not in text
            assert "<script" not in text
            assert "<text" not in text  # letters are outlines, so that no font is needed
        elif path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG\r\n")
    assert not [str(one.message) for one in recwarn]


def test_nothing_to_draw_is_said(tmp_path: Path) -> None:
    with pytest.raises(PlotsError, match="no suite has a measure that varies"):
        write_plots(
            document_of(section(curve(Series("pass rate", (Point(1, 1.0),))))), tmp_path / "plots"
        )
    assert not (tmp_path / "plots").exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PlotsError, match="figures cannot be written: "):
        write_plots(document_of(section(curve())), tmp_path / "file" / "plots")


def test_a_table_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "curves.csv").write_text("my,own\n")
    with pytest.raises(PlotsError, match="figures cannot be written: "):
        write_plots(document_of(section(curve())), tmp_path)
    assert (tmp_path / "curves.csv").read_text() == "my,own\n"


def test_without_matplotlib_the_extra_is_named() -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pytest_autoeval.errors import AutoevalError\n"
        "try: import pytest_autoeval.features.plots.figure_files\n"
        "except AutoevalError as problem: print(problem)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "plots are drawn with matplotlib: pip install 'pytest-autoeval[plots]'\n"
