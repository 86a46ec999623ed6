"""Two suites with one display name and one model are two suites in every report."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.documents_read import data_of, sections, value
from support.page_blocks import PageBlocks
from support.result_rows import row, rows_of_models, suites_of
from support.screens import markdown, properties, render

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.analysis import Analysis, analyse
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.charts import CurveChart, charts
from pytest_autoeval.report.renderers.page import render_page

NAME = "suites/test_propositional.py::test_round_trip"


def twins(models: str = "m") -> list[SuiteRecord]:
    """Two suites of one name for each model: all pass, and all fail but one."""
    suites = []
    for passed in (20, 1):
        results = {model: [1] * passed + [0] * (20 - passed) for model in models}
        suites += suites_of(rows_of_models(NAME, results))
    for number, suite in enumerate(suites, 1):
        suite.asked = replace(suite.asked, number=number)
    return suites


def analysed(suites: list[SuiteRecord], **options: object) -> Analysis:
    examples = [
        Counterexample(sample=sample, command=f"pytest --number={suite.number}")
        for suite in suites
        for sample in smallest_failures(suite.counted).values()
    ]
    return analyse(suites, Rules(threshold=0.8), counterexamples=examples, **options)  # type: ignore[arg-type]


def test_each_is_judged_by_its_own_samples() -> None:
    first, second = analysed(twins()).judgements
    assert {one.key: (one.gate.samples, one.verdict) for one in (first, second)} == {
        1: (20, "passed"),
        2: (20, "failed"),
    }


def test_an_extent_is_that_of_one_of_them() -> None:
    analysis = analysed(twins(), extents={2: Extent(planned=30)})
    assert {one.key: one.verdict for one in analysis.judgements} == {1: "passed", 2: "interrupted"}


@pytest.mark.parametrize("models", ["m", "mn"])
def test_each_has_a_row_of_the_matrix_in_which_its_models_stand_side_by_side(models: str) -> None:
    analysis = analysed(twins(models))
    passed = {judgement.key: judgement.gate.passed for judgement in analysis.judgements}
    rows = [
        [cell and (cell.number, passed[cell.number]) for cell in row.cells]
        for row in analysis.matrix.rows
    ]
    if models == "m":
        assert rows == [[(2, 1)], [(1, 20)]]
    else:
        assert rows == [[(3, 1), (4, 1)], [(1, 20), (2, 20)]]
        assert analysis.model_comparison is not None
        assert [
            [one.number for one in suite.models] for suite in analysis.model_comparison.suites
        ] == [[1, 2], [3, 4]]
        assert {suite.unpaired for suite in analysis.model_comparison.suites} == {""}


def test_terminal_and_markdown_have_a_line_for_each() -> None:
    analysis = analysed(twins())
    shown = [line.text for line in render(analysis)]
    assert shown[0] == "1 of 2 suites failed"
    for sign, rate in (("✗", "5.0 % ("), ("✓", "100.0 % (")):
        assert sum(line.startswith(f"{sign} ") and rate in line for line in shown) == 1
    table = [line for line in markdown(analysis).splitlines() if f"`{NAME}` |" in line]
    assert [line.split(" | ")[1].partition(" ")[0] for line in table] == ["5.0", "100.0"]


def test_the_counterexample_stands_at_the_one_that_failed() -> None:
    analysis = analysed(twins())
    assert [(one.gate.number, len(examples)) for one, examples in analysis.worst_first()] == [
        (2, 1),
        (1, 0),
    ]
    named = {
        one.key: "autoeval.counterexample" in dict(properties(analysis, one.key))
        for one in analysis.judgements
    }
    assert named == {1: False, 2: True}


def test_the_page_tells_their_names_apart() -> None:
    page = PageBlocks(render_page(document(analysed(twins())), twins()))
    index = page.data("index")
    assert index["suites"] == [NAME, f"{NAME} (2)"]
    assert [index["suite"].count(place) for place in (0, 1)] == [20, 20]
    assert {one["suite"] for piece in page.pieces() for one in piece["rows"]} == {
        NAME,
        f"{NAME} (2)",
    }
    assert page.data("overview")["links"]["suites"] == {"1": [NAME, "m"], "2": [f"{NAME} (2)", "m"]}


def test_the_summary_and_the_plots_have_both() -> None:
    analysis = analysed(twins())
    data = data_of(document(analysis))
    suites = sections(data, "suite")
    assert [value(one, "passed") for one in suites] == [1, 20]
    assert len({one["suite"]["number"] for one in suites}) == 2
    drawn = [chart for chart in charts(document(analysis)) if isinstance(chart, CurveChart)]
    rates = [
        [point.value for point in chart.points] for chart in drawn if chart.over == "operators"
    ]
    assert len(rates) == 2
    assert rates[0] != rates[1]


def test_in_a_baseline_they_are_one_with_more_repeats() -> None:
    """Equal fields mean that the same was asked: several runs are one baseline."""
    (here,) = suites_of(
        [row("equivalent", formula=f"p{number}", index=number) for number in range(5)]
    )
    there = [
        suite
        for outcome in ("equivalent", "different")
        for suite in suites_of(
            [row(outcome, formula=f"p{number}", index=number) for number in range(5)]
        )
    ]
    (gate,) = analyse([here], Rules(), baseline=Baseline(there)).comparisons
    assert gate.test is not None
    assert (gate.test.pairs, gate.test.before, gate.test.after) == (5, 0.5, 1.0)
    assert "the repeats differ: 1 (baseline: 2)" in map(str, gate.flags)
