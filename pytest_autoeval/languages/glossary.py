"""Formulas as English in the phrases of a glossary, and back, by the rules of controlled English.

A glossary maps each name to its phrase; in first-order logic the name shows its parameters: ``Larger(x, y)``.

In temporal logic ``G (door_open -> F light)`` is "At the start, at this and every later step, if the door is open, then
at this or some later step, the light is on."
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import cast

from pytest_autoeval.languages.base import EnglishError, Formula
from pytest_autoeval.languages.controlled_english import (
    NOT,
    English,
    Scope,
    Words,
    opens_compound,
    opens_with,
)
from pytest_autoeval.languages.logic.lexicon import is_risky
from pytest_autoeval.languages.logic.verbalization import english_in
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.english import EnglishOfLtl
from pytest_autoeval.languages.ontology import ontology_of_glossary
from pytest_autoeval.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"\w+")
#: The rules put an unclear phrase in double quotation marks, so that its own become single ones.
_QUOTES = str.maketrans("“”", "‘’")
#: The words with which the temporal rules join two formulas.
_JOINTS = frozenset(infix.split()[0] for infix in EnglishOfLtl.infixes.values())


def describe_in_phrases(formula: Formula, glossary: Mapping[str, str], language: str) -> str:
    """The formula of a language in one sentence; raises :class:`EnglishError` and ``LimitError``."""
    return _english(tuple(glossary.items()), language).describe(formula)


def read_in_phrases(text: str, glossary: Mapping[str, str], language: str) -> Formula:
    """The formula that :func:`describe_in_phrases` writes as this text; raises :class:`EnglishError` for others."""
    return cast("Formula", _english(tuple(glossary.items()), language).read(text))


def with_plain_phrases(text: str, glossary: Mapping[str, str]) -> str:
    """The text, with the phrases of a glossary in words alone.

    A phrase may have signs, as in "the R&D lab is open" or "x works in the R&D lab". A text that repeats them has no
    sign of its own.
    """
    # The longest first: a phrase may be a part of another.
    for piece in sorted({*_pieces_with_signs(glossary)}, key=len, reverse=True):
        pattern = r"\s+".join(map(re.escape, piece.split()))
        words_alone = " ".join(_WORD.findall(piece))
        text = re.sub(rf"(?<!\w){pattern}(?!\w)", words_alone, text, flags=re.IGNORECASE)
    return text


def _pieces_with_signs(glossary: Mapping[str, str]) -> Iterator[str]:
    """The parts of phrases that have words and signs. Parameters, such as ``x``, are not in them, but between them."""
    for name, phrase in glossary.items():
        # The parameters of a name such as ``Larger(x, y)`` stand in its brackets.
        parameters = "|".join(_WORD.findall(name.partition("(")[2]))
        pieces = re.split(rf"\b(?:{parameters})\b", phrase) if parameters else [phrase]
        for piece in pieces:
            if _WORD.search(piece) and re.search(r"[^\w\s]", piece):
                yield piece


# Many sentences have one glossary: its English is built once for them.
@lru_cache(maxsize=256)
def _english(glossary: tuple[tuple[str, str], ...], language: str) -> English:
    """The English of a language in the phrases of a glossary. The glossary is given as its items, to be hashable."""
    if language == "ltl":
        return _EnglishOfLtlInPhrases(dict(glossary))
    if language in ("propositional", "first_order"):
        has_terms = language == "first_order"
        return english_in(ontology_of_glossary(dict(glossary), terms=has_terms))
    raise EnglishError(f"there is no English in phrases for the language {language}")


class _EnglishOfLtlInPhrases(EnglishOfLtl):
    """The English in the phrases of some names. A phrase with words that join clauses stands in quotation marks.

    A name without a phrase, or with the phrase of another name, is said by itself: "p1 holds".
    """

    def __init__(self, phrases: Mapping[str, str]) -> None:
        phrases_by_name = {
            name: " ".join(phrase.translate(_QUOTES).split()).rstrip(".")
            for name, phrase in phrases.items()
        }
        times_used = Counter(phrase.casefold() for phrase in phrases_by_name.values())
        #: Each name's phrase as a sentence has it.
        self._shown: dict[str, str] = {}
        for name, phrase in phrases_by_name.items():
            if not phrase or times_used[phrase.casefold()] > 1:
                continue
            is_unclear = _is_unclear(phrase, name)
            self._shown[name] = f"“{phrase}”" if is_unclear else phrase
        #: The names in the order in which their phrases are tried: the longest first, since one may begin with another.
        self._names = sorted(self._shown, key=lambda name: -len(self._shown[name]))

    def literal(self, formula: ltl.Temporal, scope: Scope) -> str:
        is_negated = isinstance(formula, ltl.Not)
        atom = formula.operand if isinstance(formula, ltl.Not) else formula
        if not isinstance(atom, ltl.Atom) or atom.name not in self._shown:
            return super().literal(formula, scope)
        phrase = self._shown[atom.name]
        return f"{NOT}{phrase}" if is_negated else phrase

    def read_literal(self, words: Words, scope: Scope) -> ltl.Temporal:
        for name in self._names:
            if words.skip(self._shown[name].lower()):
                return ltl.Atom(name)
        start = words.at
        try:
            literal: ltl.Temporal = super().read_literal(words, scope)
        except EnglishError as problem:
            # Most often a phrase of the glossary has a typo, and what was expected in its place is of no help.
            if not self._shown or start >= len(words.words):
                raise
            word = f"{words.words[start].text!r} (word {start + 1})"
            raise EnglishError(
                f"{problem}; no phrase of the glossary fits from {word} on"
            ) from None
        return literal


def _is_unclear(phrase: str, name: str) -> bool:
    """Whether a phrase could be misread: its words join or open parts of a sentence, or speak of another name."""
    words = Words(f"{phrase}.").words
    prefixes = EnglishOfLtl.prefixes.values()
    if opens_compound(words) or any(opens_with(words, prefix) for prefix in prefixes):
        return True
    texts = [word.text for word in words]
    # "p2 holds" is how the rules say the name p2.
    ends_like_rule = bool(texts) and texts[-1].lower() in {"hold", "holds"}
    if ends_like_rule and phrase != f"{name} holds":
        return True
    return is_risky(texts) or any(text.lower() in _JOINTS for text in texts)
