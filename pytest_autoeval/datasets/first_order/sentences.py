"""Sentences with their formulas of first-order logic: what files say, in our own form or in that of stories.

A story is a row of FOLIO's form: Han et al., "FOLIO: Natural Language Reasoning with First-Order Logic" (EMNLP 2024).
Each of its premises, and its conclusion, is a sentence with a formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pytest_autoeval.datasets.columns import is_formalization, is_story
from pytest_autoeval.datasets.first_order.ontologies import ontology_version
from pytest_autoeval.datasets.first_order.rows import Statement, read_rows_of
from pytest_autoeval.datasets.tables import RawRow, Version, read_table, version_of
from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence

Status = Literal["read", "repaired", "reported"]
_Ontologies = tuple[Version | None, ...]


@dataclass(frozen=True, slots=True)
class RowReport:
    """What became of a row: its place (file, with its folder, and line), and a line for all that there is to report.

    ``problems`` say what of it is left out and why, ``repairs`` what had to be mended, ``notes`` what is odd in it.
    """

    place: str
    problems: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """``reported`` where anything of it is left out, ``repaired`` where something was mended, else ``read``."""
        if self.problems:
            return "reported"
        return "repaired" if self.repairs else "read"


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences that can be used, each once, in the order of the files; what became of each row and formula.

    ``formulas`` has each text of a formula once. While the files do not change, reading them gives the same object.
    """

    entries: tuple[Statement, ...]
    rows: tuple[RowReport, ...]
    formulas: tuple[tuple[str, Status], ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """What is left out, a line each: file, line, column, what is wrong."""
        return tuple(f"{row.place}: {problem}" for row in self.rows for problem in row.problems)

    @property
    def repairs(self) -> tuple[str, ...]:
        """What had to be mended to be read, a line each."""
        return tuple(f"{row.place}: {repair}" for row in self.rows for repair in row.repairs)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about formulas that could be read, a line each."""
        return tuple(f"{row.place}: {note}" for row in self.rows for note in row.notes)

    def row_counts(self) -> dict[Status, int]:
        """How many rows were read, repaired, reported."""
        return _counts(row.status for row in self.rows)

    def formula_counts(self) -> dict[Status, int]:
        """How many texts of formulas were read, repaired, reported."""
        return _counts(status for _, status in self.formulas)


def read_sentences(files: Sequence[Path]) -> Sentences:
    """The sentences of files. Rows that are about something else are for other data sets, and no problem.

    A sentence that was there before is left out, and reported unless both are of stories; so is one that contradicts an
    earlier one: the same sentence, in the same story or of the same ontology, with a formula that means something else.
    Raises :class:`DataSetError` for a file that cannot be read.
    """
    return _read_versions(tuple((file, version_of(file), _ontologies(file)) for file in dict.fromkeys(files)))


@lru_cache(maxsize=32)
def _read_versions(files: tuple[tuple[Path, Version, _Ontologies], ...]) -> Sentences:
    merged = _Merged()
    reports: list[RowReport] = []
    statuses: dict[str, Status] = {}
    for file, version, _ in files:
        for row in read_rows_of(file, _raw_rows(file, version)):
            problems = [problem for statement in row.statements if (problem := merged.add(statement))]
            reports.append(RowReport(f"{file}:{row.place}", (*row.problems, *problems), row.repairs, row.notes))
            for text, status in row.formulas:
                statuses.setdefault(text, status)
    return Sentences(tuple(merged.kept), tuple(reports), tuple(statuses.items()))


class _Merged:
    """The statements so far, none of which says the same as another."""

    def __init__(self) -> None:
        self.kept: list[Statement] = []
        self._questions: dict[Hashable, Statement] = {}
        self._meanings: dict[Hashable, Statement] = {}
        self._names: dict[str, Statement] = {}

    def add(self, statement: Statement) -> str:
        """Takes a statement; else reports what is wrong with it, which is nothing where a story comes again."""
        same = self._questions.get(statement.question)
        namesake = self._names.get(statement.id) if statement.id is not None else None
        if same is not None:
            return "" if statement.of_a_story else f"says the same as {same.source}"
        if namesake is not None:
            return f"the id {statement.id!r} is that of {namesake.source}"
        earlier = self._meanings.setdefault(statement.subject, statement)
        if _differ(earlier.formula, statement.formula):
            where = f"column {statement.where!r}: " if statement.of_a_story else ""
            says = f"{earlier.source} says {earlier.formula} of the same sentence"
            return f"{where}{says}, which is not equivalent to {statement.formula}"
        self._questions[statement.question] = statement
        if statement.id is not None:
            self._names[statement.id] = statement
        self.kept.append(statement)
        return ""


@lru_cache(maxsize=1024)
def _differ(first: Sentence, second: Sentence) -> bool:
    """Whether two formulas are known to differ in meaning."""
    return first != second and language("first_order").equivalent(first, second).outcome == "different"


def _ontologies(path: Path) -> _Ontologies:
    """The versions of the files that the rows of a file name for their ontologies."""
    rows = _raw_rows(path, version_of(path))
    return tuple(dict.fromkeys(ontology_version(row.values.get("ontology"), path) for row in rows))


@lru_cache(maxsize=32)
def _raw_rows(path: Path, _version: Version) -> tuple[RawRow, ...]:
    """The rows about sentences, and those that cannot be read at all."""
    return tuple(row for row in read_table(path) if row.problem or is_story(row.values) or is_formalization(row.values))


def _counts(statuses: Iterator[Status]) -> dict[Status, int]:
    counted = Counter(statuses)
    return {status: counted[status] for status in ("read", "repaired", "reported")}
