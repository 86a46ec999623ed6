"""Formulas as English in the phrases of a glossary, and back, by the rules of controlled English.

A glossary maps each name to its phrase; in first-order logic the name shows its parameters: ``Larger(x, y)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import cast

from pytest_autoeval.languages.base import EnglishError, Formula
from pytest_autoeval.languages.controlled_english import English
from pytest_autoeval.languages.logic.verbalization import english_in
from pytest_autoeval.languages.ltl.phrases import EnglishInPhrases
from pytest_autoeval.languages.ontology import ontology_of_glossary


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
    for piece in sorted({*_pieces_with_signs(glossary)}, key=len, reverse=True):
        words = r"\s+".join(map(re.escape, piece.split()))
        text = re.sub(rf"(?<!\w){words}(?!\w)", " ".join(_WORD.findall(piece)), text, flags=re.IGNORECASE)
    return text


_WORD = re.compile(r"\w+")


def _pieces_with_signs(glossary: Mapping[str, str]) -> Iterator[str]:
    """The phrases that have words and signs, without the parameters of their names."""
    for name, phrase in glossary.items():
        parameters = "|".join(_WORD.findall(name.partition("(")[2]))
        pieces = re.split(rf"\b(?:{parameters})\b", phrase) if parameters else [phrase]
        yield from (piece for piece in pieces if _WORD.search(piece) and re.search(r"[^\w\s]", piece))


@lru_cache(maxsize=256)
def _english(glossary: tuple[tuple[str, str], ...], language: str) -> English:
    if language == "ltl":
        return EnglishInPhrases(dict(glossary))
    if language in ("propositional", "first_order"):
        return english_in(ontology_of_glossary(dict(glossary), terms=language == "first_order"))
    raise EnglishError(f"there is no English in phrases for the language {language}")
