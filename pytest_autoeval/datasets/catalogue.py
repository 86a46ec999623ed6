"""Data sets by name: the shipped ones, those that a repository registers, and what a user's files have for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_autoeval.datasets.base import DataSet, DataSetError
from pytest_autoeval.errors import did_you_mean

if TYPE_CHECKING:
    from pytest_autoeval.datasets.pairs import Pairs
    from pytest_autoeval.datasets.rows import Rows
    from pytest_autoeval.datasets.written import WrittenDataSet

_PACKAGE = Path(__file__).resolve().parent.parent


class UnknownDataSetError(DataSetError, LookupError):
    """No data set of that name is known."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What suits a data set among rows, in words too, and what makes its items where it needs no rows.

    ``entries`` and ``made`` name a module of this room and what it holds: asking for names alone loads none of them.
    ``grammar`` is what the pairs of formulas to judge are drawn from, where the items are such pairs.
    """

    entries: str
    needs: str
    language: str = "ltl"
    made: str = ""
    grammar: str = ""


def _judged(grammar: str, tongue: str, needs: str) -> _Kind:
    return _Kind("pairs:entries_of", f"{_PAIRS} {needs}", tongue, "judge_pairs:PairSet", grammar)


_TRANSLATED = "the columns sentence, formula, propositions"
_PAIRS = "the columns formula, other, or results of round trips,"
_KINDS = {
    "ltl_future": _Kind("written:future_sentences", f"{_TRANSLATED}, and no operator of the past in the formula"),
    "ltl_past": _Kind("written:past_sentences", f"{_TRANSLATED}, and an operator of the past in the formula"),
    "ltl_propositions": _Kind("written:proposition_sentences", "the columns sentence, propositions"),
    "ltl_well_formedness": _Kind(
        "written:judged_strings", "the columns text, well_formed", "ltl_strings", "well_formedness:WellFormednessSet"
    ),
    "ltl_traces": _Kind("written:judged_traces", "the columns formula, trace, satisfies", made="trace_sets:TraceSet"),
    "ltl_trace_writing": _Kind("trace_sets:formulas_to_trace", "the column formula", made="trace_sets:TraceWritingSet"),
    "judge_propositional": _judged("propositional", "propositional", "of the language propositional"),
    "judge_ksat": _judged("ksat", "propositional", "of the grammar ksat"),
    "judge_first_order": _judged("first_order", "first_order", "of the language first_order"),
    "judge_regex": _judged("regex", "regex", "of the language regex"),
    "judge_ltl": _judged("ltl", "ltl", "of the language ltl, without operators of the past"),
    "judge_past_ltl": _judged("past_ltl", "ltl", "of the language ltl, with operators of the past"),
}
_REGISTERED: dict[str, DataSet] = {}


def data_set(name: str, files: Sequence[Path] = ()) -> DataSet | None:
    """The data set of that name; with files, what they have for it in place of the shipped items.

    None where nothing in the files suits it. One that was registered is as it is, whatever the files.
    Raises :class:`UnknownDataSetError`, and :class:`DataSetError` for a file that cannot be read.
    """
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name not in _KINDS:
        known = ", ".join(data_set_names())
        hint = did_you_mean(name, data_set_names())
        raise UnknownDataSetError(f"there is no data set {name!r}; known are: {known}.{hint}")
    kind = _KINDS[name]
    if kind.made and not files:
        made: DataSet = _loaded(kind.made)(*((name, kind.grammar, kind.language) if kind.grammar else ()))
        return made
    if kind.grammar:
        from pytest_autoeval.datasets.pairs import read_pairs

        found = _of_pairs(name, read_pairs(files))
    else:
        from pytest_autoeval.datasets.rows import read_rows

        found = _of_rows(name, read_rows(files or (shipped_folder() / f"{name}.jsonl",)))
    return found if found.sizes else None


def is_data_set(name: str) -> bool:
    """Whether a name is that of a data set."""
    return name in data_set_names()


def takes_files(name: str) -> bool:
    """Whether the items of a data set are the user's where there are files: those of a registered one are not."""
    return name in _KINDS and name not in _REGISTERED


def needs_of(name: str) -> str:
    """What a row must have to suit a shipped data set, for a message."""
    return _KINDS[name].needs


def data_set_names() -> tuple[str, ...]:
    """The names of the shipped and the registered data sets."""
    return tuple(dict.fromkeys((*_KINDS, *_REGISTERED)))


def register_data_set(instance: DataSet) -> None:
    """Adds a data set, or replaces the one of the same name."""
    _REGISTERED[instance.name] = instance


def shipped_folder() -> Path:
    """Where the written data are: beside the package in a checkout, inside it when installed from a wheel."""
    inside = _PACKAGE / "data"
    return inside if inside.is_dir() else _PACKAGE.parent / "data"


@lru_cache(maxsize=32)
def _of_rows(name: str, rows: Rows) -> WrittenDataSet:
    from pytest_autoeval.datasets.written import WrittenDataSet

    kind = _KINDS[name]
    return WrittenDataSet(name, kind.language, _loaded(kind.entries)(rows.rows), rows.problems)


@lru_cache(maxsize=32)
def _of_pairs(name: str, pairs: Pairs) -> WrittenDataSet:
    from pytest_autoeval.datasets.written import WrittenDataSet

    kind = _KINDS[name]
    return WrittenDataSet(name, kind.language, _loaded(kind.entries)(pairs.pairs, kind.grammar), pairs.problems)


def _loaded(location: str) -> Any:
    module, _, attribute = location.partition(":")
    return getattr(import_module(f"pytest_autoeval.datasets.{module}"), attribute)
