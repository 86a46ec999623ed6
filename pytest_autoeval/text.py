"""Text for a terminal: made harmless, measured, wrapped, shortened, or converted to ASCII; and numbers as text.

Text from a model is not trusted: escape sequences, line breaks and signs that reverse the reading direction must not
reach the terminal.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pytest_autoeval.inert import inert, without_commands
from pytest_autoeval.lazy_pattern import lazy_pattern

Style = Literal["plain", "good", "bad", "warn", "dim", "title"]


class Line(NamedTuple):
    """A line of text, without its end, and its style."""

    text: str
    style: Style = "plain"


#: Categories of Unicode that are escaped: controls, formats (zero width, direction), surrogates, private use,
#: unassigned, and separators of lines and paragraphs.
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: A word. No line breaks between a number and its per cent sign, or between the ``<`` of a p-value and its number.
_TOGETHER = lazy_pattern(r"(?:< (?=\d))?\S+(?:(?<=\d) %\S*)*")
#: Characters of a problem in one line.
_LONGEST_PROBLEM = 300
#: Logical signs become the ASCII variants that the strict parsers read.
_ASCII = str.maketrans(
    {
        **dict(zip("¬∧∨⊕✓✗·–−×", "~&|^+x---x", strict=True)),
        "→": "->",
        "↔": "<->",
        "∀": "forall ",
        "∃": "exists ",
        "⊤": "true",
        "⊥": "false",
        "…": "...",
        "≥": ">=",
    }
)


def harmless(text: str) -> str:
    """The text with everything but visible signs and plain spaces escaped, as in ``\\x1b``, without CI commands."""
    return inert("".join(map(_visible, text)))


def one_line(text: str) -> str:
    """The harmless text on one line: white space becomes a single space."""
    return harmless(" ".join(text.split()))


def to_ascii(text: str) -> str:
    """The text in ASCII: signs of logic and layout become plain ones, everything else is escaped."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


def width(text: str) -> int:
    """The largest number of terminal columns of a text. Wide signs take two."""
    return sum(map(_columns, text))


def brief(text: str) -> str:
    """A problem in one line, cut after some hundred characters: it may quote what a model wrote."""
    line = one_line(text)
    return line if len(line) <= _LONGEST_PROBLEM else f"{line[:_LONGEST_PROBLEM]}…"


def shorten(text: str, room: int) -> str:
    """The text within ``room`` columns, cut at the end of a word if one is near; ``…`` marks the cut."""
    if width(text) <= room:
        return text
    kept = _fitting(text, room - 1)
    last_word_ends = len(kept) if text[len(kept)] == " " else kept.rfind(" ")
    # A cut at a word is worth losing up to a third of the room.
    if last_word_ends > 2 * len(kept) // 3:
        kept = kept[:last_word_ends]
    return kept.rstrip() + "…"


def shorten_start(text: str, room: int) -> str:
    """The end of the text within ``room`` columns, after ``…``."""
    if width(text) <= room:
        return text
    reversed_end = _fitting(text[::-1], room - 1)
    return "…" + reversed_end[::-1]


def shorten_apart(texts: Sequence[str], room: int) -> list[str]:
    """Each text within ``room`` columns: its start and its end, with ``…`` between them.

    About three fifths are the start, unless different texts would then look alike.
    """
    wanted_start = 3 * room // 5
    lengths_of_start = sorted(range(2, room - 1), key=lambda start: abs(start - wanted_start))
    best: list[str] = []
    for start in lengths_of_start:
        candidate = [_without_middle(text, room, start) for text in texts]
        if len(set(candidate)) > len(set(best)):
            best = candidate
        if len(set(best)) == len(set(texts)):
            break
    return best


def _without_middle(text: str, room: int, start: int) -> str:
    if width(text) <= room:
        return text
    kept = _fitting(text, start)
    return f"{kept}{shorten_start(text[len(kept) :], room - width(kept))}"


