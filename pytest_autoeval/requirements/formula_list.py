"""The formula of each sentence of a run: a table with all of them, in the order of the author's files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Column, Row, Section, Table
from pytest_autoeval.requirements.meanings import is_answer
from pytest_autoeval.requirements.permission_section import place_of

#: The text last: the last column of a table in the terminal is never cut.
_COLUMNS = (
    Column("id", "name"),
    # Without it, the answers to one sentence could not be told apart.
    Column("answer", "name"),
    Column("model", "name", optional=True),
    Column("formula", "formula"),
    Column("outcome", "name"),
    Column("sentence", "text"),
)


def formulas(analysis: Analysis) -> Iterator[Section]:
    """A table for each suite: id, sentence, and the formula of each answer, with how it ended."""
    answers = filter(is_answer, analysis.samples)
    tables = []
    for suite, samples in grouped(answers, lambda sample: sample.suite.name).items():
        ordered = sorted(samples, key=_order)
        has_several_models = len({sample.model for sample in samples}) > 1
        rows = [_cells(sample, with_model=has_several_models) for sample in ordered]
        tables.append(_table(suite, rows))
    if tables:
        yield Section(name="formulas", title="the formulas of the sentences", blocks=tuple(tables))


def _order(sample: Sample) -> tuple[tuple[str, int], str, str, int, int]:
    name = sample.part_or_empty(Given).name
    return place_of(sample), name, sample.model, sample.repeat, sample.paraphrase


def _table(suite: str, rows: Sequence[Sequence[str | None]]) -> Table:
    """The rows without columns that would be empty: of one model, or of one answer to each sentence."""
    is_filled = [any(cell is not None for cell in cells) for cells in zip(*rows, strict=True)]
    return Table(
        title=suite,
        thing="answer",
        columns=tuple(compress(_COLUMNS, is_filled)),
        rows=tuple(Row(tuple(compress(cells, is_filled)), level="verbose") for cells in rows),
        level="verbose",
    )


def _cells(sample: Sample, *, with_model: bool) -> tuple[str | None, ...]:
    given, formalized = sample.part_or_empty(Given), sample.part_or_empty(Formalized)
    return (
        given.name,
        _answer(sample),
        sample.model if with_model else None,
        formalized.formula,
        sample.outcome,
        # The formula is that of the words that the model read.
        formalized.paraphrased or given.sentence,
    )


def _answer(sample: Sample) -> str | None:
    """Which of several answers it is; None for the first one to the sentence itself."""
    details = []
    if sample.repeat:
        # Reports count repeats from 1, and results from 0.
        details.append(f"repeat {sample.repeat + 1}")
    if sample.paraphrase:
        details.append(f"paraphrase {sample.paraphrase}")
    return ", ".join(details) or None
