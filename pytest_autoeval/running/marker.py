"""The arguments of `@pytest.mark.autoeval(...)`, checked."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.option_values import sizes

DEFAULT_SIZES = tuple(range(9))
DEFAULT_SAMPLES = 10
#: Keywords that are handed on to drawing: see `pytest_autoeval.generation.DrawingOptions`.
DRAWING = ("quantifiers", "variable_probability", "vacuous_quantifiers", "exclude")
KEYWORDS = ("operators", "depth", "samples", "threshold", "vocabulary", "language", "task", *DRAWING)


class MarkerError(AutoevalError):
    """A marker `autoeval` that cannot be carried out."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The arguments of a pass-rate test's marker.

    ``source`` names a grammar or a data set. ``sizes`` and ``samples`` are None where the marker does not give them.
    ``task`` names the task of the fixture ``perform``. ``threshold`` is a rate from 0 to 1 or None. ``drawing`` are
    keywords of :class:`pytest_autoeval.generation.DrawingOptions`.
    """

    source: str
    sizes: tuple[int, ...] | None
    samples: int | None
    threshold: float | None
    vocabulary: Any
    language: str | None
    task: str | None
    drawing: tuple[tuple[str, Any], ...]


def marker_of(node: Any) -> Marker | None:
    """The marker nearest to a test, or None. Raises :class:`MarkerError`.

    A `.lark` file is looked for beside the test, then in the root folder.
    """
    mark = node.get_closest_marker("autoeval")
    if mark is None:
        return None
    marker = read_marker(mark)
    if not marker.source.endswith(".lark"):
        return marker
    places = (folder / marker.source for folder in (node.path.parent, node.config.rootpath))
    return replace(marker, source=str(next((place for place in places if place.is_file()), marker.source)))


def read_marker(mark: pytest.Mark) -> Marker:
    """The marker's arguments, checked. Raises :class:`MarkerError`."""
    if len(mark.args) != 1 or not isinstance(mark.args[0], str):
        raise MarkerError(
            'give one grammar or data set: @pytest.mark.autoeval("propositional", operators=range(0, 13), samples=50)'
        )
    for keyword in mark.kwargs:
        if keyword not in KEYWORDS:
            near = difflib.get_close_matches(keyword, KEYWORDS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise MarkerError(f"the marker autoeval takes no {keyword!r}{hint} It takes {', '.join(KEYWORDS)}")
    given = dict(mark.kwargs)
    if "operators" in given and "depth" in given:
        raise MarkerError("operators and depth are two names of the size: give one")
    wanted = given.get("operators", given.get("depth"))
    return Marker(
        source=mark.args[0],
        sizes=None if wanted is None else _sizes(wanted),
        samples=_samples(given.get("samples")),
        threshold=_threshold(given.get("threshold")),
        vocabulary=given.get("vocabulary"),
        language=given.get("language"),
        task=given.get("task"),
        drawing=tuple((name, given[name]) for name in DRAWING if name in given),
    )


def _sizes(wanted: Any) -> tuple[int, ...]:
    if isinstance(wanted, str):
        try:
            return sizes(wanted)
        except argparse.ArgumentTypeError as problem:
            raise MarkerError(f"operators: {problem}") from None
    listed = (wanted,) if isinstance(wanted, int) else tuple(wanted) if isinstance(wanted, Iterable) else ()
    if not listed or not all(isinstance(size, int) and not isinstance(size, bool) and size >= 0 for size in listed):
        raise MarkerError(f"operators={wanted!r} names no sizes; give an integer, a range or a list of them")
    return listed


def _samples(wanted: Any) -> int | None:
    if wanted is not None and (not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1):
        raise MarkerError(f"samples={wanted!r} is not an integer ≥ 1")
    return wanted


def _threshold(wanted: Any) -> float | None:
    if wanted is not None and (not isinstance(wanted, int | float) or not 0 <= wanted <= 1):
        raise MarkerError(f"threshold={wanted!r} is not a rate from 0 to 1")
    return wanted
