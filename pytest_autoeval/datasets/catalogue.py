"""Data sets by name: shipped, added by the run, or made from the user's files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pytest_autoeval.built_in import provided, shipped
from pytest_autoeval.by_name import added, located, names, shipped_folder
from pytest_autoeval.datasets.data_set import DataSet, DataSetError
from pytest_autoeval.errors import unknown_name

if TYPE_CHECKING:
    from pytest_autoeval.datasets.columns import Columns
    from pytest_autoeval.datasets.file_language import Doubt


class UnknownDataSetError(DataSetError, LookupError):
    """There is no data set with that name."""


class ShippedDataSet(Struct, frozen=True, kw_only=True):
    """How a shipped data set is made.

    Attributes:
        needs: what its rows need, as words of a message.
        read: reads the rows of files. This and the next two are functions, as ``module:name``, since most runs use no
            data set.
        make: makes the data set of these rows.
        draw: makes a data set that generates its items, if there is no file.
        file: the shipped file, if there is one.
        by_language: whether the rows of a file could be read in another language instead.
    """

    needs: str
    read: str
    make: str
    draw: str = ""
    file: str = ""
    by_language: bool = False


#: The data sets of sentences alone, with the language of the formulas that the model writes.
SENTENCES = {
    "sentences_ltl": "ltl",
    "sentences_propositional": "propositional",
    "sentences_first_order": "first_order",
}
#: What a file needs for them, as words of a message.
_NEEDS_OF_SENTENCES = (
    "a list of Markdown (.md), a sentence on each line (.txt), or the column sentence alone"
)


def _pairs(whose_formulas: str) -> ShippedDataSet:
    """A data set of pairs of formulas. The argument says which formulas, as words of a message."""
    module = "pytest_autoeval.datasets.pairs"
    return ShippedDataSet(
        needs=f"the columns formula, other, or results of round trips, of the {whose_formulas}",
        read=f"{module}:read_pairs",
        make=f"{module}:written_set",
        draw="pytest_autoeval.datasets.drawn_pairs:PairSet",
        by_language=True,
    )


#: The data sets of the core. Plugins provide the others.
_CORE = {
    "judge_propositional": _pairs("language propositional"),
    "judge_ksat": _pairs("grammar ksat"),
    "judge_first_order": _pairs("language first_order"),
    "judge_regex": _pairs("language regex"),
    "judge_ltl": _pairs("language ltl, without operators of the past"),
    "judge_past_ltl": _pairs("language ltl, with operators of the past"),
}


def _shipped_names() -> tuple[str, ...]:
    """The names of the shipped data sets with more than sentences, in the order in which they are listed."""
    return (*provided("shipped data set"), *_CORE)


def _description(name: str) -> ShippedDataSet:
    """The description of a shipped data set; raises `KeyError` for another name."""
    if name in _CORE:
        return _CORE[name]
    description: ShippedDataSet = shipped("shipped data set", name)
    return description


def data_set(name: str, files: Sequence[Path] = (), columns: Columns = ()) -> DataSet | None:
    """The data set with that name, made from the rows of the files if there are any; None if no row suits it.

    ``columns`` are the names of columns that the user gave. A data set that the run added ignores the files. Raises
    :class:`UnknownDataSetError`, :class:`DataSetError`.
    """
    if name in added("data set"):
        added_set: DataSet = added("data set")[name]
        return added_set
    if name in SENTENCES:
        return _sentences(name, files, columns)
    if name not in _shipped_names():
        raise UnknownDataSetError(unknown_name("data set", name, data_set_names()))
    if files:
        return _from_users_files(name, files, columns)
    description = _description(name)
    if description.draw:
        drawn: DataSet = located(description.draw)(name)
        return drawn
    if not description.file:
        # It has only what a file of the user's has.
        return None
    shipped_file = shipped_folder("data") / description.file
    return _without_empty(_made(name, located(description.read)((shipped_file,))))


def _from_users_files(name: str, files: Sequence[Path], columns: Columns) -> DataSet | None:
    """The shipped data set of the files' rows; None if no row suits it."""
    tables = tuple(file for file in files if not has_text_alone(file))
    if not tables:
        return None
    return _without_empty(_made(name, located(_description(name).read)(tables, columns)))


