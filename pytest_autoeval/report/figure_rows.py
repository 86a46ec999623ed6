"""The figures of a run as flat rows, for pandas: those of its suites, and the paired differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document, Table
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.sections.values import COMPARED_WITH
from pytest_autoeval.report.suite_figures import figures_of
from pytest_autoeval.report.suite_summary import SuiteSummary


def figure_rows(analysis: Analysis, document: Document) -> list[dict[str, Any]]:
    """One flat dict for each figure of each suite: its pass rate, that of each size, and the figures of its task.

    Then the mean pass rate and the mean rank of each model over the suites, and one row for each paired difference of
    two models or two variants on the same formulas.
    """
    rows = [row for summary in analysis.summaries for row in _rows_of_suite(summary)]
    rows += _over_suites(analysis)
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table) and _has_differences(block):
                rows += _differences(block)
    return rows


def _has_differences(table: Table) -> bool:
    return any(column.name == COMPARED_WITH for column in table.columns)


def _rows_of_suite(summary: SuiteSummary) -> Iterator[dict[str, Any]]:
    """The pass rate of a suite, that of each size, and the figures of its task."""
    asked = summary.suite.asked
    suite = (asked.name, asked.model, asked.variant)
    yield _row(suite, rate_figure(summary.whole.rate), summary.size_name)
    for size, of_size in summary.by_size.items():
        yield _row(suite, rate_figure(of_size.rate), summary.size_name, size)
    for figure in figures_of(summary.suite):
        yield _row(suite, figure, summary.size_name)


def _over_suites(analysis: Analysis) -> Iterator[dict[str, Any]]:
    """The mean pass rate and the mean rank of each model. They are of no single suite, so that their suite is empty."""
    all_suites = analysis.matrix.all_suites
    if all_suites is not None and all_suites.means:
        number_of_suites = len(all_suites.suites)
        for model, mean in zip(analysis.matrix.models, all_suites.means, strict=True):
            figure = Figure(
                "mean pass rate", mean.mean, "rate", mean.low, mean.high, n=number_of_suites
            )
            yield _row(("", model, ""), figure)
    comparison = analysis.model_comparison
    if comparison is None:
        return
    for rank in comparison.models:
        if rank.mean_rank is not None:
            figure = Figure("mean rank", rank.mean_rank, "number", rank.low, rank.high)
            yield _row(("", rank.model, ""), replace(figure, n=rank.suites))


def _differences(table: Table) -> Iterator[dict[str, Any]]:
    """The rows of a table of differences: each model, or each variant, against another one."""
    names = [column.name for column in table.columns]
    for row in table.rows:
        cells = dict(zip(names, row.cells, strict=True))
        difference = cells["difference"]
        # Without common formulas there is none.
        if not isinstance(difference, Figure):
            continue
        suite, model, variant = (str(cells.get(name, "")) for name in ("suite", "model", "variant"))
        yield {
            **_row((suite, model, variant), difference),
            "compared_with": cells[COMPARED_WITH],
            "p": cells["p"],
            "p_corrected": cells["p, corrected"],
        }


def _row(
    whose: tuple[str, str, str], figure: Figure, size_of: str = "", size: int | None = None
) -> dict[str, Any]:
    """A figure of a suite, model and variant, and what a size counts: operators, depth or words."""
    suite, model, variant = whose
    return {
        "suite": suite,
        "model": model,
        "variant": variant,
        "figure": figure.name,
        "size_of": size_of,
        "size": size,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "unit": figure.unit,
        # Of a difference alone. A table for pandas has the same columns in all rows.
        "compared_with": None,
        "p": None,
        "p_corrected": None,
    }
