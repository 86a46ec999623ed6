"""Figures for papers and their tables."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.result_rows import changed, row, suites_of

from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.plots import (
    PlotsError,
    Table,
    accuracy_figure,
    csv_text,
    file_names,
    samples_figure,
    tables,
    write_plots,
)

SUITE = "suites/test_propositional.py::test_round_trip"


def rows(measures: Sequence[dict[str, Any]], outcome: str = "equivalent", **changes: Any) -> list[Sample]:
    return [
        row(
            outcome,
            index=index,
            operators=measure.get("operators", 2),
            formula=f"p{index}",
            measures=measure,
            **changes,
        )
        for index, measure in enumerate(measures)
    ]


def named(found: Sequence[Table], measure: str) -> Table:
    [table] = [table for table in found if table.measure == measure]
    return table


def test_there_is_a_table_for_each_measure_that_varies() -> None:
    found = rows([{"operators": n, "negations": n % 2, "atoms": 3} for n in range(4)])
    assert [table.measure for table in tables(suites_of(found))] == ["operators", "negations"]


def test_points_count_what_is_in_the_rows() -> None:
    found = rows([{"operators": 1}] * 3 + [{"operators": 2}])
    found[0] = changed(found[0], outcome="different", compliant=False)
    found[1] = changed(found[1], outcome="undecided")
    found[3] = changed(found[3], compliant=None)
    found += rows([{"operators": 2}], "error", compliant=None)
    [(one, two)] = named(tables(suites_of(found)), "operators").curves.values()
    assert (one.part.rate.passed, one.part.rate.undecided, one.part.rate.total) == (1, 1, 3)
    assert (one.part.compliant, one.part.answers) == (2, 3)
    assert (two.part.rate.passed, two.part.rate.total, two.part.answers) == (1, 1, 0)


def test_many_values_are_put_into_ranges_that_hold_every_sample_once() -> None:
    edges = [{"operators": 1, "edges": n * n} for n in range(60)]
    densities = [{"operators": 1, "density": n / 59} for n in range(60)]
    for measure, measured in (("edges", edges), ("density", densities)):
        table = named(tables(suites_of(rows(measured))), measure)
        [points] = table.curves.values()
        assert table.ranges
        assert 1 < len(points) <= 12
        assert sum(point.part.rate.total for point in points) == 60
        assert all(low.value_to <= high.value for low, high in pairwise(points))
        values = [one[measure] for one in measured]
        for point in points:
            last = point is points[-1]
            inside = [n for n in values if point.value <= n < point.value_to or (last and n == point.value_to)]
            assert point.part.rate.total == len(inside)


def test_the_table_as_csv() -> None:
    found = rows([{"operators": 1}] * 4 + [{"operators": 2}] * 4, model="a, b")
    found[0] = changed(found[0], outcome="different")
    read = list(csv.DictReader(csv_text(tables(suites_of(found))).splitlines()))
    assert read[0] == {
        "suite": SUITE,
        "model": "a, b",
        "measure": "operators",
        "value": "1",
        "value_to": "1",
        "samples": "4",
        "passed": "3",
        "undecided": "0",
        "rate": "0.750000",
        "low": "0.194120",
        "high": "0.993691",
        "compliant": "1.000000",
    }
    assert [line["value"] for line in read] == ["1", "2"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r="])
def test_no_name_in_the_table_is_a_formula_for_a_spreadsheet(start: str) -> None:
    found = rows([{f"{start}depth": 1}] * 2 + [{f"{start}depth": 2}] * 2, model=f"{start}1+1")
    text = csv_text(tables(suites_of([changed(row, suite=f"{start}SUM(A1)") for row in found])))
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    names = {line[column] for line in read for column in ("suite", "model", "measure")}
    assert all(name.startswith("'") and name.isprintable() for name in names)


def test_names_of_files_are_safe_and_differ() -> None:
    suites = (
        *(SUITE, "other/test_propositional.py::test_round_trip", "suites/test_PROPOSITIONAL.py::test_round_trip"),
        *("a.py::test[../../etc/passwd]", "a.py::test[é]", "a.py::test[e]", "a.py::test[" + "x" * 300 + "]"),
    )
    measures = ("operators", "depth of it", "../x")
    found = [Table(suite=suite, measure=measure, curves={}, ranges=False) for suite in suites for measure in measures]
    names = file_names(found)
    assert len({name.lower() for name in names}) == len(names)
    assert all(name.replace("-", "").replace("_", "").replace(".", "").isalnum() and name.isascii() for name in names)
    assert max(map(len, names)) < 200
    assert file_names(found[:1]) == ["test_propositional-test_round_trip.operators"]


def hostile_rows() -> list[Sample]:
    models = ("a", "$\\frac{1}{2}$", "\x1b[31m\u202e<b>", "日本語", "x" * 200, "f", "g", "h", "i")
    return [
        one
        for model in models
        for one in rows(
            [{"operators": n, "$bad_{measure}$": n / 2} for n in range(3)], model=model, suite="a.py::test[$x$]"
        )
    ]


def test_figures_are_files_of_the_same_bytes_each_time(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    found, progress = hostile_rows(), list[str]()
    first = write_plots(suites_of(found), tmp_path / "new" / "one", progress.append)
    second = write_plots(suites_of(reversed(found)), tmp_path / "two")
    assert [path.name for path in first] == [path.name for path in second]
    assert sorted(path.name for path in first) == sorted(path.name for path in (tmp_path / "new" / "one").iterdir())
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert progress[0].startswith("figure 1 of 2: ")
    for path in first:
        if path.suffix == ".svg":
            text = path.read_text("utf-8")
            ET.fromstring(text)
            assert "<date" not in text
            assert "<script" not in text
            assert "<text" not in text  # letters are outlines, so that no font is needed
        elif path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG\r\n")
    assert not [str(one.message) for one in recwarn if "Glyph" in str(one.message)]


def test_compliance_stands_beside_accuracy_where_formulas_were_asked_for() -> None:
    asked = rows([{"operators": 1}, {"operators": 2}])
    answered = rows([{"operators": 1}, {"operators": 2}], "correct", compliant=None)
    assert [axes.get_title() for axes in accuracy_figure(tables(suites_of(asked))[0]).axes] == [
        "syntactic compliance",
        "accuracy",
    ]
    assert [axes.get_title() for axes in accuracy_figure(tables(suites_of(answered))[0]).axes] == ["accuracy"]


def test_a_curve_goes_through_the_rates_of_its_points() -> None:
    found = rows([{"operators": 1}] * 4 + [{"operators": 3}] * 2)
    found = [changed(one, outcome="different") if index in (0, 5) else one for index, one in enumerate(found)]
    drawn: Any = accuracy_figure(tables(suites_of(found))[0])
    [line] = drawn.axes[1].get_lines()
    assert [tuple(point) for point in line.get_xydata()] == [(1, 0.75), (3, 0.5)]


def test_samples_are_counted_for_each_model() -> None:
    same = rows([{"operators": 1}] * 4 + [{"operators": 2}] * 2, model="a")
    drawn: Any = samples_figure(tables(suites_of(same + [changed(one, model="b") for one in same[:-1]]))[0])
    [axes] = drawn.axes
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [[4, 2], [4, 1]]


def test_rows_that_shrinking_made_are_in_no_figure(tmp_path: Path) -> None:
    found = rows([{"operators": 1}, {"operators": 2}])
    write_plots(suites_of([*found, *(changed(one, shrunk=True, index=9) for one in found)]), tmp_path)
    read = list(csv.DictReader((tmp_path / "accuracy.csv").read_text("utf-8").splitlines()))
    assert [line["samples"] for line in read] == ["1", "1"]


def test_nothing_to_draw_is_said(tmp_path: Path) -> None:
    with pytest.raises(PlotsError, match="no suite has a measure that varies"):
        write_plots(suites_of(rows([{"operators": 1}] * 3)), tmp_path / "plots")


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PlotsError, match="figures cannot be written: "):
        write_plots(suites_of(rows([{"operators": 1}, {"operators": 2}])), tmp_path / "file" / "plots")


def test_without_matplotlib_the_extra_is_named() -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pytest_autoeval.errors import AutoevalError\n"
        "try: import pytest_autoeval.report.plots\n"
        "except AutoevalError as problem: print(problem)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "plots are drawn with matplotlib: pip install 'pytest-autoeval[plots]'\n"
