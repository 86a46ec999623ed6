r"""The extended notation of regular expressions, as answers and given expressions may have it.

Beyond the strict notation: ``| & ~(…) + ? . [01] [^0] [0-9] \d \w \b {2} {2,} {2,3} (?:…) (?<n>…) (?i) ^…$ ε ∅``,
escapes, white space, and the powers of LaTeX (``0^*``, ``0^{*}``, ``0^{3}``). ``+`` is one-or-more, never union.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from string import ascii_letters, digits

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.alphabet import over_alphabet
from pytest_autoeval.languages.regex.anchors import without_anchors
from pytest_autoeval.languages.regex.parser import RegexToken, TokenKind, build, character
from pytest_autoeval.languages.regex.syntax import Expression, is_plain
from pytest_autoeval.languages.size_limits import MAX_LENGTH, check_length
from pytest_autoeval.lazy_pattern import lazy_pattern

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
_COUNTS = lazy_pattern(r"\{\s*+(?P<minimum>\d++)\s*+(?P<comma>,?)\s*+(?P<maximum>\d*+)\s*+\}")
_POWER = lazy_pattern(
    r"\^\s*+(?:(?P<bare>[*+])|\{\s*+(?P<sign>[*+])\s*+\}|\{\s*+(?P<count>\d++)\s*+\})"
)
#: Escapes and groups of other notations that have no place in ours, and why.
_UNSUPPORTED_ESCAPES = {
    **dict.fromkeys("stnrfv", "white space is left out: write a visible symbol, as in a_b"),
    "G": "an anchor: leave it out, expressions match whole strings",
    **dict.fromkeys("123456789gk", "a back reference: it describes no regular language"),
    **dict.fromkeys("pP", "a class of Unicode: list the symbols, as in [a-z]"),
}
_UNSUPPORTED_GROUPS = {
    "(?=": "a lookahead: write an intersection, as in '(a.*)&(.*b)'",
    "(?!": "a negative lookahead: write a complement, as in 'a.*&~(.*b)'",
    "(?<=": "a lookbehind: write an intersection, as in '(.*a)&(b.*)'",
    "(?<!": "a negative lookbehind: write a complement, as in '.*a&~(b.*)'",
    "(?P=": "a back reference: it describes no regular language",
    "(?>": "an atomic group: write '(?:' if it may give back what it matched",
    "(?(": "a condition: write both cases as alternatives, as in '(ab|c)'",
    "(?#": "a comment: leave it out",
}
#: Groups that are plain ones for matching: with a name, or without a number.
_GROUP = lazy_pattern(r"\(\?(?::|P?<[A-Za-z_]\w*+>|'[A-Za-z_]\w*+')")
#: Flags for the whole expression. Without line breaks, ``s`` and ``m`` change nothing.
_FLAGS = lazy_pattern(r"\(\?(?P<flags>[a-zA-Z-]++)\)")
_KNOWN_FLAGS = {*"ims"}
#: A symbol by its number.
_NUMBER = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[xu]\{[0-9A-Fa-f]{1,6}\})"
_BY_NUMBER = lazy_pattern(_NUMBER)
_ANCHORS: dict[str, TokenKind] = {"A": "begin", "Z": "end", "z": "end"}
_LATEX_NAME = lazy_pattern(
    r"\\(?:cup|cap|ast|star|mid|cdot|dots|ldots|lambda|Lambda|varepsilon|epsilon|Sigma|emptyset|varnothing|neg|lnot|land"
    r"|lor|wedge|vee|text|mathtt|mathrm|quad|left|right)(?![A-Za-z])"
)
#: Commands of LaTeX that begin like a boundary or a class: in an answer, ``\\beta`` is more likely a letter.
_LATEX_WORD = lazy_pattern(
    r"\\(?:beta|begin|bar|big(?:cup|cap|vee|wedge|l|r)?|boxed|bf|bmod|bot|box|boldsymbol|bullet|binom|Bbb|Big(?:l|r)?"
    r"|delta|displaystyle|dots|dot|ddots?|dagger|div|Delta|wedge|widehat|widetilde|Sigma|Subset)(?![A-Za-z])"
)
#: A member of a class: a symbol, perhaps with a backslash, or its number.
_MEMBER = lazy_pattern(rf"(?:{_NUMBER})|\\.|\S", re.DOTALL)
#: Signs that mean nothing else in any notation of regular expressions.
PUNCTUATION = "-_@#%=:;,<>/!\"'"
#: Characters whose escape is a space of LaTeX if the alphabet does not have them.
_SPACING = " ,;:!"


def parse_extended(
    text: str, alphabet: Sequence[str] | None = None, *, is_given: bool = False
) -> Expression:
    """The expression of a text in the extended notation.

    With an ``alphabet``, a wildcard, ``\\d`` and a negated class become the class of the symbols that they match, and a
    complement is taken of the strings over it. An escaped star is then a star (as in Markdown) unless it is a symbol.
    In a text that ``is_given`` as an expression, signs of punctuation are symbols; in an answer, they may be marks.
    Raises :class:`FormulaSyntaxError`.
    """
    check_length(text)
    if re.fullmatch(r"\s*+\^\s*+\$\s*+", text):
        return regex.Epsilon()
    tokens = without_anchors(_Lexer(text, alphabet, PUNCTUATION if is_given else "").tokens(), text)
    expression = build(tokens, text, strict=False)
    if alphabet is not None:
        expression = over_alphabet(expression, alphabet)
    # Written out over an alphabet, an expression can be longer than its text.
    check_length(str(expression))
    return expression


class _Lexer:
    def __init__(self, text: str, alphabet: Sequence[str] | None, literals: str) -> None:
        self._text = text
        self._end = len(text.rstrip())
        self._alphabet = tuple(dict.fromkeys(alphabet)) if alphabet is not None else None
        self._literals = literals
        self._at = 0
        self._listed = 0
        self._ignores_case = False

    def tokens(self) -> Iterator[RegexToken]:
        start = self._at = len(self._text) - len(self._text.lstrip())
        if self._text.startswith("^", start):
            self._at += 1
        self._read_flags()
        while self._at < len(self._text):
            offset = self._at
            token = self._next(self._text[offset])
            if token is not None:
                yield token

    def _read_flags(self) -> None:
        """Flags in front of the expression, such as ``(?i)``."""
        flags = _FLAGS.match(self._text, self._at)
        if flags is None:
            return
        for flag in flags["flags"]:
            if flag not in _KNOWN_FLAGS:
                raise self._error(f"the flag {flag!r} is not supported", "'(?i)'")
        self._ignores_case = "i" in flags["flags"]
        self._at = flags.end()

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
            # At the very end, it is an anchor in any alphabet, and matches nothing.
            case "$" if self._at == self._end - 1:
                self._at = len(self._text)
                return None
            case "$" if not self._has("$"):
                return self._take("end", 1)
            case "(" if self._text.startswith("(?", self._at):
                return self._group()
            case "~" if not self._has("~"):
                return self._complement()
        return self._sign(char)

    def _has(self, char: str) -> bool:
        return self._alphabet is not None and char in self._alphabet

    def _group(self) -> RegexToken:
        if opening := _GROUP.match(self._text, self._at):
            return self._take("open", len(opening[0]))
        for sign, description in _UNSUPPORTED_GROUPS.items():
            if self._text.startswith(sign, self._at):
                raise self._error(f"{sign!r} is not supported ({description})")
        if _FLAGS.match(self._text, self._at):
            raise self._error("flags are allowed only in front of the whole expression")
        raise self._error(
            "'(?' is not supported (a flag of a group, or a group of another kind)", "'(?:'", "'('"
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
        node: Expression
        if char == ".":
            node = self._any()
        elif is_plain(char) or self._has(char) or char in self._literals:
            node = self._character(char)
        elif char == "ε":
            node = regex.Epsilon()
        elif char == "∅":
            node = regex.Empty()
        else:
            raise self._error(f"unexpected {char!r}")
        return self._atom(1, node)

    def _any(self) -> Expression:
        return regex.AnySymbol() if self._alphabet is None else self._symbols(lambda _: True)

    def _character(self, char: str) -> Expression:
        """The node of a symbol; of both cases under the flag ``i``."""
        chars = self._in_both_cases((char,)) if self._ignores_case else (char,)
        return character(char) if len(chars) == 1 else regex.CharacterClass(tuple(chars))

    def _in_both_cases(self, chars: Iterable[str]) -> Sequence[str]:
        """The symbols, and the other case of each letter that the alphabet has."""
        cased: dict[str, None] = {}
        for char in chars:
            cased[char] = None
            if char.lower() == char.upper():
                continue
            # ß and ı, for example, have no single other case.
            if not char.isascii():
                raise self._error(f"programs differ about the other case of {char!r}")
            if self._alphabet is None or char.swapcase() in self._alphabet:
                cased[char.swapcase()] = None
        return tuple(cased)

    def _escape(self) -> RegexToken | None:  # noqa: C901, PLR0911 - one return for each kind of escape
        char = self._text[self._at + 1 : self._at + 2]
        # In an answer, `\beta` is more likely a letter of LaTeX than a boundary before `eta`.
        if not self._literals and (latex := _LATEX_WORD.match(self._text, self._at)):
            raise self._error(f"{latex[0]} of LaTeX is not supported")
        if char in ("b", "B"):
            return self._boundary(negated=char == "B")
        if char == "S":
            return self._atom(2, self._any())
        if char and char in "dDwW":
            chars, negated = self._shorthand(char)
            return self._atom(2, self._one_of(chars, negated=negated))
        if anchor := _ANCHORS.get(char):
            return self._take(anchor, 2)
        if number := _BY_NUMBER.match(self._text, self._at):
            return self._atom(len(number[0]), self._character(self._numbered(number)))
        if not char or (char.isalnum() and is_plain(char)):
            raise self._unsupported_escape(char)
        if self._alphabet is not None and char not in self._alphabet:
            # Markdown escapes a star of the expression; a space in LaTeX is `\,` or the like.
            if char == "*":
                return self._take("*", 2)
            if char in _SPACING:
                self._at += 2
                return None
        if char.isspace() or not char.isprintable():
            raise self._error(f"{char!r} is not a symbol")
        return self._atom(2, self._character(char))

    def _numbered(self, number: re.Match[str]) -> str:
        hexadecimal = number[0][2:].strip("{}")
        code = int(hexadecimal, 16)
        char = chr(code) if code <= sys.maxunicode else ""
        if not char.isprintable() or char.isspace() or not char:
            raise self._error(f"{number[0]} is not a visible character")
        return char

    def _shorthand(self, letter: str) -> tuple[Sequence[str], bool]:
        """The symbols of ``\\d`` or ``\\w``, and whether all others are meant: ``\\D``, ``\\W``.

        They are those of ASCII. It is an error if the alphabet has symbols about which programs differ.
        """
        is_digit = letter in "dD"
        for symbol in self._alphabet or ():
            is_unclear = symbol.isdecimal() if is_digit else regex.is_word_symbol(symbol) is None
            if is_unclear and not symbol.isascii():
                problem = f"\\{letter} is not supported over an alphabet with {symbol!r}"
                raise self._error(f"{problem} (programs differ about it)")
        symbols = digits if is_digit else f"{digits}{ascii_letters}_"
        return symbols, letter.isupper()

    def _one_of(self, chars: Collection[str], *, negated: bool) -> Expression:
        """Any of the symbols, or any other one; of the alphabet, if there is one and it decides which."""
        if negated and not chars:
            return self._any()
        if self._alphabet is not None:
            return self._symbols(lambda symbol: (symbol in chars) != negated)
        return regex.CharacterClass(tuple(chars), negated) if chars else regex.Empty()

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
        following = repr(char) if char else "nothing"
        return self._error(f"a backslash before {following}")

    def _power(self) -> RegexToken:
        power = _POWER.match(self._text, self._at)
        if power is None:
            return self._take("begin", 1)
        length = power.end() - self._at
        if power["count"]:
            count = self._count(power["count"])
            return self._take("{}", length, counts=(count, count))
        return self._take(_SIGNS[power["bare"] or power["sign"]], length)

    def _repetition(self) -> RegexToken:
        counts = _COUNTS.match(self._text, self._at)
        if counts is None:
            missing_minimum = re.compile(r"\{\s*+,\s*+\d").match(self._text, self._at)
            advice = ("'{0,'",) if missing_minimum else (r"'\{' for the symbol",)
            raise self._error("unexpected '{'", *advice)
        minimum = self._count(counts["minimum"])
        maximum: int | None = minimum
        if counts["comma"]:
            maximum = self._count(counts["maximum"]) if counts["maximum"] else None
        if maximum is not None and maximum < minimum:
            raise self._error(f"no number of repetitions is between {minimum} and {maximum}")
        return self._take("{}", counts.end() - self._at, counts=(minimum, maximum))

    def _count(self, digits: str) -> int:
        # Python refuses to convert very long numbers with an error of its own, so the length comes first.
        if len(digits) > 9 or int(digits) > MAX_REPETITIONS:
            problem = f"{digits[:12]} repetitions; at most {MAX_REPETITIONS} are allowed"
            raise LimitError(problem, self._text, self._at)
        return int(digits)

    def _class(self) -> RegexToken:
        """A class in square brackets; ranges go by code point, white space is ignored."""
        closing = re.compile(r"\[\^?(?:\\.|[^\]\\])*+\]", re.DOTALL).match(self._text, self._at)
        if closing is None:
            raise self._error("'[' is never closed")
        is_negated = closing[0].startswith("[^")
        members = _MEMBER.findall(closing[0][2 if is_negated else 1 : -1])
        if not members or set(members) == {r"\s"}:
            problem = "an empty class"
            is_bracket = closing[0] == "[]" and "]" in self._text[closing.end() :]
            advice = (r"'\]' for the symbol",) if is_bracket else ()
            raise self._unsupported_escape("s") if members else self._error(problem, *advice)
        chars, has_others = self._listed_members(members)
        if self._ignores_case:
            chars = dict.fromkeys(self._in_both_cases(chars))
        if has_others:  # then ``chars`` are those that are not in the class
            node = self._one_of(chars, negated=not is_negated)
        elif is_negated:
            node = self._one_of(chars, negated=True)
        else:
            node = regex.CharacterClass(tuple(chars)) if chars else regex.Empty()
        return self._atom(len(closing[0]), node)

    def _listed_members(self, members: Sequence[str]) -> tuple[dict[str, None], bool]:
        """The symbols of a class. If it contains ``\\W`` or ``\\D``, those that it does not contain, and true."""
        chars: dict[str, None] = {}
        missing: set[str] | None = None
        position = 0
        while position < len(members):
            member = members[position]
            if members[position + 1 : position + 2] == ["-"] and position + 2 < len(members):
                chars |= dict.fromkeys(self._range(member, members[position + 2]))
                position += 3
                continue
            # What several of them miss together is what each of them misses.
            if member in (r"\W", r"\D", r"\S"):
                excluded = set(self._shorthand(member[1])[0]) if member != r"\S" else set()
                missing = excluded if missing is None else missing & excluded
            else:
                chars |= dict.fromkeys(self._members(member))
            position += 1
            if len(chars) > MAX_CLASS:
                problem = f"a class of more than {MAX_CLASS:,} symbols"
                raise LimitError(problem, self._text, self._at)
        if missing is None:
            return chars, False
        return dict.fromkeys(sorted(missing - chars.keys())), True

    def _range(self, lowest: str, highest: str) -> Sequence[str]:
        low, high = self._members(lowest), self._members(highest)
        if len(low) != 1 or len(high) != 1 or low[0] > high[0]:
            raise self._error(f"no range goes from {lowest!r} to {highest!r}")
        start, end = ord(low[0]), ord(high[0])
        # Before the symbols are listed: a range may have a million of them.
        if end - start >= MAX_CLASS:
            raise LimitError(f"a class of more than {MAX_CLASS:,} symbols", self._text, self._at)
        chars = list(map(chr, range(start, end + 1)))
        if any(not char.isprintable() or char.isspace() for char in chars):
            raise self._error(
                f"the range from {lowest!r} to {highest!r} has characters that are not visible"
            )
        return self._listing(chars)

    def _members(self, member: str) -> Sequence[str]:
        if member == r"\s":  # no symbol, as a space in a class
            return ()
        if member in (r"\d", r"\w"):
            chars, _ = self._shorthand(member[1])
            return [char for char in chars if self._alphabet is None or char in self._alphabet]
        if number := _BY_NUMBER.fullmatch(member):
            return (self._numbered(number),)
        char = member[-1]
        if member == "[" and re.compile(r"\[[:.=]").search(self._text, self._at):
            raise self._error("a class of POSIX is not supported: list the symbols, as in [a-z]")
        # An escaped letter or digit means something of its own, in our notation or in another.
        is_escaped_letter = len(member) == 2 and is_plain(char)
        is_visible = char.isprintable() and not char.isspace()
        if member == "[" or is_escaped_letter or not is_visible:
            advice = (r"'\[' for the symbol",) if member == "[" else ()
            raise self._error(f"unexpected {member!r} in a class", *advice)
        return (char,)

    def _symbols(self, is_member: Callable[[str], bool]) -> Expression:
        chars = tuple(
            self._listing([symbol for symbol in self._alphabet or () if is_member(symbol)])
        )
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
