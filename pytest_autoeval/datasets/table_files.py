"""The rows of a CSV or JSON file, each with its line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pytest_autoeval.datasets.columns import (
    NEEDED_BY_REQUIREMENTS,
    Columns,
    RawRow,
    RowError,
    column_problem,
    columns_of,
    renamed,
)
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.file_language import with_languages
from pytest_autoeval.datasets.file_text import text_of
from pytest_autoeval.datasets.formula_lines import formulas_on_lines
from pytest_autoeval.datasets.temporal_formulas import beside_sentences, letters_in, words_in
from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.option_names import option_name
from pytest_autoeval.record.file import ResultsError, is_results, read_file
from pytest_autoeval.record.task_parts import Translated

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)
#: What may separate the cells of a table. Of equally likely ones the first is taken.
_DELIMITERS = (",", ";", "\t", "|")
#: A first line by which Excel says what separates the cells; it is no part of the table.
_SEPARATOR_LINE = lazy_pattern(r"\A\ufeff?\"?sep=(?P<sign>[^\r\n])\"?(?:\r\n|\n|\r)", re.IGNORECASE)
#: What separates the columns of tables that are read as one column.
_OTHER_SEPARATORS = lazy_pattern(r"[:^~|;\t]|\s{2,}")
#: The columns of MALLS, by both of which it is recognised: each alone may mean something else. Source: Yang et al.,
#: "Harnessing the Power of Large Language Models for Natural Language to First-Order Logic Translation" (ACL 2024).
_MALLS = (("NL", "sentence"), ("FOL", "formula"))
#: The keys of a file of Multi-LogiEval: Patel et al., "Multi-LogiEval" (EMNLP 2024).
_MULTI_LOGI_EVAL = frozenset(("logic", "rule", "depth", "samples"))
#: Characters by which the results of a run are recognised.
_BEGINNING = 200
#: How many columns of a file a message lists.
_MOST_NAMES = 12
_QUOTING = "put a cell with commas or quotes in double quotes, and double each quote inside it"


@dataclass(frozen=True, slots=True, eq=False)
class FileRows(Generic[T]):
    """The usable rows of files, in their order; a line for each unusable row, and for each oddity."""

    rows: tuple[T, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Reader(Protocol[R_co]):
    """A function that reads files, whose columns may have names that the user gave."""

    def __call__(self, files: Sequence[Path], columns: Columns = ()) -> R_co: ...


def cached_while_unchanged(read: Callable[[Sequence[Path], Columns], T]) -> Reader[T]:
    """Caches a reader by the versions of its files, and of the JSON files (ontologies) in their folders."""

    @lru_cache(maxsize=32)
    def cached(
        files: tuple[Path, ...],
        columns: Columns,
        _versions: tuple[tuple[int, int], ...],
        _option: str,
    ) -> T:
        return read(files, columns)

    def current(files: Sequence[Path], columns: Columns = ()) -> T:
        distinct = tuple(dict.fromkeys(files))
        # A table may name any JSON file of its folder as its ontology, so a change of these counts too.
        folders = {file.parent for file in distinct}
        beside = {path for folder in folders for path in folder.glob("*.json")}
        statuses = (path.stat() for path in (*distinct, *sorted(beside)) if path.is_file())
        versions = tuple((status.st_mtime_ns, status.st_size) for status in statuses)
        # Messages about rows name this option, which a command calls otherwise than pytest.
        return cached(distinct, columns, versions, option_name("columns"))

    return current


def check_file(path: Path, columns: Columns = ()) -> None:
    """Raises :class:`DataSetError` for a file whose rows all lack a needed column."""
    rows = [row for row in read_table(path, columns) if not row.problem]
    problem = ""
    for names in dict.fromkeys(tuple(row.values) for row in rows):
        try:
            missing = column_problem(names) or _lacks_propositions(names, rows)
        except RowError as error:
            missing = str(error)
        if not missing:
            return
        problem = problem or missing
    # No row has fitting columns. Otherwise each unfit row reports its own problem.
    if problem:
        raise DataSetError(f"{path}: {problem}{_of_one_column(rows)}")


def _lacks_propositions(names: Sequence[str], rows: Iterable[RawRow]) -> str:
    """An error message if rows of sentences with temporal formulas name no propositions, in any way."""
    with_columns = [row for row in rows if tuple(row.values) == names]
    if not all(row.kind == "sentence" and row.language == "ltl" for row in with_columns):
        return ""
    columns = columns_of(names)
    for row in with_columns:
        with suppress(FormulaSyntaxError):
            sentence = str(row.values[columns["sentence"]])
            text = str(row.values[columns["formula"]])
            formula = row.temporal.formula(text, words_in(sentence))
            if letters_in(sentence, formula) or not symbols(formula).propositions:
                return ""
    return column_problem(names, NEEDED_BY_REQUIREMENTS)


def _of_one_column(rows: Sequence[RawRow]) -> str:
    """A hint if the header of a table is one column, because something else separates its columns."""
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    if len(names) != 1 or not _OTHER_SEPARATORS.search(names[0].strip()):
        return ""
    return f"; the header {names[0]!r:.60} is one column: separate columns by commas, semicolons or tabs"


def read_each_row(
    files: Sequence[Path], take: Callable[[Path, RawRow], None], columns: Columns
) -> tuple[str, ...]:
    """Calls ``take`` with each row; returns a line (file, line, reason) for each row refused with :class:`RowError`."""
    problems: list[str] = []
    for file in files:
        for row in read_table(file, columns):
            try:
                take(file, row)
            except RowError as problem:
                problems += (f"{file}:{row.place}: {line}" for line in problem.args)
    return tuple(problems)


def read_table(path: Path, columns: Columns = ()) -> list[RawRow]:
    """The rows of a file with their kinds and languages; raises :class:`DataSetError` if it cannot be read at all.

    ``columns`` are names in the file that the user gave.
    """
    return with_languages(path, unread_rows(path, columns))


def unread_rows(path: Path, columns: Columns) -> list[RawRow]:
    """The rows of a file as written, whose ending is its format; raises :class:`DataSetError`."""
    if path.is_dir():
        raise DataSetError(f"{path}: this is a folder; name a file")
    read = _READERS.get(path.suffix.casefold())
    if read is None:
        alone = "that of a list of sentences in .md"
        raise DataSetError(
            f"{path}: the name of a data file ends in .csv, .tsv, .jsonl, .json or .txt, {alone}"
        )
    text = text_of(path)
    if not text.strip():
        raise DataSetError(f"{path}: the file is empty")
    # Results end in .jsonl like other files, so their beginning decides.
    if is_results(text[:_BEGINNING].encode()):
        rows = list(_of_results(path))
    else:
        rows = list(read(path, text, columns))
    if not rows:
        raise DataSetError(f"{path}: the file has a header, but no rows")
    is_of_malls = any(row.values.keys() >= dict(_MALLS).keys() for row in rows)
    if is_of_malls and not columns:
        columns = tuple((column, name) for name, column in _MALLS)
        rows = [replace(row, values={"language": "first_order", **row.values}) for row in rows]
    return _named(path, rows, columns) if columns else rows


def _of_results(path: Path) -> Iterator[RawRow]:
    """The round trips of a run: the columns that their pairs of formulas need."""
    try:
        results = read_file(path)
    except ResultsError as problem:
        raise DataSetError(str(problem)) from None
    lines_of_task: dict[str, list[int]] = {}
    for suite in results.suites:
        # The outcome of another task is not about these two formulas: a right answer may be a negation.
        if suite.asked.task is not None:
            lines = results.lines.get(suite, ())
            lines_of_task.setdefault(suite.asked.task, []).extend(lines)
            continue
        for sample, line in zip(suite.samples, results.lines.get(suite, ()), strict=True):
            translated = sample.part(Translated)
            values = {
                "language": suite.asked.language,
                "grammar": suite.asked.source,
                # The outcome is about what the test compared.
                "formula": sample.compared_with or sample.formula,
                "translation": sample.compared or sample.translation,
                "outcome": sample.outcome,
                "alignment": (translated and translated.alignment) or None,
            }
            yield RawRow(str(line), values)
    other_lines = [line for lines in lines_of_task.values() for line in lines]
    if other_lines:
        tasks = ", ".join(lines_of_task)
        others = f"this and other samples of tasks ({tasks}), {len(other_lines):,} in all"
        yield RawRow(str(min(other_lines)), {}, f"{others}: only round trips are pairs")
    if results.torn is not None:
        yield RawRow(str(results.torn), {}, "the line is incomplete: the run was killed")


def _named(path: Path, rows: Sequence[RawRow], columns: Columns) -> list[RawRow]:
    """The rows under the columns that the user named; raises :class:`DataSetError` for a name that no row has."""
    present = dict.fromkeys(name for row in rows for name in row.values)
    for column, name in columns:
        if name in present or not present:
            continue
        comparable = name.strip().casefold()
        similar = [header for header in present if header.strip().casefold() == comparable]
        hint = f" Did you mean {similar[0]!r}?" if similar else did_you_mean(name, present)
        names = ", ".join(repr(header[:60]) for header in islice(present, _MOST_NAMES))
        problem = f"there is no column {name!r}, named for {column!r}"
        raise DataSetError(f"{path}: {problem}; the columns are: {names}.{hint}")
    column_names = dict(columns)
    return [replace(row, values=renamed(row.values, columns), shown=column_names) for row in rows]


def delimiter_of(text: str, columns: Columns = ()) -> tuple[str, str]:
    """What separates the cells of a table, and its first line if that is only about this; else an empty text."""
    line = _SEPARATOR_LINE.match(text)
    return (line["sign"], line[0]) if line else (_delimiter(text, columns), "")


def _csv(path: Path, text: str, columns: Columns) -> Iterator[RawRow]:
    line = _SEPARATOR_LINE.match(text)
    if not text[line.end() if line else 0 :].strip():
        raise DataSetError(f"{path}: the file is empty")
    delimiter, first_line = delimiter_of(text, columns)
    records = _records(text[len(first_line) :], delimiter, int(bool(first_line)))
    header_line, header, problem = next(records)
    if problem:
        raise DataSetError(f"{path}:{header_line}: {problem}")
    # Of two columns with one name, a row could keep only one value.
    twice = first_repeated(name for name in header if name.strip())
    if twice:
        raise DataSetError(f"{path}:{header_line}: two columns are called {twice!r}")
    width = len(header)
    for number, cells, problem in records:
        # A cell with a comma and no quotes is two cells: the columns after it would have wrong values.
        row_problem = problem
        if not problem and any(cell.strip() for cell in cells[width:]):
            row_problem = f"{len(cells)} cells, but the header names {width} columns; {_QUOTING}"
        if row_problem or any(cell.strip() for cell in cells):
            # A row may leave out empty cells at its end.
            values = dict(zip_longest(header, cells[:width], fillvalue=""))
            yield RawRow(str(number), values, row_problem)


def _records(text: str, delimiter: str, skipped: int) -> Iterator[tuple[int, list[str], str]]:
    """Each record's first line, its cells, and why it cannot be read. ``skipped`` lines stand above the text."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = skipped + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            yield line, [], f"not CSV: {problem}; {_QUOTING}"
        else:
            if cells:
                yield line, cells, ""


