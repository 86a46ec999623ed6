"""The lenient parser: notations that language models write besides the strict one, such as words, LaTeX, ``U(a, b)``,
``XXa``.

A word is an operator only where the grammar needs one: ``once`` before a formula, ``until`` between two. Elsewhere it
is a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.logic import tokens as logic_tokens
from pytest_autoeval.languages.logic.name_spellings import spelling, spellings
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.letters import KnownNames
from pytest_autoeval.languages.ltl.parser import (
    COMMA,
    END,
    INFIXES,
    NAME,
    PREFIXES,
    QUOTED,
    SIGNS,
    WORDS,
    LtlParser,
    LtlToken,
    is_name,
    refused,
    with_letters_apart,
)
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.precedence import scan
from pytest_autoeval.languages.size_limits import check_length
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

CLOSING = {"(": ")", "[": "]", "{": "}"}
#: The connectives of logic as written here, and signs that only the logic languages read as connectives.
_LTL_SIGNS = {
    "∧": "&",
    "∨": "|",
    "¬": "!",
    "→": "->",
    "↔": "<->",
    "⊕": "xor",
    "⊤": "true",
    "⊥": "false",
}
_UNSUPPORTED_SIGNS = frozenset(
    ("-", "−", "^", "≡", "·", "⋅", "∙", "•", "cdot", "bullet", "And", "equiv")
)


def _from_logic(signs: Mapping[str, str]) -> dict[str, str]:
    return {
        sign: _LTL_SIGNS[kind]
        for sign, kind in signs.items()
        if kind in _LTL_SIGNS and sign not in _UNSUPPORTED_SIGNS
    }


#: The signs of the lenient notation, and their operators or brackets.
LENIENT_SIGNS = {
    **_from_logic(logic_tokens.LENIENT_SIGNS),
    **{sign: kind for sign, kind in SIGNS.items() if sign not in "()"},
    **{sign: sign for sign in "()[]{},"},
}
_COMMANDS = {
    **_from_logic(logic_tokens.LATEX_COMMANDS),
    **dict.fromkeys(("bigcirc", "circ"), "X"),
    **dict.fromkeys(("Diamond", "diamond", "lozenge"), "F"),
    **dict.fromkeys(("square", "Box"), "G"),
    "ominus": "Y",
    "blacklozenge": "O",
    **dict.fromkeys(("blacksquare", "boxminus"), "H"),
}

#: Words that are operators before a formula, and between two; in lower case.
PREFIX_WORDS = {
    "not": "!",
    **dict.fromkeys(("always", "globally"), "G"),
    **dict.fromkeys(("eventually", "finally"), "F"),
    "next": "X",
    "once": "O",
    "historically": "H",
    **dict.fromkeys(("yesterday", "previously"), "Y"),
}
INFIX_WORDS = {
    "and": "&",
    "or": "|",
    "xor": "xor",
    "implies": "->",
    "iff": "<->",
    "until": "U",
    **dict.fromkeys(("weak_until", "weakuntil"), "W"),
    **dict.fromkeys(("release", "releases"), "R"),
    "since": "S",
}
#: The strong operators of PSL on infinite traces, where a strong ``eventually!`` or ``next!`` means no more than a weak
#: one. The others are binary.
_STRONG: dict[str, str] = {
    "eventually!": "F",
    "next!": "X",
    "until!": "U",
    **{word: word for word in ("until!_", "before!", "before!_")},
}
#: Their nodes: with ``_`` the second formula may begin to hold at the last moment of the first.
_STRONG_NODES: dict[str, Callable[[Temporal, Temporal], Temporal]] = {
    "until!_": lambda a, b: ltl.Until(a, ltl.And(a, b)),
    "before!": lambda a, b: ltl.Until(ltl.Not(b), ltl.And(a, ltl.Not(b))),
    "before!_": lambda a, b: ltl.Until(ltl.Not(b), a),
}

_SPACE = (
    r"(?:[\s\u200b-\u200d\u2060\ufeff]|\\[,;:!\s]|\\\\"
    r"|\\(?:left|right|[bB]igg?[lr]?|q?quad|displaystyle|math(?:cal|bf|sf|rm|it|tt)|(?:bf|rm|it|sf|tt))(?![A-Za-z]))*"
)
_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_KINDS = {**LENIENT_SIGNS, **{f"\\{command}": kind for command, kind in _COMMANDS.items()}}
_SIGN = "|".join(map(re.escape, sorted(LENIENT_SIGNS, key=len, reverse=True)))
#: A word of an operator with ``!``, which is never a negation there.
_MARKED = rf"(?i:{'|'.join((*PREFIX_WORDS, *INFIX_WORDS, 'before'))})!(?!=)_?"
_SCANNER = lazy_pattern(
    rf"{_SPACE}(?:({_MARKED})|({_WORD}(?:\.{_WORD})*)|(?:\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)')"
    rf"|({_SIGN})|(\\[A-Za-z]+)|(\Z)|(.))",
    re.DOTALL,
)
#: An operator letter in a LaTeX font.
_LETTERS = lazy_pattern(
    r"\\(?:math\w+|text\w*|operatorname\*?|mbox)\s*\{\s*([XFGURWYZOHSTV]+)\s*\}(?!\s*_)"
    r"|\\math(?:cal|bb|bf|sf|rm|it|tt)\s*([XFGURWYZOHSTV])(?![_{])"
)
_NUMBER = lazy_pattern(r"(?<=[A-Za-z])(\d+)$")
_SUPERSCRIPT = lazy_pattern("[⁰¹²³⁴-⁹]|\\^")


def _tokens(text: str) -> list[LtlToken]:
    """The tokens of a text, the last of kind ``end``; every word that may be a name is a name token."""

    def kind_of(match: re.Match[str]) -> str | None:
        marked, name, *quoted, sign, command, end, _ = match.groups()
        if marked:
            return _strong_kind(marked, text, match)
        if name:
            return WORDS.get(name, NAME)
        if any(quoted):
            return QUOTED
        return END if end is not None else _KINDS.get(sign or command)

    return scan(text, _SCANNER, kind_of)


def _strong_kind(word: str, text: str, match: re.Match[str]) -> str:
    """The operator of a word with ``!``. Before a sign, as in ``eventually!(a)``, it could be a negation."""
    kind = _STRONG.get(word.lower())
    if kind and text[match.end() : match.end() + 1].isspace():
        return kind
    plain = word.rstrip("!_")
    problem = f"it is unclear whether {word!r} has a negation; write {plain + ' !'!r}"
    if kind:
        problem += f", or {word + ' '!r} for PSL's strong operator"
    raise FormulaSyntaxError(problem, text, match.start(match.lastindex or 0))


_WEAK_UNTIL = lazy_pattern(r"\bweak[\s-]+until\b", re.IGNORECASE)
#: The words after the last sign of a line, and the comment among them.
_TAIL = lazy_pattern(r"(?:^|[&|<>()\[\]!])[^&|<>()\[\]!\n]++$", re.MULTILINE)
_COMMENT = lazy_pattern(r"(?<!\S)(?:--|//|#)\s.*")
_TEMPORAL = frozenset((*"URWST", *_STRONG_NODES))


def parse_leniently(text: str, vocabulary: Vocabulary | None = None) -> Temporal:
    """The formula of a text in any supported notation; raises :class:`FormulaSyntaxError`."""
    try:
        return _parsed(text, vocabulary)
    except FormulaSyntaxError as problem:
        raise refused(problem) from None


def _parsed(text: str, vocabulary: Vocabulary | None) -> Temporal:
    check_length(text)
    # Before the normal form of Unicode, which would turn `F²` into `F2`.
    if superscript := _SUPERSCRIPT.search(text):
        raise FormulaSyntaxError(f"unexpected {superscript[0]!r}", text, superscript.start())
    text = _LETTERS.sub(lambda letters: f" {letters[1] or letters[2]} ", text)
    text = unicodedata.normalize("NFKC", logic_tokens.unwrapped(text))
    # Only after the last sign of a line: elsewhere, `#` or `--` may belong to the formula.
    text = _TAIL.sub(lambda words: _COMMENT.sub("", words[0]), text)
    text = _WEAK_UNTIL.sub("weak_until", text)
    tokens = _tokens(text)
    propositions = frozenset(vocabulary.propositions) if vocabulary else frozenset()
    names = KnownNames(propositions | _respelled(tokens, vocabulary))
    tokens = with_letters_apart(text, tokens, names, _starts)
    parser = _LenientParser(text, tokens, vocabulary, propositions, _list_brackets(tokens))
    parser.is_psl = any(token.text.lower() in _STRONG for token in tokens)
    return cast("Temporal", parser.tree())


def _respelled(tokens: list[LtlToken], vocabulary: Vocabulary | None) -> frozenset[str]:
    """Other spellings of the names of a vocabulary: words of the text, and ``x_1`` for ``x1``."""
    if vocabulary is None:
        return frozenset()
    meanings = spellings(vocabulary)
    words = {token.text for token in tokens if token.kind == NAME}
    used = {word for word in words if spelling(word) in meanings}
    # In LaTeX, a number is an index: x_1.
    with_index = {_NUMBER.sub(r"_\1", name) for name in vocabulary.propositions}
    return frozenset(used | with_index)


def _starts(token: LtlToken) -> bool:
    """Whether a formula can begin with a token, unless it is a proposition that is called like a connective."""
    if token.kind == NAME:
        return token.text.lower() not in INFIX_WORDS
    return token.kind in (QUOTED, "true", "false", *PREFIXES, *CLOSING)


@dataclass(slots=True)
class _Level:
    """The state of an open bracket, or of the whole text."""

    #: The operator before the bracket, as in ``U(a, b)``.
    operator: str = ""
    operands: int = 1
    #: A word such as "always" stands before a formula without brackets.
    has_open_scope: bool = False
    #: Connectives so far.
    connectives: int = 0
    #: One of them was a word such as "until".
    has_temporal_word: bool = False


@dataclass(slots=True, eq=False)
class _LenientParser(LtlParser):
    vocabulary: Vocabulary | None = None
    known: frozenset[str] = frozenset()
    #: Token numbers of the opening brackets around lists with commas.
    list_brackets: frozenset[int] = frozenset()
    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    #: The operator before the next bracket.
    operator: str = ""
    #: A strong operator of PSL occurs, so that a plain ``until`` is weak, as in PSL.
    is_psl: bool = False

    closing = CLOSING

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        sign = self._prefix_sign(token)
        if sign:
            # "not" has one scope in every notation. How far "always" reaches differs, unless brackets show it.
            is_temporal_word = _is_word(token) and sign != "!"
            has_bracket = self.tokens[self.at + 1].kind in CLOSING
            self.levels[-1].has_open_scope |= is_temporal_word and not has_bracket
            self.push_prefix(token, PREFIXES[sign])
        elif self.at + 1 in self.list_brackets and (operator := self._infix_sign(token)):
            self.operator = operator
        else:
            return False
        self.at += 1
        return True

    def opens(self, token: LtlToken) -> bool:
        if token.kind not in CLOSING:
            return False
        self.levels.append(_Level(self.operator))
        self.operator = ""
        return True

    def take_closing_bracket(self) -> bool:
        # super() without arguments fails in a dataclass with slots.
        is_closed = LtlParser.take_closing_bracket(self)
        if is_closed:
            self.levels.pop()
        return is_closed

    def infix(self, token: LtlToken) -> tuple[int, type[ltl.Binary]] | None:
        level, sign = self.levels[-1], self._infix_sign(token)
        # In `U(a, b)`, the comma stands for the operator before the bracket.
        if token.kind == "," and level.operator:
            operands = level.operands + 1
            if operands > 2 and level.operator not in "&|":
                self.fail(f"{level.operator!r} takes two formulas")
            self.levels[-1] = _Level(level.operator, operands)
            return COMMA, INFIXES[level.operator][1]
        if not sign:
            return LtlParser.infix(self, token)
        # Words such as "always" and "until" bind tightly in some notations and loosely in others.
        is_temporal_word = _is_word(token) and sign in _TEMPORAL
        mixes_words = is_temporal_word or level.has_temporal_word
        if level.has_open_scope or (level.connectives and mixes_words):
            self.fail("the scope of the words before this one is unclear; write parentheses")
        level.connectives += 1
        level.has_temporal_word |= is_temporal_word
        if sign in _STRONG_NODES:
            return INFIXES["U"][0], cast("type[ltl.Binary]", _STRONG_NODES[sign])
        return INFIXES[sign]

    def atom(self, token: LtlToken) -> Temporal:
        if token.kind not in (NAME, QUOTED):
            return LtlParser.atom(self, token)
        name = token.text
        if name not in self.known and self.vocabulary:
            name = spellings(self.vocabulary).get(spelling(name), name)
        if not is_name(name):
            self.fail(f"{name!r} is not the name of a proposition")
        self.at += 1
        return ltl.Atom(name)

    def _prefix_sign(self, token: LtlToken) -> str:
        """The unary operator of a token at the beginning of a formula, or an empty text."""
        if token.kind != NAME:
            return token.kind if token.kind in PREFIXES else ""
        # Before anything but a formula, `next` or `once` is a name.
        sign = PREFIX_WORDS.get(token.text.lower(), "")
        return sign if sign and self._starts_operand(self.at + 1) else ""

    def _infix_sign(self, token: LtlToken) -> str:
        """The binary operator of a token between two formulas, or an empty text."""
        if token.kind == NAME:
            sign = INFIX_WORDS.get(token.text.lower(), "")
            # Beside PSL's strong operators, a plain `until` is PSL's, which is weak.
            return "W" if self.is_psl and token.text.lower() == "until" else sign
        return token.kind if token.kind in INFIXES or token.kind in _STRONG_NODES else ""

    def _starts_operand(self, number: int) -> bool:
        token = self.tokens[number]
        if self._infix_sign(token):  # a connective, or a proposition of that name
            following = self.tokens[number + 1].kind
            is_operand = following in (END, *INFIXES, *CLOSING.values())
            is_proposition = token.text in self.known and is_operand
            return is_proposition or number + 1 in self.list_brackets
        return token.kind in (NAME, QUOTED, "true", "false", *PREFIXES, *CLOSING)


def _is_word(token: LtlToken) -> bool:
    """Whether an operator is written as a word, such as ``until`` or ``until!``."""
    return len(token.text) > 1 and token.text[0].isalpha()


def _list_brackets(tokens: list[LtlToken]) -> frozenset[int]:
    """The token numbers of the opening brackets with a comma directly inside."""
    lists: set[int] = set()
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.kind in CLOSING:
            opened.append(number)
        elif opened and token.kind in CLOSING.values():
            opened.pop()
        elif opened and token.kind == ",":
            lists.add(opened[-1])
    return frozenset(lists)
