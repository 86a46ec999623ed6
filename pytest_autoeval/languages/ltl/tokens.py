"""From characters to tokens: names, the letters and words that are never names, and signs.

Whatever begins like a name is read as far as it goes, and only then looked up: ``X1``, ``Xa`` and ``true1`` are names,
``X`` and ``true`` are not. A dot between words belongs to a name, as in ``door.open``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.limits import MAX_LENGTH


class LtlToken(NamedTuple):
    """A name (kind ``name``), the end, or an operator or bracket, whose kind is its canonical form.

    ``start`` and ``end`` are offsets.
    """

    kind: str
    text: str
    start: int
    end: int


NAME = "name"
END = "end"

#: The words that are no names, and what they stand for.
WORDS = {
    **{letter: letter for letter in "XFGYZOHURWST"},
    "V": "R",
    "xor": "xor",
    "xnor": "xnor",
    **dict.fromkeys(("true", "True", "TRUE"), "true"),
    **dict.fromkeys(("false", "False", "FALSE"), "false"),
}
#: The signs of the strict syntax, and what they stand for.
SIGNS = {
    **{sign: sign for sign in ("!", "&", "|", "->", "<->", "(", ")")},
    **dict.fromkeys(("¬", "~"), "!"),
    **dict.fromkeys(("∧", "&&", "/\\"), "&"),
    **dict.fromkeys(("∨", "||", "\\/"), "|"),
    "⊕": "xor",
    **dict.fromkeys(("→", "=>", "⇒"), "->"),
    **dict.fromkeys(("↔", "<=>", "⇔"), "<->"),
    "⊤": "true",
    "⊥": "false",
    **dict.fromkeys(("()", "○"), "X"),
    **dict.fromkeys(("<>", "◇"), "F"),
    **dict.fromkeys(("[]", "□"), "G"),
}
#: What other notations have and this one has not, and what to write instead.
_NO_CONNECTIVES = {
    **dict.fromkeys(("=", "==", "≡", "<==>"), "<->"),
    **dict.fromkeys(("!=", "≠", "^"), "xor"),
    "==>": "->",
}

#: What separates tokens, and nothing else does.
WHITE_SPACE = " \t\r\n\f\v"

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME = rf"{_WORD}(?:\.{_WORD})*"
_SIGN = "|".join(map(re.escape, sorted((*SIGNS, *_NO_CONNECTIVES), key=len, reverse=True)))
_SCANNER = re.compile(rf"[{WHITE_SPACE}]*(?:({_NAME})|({_SIGN})|(\Z))")


def is_name(text: str) -> bool:
    """Whether a text can be the name of an atomic proposition."""
    return re.fullmatch(_NAME, text) is not None and WORDS.keys().isdisjoint(text.split("."))


def strict_tokens(text: str) -> list[LtlToken]:
    """The tokens of a text, closed by one of kind ``end``; raises FormulaSyntaxError."""
    if len(text) > MAX_LENGTH:
        problem = f"the text has {len(text):,} characters; at most {MAX_LENGTH:,} are taken"
        raise LimitError(problem, text, MAX_LENGTH)
    tokens: list[LtlToken] = []
    at = 0
    while match := _SCANNER.match(text, at):
        group = match.lastindex or 0
        found, start, at = match[group], match.start(group), match.end()
        if group == 1:
            tokens.append(LtlToken(_kind_of_word(found, text, start), found, start, at))
        elif group == 3:
            tokens.append(LtlToken(END, "", start, start))
            return tokens
        elif found in _NO_CONNECTIVES:
            raise FormulaSyntaxError(f"{found!r} is no connective here; write {_NO_CONNECTIVES[found]!r}", text, start)
        else:
            tokens.append(LtlToken(SIGNS[found], found, start, at))
    raise _unknown_character(text, at)


def _kind_of_word(word: str, text: str, start: int) -> str:
    if word in WORDS:
        return WORDS[word]
    if not is_name(word):
        part = next(part for part in word.split(".") if part in WORDS)
        raise FormulaSyntaxError(f"{word!r} is no name: {part!r} is an operator", text, start)
    return NAME


def _unknown_character(text: str, at: int) -> FormulaSyntaxError:
    while text[at] in WHITE_SPACE:
        at += 1
    character = text[at]
    problem = f"unexpected character {character!r}"
    if character.isspace():
        problem += "; only plain spaces, tabs and line breaks separate"
    return FormulaSyntaxError(problem, text, at)