def _delimiter(text: str, columns: Columns) -> str:
    """What separates the columns: what makes most known ones of the header, or else most columns."""
    header = text.lstrip("\r\n").splitlines()[0]
    named_columns = {name.strip().casefold() for _, name in columns}

    # The number of columns counts only if none is known: a comma inside a name would win over the semicolons.
    def columns_by(delimiter: str) -> tuple[int, int]:
        names = header.replace('"', "").split(delimiter)
        try:
            count = len(columns_of(names))
        except RowError:
            count = 0
        count += sum(name.strip().casefold() in named_columns for name in names)
        return count, 0 if count else len(names)

    return max(_DELIMITERS, key=columns_by)


def _text(path: Path, text: str, _columns: Columns) -> Iterator[RawRow]:
    formulas = formulas_on_lines(text)
    if formulas is not None:
        yield from (RawRow(str(number), {"formula": line}) for number, line in formulas)
        return
    lines = beside_sentences(text)
    if lines is None:
        hint = (
            "only the data sets sentences_ltl, sentences_propositional and "
            "sentences_first_order take sentences alone"
        )
        raise DataSetError(
            f"{path}: not every line has a sentence, a ; and its formula of temporal logic; {hint}"
        )
    for line in lines:
        values = {"sentence": line.sentence, "formula": line.formula, "language": "ltl"}
        yield RawRow(str(line.line), {} if line.problem else values, line.problem)


