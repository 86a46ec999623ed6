"""Figures: named numbers with a unit, and sentences with figures in them; and how both are written as text.

A figure and a sentence are data: a program reads the numbers as numbers, and each screen writes them in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.text import (
    confidence_text,
    count,
    dollars,
    drop_text,
    duration,
    p_text,
    percent,
    points,
    signed_points,
    threshold_text,
)

#: What the value of a figure is: a ``rate`` from 0 to 1; a difference of rates in ``points``, from -1 to 1; a
#: ``count``; US dollars; seconds; a ``size`` of formulas; a ``p`` value; or another ``number``, such as an entropy.
Unit = Literal["rate", "points", "count", "usd", "seconds", "size", "p", "number"]
#: A value outside of the sizes that were asked: it lies above or below ``value``, or anywhere.
Bound = Literal["", "above", "below", "not known"]
#: In place of a value that does not exist.
NOTHING = "–"


class Figure(Struct, frozen=True, omit_defaults=True):
    """A named number about some samples.

    Attributes:
        name: what it is, in words that a table can head a column with: ``pass rate``, ``asked again``.
        value: the number, by its unit. None if there is none, such as a rate of nothing. Of a rate with undecided
            samples the lower end: the rate if all of them failed.
        unit: what the number is. A rate and points are fractions: 0.25 is 25 %.
        low: the lower end of its interval.
        high: the upper end.
        upper: of a rate with undecided samples: the rate if all of them passed.
        n: of how many samples, pairs or formulas.
        deviation: the standard deviation of several values of which ``value`` is the mean.
        confidence: the confidence of the interval, 0 to 1.
        measure: what is counted: of a size ``operators`` or ``depth``; of a count one thing, such as ``sample``.
        bound: ``above`` or ``below``: all that is known is that the number lies there; ``not known``: not even this.
        given: somebody chose the number, such as a threshold: it is written with the digits that it has.
        decimals: with how many decimals a rate is written, so that one just below a threshold is not rounded to it.
    """

    name: str
    value: float | None
    unit: Unit = "number"
    low: float | None = None
    high: float | None = None
    upper: float | None = None
    n: int | None = None
    deviation: float | None = None
    confidence: float = 0.95
    measure: str = ""
    bound: Bound = ""
    given: bool = False
    decimals: int = 1


#: A figure, or a text from outside, such as the name of a model or the message of an error.
Value = Figure | str


class Sentence(Struct, frozen=True, omit_defaults=True):
    """One sentence of ours, with the figures and the foreign texts that stand in it.

    Attributes:
        text: the sentence. A name in braces is the place of a value: ``about {needed} would decide at this rate``.
        values: the values by these names.
    """

    text: str
    values: dict[str, Value] = {}

    def __str__(self) -> str:
        """The sentence as plain text. Foreign texts are as they came: a screen makes them harmless."""
        return filled(self.text, self.values)


#: How the number of each unit is written; a size has more to it.
_TEXTS: Mapping[Unit, Callable[[float], str]] = {
    "rate": lambda rate: f"{percent(rate)} %",
    "points": signed_points,
    "count": lambda number: f"{round(number):,}",
    "usd": dollars,
    "seconds": duration,
    "p": p_text,
    "number": lambda number: f"{number:,.2f}" if number % 1 else f"{number:,.0f}",
}
#: The name of a value in a sentence, in braces.
_BRACES = lazy_pattern(r"\{(\w+)\}")


def filled(
    text: str,
    values: Mapping[str, Value],
    *,
    foreign: Callable[[str], str] = str,
    own: Callable[[str], str] = str,
) -> str:
    """A sentence with its values. A screen gives ``foreign`` to write foreign texts, and ``own`` for all else."""
    pieces: list[str] = []
    end = 0
    for braces in _BRACES.finditer(text):
        value = values.get(braces[1])
        if value is None:  # braces of our own text, such as those of a set
            continue
        pieces.append(own(text[end : braces.start()]))
        pieces.append(foreign(value) if isinstance(value, str) else own(figure_text(value)))
        end = braces.end()
    pieces.append(own(text[end:]))
    return "".join(pieces)


def value_text(value: float | None, unit: Unit, measure: str = "") -> str:
    """A number with its unit: ``25.0 %``, ``−12.0`` points, ``1,200 samples``, ``$0.42``, ``14.2 operators``."""
    if value is None:
        return p_text(None) if unit == "p" else NOTHING
    if unit == "count" and measure:
        return count(round(value), measure)
    if unit == "size":
        return _with_measure(_size(value), measure)
    return _TEXTS[unit](value)


def figure_text(figure: Figure, *, measure: bool = True) -> str:
    """A figure without its name, with its interval: ``80.0–85.0 % (70.1–90.2)``, ``> 40 operators``, ``0.84 ± 0.03``.

    A table whose heading names what is counted leaves out the ``measure``. A figure without a value is its interval:
    ``70.1–90.2 %``.
    """
    counted = figure.measure if measure else ""
    if figure.bound:
        return _bound_text(figure, counted)
    if figure.value is None:
        if figure.low is None or figure.high is None:
            return value_text(None, figure.unit, counted)
        sign = " %" if figure.unit == "rate" else ""
        return f"{_ends(figure)}{sign}"
    if figure.given:
        write = threshold_text if figure.unit == "rate" else drop_text
        return write(figure.value)
    if figure.upper is not None and figure.upper != figure.value:
        text = f"{_end(figure.value, figure.unit)}–{value_text(figure.upper, figure.unit, counted)}"
    elif figure.unit == "rate":
        text = f"{percent(figure.value, figure.decimals)} %"
    else:
        text = value_text(figure.value, figure.unit, counted)
    if figure.deviation is not None:
        # A spread has no direction, so points are written without their sign.
        is_points = figure.unit == "points"
        spread = points(figure.deviation) if is_points else _end(figure.deviation, figure.unit)
        text += f" ± {spread}"
    return f"{text}{interval_text(figure)}"


def interval_text(figure: Figure) -> str:
    """The interval in brackets behind a space: `` (5.5–57.2)``, `` (−15.1 to −3.2)``; empty without one."""
    if figure.low is None and figure.high is None:
        return ""
    return f" ({_ends(figure)})"


def _ends(figure: Figure) -> str:
    """The ends of an interval: ``70.1–90.2``, ``−15.1 to −3.2``; an open end is ``…``."""

    def text(end: float | None) -> str:
        return "…" if end is None else _end(end, figure.unit, figure.decimals)

    # Points have signs: a dash between them would look like one more.
    separator = " to " if figure.unit == "points" else "–"
    return f"{text(figure.low)}{separator}{text(figure.high)}"


def heading_text(figure: Figure) -> str:
    """The name with the confidence of the interval, if it is not that of 95 %: ``difference (99.38 % interval)``."""
    # 95 % goes without saying.
    if figure.low is None or figure.confidence == 0.95:
        return figure.name
    return f"{figure.name} ({confidence_text(figure.confidence)})"


def _end(value: float, unit: Unit, decimals: int = 1) -> str:
    """A number without the sign of its unit, as an end of an interval shows it."""
    return percent(value, decimals) if unit == "rate" else value_text(value, unit)


def _size(value: float) -> str:
    """A size to one decimal; seven digits decide, as in a browser: 0.7499999999999999 is 0.75 in both."""
    return f"{float(f'{value:.7g}'):,.1f}"


def _with_measure(size: str, measure: str) -> str:
    """``14.2 operators``, but ``depth 4.1``: a depth is not a number of things."""
    if not measure:
        return size
    if measure == "operators":
        return f"{size} {measure}"
    return f"{measure.replace('_', ' ')} {size}"


def _bound_text(figure: Figure, measure: str) -> str:
    if figure.bound == "not known" or figure.value is None:
        # "not known operators" would be wrong, but a depth is named: "depth not known".
        unnamed = measure in {"", "operators"}
        return "not known" if unnamed else f"{measure.replace('_', ' ')} not known"
    sign = ">" if figure.bound == "above" else "<"
    text = _with_measure(f"{sign} {figure.value:g}", measure)
    # Without an end of the interval inside of the sizes, the whole interval lies out there.
    ends = {figure.low, figure.high} - {None, figure.value}
    return f"{text}{interval_text(figure)}" if ends else text
