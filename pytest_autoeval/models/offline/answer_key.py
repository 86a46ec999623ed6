"""The formulas of the sentences in the shipped data sets and in the data of a run, which offline models know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ontology import Ontology, ontology_of_facts, symbol_of

if TYPE_CHECKING:
    from pytest_autoeval.datasets import Item

#: The shipped data sets with sentences of temporal logic. They must agree on sentences that they share.
SHIPPED_TEMPORAL = ("ltl_propositions", "ltl_future", "ltl_past")
#: The shipped data sets with sentences of first-order logic, or with stories made of them.
SHIPPED_LOGIC = ("fol_translation", "fol_entailment")

#: The phrases of a sentence, each with the name of its proposition.
Propositions = tuple[tuple[str, str], ...]

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class TemporalEntry:
    """The propositions of a sentence of temporal logic, and its formula over them."""

    propositions: Propositions
    formula: Temporal


@dataclass(frozen=True, slots=True)
class LogicEntry:
    """The formula of a sentence of first-order logic, and the ontology with its symbols."""

    formula: Sentence
    ontology: Ontology


@dataclass(slots=True)
class _Table:
    """The entries of some items, by sentence; stories by their sentences; ontologies by their listing in prompts.

    Values are replaced, never changed: one thread may read while another adds.
    """

    temporal: dict[str, tuple[TemporalEntry, ...]] = field(default_factory=dict)
    logic: dict[str, tuple[LogicEntry, ...]] = field(default_factory=dict)
    stories: dict[tuple[str, ...], tuple[Sentence, ...]] = field(default_factory=dict)
    ontologies: dict[str, Ontology] = field(default_factory=dict)

    def add(self, items: Iterable[Item]) -> None:
        for item in items:
            sentence = item.facts.get("sentence")
            if sentence and isinstance(item.formula, Temporal):
                propositions = tuple((phrase, name) for phrase, name in item.facts.get("propositions") or ())
                _append(self.temporal, sentence, TemporalEntry(propositions, item.formula))
            elif item.language == "first_order" and "ontology" in item.facts and (sentence or "premises" in item.facts):
                self._add_logic(item)

    def _add_logic(self, item: Item) -> None:
        facts = item.facts
        ontology = ontology_of_facts(facts["ontology"], derived=bool(facts.get("ontology_derived")))
        self.ontologies.setdefault(spaced(ontology.listed()), ontology)
        if "premises" in facts:
            sentences = (*facts["premises"], facts["conclusion"])
            formulas = tuple(map(_formula, (*facts["premises_formulas"], facts["conclusion_formula"])))
            self.stories.setdefault(tuple(map(spaced, sentences)), formulas)
        else:
            sentences, formulas = (facts["sentence"],), (_formula(item.formula),)
        for sentence, formula in zip(sentences, formulas, strict=True):
            _append(self.logic, sentence, LogicEntry(formula, ontology))


class AnswerKey:
    """The formulas of the sentences of a run's data, then of the shipped data sets; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._added = _Table()

    def add_meanings(self, items: Iterable[Item]) -> None:
        """Adds the sentences of a run's own data."""
        with self._lock:
            self._added.add(items)

    def entry_of(self, sentence: str, given: Propositions = ()) -> TemporalEntry | None:
        """The entry of a sentence of temporal logic: best with exactly the given phrases, else with some of them."""
        phrases = {phrase for phrase, _ in given}

        def misfit(entry: TemporalEntry) -> int:
            if {phrase for phrase, _ in entry.propositions} <= phrases:
                return int(set(entry.propositions) != set(given))
            return 2

        tables = self._tables(SHIPPED_TEMPORAL)
        known = (entry for table in tables for entry in table.temporal.get(spaced(sentence), ()))
        return min(known, key=misfit, default=None) if given else next(known, None)

    def entries_of(self, sentence: str) -> Iterator[LogicEntry]:
        """All entries of a sentence of first-order logic."""
        return (entry for table in self._tables(SHIPPED_LOGIC) for entry in table.logic.get(spaced(sentence), ()))

    def story_of(self, sentences: Iterable[str]) -> tuple[Sentence, ...] | None:
        """The formulas of a story, given by its premises and its conclusion, in the first data set that has it."""
        story = tuple(map(spaced, sentences))
        return next((table.stories[story] for table in self._tables(SHIPPED_LOGIC) if story in table.stories), None)

    def ontology_of(self, listing: str) -> Ontology:
        """The ontology that a prompt lists: a known one, or one parsed from the lines.

        The lines do not distinguish constants from propositions: `is_term_by_form` decides.
        """
        key = spaced(listing)
        known = next((table.ontologies[key] for table in self._tables(SHIPPED_LOGIC) if key in table.ontologies), None)
        lines = [line.partition(":") for line in listing.splitlines() if line.strip()]
        return known or Ontology(tuple(symbol_of(shown, gloss.strip()) for shown, _, gloss in lines))

    def _tables(self, shipped: Iterable[str]) -> Iterator[_Table]:
        yield self._added
        for name in shipped:
            with _READING:
                table = _shipped(name)
            yield table


#: One thread reads a data set; the others wait for it.
_READING = Lock()


@cache
def _shipped(name: str) -> _Table:
    from pytest_autoeval.datasets import data_set

    table = _Table()
    shipped = data_set(name)
    assert shipped is not None
    for size in shipped.sizes or ():
        table.add(shipped.items(size))
    return table


def _append(entries: dict[str, tuple[E, ...]], sentence: str, entry: E) -> None:
    key = spaced(sentence)
    entries[key] = tuple(dict.fromkeys((*entries.get(key, ()), entry)))


def _formula(formula: Any) -> Sentence:
    tree = language("first_order").tree(formula)
    assert isinstance(tree, Sentence)
    return tree


def spaced(text: str) -> str:
    """A sentence with single spaces, by which it is known."""
    return " ".join(text.split())
