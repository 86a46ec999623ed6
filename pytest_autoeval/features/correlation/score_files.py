"""Scores of models on other benchmarks, from a CSV file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.given_file import read_given

#: For each benchmark, the score of each model that has one, in the order of the file.
Scores = Mapping[str, Mapping[str, float]]


class CorrelateError(AutoevalError):
    """Scores cannot be read, or cannot be compared with results; the message says where."""


def read_scores(path: Path, model_column: str = "model", benchmarks: Sequence[str] = ()) -> Scores:
    """The scores of a CSV file. Its first line names the columns: one of models, the others of benchmarks.

    ``benchmarks`` are the columns to read, by default all. An empty cell is no score. Raises :class:`CorrelateError`.
    """
    (heading, columns), *lines = _lines(path)
    line_name = f"{path}:{heading}"
    models = _column(columns, model_column, line_name)
    chosen = list(dict.fromkeys(benchmarks))
    if not chosen:
        # A column without a name has no benchmark: programs write row numbers so.
        chosen = [name for name in columns if name not in ("", model_column)]
    if not chosen:
        raise CorrelateError(f"{line_name}: beside {model_column!r} there is no column of scores")
    indices = {name: _column(columns, name, line_name) for name in chosen}
    scores: dict[str, dict[str, float]] = {name: {} for name in chosen}
    line_of_model: dict[str, int] = {}
    for number, cells in lines:
        line_name = f"{path}:{number}"
        if len(cells) != len(columns):
            raise CorrelateError(
                f"{line_name}: {len(cells)} cells, and the first line names {len(columns)} columns"
            )
        model = cells[models]
        before = line_of_model.setdefault(model, number)
        # Which of two scores of a model counts cannot be known.
        if before != number:
            raise CorrelateError(
                f"{line_name}: {model!r} is in line {before} too; keep one of them"
            )
        for name, index in indices.items():
            cell = cells[index]
            if cell:
                scores[name][model] = _number(cell, f"{line_name}, column {name!r}")
    return scores


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        # Spreadsheets write a mark at the beginning of UTF-8.
        text = read_given(path).decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = []
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                lines.append((reader.line_num, stripped))
    except OSError as error:
        raise CorrelateError(f"{path}: scores cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CorrelateError(f"{path}: this is not a CSV file in UTF-8: {error}") from None
    if not lines:
        raise CorrelateError(f"{path}: the file is empty; its first line names the columns")
    return lines


def _column(columns: Sequence[str], name: str, line_name: str) -> int:
    if name in columns:
        return columns.index(name)
    listed = ", ".join(map(repr, columns))
    raise CorrelateError(
        f"{line_name}: there is no column {name!r}, only {listed}.{did_you_mean(name, columns)}"
    )


def _number(cell: str, cell_name: str) -> float:
    with suppress(ValueError):
        value = float(cell)
        # Python reads "nan" and "inf" too, by which nothing can be correlated.
        if math.isfinite(value):
            return value
    raise CorrelateError(
        f"{cell_name}: {cell!r} is not a number; leave the cell empty if a model has no score"
    )
