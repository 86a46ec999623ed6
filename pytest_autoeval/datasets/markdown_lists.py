"""The list items of a Markdown file, each as one sentence, under the heading above it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple

from pytest_autoeval.datasets.sentence_numbers import is_number
from pytest_autoeval.lazy_pattern import lazy_pattern

#: A fence of code. It ends with as many signs as it began with, or more.
_FENCE = lazy_pattern(r"(?P<indent>\s*)(?P<mark>`{3,}|~{3,})")
#: A heading with number signs, and the signs that may close it.
_HEADING = lazy_pattern(r"\s{0,3}#{1,6}(?=[ \t]|$)")
_CLOSING = lazy_pattern(r"(?<![^ \t])#+$")
#: The line below a heading that has no number signs.
_UNDERLINE = lazy_pattern(r"\s{0,3}(?:=+|-+)[ \t]*")
#: An item with its text, and one without any.
_ITEM = lazy_pattern(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])(?P<gap>[ \t]+)(?P<text>\S.*)")
_EMPTY_ITEM = lazy_pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*")
#: A line across the page: ``- - -`` looks like an item.
_RULE = lazy_pattern(r"\s{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
#: A comment of HTML. One that is not closed goes to the end of the text.
_COMMENT = lazy_pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)
#: What to do with requirements in a table.
TABLE_ADVICE = (
    "A table of Markdown is no list: save it as a CSV file with the columns id and sentence."
)
#: The line below the heading of a table.
_TABLE_RULE = lazy_pattern(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?")
#: Marks inside a line, each with what remains of it.
_INLINE = (
    # A link or an image, with its target in brackets of either kind.
    (lazy_pattern(r"!?\[([^\[\]\n]*)\](?:\([^()\s]*(?:\s+\"[^\"\n]*\")?\)|\[[^\[\]\n]*\])"), r"\1"),
    # An address between angle brackets, then a tag of HTML.
    (lazy_pattern(r"<(https?://[^\s<>]+)>"), r"\1"),
    (lazy_pattern(r"</?[A-Za-z][^<>\n]*>"), ""),
    # Code.
    (lazy_pattern(r"(?<!`)(`{1,2})([^`\n]+)\1(?!`)"), r"\2"),
    # Struck-through text.
    (lazy_pattern(r"~~(\S(?:[^~\n]*\S)?)~~"), r"\1"),
    # Text in bold or italics. Inside a word, ``_`` marks nothing.
    (lazy_pattern(r"(?<![\w\\*])(\*{1,3})(\S(?:[^*\n]*[^\s*])?)\1(?!\*)"), r"\2"),
    (lazy_pattern(r"(?<![\w\\])(_{1,3})([^\s_](?:[^_\n]*[^\s_])?|[^\s_]\w*[^\s_])\1(?!\w)"), r"\2"),
    # A sign that a backslash keeps from being a mark.
    (lazy_pattern(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
#: The marks that may stand around a number, at the beginning of an item.
_MARKED_BEGINNING = lazy_pattern(
    r"(?:(?:\*\*|__|\*|_|`{1,2})+)(?P<marked>[^*`\n]+?)(?:\*\*|__|\*|_|`{1,2})+(?!\w)|!?\[(?P<link>[^\[\]\n]*)\][(\[]"
)
#: A fence with more spaces before it is inside an item.
_INDENT = 3
#: The box of a task is no part of the sentence.
_TASK_BOX = lazy_pattern(r"\[[ xX]\]\s+")


class ListItem(NamedTuple):
    """The text of a list item without marks, the line where it begins, and the heading above it.

    ``marked`` is the text at its beginning that stands in bold, italics, code or a link; empty without any.
    """

    text: str
    line: int
    heading: str
    marked: str = ""


def list_items(text: str) -> Iterator[ListItem]:
    """The items of all lists, also nested and numbered ones, in their order.

    An item may go on over the next lines, up to an empty line. One that ends in a colon only introduces others, and is
    left out. Code fences, tables, quotations, comments and other paragraphs are left out too.
    """
    heading = ""
    item: list[str] = []
    # The line where the item begins, and the text of the line above, which an underline makes a heading.
    start, above = 0, ""
    # What is left out keeps its line ends, so that each item has the number of its line in the file.
    blank = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    # The empty line at the end ends the last item.
    lines = [*_without_code(_without_front_matter(blank.splitlines())), ""]
    for number, line in enumerate(lines, start=1):
        is_rule = _RULE.fullmatch(line) is not None
        new_item = None if is_rule else _ITEM.fullmatch(line)
        heading_mark = _HEADING.match(line)
        is_table_or_quotation = line.lstrip()[:1] in {"|", ">"}
        ends = is_rule or new_item or heading_mark or is_table_or_quotation or not line.strip()
        if item and (ends or _EMPTY_ITEM.fullmatch(line)):
            sentence = _sentence(item)
            if sentence:
                yield ListItem(sentence, start, heading, _marked_beginning(item))
            item = []
        if new_item:
            item = [new_item["text"]]
            start = number
        elif heading_mark:
            heading = plain_text(_CLOSING.sub("", line[heading_mark.end() :].strip()))
        elif above and _UNDERLINE.fullmatch(line):
            heading = plain_text(above)
        elif item and not ends:
            item.append(line)
        above = "" if ends or item else line.strip()


def table_rows(text: str) -> Iterator[tuple[int, str]]:
    """The rows of all tables that `list_items` leaves out: the line, and the text of the first cell."""
    blank = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    lines = list(_without_code(_without_front_matter(blank.splitlines())))
    is_below_heading = False
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("|"):
            is_below_heading = False
        elif _TABLE_RULE.fullmatch(line):
            is_below_heading = True
        elif is_below_heading:
            yield number, plain_text(line.strip().strip("|").split("|")[0])


def requirements_in_tables(path: Path, text: str, ids: Container[str]) -> Iterator[str]:
    """A line for each row of a table that looks like a requirement; other tables, as of versions, are no news.

    ``ids`` are those of the items of lists: a table may say more of them, as what tests them.
    """
    for line, cell in table_rows(text):
        if is_number(cell) and cell not in ids:
            yield f"{path}:{line}: {cell!r} is a row of a table. {TABLE_ADVICE}"


def plain_text(text: str) -> str:
    """A text of Markdown without its marks of emphasis, code, links and HTML."""
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return " ".join(unescape(text).split())


def _sentence(lines: list[str]) -> str:
    text = plain_text(_TASK_BOX.sub("", " ".join(line.strip() for line in lines), count=1))
    return "" if text.endswith(":") or lines[0].startswith(">") else text


def _marked_beginning(lines: list[str]) -> str:
    text = _TASK_BOX.sub("", lines[0].strip(), count=1)
    match = _MARKED_BEGINNING.match(text)
    return plain_text(match["marked"] or match["link"] or "") if match else ""


def _without_code(lines: list[str]) -> Iterator[str]:
    """The lines, with empty ones in place of fenced code. Code inside an item ends with the item at the latest."""
    fence, inside = "", 0
    for line in lines:
        mark = _FENCE.match(line)
        indent_of_line = len(line) - len(line.lstrip())
        # A line that is less indented is beside the item, so that its fence was never closed.
        if line.strip() and indent_of_line < inside:
            fence, inside = "", 0
        if not fence and mark:
            indent = len(mark["indent"])
            fence = mark["mark"]
            inside = indent if indent > _INDENT else 0
            yield ""
            continue
        yield "" if fence else line
        # A closing fence is at least as long as the opening one, and has no words after it.
        closes = mark is not None and mark["mark"].startswith(fence)
        if fence and closes and not line.strip(f" \t{fence[0]}"):
            fence = ""


def _without_front_matter(lines: list[str]) -> list[str]:
    """The lines, with empty ones in place of settings between ``---`` at the beginning."""
    if not lines or lines[0].strip() != "---":
        return lines
    for index, line in enumerate(lines[1:], start=1):
        if line.strip() in {"---", "..."}:
            return [""] * (index + 1) + lines[index + 1 :]
    # A rule at the beginning opens nothing.
    return lines
