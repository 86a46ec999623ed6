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
    differing = []
    for name, value_of in _FACTORS.items():
        values = {value_of(suite) for suite in compared}
        if len(values) > 1:
            differing.append(name)
    return differing


def _test(suite: SuiteRecord) -> tuple[object, ...]:
    return suite.asked.function, suite.asked.parameters


def _table(summaries: Sequence[SuiteSummary], factors: Sequence[str]) -> Table:
    """The means of a test: for each factor its values, the one with the highest pass rate first."""
    figures = {summary.suite: _figures(summary) for summary in summaries}
    # A figure that only some suites have would be a mean over other suites than the pass rate beside it.
    figures_of_first = figures[summaries[0].suite]
    names = list(figures_of_first)
    for figures_of_suite in figures.values():
        names = [name for name in names if name in figures_of_suite]
    rows: list[Row] = []
    for factor in factors:
        rows_of_factor = []
        for value, suites in grouped(figures, _FACTORS[factor]).items():
            figures_of_suites = [figures[suite] for suite in suites]
            means = [_mean(name, figures_of_suites) for name in names]
            rows_of_factor.append(Row((factor, value, *means, len(suites))))
        rows += sorted(rows_of_factor, key=_pass_rate_of, reverse=True)
    settings = summaries[0].suite.asked
    units = {figure.name: figure.unit for figure in figures_of_first.values()}
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
    values = []
    for figures in of_suites:
        value = figures[name].value
        if value is not None:
            values.append(value)
    mean = fmean(values) if values else None
    return Figure(name, mean, "rate", n=len(values))


def _pass_rate_of(row: Row) -> float:
    rate = row.cells[2]
    return rate.value if isinstance(rate, Figure) and rate.value is not None else -1.0
