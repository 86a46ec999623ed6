"""Plain English for regular expressions, and its exact reader.

A sequence is described part by part; what is repeated as a whole is a group with a spoken end; choices say how many
they are. Groups inside groups are laid out on indented lines, for people: the reader does not need the layout.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from pytest_autoeval.languages.base import EnglishError
from pytest_autoeval.languages.controlled_english import Words, listed
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
    fold,
)

_OPENING = "The string is made of"
_SHORT = 12
_DIGITS = "0123456789"
_SEVERAL = re.compile(r"[0-9]s")


# Describing


def describe(expression: Expression) -> str:
    """The expression in words: ``The string is made of a 1, then zero or more 0s, then a 1.``"""
    parts = _sequence(expression, "\n")
    return _OPENING + (":" if parts.startswith("\n") else " ") + parts + "."


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
        return f"the letter “{char}”"
    return f"the sign “{unicodedata.name(char, f'U+{ord(char):04X}').lower()}”"


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
    words = Words(description)
    words.need(_OPENING.lower())
    words.skip(":")
    expression = _read_sequence(words)
    words.end()
    return expression


def _read_sequence(words: Words) -> Expression:
    parts = [_read_part(words)]
    while words.skip(", then"):
        parts.append(_read_part(words))
    return Concat(tuple(parts)) if len(parts) > 1 else parts[0]


def _read_part(words: Words) -> Expression:
    words.deepen()
    part = next((read(words) for opening, read in _READERS.items() if words.skip(opening)), None)
    words.depth -= 1
    return part or Character(_read_symbol(words))


def _read_group(words: Words) -> Expression:
    inner = _read_sequence(words)
    words.need(", end of group")
    return inner


def _read_union(words: Words) -> Expression:
    parts = words.list(_read_count(words, ":"), "or", _read_part)
    return Union(tuple(parts)) if len(parts) > 1 else parts[0]


def _read_class(words: Words) -> Expression:
    return CharacterClass(tuple(words.list(_read_count(words, "symbols:"), "or", _read_symbol)))


def _read_other(words: Words) -> Expression:
    """What follows "any symbol but"."""
    count = words.count("these", ":") or 1
    return CharacterClass(tuple(words.list(count, "and", _read_symbol)), negated=True)


def _read_exactly(words: Words) -> Expression:
    count = _read_count(words)
    return Repeat(_read_repeated(words), count, count)


def _read_at_least(words: Words) -> Expression:
    minimum = _read_count(words)
    return Repeat(_read_repeated(words), minimum, None)


def _read_between(words: Words) -> Expression:
    minimum, maximum = _read_count(words, "and"), _read_count(words)
    return Repeat(_read_repeated(words), minimum, max(minimum, maximum))


def _read_repeated(words: Words) -> Expression:
    if words.skip("repetitions of"):
        return _read_part(words)
    several = words.name()
    if not _SEVERAL.fullmatch(several):
        raise EnglishError(f"expected digits such as '0s', found {several!r}")
    return Character(several[0])


def _read_count(words: Words, after: str = "") -> int:
    count = words.count("", after)
    if count is None:
        raise words.surprise("a number")
    return count


def _read_symbol(words: Words) -> str:
    if words.skip("the letter"):
        char = words.name()
        known = len(char) == 1 and char.isalpha()
    elif words.skip("the sign"):
        char = _sign_named(words.name())
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


#: By the words that a part opens with.
_READERS: dict[str, Callable[[Words], Expression]] = {
    "this group:": _read_group,
    "one of these": _read_union,
    "any of these": _read_class,
    "any symbol but": _read_other,
    "any one symbol": lambda _words: AnySymbol(),
    "nothing": lambda _words: Epsilon(),
    "something impossible": lambda _words: Empty(),
    "optionally": lambda words: Optional(_read_part(words)),
    "zero or more": lambda words: Star(_read_repeated(words)),
    "one or more": lambda words: Plus(_read_repeated(words)),
    "at least": _read_at_least,
    "exactly": _read_exactly,
    "between": _read_between,
}
