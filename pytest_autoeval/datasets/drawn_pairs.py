"""Drawn formulas in pairs: each with a formula that means the same, and with one that does not.

A drawn formula gets two partners: a rewriting by laws, and a rewriting with one change. The decision procedure alone
decides what they mean. Both have the same size and similar texts: neither length nor similarity tells them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

from pytest_autoeval.datasets.data_set import DrawnDataSet, useful
from pytest_autoeval.datasets.pairs import LANGUAGES, PREFIX
from pytest_autoeval.generation.counting import Chance, Choices
from pytest_autoeval.generation.drawing import DrawingOptions, formula_space
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Formula, Language, Vocabulary, language
from pytest_autoeval.languages.base import VerdictOutcome, places, replaced_at
from pytest_autoeval.languages.contract import trivial_kind
from pytest_autoeval.lazy_pattern import lazy_pattern

#: How many rewritings are made, and how many changes of each.
_REWRITINGS, _EDITS = 10, 4
#: How many pairs of partners are decided, the most similar first.
_MOST_DECIDED = 12
#: A stream ends after so many formulas in a row without partners.
_MOST_MISSES = 300
#: The number of laws that make a rewriting.
_STEPS = Choices.evenly(range(1, 5))
#: How many random places are tried for a law or a change.
_ATTEMPTS = 8
#: A rewriting has at most _GROWTH * n + _MORE nodes, for a formula of n nodes.
_GROWTH, _MORE = 1.5, 5
#: Which of the two pairs of a formula comes first.
_ORDERS: Choices[tuple[int, int]] = Choices.evenly([(0, 1), (1, 0)])
_WORD = lazy_pattern(r"\w\d*|[^\w\s]+")


class PairSet(DrawnDataSet):
    """Drawn formulas, each in two pairs: with one that means the same and with one that does not, in either order."""

    def __init__(self, name: str, vocabulary: Vocabulary | Names | None = None) -> None:
        self.name = name
        self._grammar = name.removeprefix(PREFIX)
        self.language = LANGUAGES[self._grammar]
        self._space = formula_space(self._grammar, vocabulary, options=DrawingOptions(exclude=None))

    def over(self, vocabulary: Vocabulary | Names) -> PairSet:
        return PairSet(self.name, vocabulary)

    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        chance = Chance(self.name, size, seed)
        formulas = self._space.distinct(size, seed)

        def has_partners(formula: Formula) -> bool:
            return bool(self.about(formula, seed))

        for formula in useful(formulas, has_partners, most_misses=_MOST_MISSES):
            partners = self.about(formula, seed)
            for index in chance(_ORDERS):
                yield formula, partners[index]

    def about(self, formula: Formula, seed: int) -> tuple[Mapping[str, Any], ...]:
        """The facts of an equivalent partner and of another one; empty if a partner is missing."""
        return _partners(self.language, formula, self._space.vocabulary.alphabet, seed)

    def names(self, formula: Formula) -> tuple[Vocabulary, str]:
        space = self._space
        return space.vocabulary.including(space.language.symbols(formula)), space.vocabulary_name


@lru_cache(maxsize=4096)
def _partners(
    name: str, formula: Formula, alphabet: tuple[str, ...], seed: int
) -> tuple[Mapping[str, Any], ...]:
    lang = language(name)
    neighbourhood = _Neighbourhood(formula, lang, Chance("pair", lang.format(formula), seed))
    rewritten = neighbourhood.rewritings(_REWRITINGS)
    edited = [edit for rewriting in rewritten for edit in neighbourhood.edits(rewriting, _EDITS)]
    similar = []
    for rewriting, edit in product(rewritten, edited):
        if rewriting.size == edit.size and rewriting.signs == edit.signs:
            similar.append((rewriting, edit))
    # Partners that differ in length or likeness would show by their texts alone which one was edited.
    similar.sort(key=lambda pair: pair[0].apart(pair[1]))

    @cache
    def outcome(partner: Formula) -> str:
        return lang.equivalent(formula, partner).outcome

    def measured(partner: Formula) -> tuple[float, float]:
        measures = lang.measure(partner)
        return measures["operators"], measures[lang.size_measure]

    # The sizes are compared before the meanings: a verdict may take long.
    for rewriting, edit in similar[:_MOST_DECIDED]:
        if (
            measured(rewriting.formula) == measured(edit.formula)
            and outcome(rewriting.formula) == VerdictOutcome.EQUIVALENT
            and outcome(edit.formula) == VerdictOutcome.DIFFERENT
            and trivial_kind(edit.formula, lang, alphabet) is None
        ):
            return (
                {"other": rewriting.text, "expected": True, "pair": "rewritten"},
                {"other": edit.text, "expected": False, "pair": "edited"},
            )
    return ()


@dataclass(frozen=True, slots=True)
class _Near:
    """A formula near another one, with features that could show how it was made.

    ``size`` is its number of nodes; ``signs`` are the kinds of nodes and the symbols, without bound variables.
    ``likeness``, ``overlap`` and ``shared`` compare its text with the other one's: by letters, as a bag of words and as
    a set of words, from 0 to 1.
    """

    formula: Formula
    text: str
    size: int
    signs: frozenset[str]
    likeness: float
    overlap: float
    shared: float

    def apart(self, partner: _Near) -> float:
        """How easily the two are distinguished by their texts alone, from 0 to 4."""
        shorter, longer = sorted((len(self.text), len(partner.text)))
        differences = (
            abs(self.likeness - partner.likeness),
            abs(self.overlap - partner.overlap),
            abs(self.shared - partner.shared),
        )
        return 1 - shorter / longer + sum(differences)


class _Neighbourhood:
    """Draws formulas near a formula; a pure function of the formula and of the seed of ``chance``."""

    def __init__(self, formula: Formula, lang: Language, chance: Chance) -> None:
        self._formula, self._lang, self._chance = formula, lang, chance
        self._text = lang.format(formula)
        self._words = _words(self._text)
        self._names = lang.symbols(formula)

    def rewritings(self, count: int) -> list[_Near]:
        """Up to ``count`` rewritings of the formula by laws, with other texts."""
        return self._near(self._rewritten() for _ in range(count))

    def edits(self, rewriting: _Near, count: int) -> list[_Near]:
        """Up to ``count`` formulas with one change in a rewriting; some may still be equivalent."""

        def edited(node: Formula) -> Iterator[Formula]:
            return self._lang.edits(node, self._names)

        return self._near(self._stepped(rewriting.formula, edited) for _ in range(count))

    def _rewritten(self) -> Formula:
        formula = self._formula
        # Laws can be applied for ever, and most of them make a formula larger.
        most = _GROWTH * _size(formula) + _MORE
        for _ in range(self._chance(_STEPS)):
            stepped = self._stepped(formula, self._lang.rewritings)
            formula = stepped if _size(stepped) <= most else formula
        return formula

    def _stepped(self, formula: Formula, step: Callable[[Formula], Iterator[Formula]]) -> Formula:
        """The formula after one step at a random place; unchanged if no tried place allows one."""
        everywhere = Choices.evenly(places(formula))
        for _ in range(_ATTEMPTS):
            path, node = self._chance(everywhere)
            options = list(step(node))
            if options:
                return replaced_at(formula, path, self._chance(Choices.evenly(options)))
        return formula

    def _near(self, formulas: Iterable[Formula]) -> list[_Near]:
        from rapidfuzz.fuzz import ratio

        by_text: dict[str, _Near] = {}
        for formula in formulas:
            text = self._lang.format(formula)
            if text == self._text or text in by_text:
                continue
            words = _words(text)
            common = words & self._words
            used = self._lang.symbols(formula)
            kinds = {type(node).__name__ for node in formula.subformulas()}
            by_text[text] = _Near(
                formula,
                text,
                _size(formula),
                used.names | set(used.alphabet) | kinds,
                likeness=ratio(text, self._text) / 100,
                overlap=2 * common.total() / (words.total() + self._words.total()),
                shared=len(common) / len(words | self._words),
            )
        return list(by_text.values())


def _size(formula: Formula) -> int:
    return sum(1 for _ in formula.subformulas())


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))
