"""Pass rates by describer and reader."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Column, Row, Section, Table
from pytest_autoeval.report.readers import ReaderMatrix, reader_matrices
from pytest_autoeval.report.sections.figures import rate_figure
from pytest_autoeval.report.sections.values import about, note


def readers(analysis: Analysis) -> Iterator[Section]:
    """A matrix for each suite that several pairs of models described and read, with what stands out."""
    matrices = reader_matrices(analysis.suites)
    if not matrices:
        return
    blocks: list[AnyBlock] = []
    for matrix in matrices:
        blocks.append(_table(matrix))
        blocks += [note(about(matrix.suite, finding), "finding") for finding in matrix.findings]
    title = "pass rates by describer (down) and reader (across)"
    yield Section(name="readers", title=title, blocks=tuple(blocks))


def _table(matrix: ReaderMatrix) -> Table:
    rows = [
        Row((describer, *(None if rate is None else rate_figure(rate) for rate in rates)))
        for describer, rates in zip(matrix.describers, matrix.rates, strict=True)
    ]
    return Table(
        title=matrix.suite,
        thing="describer",
        columns=(
            Column("describer", "name"),
            *(Column("pass rate", "rate", group=reader) for reader in matrix.readers),
        ),
        rows=tuple(rows),
        level="default",
    )
