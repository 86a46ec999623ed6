"""The results file: JSON Lines with one sample on each line. `docs/reference/results.md` describes every key."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cmp_to_key
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.given_file import check_given, read_given
from pytest_autoeval.line_file import LineFile
from pytest_autoeval.reporting.old_rows import as_rows_are_today, never_counted
from pytest_autoeval.reporting.row import NEVER_NULL, ROW_KEYS, SCHEMA_VERSION, Row, without_times
from pytest_autoeval.reporting.row_check import shown, wrong_value
from pytest_autoeval.reporting.sent_texts import fill_in, shared_once
from pytest_autoeval.written_file import RESULTS, target_of, write_file

if TYPE_CHECKING:
    from filelock import FileLock

#: Legal in JSON, but a line break, a control code, a command to a CI runner, or invalid Unicode for some programs.
_UNSAFE = re.compile(r"#(?=#[a-zA-Z]*\[)|[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")

_LONGEST_INTEGER = 40  # digits
_DEEPEST = 50  # lists and objects inside each other

#: The mark of a row from an interrupted run. Inside a text the quotes would be escaped.
_UNFINISHED = b', "unfinished": true'


class ResultsError(AutoevalError):
    """A results file cannot be written or read. The message names the file, and the line if there is one."""


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of a results file, with their line numbers.

    ``torn`` is the number of the last line if it is incomplete because its writer was killed; it is left out.
    """

    rows: list[Row]
    torn: int | None = None
    lines: list[int] = field(default_factory=list, compare=False)


