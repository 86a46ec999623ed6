"""Data sets by name: shipped, added by the run, or made from the user's files."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from pytest_autoeval.by_name import added, located, names, shipped_folder
from pytest_autoeval.datasets.base import DataSet, DataSetError, WrittenDataSet
from pytest_autoeval.errors import unknown_name


class UnknownDataSetError(DataSetError, LookupError):
    """There is no data set with that name."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a data set is made: an entry of `catalogue.toml`, which says what each part means."""

    needs: str
    read: str
    entries: str = ""
    language: str = "ltl"
    drawn: str = ""
    grammar: str = ""
    whole: str = ""
    shipped: str = ""


_ENTRIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_KINDS = {name: _Kind(**entry) for name, entry in _ENTRIES.items()}


def data_set(name: str, files: Sequence[Path] = ()) -> DataSet | None:
    """The data set with that name, made from the rows of the files if there are any; None if no row suits it.

    A data set that the run added ignores the files. Raises :class:`UnknownDataSetError`, :class:`DataSetError`.
    """
    if name in added("data set"):
        own: DataSet = added("data set")[name]
        return own
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
    return name in _KINDS and name not in added("data set")


def needs_of(name: str) -> str:
    """What a row needs for a shipped data set, as words of a message."""
    return _KINDS[name].needs


def data_set_names() -> tuple[str, ...]:
    """The names of the shipped data sets, then of the added ones."""
    return names("data set", _KINDS)


def file_problems(files: Sequence[Path]) -> tuple[str, ...]:
    """Rows that no data set can use: one line each with file, line, column and reason."""
    found = (_loaded(read)(files).problems for read in dict.fromkeys(kind.read for kind in _KINDS.values()))
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
