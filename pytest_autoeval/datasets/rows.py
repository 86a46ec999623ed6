"""Rows of a data set: what the columns of a file say, read and checked. Untrusted rows are left out and reported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from pytest_autoeval.datasets.base import DataSetError
from pytest_autoeval.datasets.columns import (
    Column,
    columns_of,
    is_formalization,
    is_pair,
    is_story,
    known_columns,
    makes_a_row,
)
from pytest_autoeval.datasets.labels import label
from pytest_autoeval.datasets.notations import formula_of, is_well_formed
from pytest_autoeval.datasets.propositions import Pairs, read_propositions
from pytest_autoeval.datasets.tables import RawRow, Version, read_table, version_of
from pytest_autoeval.languages import FormulaSyntaxError, LimitError, language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.oracle.normal import by_number
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.tokens import is_name
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ltl.traces.notation import read_trace

#: The propositions of a listing, ``x1 = TRUE``, which may be more than the formula has.
_ASSIGNED = re.compile(r"([A-Za-z_][\w.]*)\s*=")


@dataclass(frozen=True, slots=True)
class DataRow:
    """What one row says; None where it says nothing. ``source`` is the name of its file, and its line."""

    source: str
    id: str | None = None
    pattern: str | None = None
    group: str | None = None
    sentence: str | None = None
    propositions: Pairs = ()
    formula: Temporal | None = None
    trace: Lasso | None = None
    satisfies: bool | None = None
    text: str | None = None
    well_formed: bool | None = None

    @property
    def translated(self) -> tuple[str, frozenset[tuple[str, str]]] | None:
        """The sentence and what its phrases stand for; None where there is no formula to be its translation."""
        if self.sentence is None or self.formula is None:
            return None
        pairs = frozenset((phrase.casefold(), atom) for phrase, atom in self.propositions)
        return " ".join(self.sentence.casefold().split()).rstrip("."), pairs

    @property
    def question(self) -> DataRow:
        """The row without its name and the right answer."""
        return replace(self, source="", id=None, pattern=None, group=None, satisfies=None, well_formed=None)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that can be used, in the order of the files, and a line for each that cannot."""

    rows: tuple[DataRow, ...]
    problems: tuple[str, ...]


def _unspaced(text: str) -> str:
    """A text without white space, its ellipses and other signs in their plain forms."""
    return "".join(unicodedata.normalize("NFKC", text).split())


class _RowError(Exception):
    """A row cannot be used."""


def read_rows(files: Sequence[Path]) -> Rows:
    """The rows of files; one that was there before, or contradicts an earlier one, is left out.

    Raises :class:`DataSetError`.
    """
    kept: dict[DataRow, DataRow] = {}
    names: dict[str, DataRow] = {}
    translated: dict[object, DataRow] = {}
    problems: list[str] = []
    for file in dict.fromkeys(files):
        found = _read_file(file)
        problems += found.problems
        for row in found.rows:
            problem = _clash(row, kept.get(row.question), names.get(row.id or ""))
            if problem := problem or _contradiction(row, translated.get(row.translated)):
                problems.append(f"{file.parent / row.source}: {problem}")
                continue
            kept[row.question] = row
            if row.translated is not None:
                translated.setdefault(row.translated, row)
            if row.id is not None:
                names[row.id] = row
    return Rows(tuple(kept.values()), tuple(problems))


def check_file(path: Path) -> None:
    """Raises :class:`DataSetError` for a file that no row can be read of, whatever its rows say."""
    _check_columns(path, read_table(path))


def _clash(row: DataRow, same: DataRow | None, namesake: DataRow | None) -> str | None:
    if same is not None and (same.satisfies, same.well_formed) != (row.satisfies, row.well_formed):
        return f"says the opposite of {same.source}"
    if same is not None:
        return f"says the same as {same.source}"
    return f"the id {row.id!r} is that of {namesake.source}" if namesake is not None else None


def _contradiction(row: DataRow, same: DataRow | None) -> str | None:
    """What is wrong with a row where an earlier one has the same sentence, but a formula that means something else."""
    if same is None or row.formula is None or same.formula is None or not _differ(same.formula, row.formula):
        return None
    return f"{same.source} says {same.formula} of the same sentence, which is not equivalent to {row.formula}"


@lru_cache(maxsize=1024)
def _differ(first: Temporal, second: Temporal) -> bool:
    """Whether two formulas are known to differ in meaning."""
    return language("ltl").equivalent(first, second).outcome == "different"


def _read_file(path: Path) -> Rows:
    return _read_version(path, version_of(path))


@lru_cache(maxsize=32)
def _read_version(path: Path, _version: Version) -> Rows:
    raw = read_table(path)
    _check_columns(path, raw)
    rows: list[DataRow] = []
    problems: list[str] = []
    for entry in raw:
        if any(is_other(entry.values) for is_other in (is_pair, is_story, is_formalization)):
            continue
        try:
            rows.append(_Reader(entry, f"{path.name}:{entry.place}").row())
        except _RowError as problem:
            problems.append(f"{path}:{entry.place}: {problem}")
    return Rows(tuple(rows), tuple(problems))


