"""What a pass-rate test is about when it is not a drawn formula alone: items, and the data sets that they come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample


class DataSetError(AutoevalError):
    """A data set cannot be used: the message names the file, the line and column where there are such, and the mend."""


@dataclass(frozen=True, slots=True)
class Item(Sample):
    """A sample that says more than its formula: a sentence, propositions, a trace, the right answer.

    ``grammar`` names the data set, ``operators`` is the formula's size. ``facts`` are plain basic types under the keys
    that a row of the results has for them: ``sentence`` (text), ``propositions`` (a list of pairs: phrase, atom),
    ``trace`` (text), ``expected`` (the right answer of a question that has one), ``source`` (file and line).
    """

    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)


class DataSet(ABC):
    """Items of one kind, by the size of their formulas."""

    name: str
    language: str

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...] | None:
        """The sizes that there are items of, ascending; None where items are made for any size."""

    @abstractmethod
    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        """At most ``count`` items of a size, in a fixed order; all where there are finitely many and no count is given.

        More never change the earlier ones. ``seed`` matters where items are made.
        """

    @abstractmethod
    def typed(self, text: str, seed: int = 0) -> list[Item]:
        """The items about a formula that the user typed, as ``seed`` has them; empty where the data set has none.

        Raises :class:`FormulaSyntaxError` where the text is no formula of the language.
        """

    def named(self, name: str, seed: int = 0) -> list[Item]:
        """The items with an id, or of a source (file and line), as ``seed`` has them; empty where there are none."""
        items = (item for size in self.sizes or () for item in self.items(size, seed=seed))
        return [item for item in items if is_named(item, name)]

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What of its rows makes no item though it could be read, of what was asked for so far: sums, a line each."""
        return ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The rows that could not be read and are left out, a line each: file, line, what is wrong."""
        return ()


def is_named(item: Item, name: str) -> bool:
    """Whether a name is an item's id, or its source, or the file and line that its source begins with."""
    source = item.facts.get("source", "")
    return name in (item.facts.get("item"), source) or (":" in name and source.startswith(f"{name} "))


def counted(name: str, count: int | None) -> int:
    """How many items are to be made; raises :class:`DataSetError` where nobody says."""
    if count is None:
        raise DataSetError(f"the data set {name} has items without end: say how many are wanted")
    return count
