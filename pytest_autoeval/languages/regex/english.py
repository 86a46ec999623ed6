"""Plain English for regular expressions, and its exact reader.

A sequence is described part by part; what is repeated as a whole is a group with a spoken end; choices say how many
they are. Groups inside groups are laid out on indented lines, for people: the reader does not need the layout.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from pytest_autoeval.languages.base import EnglishError, fold
from pytest_autoeval.languages.controlled_english import Words, listed, read_list, sentence
from pytest_autoeval.languages.regex.syntax import (
    AnySymbol,
    Character,
    CharacterClass,
    Concat,
    Empty,
    Epsilon,
    Expression,
    Optional,
    Plus,
    Repeat,
    Repetition,
    Star,
    Union,
)

_RESERVED = frozenset(
    (
        *("a", "an", "and", "any", "at", "between", "but", "end", "exactly", "group", "impossible", "is", "least"),
        *("letter", "made", "more", "nothing", "of", "one", "optionally", "or", "repetitions", "sign", "something"),
        *("string", "symbol", "symbols", "the", "then", "these", "this", "zero"),
    )
)
_OPENING = "the string is made of"
_SHORT = 12
_DIGITS = "0123456789"
_SEVERAL = re.compile(r"[0-9]s")


# Describing


def describe(expression: Expression) -> str:
    """The expression in words: ``The string is made of a 1, then zero or more 0s, then a 1.``"""
    parts = _sequence(expression, "\n")
    return sentence(_OPENING + (":" if parts.startswith("\n") else " ") + parts, _RESERVED)


def _sequence(expression: Expression, line: str) -> str:
    """All of the string, part by part: in one line, or each part in its own; ``line`` breaks and indents one."""
    if not isinstance(expression, Concat):
        return _part(expression, line)
    if _is_short(expression, groups=1):
        return _parts(expression, line, ", then ")
    line += "  "
    return line + _parts(expression, line, f",{line}then ")


def _parts(expression: Concat, line: str, then: str) -> str:
    return then.join(_part(part, line) for part in expression.parts)


def _part(expression: Expression, line: str) -> str:
    """An expression whose end can be seen without seeing what follows."""
    match expression:
        case Concat():
            return _group(expression, line)
        case Union(parts):
            return f"one of these {len(parts)}: {listed([_part(part, line) for part in parts], 'or')}"
        case Repetition(Character(char)) if char in _DIGITS and not isinstance(expression, Optional):
            return f"{_how_often(expression)} {char}s"
        case Optional(inner):
            return f"optionally {_part(inner, line)}"
        case Repetition(inner):
            return f"{_how_often(expression)} repetitions of {_part(inner, line)}"
        case _:
            return _single(expression)


def _group(expression: Concat, line: str) -> str:
    if _is_short(expression, groups=0):
        return f"this group: {_parts(expression, line, ', then ')}, end of group"
    inside = line + "  "
    return f"this group:{inside}{_parts(expression, inside, f',{inside}then ')},{line}end of group"


def _how_often(expression: Repetition) -> str:
    match expression:
        case Star():
            return "zero or more"
        case Plus():
            return "one or more"
        case Repeat(_, minimum, None):
            return f"at least {minimum}"
        case Repeat(_, minimum, maximum):
            return f"exactly {minimum}" if minimum == maximum else f"between {minimum} and {maximum}"
        case _:
            raise TypeError(f"no words for {type(expression).__name__}")


def _single(expression: Expression) -> str:
    match expression:
        case Character(char):
            return _symbol(char)
        case CharacterClass(chars, negated):
            shown = listed([_symbol(char) for char in chars], "and" if negated else "or")
            if not negated:
                return f"any of these {len(chars)} symbols: {shown}"
            return f"any symbol but {shown}" if len(chars) == 1 else f"any symbol but these {len(chars)}: {shown}"
        case AnySymbol():
            return "any one symbol"
        case Epsilon():
            return "nothing"
        case Empty():
            return "something impossible"
        case _:
            raise TypeError(f"no words for {type(expression).__name__}")


def _symbol(char: str) -> str:
    if char in _DIGITS:
        return f"an {char}" if char == "8" else f"a {char}"
    if char.isalpha():
        return f'the letter "{char}"'
    return f'the sign "{unicodedata.name(char, f"U+{ord(char):04X}").lower()}"'


def _is_short(expression: Concat, groups: int) -> bool:
    """Whether one line is easy to follow: groups at most so deep in it, and not too many symbols."""
    depth, symbols = fold(expression, _depth_and_symbols)
    return depth <= 1 + groups and symbols <= _SHORT


def _depth_and_symbols(node: Expression, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    depth = max((depth for depth, _ in parts), default=0)
    return depth + isinstance(node, Concat), sum(symbols for _, symbols in parts) + (not parts)


# Reading


def read(description: str) -> Expression:
    """The expression that was described; raises :class:`EnglishError` for any other text."""
    words = Words(description, _RESERVED)
    words.need(_OPENING)
    words.pause()
    expression = _read_sequence(words)
    words.end()
    return expression


def _read_sequence(words: Words) -> Expression:
    parts = [_read_part(words)]
    words.pause()
    while words.skip("then"):
        parts.append(_read_part(words))
        words.pause()
    return Concat(tuple(parts)) if len(parts) > 1 else parts[0]


def _read_part(words: Words) -> Expression:
    if words.skip("this group"):
        words.pause()
        inner = _read_sequence(words)
        words.need("end of group")
        return inner
    if count := words.count("any of these", "symbols"):
        return CharacterClass(tuple(read_list(words, count, "or", _read_symbol)))
    if count := words.count("one of these", ""):
        parts = read_list(words, count, "or", _read_part)
        return Union(tuple(parts)) if count > 1 else parts[0]
    for opening, reader in _READERS:
        if words.skip(opening):
            return reader(words)
    return _read_repetition(words) or Character(_read_symbol(words))


def _read_repetition(words: Words) -> Expression | None:
    if words.skip("zero or more"):
        return Star(_read_repeated(words))
    if words.skip("one or more"):
        return Plus(_read_repeated(words))
    if (minimum := words.count("at least", "")) is not None:
        return Repeat(_read_repeated(words), minimum, None)
    if (exact := words.count("exactly", "")) is not None:
        return Repeat(_read_repeated(words), exact, exact)
    if (minimum := words.count("between", "and")) is not None and (maximum := words.count("", "")) is not None:
        return Repeat(_read_repeated(words), minimum, max(minimum, maximum))
    return None


def _read_repeated(words: Words) -> Expression:
    if words.skip("repetitions of"):
        return _read_part(words)
    several = words.name()
    if not _SEVERAL.fullmatch(several):
        raise EnglishError(f"expected digits such as '0s', found {several!r}")
    return Character(several[0])


def _read_other(words: Words) -> Expression:
    """What follows "any symbol but"."""
    count = words.count("these", "") or 1
    return CharacterClass(tuple(read_list(words, count, "and", _read_symbol)), negated=True)


def _read_symbol(words: Words) -> str:
    if words.skip("the letter"):
        char = words.name()
        known = len(char) == 1 and char.isalpha()
    elif words.skip("the sign"):
        name = words.name()
        char = _sign_named(name)
        known = bool(char)
    else:
        if not words.skip("an"):
            words.need("a")
        char = words.name()
        known = len(char) == 1 and char in _DIGITS
    if not known:
        raise EnglishError(f"{char!r} is no symbol of the kind that was announced")
    return char


def _sign_named(name: str) -> str:
    """The visible character of that Unicode name or number, or the empty string."""
    try:
        _, is_number, number = name.partition("u+")
        char = chr(int(number, 16)) if is_number else unicodedata.lookup(name)
    except (KeyError, ValueError, OverflowError):
        return ""
    return char if len(char) == 1 and char.isprintable() and not char.isspace() else ""


_READERS: tuple[tuple[str, Callable[[Words], Expression]], ...] = (
    ("any symbol but", _read_other),
    ("any one symbol", lambda _words: AnySymbol()),
    ("nothing", lambda _words: Epsilon()),
    ("something impossible", lambda _words: Empty()),
    ("optionally", lambda words: Optional(_read_part(words))),
)
