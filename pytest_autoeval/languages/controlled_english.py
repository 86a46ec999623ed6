"""The words of controlled English, written and read: names, quotes, pauses. The languages share them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from pytest_autoeval.languages.base import EnglishError

Part = TypeVar("Part")

_TOKEN = re.compile(r'\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<word>\w+(?:-\w+)*)|(?P<pause>[,;:.]))')
_PLAIN = re.compile(r"\w+(?:-\w+)*")
_COUNT = re.compile(r"0|[1-9][0-9]{0,5}")
_UNQUOTED_QUOTE = re.compile(r'["\\]')
_QUOTED_QUOTE = re.compile(r"\\(.)", re.DOTALL)


def named(name: str, reserved: frozenset[str]) -> str:
    """The name as it stands in a sentence: in quotes where it could be taken for a word of ours."""
    if _PLAIN.fullmatch(name) and name.lower() not in reserved:
        return name
    return '"' + _UNQUOTED_QUOTE.sub(r"\\\g<0>", name) + '"'


def sentence(text: str, reserved: frozenset[str]) -> str:
    """The text with a full stop, and a capital letter unless it begins with a name."""
    first = _PLAIN.match(text)
    capital = first is not None and first[0] in reserved
    return (text[0].upper() + text[1:] if capital else text) + "."


def listed(parts: list[str], conjunction: str) -> str:
    """The parts in a line: ``a, b, and c``."""
    if len(parts) == 1:
        return parts[0]
    comma = "," if len(parts) > 2 else ""
    return f"{', '.join(parts[:-1])}{comma} {conjunction} {parts[-1]}"


class Words:
    """The words of a description, read from left to right. Line breaks and capitals make no difference."""

    def __init__(self, text: str, reserved: frozenset[str]) -> None:
        self._reserved = reserved
        self._names: list[str] = []  # what each token says, were it a name
        self._words: list[str] = []  # each token in lower case; empty for a quoted name
        self._at = 0
        text = text.rstrip()
        at = 0
        while at < len(text):
            if (token := _TOKEN.match(text, at)) is None:
                raise EnglishError(f"{text[at : at + 20]!r} at character {at + 1} is neither a word nor a pause")
            quoted = token["quoted"]
            self._names.append(_QUOTED_QUOTE.sub(r"\1", quoted) if quoted is not None else token[0].strip())
            self._words.append("" if quoted is not None else token[0].strip().lower())
            at = token.end()

    def ahead(self, phrase: str) -> bool:
        """Whether the next words are these."""
        wanted = phrase.split()
        return self._words[self._at : self._at + len(wanted)] == wanted

    def skip(self, phrase: str) -> bool:
        """Passes over these words if they are the next ones, and says whether they were."""
        found = self.ahead(phrase)
        if found:
            self._at += len(phrase.split())
        return found

    def need(self, phrase: str) -> None:
        """Passes over these words, which must come next."""
        if not self.skip(phrase):
            raise self.surprise(repr(phrase))

    def pause(self) -> None:
        """Passes over a comma, semicolon or colon, if there is one."""
        if self._at < len(self._words) and self._words[self._at] in {",", ";", ":"}:
            self._at += 1

    def name(self) -> str:
        """The next word, which must be a name: quoted, or none of the reserved words."""
        if self._at < len(self._words):
            word = self._words[self._at]
            if word not in self._reserved and word not in {",", ";", ":", "."}:
                self._at += 1
                return self._names[self._at - 1]
        raise self.surprise("a name")

    def count(self, before: str, after: str) -> int | None:
        """The number between two phrases, passed over with them; None, and nothing passed over, where there is none."""
        start = self._at
        if self.skip(before) and self._at < len(self._words) and _COUNT.fullmatch(self._words[self._at]):
            number = int(self._words[self._at])
            self._at += 1
            if self.skip(after):
                return number
        self._at = start
        return None

    def end(self) -> None:
        """Passes over a full stop, if there is one; then the text must be over."""
        self.skip(".")
        if self._at < len(self._words):
            raise self.surprise("the end")

    def surprise(self, expected: str) -> EnglishError:
        """What to raise where something else than the expected stands."""
        found = self._names[self._at] if self._at < len(self._words) else "the end"
        return EnglishError(f"word {self._at + 1}: expected {expected}, found {found!r}")


def read_list(words: Words, count: int, conjunction: str, reader: Callable[[Words], Part]) -> list[Part]:
    """So many parts, with pauses between them, and the conjunction before any of them or none."""
    words.pause()
    parts = [reader(words)]
    while len(parts) < count:
        words.pause()
        words.skip(conjunction)
        parts.append(reader(words))
    return parts
