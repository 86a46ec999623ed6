"""Formal languages: syntax trees, parse, read, format, measure, decide. This package imports no other room."""

from __future__ import annotations

from pytest_autoeval.by_name import find, located, names
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.answer_grammar import AnswerGrammar as AnswerGrammar
from pytest_autoeval.languages.base import EnglishError as EnglishError
from pytest_autoeval.languages.base import Formula as Formula
from pytest_autoeval.languages.base import FormulaSyntaxError as FormulaSyntaxError
from pytest_autoeval.languages.base import LimitError as LimitError
from pytest_autoeval.languages.base import NoFormula as NoFormula
from pytest_autoeval.languages.base import Reading as Reading
from pytest_autoeval.languages.base import Relation as Relation
from pytest_autoeval.languages.base import Verdict as Verdict
from pytest_autoeval.languages.base import Witness as Witness
from pytest_autoeval.languages.contract import Language as Language
from pytest_autoeval.languages.deciding import Assignment as Assignment
from pytest_autoeval.languages.deciding import decided as decided
from pytest_autoeval.languages.deciding import model_of as model_of
from pytest_autoeval.languages.vocabulary import Vocabulary as Vocabulary

#: The location of each language's only instance, in the order in which `language_of` asks.
_LOCATIONS: dict[str, str] = {
    "propositional": "pytest_autoeval.languages.propositional.language:PROPOSITIONAL",
    "first_order": "pytest_autoeval.languages.first_order.language:FIRST_ORDER",
    "ltl": "pytest_autoeval.languages.ltl:LANGUAGE",
    "regex": "pytest_autoeval.languages.regex:LANGUAGE",
}
#: Found by name but not listed: its strings need not be formulas, so that it would accept any text.
_UNLISTED: dict[str, str] = {
    "ltl_strings": "pytest_autoeval.languages.ltl_strings:LANGUAGE",
}


class UnknownLanguageError(AutoevalError, LookupError):
    """There is no language of that name."""


def language(name: str) -> Language:
    """The language of this name, imported at first use. Raises `UnknownLanguageError` with the known names."""
    if name in _UNLISTED:
        unlisted: Language = located(_UNLISTED[name])
        return unlisted
    instance: Language = find("language", name, UnknownLanguageError, _LOCATIONS)
    return instance


def language_names() -> tuple[str, ...]:
    """The names of the shipped languages, then of those added by the run."""
    return names("language", _LOCATIONS)


def language_of(formula: Formula) -> Language:
    """The first language, in the order of their names, that owns the tree."""
    for name in (*language_names(), *_UNLISTED):
        candidate = language(name)
        if candidate.owns(formula):
            return candidate
    if isinstance(formula, NoFormula):
        raise AutoevalError(
            "the sample has only a sentence and no formula: write its formula beside it, in the column 'formula'"
        )
    raise AutoevalError(f"no language owns {formula!r}")


def formulas_of(*texts: str) -> tuple[Language, tuple[Formula, ...]] | None:
    """The formulas of some texts in one language; None if no language accepts all of them.

    Languages share texts: ``p1 & p2`` is the canonical text of one and can be read by others. The first language counts
    in which all texts are canonical, or else which accepts them. Canonical texts outside of any strict notation come
    after these: ``p|q`` could be a regular expression, and is a disjunction. A language in which a name is a number
    comes last: ``01`` and ``0|1`` could be of propositions, and are regular expressions.
    """
    readings: list[tuple[tuple[bool, bool, bool], Language, tuple[Formula, ...]]] = []
    for name in language_names():
        lang = language(name)
        try:
            formulas = tuple(lang.parse(text) for text in texts)
        except FormulaSyntaxError:
            continue
        symbols = [symbol for formula in formulas for symbol in lang.symbols(formula).names]
        has_numbers = any(symbol.isdecimal() for symbol in symbols)
        is_strict = all(lang.is_strict(text) for text in texts)
        is_canonical = [lang.format(formula) for formula in formulas] == list(texts)
        # False sorts before True, so each doubt puts a language behind those without it.
        doubts = (has_numbers, not is_strict, not is_canonical)
        readings.append((doubts, lang, formulas))
    if not readings:
        return None
    _, lang, formulas = min(readings, key=lambda reading: reading[0])
    return lang, formulas
