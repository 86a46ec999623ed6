"""The columns of a user's file: their names, the kind of row that they make, and the values of cells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeVar

from pytest_autoeval.languages import Formula, Verdict, language
from pytest_autoeval.languages.base import VerdictOutcome

#: Pairs of a column and a list of columns. A row with the column needs one of the list.
Needs = tuple[tuple[str, tuple[str, ...]], ...]
_ENTRIES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: The columns, each with the other names that it was published under.
_COLUMNS = {column: tuple(entry.get("names", ())) for column, entry in _ENTRIES.items()}
#: Other names of ``satisfies`` in published files of traces, by preference, and their meaning in other files.
_TRACE_LABEL_NAMES = {"ground truth": "formula", "label": "label", "type": None}
#: Sets of columns that are enough for a row.
_SUFFICIENT_COLUMNS = (
    {"sentence", "propositions"},
    {"formula"},
    {"text", "well_formed"},
    {"premises", "premises-FOL"},
)
#: The columns that a column needs, in rows of any kind.
NEEDED: Needs = tuple(
    (column, tuple(needed)) for column, entry in _ENTRIES.items() for needed in entry.get("needs", ())
)
#: The columns that a sentence needs in temporal logic.
NEEDED_BY_REQUIREMENTS: Needs = (("sentence", ("propositions",)),)
#: The maximum number of unknown columns in a message, and the maximum length of a name there.
_MAX_LISTED, _MAX_NAME_LENGTH = 12, 60
#: The columns of a round-trip row in a results file.
_ROUND_TRIP_COLUMNS = frozenset(("schema_version", "language", "formula", "translation", "outcome"))
_YES = frozenset(("satisfying", "satisfies", "satisfied", "positive", "same", "equivalent", "yes", "true", "1"))
_NO = frozenset(("violating", "violates", "violated", "negative", "different", "no", "false", "0"))

RowKind = Literal["round trip", "pair", "story", "sentence", "temporal"]


class RowError(Exception):
    """A row cannot be used; one argument for each problem."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as written: its line (and column), the values by column name, or the reason why there are none."""

    place: str
    values: dict[str, Any]
    problem: str = ""


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


_KNOWN = {_plain(name): column for column, names in _COLUMNS.items() for name in (column, *names)} | _TRACE_LABEL_NAMES


def columns_of(names: Iterable[str]) -> dict[str, str]:
    """The known columns, each with its name in the file; raises :class:`RowError` if two names mean one column."""
    known = {name: _plain(name) for name in names if _plain(name) in _KNOWN}
    unambiguous = {_KNOWN[plain] for plain in known.values() if plain not in _TRACE_LABEL_NAMES}
    is_unlabelled = "trace" in unambiguous and "satisfies" not in unambiguous
    possible = (plain for plain, usual in _TRACE_LABEL_NAMES.items() if usual != "formula" or "formula" in unambiguous)
    label = next((plain for plain in possible if is_unlabelled and plain in known.values()), None)
    name_of: dict[str, str] = {}
    for name, plain in known.items():
        column = "satisfies" if plain == label else _KNOWN[plain]
        if column in name_of:
            raise RowError(f"the columns {name_of[column]!r} and {name!r} have the same meaning: remove one")
        if column is not None:
            name_of[column] = name
    return name_of


def makes_a_row(columns: Iterable[str]) -> bool:
    """Whether the columns are enough for some kind of row."""
    present = set(columns)
    return any(kind <= present for kind in _SUFFICIENT_COLUMNS)


def column_problem(names: Iterable[str], needed: Needs = NEEDED) -> str:
    """An error message if the columns make no row: the missing column and the unknown ones. Empty if they make one."""
    names = [name for name in names if name.strip()]
    columns = columns_of(names)
    if _ROUND_TRIP_COLUMNS.issubset(names):
        return ""
    unmet = ((column, rest) for column, rest in needed if column in columns and columns.keys().isdisjoint(rest))
    if (first := next(unmet, None)) is not None:
        problem = f"rows with {columns[first[0]]!r} also need the column {_listed(first[1], ' or ')}"
    elif not makes_a_row(columns):
        problem = f"these columns make no row; known columns: {_listed(_COLUMNS, ', ')}"
    else:
        return ""
    unknown = [name for name in dict.fromkeys(names) if name not in columns.values() and len(name) <= _MAX_NAME_LENGTH]
    if unknown:
        more = f" and {len(unknown) - _MAX_LISTED} more" if len(unknown) > _MAX_LISTED else ""
        problem += f"; unknown columns: {', '.join(map(repr, unknown[:_MAX_LISTED]))}{more}"
    return problem


def _listed(columns: Iterable[str], separator: str) -> str:
    other_names = {column: ", ".join(map(repr, _COLUMNS[column])) for column in columns}
    return separator.join(f"{column!r}" + (f" (or {names})" if names else "") for column, names in other_names.items())


