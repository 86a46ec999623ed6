"""Sentences that permit something, whose formula says that it happens: a note for the author.

"May" and "can" have no place in the three languages: a formula says what is so, not what is allowed. See "Permission
and obligation" in the documentation for what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_autoeval.languages import Language
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.requirements.set_formulas import SetFormulas

#: A permission: a modal word and the verb behind it. "Cannot", "may not" and "can only" restrict, as a formula can.
_PERMITS = re.compile(
    r"\b(?P<modal>can|may|could|might|(?:is|are) (?:allowed|permitted|entitled) to|ha(?:s|ve) the right to)"
    r"(?! ?(?:not|never|only)\b) (?P<verb>\w+)",
    re.IGNORECASE,
)
#: What a report says of a lost permission.
ADVICE = "it permits (“{words}”), but the formula says what happens: name the permission, or write who must not"
#: A phrase that keeps the permission, in these or other words.
_KEEPS = re.compile(
    r"\b(can|may|could|might|allow\w*|permit\w*|permission|entitled|right|able|access|authori[sz]ed)\b",
    re.IGNORECASE,
)


def permission_of(sentence: str) -> str | None:
    """The words by which a sentence permits something: ``can see``; None if it permits nothing."""
    match = _PERMITS.search(sentence)
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
    phrases = {name.partition("(")[0]: phrase for name, phrase in glossary.items()}
    names_in_words = (
        phrases.get(name, _words_in(name)) for name in language.symbols(formula).names
    )
    return None if any(_KEEPS.search(phrase) for phrase in names_in_words) else words


def _words_in(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")


def permission_notes(formulas: SetFormulas) -> list[dict[str, Any]]:
    """The sentences of a set whose permission is lost in their formula, with the words of the permission."""
    permissions: Iterable[tuple[str, str | None]] = (
        (
            sentence.item,
            lost_permission(sentence.sentence, formula, formulas.language, formulas.phrases),
        )
        for sentence, formula in formulas.taken
    )
    return [{"item": item, "words": words} for item, words in permissions if words is not None]
