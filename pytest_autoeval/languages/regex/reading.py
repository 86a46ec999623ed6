r"""The reader of regular expressions in answers, in the extended notation.

Beyond the strict notation: ``| + ? . [01] [^0] [0-9] \d {2} {2,} {2,3} (?:…) ^…$ ε ∅``, escapes, white space, and the
powers of LaTeX (``0^*``, ``0^{*}``, ``0^{3}``). ``+`` is one-or-more, never union.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError, Reading
from pytest_autoeval.languages.limits import MAX_LENGTH, check_length
from pytest_autoeval.languages.reading import nothing, read_formula
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.measures import symbols
from pytest_autoeval.languages.regex.parser import RegexToken, TokenKind, build, character, parse
from pytest_autoeval.languages.regex.syntax import Expression, is_plain

#: Each number in a ``{m,n}``.
MAX_REPETITIONS = 100
#: Symbols of one character class.
MAX_CLASS = 1_000
_SIGNS: dict[str, TokenKind] = {
    "*": "*",
    "+": "+",
    "?": "?",
    "|": "or",
    "(": "open",
    ")": "close",
}
_COUNTS = re.compile(r"\{\s*+(?P<minimum>\d++)\s*+(?P<comma>,?)\s*+(?P<maximum>\d*+)\s*+\}")
_POWER = re.compile(r"\^\s*+(?:(?P<bare>[*+])|\{\s*+(?P<sign>[*+])\s*+\}|\{\s*+(?P<count>\d++)\s*+\})")
#: Characters whose escape is a space of LaTeX if the alphabet does not have them.
_SPACING = " ,;:!"


def parse_extended(text: str, alphabet: Sequence[str] | None = None) -> Expression:
    """The expression of a text in the extended notation.

    With an ``alphabet``, a wildcard, ``\\d`` and a negated class become the class of the symbols that they
    match, and an escaped star is a star (as in Markdown) unless it is a symbol. Raises :class:`FormulaSyntaxError`.
    """
    check_length(text)
    if re.fullmatch(r"\s*+\^\s*+\$\s*+", text):
        return regex.Epsilon()
    expression = build(_Lexer(text, alphabet).tokens(), text, strict=False)
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
                if not self._text.startswith("(?:", self._at):
                    raise self._error("groups of this kind are not supported", "'(?:'", "'('")
                return self._take("open", 3)
        return self._sign(char)

    def _sign(self, char: str) -> RegexToken:
        if char in _SIGNS:
            return self._take(_SIGNS[char], 1)
        if char == ".":
            node = regex.AnySymbol() if self._alphabet is None else self._symbols(lambda _: True)
        elif is_plain(char) or (self._alphabet and char in self._alphabet):
            node = character(char)
        elif char == "ε":
            node = regex.Epsilon()
        elif char == "∅":
            node = regex.Empty()
        else:
            raise self._error("an anchor is allowed only at the ends" if char == "$" else f"unexpected {char!r}")
        return self._atom(1, node)

    def _escape(self) -> RegexToken | None:
        char = self._text[self._at + 1 : self._at + 2]
        if char == "d":
            return self._atom(2, self._digit())
        if not char or (char.isalnum() and is_plain(char)):
            raise self._error("a backslash before " + (repr(char) if char else "nothing"))
        if self._alphabet is not None and char not in self._alphabet:
            if char == "*":
                return self._take("*", 2)
            if char in _SPACING:
                self._at += 2
                return None
        if char.isspace() or not char.isprintable():
            raise self._error(f"{char!r} is not a symbol")
        return self._atom(2, character(char))

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
        maximum = minimum if not counts["comma"] else self._count(counts["maximum"]) if counts["maximum"] else None
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
                raise LimitError(f"a class of more than {MAX_CLASS:,} symbols", self._text, self._at)
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
            raise self._error(f"the range from {first!r} to {last!r} has characters that are not visible")
        return self._listing(chars)

    def _members(self, member: str) -> Sequence[str]:
        if member == "\\d":
            digits = self._digit()
            return digits.chars if isinstance(digits, regex.CharacterClass) else ()
        char = member[-1]
        if member == "[" or (len(member) == 2 and is_plain(char)) or char.isspace() or not char.isprintable():
            raise self._error(f"unexpected {member!r} in a class")
        return (char,)

    def _digit(self) -> Expression:
        """The digits of the alphabet; without one, those of ASCII."""
        return regex.CharacterClass(tuple("0123456789")) if self._alphabet is None else self._symbols(str.isdigit)

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
        self, kind: TokenKind, length: int, node: Expression | None = None, counts: tuple[int, int | None] = (0, None)
    ) -> RegexToken:
        offset = self._at
        self._at += length
        return RegexToken(kind, offset, self._text[offset : self._at], node, counts)

    def _error(self, problem: str, *expected: str) -> FormulaSyntaxError:
        return FormulaSyntaxError(problem, self._text, self._at, expected)


_OPERATOR = re.compile(r"[*∗⋆⁎★✱+⁺?|∪∨{\[.]|\\(?:ast|star|cup|mid|d)")
#: Those of them that do not occur in sentences.
_SIGN = re.compile(r"[*∗⋆⁎★✱⁺|∪∨]|[\w)]\+|\\(?:ast|star|cup|mid)")
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
#: Emphasis, which looks like an expression with a misplaced star.
_EMPHASIZED = re.compile(r"\*[^\s*]+\*")
#: Bold in Markdown. Stars of the expression may touch the marks: ``**0*1***`` is ``0*1*`` in bold.
_BOLD = re.compile(
    r"(?<![^\s(:>\"'“])\*\*(?=[^\s*])(?P<inside>(?:(?![\s(:>\"'“]\*\*[^\s*])[^\n])+?)\*\*(?=[\s.,;:!?)\"'”]|$)"
)
#: An expression in JavaScript.
_SLASHES = re.compile(r"/(.+)/[dgimsuvy]*", re.DOTALL)


def read(answer: str, alphabet: Sequence[str] | None) -> Reading:
    """The expression in an answer; the ``alphabet`` resolves wildcards and distinguishes symbols from words."""
    if _EMPHASIZED.fullmatch(answer.strip()):
        return nothing("'*' has nothing to repeat")
    return read_formula(_BOLD.sub(_code, answer), _Notation(alphabet))


def _code(bold: re.Match[str]) -> str:
    inside = bold["inside"]
    if "*" not in inside:
        return bold[0]
    return inside if re.search(r"[\s`]", inside) else f"`{inside}`"


@dataclass(frozen=True, slots=True)
class _Notation:
    alphabet: Sequence[str] | None

    def strict(self, text: str) -> Expression:
        return parse(text)

    def lenient(self, text: str) -> Expression:
        if match := _SLASHES.fullmatch(text):
            text = match[1].strip()
        if "\n" in text:
            raise FormulaSyntaxError("an expression must be on one line", text, text.index("\n"))
        return parse_extended(text, self.alphabet)

    def is_meant(self, formula: Expression, text: str, place: Place | None) -> bool:
        """False for words and numbers. Foreign symbols may occur in an expression without spaces."""
        words = _WORD.search(_LATEX_COMMAND.sub(" ", text)) is not None
        strange = self.alphabet is not None and not set(symbols(formula)) <= set(self.alphabet)
        if not text.strip(". ") or (re.search(r"\s", text) and (words or strange)):
            return False
        if _OPERATOR.search(text):
            return not (place == "span" and (strange or not symbols(formula)))
        if place == "line" or (strange and not text.isdecimal()):
            return False
        return place in (None, "block") or not words

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(text) is not None


def operator_sign(text: str, alphabet: Sequence[str]) -> str:
    """The first operator of regular expressions in a text, with its operand; empty if there is none."""
    match = _operator_piece(tuple(alphabet)).search(_ESCAPED.sub("", text))
    return match[0].strip() if match else ""


#: Escapes of Markdown.
_ESCAPED = re.compile(r"\\(?=[*+?|()\[\]{}])")


@lru_cache(maxsize=64)
def _operator_piece(alphabet: tuple[str, ...]) -> re.Pattern[str]:
    symbols = "".join(map(re.escape, alphabet)) or r"\w"
    symbol = rf"[{symbols}]"
    return re.compile(
        rf"(?:{symbol}|(?<!\w)\w|[)\]'\"`])\s?[*∗⋆★✱]|[{symbols})]\s?(?:[|∪∣∨⁺]|\^\{{?[*+\w∗}}]|\\(?:cup|ast|star|mid|cdot)\b|\{{\d+,?\d*\}})"
        rf"|\([{symbols}\s|*+?.]{{1,200}}\)\s?[+?](?=\W|$)|(?<!\w){symbol}+\+(?!\w)(?!\s+times)|\[\^?[{symbols}][{symbols}-]+\]"
        rf"|\\[dwsDWS](?!\w)|\(\?:|(?<!\w)re\.\S"
        r"|(?<!\w)(?i:star|concat|union|or|alt|seq|plus|repeat|optional)\("
    )
