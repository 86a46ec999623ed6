"""The columns that a row of a user's file may have, what the row is about by them, and what its cells say."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeVar

from pytest_autoeval.languages import Formula, Verdict, language

_COLUMNS = (
    *("id", "sentence", "formula", "propositions", "trace", "satisfies", "text", "well_formed", "other", "same"),
    *("language", "pattern", "group", "ontology", "premises", "premises-FOL", "conclusion", "conclusion-FOL", "label"),
)
#: Other names that columns were published under; white space, case, `-` and `_` do not count in any name.
_PUBLISHED = {
    "Natural Language": "sentence",
    "Ground Truth": "formula",
    "LTL Formula": "formula",
    "Atomic Proposition": "propositions",
    "Atomic Propositions": "propositions",
    "Groups Truth": "satisfies",
}
KNOWN_COLUMNS = (
    "'Natural Language', 'Ground Truth', 'Atomic Proposition'; 'LTL Formula', 'Trace', 'Groups Truth'; or "
    "'sentence', 'formula', 'propositions', 'trace', 'satisfies', 'text', 'well_formed', 'other', 'same', 'id', "
    "'ontology'; or 'premises', 'premises-FOL', 'conclusion', 'conclusion-FOL', 'label'"
)
#: What makes a row: any of these sets, and for a sentence its formula too.
_ENOUGH = (
    {"sentence", "propositions"},
    {"formula"},
    {"text", "well_formed"},
    {"premises", "premises-FOL"},
)
#: What a row of a results file has that is about a formula and what a model made of it.
_RESULT = frozenset(("schema_version", "language", "formula", "translation", "outcome"))
#: A name that is a formula beside a sentence, and the right answer beside a trace.
_TWOFOLD = "ground truth"
_YES = frozenset(("satisfying", "satisfies", "satisfied", "positive", "same", "equivalent", "yes", "true", "1"))
_NO = frozenset(("violating", "violates", "violated", "negative", "different", "no", "false", "0"))

RowKind = Literal["round trip", "pair", "story", "sentence", "temporal"]


class RowError(Exception):
    """A row cannot be used: a line for each thing that is wrong with it."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as it is written: the values by the names of their columns, or why there are none.

    ``place`` is its line, with the column where another row begins on that line before it.
    """

    place: str
    values: dict[str, Any]
    problem: str = ""


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """A column's name as names are compared."""
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


_KNOWN = {_plain(name): column for name, column in (*zip(_COLUMNS, _COLUMNS, strict=True), *_PUBLISHED.items())}


def columns_of(names: Iterable[str]) -> dict[str, str]:
    """The columns that there are, with the names that they are given under; names that are not known are left out.

    Raises :class:`RowError` where two names stand for one column.
    """
    given = {name: _KNOWN[_plain(name)] for name in names if _plain(name) in _KNOWN}
    others = {column for name, column in given.items() if _plain(name) != _TWOFOLD}
    found: dict[str, str] = {}
    for name, usual in given.items():
        beside_a_trace = {"trace", "formula"} <= others and "satisfies" not in others
        column = "satisfies" if _plain(name) == _TWOFOLD and beside_a_trace else usual
        if column in found:
            raise RowError(f"the columns {found[column]!r} and {name!r} say the same: leave one out")
        found[column] = name
    return found


def makes_a_row(columns: Iterable[str]) -> bool:
    """Whether there is enough for one of the kinds of rows."""
    present = set(columns)
    return any(kind <= present for kind in _ENOUGH)


def kind_of(values: Mapping[str, Any]) -> RowKind:
    """What a row is about: two formulas (a round trip of a run, or a pair), a story, a sentence, or temporal logic.

    A sentence of first-order logic has an ontology, or says its language, or has a formula and no column for
    propositions.
    """
    if values.keys() >= _RESULT:
        return "round trip"
    there = {_KNOWN.get(_plain(name)): value for name, value in values.items()}
    filled = {column for column, value in there.items() if _is_filled(value)}
    if {"formula", "other"} <= filled and filled.isdisjoint(("sentence", "trace", "text")):
        return "pair"
    if not filled.isdisjoint(("premises-FOL", "conclusion-FOL")):
        return "story"
    lang = _plain(str(there["language"])) if "language" in filled else ""
    bare = {"sentence", "formula"} <= filled and there.keys().isdisjoint(("propositions", "trace", "text"))
    return "sentence" if "ontology" in filled or lang in ("first order", "fol") or (bare and not lang) else "temporal"


