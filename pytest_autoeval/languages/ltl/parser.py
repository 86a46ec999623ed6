"""The strict parser of temporal logic.

Precedence as in NuSMV, tightest first: the unary operators; ``U R W S T``; ``&``; ``|`` and ``xor``; ``<->``; ``->``.
``->`` is right-associative, the others are left-associative: ``a U b U c`` is ``(a U b) U c``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, cast

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.precedence import PrecedenceParser

LtlToken = precedence.FormulaToken
NAME, END = precedence.NAME, precedence.END

#: The words that cannot be names, and their operators.
WORDS = {
    **{letter: letter for letter in "XFGYZOHURWST"},
    "V": "R",
    "xor": "xor",
    "xnor": "xnor",
    **dict.fromkeys(("true", "True", "TRUE"), "true"),
    **dict.fromkeys(("false", "False", "FALSE"), "false"),
}
#: The signs of the strict syntax, and their operators.
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
#: Connectives of other notations, and what to write instead.
_NO_CONNECTIVES = {
    **dict.fromkeys(("=", "==", "≡", "<==>"), "<->"),
    **dict.fromkeys(("!=", "≠", "^"), "xor"),
    "==>": "->",
}

#: The only characters that separate tokens.
WHITE_SPACE = " \t\r\n\f\v"

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME = rf"{_WORD}(?:\.{_WORD})*"
_SIGN = "|".join(map(re.escape, sorted((*SIGNS, *_NO_CONNECTIVES), key=len, reverse=True)))
_SCANNER = re.compile(rf"[{WHITE_SPACE}]*(?:({_NAME})|({_SIGN})|(\Z)|(.))", re.DOTALL)


def is_name(text: str) -> bool:
    """Whether a text can be the name of an atomic proposition."""
    return re.fullmatch(_NAME, text) is not None and WORDS.keys().isdisjoint(text.split("."))


def strict_tokens(text: str) -> list[LtlToken]:
    """The tokens of a text, the last of kind ``end``; raises :class:`FormulaSyntaxError`."""

    def kind_of(match: re.Match[str]) -> str | None:
        word, sign, end, other = match.groups()
        if word:
            if word in WORDS or is_name(word):
                return WORDS.get(word, NAME)
            part = next(part for part in word.split(".") if part in WORDS)
            raise FormulaSyntaxError(f"{word!r} is not a name: {part!r} is an operator", text, match.start(1))
        if sign in _NO_CONNECTIVES:
            problem = f"{sign!r} is not a connective here; write {_NO_CONNECTIVES[sign]!r}"
            raise FormulaSyntaxError(problem, text, match.start(2))
        if other and other.isspace():
            problem = f"unexpected character {other!r}; only plain spaces, tabs and line breaks separate"
            raise FormulaSyntaxError(problem, text, match.start(4))
        return END if end is not None else SIGNS.get(sign)

    return precedence.scan(text, _SCANNER, kind_of)


PREFIXES: dict[str, type[ltl.Unary]] = {sign.strip(): node for node, sign in ltl.PREFIX_SIGNS.items()}
_STRENGTHS: dict[type[ltl.Binary], int] = {ltl.Implies: 2, ltl.Iff: 3, ltl.Or: 4, ltl.Xor: 4, ltl.And: 5}
_TEMPORAL = 6
#: A comma between formulas binds looser than every operator.
COMMA = 1
#: The strength and the node of each binary operator. ``xnor`` is a biconditional that binds like ``|``.
INFIXES: dict[str, tuple[int, type[ltl.Binary]]] = {
    **{sign: (_STRENGTHS.get(node, _TEMPORAL), node) for node, sign in ltl.INFIX_SIGNS.items()},
    "xnor": (_STRENGTHS[ltl.Or], ltl.Iff),
}
_TRUTH = {"true": ltl.Top, "false": ltl.Bottom}


def parse(text: str) -> Temporal:
    """The formula of a text in the strict syntax; raises :class:`FormulaSyntaxError`."""
    return parse_tokens(text, strict_tokens(text))


def parse_tokens(text: str, tokens: list[LtlToken]) -> Temporal:
    """The formula of all the tokens of ``text``, the last of kind ``end``; raises :class:`FormulaSyntaxError`."""
    return cast("Temporal", LtlParser(text, tokens).tree())


@dataclass(slots=True, eq=False)
class LtlParser(PrecedenceParser):
    """One parse of one text; the lenient parser overrides its methods."""

    rightward: ClassVar = ltl.Implies

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        if token.kind not in PREFIXES:
            return False
        self.push_prefix(token, PREFIXES[token.kind])
        self.at += 1
        return True

    def infix(self, token: LtlToken) -> tuple[int, type[ltl.Binary]] | None:
        before = self.tokens[self.at - 1]
        if token.kind not in INFIXES and before.kind == NAME and set(before.text) <= PREFIXES.keys():
            problem = f"{before.text!r} is a name here; as operators, write {' '.join(before.text)!r}"
            self.fail(problem, at=self.at - 1)
        return INFIXES.get(token.kind)

    def atom(self, token: LtlToken) -> Temporal:
        if token.kind != NAME and token.kind not in _TRUTH:
            self.fail(self.unexpected(token), ("a formula",))
        self.at += 1
        return ltl.Atom(token.text) if token.kind == NAME else _TRUTH[token.kind]()
