"""Strings to judge, made in any number: half of them formulas, half of them formulas with a mistake in them.

What a string is, only the parsers say; the grammars are no witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

from pytest_autoeval.datasets.base import DataSet, Item, counted
from pytest_autoeval.datasets.notations import is_well_formed
from pytest_autoeval.generation.choices import Chance, Choices
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, chosen_vocabulary, formula_space
from pytest_autoeval.generation.grammars import find_grammar, load_grammar
from pytest_autoeval.languages import Formula, Vocabulary, language

_WELL_FORMED, _ILL_FORMED = "past_ltl", "ill_formed_ltl"
#: The rule of the grammar of ill-formed strings whose alternatives are the kinds of mistakes.
_MISTAKE = "mistake"
#: So many strings in a row that are not what they were drawn for end a stream.
_MOST_MISSES = 1_000
_ORDERS: Choices[tuple[bool, bool]] = Choices.evenly([(True, False), (False, True)])


class WellFormednessSet(DataSet):
    """Well-formed and ill-formed strings of the same size, in pairs, either first."""

    name = "ltl_well_formedness"
    language = "ltl_strings"

    @property
    def sizes(self) -> None:
        return None

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        pairs = zip(_formulas(size, seed), _mistakes(size, seed), strict=False)
        chance = Chance(self.name, size, seed)
        labelled = (
            (text if expected else mistaken, expected)
            for text, mistaken in pairs
            for expected in chance(_ORDERS)
        )  # fmt: skip
        chosen = islice(labelled, counted(self.name, count))
        return [self._item(text, expected, seed, index) for index, (text, expected) in enumerate(chosen)]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        string = text.strip()
        language(self.language).parse(string)
        expected = is_well_formed(string)
        return [] if expected is None else [self._item(string, expected, seed, 0)]

    def _item(self, text: str, expected: bool, seed: int, index: int) -> Item:
        lang = language(self.language)
        string = lang.parse(text)
        names = Vocabulary(propositions=lang.symbols(string).propositions)
        size = int(lang.measure(string)["operators"])
        facts = {"text": text, "expected": expected}
        return Item(self.name, self.language, names, "default", size, seed, index, string, facts)


def _formulas(size: int, seed: int) -> Iterator[str]:
    return _judged(formula_space(_WELL_FORMED).distinct(size, seed), expected=True)


def _mistakes(size: int, seed: int) -> Iterator[str]:
    """Ill-formed strings whose mistakes are of each kind in turn."""
    streams = [_judged(space.distinct(size, seed), expected=False) for space in _mistake_spaces() if size in space]
    seen: set[str] = set()
    while streams:
        for stream in tuple(streams):
            text = next((text for text in stream if text not in seen), None)
            if text is None:
                streams.remove(stream)
            else:
                seen.add(text)
                yield text


def _judged(drawn: Iterator[Formula], *, expected: bool) -> Iterator[str]:
    misses = 0
    for formula in drawn:
        text = str(formula)
        if is_well_formed(text) is expected:
            misses = 0
            yield text
        else:
            misses += 1
            if misses == _MOST_MISSES:
                return


@cache
def _mistake_spaces() -> tuple[FormulaSpace, ...]:
    """What can be drawn with each kind of mistake alone.

    One draw from the whole grammar is uniform over its derivations, of which those with a mistake that takes no
    operator are the most by far.
    """
    grammar = find_grammar(_ILL_FORMED)
    sized, lang = load_grammar(grammar)
    names, _ = chosen_vocabulary(grammar, None)
    kinds = {production.symbols[0].value: None for production in sized.grammar.productions[_MISTAKE]}

    def only(kind: str) -> FormulaSpace:
        rules = {
            rule: tuple(one for one in templates if one.template.production.rule not in kinds.keys() - {kind})
            for rule, templates in sized.rules.items()
        }
        return FormulaSpace(f"{_ILL_FORMED} {kind}", replace(sized, rules=rules), lang, names, DrawingOptions())

    return tuple(map(only, kinds))