class ResultsFile:
    """A results file that many threads and processes write at once.

    Each process needs its own object. Only the process that leads the run calls :meth:`start` and :meth:`finish`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = LineFile(path)
        self._in_use: FileLock | None = None
        self._lock = Lock()
        self._finished = False

    def start(self) -> Path | None:
        """Makes a new file and the folders above it. No other run can start one there before :meth:`close`.

        If the old file is from an interrupted run, it is renamed, and its new name is returned; otherwise it is
        replaced. Raises :class:`ResultsError`, also if another run is writing to the file.
        """
        from filelock import FileLock, Timeout

        with self._writing():
            target = target_of(self.path, RESULTS)
            target.parent.mkdir(parents=True, exist_ok=True)
            in_use = FileLock(target.with_name(f".{target.name}.lock"), blocking=False, thread_local=False)
            try:
                in_use.acquire()
            except Timeout:
                raise ResultsError(f"{self.path}: another run is writing its results to this file") from None
            self._in_use = in_use
            earlier = _set_aside(target) if target.exists() and _UNFINISHED in target.read_bytes() else None
            write_file(self.path, [], RESULTS)
        return earlier

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ResultsError(f"{self.path}: results cannot be written: {error.strerror}") from None

    def append(self, row: Row) -> None:
        """Appends one row, completely or not at all; raises :class:`ResultsError`.

        After :meth:`finish` nothing is appended: a sample that was under way at Ctrl-C is in no count of the run.
        """
        line = to_line(row)
        with self._lock, self._writing():
            if not self._finished:
                self._lines.append(line.encode())

    def close(self) -> None:
        """Lets other runs start a file there."""
        if self._in_use is not None:
            with suppress(PermissionError):  # Windows removes no open file; there the lock does it itself
                Path(self._in_use.lock_file).unlink(missing_ok=True)
            self._in_use.release()

    def finish(self, rows: Iterable[Row] | None = None) -> list[Row]:
        """Puts the rows (by default those of the file) in order, and returns them.

        The file is replaced as a whole: a reader sees either the old or the new one.
        """
        ordered = in_order(read(self.path, own=True).rows if rows is None else rows)
        with self._lock, self._writing():
            self._finished = True
            self._lines.close()  # Windows replaces no open file
            write_file(self.path, map(to_line, shared_once(ordered)), RESULTS)
        return ordered


def _set_aside(file: Path) -> Path:
    """Renames the results of an interrupted run by the time of their last change; returns the new name."""
    when = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
    name = f"{file.name}.interrupted-{when:%Y%m%d-%H%M%S}"
    names = (file.with_name(f"{name}{f'-{number}' if number else ''}") for number in itertools.count())
    return file.rename(next(name for name in names if not name.exists()))


def read(path: Path | str, *, own: bool = False) -> Results:
    """The rows of a results file. A file that this run wrote (``own``) may have any values from the user's tests.

    Raises :class:`ResultsError` if the file cannot be read, for a line that is not a row (only the last may be
    incomplete), for a value of a wrong type, and for another schema version.
    """
    path = Path(path)
    try:
        lines = read_given(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be read: {error.strerror}") from None
    results = Results([])
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _decoded(line)
        except (ValueError, RecursionError) as error:
            if number == len(lines):  # a whole line ends in a line break, and so is never the last piece
                results = replace(results, torn=number)
                break
            hint = "" if path.suffix == ".jsonl" else "; give the results of a run (--autoeval-results=RUN.jsonl)"
            raise ResultsError(f"{path}:{number}: not a JSON object: {_reason(error)}{hint}") from None
        if isinstance(row, dict):
            if never_counted(row):
                continue
            row = as_rows_are_today(row)
        if problem := _problem(row, own=own):
            raise ResultsError(f"{path}:{number}: {problem}")
        results.rows.append(Row.from_json(row))
        results.lines.append(number)
    fill_in(results.rows)
    return results


def first_row(path: Path) -> Row | None:
    """The first row of a results file, None if the file is empty. Raises :class:`ResultsError`, as :func:`read`."""
    try:
        check_given(path)
        with path.open("rb") as file:
            line = next((line for line in file if line.removeprefix(b"\xef\xbb\xbf").strip()), b"")
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be read: {error.strerror}") from None
    if not line:
        return None
    try:
        row = _decoded(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: the first row is not a JSON object: {_reason(error)}") from None
    if isinstance(row, dict):
        row = as_rows_are_today(row)
    if problem := _problem(row, own=False):
        raise ResultsError(f"{path}: {problem}")
    return Row.from_json(row)


def _decoded(line: bytes) -> Any:
    """The value of a line; raises :class:`ValueError`, or :class:`RecursionError` if it is nested too deeply."""
    value = _DECODER.decode(line.decode())
    if line.count(b"[") + line.count(b"{") > _DEEPEST:  # else it cannot be
        _check_depth(value, 1)
    return value


def _check_depth(value: Any, depth: int) -> None:
    if isinstance(value, list | dict):
        if depth > _DEEPEST:
            raise RecursionError
        for part in value.values() if isinstance(value, dict) else value:
            _check_depth(part, depth + 1)


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"column {error.colno}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start + 1}"
    return (
        f"more than {_DEEPEST} lists and objects inside each other" if isinstance(error, RecursionError) else str(error)
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = Counter(name for name, _ in pairs)
        raise ValueError(f"the key {names.most_common(1)[0][0]!r} occurs twice in one object")
    return made


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise ValueError(f"an integer of more than {_LONGEST_INTEGER} digits")
    return int(text)


def _number(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError(f"{text[:20]} is too large for a number")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_no_number
)


def to_line(row: Row) -> str:
    """A row as a line of the file, with its line break; raises :class:`ResultsError`."""
    data = row.to_json()
    try:
        return f"{_json(data)}\n"
    except (TypeError, ValueError) as error:
        raise ResultsError(f"a row of results is not JSON: {error}; in {data!r}") from None


def wrong_keys(row: Row) -> dict[str, str]:
    """The keys of a row that could not be read again from a file, with the problem of each value.

    Raises :class:`ResultsError` if the problem is not in a single key.
    """
    problem = _wrong(row.to_json())
    if not problem:
        return {}
    wrong = {key: why for key, value in row.to_json().items() if (why := _wrong({"calls": [], key: value}, key))}
    if not wrong:
        raise ResultsError(f"a row of results could not be read again: {problem}")
    return wrong


def _wrong(data: Mapping[str, Any], key: str = "") -> str:
    try:
        return wrong_value(_decoded(_json(data).encode()))
    except (TypeError, ValueError, RecursionError) as error:
        return f"{key}: {_reason(error)}"


def _json(data: Mapping[str, Any]) -> str:
    data = {key: value if key == "calls" else _sorted(value) for key, value in data.items()}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _sorted(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):  # nearly all values: spares them the slow check below
        return value
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(part) for part in value] if isinstance(value, list | tuple) else value


def in_order(rows: Iterable[Row]) -> list[Row]:
    """The rows in an order that depends only on their content, and not on the order in which samples ran."""
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[Any, ...]:
    """The sort key of a row: who and what was tested, then the whole content."""
    return (
        row.suite,
        row.model,
        row.operators,
        row.index,
        row.repeat,
        row.facts.get("paraphrase") or 0,
        _by_content(row),
    )


@cmp_to_key
def _by_content(one: Row, other: Row) -> int:
    left, right = to_line(without_times(one)), to_line(without_times(other))
    return (left > right) - (left < right)


def _problem(row: Any, *, own: bool) -> str:
    if not isinstance(row, dict):
        return f"not a JSON object: {type(row).__name__}"
    if (version := row.get("schema_version")) != SCHEMA_VERSION:
        return f"schema_version is {shown(version)}; this release of pytest-autoeval reads {SCHEMA_VERSION}"
    if missing := [key for key in ROW_KEYS if key not in row]:
        return f"the row lacks {', '.join(missing)}"
    if null := [key for key in NEVER_NULL if row[key] is None]:
        return f"the row has no value for {', '.join(null)}"
    return "" if own else wrong_value(row)