def wrap(text: str, room: int, limit: int | None = None) -> list[str]:
    """The words of a text in lines of ``room`` columns; after ``limit`` lines the rest is ``…``.

    A number stays with its per cent sign and with a ``<`` before it. A word wider than a line is broken.
    """
    lines: list[str] = []
    for word in _TOGETHER.findall(text):
        if lines and width(lines[-1]) + 1 + width(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines += _pieces(word, room)
    if limit is None or len(lines) <= limit:
        return lines
    return [*lines[: limit - 1], shorten(" ".join(lines[limit - 1 :]), room)]


def wrapped(
    text: str, width: int, indent: int = 0, style: Style = "plain", limit: int | None = None
) -> Iterator[Line]:
    """The harmless text as indented lines of ``width`` columns; after ``limit`` lines the rest is ``…``."""
    return (
        Line(f"{'':{indent}}{line}", style) for line in wrap(one_line(text), width - indent, limit)
    )


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _HARMFUL:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def _columns(character: str) -> int:
    # A combining mark takes no column. It counts as one here, so that many of them cannot make a line endless.
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word in pieces of ``room`` columns, several if it does not fit on a line. No piece is a command of a CI."""
    start = 0
    while start < len(word):
        piece = _fitting(word[start : start + room], room) or word[start]
        harmless_piece = without_commands(piece)
        # A sign at the start of the line was written out, so less of the word fits.
        if harmless_piece != piece:
            added_columns = width(harmless_piece) - width(piece)
            piece = _fitting(piece, room - added_columns) or piece[0]
            harmless_piece = without_commands(piece)
        yield harmless_piece
        start += len(piece)


def _fitting(text: str, room: int) -> str:
    """The longest start of the text that takes at most ``room`` columns."""
    used = 0
    for position, character in enumerate(text):
        used += _columns(character)
        if used > room:
            return text[:position]
    return text


def aligned(rows: Sequence[Sequence[str]], left: int = 1, gap: int = 2) -> list[str]:
    """The rows of a table as lines, cells ``gap`` apart; the first ``left`` cells align left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        cells = [
            cell.ljust(columns) if position < left else cell.rjust(columns)
            for position, (cell, columns) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def printed(lines: Iterable[str]) -> None:
    """Writes lines to standard output, in ASCII if its encoding lacks their signs."""
    encoding = sys.stdout.encoding or "ascii"
    for line in lines:
        try:
            line.encode(encoding)
        except (UnicodeEncodeError, LookupError):
            sys.stdout.write(f"{to_ascii(line)}\n")
        else:
            sys.stdout.write(f"{line}\n")


def csv_cell(text: str) -> str:
    """The text on one line, as a cell that no spreadsheet takes for a formula.

    Excel and LibreOffice run a cell that starts with one of these signs ("CSV injection", OWASP); an apostrophe before
    it makes it text.
    """
    line = one_line(text)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line


def percent(rate: float, decimals: int = 1) -> str:
    """A rate in percent, without its sign. Only exactly 1 is shown as ``100.0``, and only 0 as ``0.0``."""
    step = 10.0**-decimals
    rounded = round(100.0 * rate, decimals)
    if rate < 1.0 and rounded >= 100.0:
        rounded = 100.0 - step
    if rate > 0.0 and rounded <= 0.0:
        rounded = step
    return f"{rounded:.{decimals}f}"


def threshold_text(threshold: float) -> str:
    """A threshold in percent, as it was given."""
    return f"{100.0 * threshold:.10g} %"


def percent_below(rate: float, threshold: float) -> str:
    """A rate below a threshold in percent, with enough decimals to show that it is below."""
    # 0.29 as a threshold is 28.999999999999996 percent in binary; 8 decimals undo that.
    threshold_percent = round(100.0 * threshold, 8)
    texts = [percent(rate, decimals) for decimals in range(1, 7)]
    return next((text for text in texts if float(text) < threshold_percent), texts[-1])


def points(difference: float) -> str:
    """A difference of two rates in percentage points, without sign: ``4.1 points``."""
    number = f"{abs(100.0 * difference):.1f}"
    return f"{number} point" if number == "1.0" else f"{number} points"


def drop_text(drop: float) -> str:
    """A drop in percentage points, as it was given: ``5 points``."""
    number = f"{100.0 * drop:.10g}"
    return f"{number} point" if number == "1" else f"{number} points"


def signed_points(difference: float) -> str:
    """A difference of two rates in percentage points, with its sign and without a unit: ``−5.6``, ``+0.2``, ``0.0``."""
    number = f"{100.0 * difference:+.1f}"
    return "0.0" if float(number) == 0.0 else number.replace("-", "−")


def p_text(p_value: float | None) -> str:
    """A p-value with three decimals, more if it is small; never 0."""
    if p_value is None:
        return "–"
    if p_value < 0.0001:
        return "< 0.0001"
    return f"{p_value:.4f}" if p_value < 0.01 else f"{p_value:.3f}"


def confidence_text(confidence: float) -> str:
    """The name of an interval: ``95 % interval``, ``99.38 % interval``."""
    return f"{confidence_percent(confidence)} interval"


def confidence_percent(confidence: float) -> str:
    """A confidence with at most two decimals, never rounded to 100 %: ``95 %``, ``99.38 %``."""
    rounded = min(99.99, round(100.0 * confidence, 2))
    return f"{rounded:g} %"


def count(number: int, thing: str) -> str:
    """A number of things: ``1 sample``, ``1,200 samples``, ``2 kinds of error``."""
    return f"{number:,} {thing if number == 1 else _plural(thing)}"


def _plural(thing: str) -> str:
    noun, preposition, complement = thing.partition(" of ")
    return f"{noun}s{preposition}{complement}"


def dollars(cost: float) -> str:
    """A cost in USD: ``$0.42``, ``less than $0.01``."""
    if 0 < cost < 0.01:
        return "less than $0.01"
    return f"${cost:,.2f}"


def duration(seconds: float) -> str:
    """A length of time, roughly: ``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 1 else "less than 1 s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def tally(counts: Mapping[str, int]) -> str:
    """Named counts, largest first: ``different 4, unparseable 1``."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{name} {number}" for name, number in ordered)
