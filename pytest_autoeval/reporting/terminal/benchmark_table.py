"""The table of sentences in logic: tasks and data sets down, models and forms across, in as many parts as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pytest_autoeval.reporting.benchmark import FORMS, Benchmark, Column, cell_text
from pytest_autoeval.reporting.text import Line, one_line, shorten, shorten_start

_GAP = "  "
_HEADS = ("task", "data set")
#: Columns that the name of a data set, or of a model, may take at most.
_LONGEST = 24


def benchmark_lines(table: Benchmark | None, width: int) -> Iterator[Line]:
    """The table in as many parts as its models need; nothing where there is none."""
    if table is None:
        return
    labels = [list(_HEADS)]
    labels += [[line.task, shorten_start(one_line(line.data_set), _LONGEST)] for line in table.lines]
    sizes = [max(map(len, column)) for column in zip(*labels, strict=True)]
    room = width - 2 - sum(sizes) - len(_GAP)
    yield Line("")
    repeated = any(cell.deviation is not None for cell in table.cells.values())
    spread = " (mean ± standard deviation over repeats)" if repeated else ""
    yield Line(f"scores by form: NL in English, FOL in formulas{spread}", "title")
    for part in _parts(table, room):
        yield from (Line(f"  {line}") for line in _part(table, labels, sizes, part))


class _Model:
    """The columns of one model, as texts."""

    def __init__(self, table: Benchmark, model: str, columns: Sequence[Column]) -> None:
        cells = [[cell_text(table.cells.get((line, column))) for line in table.lines] for column in columns]
        texts = [[FORMS[column.form], *column_cells] for column, column_cells in zip(columns, cells, strict=True)]
        sizes = [max(map(len, column)) for column in texts]
        rows = [
            _GAP.join(text.rjust(size) for text, size in zip(row, sizes, strict=True))
            for row in zip(*texts, strict=True)
        ]
        name = shorten(one_line(model), _LONGEST)
        self.width = max(len(name), len(rows[0]))
        self.rows = [name.rjust(self.width), *(row.rjust(self.width) for row in rows)]


def _parts(table: Benchmark, room: int) -> Iterator[list[_Model]]:
    """The models, so many together as there is room for, and at least one."""
    part: list[_Model] = []
    for model, columns in groupby(table.columns, key=lambda column: column.model):
        block = _Model(table, model, list(columns))
        if part and sum(other.width + len(_GAP) for other in part) + block.width + len(_GAP) > room:
            yield part
            part = []
        part.append(block)
    if part:
        yield part


def _part(table: Benchmark, labels: list[list[str]], sizes: list[int], models: list[_Model]) -> Iterator[str]:
    heads = [["", ""], *labels]
    for at in range(len(table.lines) + 2):
        label = _GAP.join(text.ljust(size) for text, size in zip(heads[at], sizes, strict=True))
        yield _GAP.join([label, *(model.rows[at] for model in models)]).rstrip()
