"""The marks around a text that are no part of it: Markdown, quotes, mathematics, the punctuation of a sentence."""

from __future__ import annotations

import re
from typing import Final

from pytest_autoeval.lazy_pattern import lazy_pattern

#: A piece of a line in code (one to three backticks), mathematics (``\(…\)``, or one or two dollar signs) or bold.
#: A dollar sign that opens stands before no space, and one that closes after no space and before no digit: such signs
#: may be of money.
SPAN = lazy_pattern(
    r"(?<!`)(?P<tick>`{1,3})(?!`)(?P<code>[^\n]+?)(?<!`)(?P=tick)(?!`)"
    r"|(?<!\\)\\\((?P<math>(?:[^\n\\]|\\[^()\n])++)\\\)"
    r"|(?<![\\$\w])(?P<sign>\$\$?)(?![ $])(?P<dollar>[^$\n]+?)(?<![ \\])(?P=sign)(?![\d$])"
    r"|\*\*(?P<bold>(?![ *])[^*\n]+?)(?<! )\*\*(?!\*)"
)
#: The marks of headings, quotations and lists at the start of a line.
_LEADING_MARKS = lazy_pattern(r"^\s*+(?:(?:#{1,6}|>|[-*+•]|\d{1,3}[.)])\s++)++")
#: Pictures at the start of a line. The last sign (U+FE0F) asks for the coloured form of the one before it.
_LEADING_PICTURES = lazy_pattern(r"^[\s✅✔☑👉➡🔹▪★⭐✨\ufe0f]+(?=\S)")
#: What may end a sentence or a line of a list.
PUNCTUATION: Final = ".。;,"
#: Opening quotes with the closing ones.
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»"}
#: The largest number of layers of marks around one answer. It bounds the work on a hostile answer.
_MOST_LAYERS: Final = 8
#: Characters of the longest line in which spans are searched for. It bounds the work on a hostile answer.
LONGEST_LINE: Final = 20_000


def bare(text: str, end_signs: str = "", *, is_code: bool = False) -> str:
    """The text without marks that enclose all of it: white space, Markdown, quotes, a closing period.

    The characters in ``end_signs`` may be signs of the answer itself, so they stay at its ends. In code, a period is
    not the end of a sentence.
    """
    for _ in range(_MOST_LAYERS):
        stripped = text.strip()
        unclosed = stripped if is_code else unpunctuated(stripped, end_signs)
        inner = _peeled(unclosed, end_signs)
        is_unchanged = inner == text
        if is_unchanged and not is_code:
            # A final sign in ``end_signs`` was kept. After marks it can only be the end of a sentence.
            inner = _peeled_before_period(inner, end_signs)
        if inner == text:
            break
        # What is inside the marks of code is code in all further layers.
        is_code = is_code or text.lstrip().startswith("`")
        text = inner
    return text


def unpunctuated(text: str, end_signs: str = "") -> str:
    """The text without the punctuation at its end.

    Two periods in a row are no end of a sentence, and a sign after a backslash is part of the text. Both stay, as do
    the characters in ``end_signs``.
    """
    end = len(text)
    while end:
        sign = text[end - 1]
        sign_before = text[end - 2 : end - 1]
        if sign not in PUNCTUATION or sign in end_signs:
            break
        is_doubled = sign == "." and sign_before == "."
        if is_doubled or _is_escaped(text, end - 1):
            break
        end -= 1
    # A text of nothing but punctuation stays.
    return text[:end] or text


def _is_escaped(text: str, index: int) -> bool:
    """Whether a sign has an odd number of backslashes before it: of an even number each two are one backslash."""
    backslashes = index - len(text[:index].rstrip("\\"))
    return backslashes % 2 == 1


def _peeled_before_period(text: str, end_signs: str) -> str:
    """The text inside marks that punctuation follows; the text itself if there are no such marks.

    The punctuation is outside of the marks, so it is no sign of the answer.
    """
    marked = unpunctuated(text)
    inside = _peeled(marked, end_signs)
    has_marks = inside != marked
    return inside if has_marks else text


def undecorated(line: str) -> str:
    """A line without leading pictures, and then without leading marks of lists, headings and quotations."""
    return _LEADING_MARKS.sub("", _LEADING_PICTURES.sub("", line))


def _peeled(text: str, end_signs: str) -> str:
    """The text without one layer of marks, if it is one marked span from end to end."""
    # The first character may be a sign of the answer itself. The empty text is in every text, so it ends here, too.
    if text[:1] in (end_signs or " "):
        return text
    match = SPAN.match(text) if len(text) <= LONGEST_LINE else None
    if match is not None and match.end() == len(text):
        return content(match)
    if len(text) > 2:
        opening = text[0]
        closing = text[-1]
        inner = text[1:-1]
        is_quoted = _QUOTES.get(opening) == closing
        is_emphasised = opening == closing and opening in "*_"
        # A mark inside would close the first one: “p” and “q” are two spans, not one.
        is_one_span = opening not in inner and closing not in inner
        if (is_quoted or is_emphasised) and is_one_span:
            return inner
    return text


def content(match: re.Match[str]) -> str:
    """The text inside the marks of a :data:`SPAN`: exactly one of its four groups has matched."""
    return match["code"] or match["math"] or match["dollar"] or match["bold"]
