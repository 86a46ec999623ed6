"""A report on data files: the readable rows, and the data sets that can use them. No model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from pytest_autoeval.built_in import provided, shipped
from pytest_autoeval.by_name import located
from pytest_autoeval.datasets.catalogue import (
    data_set,
    data_set_names,
    doubts_in,
    file_problems,
    has_text_alone,
    takes_files,
)
from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RawRow, RowError, language_in
from pytest_autoeval.datasets.file_language import common_of
from pytest_autoeval.datasets.formulas import FormulaSet, files_of_formulas, read_formulas
from pytest_autoeval.datasets.pairs import read_pairs
from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet
from pytest_autoeval.datasets.table_files import read_table
from pytest_autoeval.datasets.temporal_rows import read_rows
from pytest_autoeval.languages import language_names
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The status of a row. ``unused``: a correct row that no test needs, such as a repeated round trip or a round trip
#: without a translation.
RowStatus = Literal["read", "repaired", "reported", "unused"]
#: Called repeatedly with a line about the current step.
Progress = Callable[[str], None]

#: The problem of a sentence with a formula of temporal logic and without phrases for its propositions.
LACKS_PROPOSITIONS = lazy_pattern(r"also needs? the column 'propositions'")
#: The default number of sentences to make candidates for; each takes 10 ms or more.
DEFAULT_SENTENCE_COUNT = 200


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a row: its file, its place (the line), and a line of text."""

    file: Path
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.place}: {self.text}"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The numbers of rows by status, and remarks about them; ``odd`` rows were read but may contain mistakes.

    ``clusters`` has the number of rows of each value of the column ``cluster``; empty without one. ``lack_phrases`` is
    the number of rows that were read in first-order logic, and lack propositions to be read in temporal logic too.
    """

    path: Path
    rows: Mapping[RowStatus, int]
    reported: tuple[Remark, ...]
    repaired: tuple[Remark, ...]
    odd: tuple[Remark, ...]
    clusters: Mapping[str, int]
    lack_phrases: int


class Examined(Protocol):
    """What a shipped plugin says of files, from the reading of their rows.

    Attributes:
        data_sets: the number of items by data set of the plugin; None if not every item was tried.
        repairs: lines about rows that were repaired.
        notes: lines about rows that may contain mistakes.
        sound: whether nothing is wrong beside the rows that cannot be read.
    """

    data_sets: Mapping[str, int | None]
    repairs: Sequence[str]
    notes: Sequence[str]
    sound: bool

    def __init__(
        self, files: Sequence[Path], columns: Columns, number: int, seed: int, progress: Progress
    ) -> None:
        """Examines files. ``number``: how many items to try that take long."""

    def lines(self, *, verbose: bool) -> Iterator[str]:
        """What is printed of it."""
        ...

    def as_json(self) -> Mapping[str, Any]:
        """The same as JSON."""
        ...


@dataclass(frozen=True, slots=True)
class DataCheck:
    """The report on files, read together as a run reads them.

    ``examined`` is what shipped plugins say of them. ``data_sets`` has the number of items by data set, None if not
    every sentence was tried. ``formulas`` has the number of formulas for round trips by language. ``doubts`` are files
    that suites may read in several languages. ``left_out`` lists items that could not be made from valid rows.
    ``unknown_languages`` are named by rows; the `conftest.py` of a run may add them.
    """

    files: tuple[FileCheck, ...]
    examined: tuple[Examined, ...]
    data_sets: Mapping[str, int | None]
    formulas: Mapping[str, int]
    doubts: tuple[str, ...]
    left_out: tuple[str, ...]
    unknown_languages: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing was reported, is in doubt, or is wrong as the plugins see it."""
        is_right = all(examined.sound for examined in self.examined)
        return is_right and not self.doubts and not any(file.reported for file in self.files)


