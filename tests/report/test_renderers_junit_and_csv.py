"""Any document as properties of JUnit and as CSV: numbers as numbers, and texts that do nothing."""

from __future__ import annotations

import csv
import io
import unicodedata
import xml.etree.ElementTree as ET

from hypothesis import HealthCheck, given, settings
from support.documents import documents
from support.written_documents import (
    document_of,
    large_document,
    rate,
    suite_section,
    verdict_section,
)

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Column,
    Counterexample,
    Curve,
    Document,
    Field,
    Figures,
    Point,
    Row,
    Section,
    Series,
    SuiteName,
    Table,
    Verdict,
)
from pytest_autoeval.report.renderers.csv import table_text, tables
from pytest_autoeval.report.renderers.junit import properties
from pytest_autoeval.text import harmless

slowly = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def assert_harmless(text: str) -> None:
    assert not [
        sign for sign in text if unicodedata.category(sign)[0] == "C" or sign in "\u2028\u2029"
    ]
    assert harmless(text) == text


@slowly
@given(documents())
def test_properties_are_single_harmless_lines_that_xml_can_hold(document: Document) -> None:
    for section in document.sections:
        found = properties(section)
        assert len(dict(found)) == len(found)
        element = ET.Element("properties")
        for name, value in found:
            assert name.startswith("autoeval.")
            assert name.removeprefix("autoeval.").replace("_", "a").isalnum()
            assert_harmless(value)
            ET.SubElement(element, "property", name=name, value=value)
        read = ET.fromstring(ET.tostring(element))
        assert [(one.get("name"), one.get("value")) for one in read] == found


@slowly
@given(documents())
def test_every_row_and_figure_and_point_is_in_a_file_that_no_spreadsheet_computes(
    document: Document,
) -> None:
    files = tables(document)
    counted = {"figures.csv": 0, "curves.csv": 0}
    rows = 0
    for section in document.sections:
        for block in section.blocks:
            match block:
                case Figures():
                    counted["figures.csv"] += len(block.figures)
                case Curve():
                    counted["curves.csv"] += sum(len(series.points) for series in block.series)
                case Table():
                    rows += len(block.rows)
                case _:
                    pass
    for name, text in files.items():
        assert name.removesuffix(".csv").replace("_", "a").isascii()
        assert "/" not in name
        heading, *lines = csv.reader(io.StringIO(text, newline=""))
        assert {len(line) for line in lines} <= {len(heading)}
        for cell in (*heading, *(cell for line in lines for cell in line)):
            assert_harmless(cell)
            assert not cell.startswith(("=", "+", "@", "\t"))
            assert not cell.startswith("-") or float(cell) < 0
        if name in counted:
            assert len(lines) == counted.pop(name)
        else:
            rows -= len(lines)
    assert rows == 0
    assert not counted


SUITE = SuiteName(3, "t.py::test[m]", "gpt-5-mini")


def values(*blocks: AnyBlock) -> dict[str, str]:
    section = Section(name="suite", title=SUITE.name, blocks=blocks, suite=SUITE, state="failed")
    return {name.removeprefix("autoeval."): value for name, value in properties(section)}


def test_the_properties_of_a_suite() -> None:
    needed = Figure("needed", 368, "count", measure="sample")
    found = values(
        Verdict(
            state="failed", what="threshold", text="{needed} decide", values={"needed": needed}
        ),
        Verdict(state="inconclusive", what="baseline", text="worse: {why}", values={"why": "a\nb"}),
        Figures(
            figures=(
                Figure("pass rate", 0.25, "rate", low=0.125, high=0.5),
                Figure("samples", 8, "count"),
            )
        ),
        Figures(figures=(Figure("threshold", 0.8, "rate"), Figure("errors", None, "count"))),
        Figures(
            title="against the baseline",
            figures=(
                Figure("difference", -0.1, "points", low=-0.2, high=0.0, confidence=0.975),
                Figure("p", 0.03125, "p"),
                Figure("corrected p", 0.0625, "p"),
                Figure("samples", 16, "count"),
            ),
        ),
        Counterexample(
            outcome="different",
            code="AE101",
            loses_meaning=True,
            samples=2,
            fields=(
                Field("formula", "p ∧ q"),
                Field("names", "x", detail=True),
                Field("translation", "p\nq"),
            ),
        ),
    )
    assert found == {
        "kind": "threshold and baseline",
        "model": "gpt-5-mini",
        "verdict": "failed",
        "rate": "0.25",
        "interval_low": "0.125",
        "interval_high": "0.5",
        "samples": "8",
        "threshold": "0.8",
        "difference": "-0.1",
        "difference_low": "-0.2",
        "difference_high": "0",
        "difference_confidence": "0.975",
        "p_value": "0.03125",
        "p_value_bonferroni": "0.0625",
        "against_the_baseline_samples": "16",
        "reason": "368 samples decide",
        "threshold_verdict": "failed",
        "threshold_reason": "368 samples decide",
        "baseline_verdict": "inconclusive",
        "baseline_reason": "worse: a b",
        "counterexample": "different: formula p ∧ q; translation p q",
    }


