"""The strict parser of temporal logic.

Precedence as in NuSMV, tightest first: the unary operators; ``U R W S T``; ``&``; ``|`` and ``xor``; ``<->``; ``->``.
``->`` is right-associative, the others are left-associative: ``a U b U c`` is ``(a U b) U c``.

A name in double quotes is always a name. Another word may be read as operators: see
:mod:`~pytest_autoeval.languages.ltl.letters`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, cast

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.foreign import explained
from pytest_autoeval.languages.ltl.letters import (
    PREFIX_LETTERS,
    KnownNames,
    has_operator_letter,
    may_be_operators,
    spaced,
)
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.precedence import PrecedenceParser
from pytest_autoeval.languages.size_limits import (
    MAX_DEPTH,
    MAX_LARGE_LENGTH,
    check_canonical,
    too_deep,
)
from pytest_autoeval.lazy_pattern import lazy_pattern

LtlToken = precedence.FormulaToken
NAME, END = precedence.NAME, precedence.END
#: A name in quotes.
QUOTED = "quoted name"

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
    **dict.fromkeys(("()", "○", "◯"), "X"),
    **dict.fromkeys(("<>", "◇", "◊", "⋄"), "F"),
    **dict.fromkeys(("[]", "□", "◻"), "G"),
    "⊖": "Y",
    **dict.fromkeys(("⟠", "◆"), "O"),
    **dict.fromkeys(("⊟", "■"), "H"),
}
#: Connectives of other notations, and what to write instead.
_NO_CONNECTIVES = {
    **dict.fromkeys(("=", "==", "≡", "<==>"), "<->"),
    **dict.fromkeys(("!=", "≠", "^"), "xor"),
    "==>": "->",
}

#: Characters of a formula that a message shows.
_LONGEST_SHOWN = 200

#: The only characters that separate tokens.
WHITE_SPACE = " \t\r\n\f\v"

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME = rf"{_WORD}(?:\.{_WORD})*"
_SIGN = "|".join(map(re.escape, sorted((*SIGNS, *_NO_CONNECTIVES), key=len, reverse=True)))
_SCANNER = lazy_pattern(
    rf"[{WHITE_SPACE}]*(?:({_NAME})|\"({_NAME})\"|({_SIGN})|(\Z)|(.))", re.DOTALL
)
_UNARY_LETTERS = lazy_pattern(rf"[{PREFIX_LETTERS}]{{2,}}")


def is_name(text: str) -> bool:
    """Whether a text can be the name of an atomic proposition."""
    return re.fullmatch(_NAME, text) is not None and WORDS.keys().isdisjoint(text.split("."))


def strict_tokens(text: str) -> list[LtlToken]:
    """The tokens of a text, the last of kind ``end``; raises :class:`FormulaSyntaxError`."""

    def kind_of(match: re.Match[str]) -> str | None:
        plain, quoted, sign, end, foreign = match.groups()
        start = match.start(match.lastindex or 0)
        if word := plain or quoted:
            if plain in WORDS:
                return WORDS[plain]
            operators = [component for component in word.split(".") if component in WORDS]
            if not operators:
                return QUOTED if quoted else NAME
            component = operators[0]
            raise FormulaSyntaxError(
                f"{word!r} is not a name: {component!r} is an operator", text, start
            )
        if sign in _NO_CONNECTIVES:
            problem = f"{sign!r} is not a connective here; write {_NO_CONNECTIVES[sign]!r}"
            raise FormulaSyntaxError(problem, text, start)
        if foreign and foreign.isspace():
            problem = f"unexpected character {foreign!r}; only plain spaces, tabs and line breaks separate"
            raise FormulaSyntaxError(problem, text, start)
        return END if end is not None else SIGNS.get(sign)

    return precedence.scan(text, _SCANNER, kind_of, MAX_LARGE_LENGTH)


PREFIXES: dict[str, type[ltl.Unary]] = {
    sign.strip(): node for node, sign in ltl.PREFIX_SIGNS.items()
}
_STRENGTHS: dict[type[ltl.Binary], int] = {
    ltl.Implies: 2,
    ltl.Iff: 3,
    ltl.Or: 4,
    ltl.Xor: 4,
    ltl.And: 5,
}
#: The strength of all binary operators of time.
_TEMPORAL = 6
#: A comma between formulas binds looser than every operator.
COMMA = 1
#: The strength and the node of each binary operator. ``xnor`` is a biconditional that binds like ``|``.
INFIXES: dict[str, tuple[int, type[ltl.Binary]]] = {
    **{sign: (_STRENGTHS.get(node, _TEMPORAL), node) for node, sign in ltl.INFIX_SIGNS.items()},
    "xnor": (_STRENGTHS[ltl.Or], ltl.Iff),
}
_TRUTH = {"true": ltl.Top, "false": ltl.Bottom}
_LEAVES = frozenset((NAME, QUOTED, *_TRUTH))
_PAST = frozenset(
    sign.strip()
    for node, sign in (*ltl.PREFIX_SIGNS.items(), *ltl.INFIX_SIGNS.items())
    if issubclass(node, ltl.PastOperator)
)


def parse(text: str, known: KnownNames | None = None) -> Temporal:
    """The formula of a text in the strict syntax; raises :class:`FormulaSyntaxError`.

    ``known`` says which words are names; without it, only the text does.
    """
    try:
        tokens = strict_tokens(text)
        tokens = with_letters_apart(text, tokens, known or KnownNames(), starts_operand)
        return parse_tokens(text, tokens)
    except FormulaSyntaxError as problem:
        raise refused(problem) from None


def refused(error: FormulaSyntaxError) -> FormulaSyntaxError:
    """The error of a text, with a message that names its notation, if that is known and not read."""
    try:
        formula = str(parse_prefix(error.text))
    except FormulaSyntaxError:
        return explained(error)
    instead = "write operators between their operands"
    if len(formula) <= _LONGEST_SHOWN:
        instead = f"write {formula!r}"
    problem = f"the operators stand before their operands (prefix notation); {instead}"
    return FormulaSyntaxError(problem, error.text, 0)


def parse_prefix(text: str, known: KnownNames | None = None) -> Temporal:
    """The formula of a text in prefix notation: ``& F a U b c``; raises :class:`FormulaSyntaxError`.

    Signs and names are those of the strict syntax. There are no parentheses.
    """
    tokens = with_letters_apart(text, strict_tokens(text), known or KnownNames(), starts_operand)
    operands: list[Temporal] = []
    # Backwards, the operands of an operator are complete when it comes.
    for token in reversed(tokens[:-1]):
        if token.kind in _LEAVES:
            operands.append(_leaf(token))
            continue
        node = PREFIXES.get(token.kind) or INFIXES.get(token.kind, (0, None))[1]
        arity = 1 if token.kind in PREFIXES else 2
        if node is None or len(operands) < arity:
            raise FormulaSyntaxError(
                f"unexpected {token.text!r} in prefix notation", text, token.start
            )
        formula = node(*(operands.pop() for _ in range(arity)))
        # Refused before it grows: Python's stack limits what can be done with a tree.
        if formula.levels > MAX_DEPTH:
            raise too_deep(text, token.start)
        operands.append(formula)
    if len(operands) != 1:
        raise FormulaSyntaxError("this is not one formula in prefix notation", text, 0)
    check_canonical(operands[0], text, MAX_LARGE_LENGTH)
    return operands[0]


def _leaf(token: LtlToken) -> Temporal:
    return _TRUTH[token.kind]() if token.kind in _TRUTH else ltl.Atom(token.text)


def parse_tokens(text: str, tokens: list[LtlToken]) -> Temporal:
    """The formula of all the tokens of ``text``, the last of kind ``end``; raises :class:`FormulaSyntaxError`."""
    return cast("Temporal", LtlParser(text, tokens).tree())


def starts_operand(token: LtlToken) -> bool:
    """Whether a formula can begin with a token of the strict syntax."""
    return token.kind in _LEAVES or token.kind in PREFIXES or token.kind == "("


def with_letters_apart(
    text: str, tokens: list[LtlToken], known: KnownNames, starts: Callable[[LtlToken], bool]
) -> list[LtlToken]:
    """The tokens, with the operators and names of words such as ``GFa`` apart.

    ``starts`` says whether a formula can begin with a token: ``GF`` before one stands for operators. Raises
    :class:`FormulaSyntaxError` for a word that is in doubt.
    """
    # Most formulas have no such word, and a lexer is called for every formula.
    if not any(token.kind == NAME and has_operator_letter(token.text) for token in tokens):
        return tokens
    #: The numbers of words such as ``GF`` before a formula, which can be nothing but operators.
    split: set[int] = set()
    for number, (token, following) in enumerate(pairwise(tokens)):
        is_letters = token.kind == NAME and _UNARY_LETTERS.fullmatch(token.text)
        if is_letters and starts(following):
            split.add(number)
    apart: list[LtlToken] = []
    # A word that surely stands for operators says nothing about names, but it may have operators of the past.
    names = _with_those_of(
        [token for number, token in enumerate(tokens) if number not in split], known
    )
    splits_past = any(not _PAST.isdisjoint(tokens[number].text) for number in split)
    names = replace(names, has_past=names.has_past or splits_past)
    for number, token in enumerate(tokens):
        pieces: tuple[str, ...] | None = (token.text,)
        if number in split:
            pieces = tuple(token.text)
        elif token.kind == NAME:
            pieces = names.pieces(token.text)
        if pieces is None:
            problem = f"{token.text!r} can be a name or operators: write {spaced(token.text)!r}"
            raise FormulaSyntaxError(
                f"{problem}, or put the name in double quotes", text, token.start
            )
        if len(pieces) == 1:
            apart.append(token)
            continue
        start = token.start
        for piece in pieces:
            apart.append(LtlToken(WORDS.get(piece, NAME), piece, start, start + len(piece)))
            start += len(piece)
    return apart


def _with_those_of(tokens: list[LtlToken], outside: KnownNames) -> KnownNames:
    """What is known of names, with what the tokens of a formula show."""
    names = {token.text for token in tokens if token.kind == NAME}
    style = style_of(tokens)
    return replace(
        outside,
        given=outside.given | {token.text for token in tokens if token.kind == QUOTED},
        seen=outside.seen | names,
        is_compact=style == "compact" or (outside.is_compact and style != "apart"),
        has_past=any(token.kind in _PAST for token in tokens),
    )


def style_of(tokens: list[LtlToken]) -> str:
    """How a formula writes operator letters: ``compact`` as in ``G(a -> b)``, ``apart`` as in ``G (a)``, else ``""``.

    A formula with a capitalized name besides those that may be operators is never compact.
    """
    letters: list[tuple[LtlToken, LtlToken]] = []
    for token, after in pairwise(tokens):
        if token.text in PREFIXES and token.text.isalpha():
            letters.append((token, after))
    words = [token.text for token in tokens if token.kind == NAME]
    names = [word for word in words if not may_be_operators(word)]
    has_space = any(token.end < after.start for token, after in letters)
    has_capital = any(not name[0].islower() for name in names)
    if has_space or has_capital:
        return "apart"
    return "compact" if letters and names else ""


@dataclass(slots=True, eq=False)
class LtlParser(PrecedenceParser):
    """One parse of one text; the lenient parser overrides its methods."""

    rightward: ClassVar = ltl.Implies

    @property
    def is_large(self) -> bool:
        return True

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        if token.kind not in PREFIXES:
            return False
        self.push_prefix(token, PREFIXES[token.kind])
        self.at += 1
        return True

    def infix(self, token: LtlToken) -> tuple[int, type[ltl.Binary]] | None:
        return INFIXES.get(token.kind)

    def atom(self, token: LtlToken) -> Temporal:
        if token.kind not in _LEAVES:
            self.fail(self.unexpected(token), ("a formula",))
        self.at += 1
        return _leaf(token)
