"""Formulas alone, from a user's file, for round trips: each in the language that its row names, or its file has.

The command ``generate`` writes such files.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RawRow, language_in
from pytest_autoeval.datasets.data_set import Item, WrittenDataSet, measures
from pytest_autoeval.datasets.distinct_rows import DistinctRows
from pytest_autoeval.datasets.file_language import Doubt, doubt_about, formula_in
from pytest_autoeval.datasets.table_files import (
    FileRows,
    Reader,
    cached_while_unchanged,
    read_each_row,
    read_table,
)
from pytest_autoeval.datasets.temporal_formulas import FileFormulas
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary, language

#: The vocabularies that a row may name, as `generate` writes them.
_READY_MADE = ("default", "english")


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """A row that is only a formula.

    Attributes:
        text: the formula as written.
        language: its language; empty if that is in doubt.
        grammar: the grammar that the row names, as `generate` does; may be empty.
        vocabulary: the ready-made vocabulary that the row names; may be empty.
        source: file name and line.
        place: path and line, for messages.
        id: the column ``id``.
        group: the column ``group``.
        cluster: the column ``cluster``.
        temporal: what the formulas of the file show about their notation.
    """

    text: str
    language: str
    grammar: str
    vocabulary: str
    source: str
    place: str
    id: str | None
    group: str | None
    cluster: str | None
    temporal: FileFormulas


@cache
def formula_reader(lang: str) -> Reader[FileRows[FormulaRow]]:
    """A function that reads the formulas of files. Rows that do not name their language are of ``lang``."""

    @cached_while_unchanged
    def read(files: Sequence[Path], columns: Columns = ()) -> FileRows[FormulaRow]:
        return _read_formulas(files, columns, lang)

    return read


@cached_while_unchanged
def read_formulas(files: Sequence[Path], columns: Columns = ()) -> FileRows[FormulaRow]:
    """The rows of files that are only formulas; a formula of a known language is read. Raises :class:`DataSetError`."""
    return _read_formulas(files, columns)


def _read_formulas(files: Sequence[Path], columns: Columns, lang: str = "") -> FileRows[FormulaRow]:
    distinct: DistinctRows[FormulaRow] = DistinctRows()

    def take(file: Path, raw: RawRow) -> None:
        if raw.kind != "formula":
            return
        # What the user says of a file counts more than what its other rows show.
        if lang and language_in(raw.values) is None:
            raw = replace(raw, language=lang)
        cells = Cells(raw)
        text = cells.needed("formula").strip()
        # Two notations of one formula are one row; without a language, only equal texts are known to be equal.
        question: object = text
        if raw.language:
            try:
                question = formula_in(raw.language, text, raw.temporal)
            except FormulaSyntaxError as problem:
                cells.fail("formula", problem)
        named = {name: str(raw.values.get(name) or "") for name in ("grammar", "vocabulary")}
        source = f"{file.name}:{raw.place}"
        line_name = f"{file}:{raw.place}"
        row = FormulaRow(
            text,
            raw.language,
            **named,
            source=source,
            place=line_name,
            id=cells.name("id"),
            group=cells.name("group"),
            cluster=cells.name("cluster"),
            temporal=raw.temporal,
        )
        distinct.add(row, (raw.language, question))

    problems = read_each_row(files, take, columns)
    return FileRows(tuple(distinct.rows.values()), problems)


def files_of_formulas(files: Sequence[Path], columns: Columns = ()) -> list[Path]:
    """Those files whose rows are formulas alone. Single rows of another kind do not count: most rows decide."""
    formula_files = []
    for file in files:
        kinds = [row.kind for row in read_table(file, columns) if not row.problem]
        if 2 * kinds.count("formula") > len(kinds):
            formula_files.append(file)
    return formula_files


@cached_while_unchanged
def doubts_about(files: Sequence[Path], columns: Columns = ()) -> tuple[Doubt, ...]:
    """The files whose formulas can be read in several languages. Raises :class:`DataSetError`."""
    doubts = (doubt_about(file, read_table(file, columns)) for file in files)
    return tuple(doubt for doubt in doubts if doubt is not None)


class FormulaSet(WrittenDataSet):
    """The formulas of one language among some rows, by their sizes.

    An answer may use the names that the formula's grammar has, if these are enough: then the question is the one that
    a drawn formula gets. Else it may use the names of the formula.
    """

    def __init__(
        self,
        lang: str,
        read: FileRows[FormulaRow],
        grammar: str = "",
        vocabulary: Vocabulary | Names | None = None,
    ) -> None:
        super().__init__(
            grammar or (lang if lang in grammar_names() else "formulas"), lang, (), read.problems
        )
        self._given = vocabulary
        own_language = language(lang)
        seen: dict[Formula, str] = {}
        taken: list[tuple[FormulaRow, Formula]] = []
        for row in read.rows:
            if row.language not in ("", lang):
                continue
            try:
                formula = formula_in(lang, row.text, row.temporal)
            except FormulaSyntaxError as problem:
                self._problems += (f"{row.place}: {problem}",)
                continue
            earlier = seen.setdefault(formula, row.source)
            if earlier != row.source:
                self._problems += (f"{row.place}: repeats {earlier}",)
                continue
            taken.append((row, formula))
        # Those of all formulas, so that a prompt gives nothing away about a single one.
        signs = (sign for _, formula in taken for sign in own_language.signs(formula))
        self._signs = tuple(dict.fromkeys(signs))
        for row, formula in taken:
            self._add(row, formula, own_language)

    def _add(self, row: FormulaRow, formula: Formula, lang: Language) -> None:
        grammar = row.grammar if row.grammar in grammar_names() else self.name
        vocabulary, called = self._names_for(formula, grammar, row.vocabulary)
        vocabulary = replace(vocabulary, signs=(*vocabulary.signs, *self._signs))
        # A wildcard means the alphabet of the answers.
        formula, vocabulary = lang.over(formula, vocabulary)
        size = int(measures(lang, formula)[lang.size_measure])
        items_of_size = self._by_size.setdefault(size, [])
        origin = {"source": row.source, "item": row.id, "group": row.group, "cluster": row.cluster}
        facts = {key: value for key, value in origin.items() if value}
        # Nothing is drawn, so the seed is always 0.
        index = len(items_of_size)
        item = Item(grammar, lang.name, vocabulary, called, size, 0, index, formula, facts)
        items_of_size.append(item)

    def names(self, formula: Formula) -> tuple[Vocabulary, str]:
        return self._names_for(formula, self.name, "")

    def _names_for(self, formula: Formula, grammar: str, named: str) -> tuple[Vocabulary, str]:
        lang = language(self.language)
        candidates: list[Vocabulary | Names | str | None] = [self._given]
        # Without names from the marker: those of the grammar, then those that the row names.
        if self._given is None:
            candidates += [ready_made for ready_made in _READY_MADE if ready_made == named]
        for vocabulary in candidates:
            # There is no such grammar, or it has no such names.
            with suppress(AutoevalError):
                space = formula_space(grammar, vocabulary, self.language)
                if not lang.foreign(formula, space.vocabulary):
                    return space.vocabulary, space.vocabulary_name
        return lang.symbols(formula), "custom"
