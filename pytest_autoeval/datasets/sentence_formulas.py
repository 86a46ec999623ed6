"""Sentences with their formulas, in any language, from a file that a test with a body of its own names.

The shipped data sets of translations read such rows in two languages only, since a prompt also needs phrases for the
names. A body of the user's needs the sentence and the formula, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import (
    Columns,
    RawRow,
    RowError,
    columns_of,
    is_filled,
    language_in,
)
from pytest_autoeval.datasets.data_set import Entry, WrittenDataSet
from pytest_autoeval.datasets.distinct_rows import DistinctRows, check_meaning, comparable_sentence
from pytest_autoeval.datasets.file_language import (
    Doubt,
    doubt_about,
    formula_in,
    with_languages,
)
from pytest_autoeval.datasets.formula_repair import repaired
from pytest_autoeval.datasets.sentence_glossaries import (
    checked_glossary,
    own_glossary,
    read_glossary,
    vocabulary_of,
)
from pytest_autoeval.datasets.table_files import (
    FileRows,
    Reader,
    cached_while_unchanged,
    unread_rows,
)
from pytest_autoeval.datasets.temporal_formulas import words_in
from pytest_autoeval.languages import Formula, FormulaSyntaxError, language

#: The languages that other columns show, if neither the row nor the test names one.
_LANGUAGE_OF_COLUMN = {"ontology": "first_order", "propositions": "ltl", "trace": "ltl"}
#: The languages whose names a glossary can list.
_WITH_GLOSSARIES = ("propositional", "first_order", "ltl")


@dataclass(frozen=True, slots=True)
class FormalizedSentence:
    """A row with a sentence and its formula. ``source`` is its file and line, ``facts`` are those of its item."""

    formula: Formula
    facts: Mapping[str, Any]
    source: str
    id: str | None


def _filled_columns(row: RawRow) -> set[str]:
    """The known columns of a row that are not empty; none for a row that cannot be read."""
    with suppress(RowError):
        names = columns_of(row.values)
        return {column for column, name in names.items() if is_filled(row.values[name])}
    return set()


def has_formulas_beside(path: Path, columns: Columns) -> bool:
    """Whether most rows of a table have a sentence and its formula. Raises :class:`DataSetError`."""
    rows = [row for row in unread_rows(path, columns) if not row.problem]
    with_both = [row for row in rows if {"sentence", "formula"} <= _filled_columns(row)]
    return 2 * len(with_both) > len(rows)


def _rows(path: Path, columns: Columns, lang: str = "") -> list[RawRow]:
    """The rows of a file, each with the language of its formula: the rules are those of formulas alone.

    What the row names counts most, then ``lang``, which is the language of the test.
    """
    rows = unread_rows(path, columns)
    alone = [_formula_alone(row, lang) for row in rows]
    return [
        replace(
            row,
            kind="formula",
            language=read.language,
            problem=read.problem,
            temporal=read.temporal,
        )
        for row, read in zip(rows, with_languages(path, alone), strict=True)
    ]


def _formula_alone(row: RawRow, lang: str) -> RawRow:
    """A row without its sentence: only its formula says in which languages it can be read."""
    with suppress(RowError):
        names = columns_of(row.values)
        values = {"formula": row.values[names["formula"]]} if "formula" in names else {}
        shown = [
            name for column, name in _LANGUAGE_OF_COLUMN.items() if column in _filled_columns(row)
        ]
        named = language_in(row.values) or lang or next(iter(shown), "")
        if named:
            values["language"] = named
        return replace(row, values=values)
    return row


def languages_beside(path: Path, columns: Columns) -> tuple[tuple[str, ...], Doubt | None]:
    """The languages of the formulas in a file, and the doubt if they can be read in several."""
    rows = _rows(path, columns)
    languages = {row.language for row in rows if row.language and not row.problem}
    return tuple(sorted(languages)), doubt_about(path, rows)


@cache
def _reader(lang: str) -> Reader[FileRows[FormalizedSentence]]:
    """A function that reads the sentences with formulas of a language in files."""

    @cached_while_unchanged
    def read(files: Sequence[Path], columns: Columns = ()) -> FileRows[FormalizedSentence]:
        distinct: DistinctRows[FormalizedSentence] = DistinctRows()
        earlier_formulas: dict[str, FormalizedSentence] = {}
        problems: list[str] = []
        for file in files:
            for raw in _rows(file, columns, lang):
                try:
                    row = _row(raw, file, lang)
                    sentence = comparable_sentence(row.facts["sentence"])
                    earlier = earlier_formulas.setdefault(sentence, row)
                    check_meaning(lang, row.formula, earlier.formula, earlier.source)
                    distinct.add(row, (sentence, row.formula))
                except RowError as problem:
                    problems += (f"{file}:{raw.place}: {line}" for line in problem.args)
        return FileRows(tuple(distinct.rows.values()), tuple(problems))

    return read


def _row(raw: RawRow, file: Path, lang: str) -> FormalizedSentence:
    """The sentence and the formula of a row; raises :class:`RowError`."""
    cells = Cells(raw)
    sentence = " ".join(cells.needed("sentence").split())
    text = cells.needed("formula").strip()
    if raw.language not in ("", lang):
        cells.fail("language", f"the formula is of {raw.language}, and the test reads {lang}")
    try:
        formula = formula_in(lang, text, raw.temporal, words_in(sentence))
    except FormulaSyntaxError as problem:
        cells.fail("formula", problem)
    source = f"{file.name}:{raw.place}"
    facts: dict[str, Any] = {"sentence": sentence, "source": source}
    facts |= cells.origin("id", "pattern", "group", "cluster")
    repairs = repaired(text).repairs if lang == "first_order" else ()
    if repairs:
        facts["repair"] = "; ".join(repairs)
    glossary = own_glossary(cells, file)
    if glossary:
        facts["glossary"] = glossary
    return FormalizedSentence(formula, facts, source, cells.name("id"))


def sentence_set(
    path: Path,
    lang: str,
    columns: Columns = (),
    glossary: Mapping[str, str] | Path | None = None,
) -> WrittenDataSet:
    """The sentences of a file, each with its formula in a language.

    A ``glossary`` has phrases for the names; by default it is the ``.toml`` file beside the file, if there is one.
    Raises :class:`DataSetError`.
    """
    read = _reader(lang)([path], columns)
    names = _names(path, lang, glossary)
    own_language = language(lang)
    entries = []
    for row in read.rows:
        facts = {"glossary": names, **row.facts} if names else row.facts
        vocabulary = own_language.symbols(row.formula)
        if "glossary" in facts and lang in _WITH_GLOSSARIES:
            listed = vocabulary_of(tuple(facts["glossary"].items()), lang, row.source)
            vocabulary = listed.including(vocabulary)
        formula, vocabulary = own_language.over(row.formula, vocabulary)
        entries.append(Entry(formula, facts, vocabulary))
    return WrittenDataSet(path.name, lang, entries, read.problems)


def _names(path: Path, lang: str, glossary: Mapping[str, str] | Path | None) -> Mapping[str, str]:
    """The names of all sentences of a file, with their phrases."""
    if isinstance(glossary, Mapping):
        return checked_glossary(glossary, "vocabulary")
    beside = path.with_suffix(".toml")
    if glossary is None and not (lang in _WITH_GLOSSARIES and beside.is_file()):
        return {}
    return read_glossary(glossary or beside)
