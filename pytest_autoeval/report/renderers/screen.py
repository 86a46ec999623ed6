"""What a terminal can show: its columns, its signs, and how much the user wants to see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pytest_autoeval.judging.gate_verdicts import MARKS, STATES, State
from pytest_autoeval.record.figures import Value, filled
from pytest_autoeval.report.blocks import Level
from pytest_autoeval.text import Line, Style, one_line, shorten, to_ascii, wrap
from pytest_autoeval.text import width as columns

#: Columns: a narrower terminal breaks lines itself.
NARROWEST = 80
#: The sign and the style of each state.
SIGNS: Mapping[State, tuple[str, Style]] = {
    STATES[verdict]: mark for verdict, mark in MARKS.items()
}
#: The verbosity that each level needs: below 0 for ``-q``, above 0 for ``-v``.
_RANKS: Mapping[Level, int] = {"quiet": -1, "default": 0, "verbose": 1}


class Screen(NamedTuple):
    """A terminal. Without ``unicode`` every text is ASCII.

    Texts become ASCII before they are measured, since some signs become several. What is added afterwards has a sign
    for a sign, but for ``…``, the mark of a cut.
    """

    verbosity: int = 0
    width: int = NARROWEST
    unicode: bool = True
    #: What shows what this screen leaves out: an option of the command, or a call in a program.
    more: str = "-v"

    def shows(self, level: Level) -> bool:
        """Whether sections, blocks and rows of this level are shown."""
        return _RANKS[level] <= max(-1, min(1, self.verbosity))

    def text(self, text: str) -> str:
        """Any text as a harmless line."""
        line = one_line(text)
        return line if self.unicode else to_ascii(line)

    def sentence(self, text: str, values: Mapping[str, Value]) -> str:
        """A sentence with its figures and foreign texts."""
        return self.text(filled(text, values))

    def cut(self, line: str, room: int) -> str:
        """The line within ``room`` columns."""
        if columns(line) <= room:
            return line
        return self.mark_cuts(shorten(line, room - self.cut_width + 1))

    def wrap(self, line: str, room: int, limit: int | None = None) -> list[str]:
        """The line in several lines of ``room`` columns; after ``limit`` lines the rest is cut."""
        lines = wrap(line, room)
        if limit is None or len(lines) <= limit:
            return lines
        # All that is left goes into the last line, which is cut at its end.
        last_line = self.cut(" ".join(lines[limit - 1 :]), room)
        return [*lines[: limit - 1], last_line]

    def wrapped(self, line: str, indent: int = 0, style: Style = "plain") -> Iterator[Line]:
        """The line as indented lines of the terminal."""
        for piece in self.wrap(line, self.width - indent):
            yield Line(f"{'':{indent}}{piece}", style)

    @property
    def cut_width(self) -> int:
        """The columns of the mark of a cut."""
        return 1 if self.unicode else 3

    def mark_cuts(self, line: str) -> str:
        """A line that was cut, with the mark that the terminal can show."""
        return line if self.unicode else line.replace("…", "...")