def kind_of(values: Mapping[str, Any]) -> RowKind:
    """The kind of a row: two formulas (a round trip of a run, or a pair), a story, a sentence, or temporal logic.

    A sentence of first-order logic has an ontology, or its language is named, or it has a formula and no column for
    propositions.
    """
    if values.keys() >= _ROUND_TRIP_COLUMNS:
        return "round trip"
    present = {_KNOWN.get(_plain(name)): value for name, value in values.items()}
    filled = {column for column, value in present.items() if _is_filled(value)}
    if {"formula", "other"} <= filled and filled.isdisjoint(("sentence", "trace", "text")):
        return "pair"
    if not filled.isdisjoint(("premises-FOL", "conclusion-FOL")):
        return "story"
    lang = _plain(str(present["language"])) if "language" in filled else ""
    is_bare_pair = {"sentence", "formula"} <= filled and present.keys().isdisjoint(("propositions", "trace", "text"))
    return (
        "sentence"
        if "ontology" in filled or lang in ("first order", "fol") or (is_bare_pair and not lang)
        else "temporal"
    )


def _is_filled(value: Any) -> bool:
    return value is not None and bool(str(value).strip())


#: Invisible characters and special spaces, as in text copied from a PDF.
_INVISIBLE, _SPECIAL_SPACE = (
    re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u2060\ufeff]"),
    re.compile(r"[^\S\t\n\r ]"),
)


class Cells:
    """The values of a row in the known columns, without empty cells; ``names`` are the column names in the file.

    Control characters are removed from texts, and all spaces become plain. Raises :class:`RowError`.
    """

    def __init__(self, raw: RawRow) -> None:
        if raw.problem:
            raise RowError(raw.problem)
        self.names = columns_of(raw.values)
        plain = {column: _plain_text(raw.values[name]) for column, name in self.names.items()}
        self.values = {column: value for column, value in plain.items() if _is_filled(value)}

    def name(self, column: str) -> str | None:
        """The value of a column as text; None if it is empty."""
        return str(self.values[column]).strip() if column in self.values else None

    def origin(self, *columns: str) -> dict[str, str]:
        """The non-empty values of these columns, by their keys in the facts of a row."""
        return {
            "item" if column == "id" else column: str(self.name(column)) for column in columns if column in self.values
        }

    def text(self, column: str) -> str | None:
        """The text of a column; None if it is empty."""
        return self.needed(column).strip() if column in self.values else None

    def needed(self, column: str) -> str:
        """The text of a column that must not be empty."""
        value = self.values[column] if column in self.values else self.fail(column, "the cell is empty")
        return value if isinstance(value, str) else self.fail(column, f"must be text, not {value!r}")

    def texts(self, column: str) -> tuple[str, ...]:
        """The texts of a column: a list, or one text on each line. At least one is required."""
        value = self.values.get(column) or self.fail(column, "the cell is empty")
        listed = [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            self.fail(column, f"must be a list of texts, not {value!r}")
        if blank := [number for number, text in enumerate(listed, start=1) if not text.strip()]:
            self.fail(column, f"text {blank[0]} is empty")
        return tuple(listed)

    def label(self, column: str) -> bool | None:
        """The Boolean value of a column; None if it is empty."""
        if (name := self.name(column)) is None:
            return None
        if (word := name.casefold()) not in _YES | _NO:
            expected = ", ".join(sorted(_YES | _NO))
            self.fail(column, f"{self.values[column]!r} is neither yes nor no; use one of {expected}")
        return word in _YES

    def fail(self, column: str, problem: object) -> NoReturn:
        """Raises :class:`RowError` for a problem in a column."""
        raise RowError(f"column {self.names.get(column, column)!r}: {problem}")


def _plain_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_text(item) for item in value]
    return _SPECIAL_SPACE.sub(" ", _INVISIBLE.sub("", value)) if isinstance(value, str) else value


def comparable_sentence(sentence: str) -> str:
    """A sentence in the form in which sentences are compared."""
    return " ".join(sentence.casefold().split()).rstrip(".")


def check_meaning(name: str, formula: Formula, earlier: Formula, source: str) -> None:
    """Raises :class:`RowError` if an earlier formula of the same sentence has another meaning."""
    if formula != earlier and verdict_on(name, formula, earlier).outcome == VerdictOutcome.DIFFERENT:
        raise RowError(f"{source} has {earlier} for the same sentence, which is not equivalent to {formula}")


@lru_cache(maxsize=4096)
def verdict_on(name: str, first: Formula, second: Formula) -> Verdict:
    """The verdict on two formulas of a language. Cached, because files repeat formulas."""
    return language(name).equivalent(first, second)


class Sourced(Protocol):
    """A row with its source: file name and line."""

    @property
    def source(self) -> str: ...
    @property
    def id(self) -> str | None: ...


R = TypeVar("R", bound=Sourced)


class DistinctRows(Generic[R]):
    """The rows so far, with distinct questions and ids."""

    def __init__(self) -> None:
        self.rows: dict[Hashable, R] = {}
        self._ids: dict[str, R] = {}

    def add(self, row: R, question: Hashable) -> None:
        """Adds a row; raises :class:`RowError` if an earlier one has its question or id."""
        if (same := self.rows.get(question)) is not None:
            raise RowError(f"repeats {same.source}")
        if row.id is not None:
            if row.id in self._ids:
                raise RowError(f"the id {row.id!r} is already used by {self._ids[row.id].source}")
            self._ids[row.id] = row
        self.rows[question] = row
