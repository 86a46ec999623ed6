"""Text as Markdown that acts as nothing else.

Text from models or files must not act as Markdown. Backslashes are not enough: outside of code, a mention, an issue's
number, a commit or an address becomes a link after the Markdown was parsed. So everything that is not a plain word
becomes code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.figures import Value, filled
from pytest_autoeval.text import harmless, one_line

#: A plain word of a sentence: it has no sign that Markdown reads. By lines: a word or a number with its punctuation,
#: punctuation alone, a dash, a comparison (`<` before a space begins no tag, and `>` is escaped).
_PLAIN = lazy_pattern(
    r"[(“\"']*\+?[\w%–…×→−][\w%–…×→.,'’+−-]*[)”\"'.,;:?!…%]*"
    r"|[(“”\"').,;:?!…]+"
    r"|–|—|−"
    r"|<|>"
)
#: Words that become links: part of an address, a commit, an issue of this repository.
_LINKED = lazy_pattern(r"\w\.[^\W\d]|(?<![0-9a-f])[0-9a-f]{7,}(?![0-9a-f])|\bGH-\d", re.IGNORECASE)
#: Stands in a sentence for a foreign text while our own text is written, then marks both ends of the foreign text. Our
#: own text loses this sign before, and no foreign text has it once it is harmless.
_EDGE = "\0"
#: The end of a foreign code span where another one begins. Without a space between them they would be one code span.
_TOUCHING = lazy_pattern(f"`{_EDGE}+(?=`)")
#: What a backtick is shown as.
_BACKTICK = r"\x60"
#: A beginning that would turn a paragraph into a list.
_ITEM = lazy_pattern(r"(\d{1,9})([.)])(?=\s|$)")


def code(text: str) -> str:
    """The text as inline code; several lines become one."""
    line = one_line(text)
    if not line:
        return "(empty)"
    # A backtick would end the code span.
    return f"`{line.replace('`', _BACKTICK)}`"


def block(lines: Iterable[str]) -> str:
    """The lines as a block of code."""
    harmless_lines = [harmless(line.expandtabs()) for line in lines]
    runs = [run for line in harmless_lines for run in re.findall("`+", line)]
    # A fence ends at the next line with as many signs.
    longest = max(map(len, runs), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *harmless_lines, fence])


def prose(text: str) -> str:
    """A sentence for the middle or the beginning of a line: plain words as they are, everything else as code."""
    pieces = []
    for are_plain, words in groupby(one_line(text).split(" "), key=_is_plain):
        piece = " ".join(r"\>" if word == ">" else word for word in words)
        if are_plain:
            pieces.append(piece)
        else:
            # Punctuation after code is left outside, unless there is nothing else.
            code_text = piece.rstrip(",;:.") or piece
            pieces.append(code(code_text) + piece.removeprefix(code_text))
    line = " ".join(pieces)
    # At its beginning, a number with a dot or a bracket would begin a list.
    if _ITEM.match(text.lstrip()):
        return _ITEM.sub(r"\1\\\2", line, count=1)
    return line


def sentence(
    text: str, values: Mapping[str, Value], *, foreign: Callable[[str], str] = code
) -> str:
    """A sentence of ours with its figures; foreign texts are code."""
    foreign_spans: list[str] = []

    def keep(foreign_text: str) -> str:
        foreign_spans.append(foreign(foreign_text))
        return _EDGE

    # The foreign texts are taken out, our text becomes Markdown, and they are put back between its pieces. A piece has
    # our words with their figures, because a figure may stand in brackets of ours.
    with_edges = filled(text, values, foreign=keep, own=_without_edges)
    first_piece, *further_pieces = map(_prose_with_spaces, with_edges.split(_EDGE))
    joined = first_piece
    for span, piece in zip(foreign_spans, further_pieces, strict=True):
        joined += f"{_EDGE}{span}{_EDGE}{piece}"
    return _TOUCHING.sub("` ", joined).replace(_EDGE, "").strip()


def _without_edges(text: str) -> str:
    """Our own text without the sign that stands for foreign texts."""
    return text.replace(_EDGE, "")


def table_row(cells: Sequence[str]) -> str:
    """A row of a table. The cells are Markdown of one line, as from :func:`code` and :func:`prose`."""
    # Renderers disagree whether a backslash before an escaped bar escapes the backslash or the bar.
    escaped = (re.sub(r"(?<=\\)\|", r"\\x7c", cell).replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _prose_with_spaces(piece: str) -> str:
    """A piece of a sentence as prose, with a space at each end that has one: a foreign text follows there."""
    body = piece.strip()
    if not body:
        return " " if piece else ""
    before = " " if piece[0].isspace() else ""
    after = " " if piece[-1].isspace() else ""
    return f"{before}{prose(body)}{after}"


def _is_plain(word: str) -> bool:
    # Between two spaces there is an empty word.
    if not word:
        return True
    # `\w` of the pattern has the underscore too, which begins emphasis.
    return _PLAIN.fullmatch(word) is not None and not _LINKED.search(word) and "_" not in word
