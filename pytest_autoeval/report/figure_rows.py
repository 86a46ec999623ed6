"""The figures of the suites of a run as flat rows, for pandas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.suite_figures import figures_of
from pytest_autoeval.report.suite_summary import SuiteSummary


def figure_rows(analysis: Analysis) -> list[dict[str, Any]]:
    """One flat dict for each figure of each suite: its pass rate, that of each size, and the figures of its task."""
    return [row for summary in analysis.summaries for row in _rows(summary)]


def _rows(summary: SuiteSummary) -> Iterator[dict[str, Any]]:
    asked = summary.suite.asked
    sized: list[tuple[int | None, Figure]] = [(None, rate_figure(summary.whole.rate))]
    sized += [(size, rate_figure(of_size.rate)) for size, of_size in summary.by_size.items()]
    sized += [(None, figure) for figure in figures_of(summary.suite)]
    for size, figure in sized:
        yield {
            "suite": asked.name,
            "model": asked.model,
            "variant": asked.variant,
            "figure": figure.name,
            # What a size counts: operators, depth or words.
            "size_of": summary.size_name,
            "size": size,
            "value": figure.value,
            "low": figure.low,
            "high": figure.high,
            "n": figure.n,
            "unit": figure.unit,
        }
