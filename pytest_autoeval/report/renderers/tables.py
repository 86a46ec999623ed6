"""A table as aligned lines of a terminal, in several parts if its columns have no room beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pytest_autoeval.report.blocks import Column, Row, Table
from pytest_autoeval.report.renderers.cells import TEXTS, cell_text, headings
from pytest_autoeval.report.renderers.only_suite import without_only_suite
from pytest_autoeval.report.renderers.screen import SIGNS, Screen
from pytest_autoeval.report.renderers.short_names import (
    common_folder,
    common_start,
    cut_parts,
    name_lines,
    shortened_names,
)
from pytest_autoeval.text import Line, Style, count
from pytest_autoeval.text import width as columns

#: The columns for the first cells of the rows, at least; and for the name of a model, which is wrapped behind them.
_NARROW, _HEADING = 20, 22
#: So many names may stand on lines of their own, above their numbers, so that all columns have room.
_FEW = 3
_GAP = "  "


class _Economy(NamedTuple):
    """What the table has without room for all: intervals in whole percent, and so many of the optional columns."""

    short: bool = False
    optional: int | None = None


_WHOLE = _Economy()
#: How many lines a long text takes at most, if it is the only one.
_MOST_LINES = 4
#: Columns beside each other: lines of equal width, those of the heading first.
_Block = list[str]


def table_lines(table: Table, screen: Screen, indent: int) -> Iterator[Line]:
    """The table, with a line for the rows that are not shown. A sign stands before ``indent``, in two columns."""
    suite, table = without_only_suite(table)
    rows = [row for row in table.rows if screen.shows(row.level)]
    if table.title:
        yield from screen.wrapped(screen.text(table.title), indent, "title")
    if suite and rows:
        yield from screen.wrapped(screen.text(suite), indent)
    if is_list(table):
        for row in rows:
            yield from screen.wrapped(screen.text(str(row.cells[0])), indent + 2)
    elif rows:
        yield from _TableLines(table, rows, screen, indent).lines()
    if hidden := len(table.rows) - len(rows):
        hidden_rows = count(hidden, f"other {screen.text(table.thing)}")
        yield from screen.wrapped(
            f"and {hidden_rows}; {screen.more} shows {'it' if hidden == 1 else 'them'}",
            indent,
            "dim",
        )
    if table.mark and any(row.marked for row in rows):
        yield from screen.wrapped(f"* {screen.text(table.mark)}", indent, "dim")


def shown_columns(table: Table, screen: Screen, indent: int) -> set[str]:
    """The names of the columns that a table has on a screen: without room, some are left out."""
    _, table = without_only_suite(table)
    rows = [row for row in table.rows if screen.shows(row.level)]
    drawn = _TableLines(table, rows, screen, indent)
    # What has room is known only when the lines are made.
    for _ in drawn.lines() if rows else ():
        pass
    return drawn.shown_names


def is_list(table: Table) -> bool:
    """Whether a table has sentences alone, which need no heading and are never cut."""
    return [column.unit for column in table.columns] == ["text"]


class _TableLines:
    """Some rows of a table on a screen."""

    def __init__(self, table: Table, rows: Sequence[Row], screen: Screen, indent: int) -> None:
        self._rows, self._screen, self._indent = rows, screen, indent
        self._headings = list(map(screen.text, headings(table)))
        self._width = screen.width - indent
        #: What has no room in the row of a long text in the last column, by the numbers of the rows.
        self._rest: dict[int, list[str]] = {}
        # Verbose shows such texts whole. A single one, such as the message of an error, may take some lines: what a
        # reader should do stands at its end.
        self._wraps = screen.verbosity > 0 or len(rows) == 1
        self._economy = _WHOLE
        self._most_lines = None if screen.verbosity > 0 else _MOST_LINES
        # The first column names what a row is about; the others stand beside it in blocks.
        self._head, *others = list(enumerate(table.columns)) or [(0, Column(""))]
        self._columns = [entry for entry in others if not _is_empty(*entry, rows)]
        self._optional = list(
            dict.fromkeys(column.name for _, column in self._columns if column.optional)
        )
        self._head_column = self._head[1]
        groups = [
            list(entries) for _, entries in groupby(self._columns, key=lambda entry: entry[1].group)
        ]
        self._groups = {group[0][1].group: group for group in groups if group[0][1].group}
        # Models across that show the same: it is said once, before their names.
        headings_of_groups = set()
        for group in self._groups.values():
            headings_of_groups.add(tuple(self._headings[number] for number, _ in group))
        self._common = common_start(list(self._groups))
        self._alike = (
            len(self._groups) > 1
            and len(headings_of_groups) == 1
            and len(self._groups) == len(groups)
        )
        labels = [self._heading(_WHOLE), *(screen.text(self._name(row)) for row in rows)]
        # If all names are short, a block too wide for a line beside them has their spare columns too.
        self._narrow = min(_NARROW, max(map(columns, labels)))

    @property
    def shown_names(self) -> set[str]:
        """The names of the columns that are shown, after `lines`."""
        shown = self._shown(self._columns, self._economy)
        return {self._head_column.name, *(column.name for _, column in shown)}

    def lines(self) -> Iterator[Line]:
        names = [self._screen.text(self._name(row)) for row in self._rows]
        folder = common_folder(names) if self._head_column.unit == "name" else ""
        short = [name.removeprefix(folder) for name in names]
        economy, blocks, room = self._fitting(short)
        fitting = max(map(columns, names)) <= room
        remarks = [f"headings begin with {self._screen.text(self._common)}"] if self._common else []
        if folder and not fitting:
            remarks.insert(0, f"{self._screen.text(self._head_column.name)}s in {folder}")
            names = short
        labels = self._labels(names, room)
        if self._is_worth_lines_for_names(names, economy):
            are_short = max(map(columns, names)) <= self._narrow
            if are_short and not any(map(self._fits_below, self._economies())):
                # The table has several parts in any case, and short names have room in each.
                economy, blocks = _WHOLE, self._blocks(_WHOLE)
            else:
                labels = None
        # If the name of a test is longer than the room, names stand above their numbers.
        if labels is None:
            yield from self._screen.wrapped(", ".join(remarks), self._indent, "dim")
            yield from self._under_names(names)
            return
        heading = self._heading(economy)
        if self._alike and columns(heading) > room:
            # Cut off, it would not say what the later columns are.
            remarks.append(f"columns: {heading}")
            heading = self._screen.text(self._head_column.name)
        heading = self._screen.cut(heading, room)
        yield from self._beside_names(heading, labels, blocks, ", ".join(remarks))
        if self._head_column.unit == "name" and labels != names:
            yield from self._screen.wrapped(
                f"shortened: {', '.join(cut_parts(names, labels))}", self._indent, "dim"
            )

    def _is_worth_lines_for_names(self, names: Sequence[str], economy: _Economy) -> bool:
        """Whether a line more for each of a few names costs less than the columns that are left out."""
        if self._head_column.unit != "name" or len(names) > _FEW or not economy.short:
            return False
        return len(self._optional) - (economy.optional or 0) > 1

    def _name(self, row: Row) -> str:
        return self._cell_text(row, *self._head, _WHOLE)

    def _fitting(self, names: Sequence[str]) -> tuple[_Economy, list[_Block], int]:
        """The blocks that leave enough room for the names, and this room; else those that are the narrowest."""
        widest_name = max(map(columns, (self._screen.text(self._head_column.name), *names)))
        for economy in self._economies():
            blocks = self._blocks(economy)
            widths = [columns(block[0]) + len(_GAP) for block in blocks]
            room = self._width - sum(widths)
            if room >= widest_name:
                return economy, blocks, room
        # In parts: at least two blocks beside the names, if these keep some room. Any two may meet in a part.
        widths.sort()
        beside_two = self._width - sum(widths[-2:])
        beside_one = self._width - sum(widths[-1:])
        if len(blocks) == 1 or beside_two < _NARROW:
            return economy, blocks, beside_one
        return economy, blocks, max(room, beside_two)

    def _economies(self) -> Iterator[_Economy]:
        """All that a table may leave out, the least first."""
        yield _WHOLE
        # Columns stand in the order of their importance: the last one is left out first.
        for number in range(len(self._optional), -1, -1):
            yield _Economy(True, number)

    def _labels(self, names: Sequence[str], room: int) -> list[str] | None:
        if self._head_column.unit == "name":
            return shortened_names(names, room, self._screen)
        labels = [self._screen.cut(name, room) for name in names]
        if self._head_column.unit in TEXTS:
            return labels
        # Numbers as names of rows, such as sizes, stand at the right like all numbers.
        widest = max(map(columns, (self._heading(_WHOLE), *labels)))
        return _to_the_right(labels, min(room, widest))

    def _heading(self, economy: _Economy) -> str:
        """What stands over the names: what all models show, or the only model, or what the names are."""
        if self._alike:
            group = next(iter(self._groups.values()))
            return ", ".join(
                self._headings[column_number] for column_number, _ in self._shown(group, economy)
            )
        if len(self._groups) == 1:
            return self._screen.text(next(iter(self._groups)))
        return self._screen.text(self._head_column.name)

    def _beside_names(
        self, heading: str, labels: Sequence[str], blocks: Sequence[_Block], remark: str
    ) -> Iterator[Line]:
        """The blocks beside the names, in as many parts as they need. The remark stands in the corner, or above all."""
        widest = max(map(columns, (heading, *labels)))
        blocks_of_parts = list(_parts(blocks, self._width - widest))
        # Without a second line over the columns there is no corner.
        has_corner = max(map(len, blocks_of_parts[0]), default=0) >= len(labels) + 2
        if not has_corner or columns(remark) > widest:
            yield from self._screen.wrapped(remark, self._indent, "dim")
            remark = ""
        for blocks_beside in blocks_of_parts:
            yield from self._placed(
                heading, labels, blocks_beside, remark, at_end=blocks_beside is blocks_of_parts[-1]
            )
            remark = ""

    def _placed(
        self,
        heading: str,
        labels: Sequence[str],
        blocks: Sequence[_Block],
        remark: str = "",
        *,
        at_end: bool = False,
    ) -> Iterator[Line]:
        """The lines of a part: names at the left, blocks beside each other. A remark may stand above the heading.

        In the part ``at_end`` long texts go on below their rows.
        """
        heading_lines = max((len(block) for block in blocks), default=1 + len(labels)) - len(labels)
        lines = [remark, *[""] * (heading_lines - 2)] if heading_lines > 1 else []
        lines += [heading, *labels] if heading_lines else labels
        widest = max(map(columns, lines))
        lines = [f"{label}{'':{widest - columns(label)}}" for label in lines]
        for block in blocks:
            missing = [" " * columns(block[0])] * (len(lines) - len(block))
            lines = [
                f"{line}{_GAP}{cells}"
                for line, cells in zip(lines, [*missing, *block], strict=True)
            ]
        for number, line in enumerate(lines):
            if number < heading_lines:
                yield Line(f"{'':{self._indent}}{line}".rstrip(), "dim")
                continue
            yield self._signed(self._rows[number - heading_lines], line)
            if blocks and at_end:
                # The further lines of a long text stand under its first one.
                start = self._indent + columns(line) - columns(blocks[-1][0])
                for further_line in self._rest.get(number - heading_lines, ()):
                    yield Line(f"{'':{start}}{further_line}")

    def _under_names(self, names: Sequence[str]) -> Iterator[Line]:
        """Each name whole on a line of its own, its numbers below."""
        # Further lines have no place between a name and its numbers: long texts are cut instead.
        self._wraps = False
        economy = next(filter(self._fits_below, self._economies()), None)
        if economy is None:
            # The table has several parts in any case, so nothing is gained by leaving columns out.
            economy = _WHOLE
            heading = self._screen.cut(self._heading(_WHOLE), _NARROW)
        else:
            heading = self._heading(economy)
        for blocks in _parts(self._blocks(economy), self._width - columns(heading)):
            lines = list(self._placed(heading, [""] * len(names), blocks))
            heading_lines = len(lines) - len(names)
            yield from lines[:heading_lines]
            for name, row, line in zip(names, self._rows, lines[heading_lines:], strict=True):
                yield self._signed(row, name)
                yield Line(f"{'':{self._indent}}{line.text[self._indent :]}", line.style)

    def _fits_below(self, economy: _Economy) -> bool:
        """Whether all columns have room beside each other, and the heading before them."""
        room = self._width - columns(self._heading(economy))
        return len(list(_parts(self._blocks(economy), room))) == 1

    def _signed(self, row: Row, text: str) -> Line:
        plain: tuple[str, Style] = ("", "plain")
        sign, style = plain if row.state is None else SIGNS[row.state]
        # If the cells have states of their own, that of the row would say it twice.
        sign_text = "" if any(row.states) else self._screen.text(sign)
        margin = " " * (self._indent - 2)
        return Line(f"{margin}{sign_text:2}{text}".rstrip(), style)

    def _shown(
        self, group: Sequence[tuple[int, Column]], economy: _Economy
    ) -> list[tuple[int, Column]]:
        optional_names = self._optional[: economy.optional]
        return [
            entry for entry in group if not entry[1].optional or entry[1].name in optional_names
        ]

    def _blocks(self, economy: _Economy) -> list[_Block]:
        """The columns of each model as a block, and every other column. A block too wide for a line is divided."""
        # Every economy has other widths, and so other further lines.
        self._rest.clear()
        # The last economy that is tried is the one that is shown.
        self._economy = economy
        blocks = []
        for group, entries in groupby(
            self._shown(self._columns, economy), key=lambda entry: entry[1].group
        ):
            columns_of_group = [self._column(*entry, economy) for entry in entries]
            if self._alike:
                # The headings are the same for all models, and stand once, over the names.
                columns_of_group = [cells[1:] for cells in columns_of_group]
            if not group:
                blocks += columns_of_group
                continue
            blocks_of_group = columns_of_group
            joined_columns = list(map(_GAP.join, zip(*columns_of_group, strict=True)))
            if columns(joined_columns[0]) <= self._width - self._narrow - len(_GAP):
                # The columns of a model are not torn apart by the end of a part.
                blocks_of_group = [joined_columns]
            if len(self._groups) > 1:
                blocks_of_group = [self._under(group, block) for block in blocks_of_group]
            blocks += blocks_of_group
        return blocks

    def _under(self, group: str, block: _Block) -> _Block:
        """A block under the name of its model."""
        name = self._screen.text(group.removeprefix(self._common))
        room = max(min(_HEADING, columns(name)), columns(block[0]))
        heading = name_lines(name, room, self._screen)
        return _to_the_right([*heading, *block], room)

    def _column(self, column_number: int, column: Column, economy: _Economy) -> list[str]:
        """The heading and the cells of a column, all equally wide: numbers to the right, texts to the left."""
        is_last = column_number == self._columns[-1][0]
        wraps = self._wraps and is_last and column.unit in TEXTS and not column.group
        cells = self._texts(column_number, column, economy, wraps=wraps)
        states = [row.states[column_number] if row.states else None for row in self._rows]
        if any(states):
            # A number stands at the right of its column, and a word beside its sign.
            if column.unit not in TEXTS:
                cells = _to_the_right(cells, max(map(columns, cells)))
            signs = ["" if state is None else SIGNS[state][0] for state in states]
            cells = [
                f"{self._screen.text(sign):2}{cell}"
                for sign, cell in zip(signs, cells, strict=True)
            ]
        # What goes on below its row may be wider than the first line of it.
        below = self._rest.values() if is_last else ()
        lines_below = [line for lines in below for line in lines]
        room = max(map(columns, (*cells, *lines_below)))
        head = self._screen.cut(self._headings[column_number], max(_HEADING, room))
        room = max(room, 0 if self._alike else columns(head))
        if column.unit in TEXTS:
            return [f"{cell}{'':{room - columns(cell)}}" for cell in (head, *cells)]
        if self._alike:
            # This heading is left out, and must not widen the column.
            return [head, *_to_the_right(cells, room)]
        return _to_the_right([head, *cells], room)

    def _texts(
        self, column_number: int, column: Column, economy: _Economy, *, wraps: bool
    ) -> list[str]:
        """The texts of a column, with their stars. Where it ``wraps``, further lines become the rest of their rows."""
        # Three columns are for a sign with its space, and for a star.
        room = self._width - self._narrow - len(_GAP) - 3
        stars = [column_number in row.marked for row in self._rows]
        texts = []
        for number, (row, starred) in enumerate(zip(self._rows, stars, strict=True)):
            text = self._cell_text(row, column_number, column, economy)
            if wraps:
                wrapped = self._screen.wrap(text, room, self._most_lines)
                text, *self._rest[number] = wrapped or [""]
            star = ""
            if any(stars):  # a blank in the place of the star keeps the numbers aligned
                star = "*" if starred else " "
            texts.append(f"{self._screen.cut(text, room)}{star}")
        return texts

    def _cell_text(self, row: Row, column_number: int, column: Column, economy: _Economy) -> str:
        cell = row.cells[column_number] if row.cells else ""
        if cell is None and row.total:  # a sum has no such value
            return ""
        return self._screen.text(cell_text(cell, column, short=economy.short))


def _to_the_right(lines: Sequence[str], room: int) -> list[str]:
    return [f"{'':{room - columns(line)}}{line}" for line in lines]


def _parts(blocks: Sequence[_Block], room: int) -> Iterator[list[_Block]]:
    """The blocks in parts of ``room`` columns. Without blocks there is one part, in which the names stand alone."""
    blocks_beside: list[_Block] = []
    used_width = 0
    for block in blocks:
        block_width = len(_GAP) + columns(block[0])
        if blocks_beside and used_width + block_width > room:
            yield blocks_beside
            blocks_beside, used_width = [], 0
        blocks_beside.append(block)
        used_width += block_width
    yield blocks_beside


def _is_empty(number: int, column: Column, rows: Sequence[Row]) -> bool:
    """Whether a column can be left out, since no row has anything there. Those of a model stand with the others'."""
    if not column.optional or column.group:
        return False
    return all(row.cells[number] in (None, "") for row in rows)
