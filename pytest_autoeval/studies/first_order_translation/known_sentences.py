"""The formulas of the sentences of first-order logic that offline models know, and their ontologies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, ontology_of_facts, ontology_of_listing
from pytest_autoeval.models.offline.answer_key import AnswerKey, KnownSentences, append, spaced

if TYPE_CHECKING:
    from pytest_autoeval.datasets import Item


@dataclass(frozen=True, slots=True)
class LogicEntry:
    """The formula of a sentence of first-order logic, and the ontology with its symbols."""

    formula: Sentence
    ontology: Ontology


class LogicSentences(KnownSentences):
    """The entries of items, by sentence; stories by their sentences; ontologies by their listing in prompts."""

    data_sets = ("fol_translation", "fol_entailment")

    def __init__(self) -> None:
        self.entries: dict[str, tuple[LogicEntry, ...]] = {}
        self.stories: dict[tuple[str, ...], tuple[Sentence, ...]] = {}
        self.ontologies: dict[str, Ontology] = {}

    def add(self, item: Item) -> None:
        facts = item.facts
        has_sentences = facts.get("sentence") or "premises" in facts
        if item.language != "first_order" or "ontology" not in facts or not has_sentences:
            return
        is_derived = bool(facts.get("ontology_derived"))
        ontology = ontology_of_facts(facts["ontology"], derived=is_derived)
        # The first one counts where two data sets list the same symbols in the same words.
        self.ontologies.setdefault(spaced(ontology.listed()), ontology)
        if "premises" in facts:
            sentences = (*facts["premises"], facts["conclusion"])
            texts = (*facts["premises_formulas"], facts["conclusion_formula"])
            formulas = tuple(map(_formula, texts))
            story = tuple(map(spaced, sentences))
            self.stories.setdefault(story, formulas)
        else:
            sentences = (facts["sentence"],)
            formulas = (_formula(item.formula),)
        for sentence, formula in zip(sentences, formulas, strict=True):
            append(self.entries, sentence, LogicEntry(formula, ontology))


def entries_of(key: AnswerKey, sentence: str) -> Iterator[LogicEntry]:
    """All entries of a sentence of first-order logic."""
    return (
        entry
        for table in key.tables(LogicSentences)
        for entry in table.entries.get(spaced(sentence), ())
    )


def story_of(key: AnswerKey, sentences: Iterable[str]) -> tuple[Sentence, ...] | None:
    """The formulas of a story, given by its premises and its conclusion, in the first data set that has it."""
    # Only the words count: a prompt may space them otherwise.
    story = tuple(map(spaced, sentences))
    for table in key.tables(LogicSentences):
        if story in table.stories:
            return table.stories[story]
    return None


def ontology_of(key: AnswerKey, listing: str) -> Ontology:
    """The ontology that a prompt lists: a known one, or one parsed from the lines."""
    listed = spaced(listing)
    ontologies = (
        table.ontologies[listed]
        for table in key.tables(LogicSentences)
        if listed in table.ontologies
    )
    return next(ontologies, None) or ontology_of_listing(listing)


def _formula(formula: Any) -> Sentence:
    tree = language("first_order").tree(formula)
    assert isinstance(tree, Sentence)
    return tree