def _is_filled(value: Any) -> bool:
    return value is not None and bool(str(value).strip())


class Cells:
    """What a row says in the columns that are known; an empty cell says nothing. ``names`` are those of the file.

    Raises :class:`RowError` for a row that cannot be read, and so do the methods for a cell that cannot.
    """

    def __init__(self, raw: RawRow) -> None:
        if raw.problem:
            raise RowError(raw.problem)
        self.names = columns_of(raw.values)
        self.values = {column: raw.values[name] for column, name in self.names.items() if _is_filled(raw.values[name])}

    def name(self, column: str) -> str | None:
        """What is said in a column, as a text; None where it is nothing."""
        return str(self.values[column]).strip() if column in self.values else None

    def origin(self, *columns: str) -> dict[str, str]:
        """The columns of these that say something, by the keys that facts have for them."""
        return {
            "item" if column == "id" else column: str(self.name(column)) for column in columns if column in self.values
        }

    def text(self, column: str) -> str | None:
        """What is said in a column of texts; None where it is nothing."""
        return self.needed(column).strip() if column in self.values else None

    def needed(self, column: str) -> str:
        """What is written in a column of texts that must say something."""
        value = self.values[column] if column in self.values else self.fail(column, "nothing is said")
        return value if isinstance(value, str) else self.fail(column, f"a text is wanted, not {value!r}")

    def texts(self, column: str) -> tuple[str, ...]:
        """A list of texts, or a text with one on each line; there must be some."""
        value = self.values.get(column) or self.fail(column, "nothing is said")
        listed = [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            self.fail(column, f"a list of texts is wanted, not {value!r}")
        if blank := [number for number, text in enumerate(listed, start=1) if not text.strip()]:
            self.fail(column, f"text {blank[0]} is empty")
        return tuple(listed)

    def label(self, column: str) -> bool | None:
        """The yes or no in a column; None where there is nothing."""
        if (name := self.name(column)) is None:
            return None
        if (word := name.casefold()) not in _YES | _NO:
            expected = ", ".join(sorted(_YES | _NO))
            self.fail(column, f"{self.values[column]!r} is neither yes nor no: write one of {expected}")
        return word in _YES

    def fail(self, column: str, problem: object) -> NoReturn:
        """Raises :class:`RowError` for what is wrong in a column."""
        raise RowError(f"column {self.names.get(column, column)!r}: {problem}")


def subject_of(sentence: str) -> str:
    """A sentence as sentences are compared."""
    return " ".join(sentence.casefold().split()).rstrip(".")


def check_meaning(name: str, formula: Formula, earlier: Formula, source: str) -> None:
    """Raises :class:`RowError` where an earlier formula of the same sentence is known to mean something else."""
    if formula != earlier and decided(name, formula, earlier).outcome == "different":
        raise RowError(f"{source} says {earlier} of the same sentence, which is not equivalent to {formula}")


@lru_cache(maxsize=4096)
def decided(name: str, first: Formula, second: Formula) -> Verdict:
    """Whether two formulas of a language mean the same; files have many of the same."""
    return language(name).equivalent(first, second)


class Sourced(Protocol):
    """A row with its source: the name of its file, and its line."""

    @property
    def source(self) -> str: ...
    @property
    def id(self) -> str | None: ...


R = TypeVar("R", bound=Sourced)


class Distinct(Generic[R]):
    """The rows so far, none of which asks the same as another, or has its id."""

    def __init__(self) -> None:
        self.kept: dict[Hashable, R] = {}
        self._ids: dict[str, R] = {}

    def add(self, row: R, question: Hashable) -> None:
        """Takes a row; raises :class:`RowError` where an earlier one asks the same, or has its id."""
        if (same := self.kept.get(question)) is not None:
            raise RowError(f"says the same as {same.source}")
        if row.id is not None:
            if row.id in self._ids:
                raise RowError(f"the id {row.id!r} is that of {self._ids[row.id].source}")
            self._ids[row.id] = row
        self.kept[question] = row
