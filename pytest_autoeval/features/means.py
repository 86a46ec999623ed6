"""Means over the other variants: each model over all interfaces and promptings, each interface over all models, …

The studies rank models, interfaces and promptings by such means. A mean gives each suite the same weight, however many
samples it has. The suites of one mean ask about the same formulas, so a mean has no interval here: the differences of
the variants and of the models have theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.suite_names import shown_prompts, suite_name
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Column, Row, Section, Table
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.report.task_figures import figures_in

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: What suites of one test can differ in, and how a suite says it.
_FACTORS: dict[str, Callable[[SuiteRecord], str]] = {
    "model": lambda suite: suite.model,
    "interface": lambda suite: suite.asked.interface or "",
    "prompting": lambda suite: suite.asked.prompting,
    "prompts": lambda suite: shown_prompts(suite.asked.prompts),
}


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_section("means", means)


def means(analysis: Analysis) -> Iterator[Section]:
    """A table for each test whose suites differ in two ways or more; none if no test has such suites."""
    summaries = [summary for summary in analysis.summaries if summary.suite.counted]
    tables = []
    folders_differ = False
    for of_test in grouped(summaries, lambda summary: _test(summary.suite)).values():
        factors = varying(summary.suite for summary in of_test)
        if len(factors) > 1:
            folders_differ |= "prompts" in factors
            tables.append(_table(of_test, factors))
    if tables:
        others = (
            "interfaces, promptings and prompts" if folders_differ else "interfaces and promptings"
        )
        title = f"means over models, {others}"
        yield Section(name="means", title=title, blocks=tuple(tables), level="verbose")


def varying(suites: Iterable[SuiteRecord]) -> list[str]:
    """The factors in which some suites differ: ``model``, ``interface``, ``prompting``, ``prompts``."""
    compared = list(suites)
    return [
        name
        for name, value_of in _FACTORS.items()
        if len({value_of(suite) for suite in compared}) > 1
    ]


def _test(suite: SuiteRecord) -> tuple[object, ...]:
    return suite.asked.function, suite.asked.parameters


def _table(summaries: Sequence[SuiteSummary], factors: Sequence[str]) -> Table:
    """The means of a test: for each factor its values, the one with the highest pass rate first."""
    figures = {summary.suite: _figures(summary) for summary in summaries}
    # A figure that only some suites have would be a mean over other suites than the pass rate beside it.
    names = [
        name
        for name in figures[summaries[0].suite]
        if all(name in of_suite for of_suite in figures.values())
    ]
    rows: list[Row] = []
    for factor in factors:
        by_value = grouped(figures, _FACTORS[factor])
        rows_of_factor = [
            Row(
                (
                    factor,
                    value,
                    *(_mean(name, [figures[suite] for suite in suites]) for name in names),
                    len(suites),
                )
            )
            for value, suites in by_value.items()
        ]
        rows += sorted(rows_of_factor, key=_pass_rate_of, reverse=True)
    settings = summaries[0].suite.asked
    units = {figure.name: figure.unit for figure in figures[summaries[0].suite].values()}
    return Table(
        title=suite_name(settings.function, settings.parameters),
        thing="mean",
        columns=(
            Column("mean of each", "text"),
            Column("value", "name"),
            *(Column(name, units[name], optional=number > 0) for number, name in enumerate(names)),
            Column("suites", "count", optional=True),
        ),
        rows=tuple(rows),
        level="verbose",
    )


def _figures(summary: SuiteSummary) -> dict[str, Figure]:
    """The pass rate of a suite and the rates of its task, by name. A count has no mean that says anything."""
    of_task = (figure for figure in figures_in(summary.task_figures) if figure.unit == "rate")
    return {figure.name: figure for figure in (rate_figure(summary.whole.rate), *of_task)}


def _mean(name: str, of_suites: Sequence[dict[str, Figure]]) -> Figure:
    """The mean of one figure over some suites; a suite without a value does not count."""
    all_values = (figures[name].value for figures in of_suites)
    values = [value for value in all_values if value is not None]
    return Figure(name, fmean(values) if values else None, "rate", n=len(values))


def _pass_rate_of(row: Row) -> float:
    rate = row.cells[2]
    return rate.value if isinstance(rate, Figure) and rate.value is not None else -1.0
