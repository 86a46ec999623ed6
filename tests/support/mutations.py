"""Texts like those that a reader receives, with changes that could break it."""

from __future__ import annotations

import re
from random import Random

from support.readers import LONGEST, Reader

#: How often a piece is repeated.
_FEW, _MANY = 4, 200
_MOST_CHANGES = 4
_CHANGES = (
    "delete",
    "repeat",
    "splice",
    "nest",
    "swap",
    "insert",
    "insert",
    "pump",
    "flip",
    "value",
    "value",
)
#: A JSON value, since most files are JSON, and its replacements.
_VALUE = re.compile(r"""(?<=: )(?:"(?:[^"\\]|\\.)*+"|[\w.+-]++|[\[{][^\[\]{}]*+[\]}])""")
_ODD_VALUES = (
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e999",
    "NaN",
    "9" * 5_000,
    "1e-400",
    '""',
    '"x"',
    '"\\ud800"',
    '"\\u0000"',
    "[]",
    "{}",
    "[[]]",
    '{"a": 1}',
    '["a"]',
    "[0, null]",
    "[" * 100 + "]" * 100,
    '"' + "a" * 1_000 + '"',
)


def mutated(reader: Reader, random: Random, text: str | None = None) -> str:
    """A text (by default one of the reader's) with some changes, at most as long as the longest readable one."""
    text = random.choice(reader.texts) if text is None else text
    for _ in range(random.randint(1, _MOST_CHANGES)):
        text = _changed(text, reader, random)
    return text[:LONGEST]


def _changed(text: str, reader: Reader, random: Random) -> str:  # noqa: PLR0911 (a return for each change)
    start, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
    before, piece, after = text[:start], text[start:end], text[end:]
    token, other = random.choice(reader.tokens), random.choice(reader.tokens)
    match random.choice(_CHANGES):
        case "delete":
            return before + after
        case "repeat":
            return before + piece * random.randint(2, _FEW) + after
        case "splice":
            shown = random.choice(reader.texts)
            at = random.randint(0, len(shown))
            return before + shown[at : at + random.randint(1, len(shown))] + after
        case "nest":
            times = random.choice((1, _FEW, _MANY))
            return before + token * times + piece + other * times + after
        case "swap" if piece:
            return before + piece.replace(random.choice(piece), token) + after
        case "pump":
            return text[:start] + token * random.randint(2, _MANY) + text[start:]
        case "value" if values := list(_VALUE.finditer(text)):
            found = random.choice(values)
            return text[: found.start()] + random.choice(_ODD_VALUES) + text[found.end() :]
        case "flip" if piece:
            changed = chr((ord(piece[0]) ^ 1 << random.randint(0, 10)) % 0x11_0000)
            return before + changed + piece[1:] + after
        case _:
            return text[:start] + token + text[start:]
