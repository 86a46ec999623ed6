"""Formulas whose measures lie within bounds: a depth, a number of propositions, states of an automaton."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pytest_autoeval.errors import unknown_name
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.languages import Formula, Language

_EXAMPLE = '{"depth": (2, 5)}, {"depth": 3} or {"depth": range(2, 6)}'


class MeasureBounds(NamedTuple):
    """The smallest and the largest value of a measure; None for no bound."""

    name: str
    least: float | None
    most: float | None

    def __str__(self) -> str:
        if self.least == self.most:
            return f"{self.name} {self.least:g}"
        if self.least is None:
            return f"{self.name} up to {self.most:g}"
        if self.most is None:
            return f"{self.name} from {self.least:g}"
        return f"{self.name} {self.least:g} to {self.most:g}"


def bounds_of(measures: Mapping[str, Any] | tuple[MeasureBounds, ...]) -> tuple[MeasureBounds, ...]:
    """The bounds that a user gives by the names of measures. Raises :class:`DrawingError`."""
    if isinstance(measures, tuple):
        return tuple(_bounds(bounds.name, (bounds.least, bounds.most)) for bounds in measures)
    if not isinstance(measures, Mapping):
        raise DrawingError(
            f"measures={measures!r:.80}: give bounds by the names of measures, such as {_EXAMPLE}"
        )
    return tuple(_bounds(str(name), bounds) for name, bounds in measures.items())


def bounds_in_text(text: str) -> MeasureBounds:
    """The bounds that a user types: ``states=7``, ``states=1:7``, ``states=2:`` or ``states=:7``, with the ends.

    :func:`bounds_of` checks their order. Raises :class:`DrawingError`.
    """
    name, _, bounds = text.partition("=")
    least, colon, most = (text_of_end.strip() for text_of_end in bounds.partition(":"))
    # A number alone is both ends.
    ends = (least, most) if colon else (least, least)
    if name.strip() and any(ends):
        with suppress(ValueError):
            numbers = [float(end) if end else None for end in ends]
            return MeasureBounds(name.strip(), *numbers)
    raise DrawingError(f"{text!r} is not a measure with its bounds, such as states=1:7")


def _bounds(name: str, bounds: Any) -> MeasureBounds:
    """The bounds of a measure: of a number, of the smallest and the largest with None for no bound, or of a range."""
    span = bounds
    if _is_number(bounds):
        span = (bounds, bounds)
    elif isinstance(bounds, range) and bounds and bounds.step == 1:
        span = (bounds[0], bounds[-1])
    if isinstance(span, tuple | list) and len(span) == 2:
        least, most = span
        numbers = [bound for bound in span if bound is not None]
        if numbers and all(map(_is_number, numbers)) and numbers == sorted(numbers):
            return MeasureBounds(name, least, most)
    problem = "give a number, the smallest and the largest, or a range"
    raise DrawingError(f"measures: {name} is {bounds!r:.80}; {problem}: {_EXAMPLE}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class MeasureFilter:
    """The formulas of a language whose measures lie within bounds.

    ``examples`` show which measures there are. Raises :class:`DrawingError` for an unknown name.
    """

    def __init__(
        self, examples: Iterable[Formula], language: Language, bounds: tuple[MeasureBounds, ...]
    ) -> None:
        self.bounds = bounds
        self._language = language
        self._always: frozenset[str] = frozenset()
        if bounds:
            names = [frozenset(language.measure(tree)) for tree in examples]
            all_names = frozenset.union(*names)
            unknown = [bound.name for bound in bounds if bound.name not in all_names]
            if unknown:
                raise DrawingError(unknown_name("measure", unknown[0], sorted(all_names)))
            self._always = frozenset.intersection(*names)

    def __contains__(self, formula: Formula) -> bool:
        if not self.bounds:
            return True
        measured = self._language.measure(formula)
        return all(self._lies_within(measured, bound) for bound in self.bounds)

    def __str__(self) -> str:
        return " and ".join(map(str, self.bounds))

    def _lies_within(self, measured: Mapping[str, float], bound: MeasureBounds) -> bool:
        # Some operators are counted only where they occur. What every small formula has, and this one has not, is not
        # known: an automaton with too many states.
        value = measured.get(bound.name, None if bound.name in self._always else 0)
        if value is None:
            return False
        if bound.least is not None and value < bound.least:
            return False
        return bound.most is None or value <= bound.most
