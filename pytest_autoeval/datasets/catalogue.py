"""Data sets by name: shipped, added by the run, or made from the user's files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_autoeval.by_name import added, located, names, shipped_folder
from pytest_autoeval.datasets.base import DataSet, DataSetError
from pytest_autoeval.errors import unknown_name

if TYPE_CHECKING:
    from pytest_autoeval.datasets.columns import Columns
    from pytest_autoeval.datasets.file_language import Doubt


class UnknownDataSetError(DataSetError, LookupError):
    """There is no data set with that name."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a data set is made.

    ``needs`` says in a message what its rows need. The next three are functions, as ``module:name``, since most runs
    use no data set: ``read`` reads the rows of files, ``make`` makes the data set of them, and ``draw`` one that
    generates its items, if there is no file. ``file`` is the shipped file, if there is one.
    """

    needs: str
    read: str
    make: str
    draw: str = ""
    file: str = ""


def _called(function: str, *arguments: Any) -> Any:
    return located(f"pytest_autoeval.datasets.{function}")(*arguments)


#: The data sets of sentences alone, with the language of the formulas that the model writes.
SENTENCES = {
    "sentences_ltl": "ltl",
    "sentences_propositional": "propositional",
    "sentences_first_order": "first_order",
}
_PLAIN = "a list of Markdown (.md), a sentence on each line (.txt), or the column sentence alone"
_REQUIREMENT = "the columns sentence, formula, propositions"
_PAIR = "the columns formula, other, or results of round trips"
_SENTENCE = "the columns sentence, formula, and ontology or no propositions; or premises, premises-FOL"
_STORY = "the columns premises, premises-FOL, conclusion, conclusion-FOL, label"


def _temporal(needs: str, file: str = "") -> _Kind:
    return _Kind(needs, "rows:read_rows", "ltl_sets:written_set", "" if file else "ltl_sets:drawn_set", file)


def _pairs(needs: str) -> _Kind:
    return _Kind(f"{_PAIR}, of the {needs}", "pairs:read_pairs", "pairs:written_set", "pairs:PairSet")


def _sentences_with_formulas(kind: str) -> _Kind:
    read = "first_order.sentences:read_sentences"
    return _Kind(_SENTENCE, read, f"first_order.candidates:{kind}", file="blocks_world.jsonl")


#: The shipped data sets, in the order in which they are listed.
_KINDS = {
    "ltl_future": _temporal(f"{_REQUIREMENT}, and no operator of the past in the formula", "ltl_future.jsonl"),
    "ltl_past": _temporal(f"{_REQUIREMENT}, and an operator of the past in the formula", "ltl_past.jsonl"),
    "ltl_propositions": _temporal("the columns sentence, propositions", "ltl_propositions.jsonl"),
    "ltl_well_formedness": _temporal("the columns text, well_formed"),
    "ltl_traces": _temporal("the columns formula, trace, satisfies"),
    "ltl_trace_writing": _temporal("only the column formula, in temporal logic"),
    "judge_propositional": _pairs("language propositional"),
    "judge_ksat": _pairs("grammar ksat"),
    "judge_first_order": _pairs("language first_order"),
    "judge_regex": _pairs("language regex"),
    "judge_ltl": _pairs("language ltl, without operators of the past"),
    "judge_past_ltl": _pairs("language ltl, with operators of the past"),
    "fol_translation": _sentences_with_formulas("TranslationSet"),
    "fol_most_similar": _sentences_with_formulas("MostSimilarSet"),
    "fol_ranking": _sentences_with_formulas("RankingSet"),
    "fol_entailment": _Kind(
        _STORY,
        "first_order.entailment:read_stories",
        "first_order.entailment:EntailmentSet",
        file="blocks_world_stories.jsonl",
    ),
}


def data_set(name: str, files: Sequence[Path] = (), columns: Columns = ()) -> DataSet | None:
    """The data set with that name, made from the rows of the files if there are any; None if no row suits it.

    ``columns`` are the names of columns that the user gave.

    A data set that the run added ignores the files. Raises :class:`UnknownDataSetError`, :class:`DataSetError`.
    """
    if name in added("data set"):
        own: DataSet = added("data set")[name]
        return own
    if name in SENTENCES:
        return _sentences(name, files, columns)
    if name not in _KINDS:
        raise UnknownDataSetError(unknown_name("data set", name, data_set_names()))
    kind = _KINDS[name]
    if kind.draw and not files:
        drawn: DataSet = _called(kind.draw, name)
        return drawn
    with_formulas = tuple(file for file in files if not has_text_alone(file))
    if files and not with_formulas:
        return None
    if with_formulas:
        made = _made(name, _called(kind.read, with_formulas, columns))
    else:
        made = _made(name, _called(kind.read, (shipped_folder("data") / kind.file,)))
    return made if made.sizes else None


def _sentences(name: str, files: Sequence[Path], columns: Columns) -> DataSet | None:
    """The sentences of those files that have nothing else."""
    from pytest_autoeval.datasets.plain_sentences import PlainSentenceSet, has_sentences_alone

    alone = [file for file in files if has_sentences_alone(file, columns)]
    return PlainSentenceSet(name, SENTENCES[name], alone, columns=columns) if alone else None


def has_text_alone(file: Path) -> bool:
    """Whether a file is text without formulas, which no table reader reads."""
    from pytest_autoeval.datasets.file_text import text_of
    from pytest_autoeval.datasets.plain_sentences import is_markdown, is_text
    from pytest_autoeval.datasets.temporal_formulas import beside_sentences

    return is_markdown(file) or (is_text(file) and beside_sentences(text_of(file)) is None)


@lru_cache(maxsize=64)
def _made(name: str, read: Any) -> DataSet:
    made: DataSet = _called(_KINDS[name].make, name, read)
    return made


def check_users_file(file: Path, columns: Columns = ()) -> None:
    """Raises :class:`DataSetError` for a file that no data set can use."""
    from pytest_autoeval.datasets.plain_sentences import has_sentences_alone, sentences_in
    from pytest_autoeval.datasets.tables import check_file

    if has_sentences_alone(file, columns):
        sentences_in([file], columns)
    else:
        check_file(file, columns)


def takes_files(name: str) -> bool:
    """Whether a data set is made from the user's files if there are any; one that the run added is not."""
    return (name in _KINDS or name in SENTENCES) and name not in added("data set")


def needs_of(name: str) -> str:
    """What a row needs for a shipped data set, as words of a message."""
    return _PLAIN if name in SENTENCES else _KINDS[name].needs


def data_set_names() -> tuple[str, ...]:
    """The names of the shipped data sets, then of the added ones."""
    return names("data set", {**_KINDS, **SENTENCES})


def file_problems(files: Sequence[Path], columns: Columns = ()) -> tuple[str, ...]:
    """Rows that no data set can use: one line each with file, line, column and reason."""
    from pytest_autoeval.datasets.plain_sentences import sentences_in

    alone = [file for file in files if has_text_alone(file)]
    tables = [file for file in files if file not in alone]
    readers = dict.fromkeys((*(kind.read for kind in _KINDS.values()), "formulas:read_formulas")) if tables else ()
    problems = chain.from_iterable(_called(read, tables, columns).problems for read in readers)
    return tuple(dict.fromkeys((*sentences_in(alone).problems, *problems)))


def doubts_in(files: Sequence[Path], columns: Columns = ()) -> tuple[Doubt, ...]:
    """The files whose formulas can be read in several languages."""
    from pytest_autoeval.datasets.formulas import doubts_about

    return doubts_about(tuple(file for file in files if not has_text_alone(file)), columns)