def _without_empty(made: DataSet) -> DataSet | None:
    """The data set; None if it has no item of any size."""
    return made if made.sizes else None


def _sentences(name: str, files: Sequence[Path], columns: Columns) -> DataSet | None:
    """The sentences of those files that have nothing else; None if no file is one of these."""
    from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet
    from pytest_autoeval.datasets.plain_sentences import has_sentences_alone

    alone = [file for file in files if has_sentences_alone(file, columns)]
    return PlainSentenceSet(name, SENTENCES[name], alone, columns=columns) if alone else None


def has_text_alone(file: Path) -> bool:
    """Whether a file is text without formulas, which no table reader reads."""
    from pytest_autoeval.datasets.plain_sentences import is_markdown, is_text, is_without_formulas

    return is_markdown(file) or (is_text(file) and is_without_formulas(file))


@lru_cache(maxsize=64)
def _made(name: str, rows: Any) -> DataSet:
    """The data set of the rows. It is kept, because several suites of a run may use it."""
    made: DataSet = located(_description(name).make)(name, rows)
    return made


def check_users_file(file: Path, columns: Columns = ()) -> None:
    """Raises :class:`DataSetError` for a file that no data set can use."""
    from pytest_autoeval.datasets.plain_sentences import has_sentences_alone, sentences_in
    from pytest_autoeval.datasets.table_files import check_file

    if has_sentences_alone(file, columns):
        sentences_in([file], columns)
    else:
        check_file(file, columns)


def takes_files(name: str) -> bool:
    """Whether a data set is made from the user's files if there are any; one that the run added is not."""
    return (name in _shipped_names() or name in SENTENCES) and name not in added("data set")


def is_read_by_language(name: str) -> bool:
    """Whether rows of the user's files for this data set could be read in another language."""
    return name in _shipped_names() and _description(name).by_language


def needs_of(name: str) -> str:
    """What a row needs for a shipped data set, as words of a message."""
    return _NEEDS_OF_SENTENCES if name in SENTENCES else _description(name).needs


def data_set_names() -> tuple[str, ...]:
    """The names of the shipped data sets, then of the added ones."""
    return names("data set", dict.fromkeys((*_shipped_names(), *SENTENCES)))


def file_problems(files: Sequence[Path], columns: Columns = ()) -> tuple[str, ...]:
    """Rows that no data set can use: one line each with file, line, column and reason."""
    from pytest_autoeval.datasets.plain_sentences import sentences_in

    texts = [file for file in files if has_text_alone(file)]
    tables = [file for file in files if file not in texts]
    problems = list(sentences_in(texts).problems)
    # Without a table, the readers of other data sets are not imported.
    if tables:
        readers = [_description(name).read for name in _shipped_names()]
        readers.append("pytest_autoeval.datasets.formulas:read_formulas")
        # Several data sets have one reader.
        for read in dict.fromkeys(readers):
            problems += located(read)(tables, columns).problems
    # Several readers may report the same row.
    return tuple(dict.fromkeys(problems))


def doubts_in(files: Sequence[Path], columns: Columns = ()) -> tuple[Doubt, ...]:
    """The files whose formulas can be read in several languages."""
    from pytest_autoeval.datasets.formulas import doubts_about

    return doubts_about(tuple(file for file in files if not has_text_alone(file)), columns)


def why_languages(files: Sequence[Path], columns: Columns = ()) -> str:
    """Why the formulas of files are read in languages that no row names; empty if nothing is to be said."""
    from pytest_autoeval.datasets.file_language import why_language
    from pytest_autoeval.datasets.table_files import read_table

    tables = [file for file in files if not has_text_alone(file)]
    reasons = [why_language(file, read_table(file, columns)) for file in tables]
    return "; ".join(filter(None, reasons))
