"""Anchors: ``^`` where an expression begins, and ``$`` where it ends, match nothing and may be left out.

Expressions are compared with whole strings. So ``(^a|^b)c$`` is ``(a|b)c``. Anywhere else, an anchor would make a part
of the expression match no string at all, which nobody means: it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.regex.parser import RegexToken, TokenKind

_PROBLEM = "an anchor is allowed only where the expression begins or ends: elsewhere it would match nothing"
_REPEATS = ("*", "+", "{}")


def without_anchors(tokens: Iterable[RegexToken], text: str) -> Sequence[RegexToken]:
    """The tokens without the anchors ``^`` and ``$`` inside; raises :class:`FormulaSyntaxError` for one elsewhere."""
    listed = list(tokens)
    kinds = [token.kind for token in listed]
    # Most texts have no anchor.
    if "begin" not in kinds and "end" not in kinds:
        return listed
    repeated = _repeated_groups(kinds)
    at_edge = _at_begin(kinds, "open", "begin", repeated)
    # Read backwards, a group begins with its closing parenthesis. A sign of repetition stands before it then.
    final_number = len(kinds) - 1
    at_edge |= {final_number - number for number in _at_begin(kinds[::-1], "close", "end", set())}
    remaining = []
    for number, token in enumerate(listed):
        is_anchor = token.kind in ("begin", "end")
        if not is_anchor:
            remaining.append(token)
        elif number not in at_edge:
            raise FormulaSyntaxError(_PROBLEM, text, token.offset)
    return remaining


def _repeated_groups(kinds: Sequence[TokenKind]) -> set[int]:
    """The numbers of the parentheses that open a repeated group: its second copy does not begin the expression."""
    repeated: set[int] = set()
    opened: list[int] = []
    for number, (kind, after) in enumerate(pairwise((*kinds, "close"))):
        if kind == "open":
            opened.append(number)
        elif kind == "close" and opened:
            opening = opened.pop()
            if after in _REPEATS:
                repeated.add(opening)
    return repeated


def _at_begin(
    kinds: Sequence[TokenKind], opening: TokenKind, anchor: TokenKind, repeated: set[int]
) -> set[int]:
    """The numbers of the anchors with nothing but anchors before them, in all groups around them."""
    at_edge_numbers: set[int] = set()
    is_begin = True
    #: Whether each group around begins where the expression does; the whole is the first of them.
    groups = [True]
    for number, kind in enumerate(kinds):
        if kind == anchor and is_begin:
            at_edge_numbers.add(number)
        elif kind == opening:
            is_begin = is_begin and number not in repeated
            groups.append(is_begin)
        # An alternative begins where its group does.
        elif kind in ("or", "and"):
            is_begin = groups[-1]
        elif kind != anchor:  # a symbol, a sign of repetition, or the other parenthesis
            is_begin = False
            if kind in ("open", "close") and len(groups) > 1:
                groups.pop()
    return at_edge_numbers
