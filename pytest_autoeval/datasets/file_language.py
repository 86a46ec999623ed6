"""Which language the formulas of a file are in: all rows that do not name theirs have one language.

A formula such as ``G(pump)`` is one of temporal logic and one of first-order logic. So a single row cannot say how it
is meant. The other rows may; if they do not, the language stays in doubt, and the data set that reads the rows decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
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
from pytest_autoeval.languages import (
    Formula,
    FormulaSyntaxError,
    formulas_of,
    language,
    language_names,
)

#: The languages in which a sentence may have its formula.
_OF_SENTENCES = ("ltl", "first_order")
#: The kinds of rows that may be rows of another kind without one of their cells.
_POSSIBLY_INCOMPLETE = ("temporal", "sentence", "formula")
#: The kinds of rows that may be of any language, if they do not name theirs.
_OF_ANY_LANGUAGE: tuple[RowKind, ...] = ("sentence", "formula", "pair")
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
    with_temporal = [
        replace(row, temporal=temporal, language=row.language or decided.get(row.kind, ""))
        for row in named
    ]
    return _with_languages_of_pairs(with_temporal, settled)


def _with_languages_of_pairs(rows: Sequence[RawRow], settled: Collection[str]) -> list[RawRow]:
    """The rows, in which each pair has its language, or the languages that are possible.

    The only language in which all pairs can be read is theirs. If there is none, each pair decides for itself: a file
    of pairs may be of several languages.
    """
    readable = [
        common_of(row)
        for row in rows
        if row.kind == "pair" and not row.language and not row.problem
    ]
    common = _intersection(readable)
    narrowed = common & frozenset(settled)
    if len(narrowed) == 1:
        common = narrowed
    paired: list[RawRow] = []
    for row in rows:
        if row.kind != "pair" or row.language:
            paired.append(row)
        elif len(common) == 1:
            paired.append(replace(row, language=next(iter(common))))
        elif common:
            paired.append(replace(row, possible=common))
        else:
            paired.append(replace(row, language=_language_of_pair(row)))
    return paired


def _intersection(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """What all sets have in common that are not empty. An empty one is of a row that is reported."""
    common: frozenset[str] | None = None
    for languages in filter(None, sets):
        common = languages if common is None else common & languages
    return common or frozenset()


def _language_of_pair(row: RawRow) -> str:
    """The language of a pair by itself: the likeliest one; empty if no language can read it."""
    texts = _texts_of_pair(row)
    parsed = formulas_of(*texts) if common_of(row) else None
    return "" if parsed is None else parsed[0].name


def _texts_of_pair(row: RawRow) -> tuple[str, ...]:
    """The two formulas of a pair as written; fewer if one of them is no text."""
    values = _values(row)
    texts = (values.get(column) for column in ("formula", "other"))
    return tuple(text.strip() for text in texts if isinstance(text, str))


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
    if kind == "pair" and not row.problem:
        # An unknown language is reported where the pair is read.
        return replace(row, kind=kind, language=name if name in language_names() else "")
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
    problem = f"such rows are read in {' and '.join(usable)}, not in {name}"
    if kind == "sentence":
        problem += (
            "; only a test with a body of its own reads them, if its marker names the file and most rows of the file "
            "have a formula"
        )
    return problem


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
    """The languages in which the formula of a row, or both of a pair, can be read; none for a value that is no text."""
    if row.kind == "pair":
        texts = _texts_of_pair(row)
        return _pair_readable_in(texts) if len(texts) == 2 else frozenset()
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
    readable = frozenset(name for name in names if _is_readable(text, name, temporal, words))
    if readable != {"first_order"} or names == _OF_SENTENCES:
        return readable
    # A text such as `not a -> c` needs a repair, which only first-order logic has. It says nothing against the other
    # languages that can read what was repaired.
    with suppress(FormulaSyntaxError):
        reading = repaired(text)
        if reading.repairs:
            plain = language("first_order").format(reading.formula)
            readable |= {name for name in names if _is_readable(plain, name, temporal, words)}
    return readable


@lru_cache(maxsize=1 << 15)
def _pair_readable_in(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for name in language_names() if _are_strict(texts, name))


def _are_strict(texts: Sequence[str], name: str) -> bool:
    """Whether texts are formulas in the strict notation of a language, and no name in them is a number."""
    lang = language(name)
    for text in texts:
        try:
            formula = lang.parse(text)
        except FormulaSyntaxError:
            return False
        # `01` could be a name, and is a regular expression.
        has_numbers = any(symbol.isdecimal() for symbol in lang.symbols(formula).names)
        if has_numbers or not lang.is_strict(text):
            return False
    return True


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
    # What most rows are decides, if rows of several kinds are in doubt.
    for kind in _usual_first(rows):
        in_doubt = [
            row for row in rows if row.kind == kind and not row.language and not row.problem
        ]
        # A formula that no language can read is a slip of its row, and says nothing of the file.
        readable = [row for row in in_doubt if common_of(row)]
        common = _intersection(map(common_of, readable))
        if common:
            names = tuple(name for name in language_names() if name in common)
            return Doubt(path, _shown_formula(readable[0]), names)
    return None


def _usual_first(rows: Sequence[RawRow]) -> list[RowKind]:
    """The kinds of rows that may be of any language, that of most rows first."""
    numbers = Counter(row.kind for row in rows)
    return sorted(_OF_ANY_LANGUAGE, key=lambda kind: -numbers[kind])


def _shown_formula(row: RawRow) -> str:
    return str(_values(row).get("formula")).strip()


def why_language(path: Path, rows: Sequence[RawRow]) -> str:
    """Why the formulas of a file are read in a language that no row names; empty if their rows name it, or in doubt."""
    for kind in _usual_first(rows):
        # A sentence has its formula in one of two languages; a data set says which.
        if kind == "sentence":
            continue
        decided = [
            row
            for row in rows
            if row.kind == kind and row.language and common_of(row) and not _names_language(row)
        ]
        languages = {row.language for row in decided}
        if len(languages) != 1:
            continue
        name = languages.pop()
        deciding = min(decided, key=lambda row: len(common_of(row)))
        why = f"all of them can be read in {name}, and in no other language"
        if len(common_of(deciding)) == 1:
            why = f"line {deciding.place} ({_shown_formula(deciding):.60}) can be read in no other language"
        elif len(_intersection(map(common_of, decided))) > 1:
            why = "other rows name this language"
        return (
            f"{path}: its formulas are of {name}: {why}; for another one, add a column 'language'"
        )
    return ""


def _names_language(row: RawRow) -> bool:
    """Whether a row itself says in which language it is."""
    return language_in(row.values) is not None or "ontology" in _values(row)
