"""Sentences that permit something, whose formula says that it happens: a note for the author.

"May" and "can" have no place in the three languages: a formula says what is so, not what is allowed. See "Permission
and obligation" in the documentation for what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages import Language
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.requirements.set_formulas import SetFormulas

#: A permission: a modal word and the verb behind it. "Cannot", "may not" and "can only" are none: they restrict, which
#: a formula can do too.
_PERMISSION = lazy_pattern(
    r"\b(?P<modal>can|may|could|might|(?:is|are) (?:allowed|permitted|entitled) to|ha(?:s|ve) the right to)"
    r"(?! ?(?:not|never|only)\b) (?P<verb>\w+)",
    re.IGNORECASE,
)
#: What a report says of a lost permission.
ADVICE = "it permits (“{words}”), but the formula says what happens: name the permission, or write who must not"
#: Words of a phrase that keeps the permission, in these or other words.
_KEEPS = lazy_pattern(
    r"\b(can|may|could|might|allow\w*|permit\w*|permission|entitled|right|able|access|authori[sz]ed)\b",
    re.IGNORECASE,
)


def permission_of(sentence: str) -> str | None:
    """The words by which a sentence permits something: ``can see``; None if it permits nothing."""
    match = _PERMISSION.search(sentence)
    return None if match is None else " ".join(match[0].split())


def lost_permission(
    sentence: str, formula: Formula, language: Language, glossary: Mapping[str, str]
) -> str | None:
    """The words of a permission that no phrase of the formula's names keeps; None if nothing was lost.

    Without a glossary, the names themselves are the phrases: ``canSee`` and ``may_enter`` keep a permission.
    """
    words = permission_of(sentence)
    if words is None:
        return None
    # A name of first-order logic stands in a glossary with its parameters: ``CanSee(x, y)``.
    phrases = {name.partition("(")[0]: phrase for name, phrase in glossary.items()}
    # One phrase that keeps it is enough: which name stands for the verb cannot be known.
    for name in language.symbols(formula).names:
        phrase = phrases.get(name, _words_in(name))
        if _KEEPS.search(phrase):
            return None
    return words


def _words_in(name: str) -> str:
    """A name as words: ``can See`` for ``canSee``, ``may enter`` for ``may_enter``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")


def permission_notes(formulas: SetFormulas) -> list[dict[str, Any]]:
    """The sentences of a set whose permission is lost in their formula, with the words of the permission."""
    notes: list[dict[str, Any]] = []
    for sentence, formula in formulas.taken:
        words = lost_permission(sentence.sentence, formula, formulas.language, formulas.phrases)
        if words is not None:
            notes.append({"item": sentence.item, "words": words})
    return notes
