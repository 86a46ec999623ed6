"""Formal languages: syntax trees, parse, read, format, measure, decide. This room imports no other."""

from __future__ import annotations

from importlib import import_module

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.languages.base import Formula, FormulaSyntaxError, Language, LimitError, Reading, Verdict, Witness
from pytest_autoeval.languages.vocabulary import Vocabulary

__all__ = [
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
    "register_language",
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
_LOADED: dict[str, Language] = {}


class UnknownLanguageError(AutoevalError, LookupError):
    """No language of that name is registered."""


def language(name: str) -> Language:
    """The language of that name, loaded on first use; raises :class:`UnknownLanguageError` listing the known names."""
    if name not in _LOADED:
        if name not in _LOCATIONS | _UNLISTED:
            known = ", ".join(language_names())
            hint = did_you_mean(name, language_names())
            raise UnknownLanguageError(f"there is no language {name!r}; known are: {known}.{hint}")
        module, _, attribute = (_LOCATIONS | _UNLISTED)[name].partition(":")
        _LOADED[name] = getattr(import_module(module), attribute)
    return _LOADED[name]


def language_names() -> tuple[str, ...]:
    """The registered names, in order of registration."""
    return tuple(name for name in dict.fromkeys((*_LOCATIONS, *_LOADED)) if name not in _UNLISTED)


def language_of(formula: Formula) -> Language:
    """The first registered language that owns the tree."""
    for name in (*language_names(), *_UNLISTED):
        if (candidate := language(name)).owns(formula):
            return candidate
    raise AutoevalError(f"no registered language owns {formula!r}")


def register_language(instance: Language) -> None:
    """Adds a language, or replaces the one of the same name."""
    _LOADED[instance.name] = instance
