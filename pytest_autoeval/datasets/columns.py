"""The columns of a user's file: their names, the kind of row that they make, and the values of cells."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeVar

from pytest_autoeval.datasets.temporal_formulas import FileFormulas
from pytest_autoeval.errors import AutoevalError, near_names, unknown_name
from pytest_autoeval.languages import Formula, Verdict, language, language_names
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.option_names import is_command, option_name

#: The columns that the user named: each with its name in the file, such as ``("sentence", "NL")``.
Columns = tuple[tuple[str, str], ...]
#: Pairs of a column and a list of columns. A row with the column needs one of the list.
Needs = tuple[tuple[str, tuple[str, ...]], ...]
#: What is known of each column, as the file beside this module has it.
_ENTRIES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
#: The columns, each with the other names that it was published under.
_COLUMNS = {column: tuple(entry.get("names", ())) for column, entry in _ENTRIES.items()}
#: Names in published files that may mean a column, but do so only if the user says it.
_LIKELY = {
    name.casefold(): column
    for column, entry in _ENTRIES.items()
    for name in entry.get("likely", ())
}
#: Other names of ``satisfies`` in published files of traces, by preference, and their meaning in other files.
_TRACE_LABEL_NAMES = {"ground truth": "formula", "label": "label", "type": None}
#: Sets of columns that are enough for a row.
_SUFFICIENT_COLUMNS = (
    {"sentence", "propositions"},
    {"formula"},
    {"text", "well_formed"},
    {"premises", "premises-FOL"},
    {"context", "question", "answer"},
)
#: The columns that a column needs, in rows of any kind.
NEEDED: Needs = tuple(
    (column, tuple(needed))
    for column, entry in _ENTRIES.items()
    for needed in entry.get("needs", ())
)
#: The columns that a sentence needs in temporal logic.
NEEDED_BY_REQUIREMENTS: Needs = (("sentence", ("propositions",)),)
#: The maximum number of unknown columns in a message, and the maximum length of a name there.
_MAX_LISTED, _MAX_NAME_LENGTH = 12, 60
#: The columns of a round-trip row in a results file.
_ROUND_TRIP_COLUMNS = frozenset(("language", "formula", "translation", "outcome", "alignment"))
#: The columns of a question about a text.
_OF_QUESTIONS = frozenset(("context", "question", "answer"))
#: The columns of a row that is only a formula.
_OF_FORMULAS = frozenset(
    (
        "formula",
        "language",
        "id",
        "pattern",
        "group",
        "cluster",
        "story_id",
        "context",
        "question",
        "answer",
        None,
    )
)
#: The words for yes and no in published files. Labels of traces and of pairs are such words too.
_YES = frozenset(
    ("satisfying", "satisfies", "satisfied", "positive", "same", "equivalent", "yes", "true", "1")
)
_NO = frozenset(("violating", "violates", "violated", "negative", "different", "no", "false", "0"))

#: ``sentence``: a sentence with its formula; ``formula``: a formula alone; ``temporal``: other rows of temporal logic.
RowKind = Literal["round trip", "pair", "story", "question", "sentence", "formula", "temporal"]
#: What a row of each kind is about, by its columns; a row of temporal logic has no fixed ones.
_SUBJECTS: dict[RowKind, frozenset[str]] = {
    "formula": frozenset(("formula",)),
    "pair": frozenset(("formula", "other")),
    "sentence": frozenset(("sentence", "formula")),
    "question": _OF_QUESTIONS,
    "story": frozenset(("premises", "premises-FOL", "conclusion", "conclusion-FOL")),
}
#: The columns that say what a row is about. The others, such as its id, may be beside any of them.
_OF_SUBJECTS = frozenset(("propositions", "trace", "text")).union(*_SUBJECTS.values())
#: Names of languages in published files, besides our own.
_LANGUAGES = {
    **dict.fromkeys(("fol", "first order", "first order logic"), "first_order"),
    **dict.fromkeys(("temporal logic", "linear temporal logic", "past ltl"), "ltl"),
    **dict.fromkeys(("propositional logic",), "propositional"),
    **dict.fromkeys(("regexp", "regular expression", "regular expressions"), "regex"),
}


def naming_hint(column: str, name: str) -> str:
    """How the user says that a column has another name in the file, as the running command or pytest reads it."""
    option = f"{option_name('columns')}={column}={name}"
    # A test can name its columns too; a command has no test.
    return option if is_command() else f'columns={{"{column}": {name}}}, or {option}'


class RowError(Exception):
    """A row cannot be used; one argument for each problem."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as written: its line (and column), the values by column name, or the reason why there are none.

    ``kind`` and ``language`` are those of :func:`~pytest_autoeval.datasets.file_language.with_languages`; an empty
    language is in doubt, and the data set that reads the row decides. ``possible`` has those of a pair in doubt.
    ``shown`` has the names in the file of those columns that the user named. ``temporal`` is what the formulas of the
    whole file show about their notation.
    """

    place: str
    values: dict[str, Any]
    problem: str = ""
    kind: RowKind = "temporal"
    language: str = ""
    possible: frozenset[str] = frozenset()
    shown: Mapping[str, str] = field(default_factory=dict, hash=False)
    temporal: FileFormulas = FileFormulas()  # noqa: RUF009  (immutable)

    def is_of(self, name: str, kinds: Collection[RowKind]) -> bool:
        """Whether the row is of one of these kinds, and its formulas of a language, or possibly of it."""
        return self.kind in kinds and self.language in ("", name)


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


#: The columns by all their names, as they are compared.
_KNOWN = {
    _plain(name): column for column, names in _COLUMNS.items() for name in (column, *names)
} | _TRACE_LABEL_NAMES


def columns_of(names: Iterable[str]) -> dict[str, str]:
    """The known columns, each with its name in the file; raises :class:`RowError` if two names mean one column."""
    plain_names = {name: _plain(name) for name in names if _plain(name) in _KNOWN}
    unambiguous = {
        _KNOWN[plain] for plain in plain_names.values() if plain not in _TRACE_LABEL_NAMES
    }
    is_unlabelled = "trace" in unambiguous and "satisfies" not in unambiguous
    possible = (
        plain
        for plain, usual in _TRACE_LABEL_NAMES.items()
        if usual != "formula" or "formula" in unambiguous
    )
    label = next(
        (plain for plain in possible if is_unlabelled and plain in plain_names.values()), None
    )
    name_of: dict[str, str] = {}
    for name, plain in plain_names.items():
        column = "satisfies" if plain == label else _KNOWN[plain]
        if column in name_of:
            raise RowError(
                f"the columns {name_of[column]!r} and {name!r} have the same meaning: remove one"
            )
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
    unmet = (
        (column, partners)
        for column, partners in needed
        if column in columns and columns.keys().isdisjoint(partners)
    )
    lacking = next(unmet, None)
    if lacking is not None:
        column, partners = lacking
        problem = f"rows with {columns[column]!r} also need the column {_listed(partners, ' or ')}"
    elif not makes_a_row(columns):
        problem = f"these columns make no row; known columns: {_listed(_COLUMNS, ', ')}"
    else:
        return ""
    unknown = [
        name
        for name in dict.fromkeys(names)
        if name not in columns.values() and len(name) <= _MAX_NAME_LENGTH
    ]
    if unknown:
        unlisted = f" and {len(unknown) - _MAX_LISTED} more" if len(unknown) > _MAX_LISTED else ""
        problem += f"; unknown columns: {', '.join(map(repr, unknown[:_MAX_LISTED]))}{unlisted}"
    likely = _likely_columns(unknown, columns)
    if likely or not unknown:
        return problem + likely
    # Where one column is missing, the message names it already.
    if lacking is None:
        hints = {name: near_names(name, _COLUMNS) for name in unknown}
        typos = {name: near[0] for name, near in hints.items() if near}
        if typos:
            meant = ", ".join(f"{column!r} instead of {name!r}" for name, column in typos.items())
            name, column = next(iter(typos.items()))
            option = shlex.quote(f"{option_name('columns')}={column}={name}")
            return f"{problem}. Did you mean {meant}? Rename it, or write {option}"
    wanted = "sentence" if lacking is None else lacking[1][0]
    return f"{problem}; if one of them is such a column, name it: {naming_hint(wanted, 'NAME')}"


def _likely_columns(unknown: Iterable[str], columns: Mapping[str, str]) -> str:
    """The end of a message that says which unknown columns may be which known ones; empty if none may."""
    likely: dict[str, str] = {}
    for name in unknown:
        column = _LIKELY.get(_plain(name))
        if column is not None and column not in columns:
            likely.setdefault(column, name)
    if not likely:
        return ""
    pairs = ",".join(f"{column}={name}" for column, name in likely.items())
    option = f"{option_name('columns')}={pairs}"
    return f"; perhaps write {shlex.quote(option)}"


def checked_columns(columns: Mapping[str, str]) -> Columns:
    """The columns that the user named, as pairs; raises :class:`AutoevalError` for a column that does not exist."""
    for column, name in columns.items():
        if column not in _COLUMNS:
            # The two sides may have been exchanged.
            hint = f". The form is COLUMN={column}" if _plain(column) in _LIKELY else ""
            raise AutoevalError(unknown_name("column", column, _COLUMNS) + hint)
        if not isinstance(name, str) or not name.strip():
            raise AutoevalError(
                f"the column {column!r} needs the name that it has in the file, not {name!r}"
            )
    twice = [name for name, count in Counter(columns.values()).items() if count > 1]
    if twice:
        raise AutoevalError(f"{twice[0]!r} is given for two columns")
    return tuple(columns.items())


def renamed(values: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """The values of a row under the columns that the user named. Other names of these columns do not count."""
    names = {name: column for column, name in columns if name in values}
    named_columns = set(names.values())
    # What the user says of a column counts more than a name that the file happens to have.
    usual = {name for name in values if _KNOWN.get(_plain(name)) in named_columns}
    return {
        names.get(name, name): value
        for name, value in values.items()
        if name in names or name not in usual
    }


def _listed(columns: Iterable[str], separator: str) -> str:
    listed = []
    for column in columns:
        other_names = ", ".join(map(repr, _COLUMNS[column]))
        suffix = f" (or {other_names})" if other_names else ""
        listed.append(f"{column!r}{suffix}")
    return separator.join(listed)


def kind_of(values: Mapping[str, Any]) -> RowKind:  # noqa: PLR0911 (a return for each kind)
    """The kind of a row: a round trip of a run, a pair, a question, a story, a formula, a sentence, or temporal.

    A sentence has an ontology, or its language is named, or it has a formula and no column for propositions.
    """
    # The order decides: a round trip, for instance, also has a formula.
    if values.keys() >= _ROUND_TRIP_COLUMNS:
        return "round trip"
    present = {_KNOWN.get(_plain(name)): value for name, value in values.items()}
    filled = {column for column, value in present.items() if is_filled(value)}
    if {"formula", "other"} <= filled and filled.isdisjoint(("sentence", "trace", "text")):
        return "pair"
    if not filled.isdisjoint(("premises-FOL", "conclusion-FOL")):
        return "story"
    if filled >= _OF_QUESTIONS and filled.isdisjoint(("formula", "sentence", "text", "trace")):
        return "question"
    if "formula" in filled and filled <= _OF_FORMULAS:
        return "formula"
    lang = language_in(values) if "language" in filled else None
    has_temporal_columns = not present.keys().isdisjoint(("propositions", "trace", "text"))
    is_bare_pair = {"sentence", "formula"} <= filled and not has_temporal_columns
    if "ontology" in filled or lang == "first_order" or is_bare_pair:
        return "sentence"
    return "temporal"


def lacks_cells(filled: Collection[str], usual: RowKind) -> bool:
    """Whether a row with these columns lacks cells of its own, if most rows of its file are of the ``usual`` kind.

    In a file of pairs, a row with one formula is a pair without its second formula.
    """
    subject = _OF_SUBJECTS.intersection(filled)
    return not makes_a_row(filled) or subject < _SUBJECTS.get(usual, frozenset())


def language_in(values: Mapping[str, Any]) -> str | None:
    """The language that a row names; None if it names none, and as written if there is none of that name."""
    for name, value in values.items():
        if _KNOWN.get(_plain(name)) == "language" and is_filled(value):
            return language_called(str(value))
    return None


def language_called(text: str) -> str:
    """Our name of a language, which may be given by another usual name; other texts stay as they are."""
    written = text.strip()
    if written in language_names():
        return written
    own_names = {_plain(name): name for name in language_names()}
    return {**_LANGUAGES, **own_names}.get(_plain(written), written)


def is_filled(value: Any) -> bool:
    """Whether a cell is not empty."""
    return value is not None and bool(str(value).strip())


#: Invisible characters and special spaces, as in text copied from a PDF.
_INVISIBLE = lazy_pattern(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u2060\ufeff]")
_SPECIAL_SPACE = lazy_pattern(r"[^\S\t\n\r ]")


class Cells:
    """The values of a row in the known columns, without empty cells; ``names`` are the column names in the file.

    Control characters are removed from texts, and all spaces become plain. Raises :class:`RowError`.
    """

    def __init__(self, raw: RawRow) -> None:
        if raw.problem:
            raise RowError(raw.problem)
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        for column, name in columns_of(raw.values).items():
            # Messages name a column as the file does, also if the user gave it another name.
            self.names[column] = raw.shown.get(name, name)
            value = _plain_text(raw.values[name])
            if is_filled(value):
                self.values[column] = value

    def name(self, column: str) -> str | None:
        """The value of a column as text; None if it is empty."""
        return str(self.values[column]).strip() if column in self.values else None

    def origin(self, *columns: str) -> dict[str, str]:
        """The non-empty values of these columns, by their keys in the facts of a row."""
        return {
            "item" if column == "id" else column: str(self.name(column))
            for column in columns
            if column in self.values
        }

    def text(self, column: str) -> str | None:
        """The text of a column; None if it is empty."""
        return self.needed(column).strip() if column in self.values else None

    def needed(self, column: str) -> str:
        """The text of a column that must not be empty."""
        value = (
            self.values[column] if column in self.values else self.fail(column, "the cell is empty")
        )
        return (
            value if isinstance(value, str) else self.fail(column, f"must be text, not {value!r}")
        )

    def texts(self, column: str) -> tuple[str, ...]:
        """The texts of a column: a list, or one text on each line. At least one is required."""
        value = self.values.get(column) or self.fail(column, "the cell is empty")
        listed = value
        if isinstance(value, str):
            listed = [line for line in value.splitlines() if line.strip()]
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            self.fail(column, f"must be a list of texts, not {value!r}")
        blank = [number for number, text in enumerate(listed, start=1) if not text.strip()]
        if blank:
            self.fail(column, f"text {blank[0]} is empty")
        return tuple(listed)

    def label(self, column: str) -> bool | None:
        """The Boolean value of a column; None if it is empty."""
        name = self.name(column)
        if name is None:
            return None
        word = name.casefold()
        if word not in _YES | _NO:
            expected = ", ".join(sorted(_YES | _NO))
            self.fail(
                column, f"{self.values[column]!r} is neither yes nor no; use one of {expected}"
            )
        return word in _YES

    def fail(self, column: str, problem: object) -> NoReturn:
        """Raises :class:`RowError` for a problem in a column."""
        raise RowError(f"column {self.names.get(column, column)!r}: {problem}")


def _plain_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_text(item) for item in value]
    if not isinstance(value, str):
        return value
    visible = _INVISIBLE.sub("", value)
    return _SPECIAL_SPACE.sub(" ", visible)


def comparable_sentence(sentence: str) -> str:
    """A sentence in the form in which sentences are compared."""
    return " ".join(sentence.casefold().split()).rstrip(".")


def check_meaning(name: str, formula: Formula, earlier: Formula, source: str) -> None:
    """Raises :class:`RowError` if an earlier formula of the same sentence has another meaning."""
    if (
        formula != earlier
        and verdict_on(name, formula, earlier).outcome == VerdictOutcome.DIFFERENT
    ):
        raise RowError(
            f"{source} has {earlier} for the same sentence, which is not equivalent to {formula}"
        )


@lru_cache(maxsize=4096)
def verdict_on(name: str, formula: Formula, partner: Formula) -> Verdict:
    """The verdict on two formulas of a language. Cached, because files repeat formulas."""
    return language(name).equivalent(formula, partner)


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
        earlier = self.rows.get(question)
        if earlier is not None:
            raise RowError(f"repeats {earlier.source}")
        if row.id is not None:
            # A pair whose language is in doubt is a row in each of its languages.
            if row.id in self._ids and self._ids[row.id].source != row.source:
                raise RowError(f"the id {row.id!r} is already used by {self._ids[row.id].source}")
            self._ids[row.id] = row
        self.rows[question] = row
