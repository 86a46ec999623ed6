"""Anchors: ``^`` where an expression begins, and ``$`` where it ends, match nothing and may be left out.

Expressions are compared with whole strings. So ``(^a|^b)c$`` is ``(a|b)c``. Anywhere else, an anchor would make a part
of the expression match no string at all, which nobody means: it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.regex.parser import RegexToken

_PROBLEM = "an anchor is allowed only where the expression begins or ends"
_REPEATS = ("*", "+", "{}")


def without_anchors(tokens: Iterable[RegexToken], text: str) -> Sequence[RegexToken]:
    """The tokens without the anchors ``^`` and ``$`` inside; raises :class:`FormulaSyntaxError` for one elsewhere."""
    listed = list(tokens)
    anchors = [number for number, token in enumerate(listed) if token.kind in ("begin", "end")]
    if not anchors:
        return listed
    partners = _partners(listed)
    for number in anchors:
        is_begin = listed[number].kind == "begin"
        if not (_begins if is_begin else _ends)(listed, number, partners):
            raise FormulaSyntaxError(_PROBLEM, text, listed[number].offset)
    return [token for token in listed if token.kind not in ("begin", "end")]


def _partners(tokens: Sequence[RegexToken]) -> dict[int, int]:
    """The number of the closing parenthesis of each opening one, and the other way round."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.kind == "open":
            opened.append(number)
        elif token.kind == "close" and opened:
            opening = opened.pop()
            partners[opening], partners[number] = number, opening
    return partners


def _begins(tokens: Sequence[RegexToken], number: int, partners: dict[int, int]) -> bool:
    """Whether nothing stands before a token in any group around it, and none of these is repeated."""
    number -= 1
    while number >= 0:
        match tokens[number].kind:
            case "begin":
                number -= 1
            case "or" | "and":
                number = _opening(tokens, number, partners)
            case "open":
                closing = partners.get(number)
                if closing is None or _is_repeated(tokens, closing):
                    return False
                number -= 1
            case _:
                return False
    return True


def _ends(tokens: Sequence[RegexToken], number: int, partners: dict[int, int]) -> bool:
    """Whether nothing stands after a token in any group around it."""
    number += 1
    while number < len(tokens):
        match tokens[number].kind:
            case "end":
                number += 1
            case "or" | "and":
                number = _closing(tokens, number, partners)
            case "close":
                number += 1  # a sign of repetition after it is no case of these
            case _:
                return False
    return True


def _opening(tokens: Sequence[RegexToken], number: int, partners: dict[int, int]) -> int:
    """The number of the parenthesis that opens the group around a token, -1 for none."""
    while number >= 0 and tokens[number].kind != "open":
        number = partners.get(number, 0) - 1 if tokens[number].kind == "close" else number - 1
    return number


def _closing(tokens: Sequence[RegexToken], number: int, partners: dict[int, int]) -> int:
    """The number of the parenthesis that closes the group around a token, that after the last for none."""
    end = len(tokens)
    while number < end and tokens[number].kind != "close":
        number = partners.get(number, end) + 1 if tokens[number].kind == "open" else number + 1
    return number


def _is_repeated(tokens: Sequence[RegexToken], closing: int) -> bool:
    after = closing + 1
    return after < len(tokens) and tokens[after].kind in _REPEATS
