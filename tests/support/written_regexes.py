r"""Regular expressions as people and data sets write them, each with a matcher that is not ours.

The families are those of published data, in words of our own: a description of strings in one or two conditions, as in
KB13, nested conditions with intersection and complement, as in NL-RX, formats of fields, as in StructuredRegex, and
what programmers write: classes, anchors, flags, groups with names. A matcher combines Python's ``re.fullmatch`` by the
laws of logic where ``&`` and ``~`` stand, so intersections and complements stand only at the top, as in these data.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

Matcher = Callable[[str], bool]

#: Words, classes and signs that expressions are made of.
_WORDS: Final = ("cat", "lamp", "tea", "Bo", "x1", "oak")
_CLASSES: Final = ("[AEIOUaeiou]", "[0-9]", "[A-Z]", "[a-z]", "[A-Za-z]", ".", "[^0-9]")
_PROGRAMMED: Final = (r"\w", r"\d", r"\W", r"\D", r"\S", r"[\w-]", r"[^\s,]", r"[\s\S]", r"[^\W\d]")
_SEPARATORS: Final = ("-", ",", ":", "_", "/", r"\.", r"\(", r"\[", "@")
#: Symbols of the strings that are tried.
_SYMBOLS: Final = "catlmpeBox1k0-_,.AE"


@dataclass(frozen=True, slots=True)
class Written:
    """A line as it is written, the matcher of its strings, and pieces that such strings are likely to have."""

    family: str
    text: str
    matches: Matcher
    pieces: tuple[str, ...]

    def strings(self, count: int, seed: int) -> list[str]:
        """Distinct strings to try: pieces in a row, with and without symbols between them."""
        drawn: dict[str, None] = {"": None}
        randomness = random.Random(seed)
        while len(drawn) < count:
            number = randomness.randrange(1, 5)
            length = randomness.choice((0, 0, 1, 2))
            text = ""
            for _ in range(number):
                text += randomness.choice(self.pieces)
                text += "".join(randomness.choices(_SYMBOLS, k=length))
            drawn[text[: randomness.randrange(1, 24)]] = None
        return list(drawn)


def written(count: int, seed: int) -> Iterator[Written]:
    """Lines of all families in turn."""
    randomness = random.Random(seed)
    makers = {
        "conditions": _condition_line,
        "nested": _nested_line,
        "fields": _field_line,
        "programs": _program_line,
    }
    for number in range(count):
        family = list(makers)[number % len(makers)]
        text, matches = makers[family](randomness)
        named = [word for word in (*_WORDS, "12", "7", "A", "e", "-", ",") if word in text]
        yield Written(family, text, matches, (*named, "cat", "A", "e", "1", "-", "x_"))


def _plain(pattern: str) -> tuple[str, Matcher]:
    compiled = re.compile(pattern, re.DOTALL)
    return pattern, lambda string: compiled.fullmatch(string) is not None


def _condition(randomness: random.Random) -> str:
    word = randomness.choice(_WORDS)
    letter = randomness.choice(_CLASSES)
    number = randomness.randrange(1, 4)
    return randomness.choice(
        (
            f".*{word}.*",
            f"{word}.*",
            f".*{letter}",
            f".*{letter}.*{word}.*",
            f"({letter}){{{number},}}",
            f"(.*{letter}.*){{{number},}}",
            rf".*\b{word}\b.*",
            rf"\b{word}.*",
            rf"(\b{letter}+\b)+",
            f"({word}|{letter})+",
            f"(({word})*)({letter})*",
            f".*({word}).*({letter}).*",
        )
    )


def _condition_line(randomness: random.Random) -> tuple[str, Matcher]:
    """One or two conditions, joined by nothing, ``|`` or ``&``, perhaps negated."""
    first, holds = _plain(_condition(randomness))
    second, holds_too = _plain(_condition(randomness))
    match randomness.randrange(5):
        case 0:
            return first, holds
        case 1:
            return f"({first})|({second})", lambda text: holds(text) or holds_too(text)
        case 2:
            return f"({first})&({second})", lambda text: holds(text) and holds_too(text)
        case 3:
            return f"~({first})", lambda text: not holds(text)
    return f"({first})&(~({second}))", lambda text: holds(text) and not holds_too(text)


def _nested_line(randomness: random.Random) -> tuple[str, Matcher]:
    """Conditions nested by ``&``, ``|`` and ``~``, with all the parentheses that a program writes."""
    return _nested(randomness, randomness.randrange(1, 4))


def _nested(randomness: random.Random, levels: int) -> tuple[str, Matcher]:
    if levels == 0:
        return _plain(_condition(randomness))
    first, holds = _nested(randomness, levels - 1)
    kind = randomness.choice("&|~")
    if kind == "~":
        return f"~(({first}))", lambda text: not holds(text)
    second, holds_too = _nested(randomness, randomness.randrange(levels))
    if kind == "&":
        return f"(({first})&({second}))", lambda text: holds(text) and holds_too(text)
    return f"(({first})|({second}))", lambda text: holds(text) or holds_too(text)


def _field_line(randomness: random.Random) -> tuple[str, Matcher]:
    """Fields of fixed and free lengths between signs, and a condition on the whole."""
    fields = []
    for _ in range(randomness.randrange(1, 4)):
        letter = randomness.choice(_CLASSES)
        least = randomness.randrange(1, 4)
        most = least + randomness.randrange(3)
        fields.append(f"{letter}{{{least},{most}}}" if randomness.random() < 0.7 else f"{letter}+")
    separator = randomness.choice(_SEPARATORS)
    shape, has_shape = _plain(separator.join(fields))
    if randomness.random() < 0.3:
        return shape, has_shape
    condition, holds = _plain(_condition(randomness))
    if randomness.random() < 0.5:
        return f"({shape})&({condition})", lambda text: has_shape(text) and holds(text)
    return f"({shape})&~({condition})", lambda text: has_shape(text) and not holds(text)


def _program_line(randomness: random.Random) -> tuple[str, Matcher]:
    """What programmers write."""
    word, other = randomness.sample(_WORDS, 2)
    letter, sign = randomness.choice(_PROGRAMMED), randomness.choice(_SEPARATORS)
    lines = (
        f"^{letter}+{sign}{word}$",
        f"^(?:{word}|{other}){letter}*?$",
        f"(?P<name>{letter}+){sign}(?P<value>{word})?",
        f"(?i){word}{letter}*",
        f"(?i)[a-e]+{sign}({word}|{other})",
        rf"(^{word}|^{other}).*\b{letter}",
        rf"\A{letter}{{2,4}}(?:{sign}{letter}*)?\Z",
        rf".*\B{word[0]}\B.*",
        rf"{letter}\b{sign}?.*",
        rf"[{word}\[\]\\^-]+{letter}?",
        rf"\x41?{letter}\u0065*",
        f"({word}$|{letter}+$)",
        rf"(\b{letter}|{sign})+",
        f"({letter}{{1,2}}{sign})*?{other}",
    )
    return _plain(randomness.choice(lines))
