"""Formal languages: syntax trees, parse, read, format, measure, decide. This room imports no other."""

from __future__ import annotations

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import (
    EnglishError,
    Formula,
    FormulaSyntaxError,
    Language,
    LimitError,
    Reading,
    Verdict,
    Witness,
)
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.registry import current_registry, find, located, names

__all__ = [
    "EnglishError",
    "Formula",
    "FormulaSyntaxError",
    "Language",
    "LimitError",
    "Reading",
    "UnknownLanguageError",
    "Verdict",
    "Vocabulary",
    "Witness",
    "language",
    "language_names",
    "language_of",
]

#: Where each language's one instance stands; the order is that in which `language_of` asks.
_LOCATIONS: dict[str, str] = {
    "propositional": "pytest_autoeval.languages.propositional:LANGUAGE",
    "first_order": "pytest_autoeval.languages.first_order:LANGUAGE",
    "ltl": "pytest_autoeval.languages.ltl:LANGUAGE",
    "regex": "pytest_autoeval.languages.regex:LANGUAGE",
}
#: Found by name like the others, but not listed: their strings need not be formulas, so they would take any text.
_UNLISTED: dict[str, str] = {
    "ltl_strings": "pytest_autoeval.languages.ltl_strings:LANGUAGE",
}


class UnknownLanguageError(AutoevalError, LookupError):
    """There is no language of that name."""


def language(name: str) -> Language:
    """The language of that name, loaded on first use; raises :class:`UnknownLanguageError` listing the known names."""
    if name in _UNLISTED:
        unlisted: Language = located(_UNLISTED[name])
        return unlisted
    return find("language", name, current_registry().languages, _LOCATIONS, UnknownLanguageError)


def language_names() -> tuple[str, ...]:
    """The names of the shipped languages, then of those that the run added."""
    return names(current_registry().languages, _LOCATIONS)


def language_of(formula: Formula) -> Language:
    """The first language, in the order of their names, that owns the tree."""
    for name in (*language_names(), *_UNLISTED):
        if (candidate := language(name)).owns(formula):
            return candidate
    raise AutoevalError(f"no language owns {formula!r}")
