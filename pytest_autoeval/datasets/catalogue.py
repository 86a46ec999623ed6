"""Data sets by name: the shipped ones, those that a run added, and what a user's files have for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.base import DataSet, DataSetError
from pytest_autoeval.errors import unknown_name
from pytest_autoeval.registry import current_registry, located, names

_PACKAGE = Path(__file__).resolve().parent.parent


class UnknownDataSetError(DataSetError, LookupError):
    """There is no data set of that name."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What suits a data set among rows, in words too, and what makes its items.

    ``whole``, ``entries``, ``made`` and ``read`` name a module of this room and what it holds: asking for names alone
    loads none of them. ``read`` is what reads files; of that ``whole`` makes the data set, or else ``entries`` what it
    has. Where no rows are needed ``made`` makes it. ``grammar`` is what the pairs of formulas to judge are drawn from,
    where the items are such pairs. ``shipped`` is the file of its rows, where that is not called as it is.
    """

    needs: str
    entries: str = ""
    language: str = "ltl"
    made: str = ""
    grammar: str = ""
    read: str = "rows:read_rows"
    whole: str = ""
    shipped: str = ""


def _judged(grammar: str, lang: str, needs: str) -> _Kind:
    needed = f"the columns formula, other, or results of round trips, {needs}"
    return _Kind(needed, "pairs:entries_of", lang, "judge_pairs:PairSet", grammar, read="pairs:read_pairs")


def _of_sentences(whole: str) -> _Kind:
    needed = "the columns sentence, formula, and ontology or no propositions; or premises, premises-FOL"
    return _Kind(
        needed,
        language="first_order",
        read="first_order.sentences:read_sentences",
        whole=whole,
        shipped="blocks_world.jsonl",
    )


_TRANSLATED = "the columns sentence, formula, propositions"
_KINDS = {
    "ltl_future": _Kind(f"{_TRANSLATED}, and no operator of the past in the formula", "written:future_sentences"),
    "ltl_past": _Kind(f"{_TRANSLATED}, and an operator of the past in the formula", "written:past_sentences"),
    "ltl_propositions": _Kind("the columns sentence, propositions", "written:proposition_sentences"),
    "ltl_well_formedness": _Kind(
        "the columns text, well_formed", "written:judged_strings", "ltl_strings", "well_formedness:WellFormednessSet"
    ),
    "ltl_traces": _Kind("the columns formula, trace, satisfies", "written:judged_traces", made="trace_sets:TraceSet"),
    "ltl_trace_writing": _Kind(
        "the column formula, alone, in temporal logic",
        "trace_sets:formulas_to_trace",
        made="trace_sets:TraceWritingSet",
    ),
    "judge_propositional": _judged("propositional", "propositional", "of the language propositional"),
    "judge_ksat": _judged("ksat", "propositional", "of the grammar ksat"),
    "judge_first_order": _judged("first_order", "first_order", "of the language first_order"),
    "judge_regex": _judged("regex", "regex", "of the language regex"),
    "judge_ltl": _judged("ltl", "ltl", "of the language ltl, without operators of the past"),
    "judge_past_ltl": _judged("past_ltl", "ltl", "of the language ltl, with operators of the past"),
    "fol_translation": _of_sentences("first_order.sets:TranslationSet"),
    "fol_most_similar": _of_sentences("first_order.sets:MostSimilarSet"),
    "fol_ranking": _of_sentences("first_order.sets:RankingSet"),
    "fol_entailment": _Kind(
        "the columns premises, premises-FOL, conclusion, conclusion-FOL, label",
        language="first_order",
        read="first_order.stories:read_stories",
        whole="first_order.entailment:EntailmentSet",
        shipped="blocks_world_stories.jsonl",
    ),
}


def data_set(name: str, files: Sequence[Path] = ()) -> DataSet | None:
    """The data set of that name; with files, what they have for it in place of the shipped items.

    None where nothing in the files suits it. A data set that the run added stays as it is, whatever the files.
    Raises :class:`UnknownDataSetError`, and :class:`DataSetError` for a file that cannot be read.
    """
    added = current_registry().data_sets
    if name in added:
        return added[name]
    if name not in _KINDS:
        raise UnknownDataSetError(unknown_name("data set", name, data_set_names()))
    kind = _KINDS[name]
    if kind.made and not files:
        made: DataSet = _loaded(kind.made)(*((name, kind.grammar, kind.language) if kind.grammar else ()))
        return made
    files = tuple(files) or (shipped_folder() / (kind.shipped or f"{name}.jsonl"),)
    found = _of_files(name, _loaded(kind.read)(files))
    return found if found.sizes else None


def is_data_set(name: str) -> bool:
    """Whether a name is that of a data set."""
    return name in data_set_names()


def takes_files(name: str) -> bool:
    """Whether the items of a data set come from the user's files, if there are any; an added one has its own."""
    return name in _KINDS and name not in current_registry().data_sets


def needs_of(name: str) -> str:
    """What a row must have to suit a shipped data set, for a message."""
    return _KINDS[name].needs


def data_set_names() -> tuple[str, ...]:
    """The names of the shipped data sets, then of those that the run added."""
    return names(current_registry().data_sets, _KINDS)


def file_problems(files: Sequence[Path]) -> tuple[str, ...]:
    """The rows of files that no data set takes, a line each: file, line, column, what is wrong."""
    readers = dict.fromkeys(kind.read for kind in _KINDS.values())
    return tuple(dict.fromkeys(problem for read in readers for problem in _loaded(read)(files).problems))


def shipped_folder() -> Path:
    """Where the written data are: beside the package in a checkout, inside it when installed from a wheel."""
    inside = _PACKAGE / "data"
    return inside if inside.is_dir() else _PACKAGE.parent / "data"


@lru_cache(maxsize=64)
def _of_files(name: str, read: Any) -> DataSet:
    """The data set that can be made of what was read."""
    kind = _KINDS[name]
    if kind.whole:
        whole: DataSet = _loaded(kind.whole)(name, read)
        return whole
    from pytest_autoeval.datasets.written import WrittenDataSet

    entries = _loaded(kind.entries)
    found = entries(read.pairs, kind.grammar) if kind.grammar else entries(read.rows)
    return WrittenDataSet(name, kind.language, found, read.problems)


def _loaded(location: str) -> Any:
    return located(f"pytest_autoeval.datasets.{location}")
