"""Sentences to translate, and candidate formulas to choose from and to rank.

Source of the tasks: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026). Their sets have
duplicates, and perturbations that change nothing. Here the decision procedure proves the relation of each candidate to
the reference; undecided candidates are not used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar, cast

from pytest_autoeval.datasets.data_set import Entry, Item, WrittenDataSet
from pytest_autoeval.generation.counting import Chance
from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import LimitError, VerdictOutcome
from pytest_autoeval.languages.contract import trivial_kind
from pytest_autoeval.languages.logic.laws import equivalents, negation_normal_form, perturbations
from pytest_autoeval.languages.logic.syntax import Not, Sentence
from pytest_autoeval.languages.logic.verbalization import verbalize
from pytest_autoeval.languages.ontology import Ontology, ontology_of_facts
from pytest_autoeval.studies.first_order_translation.sentence_files import Sentences, Statement

#: Formulas with more nodes are refused: nobody could read their candidates.
_MOST_NODES = 150
#: Seconds for a decision; nearly all take less than 0.01.
_TIMEOUT = 2.0
#: The budget of decisions about one formula: a quick one costs 1, others cost more.
_BUDGET = 300
_PRICE_OF_SOLVING, _PRICE_OF_GIVING_UP = 20, 100
_QUICK = ("normal form", "finite model of size 1", "finite model of size 2")

#: Why a formula has no candidates. A negation has no useful normal form if it is its own (that of an atom), or if the
#: form is too large. A missing candidate may also exist, but look like another one.
Refusal = Literal[
    "tautology",
    "contradiction",
    "undecided",
    "too large",
    "no perturbation",
    "no negation normal form",
    "no equivalent",
]
T = TypeVar("T")


class CandidateFormula(NamedTuple):
    """A formula and its relation to the reference: ``kind``, such as ``reference``, or the name of the edit."""

    kind: str
    formula: Sentence


@dataclass(frozen=True, slots=True)
class RankingCandidates:
    """Formulas to rank, shuffled; ``law`` is the name of the law that made the equivalent."""

    candidates: tuple[CandidateFormula, ...]
    law: str

    @property
    def expected(self) -> list[list[int]]:
        """The numbers (from 1, ascending) of the two that belong first, and of the two that belong last."""
        return [
            self._numbers("reference", "equivalent"),
            self._numbers("negation", "negation normal form"),
        ]

    def _numbers(self, *kinds: str) -> list[int]:
        return [
            number for number, (kind, _) in enumerate(self.candidates, start=1) if kind in kinds
        ]


@lru_cache(maxsize=2048)
def most_similar(
    formula: Sentence, *, count: int = 8, seed: int = 0, ontology: Ontology | None = None
) -> tuple[CandidateFormula, ...] | Refusal:
    """The reference and up to ``count`` of its perturbations, shuffled; or the reason why there are none.

    Every two are proved to differ in meaning. They also differ as texts, and in English by the ``ontology``. Choice and
    order depend on the arguments alone, apart from decisions that a slow machine leaves open.
    """
    refusal = _refusal(formula)
    if refusal:
        return refusal
    chance = Chance("most similar", formula, seed)
    chosen = _Chosen(ontology)
    chosen.add("reference", formula)
    # Shuffled before the choice, so that each edit may be chosen; and after it, so that the place says nothing.
    edited = _shuffled(chance, perturbations(formula))
    chosen.add_perturbations(edited, count, apart_from=[formula])
    if len(chosen.candidates) == 1:
        return chosen.refusal("no perturbation")
    return tuple(_shuffled(chance, chosen.candidates))


@lru_cache(maxsize=2048)
def ranking_set(
    formula: Sentence, *, count: int = 3, seed: int = 0, ontology: Ontology | None = None
) -> RankingCandidates | Refusal:
    """Formulas to rank, or the reason why there are none; arguments as for :func:`most_similar`.

    The reference, an equivalent by one law, its negation, the normal form of the negation, and up to ``count``
    perturbations. All differ as texts and in English; perturbations also in meaning, from all others.
    """
    refusal = _refusal(formula)
    if refusal:
        return refusal
    chance = Chance("ranking", formula, seed)
    chosen = _Chosen(ontology)
    negation = Not(formula)
    chosen.add("reference", formula)
    # There is one formula of each of these kinds. Perturbations are many, and are chosen to differ from these.
    if not chosen.add("negation", negation) or not chosen.add_normal_form(negation):
        return chosen.refusal("no negation normal form")
    law = chosen.add_equivalent(formula, chance)
    if law is None:
        return chosen.refusal("no equivalent")
    edits = _shuffled(chance, perturbations(formula))
    edited = (("perturbation", edit) for _, edit in edits)
    # Also apart from the negation: a candidate with the opposite meaning would belong last, not in the middle.
    chosen.add_perturbations(edited, count, apart_from=[formula, negation])
    return RankingCandidates(tuple(_shuffled(chance, chosen.candidates)), law)


@lru_cache(maxsize=4096)
def _refusal(formula: Sentence) -> Refusal | None:
    """Why a formula is not used at all: it is always true or always false, perhaps so, or too large."""
    # Counting stops beyond the bound: a formula of a file may have any size.
    nodes = islice(formula.subformulas(), _MOST_NODES + 1)
    if sum(1 for _ in nodes) > _MOST_NODES:
        return "too large"
    return trivial_kind(formula, language("first_order"))  # type: ignore[return-value]


class _Chosen:
    def __init__(self, ontology: Ontology | None) -> None:
        self.candidates: list[CandidateFormula] = []
        self._ontology = ontology
        self._texts: set[tuple[bool, str]] = set()
        self._budget = _BUDGET
        self._gave_up = False

    def add(self, kind: str, formula: Sentence) -> bool:
        """Adds the formula if it differs from all others as text and in English; returns whether it did."""
        texts = {(True, str(formula))}
        if self._ontology is not None:
            texts.add((False, _in_english(formula, self._ontology)))
        # Equal texts could not be told apart, and formulas that are equal in English would be one candidate twice.
        if texts & self._texts:
            return False
        self._texts |= texts
        self.candidates.append(CandidateFormula(kind, formula))
        return True

    def add_perturbations(
        self, edited: Iterable[tuple[str, Sentence]], count: int, apart_from: list[Sentence]
    ) -> None:
        """Adds up to ``count`` formulas, each proved to differ from ``apart_from`` and from those before it."""
        apart = list(apart_from)
        for kind, formula in edited:
            if len(apart) == count + len(apart_from):
                return
            verdicts = (self.decided(formula, earlier) for earlier in apart)
            # Of two candidates that may mean the same, both could be right.
            is_apart = all(verdict == VerdictOutcome.DIFFERENT for verdict in verdicts)
            if is_apart and self.add(kind, formula):
                apart.append(formula)

    def decided(self, formula: Sentence, partner: Sentence) -> str:
        # A data set has thousands of formulas: a hard one must not take the time of all others.
        if self._budget <= 0:
            return "undecided"
        verdict = language("first_order").equivalent(formula, partner, _TIMEOUT)
        if verdict.outcome == VerdictOutcome.UNDECIDED:
            self._budget -= _PRICE_OF_GIVING_UP
            self._gave_up = True
        else:
            self._budget -= 1 if verdict.method in _QUICK else _PRICE_OF_SOLVING
        return verdict.outcome

    def refusal(self, reason: Refusal) -> Refusal:
        """The reason for no candidates: ``reason``, or ``undecided`` if a decision was left open."""
        return "undecided" if self._gave_up else reason

    def add_normal_form(self, negation: Sentence) -> bool:
        try:
            normal = negation_normal_form(negation)
        except LimitError:
            return False
        if normal == negation:
            return False
        # The rewriting is not trusted: the decision procedure proves each one.
        verdict = self.decided(negation, normal)
        return verdict == VerdictOutcome.EQUIVALENT and self.add("negation normal form", normal)

    def add_equivalent(self, formula: Sentence, chance: Chance) -> str | None:
        """Adds an equivalent by a law; returns the name of the law, None if no law gives a usable one."""
        by_law: dict[str, list[Sentence]] = {}
        for law, rewriting in equivalents(formula):
            by_law.setdefault(law, []).append(rewriting)
        # The law is drawn first: else the laws with most rewritings would make nearly all equivalents.
        for law in _shuffled(chance, by_law):
            for rewriting in _shuffled(chance, by_law[law]):
                is_equivalent = self.decided(formula, rewriting) == VerdictOutcome.EQUIVALENT
                if is_equivalent and self.add("equivalent", rewriting):
                    return law
        return None


@lru_cache(maxsize=8192)
def _in_english(formula: Sentence, ontology: Ontology) -> str:
    return verbalize(formula, ontology)


def _shuffled(chance: Chance, options: Iterable[T]) -> Iterator[T]:
    return chance.without_replacement([(option, 1) for option in options])


class TranslationSet(WrittenDataSet):
    """Every sentence, by the number of operators of its formula."""

    def __init__(self, name: str, sentences: Sentences) -> None:
        super().__init__(name, "first_order", map(_entry, sentences.entries), sentences.problems)


class _CandidateSet(TranslationSet):
    """Sentences with candidates, which are made from formula and seed when the items of a size are asked for."""

    def __init__(self, name: str, sentences: Sentences) -> None:
        super().__init__(name, sentences)
        self._refused: dict[int, Counter[Refusal]] = {}

    @abstractmethod
    def candidates(
        self, formula: Sentence, ontology: Ontology, seed: int
    ) -> Mapping[str, Any] | Refusal:
        """The facts about the candidates of a formula, or the reason why there are none."""

    @property
    def sizes(self) -> tuple[int, ...]:
        # Often no formula of size 0 has candidates; checking the other sizes here would take long.
        sizes = super().sizes
        if 0 not in sizes:
            return sizes
        # `items` notes the reasons, so it is called only if all sentences of size 0 are refused.
        has_candidates = bool(self._completed(super().items(0), 0))
        is_empty = not has_candidates and not self.items(0)
        return sizes[1:] if is_empty else sizes

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        items: list[Item] = []
        refused: Counter[Refusal] = Counter()
        # Candidates take time to make, so only for as many sentences as are asked for.
        for item in super().items(size):
            if len(items) == count:
                break
            completed = self._with_candidates(item, seed)
            if isinstance(completed, Item):
                items.append(completed)
            else:
                refused[completed] += 1
        # A call with a smaller count sees fewer refusals: the call that saw most counts.
        if refused.total() > self._refused.get(size, Counter()).total():
            self._refused[size] = refused
        return items

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        return self._completed(super().typed(text), seed)

    def named(self, name: str, seed: int = 0) -> list[Item]:
        all_items = (item for items in self._by_size.values() for item in items)
        # The name is looked up first: candidates of all other sentences would take long.
        return self._completed((item for item in all_items if item.is_named(name)), seed)

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """How many sentences of the sizes asked for so far have no candidates, and why."""
        lines = []
        for size, refused in sorted(self._refused.copy().items()):
            reasons = ", ".join(f"{why} ({count})" for why, count in sorted(refused.items()))
            lines.append(
                f"{self.name}: {refused.total()} of size {size} without candidates: {reasons}"
            )
        return tuple(lines)

    def _completed(self, items: Iterable[Item], seed: int) -> list[Item]:
        completed = (self._with_candidates(item, seed) for item in items)
        return [item for item in completed if isinstance(item, Item)]

    def _with_candidates(self, item: Item, seed: int) -> Item | Refusal:
        facts = item.facts
        ontology = ontology_of_facts(facts["ontology"], derived=facts["ontology_derived"])
        candidates = self.candidates(cast("Sentence", item.formula), ontology, seed)
        if isinstance(candidates, str):
            return candidates
        return replace(item, seed=seed, facts={**facts, **candidates})


class MostSimilarSet(_CandidateSet):
    """Sentences, each with its formula and others with one change."""

    def candidates(
        self, formula: Sentence, ontology: Ontology, seed: int
    ) -> Mapping[str, Any] | Refusal:
        candidates = most_similar(formula, seed=seed, ontology=ontology)
        if isinstance(candidates, str):
            return candidates
        edits = [candidate.kind for candidate in candidates]
        facts = {
            "edits": edits,
            "perturbations": len(candidates) - 1,
            "expected": edits.index("reference") + 1,
        }
        return _candidate_facts(candidates, ontology) | facts


class RankingSet(_CandidateSet):
    """Sentences, each with its formula, an equivalent one, some different ones and two negations."""

    def candidates(
        self, formula: Sentence, ontology: Ontology, seed: int
    ) -> Mapping[str, Any] | Refusal:
        ranking = ranking_set(formula, seed=seed, ontology=ontology)
        if isinstance(ranking, str):
            return ranking
        kinds = [candidate.kind for candidate in ranking.candidates]
        # There may be none: the other four formulas can be ranked alone.
        perturbed = kinds.count("perturbation")
        facts = {
            "kinds": kinds,
            "law": ranking.law,
            "perturbations": perturbed,
            "expected": ranking.expected,
        }
        return _candidate_facts(ranking.candidates, ontology) | facts


def _entry(statement: Statement) -> Entry:
    origin = {
        "item": statement.id,
        "group": statement.group,
        "cluster": statement.cluster,
        "story_id": statement.story_id,
        "same_story": statement.same_story,
        "repair": statement.repair or None,
    }
    facts: dict[str, Any] = {
        "sentence": statement.sentence,
        "ontology": statement.ontology.to_facts(),
        "ontology_derived": statement.ontology.derived,
        "data_set": statement.data_set,
        "source": statement.source,
        **{key: value for key, value in origin.items() if value is not None},
    }
    names = statement.ontology.vocabulary.including(
        language("first_order").symbols(statement.formula)
    )
    return Entry(statement.formula, facts, names)


def _candidate_facts(candidates: Iterable[CandidateFormula], ontology: Ontology) -> dict[str, Any]:
    formulas = [candidate.formula for candidate in candidates]
    texts = [str(formula) for formula in formulas]
    english = [_in_english(formula, ontology) for formula in formulas]
    return {"candidates": texts, "candidates_english": english}
