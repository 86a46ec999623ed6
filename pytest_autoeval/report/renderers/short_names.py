"""Names of suites and models where there is no room for them: shortened, broken, or without what they share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pytest_autoeval.record.suite_names import without_model
from pytest_autoeval.report.blocks import AnyBlock, Cell, Section, Table
from pytest_autoeval.report.renderers.screen import Screen
from pytest_autoeval.text import shorten_apart
from pytest_autoeval.text import width as columns

#: The columns that the file of a shortened name keeps at least.
_FILE = 8


def shortened_names(names: Sequence[str], room: int, screen: Screen) -> list[str] | None:
    """Names of suites within ``room`` columns, cut in the middle of their files. None if their tests have no room.

    Names that differ stay different. A name without a file is cut in its own middle.
    """
    if max(map(columns, names), default=0) <= room:
        return list(names)
    longest_tests: dict[str, int] = {}
    for name in names:
        file, colons, test = name.partition("::")
        if colons:
            longest_tests[file] = max(longest_tests.get(file, 0), columns(f"::{test}"))
    # The test behind `::` stays whole: only the files are cut. A file is cut in one way for all of its tests.
    rooms: dict[str, int] = {}
    for file, test_width in longest_tests.items():
        if room - test_width < columns(file):
            rooms[file] = room - test_width
    if any(file_room < _FILE for file_room in rooms.values()):
        return None
    cuts = {file: _cut_apart([file], file_room, screen)[0] for file, file_room in rooms.items()}
    # If two files look alike now, all are cut so that they differ.
    if len(set(cuts.values())) < len(cuts):
        smallest_room = min(rooms.values())
        cuts = dict(zip(rooms, _cut_apart(list(rooms), smallest_room, screen), strict=True))
    without_file = [name for name in names if "::" not in name]
    plain = dict(zip(without_file, _cut_apart(without_file, room, screen), strict=True))
    labels = [plain[name] if name in plain else _with_file(name, cuts) for name in names]
    return labels if len(set(labels)) == len(set(names)) else None


def _with_file(name: str, cuts: Mapping[str, str]) -> str:
    file, _, test = name.partition("::")
    return f"{cuts.get(file, file)}::{test}"


def _cut_apart(texts: Sequence[str], room: int, screen: Screen) -> list[str]:
    if max(map(columns, texts), default=0) <= room:
        return list(texts)
    # The mark of a cut has three columns on a screen of ASCII, where `shorten_apart` counts one.
    cut = shorten_apart(texts, room - screen.cut_width + 1)
    return [text if text in texts else screen.mark_cuts(text) for text in cut]


def cut_parts(names: Sequence[str], labels: Sequence[str]) -> dict[str, None]:
    """What was shortened, whole: the files of suites, and other names."""
    return {
        name.partition("::")[0]: None
        for name, label in zip(names, labels, strict=True)
        if name != label
    }


def common_folder(names: Sequence[str]) -> str:
    """The folder of all names, with its slash; empty if they have none in common."""
    folders = set()
    for name in names:
        file, colons, _ = name.partition("::")
        # A name without a file says nothing of folders.
        if colons:
            folders.add(file.rpartition("/")[0])
    folder = folders.pop() if len(folders) == 1 else ""
    return f"{folder}/" if folder else ""


def common_start(names: Sequence[str]) -> str:
    """The beginning that all names share, up to one of ``/?&``, if what remains of each begins with a letter."""
    if len(names) < 2:
        return ""
    # What the first and the last name by the alphabet share, all names between them share.
    lowest = min(names)
    highest = max(names)
    shared_length = next(
        (
            position
            for position, (letter, counterpart) in enumerate(zip(lowest, highest, strict=False))
            if letter != counterpart
        ),
        len(lowest),
    )
    start = lowest[: max(lowest.rfind(sign, 0, shared_length) for sign in "/?&") + 1]
    return start if all(name[len(start) : len(start) + 1].isalpha() for name in names) else ""


def name_lines(name: str, room: int, screen: Screen) -> list[str]:
    """A name in lines, broken behind a sign if one is there."""
    lines = [""]
    for piece in re.findall(r"[^/?&= -]*[/?&= -]+|[^/?&= -]+", name):
        if columns(lines[-1] + piece) > room:
            lines += screen.wrap(piece, room)
        else:
            lines[-1] += piece
    return [line.rstrip() for line in lines if line.strip()] or [""]


def with_short_names(sections: Sequence[Section]) -> list[Section]:
    """The sections of a document, in which a suite has one name. With one model, it is the name without the model."""
    suites = [section.suite for section in sections if section.suite is not None]
    models = {suite.model for suite in suites}
    if len(models) != 1:
        return list(sections)
    [model] = models
    short_names = {suite.name: without_model(suite.name, model) for suite in suites}
    # A table of earlier runs may have suites that this run has not.
    for section in sections:
        for block in section.blocks:
            for name in _suites_of(block):
                short_names.setdefault(name, without_model(name, model))
    return [_with_names(section, short_names) for section in sections]


def _suites_of(block: AnyBlock) -> set[str]:
    """The suites that the rows of a table are about; empty for another block."""
    if not isinstance(block, Table) or not block.columns or block.columns[0].name != "suite":
        return set()
    return {str(row.cells[0]) for row in block.rows if not row.total}


def _with_names(section: Section, short_names: Mapping[str, str]) -> Section:
    suite = section.suite
    if suite is not None:
        suite = replace(suite, name=short_names[suite.name])
    blocks = (
        _named_rows(block, short_names) if isinstance(block, Table) else block
        for block in section.blocks
    )
    return replace(section, suite=suite, blocks=tuple(blocks))


def _named_rows(table: Table, short_names: Mapping[str, str]) -> Table:
    def named(cell: Cell) -> Cell:
        return short_names.get(cell, cell) if isinstance(cell, str) else cell

    # Trends may have suites of other models: there only its model tells a suite apart.
    if any(short_names[name] == name for name in _suites_of(table)):
        return table
    rows = (replace(row, cells=tuple(map(named, row.cells))) for row in table.rows)
    return replace(table, rows=tuple(rows))
