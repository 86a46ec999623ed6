"""Operator letters that are written beside names without a space: ``GFa``, ``Fp0``, ``aUb``.

Spot, Owl and genltl print formulas so, and a proposition may have such a name: ``Fault``, ``Xa``. A word is read as
operators only if its names occur by themselves elsewhere. A word that looks printed by such a tool, and of which
nothing is known, is in doubt: it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from pytest_autoeval.lazy_pattern import lazy_pattern

PREFIX_LETTERS: Final = "XFGYZOH"
INFIX_LETTERS: Final = "URWVST"

#: Longer words are names: the search for operators in a word takes time in proportion to the square of its length.
_LONGEST = 200
#: ``p0``, ``p_0``, ``a``. A single capital must be no operator letter.
_SHORT = r"(?:[A-Za-z]_?\d+|[A-EI-NPQa-z])"
#: Small letters with operators between them: ``aUb``, ``p0UXp1``.
_BETWEEN = lazy_pattern(r"[XFGYZOH]*[a-z]_?\d*(?:[URWVMST][XFGYZOH]*[a-z]_?\d*)+", re.ASCII)
#: What tools print: operator letters before one small letter or before a letter with a number (``GFa``, ``Fp0``), X, F
#: and G also before one capital; any word after two of X, F and G (``GFgrant``); and small letters with operators
#: between them. ``On`` and ``Ok`` are usual names.
_PRINTED = lazy_pattern(
    rf"(?!O[nk]$)[XFGYZOH]+[a-z]|[XFG]+{_SHORT}|[XFGYZOH]+[A-Za-z]_?\d+|[XFG]{{2,}}[A-Z]?[a-z_][\w.]*"
    rf"|{_BETWEEN.pattern}",
    re.ASCII,
)
#: What is in doubt only beside an operator of the past, because no tool is known that prints it: ``On``, ``OK``.
_PRINTED_PAST = lazy_pattern(rf"[XFGYZOH]+{_SHORT}", re.ASCII)
#: A longer word after one letter, such as ``Fault`` or ``Fgrant``.
_LONG = lazy_pattern(r"[XFG][a-z][\w.]+", re.ASCII)
_BESIDE_NAME = lazy_pattern(r"[XFG]+[A-Za-z_][\w.]*", re.ASCII)
_LETTERS_OF_A_WORD = lazy_pattern(rf"([{PREFIX_LETTERS}]*)(.*)", re.DOTALL)
_OPERATOR_LETTER = lazy_pattern(rf"^[{PREFIX_LETTERS}]|[{INFIX_LETTERS}M]")
_INFIX = lazy_pattern(rf"([{INFIX_LETTERS}M])")


#: The operators and names of a word, in order.
Pieces = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What is known of the names in a formula.

    Attributes:
        given: names of a vocabulary, of a glossary or of a row's propositions. They are names everywhere.
        seen: words that occur by themselves elsewhere, in the formula or in its file.
        is_compact: operator letters stand directly before other signs, and never before a space, and all other names
            begin with a small letter. Then a word such as ``Fgrant`` or ``Fault`` is in doubt, too.
        has_past: there are operators of the past.
    """

    given: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    is_compact: bool = False
    has_past: bool = False

    def pieces(self, word: str) -> tuple[str, ...] | None:
        """The operators and names of a word, which is most often one name; None if it is in doubt."""
        if word in self.given:
            return (word,)
        # Names of the vocabulary go first: they are certain, words of the formula are only likely.
        readings = _readings(word, self.given)
        if not readings:
            names_beside = (self.given | self.seen) - {word}
            readings = _readings(word, names_beside)
        if len(readings) == 1:
            # ``Fgrant`` does not show that ``GFgrant`` is ``G Fgrant``.
            for piece in readings[0]:
                if _BESIDE_NAME.fullmatch(piece) and piece not in self.given:
                    return None
            return readings[0]
        return None if readings or self._is_in_doubt(word) else (word,)

    def _is_in_doubt(self, word: str) -> bool:
        if _PRINTED.fullmatch(word):
            return True
        if self.has_past and _PRINTED_PAST.fullmatch(word):
            return True
        return self.is_compact and not self.given and _LONG.fullmatch(word) is not None


def has_operator_letter(word: str) -> bool:
    """Whether a word has a letter in a place where it could be an operator; most names have none."""
    return _OPERATOR_LETTER.search(word) is not None


def may_be_operators(word: str) -> bool:
    """Whether a word is in doubt in some formula, so that its occurrence is no sign of a name."""
    return _BESIDE_NAME.fullmatch(word) is not None or _PRINTED.fullmatch(word) is not None


def ambiguous(names: Collection[str], *, has_past: bool) -> frozenset[str]:
    """Those names of a formula that would be read as something else if they stood without quotes."""
    if not any(map(has_operator_letter, names)):
        return frozenset()
    names_beside = KnownNames(seen=frozenset(names), has_past=has_past)
    return frozenset(name for name in names if names_beside.pieces(name) != (name,))


def spaced(word: str) -> str:
    """A word with its likeliest operators apart, for messages: ``G F a``, ``a U b``."""
    between = _INFIX.split(word) if _BETWEEN.fullmatch(word) else [word]
    words: list[str] = []
    for piece in between:
        letters, name = _before_name(piece)
        words += [*letters, name]
    return " ".join(words)


def _before_name(word: str) -> tuple[str, str]:
    """The operator letters before the longest possible name, such as ``GF`` and ``X1`` in ``GFX1``."""
    match = _LETTERS_OF_A_WORD.match(word)
    assert match
    letters, name = match[1], match[2]
    # What follows the letters must be a name. In `GFX1`, the `X` belongs to it.
    begins_name = name[:1].isalpha() or name[:1] == "_"
    if letters and not begins_name:
        letters, name = letters[:-1], letters[-1] + name
    return letters, name


def _readings(word: str, names: Collection[str]) -> list[Pieces]:
    """The ways to read a word as operator letters and some names; at most two of them."""
    if len(word) > _LONGEST:
        return []
    lengths = sorted({len(name) for name in names if len(name) < len(word)})
    #: For each place from the end, what can be read from there on if a formula must begin there.
    operands: list[list[Pieces]] = [[] for _ in range(len(word) + 1)]
    # Backwards, so that what can follow is known: each place is looked at once.
    for start in reversed(range(len(word))):
        readings: list[Pieces] = []
        if word[start] in PREFIX_LETTERS:
            readings += [(word[start], *following) for following in operands[start + 1]]
        for length in lengths:
            name, end = word[start : start + length], start + length
            if end > len(word) or name not in names:
                continue
            if end == len(word):
                readings.append((name,))
            elif word[end] in INFIX_LETTERS:
                readings += [(name, word[end], *following) for following in operands[end + 1]]
        # Two are enough to see that a word is ambiguous. There may be exponentially many.
        operands[start] = readings[:2]
    return operands[0]
