"""Plain English for regular expressions, and its exact reader.

A sequence is described part by part. A repeated sequence is a group with an explicit end. A choice says how many
alternatives it has.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial

from pytest_autoeval.languages.base import EnglishError
from pytest_autoeval.languages.controlled_english import Words, listed
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.lazy_pattern import lazy_pattern

_OPENING = "the string is made of"
_DIGITS = "0123456789"
_SEVERAL = lazy_pattern(r"[0-9]s")


def describe(expression: regex.Expression) -> str:
    """The expression in words: ``The string is made of a 1, then zero or more 0s, then a 1.``"""
    return f"{_OPENING.capitalize()} {_sequence(expression)}."


def _sequence(expression: regex.Expression) -> str:
    operands = expression.parts if isinstance(expression, regex.Concat) else (expression,)
    return ", then ".join(map(_part, operands))


def _part(expression: regex.Expression) -> str:  # noqa: C901, PLR0911 (a return for each sort of node)
    """The words of one part, whose end is clear without the text after it."""
    match expression:
        case regex.Concat():
            return f"this group: {_sequence(expression)}, end of group"
        case regex.Union(operands):
            return f"one of these {len(operands)}: {listed(list(map(_part, operands)), 'or')}"
        case regex.Intersection(operands):
            return f"what fits all of these {len(operands)}: {listed(list(map(_part, operands)), 'and')}"
        case regex.Complement(inner):
            return f"anything that does not fit this: {_sequence(inner)}, end of exception"
        case regex.Optional(inner):
            return f"optionally {_part(inner)}"
        # “zero or more 0s” reads better than “repetitions of a 0”. Letters have no such plural.
        case regex.Repetition(regex.Character(char)) if char in _DIGITS:
            return f"{_how_often(expression)} {char}s"
        case regex.Repetition(inner):
            return f"{_how_often(expression)} repetitions of {_part(inner)}"
        case regex.Character(char):
            return _symbol(char)
        case regex.CharacterClass(chars, negated):
            listing = listed([_symbol(char) for char in chars], "and" if negated else "or")
            if not negated:
                return f"any of these {len(chars)} symbols: {listing}"
            count = "" if len(chars) == 1 else f"these {len(chars)}: "
            return f"any symbol but {count}{listing}"
        case regex.AnySymbol():
            return "any one symbol"
        case regex.WordBoundary(negated):
            return "no edge of a word" if negated else "the edge of a word"
    return "nothing" if isinstance(expression, regex.Epsilon) else "something impossible"


def _how_often(expression: regex.Repetition) -> str:
    match expression:
        case regex.Star():
            return "zero or more"
        case regex.Plus():
            return "one or more"
        case regex.Repeat(_, minimum, None):
            return f"at least {minimum}"
        case regex.Repeat(_, minimum, maximum):
            if minimum == maximum:
                return f"exactly {minimum}"
            return f"between {minimum} and {maximum}"
    raise TypeError(f"no words for {type(expression).__name__}")


def _symbol(char: str) -> str:
    if char in _DIGITS:
        # Only "eight" begins with a vowel.
        return f"an {char}" if char == "8" else f"a {char}"
    if char.isalpha():
        return f"the letter “{char}”"
    return f"the sign “{unicodedata.name(char, f'U+{ord(char):04X}').lower()}”"


def read(description: str) -> regex.Expression:
    """The expression of a description; raises :class:`EnglishError` for any other text."""
    words = Words(description)
    words.need(_OPENING)
    expression = _read_sequence(words)
    words.end()
    return expression


def _read_sequence(words: Words) -> regex.Expression:
    operands = [_read_part(words)]
    while words.skip(", then"):
        operands.append(_read_part(words))
    return regex.concatenated(tuple(operands))


def _read_part(words: Words) -> regex.Expression:
    # A hostile text may be nested deeply, and each level takes a frame of Python's stack.
    words.deepen()
    for opening, read_rest in _READERS.items():
        if words.skip(opening):
            operand = read_rest(words)
            break
    else:
        operand = regex.Character(_read_symbol(words))
    words.depth -= 1
    return operand


def _read_repeat(words: Words, opening: str) -> regex.Expression:
    minimum = _read_count(words, "and" if opening == "between" else "")
    maximum: int | None = minimum
    if opening == "at least":
        maximum = None
    elif opening == "between":
        maximum = max(minimum, _read_count(words))
    return regex.Repeat(_read_repeated(words), minimum, maximum)


def _read_group(words: Words) -> regex.Expression:
    inner = _read_sequence(words)
    words.need(", end of group")
    return inner


def _read_exception(words: Words) -> regex.Expression:
    inner = _read_sequence(words)
    words.need(", end of exception")
    return regex.Complement(inner)


def _read_other(words: Words) -> regex.Expression:
    count = words.count("these", ":") or 1
    return regex.CharacterClass(tuple(words.list(count, "and", _read_symbol)), negated=True)


def _read_repeated(words: Words) -> regex.Expression:
    if words.skip("repetitions of"):
        return _read_part(words)
    digits = words.name()
    if not _SEVERAL.fullmatch(digits):
        raise EnglishError(f"expected digits such as '0s', found {digits!r}")
    return regex.Character(digits[0])


def _read_count(words: Words, after: str = "") -> int:
    count = words.count("", after)
    if count is None:
        raise words.surprise("a number")
    return count


def _read_symbol(words: Words) -> str:
    if words.skip("the letter"):
        char = words.name()
        is_known = len(char) == 1 and char.isalpha()
    elif words.skip("the sign"):
        char = _sign_named(words.name())
        is_known = bool(char)
    else:
        if not words.skip("an"):
            words.need("a")
        char = words.name()
        is_known = len(char) == 1 and char in _DIGITS
    if not is_known:
        raise EnglishError(f"{char!r} is not a symbol of the announced kind")
    return char


def _sign_named(name: str) -> str:
    """The visible character with this Unicode name or number, or the empty string."""
    try:
        _, is_number, number = name.partition("u+")
        char = chr(int(number, 16)) if is_number else unicodedata.lookup(name)
    except (KeyError, ValueError, OverflowError):
        return ""
    return char if len(char) == 1 and char.isprintable() and not char.isspace() else ""


#: The readers of a part, by its first words.
_READERS: dict[str, Callable[[Words], regex.Expression]] = {
    "this group:": _read_group,
    "one of these": lambda words: regex.united(
        tuple(words.list(_read_count(words, ":"), "or", _read_part))
    ),
    "what fits all of these": lambda words: regex.intersected(
        tuple(words.list(_read_count(words, ":"), "and", _read_part))
    ),
    "anything that does not fit this:": _read_exception,
    "any of these": lambda words: regex.CharacterClass(
        tuple(words.list(_read_count(words, "symbols:"), "or", _read_symbol))
    ),
    "any symbol but": _read_other,
    "any one symbol": lambda _words: regex.AnySymbol(),
    "the edge of a word": lambda _words: regex.WordBoundary(),
    "no edge of a word": lambda _words: regex.WordBoundary(negated=True),
    "nothing": lambda _words: regex.Epsilon(),
    "something impossible": lambda _words: regex.Empty(),
    "optionally": lambda words: regex.Optional(_read_part(words)),
    "zero or more": lambda words: regex.Star(_read_repeated(words)),
    "one or more": lambda words: regex.Plus(_read_repeated(words)),
    **{
        opening: partial(_read_repeat, opening=opening)
        for opening in ("at least", "exactly", "between")
    },
}
