"""The scores of sentences in logic, laid out as in the tables of the study."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.benchmark import ScoreLine, benchmark
from pytest_autoeval.report.blocks import Column, Row, Section, Table


def scores(analysis: Analysis) -> Iterator[Section]:
    """The table of scores; none if no sample names a score."""
    table = benchmark(analysis.samples)
    if table is None:
        return
    columns = [Column("task", "text"), Column("data set", "name")]
    columns += [Column(column.form, "rate", group=column.model) for column in table.columns]
    shown = Table(
        thing="score",
        columns=tuple(columns),
        rows=tuple(Row((line.task, line.data_set, *_cells(line))) for line in table.lines),
        level="default",
    )
    repeated = " (mean ± standard deviation over repeats)" if table.repeated else ""
    title = f"scores by form: NL in English, FOL in formulas{repeated}"
    yield Section(name="scores", title=title, blocks=(shown,), level="verbose")


def _cells(line: ScoreLine) -> Iterator[Figure | None]:
    for score, samples in zip(line.cells, line.samples, strict=True):
        if score is None:
            yield None
        else:
            yield Figure("score", score.mean, "rate", n=samples, deviation=score.deviation)
