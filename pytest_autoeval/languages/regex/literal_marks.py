r"""Hides the signs of an expression that would be marks of LaTeX or HTML anywhere else.

``[a\[0\]b]`` is a class of symbols, with no display mathematics inside, and ``[<b>]`` has no tag. In ``a\[0\]b``, the
brackets touch other symbols, so they are symbols, too. The reader of answers knows no expressions. So each such sign is
replaced by a character that means nothing to it, until the expression is parsed.
"""

from __future__ import annotations

import json
import re
from typing import Final

from pytest_autoeval.lazy_pattern import lazy_pattern

#: The signs, and their stand-ins from Unicode's area for private use.
_STAND_INS: Final = {
    r"\[": "\ue5b0",
    r"\]": "\ue5b1",
    r"\(": "\ue5b2",
    r"\)": "\ue5b3",
    "$": "\ue5b4",
    "<": "\ue5b5",
}
_SIGNS: Final = str.maketrans({stand_in: sign for sign, stand_in in _STAND_INS.items()})
#: A class on one line, without spaces, which text in brackets has. An escaped bracket opens no class.
_CLASS = lazy_pattern(r"(?<!\\)(?:\\\\)*+\[\^?(?:\\\S|[^\[\]\\\s])++\]")
#: A character of a class, with its backslash.
_MEMBER = lazy_pattern(r"\\?\S")
#: A character after a backslash, and what stands right before and after symbols. Marks of Markdown are not among them:
#: in ``**\(0*\)**`` the parentheses are mathematics.
_ESCAPED = lazy_pattern(r"\\\S")
_BEFORE = lazy_pattern(r"[^\W_]|[)\]}+?]|[^\W_]\*|[)\]]\*")
_AFTER = lazy_pattern(r"[^\W_]|[(\[{]")
#: A value in JSON, in which each backslash is written twice.
_JSON_VALUE = lazy_pattern(r'(?<=:)(?P<space>\s{0,9})(?P<string>"(?:[^"\\\n]|\\.)*+")')


def hidden(answer: str) -> str:
    """The answer with a stand-in for each such sign; :func:`shown` gives the signs back."""
    has_marks = "\\" in answer or "[" in answer
    # An answer with characters of the private area stays as it is: they could not be told from stand-ins.
    if not has_marks or shown(answer) != answer:
        return answer
    if "{" in answer:
        answer = _JSON_VALUE.sub(_in_json, answer)
    return _ESCAPED.sub(_without_brackets, _CLASS.sub(_without_signs, answer))


def shown(text: str) -> str:
    """The text with the signs themselves."""
    return text if text.isascii() else text.translate(_SIGNS)


def _in_json(value: re.Match[str]) -> str:
    try:
        text = json.loads(value["string"])
    except ValueError:
        # The reader repairs such strings. In one without doubled backslashes, nothing is written twice.
        return value[0]
    changed = hidden(text)
    return value[0] if changed == text else value["space"] + json.dumps(changed, ensure_ascii=False)


def _without_signs(character_class: re.Match[str]) -> str:
    return _MEMBER.sub(lambda sign: _STAND_INS.get(sign[0], sign[0]), character_class[0])


def _without_brackets(escaped: re.Match[str]) -> str:
    sign, text = escaped[0], escaped.string
    start, end = escaped.span()
    before = text[max(0, start - 3) : start]
    after = text[end : end + 1]
    is_glued = False
    if sign in (r"\[", r"\("):
        touches = _BEFORE.fullmatch(before[-1:]) or _BEFORE.fullmatch(before[-2:])
        # Some write "The regex is\[0*1\]", where the brackets are mathematics.
        is_glued = touches is not None and before != " is"
    elif sign in (r"\]", r"\)"):
        is_glued = _AFTER.fullmatch(after) is not None
    return _STAND_INS[sign] if is_glued else sign
