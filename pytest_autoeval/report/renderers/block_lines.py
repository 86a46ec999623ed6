"""Each kind of block as lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.record.figures import Figure, figure_text, heading_text
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Command,
    Counterexample,
    Curve,
    Figures,
    Note,
    Series,
    Table,
    Tone,
    Verdict,
)
from pytest_autoeval.report.renderers.fields import command_text, field_lines
from pytest_autoeval.report.renderers.screen import SIGNS, Screen
from pytest_autoeval.report.renderers.short_names import shortened_names
from pytest_autoeval.report.renderers.sparkline import (
    drawn_series,
    last_value,
    places,
    scale,
    scale_text,
    sparkline,
)
from pytest_autoeval.report.renderers.tables import shown_columns, table_lines
from pytest_autoeval.text import Line, Style, count, tally
from pytest_autoeval.text import width as columns

#: Columns of a curve, at most and at least.
_WIDEST_CURVE, _NARROWEST_CURVE = 40, 10
#: Columns of the text of a curve's last value, at most.
_WIDEST_VALUE = 30
#: Columns of a command's purpose, at most.
_WIDEST_PURPOSE = 20
#: Two columns between a name and its bars, and two between the bars and the value.
_GAPS_OF_CURVE = 4
#: A heading stands two columns before what it is the heading of.
_HANGING = 2
_STYLES: dict[Tone, Style] = {
    "remark": "dim",
    "finding": "plain",
    "warning": "warn",
    "error": "bad",
}


def blocks_lines(
    blocks: Sequence[AnyBlock], screen: Screen, *, indent: int, headline: bool = False
) -> Iterator[Line]:
    """The lines of the blocks of a section. The verdict of a ``headline`` is not indented."""
    purposes = [
        columns(screen.text(block.purpose)) for block in blocks if isinstance(block, Command)
    ]
    # Commands of a section stand under each other, so a long purpose is cut.
    widest_purpose = min(_WIDEST_PURPOSE, max(purposes, default=0))
    table: Table | None = None
    for block in blocks:
        match block:
            case Verdict():
                text = screen.sentence(block.text, block.values)
                yield from screen.wrapped(text, 0 if headline else indent, SIGNS[block.state][1])
            case Note(column=column) if (
                column and table is not None and column not in shown_columns(table, screen, indent)
            ):
                # What it explains is not on the screen.
                continue
            case Note():
                sign = f"{screen.text(SIGNS[block.state][0])} " if block.state else ""
                text = f"{sign}{screen.sentence(block.text, block.values)}"
                yield from screen.wrapped(text, indent, _STYLES[block.tone])
            case Figures():
                yield from _figures_lines(block, screen, indent)
            case Table():
                table = block
                yield from table_lines(block, screen, indent)
            case Curve():
                yield from _curve_lines(block, screen, indent)
            case Counterexample():
                # Its heading stands to the left of the fields, and is indented too.
                yield from counterexample_lines(block, screen, indent=max(2 * _HANGING, indent))
            case Command():
                yield _command_line(block, screen, indent, widest_purpose)


def _figures_lines(block: Figures, screen: Screen, indent: int) -> Iterator[Line]:
    values = [f"{heading_text(figure)} {_value(figure)}" for figure in block.figures]
    text = "; ".join(values)
    if block.title:
        text = f"{block.title}: {text}"
    return screen.wrapped(screen.text(text), indent)


def _value(figure: Figure) -> str:
    """The value of a figure, for a rate with the number of its samples."""
    if figure.unit == "rate" and figure.n is not None:
        return f"{figure_text(figure)} of {figure.n:,}"
    return figure_text(figure)


def _curve_lines(curve: Curve, screen: Screen, indent: int) -> Iterator[Line]:
    """A single series as bars between the names of its ends; several below each other, with their last values."""
    drawn = drawn_series(curve)
    ends = scale(curve)
    note = screen.text(scale_text(curve))
    title = screen.text(curve.title or f"by {curve.over}")
    if len(drawn) == 1:
        first_name, last_name = map(screen.text, places(drawn[0]))
        bars = screen.text(sparkline(drawn[0], ends, _WIDEST_CURVE, unicode=screen.unicode))
        # A single point has one name, which would stand at both ends.
        end = f" {last_name}" if len(drawn[0].points) > 1 else ""
        remark = f"; {note}" if note else ""
        text = f"{first_name} {bars}{end}{remark}"
        line = screen.text(f"{title}: {text}")
        if columns(line) <= screen.width - indent:
            yield Line(f"{'':{indent}}{line}")
        else:
            yield from _curve_title(title, screen, indent)
            yield from screen.wrapped(text, indent + 2)
    elif drawn:
        yield from _curve_title(title, screen, indent)
        yield from _lines_of_several_series(drawn, curve, screen, indent + 2)
        yield from screen.wrapped(note, indent + 2, "dim")


def _curve_title(title: str, screen: Screen, indent: int) -> Iterator[Line]:
    """The title above bars. The name of a suite is never broken."""
    if "::" in title and " " not in title:
        yield Line(f"{'':{indent}}{title}")
    else:
        yield from screen.wrapped(title, indent)


def _lines_of_several_series(
    drawn: Sequence[Series], curve: Curve, screen: Screen, indent: int
) -> Iterator[Line]:
    """A line for each series: its name, its bars and its last value."""
    ends = scale(curve)
    values = [screen.cut(screen.text(last_value(series, curve)), _WIDEST_VALUE) for series in drawn]
    names = [screen.text(series.name) for series in drawn]
    room = screen.width - indent - max(map(columns, values)) - _GAPS_OF_CURVE
    most_points = max(len(series.points) for series in drawn)
    # The bars have the columns that the names leave. If these are too few, the names are shortened instead.
    room_beside_names = room - max(map(columns, names))
    most_bars = min(most_points, _WIDEST_CURVE, max(_NARROWEST_CURVE, room_beside_names))
    short_names = shortened_names(names, room - most_bars, screen)
    drawings = []
    for value, series in zip(values, drawn, strict=True):
        bars = screen.text(sparkline(series, ends, most_bars, unicode=screen.unicode))
        drawings.append(f"  {bars:{most_bars}}  {value}")
    margin = " " * indent
    if short_names is None:
        # Names without room stand above their bars.
        for name, drawing in zip(names, drawings, strict=True):
            yield Line(f"{margin}{name}")
            yield Line(f"{margin}{drawing}")
        return
    widest_name = max(map(columns, short_names))
    for name, drawing in zip(short_names, drawings, strict=True):
        fill = " " * (widest_name - columns(name))
        yield Line(f"{margin}{name}{fill}{drawing}")


def counterexample_lines(
    example: Counterexample,
    screen: Screen,
    *,
    indent: int,
    limit: int | None = None,
    samples_by_outcome: dict[str, int] | None = None,
) -> Iterator[Line]:
    """The kind of the failure with how many samples have it, and the fields of the example.

    ``limit`` is the largest number of lines. ``samples_by_outcome`` counts the failures of other kinds.
    """
    heading = screen.text(f"{example.outcome} ({example.code}), {count(example.samples, 'sample')}")
    indent_of_heading = indent - _HANGING
    if samples_by_outcome:
        # A verbose screen lists them below, in the section of the suite.
        shown = "below" if screen.verbosity > 0 else f"which {screen.more} shows"
        names = f"; other failures, {shown}: {screen.text(tally(samples_by_outcome))}"
        kinds = count(len(samples_by_outcome), "other kind")
        number = f"; {kinds} of failure, {shown}"
        # The names of the other kinds if they have room on the line, otherwise their number.
        have_room = columns(heading + names) <= screen.width - indent_of_heading
        heading += names if have_room else number
    heading_lines = [*screen.wrapped(heading, indent_of_heading, "bad")]
    yield from heading_lines
    lines_left = None if limit is None else limit - len(heading_lines)
    fields = field_lines(example, screen.width - indent, screen, limit=lines_left)
    yield from (Line(f"{'':{indent}}{line}") for line in fields)


def _command_line(command: Command, screen: Screen, indent: int, width: int) -> Line:
    purpose = screen.text(f"{screen.cut(screen.text(command.purpose), width)}:")
    return Line(f"{'':{indent}}{purpose:{width + 1}}  {command_text(command.command, screen)}")
