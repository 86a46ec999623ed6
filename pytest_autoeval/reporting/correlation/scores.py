"""A table of models' scores on other benchmarks, from a CSV file."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_autoeval.errors import AutoevalError, did_you_mean

#: Of each benchmark, the score of each model that has one, in the order of the file.
Scores = Mapping[str, Mapping[str, float]]


class ScoresError(AutoevalError):
    """A table of scores cannot be read: the message names the file, and line and column where there are such."""


def read_scores(path: Path | str, model_column: str = "model", benchmarks: Sequence[str] = ()) -> Scores:
    """The scores of a CSV file whose first line names the columns: one of models, the others benchmarks.

    ``benchmarks`` are the columns to read, by default all but ``model_column``. An empty cell is no score. Raises
    :class:`ScoresError` for a file that cannot be read, a missing column, a model that stands there twice, and a cell
    that is no number.
    """
    path = Path(path)
    heading, *lines = _lines(path)
    columns = [name.strip() for name in heading[1]]
    place = f"{path}:{heading[0]}"
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ScoresError(f"{place}: two columns are called {twice[0]!r}; give each a name of its own")
    models = _column(columns, model_column, place)
    wanted = list(dict.fromkeys(benchmarks)) or [name for name in columns if name not in ("", model_column)]
    if not wanted:
        raise ScoresError(f"{place}: beside {model_column!r} there is no column of scores")
    places = {name: _column(columns, name, place) for name in wanted}
    scores: dict[str, dict[str, float]] = {name: {} for name in wanted}
    first: dict[str, int] = {}
    for number, cells in lines:
        if len(cells) != len(columns):
            raise ScoresError(f"{path}:{number}: {len(cells)} cells, and the first line names {len(columns)} columns")
        model = cells[models].strip()
        if not model:
            raise ScoresError(f"{path}:{number}: the column {model_column!r} names no model")
        if (before := first.setdefault(model, number)) != number:
            raise ScoresError(f"{path}:{number}: {model!r} stands in line {before} too; keep one of them")
        for name, index in places.items():
            if cell := cells[index].strip():
                scores[name][model] = _number(cell, f"{path}:{number}, column {name!r}")
    return scores


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that hold anything, each with its number."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(_numbered(csv.reader(file, strict=True)))
    except OSError as error:
        raise ScoresError(f"{path}: scores cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ScoresError(f"{path}: this is no CSV file in UTF-8: {error}") from None
    if not lines:
        raise ScoresError(f"{path}: the file is empty; its first line names the columns")
    return lines


def _numbered(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    number = 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield number, cells
        number = getattr(reader, "line_num", number) + 1  # a quoted cell may hold line breaks


def _column(columns: Sequence[str], name: str, place: str) -> int:
    if name not in columns:
        named = ", ".join(map(repr, columns))
        commas = " Columns are separated by commas." if len(columns) == 1 and {";", "\t"} & set(columns[0]) else ""
        raise ScoresError(f"{place}: there is no column {name!r}, only {named}.{commas or did_you_mean(name, columns)}")
    return columns.index(name)


def _number(cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ScoresError(f"{place}: {cell!r} is no number; leave the cell empty where a model has no score")
    return value
