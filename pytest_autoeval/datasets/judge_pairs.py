"""Pairs of formulas to judge, made in any number: half of them mean the same, half of them do not.

Each drawn formula meets two others: one that laws make of it, and one that a single change makes of such a rewriting.
The two are chosen together, of one size and alike in how near their texts are to the formula's, so that neither length
nor likeness tells which is which. What a pair is worth says the decision procedure alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from pytest_autoeval.datasets.base import DataSet, Item, counted
from pytest_autoeval.datasets.near_formulas import Near, Neighbourhood
from pytest_autoeval.generation.choices import Chance, Choices
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, chosen_vocabulary, formula_space
from pytest_autoeval.generation.grammars import find_grammar
from pytest_autoeval.generation.trivial import trivial_kind
from pytest_autoeval.languages import Formula, Language, language

#: Rewritings to choose from, and changes of each.
_REWRITINGS, _EDITS = 10, 4
#: Choices of two that are decided, the most alike first.
_MOST_DECIDED = 12
#: So many formulas in a row without a pair end a stream.
_MOST_MISSES = 300
_ORDERS: Choices[tuple[int, int]] = Choices.evenly([(0, 1), (1, 0)])

#: A second formula, and whether it means the same.
Other = tuple[Formula, bool]


class PairSet(DataSet):
    """Drawn formulas, each twice: with another that means the same, and with one that does not, either first."""

    def __init__(self, name: str, grammar: str, lang: str) -> None:
        self.name = name
        self.language = lang
        self._grammar = grammar

    @property
    def sizes(self) -> None:
        return None

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        chosen = islice(self._pairs(size, seed), counted(self.name, count))
        return [self._item(formula, other, seed, index) for index, (formula, other) in enumerate(chosen)]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        formula = language(self.language).tree(text)
        return [self._item(formula, other, seed, index) for index, other in enumerate(self._others(formula, seed))]

    def _pairs(self, size: int, seed: int) -> Iterator[tuple[Formula, Other]]:
        chance = Chance(self.name, size, seed)
        misses = 0
        for formula in self._space().distinct(size, seed):
            others = self._others(formula, seed)
            if others:
                misses = 0
                yield from ((formula, others[at]) for at in chance(_ORDERS))
            elif (misses := misses + 1) == _MOST_MISSES:
                return

    def _space(self) -> FormulaSpace:
        """The formulas that say something."""
        trivial = tuple(language(self.language).trivial())
        return formula_space(self._grammar, options=DrawingOptions(exclude=trivial))

    def _others(self, formula: Formula, seed: int) -> tuple[Other, ...]:
        """One that means the same and one that does not, as formula and seed have them; none where there are no two."""
        return _others(self.language, formula, self._space().vocabulary.alphabet, seed)

    def _item(self, formula: Formula, other: Other, seed: int, index: int) -> Item:
        lang = language(self.language)
        size = int(lang.measure(formula)[lang.size_measure])
        names = self._space().vocabulary.including(lang.symbols(formula))
        _, vocabulary = chosen_vocabulary(find_grammar(self._grammar), None)
        second, same = other
        facts = {"other": lang.format(second), "expected": same, "pair": "rewritten" if same else "edited"}
        return Item(self.name, self.language, names, vocabulary, size, seed, index, formula, facts)


@lru_cache(maxsize=4096)
def _others(name: str, formula: Formula, alphabet: tuple[str, ...], seed: int) -> tuple[Other, ...]:
    lang = language(name)
    near = Neighbourhood(formula, lang, Chance("pair", lang.format(formula), seed))
    rewritten = near.rewritings(_REWRITINGS)
    edited = [edit for rewriting in rewritten for edit in near.edits(rewriting, _EDITS)]
    alike = [
        (same, different)
        for same in rewritten
        for different in edited
        if same.size == different.size and same.signs == different.signs
    ]
    alike.sort(key=lambda two: two[0].apart(two[1]))
    proved = _Proofs(formula, lang, alphabet)
    for same, different in alike[:_MOST_DECIDED]:
        if proved.is_pair(same, different):
            return (same.formula, True), (different.formula, False)
    return ()


class _Proofs:
    """What is proved of formulas near a given one, each decided once."""

    def __init__(self, formula: Formula, lang: Language, alphabet: tuple[str, ...]) -> None:
        self._formula, self._lang = formula, lang
        self._trivial = lang.trivial(alphabet)
        self._outcomes: dict[str, str] = {}

    def is_pair(self, same: Near, different: Near) -> bool:
        """Whether the one means the same and the other one does not, says something too, and measures as much."""
        return (
            self._measured(same) == self._measured(different)
            and self._outcome(same) == "equivalent"
            and self._outcome(different) == "different"
            and trivial_kind(different.formula, self._lang, self._trivial) is None
        )

    def _outcome(self, other: Near) -> str:
        if other.text not in self._outcomes:
            self._outcomes[other.text] = self._lang.equivalent(self._formula, other.formula).outcome
        return self._outcomes[other.text]

    def _measured(self, other: Near) -> tuple[float, ...]:
        measures = self._lang.measure(other.formula)
        return tuple(measures[name] for name in ("operators", self._lang.size_measure))
