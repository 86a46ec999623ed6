"""The matrix of suites and models: what its cells hold, and the order that every report shares."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from support.analyses import analyse
from support.documents_read import data_of, section, sections, table
from support.result_rows import rows_of_models as rows
from support.screens import markdown, render

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.record.suite_names import without_model
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.document import document
from pytest_autoeval.statistics.over_suites import mean_rate

A, B, C, D = (f"suites/test_{name}.py::test_round_trip" for name in "abcd")


def analysed(some: Sequence[Sample], threshold: float | None = 0.9, **rest: Any) -> Analysis:
    return analyse(some, Rules(threshold=threshold), **rest)


GOOD, BAD = [1] * 20, [1] * 10 + [0] * 10


def test_the_worst_suites_come_first_then_the_names_and_the_best_model_comes_first() -> None:
    some = [
        *rows(A, {"weak": GOOD, "strong": GOOD}),
        *rows(B, {"weak": BAD, "strong": GOOD}),
        *rows(C, {"weak": BAD, "strong": BAD}),
    ]
    found = analysed(some).matrix
    assert [one.suite for one in found.rows] == [B, C, A]
    assert [one.state for one in found.rows] == ["failed", "failed", "passed"]
    assert found.models == ("strong", "weak")
    assert [[cell and cell.state for cell in one.cells] for one in found.rows] == [
        ["passed", "failed"],
        ["failed", "failed"],
        ["passed", "passed"],
    ]
    random.Random(1).shuffle(some)
    assert analysed(some).matrix == found


def test_models_that_are_equally_good_are_in_the_order_of_their_names() -> None:
    assert analysed(
        rows(A, {"b": GOOD, "a": GOOD}) + rows(B, {"a": GOOD, "b": GOOD})
    ).matrix.models == ("a", "b")
    assert analysed(rows(A, {"b": GOOD}) + rows(B, {"a": BAD})).matrix.models == ("a", "b")


def test_a_model_that_did_not_run_a_suite_has_no_cell_and_the_suite_counts_in_no_mean() -> None:
    found = analysed(
        rows(A, {"x": GOOD, "y": BAD}) + rows(B, {"x": GOOD, "y": GOOD}) + rows(C, {"y": GOOD})
    ).matrix
    assert next(one for one in found.rows if one.suite == C).cells[found.models.index("x")] is None
    assert found.all_suites is not None
    assert sorted(found.all_suites.suites) == [A, B]
    assert found.all_suites.left_out == (C,)
    expected = {"x": 1.0, "y": 0.75}
    assert {
        model: mean.mean for model, mean in zip(found.models, found.all_suites.means, strict=True)
    } == expected


def test_the_mean_over_suites_is_the_bootstrap_of_their_formulas_which_are_the_same() -> None:
    some = rows(A, {"m": BAD}) + rows(B, {"m": [1] * 15 + [3] + [0] * 4}) + rows(C, {"m": GOOD})
    found = analysed(some).matrix.all_suites
    assert found is not None
    formulas = {C: GOOD, B: [1] * 15 + [0] * 5, A: BAD}
    trials = [[(result, 1) for result in formulas[suite]] for suite in found.suites]
    assert found.means == (mean_rate(trials, [range(20)] * 3),)
    assert found.means != (mean_rate(trials),)
    assert analysed(rows(A, {"m": GOOD})).matrix.all_suites is None


def test_suites_that_are_incomplete_or_ended_by_their_answers_count_in_no_mean() -> None:
    some = (
        rows(A, {"m": GOOD}) + rows(B, {"m": GOOD}) + rows(C, {"m": [2, 2]}) + rows(D, {"m": BAD})
    )
    stop = Stopped(verdict="passed", ran=20, planned=99)
    found = analysed(
        some,
        extents={
            (A, "m"): Extent(planned=99, stopped_early=stop),
            (B, "m"): Extent(planned=99, interrupted=True),
        },
    ).matrix.all_suites
    assert found is not None
    assert found.suites == (D,)
    assert sorted(found.left_out) == [A, B, C]
    nothing = analysed(rows(A, {"m": [2]}) + rows(B, {"m": [2]})).matrix.all_suites
    assert nothing is not None
    assert (nothing.suites, nothing.means) == ((), ())


def test_a_significant_difference_names_the_better_models() -> None:
    results = {"best": [1] * 100, "good": [1] * 96 + [0] * 4, "poor": [0] * 40 + [1] * 60}
    found = analysed(rows(A, results), None).matrix
    cells = found.rows[0].cells
    assert [cell and cell.worse_than for cell in cells] == [(), (), ("best", "good")]
    assert {cell and cell.state for cell in cells} == {"no gate"}


def test_programs_get_the_matrix_in_the_same_order() -> None:
    analysis = analysed(rows(A, {"x": GOOD}) + rows(B, {"x": BAD, "y": GOOD}))
    data = data_of(document(analysis))
    matrix = [row for row in table(section(data, "suites")) if row["suite"] != "mean"]
    assert [row["suite"] for row in matrix] == [B, A]
    assert [
        without_model(one["suite"]["name"], one["suite"]["model"])
        for one in sections(data, "suite")
    ] == [B, B, A]
    assert [name for name in matrix[0] if name.endswith(": pass rate")] == [
        "y: pass rate",
        "x: pass rate",
    ]
    assert matrix[1]["y: pass rate"] is None


def test_every_report_has_the_same_order() -> None:
    analysis = analysed(
        rows(A, {"m": GOOD}) + rows(B, {"m": BAD}) + rows(C, {"m": GOOD}) + rows(D, {"m": BAD})
    )
    terminal = "\n".join(line.text for line in render(analysis))
    for text in (terminal, markdown(analysis)):
        places = [text.index(suite.partition("/")[2]) for suite in (B, D, A, C)]
        assert places == sorted(places)