def _json_lines(_path: Path, text: str, _columns: Columns) -> Iterator[RawRow]:
    # Only a line feed ends a line: a text may contain the other line ends.
    for line, written in enumerate(text.split("\n"), start=1):
        if written.strip():
            try:
                yield _json_row(str(line), decoded(written))
            except ValueError as problem:
                yield RawRow(str(line), {}, str(problem).removeprefix("line 1, "))


def _json(path: Path, text: str, _columns: Columns) -> Iterator[RawRow]:
    try:
        values = decoded(text)
    except ValueError as problem:
        hint = (
            "; name a file with one object per line .jsonl" if "Extra data" in str(problem) else ""
        )
        raise DataSetError(f"{path}: {problem}{hint}") from None
    start = 0
    if (
        isinstance(values, dict)
        and values.keys() == _MULTI_LOGI_EVAL
        and isinstance(values["samples"], list)
    ):
        start = text.index('"samples"')
        values = list(_with_file_facts(values))
    if not isinstance(values, list):
        raise DataSetError(f"{path}: a .json file must be a list of objects, one for each row")
    for line_name, value in zip(_places_of_items(text, start), values, strict=False):
        yield _json_row(line_name, value)


def _with_file_facts(file: dict[str, Any]) -> Iterator[Any]:
    """The questions of a file of Multi-LogiEval, each with what holds of the file. Ids are of one file alone."""
    logic, rule, depth = (str(file[name]) for name in ("logic", "rule", "depth"))
    for number, sample in enumerate(file["samples"], start=1):
        if isinstance(sample, dict):
            full_id = f"{depth}/{logic}/{rule}/{sample.get('id', number)}"
            yield {**sample, "id": full_id, "group": f"{logic} {depth}", "pattern": rule}
        else:
            yield sample


