"""The fields of a counterexample as lines of text: wrapped, and cut where there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_autoeval.record.witness_words import ALL_SIDES
from pytest_autoeval.report.blocks import Counterexample, Field
from pytest_autoeval.report.renderers.screen import Screen
from pytest_autoeval.text import count, harmless, to_ascii
from pytest_autoeval.text import width as columns

#: The columns of the names of fields, at least and at most.
_LABEL, _LONGEST_LABEL = 11, 20
#: The lines of a text, and of a witness, that is not shown whole.
_TEXT_LINES, _WITNESS_LINES = 4, 10


class _Entry(NamedTuple):
    """A field with its lines. The one with the largest ``rank`` is left out first."""

    label: str
    lines: list[str]
    rank: int


def field_lines(
    example: Counterexample, room: int, screen: Screen, *, limit: int | None = None
) -> list[str]:
    """The fields under each other, what was found out, and the command, each with its name before it.

    Verbose shows whole texts. Otherwise a text has at most four lines, and with a ``limit`` the fields together have so
    many: less useful ones are left out, then the longest ones are cut. A command is never wrapped.
    """
    labels = [field.name for field in example.fields]
    label_room = max(
        _LABEL, min(_LONGEST_LABEL, max(map(columns, map(screen.text, labels)), default=0))
    )
    text_room = max(20, room - label_room - 2)
    entries = [
        _Entry(field.name, _text_lines(field, text_room, screen), 2 if field.detail else 0)
        for field in example.fields
    ]
    history = screen.sentence(example.history, example.values)
    if history:
        entries.append(_Entry("shrunk", screen.wrap(history, text_room), 3))
    if example.command:
        entries.append(_Entry("reproduce", [command_text(example.command, screen)], 1))
    if limit is not None:
        entries = _within(entries, limit, text_room, screen)
    lines_of_fields = []
    for label, lines, _ in entries:
        name = screen.cut(screen.text(label), label_room)
        heads = [f"{name}{'':{label_room - columns(name)}}", *[" " * label_room] * (len(lines) - 1)]
        lines_of_fields += [
            f"{head}  {line}".rstrip() for head, line in zip(heads, lines, strict=True)
        ]
    return lines_of_fields


def command_text(command: str, screen: Screen) -> str:
    """A command on one line, never wrapped."""
    line = harmless(command)
    return line if screen.unicode else to_ascii(line)


def _within(entries: Sequence[_Entry], limit: int, room: int, screen: Screen) -> list[_Entry]:
    """The entries in ``limit`` lines."""
    remaining = list(entries)
    while len(remaining) > max(1, limit):
        # Of equally useful ones the longest: a formula has one line where a description has four.
        remaining.remove(
            max(
                remaining, key=lambda entry: (entry.rank, len(entry.lines), columns(entry.lines[0]))
            )
        )
    while sum(len(entry.lines) for entry in remaining) > limit:
        longest = max((entry.lines for entry in remaining), key=len)
        if len(longest) == 1:
            break
        del longest[-1]
        mark = screen.mark_cuts("…")
        # A field may be cut several times, and has one mark at its end.
        longest[-1] = screen.cut(f"{longest[-1].removesuffix(mark)} {mark}", room)
    return remaining


def _text_lines(field: Field, room: int, screen: Screen) -> list[str]:
    if not field.text.strip():
        return ["(empty)"]
    if field.name in ("witness", "its witness"):
        return _witness_lines(field.text, room, screen)
    # Without its last words, a case may seem to be another one.
    if field.name == "case":
        return screen.wrap(screen.text(field.text), room)
    if screen.verbosity > 0:
        sources = field.text.strip().split("\n")
        return [line for source in sources for line in screen.wrap(screen.text(source), room)]
    # Only the start is made harmless: an answer may have a megabyte.
    start = " ".join(field.text.split())[: _TEXT_LINES * (room + 1) + 1]
    return screen.wrap(screen.text(start), room, _TEXT_LINES)


def _witness_lines(text: str, room: int, screen: Screen) -> list[str]:
    """A witness of one line is wrapped. One of several lines is a table whose spaces are kept."""
    source = text if screen.verbosity > 0 else in_a_row(text)
    # The columns of the table stand under each other only if tabs are spaces.
    lines = [harmless(line.expandtabs()) for line in source.strip("\n").split("\n") if line.strip()]
    lines = lines if screen.unicode else list(map(to_ascii, lines))
    if len(lines) == 1:
        return screen.wrap(lines[0], room)
    if screen.verbosity > 0:
        whole_lines: list[str] = []
        for line in lines:
            # Wrapping would remove the spaces of the table, so only lines without room are wrapped.
            whole_lines += [line] if columns(line) <= room else screen.wrap(line, room)
        return whole_lines
    hidden = len(lines) - _WITNESS_LINES
    visible = [screen.cut(line, room) for line in lines[:_WITNESS_LINES]]
    if hidden > 0:
        visible.append(
            f"{screen.mark_cuts('…')} {count(hidden, 'more line')}; {screen.more} shows all"
        )
    return visible


def in_a_row(text: str) -> str:
    """A table of names and values on one line, the values of the two formulas first, so that no cut removes them:
    ``(given: true, model's: false) domain = {1}; bob = 1``. Another text is unchanged.
    """
    rows = [line.split(maxsplit=1) for line in text.split("\n")]
    if (
        len(rows) < 2
        or tuple(row[0] for row in rows[-2:] if row) not in ALL_SIDES
        or any(len(row) != 2 for row in rows)
    ):
        return text
    *symbols, first, second = rows
    values = f"{first[0]}: {first[1]}, {second[0]}: {second[1]}"
    return f"({values}) {'; '.join(' = '.join(row) for row in symbols)}"
