"""Figures and tables that a user's functions compute from the samples of a suite, checked before they are kept.

What such functions give stands in the results file (:class:`SuiteEnd`), since a report of the file does not have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import inf, isfinite
from numbers import Real
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from pytest_autoeval.by_name import added as added_by_run
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figures import Figure, Unit
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.sample_parts import encoding_problem
from pytest_autoeval.record.whole_types import whole_type
from pytest_autoeval.report.blocks import Cell, Figures, Table
from pytest_autoeval.report.task_figures import figures_in, task_blocks, titled
from pytest_autoeval.text import brief
from pytest_autoeval.users_code import place_of, typed_text

#: What `registry.add_figures` takes.
FiguresFunction = Callable[
    [Sequence[Sample]], Iterable[Figure | Figures | Table] | Figure | Figures | Table
]

#: The names of what every suite has. Programs find figures by their names, as properties of JUnit XML for example.
_TAKEN = (
    "pass rate",
    "rate",
    "interval low",
    "interval high",
    "threshold",
    "verdict",
    "reason",
    "kind",
    "model",
    "counterexample",
    "warning",
    "parsed",
    "samples",
    "planned",
    "passed",
    "failed",
    "undecided",
    "errors",
    "copied",
    "leaked",
    "compliant",
    "chance level",
    "pairs",
    "won",
    "lost",
    "difference",
    "p",
    "p value",
    "p, corrected",
    "before",
    "after",
    "required agreement",
    "baseline verdict",
    "baseline reason",
    "allowed drop",
    "smallest drop that shows",
    "pairs for a decision",
    *("agreement verdict", "agreement reason", "agreement drop verdict", "agreement drop reason"),
    "calls",
    "asked again",
    "repeated",
    "replayed",
    "tokens in",
    "tokens out",
    "reasoning tokens",
    "cost",
)
#: The fields of a figure that are numbers.
_NUMBERS = ("value", "low", "high", "upper", "deviation")
#: The ends of the values that a unit has.
_RANGES: dict[Unit, tuple[float, float]] = {
    "rate": (0.0, 1.0),
    "p": (0.0, 1.0),
    "points": (-1.0, 1.0),
}


class FigureError(AutoevalError):
    """A figure has a value that no screen can show."""


class AddedFigures(Struct):
    """What the functions gave for one suite. ``problems`` say what is missing, and why."""

    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def added_figures(functions: Iterable[FiguresFunction], suite: SuiteRecord) -> AddedFigures:
    """The figures of a suite by the functions of a user, and by the one that the run added for the kind of its task.

    A function that fails is a problem, and the others count. A function gets the samples that count, in order; that of
    a kind gets those without an error, as for the shipped kinds. None is called without samples.
    """
    added = AddedFigures()
    # Several workers end their samples in another order each time. A figure must not depend on it.
    samples = sorted(suite.counted, key=lambda sample: sample.key)
    if not samples:
        return added
    names = set(
        map(_key, (*_TAKEN, *(figure.name for figure in figures_in(task_blocks(suite, samples)))))
    )
    for function in functions:
        _compute(function, samples, added, names)
    of_kind: FiguresFunction | None = added_by_run("figures").get(suite.asked.figures or "")
    answered = [sample for sample in samples if sample.kind != OutcomeKind.ERROR]
    if of_kind is not None and answered:
        _compute(of_kind, answered, added, names)
    return added


def _compute(
    function: FiguresFunction, samples: Sequence[Sample], added: AddedFigures, names: set[str]
) -> None:
    """Adds what a function gives for some samples. ``names`` are taken."""
    about = f"the figures of {getattr(function, '__qualname__', repr(function))} are missing"
    try:
        values = given_by(
            # A copy, since the function may sort or change its list.
            function(list(samples)),
            (Figure, Figures, Table),
            "Figure, Figures or Table",
        )
    except KeyboardInterrupt:
        raise
    except FigureError as problem:
        added.problems.append(brief(f"{about}: {problem}"))
        return
    except BaseException as problem:  # noqa: BLE001  (a test's outcome is no Exception; the run has been paid for)
        added.problems.append(f"{brief(f'{about}: {typed_text(problem)}')}{place_of(problem)}")
        return
    for value in values:
        try:
            _add(value, added, names)
        except FigureError as problem:
            added.problems.append(brief(f"{about} in part: {problem}"))


def given_by(returned: object, kinds: tuple[type, ...], names: str) -> list[object]:
    """What a function of a user gave: the values that it returned or yielded, or one value of these kinds alone.

    Raises :class:`FigureError` for anything else, with the ``names`` of the kinds, and what the function raises.
    """
    if isinstance(returned, kinds):
        return [returned]
    if isinstance(returned, str) or not isinstance(returned, Iterable):
        raise FigureError(f"it gave {returned!r:.100}; return or yield objects of {names}")
    return list(returned)


def _key(name: str) -> str:
    """A name as programs have it: letters, digits and underscores."""
    return re.sub(r"\W+", "_", name.casefold()).strip("_")


def _add(value: object, added: AddedFigures, names: set[str]) -> None:
    """Adds a value. Raises :class:`FigureError`."""
    if isinstance(value, Table):
        added.tables.append(checked_table(value))
        return
    if isinstance(value, Figures):
        figures = [titled(figure, value.title) for figure in value.figures]
    elif isinstance(value, Figure):
        figures = [value]
    else:
        raise FigureError(f"it gave {value!r:.100}, which is no Figure, Figures or Table")
    for figure in map(checked_figure, figures):
        if _key(figure.name) in names:
            raise FigureError(
                f"the suite has a figure {figure.name!r} already: give it another name"
            )
        names.add(_key(figure.name))
        added.figures.append(figure)


def checked_figure(figure: object) -> Figure:
    """The figure with plain numbers. Raises :class:`FigureError` if its values are not of their types or ranges."""
    if not isinstance(figure, Figure):
        raise FigureError(f"{figure!r:.100} is no Figure")
    plain = replace(
        figure, **{name: _plain(getattr(figure, name)) for name in (*_NUMBERS, "n", "confidence")}
    )
    try:
        plain = msgspec.convert(asdict(plain), whole_type(Figure))
    except msgspec.ValidationError as problem:
        raise FigureError(f"the figure {figure.name!r:.100}: {problem}") from None
    if not plain.name.strip():
        raise FigureError("a figure has no name")
    about = f"the figure {plain.name!r}"
    for name in _NUMBERS:
        _check_number(plain, name, about)
    if plain.low is not None and plain.high is not None and plain.low > plain.high:
        raise FigureError(
            f"{about}: the interval from {plain.low:g} to {plain.high:g} has its ends exchanged"
        )
    if (plain.n or 0) < 0:
        raise FigureError(f"{about}: n is {plain.n}; give the number of samples")
    if not 0 < plain.confidence < 1:
        raise FigureError(
            f"{about}: its confidence is {plain.confidence:g}; it must lie between 0 and 1"
        )
    return plain


def _check_number(figure: Figure, name: str, about: str) -> None:
    """Raises :class:`FigureError` if a number is not finite, or out of the range of its unit."""
    number = getattr(figure, name)
    if number is None:
        return
    if not isfinite(number):
        raise FigureError(f"{about}: its {name} is {number}; give a finite number, or None")
    least, most = _RANGES.get(figure.unit, (-inf, inf))
    if name != "deviation" and not least <= number <= most:
        hint = "; a rate is a fraction: write 0.25 for 25 %" if figure.unit == "rate" else ""
        raise FigureError(
            f"{about}: its {name} is {number:g}, outside of {least:g} to {most:g}{hint}"
        )


def _plain(value: Any) -> Any:
    """A number of another library, or a fraction, as one of Python. True and False are no numbers."""
    # True is an int in Python, and would be shown as 1.
    if isinstance(value, bool):
        return str(value)
    if type(value) in (int, float) or not isinstance(value, Real):
        return value
    # Only whole numbers have an index, such as those of numpy.
    return int(value) if hasattr(value, "__index__") else float(value)


def checked_table(table: Table) -> Table:
    """The table with plain numbers. Raises :class:`FigureError` if its rows do not fit its columns."""
    about = f"the table {table.title!r}"
    rows = []
    try:
        for row in table.rows:
            if len(row.cells) != len(table.columns):
                raise FigureError(
                    f"{about} has {len(table.columns)} columns, and a row of {len(row.cells)} cells"
                )
            rows.append(replace(row, cells=tuple(_checked_cell(cell, about) for cell in row.cells)))
        plain = replace(table, rows=tuple(rows), columns=tuple(table.columns))
        problem = encoding_problem(plain)
        if problem:
            raise FigureError(f"{about}: {problem}")
        # The value is checked as if it were read from a file, here, where its author is known.
        return msgspec.convert(msgspec.to_builtins(plain), whole_type(Table))
    except (msgspec.MsgspecError, AttributeError, TypeError) as problem:
        raise FigureError(f"{about}: {problem}") from None


def _checked_cell(cell: Any, about: str) -> Cell:
    if isinstance(cell, Figure):
        return checked_figure(cell)
    if cell is None or isinstance(cell, str):
        return cell
    number = _plain(cell)
    if not isinstance(number, int | float) or not isfinite(number):
        raise FigureError(
            f"{about}: the cell {cell!r:.100} is no text, finite number, Figure or None"
        )
    return number
