"""The rows of a CSV or JSON file, each with its line."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Generic, TypeVar

from pytest_autoeval.datasets.base import DataSetError
from pytest_autoeval.datasets.columns import RawRow, RowError, column_problem, columns_of
from pytest_autoeval.datasets.temporal_formulas import beside_sentences
from pytest_autoeval.given_file import read_given

T = TypeVar("T")
_DELIMITERS = (",", ";", "\t")
_QUOTING = "put a cell with commas or quotes in double quotes, and double each quote inside it"


@dataclass(frozen=True, slots=True, eq=False)
class FileRows(Generic[T]):
    """The usable rows of files, in their order; a line for each unusable row, and for each oddity."""

    rows: tuple[T, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def cached_while_unchanged(read: Callable[[Sequence[Path]], T]) -> Callable[[Sequence[Path]], T]:
    """Caches a reader by the versions of its files, and of the JSON files (ontologies) in their folders."""

    @lru_cache(maxsize=32)
    def cached(files: tuple[Path, ...], _versions: tuple[tuple[int, int], ...]) -> T:
        return read(files)

    def current(files: Sequence[Path]) -> T:
        distinct = tuple(dict.fromkeys(files))
        beside = dict.fromkeys(path for folder in {file.parent for file in distinct} for path in folder.glob("*.json"))
        statuses = (path.stat() for path in (*distinct, *sorted(beside)) if path.is_file())
        return cached(distinct, tuple((status.st_mtime_ns, status.st_size) for status in statuses))

    return current


def check_file(path: Path) -> None:
    """Raises :class:`DataSetError` for a file whose rows all lack a needed column."""
    problem = ""
    for names in dict.fromkeys(tuple(row.values) for row in read_table(path) if not row.problem):
        try:
            missing = column_problem(names)
        except RowError as error:
            missing = str(error)
        if not missing:
            return
        problem = problem or missing
    if problem:  # otherwise each row reports its own problem
        raise DataSetError(f"{path}: {problem}")


def read_each_row(files: Sequence[Path], take: Callable[[Path, RawRow], None]) -> tuple[str, ...]:
    """Calls ``take`` with each row; returns a line (file, line, reason) for each row refused with :class:`RowError`."""
    problems: list[str] = []
    for file in files:
        for row in read_table(file):
            try:
                take(file, row)
            except RowError as problem:
                problems += (f"{file}:{row.place}: {line}" for line in problem.args)
    return tuple(problems)


def read_table(path: Path) -> list[RawRow]:
    """The rows of a file, whose ending is its format; raises :class:`DataSetError` if it cannot be read at all."""
    if path.is_dir():
        raise DataSetError(f"{path}: this is a folder; name a file")
    read = _READERS.get(path.suffix.casefold())
    if read is None:
        alone = "that of a list of sentences in .md"
        raise DataSetError(f"{path}: the name of a data file ends in .csv, .tsv, .jsonl, .json or .txt, {alone}")
    text = text_of(path)
    if not text.strip():
        raise DataSetError(f"{path}: the file is empty")
    rows = list(read(path, text))
    if not rows:
        raise DataSetError(f"{path}: the file has a header, but no rows")
    return rows


def text_of(path: Path) -> str:
    """The text of a file in UTF-8; raises :class:`DataSetError`."""
    try:
        # Line ends stay as they are: a cell may have some of its own.
        return read_given(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise DataSetError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as problem:
        raise DataSetError(f"{path}: not UTF-8 at byte {problem.start}; save the file as UTF-8") from None
    except OSError as problem:
        raise DataSetError(f"{path}: cannot be read: {problem.strerror}") from None


def _csv(path: Path, text: str) -> Iterator[RawRow]:
    records = _records(text, _delimiter(text))
    _, header, problem = next(records)
    if problem:
        raise DataSetError(f"{path}:1: {problem}")
    if twice := first_repeated(name for name in header if name.strip()):
        raise DataSetError(f"{path}:1: two columns are called {twice!r}")
    for line, cells, problem in records:
        more = any(cell.strip() for cell in cells[len(header) :])
        excess = f"{len(cells)} cells, but the header names {len(header)} columns; {_QUOTING}" if more else ""
        if problem or any(cell.strip() for cell in cells):
            values = dict(zip_longest(header, cells[: len(header)], fillvalue=""))
            yield RawRow(str(line), values, problem or excess)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str], str]]:
    """Each record's first line, its cells, and why it cannot be read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            yield line, [], f"not CSV: {problem}; {_QUOTING}"
        else:
            if cells:
                yield line, cells, ""


def _delimiter(text: str) -> str:
    header = text.lstrip("\r\n").splitlines()[0]

    def known(delimiter: str) -> int:
        try:
            return len(columns_of(header.replace('"', "").split(delimiter)))
        except RowError:
            return 0

    return max(_DELIMITERS, key=known)


def _text(path: Path, text: str) -> Iterator[RawRow]:
    pairs = beside_sentences(text)
    if pairs is None:
        hint = (
            "only the data sets sentences_ltl, sentences_propositional and sentences_first_order take sentences alone"
        )
        raise DataSetError(f"{path}: not every line has a sentence, a ; and its formula of temporal logic; {hint}")
    for pair in pairs:
        yield RawRow(str(pair.line), {"sentence": pair.sentence, "formula": pair.formula, "language": "ltl"})


def _json_lines(_path: Path, text: str) -> Iterator[RawRow]:
    # Only a line feed ends a line: a text may contain the other line ends.
    for line, written in enumerate(text.split("\n"), start=1):
        if written.strip():
            try:
                yield _json_row(str(line), decoded(written))
            except ValueError as problem:
                yield RawRow(str(line), {}, str(problem).removeprefix("line 1, "))


def _json(path: Path, text: str) -> Iterator[RawRow]:
    try:
        values = decoded(text)
    except ValueError as problem:
        hint = "; name a file with one object per line .jsonl" if "Extra data" in str(problem) else ""
        raise DataSetError(f"{path}: {problem}{hint}") from None
    if not isinstance(values, list):
        raise DataSetError(f"{path}: a .json file must be a list of objects, one for each row")
    for place, value in zip(_places_of_items(text), values, strict=False):
        yield _json_row(place, value)


def _places_of_items(text: str) -> Iterator[str]:
    """The line of each item of a JSON list, with its column if an earlier item begins on that line."""
    decoder = json.JSONDecoder()
    line, earlier, begins, counted = 1, 0, 0, 0
    at = text.index("[") + 1
    while True:
        while text[at] in " \t\r\n,":
            at += 1
        if text[at] == "]":
            return
        if breaks := text.count("\n", counted, at):
            line, begins = line + breaks, text.rindex("\n", counted, at) + 1
        yield f"{line}:{at - begins + 1}" if line == earlier else str(line)
        earlier, counted = line, at
        _, at = decoder.raw_decode(text, at)


def _json_row(place: str, value: Any) -> RawRow:
    if isinstance(value, dict):
        return RawRow(place, value)
    return RawRow(place, {}, f"a row must be an object with columns as keys, not {json.dumps(value)[:40]}")


def decoded(text: str) -> Any:
    """The value of a JSON text; raises :class:`ValueError` for bad JSON, and for a repeated key in an object."""
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except json.JSONDecodeError as problem:
        raise ValueError(f"line {problem.lineno}, column {problem.colno}: not JSON: {problem.msg}") from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"not JSON: {problem}") from None


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError(f"the key {first_repeated(name for name, _ in pairs)!r} occurs twice in one object")
    return made


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that occurs again."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


_READERS: dict[str, Callable[[Path, str], Iterator[RawRow]]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _text,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
}
