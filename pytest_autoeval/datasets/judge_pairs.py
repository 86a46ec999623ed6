"""Pairs of formulas to judge, made in any number: half of them mean the same, half of them do not.

Each drawn formula meets two others: one that laws make of it, and one that a single change makes of such a rewriting.
The two are chosen together, of one size and alike in how near their texts are to the formula's, so that neither length
nor likeness tells which is which. What a pair is worth says the decision procedure alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from pytest_autoeval.datasets.base import DrawnDataSet
from pytest_autoeval.generation.choices import Chance, Choices
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.trivial import trivial_kind
from pytest_autoeval.languages import Formula, Language, Vocabulary, language
from pytest_autoeval.languages.base import places, replaced_at

#: Rewritings to choose from, and changes of each.
_REWRITINGS, _EDITS = 10, 4
#: Choices of two that are decided, the most alike first.
_MOST_DECIDED = 12
#: So many formulas in a row without a pair end a stream.
_MOST_MISSES = 300
#: How many laws are used on the way to a rewriting.
_STEPS = Choices.evenly(range(1, 5))
#: Places that are tried, at random, for a law or a change.
_ATTEMPTS = 8
#: A rewriting has at most so many times the formula's nodes, and so many more.
_GROWTH, _MORE = 1.5, 5
_ORDERS: Choices[tuple[int, int]] = Choices.evenly([(0, 1), (1, 0)])
_WORD = re.compile(r"\w\d*|[^\w\s]+")


class PairSet(DrawnDataSet):
    """Drawn formulas, each twice: with another that means the same, and with one that does not, either first."""

    def __init__(self, name: str, grammar: str, lang: str) -> None:
        self.name = name
        self.language = lang
        self._grammar = grammar

    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        chance = Chance(self.name, size, seed)
        misses = 0
        for formula in self._space().distinct(size, seed):
            if others := self.about(formula, seed):
                misses = 0
                yield from ((formula, others[at]) for at in chance(_ORDERS))
            elif (misses := misses + 1) == _MOST_MISSES:
                return

    def about(self, formula: Formula, seed: int) -> tuple[Mapping[str, Any], ...]:
        """One that means the same and one that does not, as formula and seed have them; none where there are no two."""
        return _others(self.language, formula, self._space().vocabulary.alphabet, seed)

    def names(self, formula: Formula) -> tuple[Vocabulary, str]:
        space = self._space()
        return space.vocabulary.including(space.language.symbols(formula)), space.vocabulary_name

    def _space(self) -> FormulaSpace:
        """The formulas that say something."""
        trivial = tuple(language(self.language).trivial())
        return formula_space(self._grammar, options=DrawingOptions(exclude=trivial))


@lru_cache(maxsize=4096)
def _others(name: str, formula: Formula, alphabet: tuple[str, ...], seed: int) -> tuple[Mapping[str, Any], ...]:
    lang = language(name)
    near = _Neighbourhood(formula, lang, Chance("pair", lang.format(formula), seed))
    rewritten = near.rewritings(_REWRITINGS)
    edited = [edit for rewriting in rewritten for edit in near.edits(rewriting, _EDITS)]
    alike = [
        (same, different)
        for same in rewritten
        for different in edited
        if same.size == different.size and same.signs == different.signs
    ]
    alike.sort(key=lambda two: two[0].apart(two[1]))
    trivial = lang.trivial(alphabet)

    @cache
    def outcome(other: Formula) -> str:
        return lang.equivalent(formula, other).outcome

    for same, different in alike[:_MOST_DECIDED]:
        if (
            _measured(lang, same.formula) == _measured(lang, different.formula)
            and outcome(same.formula) == "equivalent"
            and outcome(different.formula) == "different"
            and trivial_kind(different.formula, lang, trivial) is None
        ):
            return (
                {"other": same.text, "expected": True, "pair": "rewritten"},
                {"other": different.text, "expected": False, "pair": "edited"},
            )
    return ()


def _measured(lang: Language, formula: Formula) -> tuple[float, ...]:
    measures = lang.measure(formula)
    return measures["operators"], measures[lang.size_measure]


@dataclass(frozen=True, slots=True)
class _Near:
    """A formula near another one, and what gives away how it was made of that.

    ``size`` is its number of nodes, ``signs`` are the kinds of those and the symbols that it uses, bound variables
    apart. ``likeness``, ``overlap`` and ``shared`` show how near its text is to the other one's: letter by letter, as a
    bag and as a set of words, from 0 to 1.
    """

    formula: Formula
    text: str
    size: int
    signs: frozenset[str]
    likeness: float
    overlap: float
    shared: float

    def apart(self, other: _Near) -> float:
        """How well the two are told from each other without understanding either; from 0 to 4."""
        shorter, longer = sorted((len(self.text), len(other.text)))
        pairs = ((self.likeness, other.likeness), (self.overlap, other.overlap), (self.shared, other.shared))
        return 1 - shorter / longer + sum(abs(mine - its) for mine, its in pairs)


class _Neighbourhood:
    """What is drawn near a formula; a pure function of the formula and of what ``chance`` was made of."""

    def __init__(self, formula: Formula, lang: Language, chance: Chance) -> None:
        self._formula, self._lang, self._chance = formula, lang, chance
        self._text = lang.format(formula)
        self._words = _words(self._text)
        self._names = lang.symbols(formula)

    def rewritings(self, count: int) -> list[_Near]:
        """Up to so many formulas that laws make of the formula, which are written otherwise."""
        return self._near(self._rewritten() for _ in range(count))

    def edits(self, rewriting: _Near, count: int) -> list[_Near]:
        """Up to so many formulas that one change each makes of a rewriting; some may still mean the same."""
        return self._near(self._stepped(rewriting.formula, self._edits) for _ in range(count))

    def _rewritten(self) -> Formula:
        formula = self._formula
        most = _GROWTH * _size(formula) + _MORE
        for _ in range(self._chance(_STEPS)):
            stepped = self._stepped(formula, self._lang.rewritings)
            formula = stepped if _size(stepped) <= most else formula
        return formula

    def _edits(self, node: Formula) -> Iterator[Formula]:
        return self._lang.edits(node, self._names)

    def _stepped(self, formula: Formula, step: Callable[[Formula], Iterator[Formula]]) -> Formula:
        """The formula with one of the steps that a place of it allows; as it is where none of the places does."""
        everywhere = Choices.evenly(places(formula))
        for _ in range(_ATTEMPTS):
            path, node = self._chance(everywhere)
            if options := list(step(node)):
                return replaced_at(formula, path, self._chance(Choices.evenly(options)))
        return formula

    def _near(self, formulas: Iterable[Formula]) -> list[_Near]:
        """What is to be known of formulas, each once, without the formula itself."""
        from rapidfuzz.fuzz import ratio

        found: dict[str, _Near] = {}
        for formula in formulas:
            text = self._lang.format(formula)
            if text == self._text or text in found:
                continue
            words = _words(text)
            common = words & self._words
            found[text] = _Near(
                formula,
                text,
                _size(formula),
                self._signs(formula),
                likeness=ratio(text, self._text) / 100,
                overlap=2 * common.total() / (words.total() + self._words.total()),
                shared=len(common) / len(words | self._words),
            )
        return list(found.values())

    def _signs(self, formula: Formula) -> frozenset[str]:
        used = self._lang.symbols(formula)
        return used.names | set(used.alphabet) | {type(node).__name__ for node in formula.subformulas()}


def _size(formula: Formula) -> int:
    return sum(1 for _ in formula.subformulas())


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))
