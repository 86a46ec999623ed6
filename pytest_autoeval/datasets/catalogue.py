"""Data sets by name: shipped, added by the run, or made from the user's files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.base import DataSet, DataSetError, WrittenDataSet
from pytest_autoeval.errors import unknown_name
from pytest_autoeval.registry import current_registry, located, names, shipped_folder


class UnknownDataSetError(DataSetError, LookupError):
    """There is no data set with that name."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a data set is made, and what its rows need (``needs``, for messages).

    ``read``, ``entries``, ``whole`` and ``drawn`` are places as in ``module:name``, loaded on first use. ``read`` reads
    files. From what was read, ``whole`` makes the data set, or ``entries`` makes its entries. ``drawn`` generates items
    without rows. ``grammar`` selects formulas. ``shipped`` is the file of its rows, if that has another name.
    """

    needs: str
    read: str
    entries: str = ""
    language: str = "ltl"
    drawn: str = ""
    grammar: str = ""
    whole: str = ""
    shipped: str = ""


_ROWS, _PAIRS, _SENTENCES = "rows:read_rows", "pairs:read_pairs", "first_order.sentences:read_sentences"
_STORIES = "first_order.entailment:read_stories"
_TRANSLATED = "the columns sentence, formula, propositions"
_OF_SENTENCES = "the columns sentence, formula, and ontology or no propositions; or premises, premises-FOL"
_STORY = "the columns premises, premises-FOL, conclusion, conclusion-FOL, label"
#: What the pairs to judge are drawn from, and of what the rows must be.
_JUDGED = {
    "propositional": ("propositional", "of the language propositional"),
    "ksat": ("propositional", "of the grammar ksat"),
    "first_order": ("first_order", "of the language first_order"),
    "regex": ("regex", "of the language regex"),
    "ltl": ("ltl", "of the language ltl, without operators of the past"),
    "past_ltl": ("ltl", "of the language ltl, with operators of the past"),
}
_KINDS = {
    "ltl_future": _Kind(
        f"{_TRANSLATED}, and no operator of the past in the formula", _ROWS, "rows:sentences_of", grammar="ltl"
    ),
    "ltl_past": _Kind(
        f"{_TRANSLATED}, and an operator of the past in the formula", _ROWS, "rows:sentences_of", grammar="past_ltl"
    ),
    "ltl_propositions": _Kind("the columns sentence, propositions", _ROWS, "rows:proposition_sentences"),
    "ltl_well_formedness": _Kind(
        "the columns text, well_formed", _ROWS, "rows:judged_strings", "ltl_strings", "ltl_sets:WellFormednessSet"
    ),
    "ltl_traces": _Kind(
        "the columns formula, trace, satisfies", _ROWS, "rows:judged_traces", drawn="ltl_sets:TraceSet"
    ),
    "ltl_trace_writing": _Kind(
        "only the column formula, in temporal logic",
        _ROWS,
        "ltl_sets:formulas_to_trace",
        drawn="ltl_sets:TraceWritingSet",
    ),
    **{
        f"judge_{grammar}": _Kind(
            f"the columns formula, other, or results of round trips, {rows}",
            _PAIRS,
            "pairs:entries_of",
            lang,
            "pairs:PairSet",
            grammar,
        )
        for grammar, (lang, rows) in _JUDGED.items()
    },
    **{
        name: _Kind(_OF_SENTENCES, _SENTENCES, whole=f"first_order.candidates:{made}", shipped="blocks_world.jsonl")
        for name, made in (
            ("fol_translation", "TranslationSet"),
            ("fol_most_similar", "MostSimilarSet"),
            ("fol_ranking", "RankingSet"),
        )
    },
    "fol_entailment": _Kind(
        _STORY, _STORIES, whole="first_order.entailment:EntailmentSet", shipped="blocks_world_stories.jsonl"
    ),
}


def data_set(name: str, files: Sequence[Path] = ()) -> DataSet | None:
    """The data set with that name. If there are files, it is made from their rows instead of the shipped items.

    None if no row suits it. A data set that the run added ignores the files. Raises :class:`UnknownDataSetError`, and
    :class:`DataSetError` for a file that cannot be read.
    """
    added = current_registry().data_sets
    if name in added:
        return added[name]
    if name not in _KINDS:
        raise UnknownDataSetError(unknown_name("data set", name, data_set_names()))
    kind = _KINDS[name]
    if kind.drawn and not files:
        drawn: DataSet = _loaded(kind.drawn)(*((name, kind.grammar, kind.language) if kind.grammar else ()))
        return drawn
    files = tuple(files) or (shipped_folder("data") / (kind.shipped or f"{name}.jsonl"),)
    found = _of_files(name, _loaded(kind.read)(files))
    return found if found.sizes else None


def takes_files(name: str) -> bool:
    """Whether a data set is made from the user's files if there are any; one that the run added is not."""
    return name in _KINDS and name not in current_registry().data_sets


def needs_of(name: str) -> str:
    """What a row needs for a shipped data set, as words of a message."""
    return _KINDS[name].needs


def data_set_names() -> tuple[str, ...]:
    """The names of the shipped data sets, then of the added ones."""
    return names(current_registry().data_sets, _KINDS)


def file_problems(files: Sequence[Path]) -> tuple[str, ...]:
    """Rows that no data set can use: one line each with file, line, column and reason."""
    found = (_loaded(read)(files).problems for read in (_ROWS, _PAIRS, _SENTENCES, _STORIES))
    return tuple(dict.fromkeys(chain.from_iterable(found)))


@lru_cache(maxsize=64)
def _of_files(name: str, read: Any) -> DataSet:
    kind = _KINDS[name]
    if kind.whole:
        whole: DataSet = _loaded(kind.whole)(name, read)
        return whole
    entries = _loaded(kind.entries)(read.rows, *filter(None, (kind.grammar,)))
    return WrittenDataSet(name, kind.language, entries, read.problems)


def _loaded(location: str) -> Any:
    return located(f"pytest_autoeval.datasets.{location}")
