"""Glosses as patterns: their words, with the parameters found, and which of them could be taken for words of ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

#: Words at which a clause may end.
ENDS = frozenset((",", "and", "or", "if", "but"))
#: Words that, in a clause, a reader would take for ours.
_JOINING = ENDS | {"then", "nor", "unless", "iff", ";", ":"}
#: What begins anything but a clause.
OPENINGS = (
    "it is not the case that",
    "for every",
    "there is some",
    "if",
    "both",
    "all of these hold :",
    "either",
    "exactly one of these holds :",
    "(",
)
_OPENING_WORDS = tuple(tuple(opening.split()) for opening in OPENINGS)
_WORD = re.compile(r"\w+(?:-\w+)*|['’]\w+|\S")
#: Our own marks, which no gloss may hold.
_MARKS = str.maketrans("“”[]", "‘’()")
#: Before these, and at the beginning, "a" can be a parameter even where the gloss has the article as well.
_BEFORE_A_NAME = frozenset(
    (
        *("above", "and", "as", "at", "behind", "below", "beside", "by", "for", "from", "in", "into", "near", "of"),
        *("on", "than", "to", "with"),
    )
)


class Word(NamedTuple):
    """A word or a mark of a text, and where it stands."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words and marks of a text; a possessive ending is a word of its own."""
    return [Word(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]


def opens_with(words: Sequence[Word], at: int, phrase: Sequence[str]) -> bool:
    """Whether the words from a place on are these; capitals make no difference."""
    ahead = words[at : at + len(phrase)]
    return len(ahead) == len(phrase) and all(
        word.text.lower() == wanted for word, wanted in zip(ahead, phrase, strict=True)
    )


def opens_compound(words: Sequence[Word]) -> bool:
    """Whether words begin as something else than a clause does."""
    return any(opens_with(words, 0, opening) for opening in _OPENING_WORDS)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A gloss with its parameters found: a number stands for the term in that place, from 0.

    ``pieces`` is the text, ``words`` what is compared. ``is_risky``: its own words join clauses, those apart that join
    two terms ("x is between y and z").
    """

    pieces: tuple[str | int, ...]
    words: tuple[str | int, ...]
    arity: int
    is_risky: bool

    @property
    def is_readable(self) -> bool:
        """Whether it has words, and tells the term of every place."""
        return {*range(self.arity)} <= {*self.words} and any(isinstance(word, str) for word in self.words)

    def filled(self, terms: Sequence[str]) -> str:
        """The gloss about terms, given as they read in English."""
        return "".join(piece if isinstance(piece, str) else terms[piece] for piece in self.pieces)


def pattern(gloss: str, parameters: Sequence[str] = ()) -> Pattern:
    """The pattern of a gloss: a parameter is a word of its own, and all are replaced at once.

    Where a parameter is named "a" and the word is there several times, it is the article but for the first word and
    behind a preposition.
    """
    gloss = " ".join(gloss.translate(_MARKS).split())
    found = words_of(gloss)
    numbers = {name: number for number, name in reversed(list(enumerate(parameters)))}
    repeated = sum(word.text == "a" for word in found) > 1
    pieces: list[str | int] = []
    words: list[str | int] = []
    end = 0
    for at, word in enumerate(found):
        number = numbers.get(word.text)
        is_article = word.text == "a" and repeated and at > 0 and found[at - 1].text.lower() not in _BEFORE_A_NAME
        if number is None or is_article:
            words.append(word.text)
            continue
        words.append(number)
        pieces += [gloss[end : word.start], number]
        end = word.end
    pieces.append(gloss[end:])
    return Pattern(tuple(pieces), tuple(words), len(parameters), _is_risky(words))


def _is_risky(words: Sequence[str | int]) -> bool:
    depth = 0
    for at, word in enumerate(words):
        if isinstance(word, int):
            continue
        depth += (word == "(") - (word == ")")
        joins_terms = word in ("and", ",") and 0 < at < len(words) - 1 and not _strings(words[at - 1], words[at + 1])
        if depth < 0 or (word.lower() in _JOINING and not joins_terms):
            return True
    return depth != 0


def _strings(*words: str | int) -> bool:
    return any(isinstance(word, str) for word in words)
