"""What nobody gets right: the items of a test that no model passed in any repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_autoeval.judging.item_groups import by_item, item_name, side_by_side
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Column, Row, Section, Table
from pytest_autoeval.report.sections.values import note

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_section("missed", missed)
    registry.add_command_option("report --missed", arguments_of_missed)


@dataclass(frozen=True, slots=True)
class Missed:
    """An item that no model passed, in all its trials of which there are several."""

    suite: str
    first: Sample
    models: int
    trials: int


def missed(analysis: Analysis) -> Iterator[Section]:
    """The items that every model failed in every repeat, the smallest first."""
    items = missed_items(analysis.suites)
    if not items:
        return
    text = "{items} that no model passed in any repeat: look first whether the data are right"
    rows = tuple(
        Row(
            (item.suite, item_name(item.first), item.first.size, item.models, item.trials),
            level="verbose",
        )
        for item in items
    )
    columns = (
        Column("suite", "name"),
        Column("item", "formula"),
        Column("size", "count", optional=True),
        Column("models", "count", optional=True),
        Column("trials", "count", optional=True),
    )
    blocks = (
        note(sentence(text, items=number(len(items), "item")), level="verbose"),
        Table(columns=columns, rows=rows, thing="item", level="verbose"),
    )
    yield Section(name="missed", title="missed by all", blocks=blocks, level="verbose")


def missed_items(suites: Iterable[SuiteRecord], fewest_trials: int = 2) -> list[Missed]:
    """The items with so many trials, none of which passed or stayed undecided, by all models of their suite.

    A single failure says little of the item: the model may have slipped.
    """
    items = []
    for group in side_by_side(suite for suite in suites if suite.counted):
        answered = [by_item(suite.counted) for suite in group]
        of_first_model, *of_further_models = answered
        for item in of_first_model:
            if not all(item in answers for answers in of_further_models):
                continue
            tried = [sample for of_model in answered for sample in of_model[item]]
            lost = all(sample.kind == OutcomeKind.MODEL_FAILURE for sample in tried)
            if lost and len(tried) >= fewest_trials:
                items.append(Missed(group[0].name, tried[0], len(group), len(tried)))
    return sorted(
        items,
        key=lambda missed_item: (
            missed_item.first.size,
            missed_item.suite,
            missed_item.first.index,
        ),
    )


def arguments_of_missed(suites: Iterable[SuiteRecord]) -> list[str]:
    """Arguments of pytest by which a run asks about these items alone, each once; `pytest @FILE` reads a file of them.

    Also items that were tried once: a run of one model without repeats has no others, and to ask again shows more.
    An item is named as its file names it: by its id, else by its file and line. A formula without a file is its own
    name.
    """
    names = (_name_for_option(item.first) for item in missed_items(suites, fewest_trials=1))
    return [
        f"--autoeval-formula={name}"
        for name in dict.fromkeys(names)
        if name and len(name.splitlines()) == 1
    ]


def _name_for_option(sample: Sample) -> str:
    facts = sample.part_or_empty(Given)
    if facts.item:
        return facts.name
    # A source is `FILE:LINE`, and may go on with a word about the place in the line.
    at_line = (facts.source or "").split(" ")[0]
    return at_line if ":" in at_line else sample.formula
