"""Sentences without formulas: from lines of text, lists of Markdown, or tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import (
    Columns,
    RawRow,
    RowError,
    columns_of,
    makes_a_row,
    naming_hint,
)
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.file_text import text_of
from pytest_autoeval.datasets.formula_lines import formulas_on_lines
from pytest_autoeval.datasets.markdown_lists import (
    TABLE_ADVICE,
    list_items,
    requirements_in_tables,
    table_rows,
)
from pytest_autoeval.datasets.sentence_glossaries import (
    own_glossary,
)
from pytest_autoeval.datasets.sentence_numbers import (
    ReadSentence,
    notes_on_numbers,
    with_numbers,
)
from pytest_autoeval.datasets.table_files import (
    FileRows,
    cached_while_unchanged,
    read_each_row,
    read_table,
)
from pytest_autoeval.datasets.temporal_formulas import beside_sentences, has_formula
from pytest_autoeval.errors import did_you_mean

#: How many rows without a sentence an error lists.
_MOST = 5


@dataclass(frozen=True, slots=True)
class PlainSentence:
    """A sentence of a file.

    Attributes:
        sentence: its text.
        group: the heading above it, or the column ``group``; may be empty.
        source: file name and line.
        item: its id: that of its author, in the column ``id`` or before the text as in ``R-12: ``; else its source.
        glossary: the names that only this sentence has, with their phrases; None if it has those of its file.
        cluster: the column ``cluster``.
    """

    sentence: str
    group: str
    source: str
    item: str
    glossary: Mapping[str, str] | None = field(default=None, hash=False)
    cluster: str | None = None


def read_plain_sentences(path: Path, columns: Columns = ()) -> tuple[PlainSentence, ...]:
    """The sentences of a ``.txt``, ``.md``, ``.csv``, ``.tsv``, ``.jsonl`` or ``.json`` file.

    Raises :class:`DataSetError` if the file cannot be read or has none.
    """
    return sentences_in([path], columns).rows


@cached_while_unchanged
def sentences_in(files: Sequence[Path], columns: Columns = ()) -> FileRows[PlainSentence]:
    """The sentences of files, and the rows of tables that have none. Raises :class:`DataSetError`."""
    rows: list[PlainSentence] = []
    problems: list[str] = []
    notes: list[str] = []
    for path in files:
        if is_markdown(path):
            read = _of_markdown(path)
        elif is_text(path):
            read = _of_text(path)
        else:
            read = _of_table(path, columns)
        problems += read.problems
        notes += read.notes
        if not read.rows:
            headline = f"{path}: no sentence was found; {_advice_without_sentence(path)}"
            raise DataSetError("\n".join((headline, *_first_of_each(problems))))
        rows += read.rows
    return FileRows(tuple(rows), tuple(problems), tuple(notes))


def _advice_without_sentence(path: Path) -> str:
    """What to do with a file in which no sentence was found."""
    if is_text(path):
        return "write each on a line of its own"
    if not is_markdown(path):
        return "see its rows"
    advice = "write each as an item of a list: - The door is closed."
    return f"{advice} {TABLE_ADVICE}" if any(table_rows(text_of(path))) else advice


def _first_of_each(problems: Iterable[str]) -> list[str]:
    """The first row of each problem: often all rows have the same one."""
    by_reason: dict[str, str] = {}
    for line in problems:
        by_reason.setdefault(line.partition(": ")[2], line)
    return list(by_reason.values())[:_MOST]


def is_markdown(path: Path) -> bool:
    """Whether a file is one of Markdown, by its ending."""
    return path.suffix.casefold() in {".md", ".markdown"}


def is_text(path: Path) -> bool:
    """Whether a file has a sentence on each line, by its ending."""
    return path.suffix.casefold() == ".txt"


def has_sentences_alone(path: Path, columns: Columns = ()) -> bool:
    """Whether a file has sentences, and most rows of a table have nothing else. Raises :class:`DataSetError`."""
    if is_markdown(path):
        return True
    if is_text(path):
        return formulas_on_lines(text_of(path)) is None
    alone, with_more = 0, 0
    # Most rows of a file have the same columns, which are looked up once.
    rows_with_names = Counter(tuple(row.values) for row in read_table(path, columns))
    for names, number in rows_with_names.items():
        # Reading reports a row whose columns cannot be told apart.
        with suppress(RowError):
            present = columns_of(names).keys()
            if makes_a_row(present):
                with_more += number
            elif "sentence" in present:
                alone += number
    return alone > with_more


def is_without_formulas(path: Path, columns: Columns = ()) -> bool:
    """Whether a file has sentences and nothing else, so that only a model can formalize them."""
    if is_text(path):
        text = text_of(path)
        return formulas_on_lines(text) is None and beside_sentences(text) is None
    return has_sentences_alone(path, columns)


class _Read(NamedTuple):
    """A sentence as it stands in a file, with its number if it has one."""

    sentence: ReadSentence
    line: int
    group: str = ""
    glossary: Mapping[str, str] | None = None


def _of_markdown(path: Path) -> FileRows[PlainSentence]:
    """The items of lists, without those that show a formula, which would stand in the prompt."""
    problem = "a formula stands in this item: remove it, or write it in a table with the columns sentence, formula"
    plain: list[_Read] = []
    problems: list[str] = []
    for item in list_items(text_of(path)):
        if has_formula(item.text):
            problems.append(f"{path}:{item.line}: {problem}")
        else:
            plain.append(_Read(ReadSentence(item.text, item.marked), item.line, item.heading))
    read = _named(path, plain, problems)
    # Left out like a row that cannot be read: every report of a run names it, and no set is complete without it.
    ids = {sentence.item for sentence in read.rows}
    tables = requirements_in_tables(path, text_of(path), ids)
    return replace(read, problems=(*read.problems, *tables))


def _of_text(path: Path) -> FileRows[PlainSentence]:
    """The sentences of lines, with their formulas' letters if they have formulas; and why some have no sentence."""
    text = text_of(path)
    # A formula in the place of a sentence would be in the prompt, and so be its own answer.
    if formulas_on_lines(text) is not None:
        raise DataSetError(
            f"{path}: its lines are formulas, and no sentences; a round trip of formulas takes them"
        )
    pairs = beside_sentences(text)
    if pairs is None:
        return _named(path, list(_lines(text)))
    problems: list[str] = []
    sentences: list[_Read] = []
    for pair in pairs:
        if pair.problem:
            problems.append(f"{path}:{pair.line}: {pair.problem}")
        else:
            # A letter of the formula stands in the sentence too, so it is its own phrase.
            letters = {name: name for name in pair.letters} or None
            sentence = ReadSentence(pair.sentence)
            sentences.append(_Read(sentence, pair.line, glossary=letters))
    return _named(path, sentences, problems)


