"""Items with more than a formula (a sentence, a trace, the right answer), and their data sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar

from msgspec import Struct

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages import language as language_named
from pytest_autoeval.languages.base import of_argument

if TYPE_CHECKING:
    from pytest_autoeval.generation.vocabularies import Names

T = TypeVar("T")


class DataSetError(AutoevalError):
    """A data set cannot be used; the message names the file, line and column, and what to do."""


@dataclass(frozen=True, slots=True)
class Item(Sample):
    """A sample of a data set: a formula and facts about it.

    The facts are plain basic types, and become the part ``given`` of its sample in the results. Keys with a meaning are
    ``sentence`` (text), ``propositions`` (list of pairs: phrase, atom), ``trace`` (text), ``expected`` (the right
    answer), ``item`` (the id), ``source`` (file and line) and ``cluster`` (what items share whose results depend on
    each other, such as their document). A key that no shipped data set has may have any value.
    """

    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def sentence(self) -> str:
        """The fact ``sentence``: the English of the item. Raises :class:`AttributeError` if it has none."""
        if "sentence" not in self.facts:
            known = ", ".join(self.facts) or "none"
            raise AttributeError(f"the item {self.text!r:.60} has no sentence; its facts: {known}")
        return str(self.facts["sentence"])

    def is_named(self, name: str) -> bool:
        """Whether a name is the id of the item, its source, or its file and line."""
        source = self.facts.get("source", "")
        if name in (self.facts.get("item"), source):
            return True
        # A source may also name the column, after the file and line.
        return ":" in name and source.startswith(f"{name} ")


class DataSet(ABC):
    """Items of one kind, by the size of their formulas. `of` makes one from a list.

    A subclass draws items for any size: it sets ``name`` and ``language``, and defines `items`.
    """

    #: The name, for `@pytest.mark.autoeval(name, task=…)`.
    name: str
    #: The name of the language of the formulas.
    language: str

    @staticmethod
    def of(
        name: str, language: str, entries: Iterable[tuple[Formula | str, Mapping[str, Any]]]
    ) -> WrittenDataSet:
        """A data set of given items.

        Args:
            name: its name.
            language: the name of the formulas' language.
            entries: a formula and the facts about it for each item; see `Item` for the keys. An answer may
                use the names of the formula.

        Raises:
            FormulaSyntaxError: a text is not a formula of the language. The message names the data set and the item.
            DataSetError: an entry is no formula with its facts, or has the id of an earlier one.
        """
        lang = language_named(language)
        written = []
        number_of_id: dict[object, int] = {}
        for number, entry in enumerate(_listed_entries(name, entries), start=1):
            formula, facts = _checked_entry(f"DataSet.of({name!r}): item {number}", entry)
            if "item" in facts:
                item_number = number_of_id.setdefault(facts["item"], number)
                if item_number != number:
                    raise DataSetError(
                        f"DataSet.of({name!r}): item {number} has the id {facts['item']!r} of item {item_number}"
                    )
            try:
                tree = lang.tree(formula)
            except FormulaSyntaxError as problem:
                item_id = f" (id {facts['item']!r})" if "item" in facts else ""
                item = f"DataSet.of({name!r}): the formula of item {number}{item_id}"
                raise of_argument(problem, item, language) from None
            tree, names = lang.over(tree, lang.symbols(tree))
            written.append(Entry(tree, facts, names))
        return WrittenDataSet(name, language, written)

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The sizes of the items, ascending; None if there are items of any size."""
        return None

    @abstractmethod
    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        """At most ``count`` items of a size, in a fixed order; all of them if ``count`` is None.

        A larger ``count`` does not change the earlier items. ``seed`` matters only if items are drawn.
        """

    def most_items(self, size: int) -> int:
        """The number of items of a size, at most: a data set that checks its items need not check them to count."""
        return len(self.items(size))

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        """The items about a formula that the user typed (``--autoeval-formula``); empty if there are none.

        Raises `FormulaSyntaxError` if the text is not a formula of the language.
        """
        lang = language_named(self.language)
        formula = lang.tree(text)
        matching = []
        for size in self.sizes or ():
            for item in self.items(size, seed=seed):
                # The item may have the formula over its own names, such as the letters of its alphabet.
                formula_over_names, _ = lang.over(formula, item.vocabulary)
                if item.formula in (formula, formula_over_names):
                    matching.append(item)
        return matching

    def item(
        self, formula: Formula | str, facts: Mapping[str, Any], seed: int = 0, index: int = 0
    ) -> Item:
        """An item of this data set. ``seed`` and ``index`` (from 0, among those of its size) identify it."""
        lang = language_named(self.language)
        tree = lang.tree(formula)
        names, name = self.names(tree)
        tree, names = lang.over(tree, names)
        size = int(measures(lang, tree)[lang.size_measure])
        return Item(self.name, self.language, names, name, size, seed, index, tree, facts)

    def names(self, formula: Formula) -> tuple[Vocabulary, str]:
        """The names that an answer about a formula may use, and the name of this vocabulary."""
        return language_named(self.language).symbols(formula), "default"

    def named(self, name: str, seed: int = 0) -> list[Item]:
        """The items with this id, or from this file and line; may be empty."""
        items = (item for size in self.sizes or () for item in self.items(size, seed=seed))
        return [item for item in items if item.is_named(name)]

    def formulas_of(self, item: Item) -> tuple[Formula, ...]:
        """The formulas of an item that must lie within bounds of measures: those that the task shows or asks for."""
        return (item.formula,)

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What else to know of the rows, such as those that gave no item so far: one line for each reason."""
        return ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Rows that were left out: one line each with file, line and reason."""
        return ()


