"""Formulas near a given one: rewritings of it by several laws, changes of such rewritings, and how alike texts are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pytest_autoeval.generation.choices import Chance, Choices
from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages.base import places, replaced_at

#: How many laws are used on the way to a rewriting.
_STEPS = Choices.evenly(range(1, 5))
#: Places that are tried, at random, for a law or a change.
_ATTEMPTS = 8
#: A rewriting has at most so many times the formula's nodes, and so many more.
_GROWTH, _MORE = 1.5, 5
_WORD = re.compile(r"\w\d*|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class Near:
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

    def apart(self, other: Near) -> float:
        """How well the two are told from each other without understanding either; from 0 to 4."""
        shorter, longer = sorted((len(self.text), len(other.text)))
        pairs = ((self.likeness, other.likeness), (self.overlap, other.overlap), (self.shared, other.shared))
        return 1 - shorter / longer + sum(abs(mine - its) for mine, its in pairs)


class Neighbourhood:
    """What is drawn near a formula; a pure function of the formula and of what ``chance`` was made of."""

    def __init__(self, formula: Formula, lang: Language, chance: Chance) -> None:
        self._formula, self._lang, self._chance = formula, lang, chance
        self._text = lang.format(formula)
        self._words = _words(self._text)
        self._names = lang.symbols(formula)

    def rewritings(self, count: int) -> list[Near]:
        """Up to so many formulas that laws make of the formula, which are written otherwise."""
        return self._near(self._rewritten() for _ in range(count))

    def edits(self, rewriting: Near, count: int) -> list[Near]:
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

    def _near(self, formulas: Iterable[Formula]) -> list[Near]:
        """What is to be known of formulas, each once, without the formula itself."""
        from rapidfuzz.fuzz import ratio

        found: dict[str, Near] = {}
        for formula in formulas:
            text = self._lang.format(formula)
            if text == self._text or text in found:
                continue
            words = _words(text)
            common = words & self._words
            found[text] = Near(
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
