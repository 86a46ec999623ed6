r"""The extended notation of regular expressions, as answers and given expressions may have it.

Beyond the strict notation: ``| & ~(…) + ? . [01] [^0] [0-9] \d {2} {2,} {2,3} (?:…) ^…$ ε ∅``, escapes, white space,
and the powers of LaTeX (``0^*``, ``0^{*}``, ``0^{3}``). ``+`` is one-or-more, never union.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.alphabet import over_alphabet
from pytest_autoeval.languages.regex.parser import RegexToken, TokenKind, build, character
from pytest_autoeval.languages.regex.syntax import Expression, is_plain
from pytest_autoeval.languages.size_limits import MAX_LENGTH, check_length

#: Each number in a ``{m,n}``.
MAX_REPETITIONS = 100
#: Symbols of one character class.
MAX_CLASS = 1_000
_SIGNS: dict[str, TokenKind] = {
    "*": "*",
    "+": "+",
    "?": "?",
    "|": "or",
    "&": "and",
    "(": "open",
    ")": "close",
}
_COUNTS = re.compile(r"\{\s*+(?P<minimum>\d++)\s*+(?P<comma>,?)\s*+(?P<maximum>\d*+)\s*+\}")
_POWER = re.compile(
    r"\^\s*+(?:(?P<bare>[*+])|\{\s*+(?P<sign>[*+])\s*+\}|\{\s*+(?P<count>\d++)\s*+\})"
)
#: Escapes and groups of other notations that have no place in ours, and why.
_UNSUPPORTED_ESCAPES = {
    **dict.fromkeys("wWD", "a class of characters: list the symbols, as in [a-z]"),
    **dict.fromkeys("sStnrfv", "white space: a symbol is a visible character"),
    **dict.fromkeys("AZzG", "an anchor: an expression is compared with whole strings anyway"),
    **dict.fromkeys("123456789gk", "a back reference: it describes no regular language"),
    **dict.fromkeys("pP", "a class of Unicode: list the symbols, as in [a-z]"),
}
_UNSUPPORTED_GROUPS = {
    "(?=": "a lookahead",
    "(?!": "a negative lookahead",
    "(?<=": "a lookbehind",
    "(?<!": "a negative lookbehind",
    "(?P=": "a back reference",
    "(?P<": "a named group: write '('",
    "(?<": "a named group: write '('",
    "(?>": "an atomic group",
    "(?(": "a condition",
    "(?#": "a comment",
}
_LATEX_NAME = re.compile(
    r"\\(?:cup|cap|ast|star|mid|cdot|dots|ldots|lambda|Lambda|varepsilon|epsilon|Sigma|emptyset|varnothing|neg|lnot|land"
    r"|lor|wedge|vee|text|mathtt|mathrm|quad|left|right)(?![A-Za-z])"
)
#: Characters whose escape is a space of LaTeX if the alphabet does not have them.
_SPACING = " ,;:!"


def parse_extended(text: str, alphabet: Sequence[str] | None = None) -> Expression:
    """The expression of a text in the extended notation.

    With an ``alphabet``, a wildcard, ``\\d`` and a negated class become the class of the symbols that they match, and a
    complement is taken of the strings over it. An escaped star is then a star (as in Markdown) unless it is a symbol.
    Raises :class:`FormulaSyntaxError`.
    """
    check_length(text)
    if re.fullmatch(r"\s*+\^\s*+\$\s*+", text):
        return regex.Epsilon()
    expression = build(_Lexer(text, alphabet).tokens(), text, strict=False)
    if alphabet is not None:
        expression = over_alphabet(expression, alphabet)
    check_length(str(expression))
    return expression


class _Lexer:
    def __init__(self, text: str, alphabet: Sequence[str] | None) -> None:
        self._text = text
        self._end = len(text.rstrip())
        self._alphabet = tuple(dict.fromkeys(alphabet)) if alphabet is not None else None
        self._at = 0
        self._listed = 0

    def tokens(self) -> Iterator[RegexToken]:
        start = self._at = len(self._text) - len(self._text.lstrip())
        if self._text.startswith("^", start):
            self._at += 1
        while self._at < len(self._text):
            offset = self._at
            token = self._next(self._text[offset])
            if token is not None:
                yield token

    def _next(self, char: str) -> RegexToken | None:  # noqa: PLR0911 - one return for each kind of token
        """The next token, None for space and the like; moves on."""
        match char:
            case _ if char.isspace():
                self._at += 1
                return None
            case "\\":
                return self._escape()
            case "[":
                return self._class()
            case "{":
                return self._repetition()
            case "^":
                return self._power()
            case "$" if self._at == self._end - 1:
                self._at = len(self._text)
                return None
            case "(" if self._text.startswith("(?", self._at):
                return self._group()
            case "~" if not self._has("~"):
                return self._complement()
        return self._sign(char)

    def _has(self, char: str) -> bool:
        return self._alphabet is not None and char in self._alphabet

    def _group(self) -> RegexToken:
        if self._text.startswith("(?:", self._at):
            return self._take("open", 3)
        for opening, what in _UNSUPPORTED_GROUPS.items():
            if self._text.startswith(opening, self._at):
                raise self._error(f"{opening!r} is not supported ({what})")
        raise self._error(
            "'(?' is not supported (a flag, or a group of another kind)", "'(?:'", "'('"
        )

    def _complement(self) -> RegexToken:
        """``~(``. Without parentheses, it would be unclear how much of what follows is negated."""
        opening = re.compile(r"~\s*+\((?!\?)").match(self._text, self._at)
        if opening is None:
            raise self._error("'~' (complement) needs parentheses", "'~('")
        return self._take("open", len(opening[0]))

    def _sign(self, char: str) -> RegexToken:
        if char in _SIGNS and not (char == "&" and self._has(char)):
            return self._take(_SIGNS[char], 1)
        if char == ".":
            node = regex.AnySymbol() if self._alphabet is None else self._symbols(lambda _: True)
        elif is_plain(char) or self._has(char):
            node = character(char)
        elif char == "ε":
            node = regex.Epsilon()
        elif char == "∅":
            node = regex.Empty()
        else:
            raise self._error(
                "an anchor is allowed only at the ends" if char == "$" else f"unexpected {char!r}"
            )
        return self._atom(1, node)

    def _escape(self) -> RegexToken | None:
        char = self._text[self._at + 1 : self._at + 2]
        if char == "d":
            return self._atom(2, self._digit())
        if char in ("b", "B"):
            return self._boundary(negated=char == "B")
        if not char or (char.isalnum() and is_plain(char)):
            raise self._unsupported_escape(char)
        if self._alphabet is not None and char not in self._alphabet:
            if char == "*":
                return self._take("*", 2)
            if char in _SPACING:
                self._at += 2
                return None
        if char.isspace() or not char.isprintable():
            raise self._error(f"{char!r} is not a symbol")
        return self._atom(2, character(char))

    def _boundary(self, *, negated: bool) -> RegexToken:
        for symbol in self._alphabet or ():
            if regex.is_word_symbol(symbol) is None:
                sign = r"\B" if negated else r"\b"
                problem = f"{sign} is not supported over an alphabet with {symbol!r}"
                raise self._error(f"{problem} (programs differ about it as a symbol of words)")
        return self._atom(2, regex.WordBoundary(negated))

    def _unsupported_escape(self, char: str) -> FormulaSyntaxError:
        if latex := _LATEX_NAME.match(self._text, self._at):
            return self._error(f"{latex[0]} of LaTeX is not supported")
        if char in _UNSUPPORTED_ESCAPES:
            return self._error(f"\\{char} is not supported ({_UNSUPPORTED_ESCAPES[char]})")
        return self._error("a backslash before " + (repr(char) if char else "nothing"))

    def _power(self) -> RegexToken:
        power = _POWER.match(self._text, self._at)
        if power is None:
            raise self._error("an anchor is allowed only at the ends")
        length = power.end() - self._at
        if power["count"]:
            count = self._count(power["count"])
            return self._take("{}", length, counts=(count, count))
        return self._take(_SIGNS[power["bare"] or power["sign"]], length)

    def _repetition(self) -> RegexToken:
        counts = _COUNTS.match(self._text, self._at)
        if counts is None:
            raise self._error("unexpected '{'")
        minimum = self._count(counts["minimum"])
        maximum = (
            minimum
            if not counts["comma"]
            else self._count(counts["maximum"])
            if counts["maximum"]
            else None
        )
        if maximum is not None and maximum < minimum:
            raise self._error(f"no number of repetitions is between {minimum} and {maximum}")
        return self._take("{}", counts.end() - self._at, counts=(minimum, maximum))

    def _count(self, digits: str) -> int:
        if len(digits) > 9 or int(digits) > MAX_REPETITIONS:
            problem = f"{digits[:12]} repetitions; at most {MAX_REPETITIONS} are allowed"
            raise LimitError(problem, self._text, self._at)
        return int(digits)

    def _class(self) -> RegexToken:
        """A class in square brackets; ranges go by code point, white space is ignored."""
        closing = re.compile(r"\[\^?(?:\\.|[^\]\\])*+\]", re.DOTALL).match(self._text, self._at)
        if closing is None:
            raise self._error("'[' is never closed")
        negated = closing[0].startswith("[^")
        members = re.findall(r"\\.|\S", closing[0][2 if negated else 1 : -1], re.DOTALL)
        chars: dict[str, None] = {}
        place = 0
        while place < len(members):
            if members[place + 1 : place + 2] == ["-"] and place + 2 < len(members):
                chars |= dict.fromkeys(self._range(members[place], members[place + 2]))
                place += 3
            else:
                chars |= dict.fromkeys(self._members(members[place]))
                place += 1
            if len(chars) > MAX_CLASS:
                raise LimitError(
                    f"a class of more than {MAX_CLASS:,} symbols", self._text, self._at
                )
        if not chars:
            raise self._error("an empty class")
        if negated and self._alphabet is not None:
            return self._atom(len(closing[0]), self._symbols(lambda symbol: symbol not in chars))
        return self._atom(len(closing[0]), regex.CharacterClass(tuple(chars), negated))

    def _range(self, first: str, last: str) -> Sequence[str]:
        low, high = self._members(first), self._members(last)
        if len(low) != 1 or len(high) != 1 or low[0] > high[0]:
            raise self._error(f"no range goes from {first!r} to {last!r}")
        if ord(high[0]) - ord(low[0]) >= MAX_CLASS:
            raise LimitError(f"a class of more than {MAX_CLASS:,} symbols", self._text, self._at)
        chars = [chr(code) for code in range(ord(low[0]), ord(high[0]) + 1)]
        if not all(char.isprintable() and not char.isspace() for char in chars):
            raise self._error(
                f"the range from {first!r} to {last!r} has characters that are not visible"
            )
        return self._listing(chars)

    def _members(self, member: str) -> Sequence[str]:
        if member == "\\d":
            digits = self._digit()
            return digits.chars if isinstance(digits, regex.CharacterClass) else ()
        char = member[-1]
        if member == "[" and re.compile(r"\[[:.=]").search(self._text, self._at):
            raise self._error("a class of POSIX is not supported: list the symbols, as in [a-z]")
        if (
            member == "["
            or (len(member) == 2 and is_plain(char))
            or char.isspace()
            or not char.isprintable()
        ):
            raise self._error(f"unexpected {member!r} in a class")
        return (char,)

    def _digit(self) -> Expression:
        """The digits of the alphabet; without one, those of ASCII."""
        return (
            regex.CharacterClass(tuple("0123456789"))
            if self._alphabet is None
            else self._symbols(str.isdigit)
        )

    def _symbols(self, wanted: Callable[[str], bool]) -> Expression:
        chars = tuple(self._listing([symbol for symbol in self._alphabet or () if wanted(symbol)]))
        return regex.CharacterClass(chars) if chars else regex.Empty()

    def _listing(self, chars: list[str]) -> list[str]:
        """Counts the symbols of all classes of the text, which have a limit."""
        self._listed += len(chars)
        if self._listed > MAX_LENGTH:
            raise LimitError(f"classes of more than {MAX_LENGTH:,} symbols", self._text, self._at)
        return chars

    def _atom(self, length: int, node: Expression) -> RegexToken:
        return self._take("atom", length, node)

    def _take(
        self,
        kind: TokenKind,
        length: int,
        node: Expression | None = None,
        counts: tuple[int, int | None] = (0, None),
    ) -> RegexToken:
        offset = self._at
        self._at += length
        return RegexToken(kind, offset, self._text[offset : self._at], node, counts)

    def _error(self, problem: str, *expected: str) -> FormulaSyntaxError:
        return FormulaSyntaxError(problem, self._text, self._at, expected)
