"""What nobody gets right: the items of a test that no model passed in any repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_autoeval.judging.items import by_item, item_name, side_by_side
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Column, Row, Section, Table
from pytest_autoeval.report.sections.values import note

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_section("missed", missed)


@dataclass(frozen=True, slots=True)
class Missed:
    """An item that no model passed, in all its trials of which there are several."""

    suite: str
    first: Sample
    models: int
    trials: int


def missed(analysis: Analysis) -> Iterator[Section]:
    """The items that every model failed in every repeat, the smallest first."""
    found = missed_items(analysis.suites)
    if not found:
        return
    text = "{items} that no model passed in any repeat: look first whether the data are right"
    rows = tuple(
        Row((one.suite, item_name(one.first), one.first.size, one.models, one.trials), level="verbose") for one in found
    )
    columns = (
        Column("suite", "name"),
        Column("item", "formula"),
        Column("size", "count", optional=True),
        Column("models", "count", optional=True),
        Column("trials", "count", optional=True),
    )
    blocks = (
        note(sentence(text, items=number(len(found), "item")), level="verbose"),
        Table(columns=columns, rows=rows, thing="item", level="verbose"),
    )
    yield Section(name="missed", title="missed by all", blocks=blocks, level="verbose")


def missed_items(suites: Iterable[SuiteRecord]) -> list[Missed]:
    """The items with at least two trials, none of which passed or stayed undecided, by all models of their suite."""
    found = []
    for group in side_by_side(suite for suite in suites if suite.counted):
        answered = [by_item(suite.counted) for suite in group]
        first, *others = answered
        for item in first:
            if not all(item in other for other in others):
                continue
            tried = [sample for items in answered for sample in items[item]]
            lost = all(sample.kind == OutcomeKind.MODEL_FAILURE for sample in tried)
            if lost and len(tried) > 1:
                found.append(Missed(group[0].name, tried[0], len(group), len(tried)))
    return sorted(found, key=lambda one: (one.first.size, one.suite, one.first.index))