def _check_columns(path: Path, rows: Iterable[RawRow]) -> None:
    """Refuses a file in which no row has what it takes to be one."""
    readable = [row for row in rows if not row.problem]
    reason = None
    for row in readable:
        try:
            if makes_a_row(columns_of(row.values)):
                return
        except ValueError as problem:
            reason = reason or str(problem)
    if not readable:
        return  # each row says what is wrong with it
    names = dict.fromkeys(name for row in readable for name in row.values if name.strip())
    has = ", ".join(map(repr, names)) or "none"
    raise DataSetError(f"{path}: {reason or f'no columns to make a row of (there are {has}); use {known_columns()}'}")


class _Reader:
    """Reads one row. ``row`` raises :class:`_RowError`."""

    def __init__(self, raw: RawRow, source: str) -> None:
        if raw.problem:
            raise _RowError(raw.problem)
        try:
            self._names: Mapping[Column, str] = columns_of(raw.values)
        except ValueError as problem:
            raise _RowError(str(problem)) from None
        values = {column: raw.values[name] for column, name in self._names.items()}
        self._values: dict[Column, Any] = {
            column: value for column, value in values.items() if value is not None and str(value).strip()
        }
        self._source = source

    def row(self) -> DataRow:
        self._check_complete()
        formula = self._formula()
        trace, satisfies = self._trace(formula)
        text, well_formed = self._judged_text()
        return DataRow(
            source=self._source,
            id=self._text("id"),
            pattern=self._text("pattern"),
            group=self._text("group"),
            sentence=self._text("sentence"),
            propositions=self._propositions(formula),
            formula=formula,
            trace=trace,
            satisfies=satisfies,
            text=text,
            well_formed=well_formed,
        )

    def _check_complete(self) -> None:
        pairs: tuple[tuple[Column, Column], ...] = (
            ("sentence", "propositions"),
            ("propositions", "sentence"),
            ("trace", "formula"),
            ("trace", "satisfies"),
            ("satisfies", "trace"),
            ("text", "well_formed"),
            ("well_formed", "text"),
        )
        for present, needed in pairs:
            if present in self._values and needed not in self._values:
                self._fail(needed, f"nothing is said, but the row has a {self._names[present]!r}")
        if not makes_a_row(self._values):
            raise _RowError("nothing is said in any column that a row is made of")

    def _text(self, column: Column) -> str | None:
        value = self._values.get(column)
        if value is not None and not isinstance(value, str):
            self._fail(column, f"a text is wanted, not {value!r}")
        return value.strip() if value is not None else None

    def _label(self, column: Column) -> bool | None:
        value = self._values.get(column)
        if value is None:
            return None
        try:
            return label(value)
        except ValueError as problem:
            self._fail(column, str(problem))

    def _formula(self) -> Temporal | None:
        text = self._text("formula")
        if text is None:
            return None
        try:
            return formula_of(text)
        except FormulaSyntaxError as problem:
            self._fail("formula", str(problem))

    def _propositions(self, formula: Temporal | None) -> Pairs:
        value = self._values.get("propositions")
        if value is None:
            return ()
        used = symbols(formula).propositions if formula is not None else ()
        try:
            pairs = read_propositions(value, used, is_atom=is_name)
        except ValueError as problem:
            self._fail("propositions", str(problem))
        if lacking := sorted(set(used) - {atom for _, atom in pairs}):
            self._fail("propositions", f"no phrase for {', '.join(lacking)}, which the formula uses")
        return pairs

    def _trace(self, formula: Temporal | None) -> tuple[Lasso | None, bool | None]:
        text, satisfies = self._text("trace"), self._label("satisfies")
        if text is None or formula is None:
            return None, None
        atoms = {*symbols(formula).propositions, *_ASSIGNED.findall(text)}
        reading = read_trace(text, sorted(sorted(atoms), key=by_number), policy="earliest-equal")
        if reading.lasso is None:
            self._fail("trace", reading.problem)
        if _unspaced(reading.text) != _unspaced(text):
            self._fail("trace", f"only {reading.text!r} is a trace; leave out the rest")
        if holds(formula, reading.lasso) is not satisfies:
            loop = f" (its loop by the policy {reading.policy})" if reading.policy else ""
            truth = f"the trace {reading.lasso}{loop} {'violates' if satisfies else 'satisfies'} {formula}"
            self._fail("satisfies", f"says {self._values['satisfies']!r}, but {truth}")
        return reading.lasso, satisfies

    def _judged_text(self) -> tuple[str | None, bool | None]:
        text, well_formed = self._text("text"), self._label("well_formed")
        if text is None:
            return None, None
        try:
            truth = is_well_formed(text)
        except LimitError as problem:
            self._fail("text", str(problem))
        if truth not in {None, well_formed}:
            what = "it is a formula" if truth else "it is no formula"
            self._fail("well_formed", f"says {self._values['well_formed']!r} of {text!r}, but {what}")
        return text, well_formed

    def _fail(self, column: Column, problem: str) -> NoReturn:
        raise _RowError(f"column {self._names.get(column, column)!r}: {problem}")
