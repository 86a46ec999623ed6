"""What offline models know: the meanings of the sentences in the data of a run and in the shipped data sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, TypeVar

if TYPE_CHECKING:
    from pytest_autoeval.datasets import Item

#: The phrases of a sentence, each with the name of its proposition.
Propositions = tuple[tuple[str, str], ...]

E = TypeVar("E")


class KnownSentences(ABC):
    """A table with the meanings of sentences, for the exercises of one study; it is made without arguments.

    Its values are replaced, never changed: one thread may read while another adds.
    """

    #: The shipped data sets whose sentences the models know. They must agree on sentences that they share.
    data_sets: ClassVar[tuple[str, ...]]

    @abstractmethod
    def add(self, item: Item) -> None:
        """Adds the sentences of an item, if it has some for this table."""


M = TypeVar("M", bound=KnownSentences)


class AnswerKey:
    """The meanings of the sentences of a run's data, then of the shipped data sets; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._items: list[Item] = []
        #: The tables of the run's data, each with the number of the items that it has.
        self._tables: dict[type[KnownSentences], tuple[KnownSentences, int]] = {}

    def add_meanings(self, items: Iterable[Item]) -> None:
        """Adds the sentences of a run's own data."""
        with self._lock:
            self._items += items

    def tables(self, kind: type[M]) -> Iterator[M]:
        """The tables of a kind: that of the run's data, then one of each shipped data set, read when it is reached."""
        yield self._table_of_run(kind)
        for name in kind.data_sets:
            with _READING:
                table = _shipped(kind, name)
            assert isinstance(table, kind)
            yield table

    def _table_of_run(self, kind: type[M]) -> M:
        with self._lock:
            table, number = self._tables.get(kind) or (kind(), 0)
            for item in self._items[number:]:
                table.add(item)
            self._tables[kind] = table, len(self._items)
        assert isinstance(table, kind)
        return table


#: One thread reads a data set; the others wait for it.
_READING = Lock()


@cache
def _shipped(kind: type[KnownSentences], name: str) -> KnownSentences:
    from pytest_autoeval.datasets import data_set

    table = kind()
    shipped = data_set(name)
    assert shipped is not None
    for size in shipped.sizes or ():
        for item in shipped.items(size):
            table.add(item)
    return table


def append(entries: dict[str, tuple[E, ...]], sentence: str, entry: E) -> None:
    """Adds an entry to those of a sentence, if they do not have it yet."""
    key = spaced(sentence)
    entries[key] = tuple(dict.fromkeys((*entries.get(key, ()), entry)))


def spaced(text: str) -> str:
    """A sentence with single spaces, by which it is known."""
    return " ".join(text.split())
