"""Data sets of sentences with formulas: to translate, to find the formula among others, to rank others by it."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from pytest_autoeval.datasets.base import Entry, Item, WrittenDataSet
from pytest_autoeval.datasets.first_order.candidates import (
    CandidateFormula,
    Refusal,
    in_english,
    most_similar,
    ranking_set,
)
from pytest_autoeval.datasets.first_order.sentences import Sentences, Statement
from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, ontology_of_facts


class TranslationSet(WrittenDataSet):
    """Every sentence, by the operators of its formula."""

    def __init__(self, name: str, sentences: Sentences) -> None:
        super().__init__(name, "first_order", map(_entry, sentences.entries), sentences.problems)


class _CandidateSet(TranslationSet):
    """Sentences with candidates, which are made when the items of a size are asked for, of formula and seed."""

    def __init__(self, name: str, sentences: Sentences) -> None:
        super().__init__(name, sentences)
        self._refused: dict[int, Counter[Refusal]] = {}

    @abstractmethod
    def candidates(self, formula: Sentence, ontology: Ontology, seed: int) -> Mapping[str, Any] | Refusal:
        """The facts about the candidates of a formula, or why there are none."""

    @property
    def sizes(self) -> tuple[int, ...]:
        # Of the smallest formulas there may be none that has candidates; to look at all others here would take long.
        return tuple(size for size in super().sizes if size or self._has_items(size))

    def _has_items(self, size: int) -> bool:
        """Whether a size has any; why sentences were refused is noted only if that are all of them."""
        made = (self._with_candidates(item, seed=0) for item in super().items(size))
        return any(isinstance(item, Item) for item in made) or bool(self.items(size))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        found: list[Item] = []
        refused: Counter[Refusal] = Counter()
        for item in super().items(size):
            if len(found) == count:
                break
            made = self._with_candidates(item, seed)
            if isinstance(made, Item):
                found.append(made)
            else:
                refused[made] += 1
        if refused.total() > self._refused.get(size, Counter()).total():
            self._refused[size] = refused
        return found

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        return self._completed(super().typed(text), seed)

    def named(self, name: str, seed: int = 0) -> list[Item]:
        items = (item for alike in self._by_size.values() for item in alike)
        return self._completed((item for item in items if item.is_named(name)), seed)

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """How many sentences of the sizes asked for so far have no candidates, and why."""
        return tuple(
            f"{self.name}: {refused.total()} of size {size} without candidates: "
            + ", ".join(f"{why} ({count})" for why, count in sorted(refused.items()))
            for size, refused in sorted(self._refused.copy().items())
        )

    def _completed(self, items: Iterable[Item], seed: int) -> list[Item]:
        made = (self._with_candidates(item, seed) for item in items)
        return [item for item in made if isinstance(item, Item)]

    def _with_candidates(self, item: Item, seed: int) -> Item | Refusal:
        ontology = ontology_of_facts(item.facts["ontology"], derived=item.facts["ontology_derived"])
        found = self.candidates(cast("Sentence", item.formula), ontology, seed)
        return found if isinstance(found, str) else replace(item, seed=seed, facts={**item.facts, **found})


class MostSimilarSet(_CandidateSet):
    """Sentences, each with its formula among others that differ from it by one change."""

    def candidates(self, formula: Sentence, ontology: Ontology, seed: int) -> Mapping[str, Any] | Refusal:
        found = most_similar(formula, seed=seed, ontology=ontology)
        if isinstance(found, str):
            return found
        edits = [candidate.kind for candidate in found]
        more = {"edits": edits, "perturbations": len(found) - 1, "expected": edits.index("reference") + 1}
        return _shown(found, ontology) | more


class RankingSet(_CandidateSet):
    """Sentences, each with its formula, an equivalent one, some that differ and two that deny it."""

    def candidates(self, formula: Sentence, ontology: Ontology, seed: int) -> Mapping[str, Any] | Refusal:
        found = ranking_set(formula, seed=seed, ontology=ontology)
        if isinstance(found, str):
            return found
        kinds = [candidate.kind for candidate in found.candidates]
        more = {"kinds": kinds, "law": found.law, "perturbations": found.perturbations, "expected": found.expected}
        return _shown(found.candidates, ontology) | more


def _entry(statement: Statement) -> Entry:
    origin = {"item": statement.id, "group": statement.group, "repair": statement.repair or None}
    facts: dict[str, Any] = {
        "sentence": statement.sentence,
        "ontology": statement.ontology.to_facts(),
        "ontology_derived": statement.ontology.derived,
        "data_set": statement.data_set,
        "source": statement.source,
        **{key: value for key, value in origin.items() if value is not None},
    }
    names = statement.ontology.vocabulary.including(language("first_order").symbols(statement.formula))
    return Entry(statement.formula, facts, names)


def _shown(candidates: Iterable[CandidateFormula], ontology: Ontology) -> dict[str, Any]:
    formulas = [candidate.formula for candidate in candidates]
    english = [in_english(formula, ontology) for formula in formulas]
    return {"candidates": list(map(str, formulas)), "candidates_english": english}
