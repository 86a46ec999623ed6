"""Text for GitHub's Markdown, in which nothing that a model or a file wrote means anything.

Backslashes are not enough there: a mention, an issue's number, a commit or an address become links after the Markdown
was read, wherever they do not stand in code. So what is not a plain word becomes code, which nothing looks into.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from pytest_autoeval.reporting.text import harmless, one_line

#: A word of a sentence, with the punctuation around it; no sign of Markdown, no address, nothing that becomes a link.
#: With a space behind it `<` begins no tag.
_PLAIN = re.compile(r"[(“\"']*\+?[\w%–…×→−][\w%–…×→.,'’+−-]*[)”\"'.,;:?!…%]*|–|—|−|<")
#: What reads like a word and becomes a link: part of an address, a commit, an issue of this repository.
_LINKED = re.compile(r"\w\.[^\W\d]|(?<![0-9a-f])[0-9a-f]{7,}(?![0-9a-f])|\bGH-\d", re.IGNORECASE)
#: What would make a list of a paragraph that begins so.
_ITEM = re.compile(r"(\d{1,9})([.)])")
#: No reader takes longer runs of backticks for the ends of a code span.
_LONGEST_FENCE = 20


def code(text: str) -> str:
    """The text as code within a line; of several lines it makes one."""
    shown = one_line(text)
    if not shown:
        return "(empty)"
    runs = {len(run) for run in re.findall("`+", shown)}
    fence = next((size for size in range(1, _LONGEST_FENCE) if size not in runs), 0)
    if not fence:
        return code(shown.replace("`", r"\x60"))
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{'`' * fence}{pad}{shown}{pad}{'`' * fence}"


def block(lines: Iterable[str]) -> str:
    """The lines as a block of code of its own."""
    shown = [harmless(line.expandtabs()) for line in lines]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *shown, fence])


def prose(text: str) -> str:
    """A sentence, for the middle or the beginning of a line: its plain words as they are, everything else as code."""
    parts = []
    for plain, words in groupby(one_line(text).split(" "), key=_is_plain):
        together = " ".join(words)
        parts.append(together if plain else _with_punctuation(together))
    return _ITEM.sub(r"\1\\\2", " ".join(parts), count=1) if _ITEM.match(text.lstrip()) else " ".join(parts)


def table_row(cells: Sequence[str]) -> str:
    """A row of a table; the cells are Markdown of one line, as :func:`code` and :func:`prose` make them."""
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(markdown: str) -> str:
    # Readers disagree on whether a backslash before an escaped bar escapes the backslash or the bar.
    return re.sub(r"(?<=\\)\|", r"\\x7c", markdown).replace("|", r"\|")


def _is_plain(word: str) -> bool:
    return not word or (_PLAIN.fullmatch(word) is not None and not _LINKED.search(word) and "_" not in word)


def _with_punctuation(text: str) -> str:
    """The text as code, what punctuates the sentence after it left outside."""
    body = text.rstrip(",;:.")
    return f"{code(body)}{text[len(body) :]}" if body else code(text)
