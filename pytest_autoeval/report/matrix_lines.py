"""The matrix of suites and models for a terminal, with a legend of the signs that it uses."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence

from pytest_autoeval.judging.gates import MARKS, MEANINGS, STATES, State
from pytest_autoeval.judging.items import SuiteKey
from pytest_autoeval.record.names import function_and_parameters
from pytest_autoeval.report.horizons import NOT_KNOWN, horizon_text
from pytest_autoeval.report.matrix import Cell, Matrix, MatrixRow
from pytest_autoeval.statistics.over_suites import MeanRate
from pytest_autoeval.text import (
    Line,
    Style,
    aligned,
    bounds_text,
    count,
    in_parts,
    one_line,
    percent,
    rate_text,
    shorten,
    shorten_apart,
    wrap,
    wrapped,
)
from pytest_autoeval.text import width as columns

#: The columns for the names of suites if there are horizons, and the columns that they have in any case.
_SUITE, _NARROW = 34, 20
#: Up to so many columns a model's name stays on one line.
_MODEL = 22
#: The sign and the style of each state.
_SIGNS: dict[State, tuple[str, Style]] = {STATES[verdict]: mark for verdict, mark in MARKS.items()}
#: The legend of the star.
WORSE = "* significantly worse than another model (corrected for all pairs and suites)"
#: Marks a horizon of a task whose answers can be guessed.
_GUESSED = "°"
_LEFT_OUT = "incomplete, not answered by all models, or of samples that depended on the answers"


def suite_matrix(matrix: Matrix, idle: Collection[SuiteKey], width: int) -> Iterator[Line]:
    """The table, in several parts if its models do not fit. Suites in ``idle``, which did not run, become one line."""
    rows = [row for row in matrix.rows if any(cell is not None and cell.number not in idle for cell in row.cells)]
    if rows:
        yield from _table(matrix, rows, width)
    if hidden := len(matrix.rows) - len(rows):
        sign, style = _SIGNS["interrupted"]
        yield Line(f"{sign} {count(hidden, 'suite')} {'was' if hidden == 1 else 'were'} not run", style)
    if matrix.all_suites is not None and matrix.means and (left := len(matrix.all_suites.left_out)):
        yield from wrapped(f"the mean leaves out {count(left, 'suite')}: {_LEFT_OUT}", width, 2, "dim")
    cells = [cell for row in rows for cell in row.cells if cell is not None]
    states: set[State] = {cell.state for cell in cells} | ({"interrupted"} if idle else set())
    for state, meaning in MEANINGS.items():
        if state in states and states != {"no gate"}:  # without any gate, nothing is said of gates
            code = " (exit code 10 if no test failed)" if state == "inconclusive" else ""
            yield from wrapped(f"{_SIGNS[state][0]} {state}: {meaning}{code}", width, 2, "dim")
    if any(cell.worse_than for cell in cells):
        yield from wrapped(WORSE, width, 2, "dim")
    if any(NOT_KNOWN in _horizon(cell) for cell in cells):
        yield from wrapped(f"horizon {NOT_KNOWN}: it may lie at any size; more samples are needed", width, 2, "dim")
    if any(_GUESSED in _horizon(cell) for cell in cells):
        yield from wrapped(
            f"{_GUESSED} half-way between guessing and always right, if the horizon is shown", width, 2, "dim"
        )


def _table(matrix: Matrix, rows: Sequence[MatrixRow], width: int) -> Iterator[Line]:
    names = [one_line(row.suite) for row in rows]
    folders = {name.partition("::")[0].rpartition("/")[0] for name in names}
    common = folders.pop() if len(folders) == 1 else ""
    folder = f"{common}/" if common else ""
    short = [name.removeprefix(folder) for name in names]
    alone = len(matrix.models) == 1
    known = any(cell is not None and cell.horizon is not None for row in matrix.rows for cell in row.cells)
    for horizons in (True, False) if known else (False,):
        measured = "pass rate (95 %), horizon 50 %" if horizons else "pass rate (95 %)"
        title = f"model {one_line(matrix.models[0])}" if alone else measured
        blocks = [_block(matrix, at, rows, horizons=horizons) for at in range(len(matrix.models))]
        wide = sorted(2 + columns(block[-1]) for block in blocks)
        room = width - 2 - sum(wide)
        if room >= min(_SUITE, max(map(columns, (title, *short)))):
            break
    room = max(room, _NARROW, width - 2 - sum(wide[-2:]))  # at least two models in each part
    fitting = max(map(columns, names)) <= room
    if said := [] if fitting or not folder else [f"suites in {folder}"]:
        names = short
    if not fitting and len(parameters := {function_and_parameters(name)[1] for name in names}) == 1:
        said += [f"each [{inside}]" for inside in parameters if inside]
        names = [function_and_parameters(name)[0] for name in names]
    if not alone and matrix.common:
        said.append(f"models {one_line(matrix.common)}…")
    if said:
        yield from wrapped(", ".join(said), width, 2, "dim")
    mean = [f"  {count(len(matrix.all_suites.suites), 'suite')}, mean"] if matrix.all_suites and matrix.means else []
    heads = max(map(len, blocks)) - len(rows) - len(mean)
    blocks = [[*[" " * columns(block[-1])] * (max(map(len, blocks)) - len(block)), *block] for block in blocks]
    signs = [f"{_SIGNS[row.state][0]} " if alone else "  " for row in rows]
    labels = [
        *[""] * (heads - 1),
        f"  {shorten(title, room)}",
        *(f"{sign}{name}" for sign, name in zip(signs, shorten_apart(names, room), strict=True)),
        *mean,
    ]
    longest = max(map(columns, labels))
    labels = [f"{label}{'':{longest - columns(label)}}" for label in labels]
    dim: Style = "dim"
    styles = [dim] * heads + [_SIGNS[row.state][1] for row in rows]
    for at, line in enumerate(in_parts(labels, blocks, width)):
        place = at % len(labels)
        yield Line(line, styles[place] if place < len(styles) else "plain")


def _block(matrix: Matrix, at: int, rows: Sequence[MatrixRow], *, horizons: bool) -> list[str]:
    """The columns of a model, all equally wide: its name or what the columns are, a line for each suite, the mean."""
    cells = [row.cells[at] for row in rows]
    mean = matrix.means[at] if matrix.means else None
    if len(matrix.models) == 1:
        heading = ["pass rate (95 %)", "n", *(["horizon 50 %"] if horizons else [])]
        lines = [[rate_cell(cell), "" if cell is None else f"{cell.samples:,}", _horizon(cell)] for cell in cells]
        lines += [] if mean is None else [[mean_cell(mean), "", ""]]
        return _padded(aligned([heading, *(line[: len(heading)] for line in lines)], left=0))
    starred = any(cell.worse_than for row in matrix.rows for cell in row.cells if cell is not None)
    lines = []
    for cell in cells:
        star = "*" if cell is not None and cell.worse_than else " " if starred else ""
        sign = " " if cell is None else _SIGNS[cell.state][0]
        lines.append([sign, f"{_compact(cell)}{star}", f" {_horizon(cell).partition(' (')[0]}"])
    table = aligned([line if horizons else line[:2] for line in lines], left=0, gap=1)
    if mean is not None:  # it may use the columns of the sign
        rates = max(len(line[1]) for line in lines)
        table.append(f"{mean_cell(mean):>{2 + rates - starred}}")
    name = one_line(matrix.labels[at])
    room = max(min(_MODEL, columns(name)), *map(columns, table))
    names = (textwrap.wrap(name, room) if name.isascii() else wrap(name, room)) or [""]
    shift = " " * (room - max(map(columns, table)))  # for a name that is wider than the cells
    return _padded([*(f"{'':{room - columns(name)}}{name}" for name in names), *(shift + line for line in table)])


def _padded(lines: Sequence[str]) -> list[str]:
    wide = max(map(columns, lines))
    return [f"{line}{'':{wide - columns(line)}}" for line in lines]


def rate_cell(cell: Cell | None) -> str:
    """The rate with its interval: ``65.0 % (54.1–74.5)``."""
    if cell is None or cell.shown is None:
        return "–"
    return rate_text(cell.rate)


def _compact(cell: Cell | None) -> str:
    """The rate with the ends of its interval in whole percent: ``65.0 % (54–75)``."""
    if cell is None or cell.shown is None:
        return "–"
    _, low, high = cell.shown
    return f"{bounds_text(cell.rate)} % ({percent(low, 0)}–{percent(high, 0)})"


def mean_cell(mean: MeanRate) -> str:
    """The mean with its interval, if there is one."""
    ends = [] if mean.low is None or mean.high is None else [percent(end) for end in (mean.low, mean.high)]
    interval = f" ({'–'.join(ends)})" if ends else ""
    return f"{percent(mean.mean)} %{interval}"


def _horizon(cell: Cell | None) -> str:
    if cell is None or cell.horizon is None:
        return ""
    value, bracket, ends = horizon_text(cell.horizon).partition(" (")
    guessed = "" if cell.horizon.rate is None or not cell.horizon.known else _GUESSED
    return f"{value}{guessed}{bracket}{ends}"
