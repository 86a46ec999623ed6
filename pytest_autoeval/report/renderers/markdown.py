"""A document as Markdown for the summary of a job or a comment on a pull request: the verdict first.

What a terminal shows with ``-v`` alone stands in a part that is closed at first. Without room for all, this part is
left out first, then counterexamples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from pytest_autoeval.judging.gate_verdicts import State
from pytest_autoeval.record.figures import Figure, figure_text, heading_text
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Command,
    Counterexample,
    Curve,
    Document,
    Figures,
    Note,
    Row,
    Section,
    Table,
    Verdict,
)
from pytest_autoeval.report.renderers.cells import TEXTS, cell_text, headings
from pytest_autoeval.report.renderers.fields import field_lines
from pytest_autoeval.report.renderers.markdown_text import block as code_block
from pytest_autoeval.report.renderers.markdown_text import code, prose, sentence, table_row
from pytest_autoeval.report.renderers.screen import SIGNS, Screen
from pytest_autoeval.report.renderers.short_names import with_short_names
from pytest_autoeval.report.renderers.sparkline import (
    drawn_series,
    last_value,
    places,
    scale,
    scale_text,
    sparkline,
)
from pytest_autoeval.text import count, one_line, shorten

#: GitHub allows 1 MiB in the summary of a step; some space is left for what is there already.
LIMIT = 1_000_000
#: The verdict, and the line that says what is left out, need at most this many bytes.
SHORTEST = 4_000
#: Bytes of the line that says what is left out, and of the frame of the details.
_REST = 400
#: Columns of a counterexample, and of a text in the heading.
_WIDTH, _HEADING = 104, 200
#: Columns of a curve.
_BARS = 40
#: What is kept first: verdicts, then tables and lines, then counterexamples, then the details in the same order.
_VERDICT, _LINE, _EXAMPLE, _DETAILS = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class _Head:
    """What stands once before some pieces: the heading of a section or of a table."""

    text: str


class _Piece(NamedTuple):
    """A part of the text that can be left out. ``heads`` must stand before it."""

    heads: tuple[_Head, ...]
    text: str
    rank: int
    thing: str


def markdown(document: Document, *, title: str = "pytest-autoeval", limit: int = LIMIT) -> str:
    """The document as GitHub's Markdown, at most ``limit`` bytes (from 4,000) in UTF-8.

    A line says what was left out. Text from models is neither Markdown nor HTML, a link, a mention, or an invisible
    sign. Raises :class:`ValueError` for a smaller limit.
    """
    if limit < SHORTEST:
        raise ValueError(f"the limit must be {SHORTEST} bytes or more: {limit}")
    first_section = document.sections[0] if document.sections else Section(name="verdict")
    headline = next((block for block in first_section.blocks if isinstance(block, Verdict)), None)
    text = _headline(document, headline, title)
    # The headline stands in the heading, and not again below it.
    rest_of_first = replace(
        first_section,
        blocks=tuple(block for block in first_section.blocks if block is not headline),
    )
    pieces = [
        piece
        for section in with_short_names((rest_of_first, *document.sections[1:]))
        for piece in _pieces(section)
    ]
    fitting = _fitting(pieces, limit - len(text.encode()) - _REST)
    text += _joined(piece for piece in fitting if piece.rank < _DETAILS)
    details = _joined(piece for piece in fitting if piece.rank >= _DETAILS)
    if details:
        text += f"\n<details>\n<summary>Details</summary>\n{details}\n</details>\n"
    missing = Counter(piece.thing for piece in pieces) - Counter(piece.thing for piece in fitting)
    if missing:
        things = ", ".join(
            count(number, shorten(one_line(thing), 20)) for thing, number in missing.most_common(4)
        )
        text += f"\nLeft out, for there is no room: {prose(things)}\n"
    return text


def _headline(document: Document, verdict: Verdict | None, title: str) -> str:
    state = document.state
    explanation = ""
    if verdict is not None:
        state = verdict.state
        explanation = f": {sentence(verdict.text, verdict.values, foreign=_brief)}"
    heading = prose(shorten(one_line(title), _HEADING))
    return f"## {SIGNS[state][0]} {heading}{explanation}\n"


def _brief(text: str) -> str:
    return code(shorten(one_line(text), _HEADING))


def _fitting(pieces: Sequence[_Piece], room: int) -> list[_Piece]:
    """The pieces that fit into so many bytes, the most important ones first; in their order."""
    chosen: set[int] = set()
    heads: set[_Head] = set()
    # A piece that does not fit is passed over: a shorter one of less importance may still fit.
    for position, piece in sorted(enumerate(pieces), key=lambda entry: entry[1].rank):
        missing = [head for head in piece.heads if head not in heads]
        texts = [*(head.text for head in missing), piece.text]
        # GitHub counts bytes, and a sign such as ∧ has three.
        size = len("".join(texts).encode())
        if size <= room:
            room -= size
            chosen.add(position)
            heads.update(missing)
    return [piece for position, piece in enumerate(pieces) if position in chosen]


def _joined(pieces: Iterable[_Piece]) -> str:
    texts: list[str] = []
    heads: set[_Head] = set()
    for piece in pieces:
        texts += [head.text for head in piece.heads if head not in heads]
        texts.append(piece.text)
        heads.update(piece.heads)
    return "".join(texts)


def _pieces(section: Section) -> Iterator[_Piece]:
    """The pieces of a section. What ``-v`` alone shows is ranked among the details, under a heading of its own."""
    headings = {is_detail: _Head(_section_heading(section)) for is_detail in (False, True)}
    lists = {is_detail: _Head("\n") for is_detail in (False, True)}
    for block in section.blocks:
        for piece in _block_pieces(block):
            is_detail = (
                section.level == "verbose" or block.level == "verbose" or piece.rank >= _DETAILS
            )
            heads = piece.heads or (lists[is_detail],)
            if piece.heads:  # the next line of a list begins another list
                lists[is_detail] = _Head("\n")
            # The details have the same order of importance among themselves, behind everything else.
            rank = piece.rank % _DETAILS + _DETAILS * is_detail
            if section.suite is None and section.level == "quiet" and not is_detail:
                rank = _VERDICT  # the table of all suites
            yield piece._replace(heads=(headings[is_detail], *heads), rank=rank)


def _section_heading(section: Section) -> str:
    if section.suite is not None:
        sign, _ = SIGNS[section.state or "no gate"]
        return f"\n### {sign} {code(section.suite.name)}\n"
    return f"\n### {prose(section.title)}\n" if section.title.strip() else ""


def _block_pieces(block: AnyBlock) -> Iterator[_Piece]:
    """The pieces of a block. One without heads is a line of a list."""
    match block:
        case Verdict():
            text = f"{SIGNS[block.state][0]} {sentence(block.text, block.values)}"
            yield _line(text, "verdict", _VERDICT)
        case Note():
            sign = f"{SIGNS[block.state][0]} " if block.state else ""
            yield from _lines([f"{sign}{sentence(block.text, block.values)}"], "line")
        case Figures():
            title = f"{prose(block.title)}: " if block.title.strip() else ""
            figures = "; ".join(
                f"{prose(heading_text(figure))} {_number(figure)}" for figure in block.figures
            )
            yield from _lines([f"{title}{figures}" if figures else ""], "line")
        case Table():
            yield from _table(block)
        case Curve():
            yield from _curve(block)
        case Counterexample():
            yield _example(block)
        case Command():
            text = f"{prose(block.purpose)}:\n\n{code_block([block.command])}\n"
            yield _Piece((_Head("\n"),), text, _VERDICT, "command")


def _line(text: str, thing: str, rank: int = _LINE) -> _Piece:
    return _Piece((), f"- {text}\n", rank, thing)


def _lines(texts: Iterable[str], thing: str) -> Iterator[_Piece]:
    return (_line(text, thing) for text in texts if text)


def _number(figure: Figure) -> str:
    of = f" of {figure.n:,}" if figure.unit == "rate" and figure.n is not None else ""
    return prose(f"{figure_text(figure)}{of}")


def _table(table: Table) -> Iterator[_Piece]:
    """The table, its rows one by one; those that ``-v`` alone shows are among the details."""
    groups = dict.fromkeys(column.group for column in table.columns if column.group)
    titles = [prose(table.title)] if table.title.strip() else []
    if len(groups) == 1:
        titles += map(code, groups)
    names = zip(table.columns, headings(table), strict=True)
    heads_of_columns = [_column_heading(column, name, len(groups)) for column, name in names]
    # Numbers stand at the right, so that their digits are under each other.
    sides = ["---" if column.unit in TEXTS else "---:" for column in table.columns]
    title = f"\n{', '.join(titles)}\n" if titles else ""
    start = f"{title}\n{table_row(heads_of_columns)}\n{table_row(sides)}\n"
    heads = {is_detail: (_Head(start),) for is_detail in (False, True)}
    hidden = 0
    for row in table.rows:
        is_detail = row.level == "verbose"
        hidden += is_detail
        text = f"{table_row(list(_cells(table, row)))}\n"
        yield _Piece(heads[is_detail], text, _LINE + _DETAILS * is_detail, "row")
    # A table for -v alone is among the details itself, with all of its rows.
    if hidden and table.level != "verbose":
        rows = count(hidden, f"other {table.thing}")
        yield from _lines([f"{prose(rows)} in the details"], "line")
    if table.mark and any(row.marked for row in table.rows):
        # An unescaped star would begin a list of its own.
        yield from _lines([f"\\* {prose(table.mark)}"], "line")


def _column_heading(column: Column, heading: str, groups: int) -> str:
    name = prose(heading)
    return f"{code(column.group)} {name}" if column.group and groups > 1 else name


def _cells(table: Table, row: Row) -> Iterator[str]:
    # The state of a whole row stands at its first cell.
    states: Sequence[State | None] = row.states if any(row.states) else [row.state]
    for column_number, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True)):
        sign = star = ""
        state = states[column_number] if column_number < len(states) else None
        if state is not None:
            sign = f"{SIGNS[state][0]} "
        # An unescaped star may make the text between two of them italic.
        if column_number in row.marked:
            star = r" \*"
        yield f"{sign}{_cell(cell, column, is_total=row.total)}{star}"


def _cell(cell: Cell, column: Column, *, is_total: bool) -> str:
    if cell is None and is_total:  # a sum has no such value
        return ""
    text = cell_text(cell, column)
    if isinstance(cell, str) and column.unit in {"name", "formula"} and not is_total:
        return code(text)
    return prose(text)


def _curve(curve: Curve) -> Iterator[_Piece]:
    """A line of bars for each line of the curve, with its ends and its last value."""
    series = drawn_series(curve)
    ends = scale(curve)
    title = prose(curve.title) if curve.title.strip() else f"by {prose(curve.over)}"
    note = f", {prose(scale_text(curve))}" if scale_text(curve) else ""
    for line in series:
        first_name, last_name = places(line)
        # A single point has one name, which would stand at both ends.
        end = f" {last_name}" if len(line.points) > 1 else ""
        bars = code(f"{first_name} {sparkline(line, ends, _BARS)}{end}")
        series_note = ""
        if len(series) > 1:
            series_note = f", {code(line.name)} {prose(last_value(line, curve))}"
        yield from _lines([f"{title}{series_note}: {bars}{note}"], "line")


def _example(example: Counterexample) -> _Piece:
    fields = code_block(field_lines(example, _WIDTH, Screen()))
    outcome, failure_code = one_line(example.outcome), one_line(example.code)
    kind = prose(f"{outcome} ({failure_code})")
    text = f"{kind}, {count(example.samples, 'sample')}:\n\n{fields}\n"
    return _Piece((_Head("\n"),), text, _EXAMPLE, "counterexample")
