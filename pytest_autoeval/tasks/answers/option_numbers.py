"""Options by their numbers, as people put them: "3", "option (3)", "#3", "the third option", "option three"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

#: Stands for any number that no list is long enough for.
_HUGE: Final = 10**9

_NOUN: Final = r"(?:option|candidate|sentence|statement|formula|choice|number|answer|translation|item|no\.|nr\.)"
_CARDINALS: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_ORDINALS: Final = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_WORDS: Final = {word: number for words in (_CARDINALS, _ORDINALS) for number, word in enumerate(words, 1)}
_CARDINAL: Final = "|".join(_CARDINALS)
_ORDINAL: Final = rf"(?:{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
_FIGURE: Final = r"(?>[+-]?\d+(?:\.\d+)?)(?!\w| ?%|-[a-z])"

#: An option in plain text of lower case. A figure within a name, or of percent, is none, and a mere word only where it
#: stands alone.
OPTION: Final = re.compile(
    rf"(?<![\w.])(?:(?:the )?(?:{_NOUN}[ _:]*){{0,2}}#? ?"
    rf"(?:\((?P<round>{_FIGURE})\)|[\[{{](?P<square>{_FIGURE})[\]}}]|<(?P<angle>{_FIGURE})>|(?P<quote>['\"])(?P<quoted>{_FIGURE})(?P=quote)"
    rf"|(?P<figure>{_FIGURE}))"
    rf"|(?:the )?{_NOUN} (?P<cardinal>{_CARDINAL})\b|(?:the )?(?P<ordinal>{_ORDINAL}) (?:{_NOUN}|one)\b"
    rf"|(?:the )?(?P<alone>{_CARDINAL}|{_ORDINAL})(?=[.!]?$))"
)
_GROUPS: Final = ("round", "square", "angle", "quoted", "figure", "cardinal", "ordinal", "alone")
#: Signs around a text that say nothing.
_EDGES: Final = " .…:;,()[]\"'–—-"


def number_of(found: re.Match[str]) -> int | None:
    """The number that a match of :data:`OPTION` names; None where it is no whole one."""
    text: str = next(found[name] for name in _GROUPS if found[name] is not None)
    if text in _WORDS:
        return _WORDS[text]
    whole, _, fraction = text.rstrip("stndrh").partition(".")
    if fraction.strip("0"):
        return None
    return int(whole) if len(whole) < len(str(_HUGE)) else _HUGE


def numbers_in(text: str) -> list[int | None]:
    """The numbers of all options that a text names."""
    return [number_of(found) for found in OPTION.finditer(text)]


@lru_cache(maxsize=256)  # of lines that repeat, each is looked at with all that are below it
def exactly(text: str) -> int | None:
    """The number of the option that a plain text names, if it says no more."""
    found = OPTION.match(text)
    return number_of(found) if found and not stripped(text[found.end() :]) else None


def number_of_json(value: Any) -> int | None:
    """The number that a value of JSON is: a whole number, or a text that names an option."""
    match value:
        case bool():
            return None
        case int():
            return max(-_HUGE, min(value, _HUGE))
        case float() if value.is_integer():
            return number_of_json(int(value))
        case str():
            return exactly(value.strip().lower())
    return None


def stripped(text: str) -> str:
    """A text without the signs at its ends."""
    return " ".join(text.split()).strip(_EDGES)