def _places_of_items(text: str, start: int) -> Iterator[str]:
    """The line of each item of the first JSON list after ``start``, with its column if it shares the line."""
    decoder = json.JSONDecoder()
    line, earlier, begins, counted = 1, 0, 0, 0
    index = text.index("[", start) + 1
    while True:
        while text[index] in " \t\r\n,":
            index += 1
        if text[index] == "]":
            return
        breaks = text.count("\n", counted, index)
        if breaks:
            line = line + breaks
            begins = text.rindex("\n", counted, index) + 1
        # Objects on one line would share their number, by which problems and items are named.
        yield f"{line}:{index - begins + 1}" if line == earlier else str(line)
        earlier, counted = line, index
        _, index = decoder.raw_decode(text, index)


def _json_row(line_name: str, value: Any) -> RawRow:
    if isinstance(value, dict):
        return RawRow(line_name, value)
    return RawRow(
        line_name, {}, f"a row must be an object with columns as keys, not {json.dumps(value)[:40]}"
    )


def decoded(text: str) -> Any:
    """The value of a JSON text; raises :class:`ValueError` for bad JSON, and for a repeated key in an object."""
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except json.JSONDecodeError as problem:
        raise ValueError(
            f"line {problem.lineno}, column {problem.colno}: not JSON: {problem.msg}"
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"not JSON: {problem}") from None


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    # The parser of JSON would keep the last value, and so drop the other one without a word.
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError(
            f"the key {first_repeated(name for name, _ in pairs)!r} occurs twice in one object"
        )
    return values


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that occurs again."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


#: The readers by the ending of a file.
_READERS: dict[str, Callable[[Path, str, Columns], Iterator[RawRow]]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _text,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
}
