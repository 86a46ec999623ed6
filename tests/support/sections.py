"""What holds of every section of a document, and its blocks by their kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from pytest_autoeval.record.figures import Figure, Value, filled
from pytest_autoeval.record.sample_parts import encoding_problem
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Counterexample,
    Note,
    Section,
    Table,
    Verdict,
)

B = TypeVar("B", bound=AnyBlock)

_PLACE = re.compile(r"\{(\w+)\}")


def only(sections: Iterable[Section]) -> Section:
    """The only section of some, after :func:`check`."""
    (section,) = sections
    check(section)
    return section


def check(section: Section) -> None:
    """Asserts that a section is as the document needs it.

    It can be written as JSON and read again. Rows fit their columns. A sentence has a value for each of its places, and
    no number of its own.
    """
    assert not encoding_problem(section), section.name
    assert msgspec.json.decode(msgspec.json.encode(section), type=Section) == section
    for block in section.blocks:
        if isinstance(block, Table):
            _check_table(block)
        elif isinstance(block, Note | Verdict):
            _check_sentence(block.text, block.values)
        elif isinstance(block, Counterexample):
            _check_sentence(block.history, block.values)


def _check_table(table: Table) -> None:
    assert bool(table.mark) == any(row.marked for row in table.rows)
    for row in table.rows:
        assert len(row.cells) == len(table.columns)
        for cell, column in zip(row.cells, table.columns, strict=True):
            if isinstance(cell, str):
                assert column.unit in {"name", "text", "formula"}, (column.name, cell)
            elif isinstance(cell, int | float):
                assert column.unit not in {"name", "text", "formula"}, (column.name, cell)


def _check_sentence(text: str, values: Mapping[str, Value]) -> None:
    assert set(_PLACE.findall(text)) == values.keys(), (text, values)
    assert not re.search(r"\d", _PLACE.sub("", text)), f"a number in the sentence: {text}"


def tables(section: Section) -> dict[str, Table]:
    """The tables by their titles, which are all different."""
    found = [block for block in section.blocks if isinstance(block, Table)]
    by_title = {table.title: table for table in found}
    assert len(by_title) == len(found)
    return by_title


def of_kind(section: Section, kind: type[B]) -> list[B]:
    """The blocks of one kind."""
    return [block for block in section.blocks if isinstance(block, kind)]


def texts(section: Section) -> list[str]:
    """The notes as plain text."""
    return [note_text(note) for note in of_kind(section, Note)]


def note_text(note: Note | Verdict) -> str:
    return filled(note.text, note.values)


def column(table: Table, name: str) -> list[Cell]:
    """The cells of a column."""
    (place,) = [place for place, one in enumerate(table.columns) if one.name == name]
    return [row.cells[place] for row in table.rows]


def plain(cell: Cell) -> Cell:
    """The value of a figure; another cell as it is."""
    return cell.value if isinstance(cell, Figure) else cell
