"""Data sets by name: the shipped ones, those that a repository registers, and what a user's files have for them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pytest_autoeval.datasets.base import DataSet, DataSetError
from pytest_autoeval.datasets.rows import Rows, read_rows
from pytest_autoeval.datasets.trace_sets import TraceSet, TraceWritingSet, formulas_to_trace
from pytest_autoeval.datasets.well_formedness import WellFormednessSet
from pytest_autoeval.datasets.written import (
    Entries,
    WrittenDataSet,
    future_sentences,
    judged_strings,
    judged_traces,
    past_sentences,
    proposition_sentences,
)

_PACKAGE = Path(__file__).resolve().parent.parent


class UnknownDataSetError(DataSetError, LookupError):
    """No data set of that name is known."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What suits a data set among rows, in words too, and what makes its items where it needs no rows."""

    entries: Entries
    needs: str
    language: str = "ltl"
    made: Callable[[], DataSet] | None = None


_TRANSLATED = "the columns sentence, formula, propositions"
_KINDS = {
    "ltl_future": _Kind(future_sentences, f"{_TRANSLATED}, and no operator of the past in the formula"),
    "ltl_past": _Kind(past_sentences, f"{_TRANSLATED}, and an operator of the past in the formula"),
    "ltl_propositions": _Kind(proposition_sentences, "the columns sentence, propositions"),
    "ltl_well_formedness": _Kind(judged_strings, "the columns text, well_formed", "ltl_strings", WellFormednessSet),
    "ltl_traces": _Kind(judged_traces, "the columns formula, trace, satisfies", made=TraceSet),
    "ltl_trace_writing": _Kind(formulas_to_trace, "the column formula", made=TraceWritingSet),
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
        near = difflib.get_close_matches(name.casefold(), data_set_names(), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UnknownDataSetError(f"there is no data set {name!r}; known are: {known}.{hint}")
    made = _KINDS[name].made
    if made is not None and not files:
        return made()
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
    kind = _KINDS[name]
    return WrittenDataSet(name, kind.language, kind.entries(rows.rows), rows.problems)
