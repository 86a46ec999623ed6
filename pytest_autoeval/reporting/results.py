"""The results file: one JSON object a line, one line a sample. `docs/results.md` describes every key."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.row import NEVER_NULL, ROW_KEYS, SCHEMA_VERSION, Row, without_times

#: Legal in JSON, but a line end, an order to a terminal or no Unicode to some reader of the file.
_UNSAFE = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


class ResultsError(AutoevalError):
    """A results file cannot be written or read: the message names the file, and the line where there is one."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a results file holds.

    ``torn`` is the number of the last line where it is incomplete, because its writer was killed; it is left out.
    """

    rows: list[Row]
    torn: int | None = None


class ResultsFile:
    """A results file that many threads and processes write at once.

    A process needs its own object for the path; only the one that leads the run calls :meth:`start` and :meth:`finish`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def start(self) -> None:
        """Creates the file and the folders above it, or empties it; raises :class:`ResultsError`."""
        try:
            if self.path.exists() and not self.path.is_file():
                raise ResultsError(f"{self.path}: results need an ordinary file")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(b"")
        except OSError as error:
            raise ResultsError(f"{self.path}: results cannot be written: {error.strerror}") from None

    def append(self, row: Row) -> None:
        """Adds one row.

        The line is handed over in a single write at the end of the file, so that lines of several writers never mix
        and a kill leaves no half row. Raises :class:`ResultsError`, also for what is no JSON.
        """
        line = to_line(row).encode()
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                written = os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ResultsError(f"{self.path}: results cannot be written: {error.strerror}") from None
        if written < len(line):
            raise ResultsError(f"{self.path}: results cannot be written: the device is full")

    def finish(self, rows: Iterable[Row] | None = None) -> list[Row]:
        """Puts the rows (by default those of the file) in order, and returns them.

        The order depends on what the rows say alone, never on the order in which samples ran. The file is replaced as a
        whole: whoever reads it meanwhile sees the old or the new one.
        """
        ordered = sorted(read(self.path).rows if rows is None else rows, key=_place)
        try:
            replace_file(self.path, "".join(map(to_line, ordered)))
        except OSError as error:
            raise ResultsError(f"{self.path}: results cannot be written: {error.strerror}") from None
        return ordered


def replace_file(path: Path, text: str) -> None:
    """Writes a file in UTF-8: it is replaced as a whole or, where this raises :class:`OSError`, left as it was."""
    target = path.resolve()  # a link stays a link
    fresh = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        fresh.write_bytes(text.encode())
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def read(path: Path | str) -> Results:
    """The rows of a results file.

    Raises :class:`ResultsError` where the file cannot be read, for a line that is no row (only the last may be
    incomplete), and for another schema version.
    """
    path = Path(path)
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be read: {error.strerror}") from None
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            if number == len(lines):  # a whole line ends in a line break, and so is never the last piece
                return Results(rows, torn=number)
            problem = f"column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "not UTF-8"
            raise ResultsError(f"{path}:{number}: not a JSON object: {problem}") from None
        rows.append(_row(row, f"{path}:{number}"))
    return Results(rows)


def to_line(row: Row) -> str:
    """A row as the line that stands in the file, with its line break; raises :class:`ResultsError`."""
    data = {key: value if key == "calls" else _sorted(value) for key, value in row.to_json().items()}
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    except (TypeError, ValueError) as error:
        raise ResultsError(f"a row of results is no JSON: {error}; in {data!r}") from None
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _sorted(value: Any) -> Any:
    """The value with the keys of every table in it in alphabetical order."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(part) for part in value] if isinstance(value, list | tuple) else value


def _place(row: Row) -> tuple[Any, ...]:
    """What decides a row's place: who and what was tested, then, for rows that agree in that, their whole content."""
    return row.suite, row.model, row.operators, row.index, row.repeat, to_line(without_times(row))


def _row(row: Any, place: str) -> Row:
    if not isinstance(row, dict):
        raise ResultsError(f"{place}: not a JSON object: {type(row).__name__}")
    if (version := row.get("schema_version")) != SCHEMA_VERSION:
        raise ResultsError(
            f"{place}: schema_version is {version!r}; this release of pytest-autoeval reads {SCHEMA_VERSION}"
        )
    if missing := [key for key in ROW_KEYS if key not in row]:
        raise ResultsError(f"{place}: the row lacks {', '.join(missing)}")
    if null := [key for key in NEVER_NULL if row[key] is None]:
        raise ResultsError(f"{place}: the row has no value for {', '.join(null)}")
    return Row.from_json(row)