def check(
    files: Sequence[Path],
    *,
    candidates: int = DEFAULT_SENTENCE_COUNT,
    seed: int = 0,
    columns: Columns = (),
    progress: Progress = lambda _: None,
) -> DataCheck:
    """The report on files.

    ``candidates`` is the number of sentences that candidates are made for; this takes most of the time.
    """
    files = tuple(dict.fromkeys(files))
    progress(f"reading {', '.join(file.name for file in files)}")
    tables = tuple(file for file in files if not has_text_alone(file))
    unreadable = file_problems(files, columns)
    examined: list[Examined] = []
    counts: dict[str, int | None] = {}
    for name in provided("examiner"):
        examined.append(
            located(shipped("examiner", name))(tables, columns, candidates, seed, progress)
        )
        counts |= examined[-1].data_sets
    left_out: list[str] = []
    for name in data_set_names():
        if name not in counts and takes_files(name):
            progress(name)
            dataset = data_set(name, files, columns)
            if isinstance(dataset, PlainSentenceSet):
                # Some may wait for their names.
                counts[name] = dataset.number_of_sentences
            elif dataset is not None:
                counts[name] = sum(
                    len(dataset.items(size, seed=seed)) for size in dataset.sizes or ()
                )
                left_out += [
                    line
                    for line in (*dataset.problems, *dataset.shortfalls)
                    if line not in unreadable
                ]
    return DataCheck(
        tuple(_file_checks(tables, examined, unreadable, columns)),
        tuple(examined),
        {name: counts[name] for name in data_set_names() if counts.get(name, 0) != 0},
        _formulas(files_of_formulas(tables, columns), columns),
        tuple(map(str, doubts_in(tables, columns))),
        tuple(dict.fromkeys(left_out)),
        _unknown_languages(tables, columns),
    )


def _unknown_languages(files: Sequence[Path], columns: Columns) -> tuple[str, ...]:
    """The languages that rows with a formula name, and that do not exist here."""
    known = language_names()
    unknown: dict[str, None] = {}
    for file in files:
        for row in read_table(file, columns):
            name = language_in(row.values)
            if name is not None and name not in known:
                unknown[name] = None
    return tuple(unknown)


def _formulas(files: Sequence[Path], columns: Columns) -> dict[str, int]:
    """The number of formulas for round trips, by language."""
    read = read_formulas(files, columns)
    possible = {row.language for row in read.rows}
    for doubt in doubts_in(files, columns):
        possible.update(doubt.languages)
    sets = [FormulaSet(name, read) for name in language_names() if name in possible]
    numbers = {}
    for formula_set in sets:
        # A language that can read none of the formulas is not worth a line.
        if formula_set.sizes:
            items = (formula_set.items(size) for size in formula_set.sizes)
            numbers[formula_set.language] = sum(map(len, items))
    return numbers


def _file_checks(
    files: Sequence[Path], examined: Sequence[Examined], unreadable: Sequence[str], columns: Columns
) -> Iterator[FileCheck]:
    pairs = {pair.source for pair in read_pairs(files, columns).rows}
    repairs = [line for examination in examined for line in examination.repairs]
    notes = [line for examination in examined for line in examination.notes]
    notes += [*read_rows(files, columns).notes, *read_formulas(files, columns).notes]
    for file in files:
        statuses: dict[str, RowStatus] = {}
        clusters: Counter[str] = Counter()
        in_doubt: set[str] = set()
        for row in read_table(file, columns):
            # The reader of temporal logic takes such a row too, if the file names no language.
            if row.kind == "sentence" and not row.language and "first_order" in common_of(row):
                in_doubt.add(row.place)
            clusters.update(_cluster_of(row))
            is_pair = row.kind in ("pair", "round trip")
            is_unused = is_pair and f"{file.name}:{row.place}" not in pairs
            statuses[row.place] = "unused" if is_unused else "read"
        problems = _remarks(file, statuses, unreadable)
        # A row that is read in first-order logic is not left out, whatever it lacks in temporal logic.
        lacking = [
            remark
            for remark in problems
            if remark.place in in_doubt and LACKS_PROPOSITIONS.search(remark.text)
        ]
        reported = tuple(remark for remark in problems if remark not in lacking)
        repaired = tuple(_remarks(file, statuses, repairs))
        odd = tuple(_remarks(file, statuses, notes))
        # A row may be both: what was left out counts more than what was repaired.
        statuses |= {remark.place: "repaired" for remark in repaired}
        statuses |= {remark.place: "reported" for remark in reported}
        counted = Counter(statuses.values())
        by_status = {status: counted[status] for status in get_args(RowStatus)}
        yield FileCheck(file, by_status, reported, repaired, odd, clusters, len(lacking))


def _cluster_of(row: RawRow) -> list[str]:
    """The cluster of a row; empty if it has none, or cannot be read."""
    with suppress(RowError):
        cluster = Cells(row).name("cluster")
        return [] if cluster is None else [cluster]
    return []


def _remarks(file: Path, lines_of_file: Collection[str], lines: Iterable[str]) -> list[Remark]:
    remarks: list[Remark] = []
    prefix = f"{file}:"
    for line in lines:
        line_name, _, text = line.removeprefix(prefix).partition(": ")
        if line.startswith(prefix) and line_name in lines_of_file:
            remarks.append(Remark(file, line_name, text))

    def position(remark: Remark) -> tuple[int, ...]:
        # As numbers: by its text, line 10 would come before line 9.
        return tuple(map(int, remark.place.split(":")))

    return sorted(remarks, key=position)
