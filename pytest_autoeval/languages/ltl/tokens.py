"""From characters to tokens: names, the letters and words that are never names, and signs.

Whatever begins like a name is read as far as it goes, and only then looked up: ``X1``, ``Xa`` and ``true1`` are names,
``X`` and ``true`` are not. A dot between words belongs to a name, as in ``door.open``.
"""

from __future__ import annotations

import re

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.base import FormulaSyntaxError

LtlToken = precedence.FormulaToken
NAME, END = precedence.NAME, precedence.END

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
_SCANNER = re.compile(rf"[{WHITE_SPACE}]*(?:({_NAME})|({_SIGN})|(\Z)|(.))", re.DOTALL)


def is_name(text: str) -> bool:
    """Whether a text can be the name of an atomic proposition."""
    return re.fullmatch(_NAME, text) is not None and WORDS.keys().isdisjoint(text.split("."))


def strict_tokens(text: str) -> list[LtlToken]:
    """The tokens of a text, closed by one of kind ``end``; raises FormulaSyntaxError."""

    def kind_of(match: re.Match[str]) -> str | None:
        word, sign, end, other = match.groups()
        if word:
            if word in WORDS or is_name(word):
                return WORDS.get(word, NAME)
            part = next(part for part in word.split(".") if part in WORDS)
            raise FormulaSyntaxError(f"{word!r} is no name: {part!r} is an operator", text, match.start(1))
        if sign in _NO_CONNECTIVES:
            problem = f"{sign!r} is no connective here; write {_NO_CONNECTIVES[sign]!r}"
            raise FormulaSyntaxError(problem, text, match.start(2))
        if other and other.isspace():
            problem = f"unexpected character {other!r}; only plain spaces, tabs and line breaks separate"
            raise FormulaSyntaxError(problem, text, match.start(4))
        return END if end is not None else SIGNS.get(sign)

    return precedence.scanned(text, _SCANNER, kind_of)
