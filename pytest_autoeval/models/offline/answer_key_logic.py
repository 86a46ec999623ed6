"""The right answers about given sentences of first-order logic: their formulas, and what their symbols stand for.

One sentence may have several formulas, in other words for the same things or in other stories: all are known, and who
asks tells by the symbols or the options that it is given which of them is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol, ontology_of_facts

if TYPE_CHECKING:
    from pytest_autoeval.datasets import Item

#: The shipped data sets with sentences, or with stories made of them.
SHIPPED = ("fol_translation", "fol_entailment")

_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Known:
    """What is right about a sentence: its formula, over the symbols of an ontology."""

    formula: Sentence
    ontology: Ontology


@dataclass(slots=True)
class _Key:
    """What some items say: of sentences, of stories by their sentences, of glossaries by how prompts list them.

    The values are never changed, only replaced: one thread may look while another adds.
    """

    sentences: dict[str, tuple[Known, ...]] = field(default_factory=dict)
    stories: dict[tuple[str, ...], tuple[Sentence, ...]] = field(default_factory=dict)
    ontologies: dict[str, Ontology] = field(default_factory=dict)

    def add(self, items: Iterable[Item]) -> None:
        for item in items:
            if item.language == "first_order" and "ontology" in item.facts:
                self._add(item)

    def _add(self, item: Item) -> None:
        facts = item.facts
        ontology = ontology_of_facts(facts["ontology"], derived=bool(facts.get("ontology_derived")))
        self.ontologies.setdefault(spaced(ontology.listed()), ontology)
        pairs = list(_pairs_of(item))
        for sentence, formula in pairs:
            entries = self.sentences.get(spaced(sentence), ())
            self.sentences[spaced(sentence)] = tuple(dict.fromkeys((*entries, Known(formula, ontology))))
        if "premises" in facts:
            story = tuple(spaced(sentence) for sentence, _ in pairs)
            self.stories.setdefault(story, tuple(formula for _, formula in pairs))


_LEARNED = _Key()


def learn(items: Iterable[Item]) -> None:
    """Teaches the offline models the sentences of a run's own data, which go before those that are shipped."""
    with _LOCK:
        _LEARNED.add(items)


def known_of(sentence: str) -> Iterator[Known]:
    """All that is known of a sentence."""
    return (entry for key in _keys() for entry in key.sentences.get(spaced(sentence), ()))


def story_of(sentences: Iterable[str]) -> tuple[Sentence, ...] | None:
    """The formulas of a story, told by its premises and its conclusion; of several, those of the first data set."""
    story = tuple(map(spaced, sentences))
    return next((key.stories[story] for key in _keys() if story in key.stories), None)


def ontology_of(listing: str) -> Ontology:
    """The ontology that a prompt lists: one that is known, or what the lines say.

    They do not say what is a constant and what a proposition: symbols in small letters are taken for terms.
    """
    listed = spaced(listing)
    known = next((key.ontologies[listed] for key in _keys() if listed in key.ontologies), None)
    return known or Ontology(tuple(_symbol(line) for line in listing.splitlines() if line.strip()))


def spaced(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())


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


def _keys() -> Iterator[_Key]:
    """What was learned, then what each shipped data set has, read when it is come to."""
    yield _LEARNED
    for name in SHIPPED:
        with _LOCK:
            shipped = _shipped(name)
        yield shipped


@cache
def _shipped(name: str) -> _Key:
    from pytest_autoeval.datasets import data_set

    key = _Key()
    if (shipped := data_set(name)) is not None:
        for size in shipped.sizes or ():
            key.add(shipped.items(size))
    return key
