"""Which language the formulas of a file are in: all rows that do not name theirs have one language.

A formula such as ``G(pump)`` is one of temporal logic and one of first-order logic. So a single row cannot say how it
is meant. The other rows may; if they do not, the language stays in doubt, and the data set that reads the rows decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pytest_autoeval.datasets.columns import (
    RawRow,
    RowError,
    RowKind,
    columns_of,
    is_filled,
    kind_of,
    lacks_cells,
    language_in,
    makes_a_row,
)
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.formula_repair import repaired
from pytest_autoeval.datasets.temporal_formulas import FileFormulas, words_in
from pytest_autoeval.errors import unknown_name
from pytest_autoeval.languages import Formula, FormulaSyntaxError, language, language_names

#: The languages in which a sentence may have its formula.
_OF_SENTENCES = ("ltl", "first_order")
#: The kinds of rows that may be rows of another kind without one of their cells.
_POSSIBLY_INCOMPLETE = ("temporal", "sentence", "formula")
_ADVICE = "add a column 'language' (such as {})"


def with_languages(path: Path, rows: Sequence[RawRow]) -> list[RawRow]:
    """The rows of a file with their kinds and languages.

    Raises :class:`DataSetError` if rows that do not name their language have formulas of different languages.
    """
    named = [_with_named_language(row, kind) for row, kind in _with_kinds(rows)]
    texts = [_values(row).get("formula") for row in named if row.language in ("", "ltl")]
    temporal = FileFormulas.of([text for text in texts if isinstance(text, str)])
    # Sentences and formulas alone may be of any language; the rest of the file may decide between several.
    settled = {row.language for row in named if row.language}
    decided: dict[RowKind, str] = {}
    for kind in ("sentence", "formula"):
        of_kind = {row.language for row in named if row.kind == kind and row.language}
        # If the rows that name their language agree on it, it is that of the others too.
        if len(of_kind) != 1:
            open_rows = [row for row in named if not row.language and not row.problem]
            unnamed = [replace(row, temporal=temporal) for row in open_rows if row.kind == kind]
            common = _common_languages(path, kind, unnamed)
            of_kind = common if len(common) == 1 else common & settled
        decided[kind] = next(iter(of_kind)) if len(of_kind) == 1 else ""
    return [
        replace(row, temporal=temporal, language=row.language or decided.get(row.kind, ""))
        for row in named
    ]


def _with_kinds(rows: Sequence[RawRow]) -> list[tuple[RawRow, RowKind]]:
    """The rows with their kinds. A row that lacks cells has the kind of most rows of the file, and is reported as such.

    Otherwise one empty cell would make a file of formulas one of something else.
    """
    kinds = [(row, kind_of(row.values)) for row in rows]
    complete: Counter[RowKind] = Counter()
    sentences_alone = 0
    for row, kind in kinds:
        if row.problem:
            continue
        # Rows of the other kinds have all that they need.
        columns = _values(row).keys() if kind in ("temporal", "sentence") else None
        if columns is None or makes_a_row(columns):
            complete[kind] += 1
        elif "sentence" in columns:
            sentences_alone += 1
    # Most files have rows of one kind, all of them complete.
    if not complete or max(complete.values()) == len(rows):
        return kinds
    usual, number = complete.most_common(1)[0]
    if number < sentences_alone:
        return kinds
    return [(row, usual if _lacks_cells(row, kind, usual) else kind) for row, kind in kinds]


def _lacks_cells(row: RawRow, kind: RowKind, usual: RowKind) -> bool:
    """Whether a row would be of the usual kind with all its cells."""
    if row.problem or kind == usual or kind not in _POSSIBLY_INCOMPLETE:
        return False
    return lacks_cells(_values(row), usual)


def _with_named_language(row: RawRow, kind: RowKind) -> RawRow:
    """A row with its kind, and the language that it names or needs."""
    name = language_in(row.values)
    if kind not in ("sentence", "formula", "temporal") or row.problem:
        return replace(row, kind=kind)
    values = _values(row)
    if name is not None and "formula" in values:
        problem = _language_problem(name, kind)
        if problem:
            return replace(row, kind=kind, problem=f"column 'language': {problem}")
    if kind == "temporal":
        return replace(row, kind=kind, language="ltl")
    # Only first-order logic has ontologies.
    if "ontology" in values:
        return replace(row, kind=kind, language="first_order")
    return replace(row, kind=kind, language=name or "")


def _language_problem(name: str, kind: RowKind) -> str:
    """Why rows of a kind cannot be read in the language that they name; empty if they can."""
    if name not in language_names():
        return unknown_name("language", name, language_names())
    usable = {"temporal": ("ltl",), "sentence": _OF_SENTENCES}.get(kind, language_names())
    if name in usable:
        return ""
    return f"such rows are read in {' and '.join(usable)}, not in {name}"


def _values(row: RawRow) -> dict[str, object]:
    """The known columns that are not empty."""
    try:
        names = columns_of(row.values)
    except RowError:
        return {}
    values = {column: row.values[name] for column, name in names.items()}
    return {column: value for column, value in values.items() if is_filled(value)}


def _common_languages(path: Path, kind: RowKind, rows: Sequence[RawRow]) -> set[str]:
    """The languages in which all readable formulas of some rows can be read; raises :class:`DataSetError` if none."""
    common = set(_OF_SENTENCES if kind == "sentence" else language_names())
    sole: dict[frozenset[str], RawRow] = {}
    for row in rows:
        readable = common_of(row)
        if not readable:
            # The row is reported, whatever the language is.
            continue
        sole.setdefault(readable, row)
        common &= readable
        if not common:
            raise DataSetError(_mixed(path, sole))
    return common if sole else set()


def common_of(row: RawRow) -> frozenset[str]:
    """The languages in which the formula of a row can be read; none for a value that is no text."""
    values = _values(row)
    text = values.get("formula")
    sentence = values.get("sentence")
    if not isinstance(text, str):
        return frozenset()
    words = frozenset(words_in(sentence)) if isinstance(sentence, str) else frozenset()
    names = _OF_SENTENCES if row.kind == "sentence" else language_names()
    return _readable_in(text, names, row.temporal, words)


@lru_cache(maxsize=1 << 15)
def _readable_in(
    text: str, names: tuple[str, ...], temporal: FileFormulas, words: frozenset[str]
) -> frozenset[str]:
    return frozenset(name for name in names if _is_readable(text, name, temporal, words))


def _is_readable(text: str, name: str, temporal: FileFormulas, words: frozenset[str]) -> bool:
    try:
        formula_in(name, text, temporal, words)
    except FormulaSyntaxError:
        return False
    # Nearly every text can be read as a regular expression: `G x1` would be a word of four letters. In temporal logic,
    # the file may have a notation that a formula alone cannot be in.
    return name == "ltl" or language(name).is_strict(text)


def formula_in(
    name: str,
    text: str,
    temporal: FileFormulas = FileFormulas(),  # noqa: B008  (immutable)
    words: Collection[str] = (),
) -> Formula:
    """The formula of a text in a language, as data have it; raises :class:`FormulaSyntaxError`.

    ``temporal`` is what the formulas of the file show about their notation, ``words`` the names that the row has.
    """
    if name == "ltl":
        return temporal.formula(text, words)
    if name == "first_order":
        return repaired(text).formula
    return language(name).tree(text)


def _mixed(path: Path, rows: Mapping[frozenset[str], RawRow]) -> str:
    *earlier_languages, later = rows
    earlier = later
    if earlier_languages:
        earlier = next(languages for languages in earlier_languages if not languages & later)
    lines = []
    for languages in (earlier, later):
        row = rows[languages]
        text = str(_values(row)["formula"]).strip()
        lines.append(f"line {row.place} ({text:.60}) {' or '.join(sorted(languages))}")
    advice = _ADVICE.format(" or ".join(sorted(earlier | later)))
    return f"{path}: the formulas are of different languages: {', '.join(lines)}; {advice}"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A file whose formulas can be read in several languages, and none of its rows says in which."""

    path: Path
    formula: str
    languages: tuple[str, ...]

    def __str__(self) -> str:
        names = " and of ".join(self.languages)
        advice = _ADVICE.format(" or ".join(self.languages))
        return f"{self.path}: its formulas are of {names}, such as {self.formula:.60}; {advice}"


def doubt_about(path: Path, rows: Sequence[RawRow]) -> Doubt | None:
    """The doubt about the rows of a file; None if their language is known, or no formula can be read."""
    numbers = Counter(row.kind for row in rows)
    kinds: list[RowKind] = ["sentence", "formula"]
    # What most rows are decides, if rows of both kinds are in doubt.
    for kind in sorted(kinds, key=lambda kind: -numbers[kind]):
        in_doubt = [
            row for row in rows if row.kind == kind and not row.language and not row.problem
        ]
        common: frozenset[str] | None = None
        text = ""
        for row in in_doubt:
            written = _values(row).get("formula")
            readable = common_of(row)
            # A formula that no language can read is a slip of its row, and says nothing of the file.
            if readable:
                common = readable if common is None else common & readable
                text = text or str(written).strip()
        if common:
            return Doubt(path, text, tuple(name for name in language_names() if name in common))
    return None
