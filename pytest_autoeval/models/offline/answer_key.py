"""The right answers about given sentences: those of the shipped data sets, and of the data that a run is given.

No rule can read free English; an offline model knows these sentences by heart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl.syntax import Atom, Temporal
from pytest_autoeval.languages.ontology import Ontology, Symbol, ontology_of_facts

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
    """What is right about a sentence of temporal logic: its propositions, and its formula over them."""

    propositions: Propositions
    formula: Temporal


@dataclass(frozen=True, slots=True)
class LogicEntry:
    """What is right about a sentence of first-order logic: its formula, over the symbols of an ontology."""

    formula: Sentence
    ontology: Ontology


@dataclass(slots=True)
class _Table:
    """The entries of some items: sentences, stories by their sentences, ontologies by how prompts list them.

    The values are never changed, only replaced: one thread may look while another adds.
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
            elif item.language == "first_order" and "ontology" in item.facts:
                self._add_logic(item)

    def _add_logic(self, item: Item) -> None:
        facts = item.facts
        ontology = ontology_of_facts(facts["ontology"], derived=bool(facts.get("ontology_derived")))
        self.ontologies.setdefault(_spaced(ontology.listed()), ontology)
        pairs = list(_pairs_of(item))
        for sentence, formula in pairs:
            _append(self.logic, sentence, LogicEntry(formula, ontology))
        if "premises" in facts:
            story = tuple(_spaced(sentence) for sentence, _ in pairs)
            self.stories.setdefault(story, tuple(formula for _, formula in pairs))


class AnswerKey:
    """The sentences that it was taught, and after those the shipped ones; safe in threads.

    One sentence may have several formulas, in other words for the same things or in other stories: all are known. The
    symbols or the options that come with a question show which of them is meant.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._taught = _Table()

    def teach(self, items: Iterable[Item]) -> None:
        """Adds the sentences of a run's own data."""
        with self._lock:
            self._taught.add(items)

    def entry_of(self, sentence: str) -> TemporalEntry | None:
        """What is known of a sentence of temporal logic; where several data sets have it, the first of them counts."""
        return next(self._temporal(sentence), None)

    def formula_of(self, sentence: str, propositions: Propositions) -> Temporal | None:
        """The formula of a sentence over propositions that are given for its phrases, under whatever names."""
        given = dict(propositions)
        entries = [
            entry for entry in self._temporal(sentence) if all(phrase in given for phrase, _ in entry.propositions)
        ]
        entries.sort(key=lambda entry: set(entry.propositions) != set(propositions))
        for entry in entries:
            return renamed(entry.formula, {name: given[phrase] for phrase, name in entry.propositions})
        return None

    def entries_of(self, sentence: str) -> Iterator[LogicEntry]:
        """All that is known of a sentence of first-order logic."""
        return (entry for table in self._tables(SHIPPED_LOGIC) for entry in table.logic.get(_spaced(sentence), ()))

    def story_of(self, sentences: Iterable[str]) -> tuple[Sentence, ...] | None:
        """The formulas of a story, given by its premises and its conclusion; the first data set that has it counts."""
        story = tuple(map(_spaced, sentences))
        return next((table.stories[story] for table in self._tables(SHIPPED_LOGIC) if story in table.stories), None)

    def ontology_of(self, listing: str) -> Ontology:
        """The ontology that a prompt lists: one that is known, or what the lines say.

        They do not say what is a constant and what a proposition: symbols in small letters are taken for terms.
        """
        key = _spaced(listing)
        known = next((table.ontologies[key] for table in self._tables(SHIPPED_LOGIC) if key in table.ontologies), None)
        return known or Ontology(tuple(_symbol(line) for line in listing.splitlines() if line.strip()))

    def _temporal(self, sentence: str) -> Iterator[TemporalEntry]:
        return (
            entry for table in self._tables(SHIPPED_TEMPORAL) for entry in table.temporal.get(_spaced(sentence), ())
        )

    def _tables(self, shipped: Iterable[str]) -> Iterator[_Table]:
        """What was taught, then each shipped data set, read when it is come to."""
        yield self._taught
        for name in shipped:
            with _READING:
                table = _shipped(name)
            yield table


def renamed(formula: Temporal, names: dict[str, str]) -> Temporal:
    """The formula with other names for its propositions, all at once; those without one keep theirs."""
    if isinstance(formula, Atom):
        return Atom(names.get(formula.name, formula.name))
    children = formula.children()
    return formula.with_children(tuple(renamed(child, names) for child in children)) if children else formula


#: One thread reads a data set; the others wait for it.
_READING = Lock()


@cache
def _shipped(name: str) -> _Table:
    from pytest_autoeval.datasets import data_set

    table = _Table()
    if (shipped := data_set(name)) is not None:
        for size in shipped.sizes or ():
            table.add(shipped.items(size))
    return table


def _append(entries: dict[str, tuple[E, ...]], sentence: str, entry: E) -> None:
    key = _spaced(sentence)
    entries[key] = tuple(dict.fromkeys((*entries.get(key, ()), entry)))


def _symbol(line: str) -> Symbol:
    shown, _, gloss = line.partition(":")
    name, _, places = shown.strip().partition("(")
    parameters = tuple(place.strip() for place in places.rstrip(")").split(",") if place.strip())
    return Symbol(name, parameters, gloss.strip(), is_term=name[:1].islower())


def _pairs_of(item: Item) -> Iterator[tuple[str, Sentence]]:
    """The sentences of an item, each with its formula; of a story, the conclusion last."""
    facts = item.facts
    if "premises" in facts:
        for sentence, text in zip(facts["premises"], facts["premises_formulas"], strict=True):
            yield sentence, _formula(text)
        yield facts["conclusion"], _formula(facts["conclusion_formula"])
    elif "sentence" in facts:
        yield facts["sentence"], _formula(item.formula)


def _formula(formula: Any) -> Sentence:
    tree = language("first_order").tree(formula)
    assert isinstance(tree, Sentence)
    return tree


def _spaced(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())