def test_a_figure_outside_of_the_sizes_says_on_which_side() -> None:
    above = Figure("horizon 50 %", 12, "size", low=9.5, measure="operators", bound="above")
    unknown = Figure("horizon 80 %", None, "size", measure="operators", bound="not known")
    found = values(Figures(figures=(above, unknown)))
    assert {name: value for name, value in found.items() if "horizon" in name} == {
        "horizon_50_bound": "above 12",
        "horizon_50_low": "9.5",
        "horizon_80_bound": "not known",
    }


def test_undecided_samples_and_deviations_have_properties() -> None:
    found = values(
        Figures(
            figures=(
                Figure("pass rate", 0.5, "rate", upper=0.75),
                Figure("mean", 0.5, "rate", deviation=0.1),
            )
        )
    )
    assert (found["rate"], found["rate_upper"]) == ("0.5", "0.75")
    assert (found["mean"], found["mean_deviation"]) == ("0.5", "0.1")


def test_without_a_gate_the_verdict_is_reported() -> None:
    assert properties(Section(name="suite", state="no gate")) == [("autoeval.verdict", "reported")]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_a_table_has_columns_for_intervals_states_and_marks() -> None:
    table = Table(
        columns=(Column("suite"), Column("pass rate", "rate", group="gpt-5"), Column("n", "count")),
        rows=(
            Row(
                (
                    "a.py::test",
                    Figure("pass rate", 0.25, "rate", low=0.125, high=0.5, upper=0.3),
                    8,
                ),
                state="failed",
            ),
            Row(("=1+1", None, 9), states=(None, "passed", None), marked=(2,)),
        ),
    )
    assert read(table_text(table)) == [
        [
            *("state", "suite", "gpt-5 pass_rate", "gpt-5 pass_rate_low", "gpt-5 pass_rate_high"),
            *("gpt-5 pass_rate_upper", "gpt-5 pass_rate_state", "n", "n_marked"),
        ],
        ["failed", "a.py::test", "0.25", "0.125", "0.5", "0.3", "", "8", ""],
        ["", "'=1+1", "", "", "", "", "passed", "9", "*"],
    ]


def test_figures_and_curves_are_one_file_each_and_every_table_another() -> None:
    table = Table(
        columns=(Column("size", "count"), Column("rate", "rate")),
        rows=(Row((1, 0.5)),),
        title="by size",
    )
    curve = Curve(
        over="runs", unit="rate", series=(Series("gpt", (Point(1, 0.5, n=4, label="2026-11-26"),)),)
    )
    section = Section(
        name="suite",
        title=SUITE.name,
        blocks=(table, table, curve, Figures(figures=(rate(1, 4),))),
        suite=SUITE,
        state="failed",
    )
    files = tables(document_of(verdict_section("x"), section))
    assert list(files) == [
        "figures.csv",
        "curves.csv",
        "suite_3_by_size.csv",
        "suite_3_by_size_2.csv",
    ]
    assert read(files["suite_3_by_size.csv"]) == [["size", "rate"], ["1", "0.5"]]
    assert read(files["curves.csv"])[1] == [
        "suite",
        SUITE.name,
        "gpt-5-mini",
        "",
        "gpt",
        "runs",
        "1",
        "2026-11-26",
        "rate",
        "4",
        "0.5",
        "",
        "",
    ]
    heading, line = read(files["figures.csv"])
    found = dict(zip(heading, line, strict=True))
    assert (found["figure"], found["unit"], found["value"], found["n"]) == (
        "pass rate",
        "rate",
        "0.25",
        "4",
    )
    assert (found["low"], found["high"], found["confidence"]) == ("0", "0.5", "0.95")


def test_the_matrix_of_a_large_run_is_one_file() -> None:
    files = tables(large_document(failing=2))
    assert len(read(files["suites.csv"])) == 1 + 31
    section = suite_section("t.py::test[m]", "m", 1)
    assert dict(properties(section))["autoeval.counterexample"].startswith(
        "different: formula ¬(p0 ∧ (q ∨ ¬r)) → (p0"
    )
