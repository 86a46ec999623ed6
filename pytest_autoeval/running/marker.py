"""What a pass-rate test asks: the arguments of `@pytest.mark.autoeval(...)`, and the suites that the test becomes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.reporting.names import in_id
from pytest_autoeval.running.option_values import sizes
from pytest_autoeval.running.settings import Prompting

if TYPE_CHECKING:
    from pytest_autoeval.running.sources import Source
    from pytest_autoeval.tasks import Task

DEFAULT_SIZES = tuple(range(9))
DEFAULT_SAMPLES = 10
#: Keywords that are handed on to drawing: see `pytest_autoeval.generation.drawing.DrawingOptions`.
DRAWING = ("quantifiers", "variable_probability", "vacuous_quantifiers", "exclude")
KEYWORDS = ("operators", "depth", "samples", "threshold", "horizon", "vocabulary", "language", "task", *DRAWING)


class MarkerError(AutoevalError):
    """A marker `autoeval` that cannot be carried out."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The arguments of a pass-rate test's marker.

    ``source`` names a grammar or a data set. ``sizes`` and ``samples`` are None where the marker does not give them.
    ``task`` names the task of the fixture ``perform``. ``threshold`` is a rate from 0 to 1 or None. ``horizon`` has the
    smallest horizon at each level that is asked for. ``drawing`` are keywords of
    :class:`pytest_autoeval.generation.drawing.DrawingOptions`.
    """

    source: str
    sizes: tuple[int, ...] | None
    samples: int | None
    threshold: float | None
    horizon: Mapping[float, float]
    vocabulary: Any
    language: str | None
    task: str | None
    drawing: Mapping[str, Any]


#: Why a suite is left out: its language does not have the formula that was typed, the user's data have no item for it,
#: its task has no prompt of the form that was asked for, or its model only embeds texts.
Obstacle = Literal["formula", "data", "interface", "model"]


class LeftOutError(AutoevalError):
    """A test cannot be run with what was asked for; ``obstacle`` is the kind of reason."""

    def __init__(self, obstacle: Obstacle, reason: str) -> None:
        super().__init__(reason)
        self.obstacle = obstacle


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The model that a test asks, and the variant: the form of the task's prompt, the prompting and the reader.

    ``reader`` is the model that reads the descriptions, empty where the run names none and the model reads its own.
    ``label`` names the variant: what a run has several of, and the reader; it may be empty. ``left_out`` is why the
    test cannot be run with it, where that is known at collection.
    """

    model: str
    reader: str = ""
    interface: str = ""
    prompting: Prompting = "zero-shot"
    label: str = ""
    left_out: LeftOutError | None = None

    @property
    def id(self) -> str:
        """The target in an item's id."""
        return "-".join(filter(None, (in_id(self.model), self.label)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One pass-rate test with one target: what is asked, how often, and what its pass rate must be.

    ``name`` is the test's file, class, function and parameters, with the variant's label but without the model;
    ``function`` is its file, class and function. Both are the same whatever folder pytest was started in. ``samples``
    is the number of each size, None for all that a data set has. ``threshold`` is a rate from 0 to 1 or None;
    ``horizon`` is as in the marker.
    """

    target: Target
    source: Source
    task: Task | None
    sizes: tuple[int, ...]
    samples: int | None
    threshold: float | None
    horizon: Mapping[float, float] = field(default_factory=dict)
    function: str = ""
    parameters: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What its results are named by, beside the model."""
        return _named(self.function, *filter(None, [self.target.label]), *self.parameters)

    @property
    def plain_name(self) -> str:
        """The name without the variant: what a kept counterexample belongs to."""
        return _named(self.function, *self.parameters)


def _named(function: str, *parts: str) -> str:
    return f"{function}[{'-'.join(parts)}]" if any(parts) else function


def marker_of(node: Any) -> Marker | None:
    """The marker nearest to a test, or None. Raises :class:`MarkerError`.

    A `.lark` file is looked for beside the test, then in the root folder.
    """
    mark = node.get_closest_marker("autoeval")
    if mark is None:
        return None
    marker = _read(mark)
    if not marker.source.endswith(".lark"):
        return marker
    places = (folder / marker.source for folder in (node.path.parent, node.config.rootpath))
    return replace(marker, source=str(next((place for place in places if place.is_file()), marker.source)))


def _read(mark: pytest.Mark) -> Marker:
    if len(mark.args) != 1 or not isinstance(mark.args[0], str):
        raise MarkerError(
            'give one grammar or data set: @pytest.mark.autoeval("propositional", operators=range(0, 13), samples=50)'
        )
    given = mark.kwargs
    if unknown := [keyword for keyword in given if keyword not in KEYWORDS]:
        raise MarkerError(unknown_name("keyword of the marker autoeval", unknown[0], KEYWORDS))
    if "operators" in given and "depth" in given:
        raise MarkerError("operators and depth are two names of the size: give one")
    samples, threshold = given.get("samples"), given.get("threshold")
    if samples is not None and not (isinstance(samples, int) and samples >= 1):
        raise MarkerError(f"samples={samples!r} is not an integer ≥ 1")
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        raise MarkerError(f"threshold={threshold!r} is not a rate from 0 to 1")
    return Marker(
        source=mark.args[0],
        sizes=_sizes(given.get("operators", given.get("depth"))),
        samples=samples,
        threshold=threshold,
        horizon=_horizon(given.get("horizon")),
        vocabulary=given.get("vocabulary"),
        language=given.get("language"),
        task=given.get("task"),
        drawing={name: given[name] for name in DRAWING if name in given},
    )


def _horizon(wanted: Any) -> dict[float, float]:
    if wanted is None:
        return {}
    numbers = isinstance(wanted, Mapping) and all(_is_number(one) for pair in wanted.items() for one in pair)
    if not numbers or not wanted or not all(0 < level < 1 and 0 <= size < inf for level, size in wanted.items()):
        raise MarkerError(
            f"horizon={wanted!r} does not give sizes ≥ 0 for levels between 0 and 1; write horizon={{0.9: 10}}"
        )
    return {float(level): float(size) for level, size in wanted.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sizes(wanted: Any) -> tuple[int, ...] | None:
    if wanted is None:
        return None
    if isinstance(wanted, str):
        try:
            return sizes(wanted)
        except argparse.ArgumentTypeError as problem:
            raise MarkerError(f"operators: {problem}") from None
    listed = tuple(wanted) if isinstance(wanted, Iterable) else (wanted,)
    if not listed or not all(isinstance(size, int) and size >= 0 for size in listed):
        raise MarkerError(f"operators={wanted!r} is not a list of sizes; give an integer, a range or a list of them")
    return listed
