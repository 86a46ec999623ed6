"""What a pass-rate test asks: the arguments of `@pytest.mark.autoeval(...)`, and the suites that the test becomes."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.option_values import sizes
from pytest_autoeval.running.settings import Prompting

if TYPE_CHECKING:
    from pytest_autoeval.running.sources import Source
    from pytest_autoeval.tasks import Task

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


#: Why a suite is left out: its language does not have the formula that was typed, the user's data have no item for it,
#: its task has no prompt of the form that was asked for, or its model only embeds texts.
Obstacle = Literal["formula", "data", "interface", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The model that a test asks, and the variant: the form of the task's prompt and the prompting.

    ``label`` names the variant where a run has several, and is empty elsewhere.
    """

    model: str
    interface: str = ""
    prompting: Prompting = "zero-shot"
    label: str = ""

    @property
    def id(self) -> str:
        """The target in an item's id."""
        return f"{self.model}-{self.label}" if self.label else self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One pass-rate test with one target: what is asked, how often, and what its pass rate must be.

    ``name`` is the test's file, class, function and parameters, with the variant's label but without the model;
    ``function`` is its file, class and function. Both are the same whatever folder pytest was started in. ``samples``
    is the number of each size, None for all that a data set has. ``threshold`` is a rate from 0 to 1 or None.
    """

    target: Target
    source: Source
    task: Task | None
    sizes: tuple[int, ...]
    samples: int | None
    threshold: float | None
    function: str = ""
    parameters: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What its results are named by, beside the model."""
        return self._with(filter(None, (self.target.label, *self.parameters)))

    @property
    def plain_name(self) -> str:
        """The name without the variant: what a kept counterexample belongs to."""
        return self._with(self.parameters)

    def _with(self, parts: Sequence[str] | Iterator[str]) -> str:
        inside = "-".join(parts)
        return f"{self.function}[{inside}]" if inside else self.function


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A target that a test cannot be run with: the kind of obstacle, and the reason in a sentence."""

    target: Target
    obstacle: Obstacle
    reason: str


class LeftOutError(AutoevalError):
    """A suite has nothing to ask; ``obstacle`` is its kind."""

    def __init__(self, obstacle: Obstacle, reason: str) -> None:
        super().__init__(reason)
        self.obstacle = obstacle


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