def _lines(text: str) -> Iterator[_Read]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield _Read(ReadSentence(" ".join(line.split())), number)


def _named(
    path: Path, sentences: Sequence[_Read], problems: Sequence[str] = ()
) -> FileRows[PlainSentence]:
    """The sentences with their ids. A sentence whose id an earlier one has is left out, as a row of a table is."""
    source_of_id: dict[str, str] = {}
    all_problems = list(problems)
    rows = []
    numbered = with_numbers(read.sentence for read in sentences)
    for read, (own_id, sentence, _) in zip(sentences, numbered, strict=True):
        source = f"{path.name}:{read.line}"
        if own_id in source_of_id:
            all_problems.append(
                f"{path}:{read.line}: the id {own_id!r} is already used by {source_of_id[own_id]}"
            )
            continue
        if own_id:
            source_of_id[own_id] = source
        rows.append(PlainSentence(sentence, read.group, source, own_id or source, read.glossary))
    places = [f"{path}:{read.line}" for read in sentences]
    notes = tuple(notes_on_numbers(places, numbered))
    return FileRows(tuple(rows), tuple(all_problems), notes)


def _of_table(path: Path, columns: Columns) -> FileRows[PlainSentence]:
    """The sentences of a table, and why some rows have none."""
    rows: dict[str, PlainSentence] = {}
    is_alone = has_sentences_alone(path, columns)

    def take(file: Path, raw: RawRow) -> None:
        cells = Cells(raw)
        if "sentence" not in cells.names:
            hint = did_you_mean("sentence", raw.values) or (
                f" The columns are {', '.join(map(repr, raw.values))}: name one with "
                f"{naming_hint('sentence', 'NAME')}."
            )
            raise RowError(f"there is no column 'sentence'.{hint}")
        sentence = " ".join(cells.needed("sentence").split())
        # A set of sentences may have their formulas beside them; here, a formula would not be used.
        if is_alone and makes_a_row(cells.values):
            raise RowError(
                "the row has more than a sentence, unlike most rows of its file; "
                "put it into a file of its own"
            )
        source = f"{file.name}:{raw.place}"
        item = cells.name("id") or source
        if item in rows:
            raise RowError(f"the id {item!r} is already used by {rows[item].source}")
        rows[item] = PlainSentence(
            sentence,
            group=cells.name("group") or "",
            source=source,
            item=item,
            glossary=own_glossary(cells, file),
            cluster=cells.name("cluster"),
        )

    problems = read_each_row([path], take, columns)
    return _numbered_rows(path, list(rows.values()), problems)


def _numbered_rows(
    path: Path, rows: Sequence[PlainSentence], problems: Sequence[str]
) -> FileRows[PlainSentence]:
    """The sentences of a table; the number before a sentence is its id if no column gives another."""
    numbered = with_numbers(ReadSentence(row.sentence) for row in rows)
    used = {row.item for row in rows}
    places = [f"{path}{row.source.removeprefix(path.name)}" for row in rows]
    notes = [*notes_on_numbers(places, numbered)]
    named = []
    for place, row, (own_id, sentence, _) in zip(places, rows, numbered, strict=True):
        is_named_by_place = row.item == row.source
        # A column may have the number of the sentence too.
        is_its_id = own_id == row.item or (is_named_by_place and own_id not in used)
        if own_id and is_its_id:
            named.append(replace(row, sentence=sentence, item=own_id))
            used.add(own_id)
            continue
        named.append(row)
        if own_id:
            why = (
                "another row has this id"
                if is_named_by_place
                else f"the id of the row is {row.item!r}"
            )
            notes.append(f"{place}: {own_id!r} stays in the sentence: {why}")
    return FileRows(tuple(named), tuple(problems), tuple(notes))