#: How an entry of `DataSet.of` is written.
_ENTRY = '("rain → wet", {"sentence": "If it rains, it is wet."})'


def _listed_entries(name: str, entries: Any) -> list[Any]:
    """The entries of a data set; raises :class:`DataSetError` for what is no list of them."""
    # A text and a dict can be iterated too, letter by letter or key by key.
    if isinstance(entries, str | Mapping) or not isinstance(entries, Iterable):
        raise DataSetError(
            f"DataSet.of({name!r}): entries={entries!r:.60} is no list of items; write [{_ENTRY}, …]"
        )
    return list(entries)


def _checked_entry(item: str, entry: Any) -> tuple[Formula | str, Mapping[str, Any]]:
    """The formula of an entry and its facts; raises :class:`DataSetError` for anything else."""
    if not isinstance(entry, tuple | list) or len(entry) != 2:
        raise DataSetError(
            f"{item} is {entry!r:.60}; write a formula and its facts: {_ENTRY}, with {{}} for no facts"
        )
    formula, facts = entry
    if not isinstance(formula, Formula | str):
        raise DataSetError(f"{item}: the formula is {formula!r:.60}; write {_ENTRY}")
    if not isinstance(facts, Mapping):
        raise DataSetError(
            f"{item}: the facts are {facts!r:.60}; write a dict, such as {_ENTRY}, or {{}} for none"
        )
    return formula, facts


class Entry(Struct, frozen=True):
    """A formula, the facts about it, and the names that an answer may use."""

    formula: Formula
    facts: Mapping[str, Any]
    names: Vocabulary


@lru_cache(maxsize=1 << 16)
def measures(lang: Language, formula: Formula) -> Mapping[str, float]:
    """The measures of a formula by name. Cached, because several data sets share rows."""
    return lang.measure(formula)


class WrittenDataSet(DataSet):
    """A data set of given entries, in their order; a text among the entries is one more problem."""

    def __init__(
        self, name: str, lang: str, entries: Iterable[Entry | str], problems: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.language = lang
        self._problems = problems
        self._by_size: dict[int, list[Item]] = {}
        language_of_items = language_named(lang)
        for entry in entries:
            if isinstance(entry, str):
                self._problems += (entry,)
                continue
            size = int(measures(language_of_items, entry.formula)[language_of_items.size_measure])
            # The index counts within a size, as that of drawn items does.
            items_of_size = self._by_size.setdefault(size, [])
            index = len(items_of_size)
            # Nothing is drawn, so the seed is always 0.
            place = (size, 0, index)
            item = Item(name, lang, entry.names, "custom", *place, entry.formula, entry.facts)
            items_of_size.append(item)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted(self._by_size))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:  # noqa: ARG002
        return self._by_size.get(size, [])[:count]

    def most_items(self, size: int) -> int:
        return len(self._by_size.get(size, []))

    @property
    def problems(self) -> tuple[str, ...]:
        return self._problems


def useful(
    drawn: Iterable[T], is_useful: Callable[[T], bool], most_misses: int = 1_000
) -> Iterator[T]:
    """The useful draws, until ``most_misses`` in a row are not."""
    misses = 0
    for draw in drawn:
        if is_useful(draw):
            misses = 0
            yield draw
            continue
        misses += 1
        if misses == most_misses:
            return


class DrawnDataSet(DataSet):
    """A data set that generates any number of items of any size, as a pure function of size and seed."""

    def over(self, vocabulary: Vocabulary | Names) -> Self:
        """The same data set with other names in its formulas, given as in `autoeval`.

        Raises :class:`DataSetError` if its names cannot be chosen, and :class:`VocabularyError`.
        """
        raise DataSetError(
            f"the names of the data set {self.name} cannot be chosen: leave out vocabulary={vocabulary!r:.80}"
        )

    @abstractmethod
    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        """Generates formulas of a size, each with the facts of its item."""

    @abstractmethod
    def about(self, formula: Formula, seed: int) -> Iterable[Mapping[str, Any]]:
        """The facts of the items about a given formula."""

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        if count is None:
            raise DataSetError(f"the data set {self.name} has no end: give the number of items")
        drawn = islice(self.drawn(size, seed), count)
        return [
            self.item(formula, facts, seed, index) for index, (formula, facts) in enumerate(drawn)
        ]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        formula = language_named(self.language).tree(text)
        return [
            self.item(formula, facts, seed, index)
            for index, facts in enumerate(self.about(formula, seed))
        ]
