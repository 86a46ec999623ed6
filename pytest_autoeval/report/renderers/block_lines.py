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
from pytest_autoeval.report.renderers.tables import table_lines
from pytest_autoeval.text import Line, Style, count, tally
from pytest_autoeval.text import width as columns

#: Columns of a curve, at most and at least.
_WIDEST_CURVE, _NARROWEST_CURVE = 40, 10
_STYLES: dict[Tone, Style] = {
    "remark": "dim",
    "finding": "plain",
    "warning": "warn",
    "error": "bad",
}


def blocks_lines(
    blocks: Sequence[AnyBlock], screen: Screen, *, indent: int, headline: bool = False
) -> Iterator[Line]:
    purposes = [
        columns(screen.text(block.purpose)) for block in blocks if isinstance(block, Command)
    ]
    for block in blocks:
        match block:
            case Verdict():
                text = screen.sentence(block.text, block.values)
                yield from screen.wrapped(text, 0 if headline else indent, SIGNS[block.state][1])
            case Note():
                sign = f"{screen.text(SIGNS[block.state][0])} " if block.state else ""
                text = f"{sign}{screen.sentence(block.text, block.values)}"
                yield from screen.wrapped(text, indent, _STYLES[block.tone])
            case Figures():
                yield from _figures_lines(block, screen, indent)
            case Table():
                yield from table_lines(block, screen, indent)
            case Curve():
                yield from _curve_lines(block, screen, indent)
            case Counterexample():
                yield from counterexample_lines(block, screen, indent=max(4, indent))
            case Command():
                # Commands of a section stand under each other, so a long purpose is cut.
                yield _command_line(block, screen, indent, min(20, max(purposes)))


def _figures_lines(block: Figures, screen: Screen, indent: int) -> Iterator[Line]:
    title = f"{block.title}: " if block.title else ""
    values = "; ".join(f"{heading_text(figure)} {_value(figure)}" for figure in block.figures)
    return screen.wrapped(screen.text(title + values), indent)


def _value(figure: Figure) -> str:
    of = f" of {figure.n:,}" if figure.unit == "rate" and figure.n is not None else ""
    return f"{figure_text(figure)}{of}"


def _curve_lines(curve: Curve, screen: Screen, indent: int) -> Iterator[Line]:
    """A line of bars between the names of its ends; of several lines each with its last value."""
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
        yield from _several_lines(drawn, curve, screen, indent + 2)
        yield from screen.wrapped(note, indent + 2, "dim")


def _curve_title(title: str, screen: Screen, indent: int) -> Iterator[Line]:
    """The title above bars. The name of a suite is never broken."""
    if "::" in title and " " not in title:
        yield Line(f"{'':{indent}}{title}")
    else:
        yield from screen.wrapped(title, indent)


def _several_lines(
    drawn: Sequence[Series], curve: Curve, screen: Screen, indent: int
) -> Iterator[Line]:
    ends = scale(curve)
    values = [screen.cut(screen.text(last_value(series, curve)), 30) for series in drawn]
    names = [screen.text(series.name) for series in drawn]
    # Two columns before the bars, and two after them.
    room = screen.width - indent - max(map(columns, values)) - 4
    longest = max(len(series.points) for series in drawn)
    # The bars have the columns that the names leave. If these are too few, the names are shortened instead.
    room_beside_names = room - max(map(columns, names))
    most = min(longest, _WIDEST_CURVE, max(_NARROWEST_CURVE, room_beside_names))
    short_names = shortened_names(names, room - most, screen)
    widest = max(map(columns, short_names or [""]))
    margin = " " * indent
    for name, value, series in zip(short_names or names, values, drawn, strict=True):
        bars = screen.text(sparkline(series, ends, most, unicode=screen.unicode))
        drawing = f"  {bars:{most}}  {value}"
        if short_names is None:  # a name without room stands above its line
            yield Line(f"{margin}{name}")
            yield Line(f"{margin}{drawing}")
        else:
            fill = " " * (widest - columns(name))
            yield Line(f"{margin}{name}{fill}{drawing}")


def counterexample_lines(
    example: Counterexample,
    screen: Screen,
    *,
    indent: int,
    limit: int | None = None,
    samples_by_outcome: dict[str, int] | None = None,
) -> Iterator[Line]:
    """The kind of the failure with how many others there are, and the fields."""
    heading = screen.text(f"{example.outcome} ({example.code}), {count(example.samples, 'sample')}")
    if samples_by_outcome:
        room = screen.width - indent + 2
        # The names of the other kinds if they have room on the line, otherwise their number.
        names = (
            f"; other failures, which {screen.more} shows: {screen.text(tally(samples_by_outcome))}"
        )
        number = f"; {count(len(samples_by_outcome), 'other kind')} of failure, which {screen.more} shows"
        heading += names if columns(heading + names) <= room else number
    heading_line, *further_lines = screen.wrapped(heading, indent - 2, "bad")
    yield heading_line
    yield from further_lines
    fields = field_lines(
        example,
        screen.width - indent,
        screen,
        limit=None if limit is None else limit - 1 - len(further_lines),
    )
    yield from (Line(f"{'':{indent}}{line}") for line in fields)


def _command_line(command: Command, screen: Screen, indent: int, longest: int) -> Line:
    purpose = screen.text(f"{screen.cut(screen.text(command.purpose), longest)}:")
    return Line(f"{'':{indent}}{purpose:{longest + 1}}  {command_text(command.command, screen)}")
