"""The marker of a pass-rate test, `@autoeval(...)` or `@pytest.mark.autoeval(...)`, and the suites it stands for."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.reporting.names import in_id, suite_name
from pytest_autoeval.running.option_values import sizes
from pytest_autoeval.running.settings import Prompting

if TYPE_CHECKING:
    from pytest_autoeval.generation.vocabularies import Names
    from pytest_autoeval.languages import Vocabulary
    from pytest_autoeval.running.sources import Source
    from pytest_autoeval.tasks import Task

DEFAULT_SIZES = tuple(range(9))
DEFAULT_SAMPLES = 10


def autoeval(  # noqa: PLR0913 - each is one thing to say of a suite
    source: str,
    /,
    *,
    task: str | None = None,
    operators: int | Iterable[int] | str | None = None,
    depth: int | Iterable[int] | str | None = None,
    samples: int | None = None,
    threshold: float | None = None,
    horizon: Mapping[float, float] | None = None,
    vocabulary: Vocabulary | Names | None = None,
    language: str | None = None,
    quantifiers: int | tuple[int, int] | None = None,
    variable_probability: float | None = None,
    vacuous_quantifiers: bool | None = None,
    copies: Literal["fail", "count"] | None = None,
    trivial: bool | None = None,
    exclude: str | Collection[str] | None = None,
    verified: bool | None = None,
) -> pytest.MarkDecorator:
    """Marks a test as a pass-rate test: its body runs once per sample, and its pass rate is judged.

    ``@autoeval("propositional", threshold=0.9)`` is ``@pytest.mark.autoeval("propositional", threshold=0.9)`` with
    types that an editor and a type checker understand. The test takes the fixture ``sample``.

    Args:
        source: the name of a grammar or a data set, or the path of a ``.lark`` file (from the folder of the test, or
            from pytest's root folder).
        task: the task that the fixture ``perform`` runs. Without it the body itself asks the model.
        operators: the formula sizes: an integer ≥ 0, a range, a list, or a text such as ``"0:13"``. Default: 0 to 8.
        depth: the same as ``operators``, for regular expressions: their size is their depth.
        samples: the number of samples of each size, an integer ≥ 1. Default: 10, or all that a data set has.
        threshold: the pass rate that the suite must reach, from 0 to 1. Without it the rate is reported, not judged.
        horizon: the formula size up to which the model must reach a pass rate: ``{0.9: 10}`` asks for a pass rate of
            0.9 up to size 10. Where answers can be guessed, 0.9 is a share of the way up from the rate of guesses.
        vocabulary: the names in the formulas. One of: the name of a ready-made vocabulary (``"default"``,
            ``"english"``); a list of names, if the grammar has names of one kind; a dict such as
            ``{"predicates": {"Holds": 2}, "constants": ["a", "b"]}``; the path of a ``.toml`` or ``.json`` file with
            these keys; a ``Vocabulary``.
        language: the language of the grammar, if the file of the grammar does not name it.
        quantifiers: the number of quantifiers in a formula, or the smallest and the largest. Default: 0 to 4.
        variable_probability: how likely an argument is a bound variable, from 0 to 1. Default: 0.25.
        vacuous_quantifiers: whether a quantifier may bind a variable that does not occur. Default: no.
        copies: what a description that copies the formula is: a failure (``"fail"``, the default), or ``"count"``:
            marked as ``leaked``, and judged like any other.
        trivial: whether to draw formulas that are always true or always false, and regular expressions that match
            nothing or everything. Default: no in a round trip, yes with ``task=``.
        exclude: the kinds of trivial formulas to leave out, if not all: ``tautology``, ``contradiction`` (logic),
            ``empty``, ``universal`` (regular expressions).
        verified: False for a suite that verifies nothing, and only collects answers. Otherwise it ends as an error if
            no sample was verified and the body has no ``assert``. Default: yes.
    """
    given = {name: value for name, value in locals().items() if name != "source" and value is not None}
    return pytest.mark.autoeval(source, **given)


#: The names of the keywords, in their order.
KEYWORDS = tuple(inspect.signature(autoeval).parameters)[1:]


class MarkerError(AutoevalError):
    """A marker `autoeval` that cannot be carried out."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The arguments of a pass-rate test's marker.

    ``source`` names a grammar or a data set. ``sizes``, ``samples`` and ``trivial`` are None where the marker does not
    give them. ``task`` names the task of the fixture ``perform``. ``threshold`` is a rate from 0 to 1 or None.
    ``horizon`` has the smallest horizon at each level that is asked for. ``verified`` is whether a suite that verifies
    nothing is an error. ``drawing`` are keywords of `DrawingOptions`.
    """

    source: str
    sizes: tuple[int, ...] | None
    samples: int | None
    threshold: float | None
    horizon: Mapping[float, float]
    vocabulary: Vocabulary | Names | None
    language: str | None
    task: str | None
    copies: Literal["fail", "count"] | None
    verified: bool
    trivial: bool | None
    drawing: Mapping[str, Any]


#: Why a suite is left out: its language does not have the formula that was typed, the user's data have no item for it,
#: its task has no prompt of the form that was asked for, or its model only embeds texts.
Obstacle = Literal["formula", "data", "interface", "model"]


class LeftOutError(AutoevalError):
    """A test cannot be run with what was asked for; ``obstacle`` is the kind of reason."""

    def __init__(self, obstacle: Obstacle, reason: str) -> None:
        super().__init__(reason)
        self.obstacle = obstacle


class NothingDrawnError(AutoevalError):
    """A test has no sample to run, whatever is asked for."""


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
    ``horizon`` and ``verified`` are as in the marker.
    """

    target: Target
    source: Source
    task: Task | None
    sizes: tuple[int, ...]
    samples: int | None
    threshold: float | None
    horizon: Mapping[float, float] = field(default_factory=dict)
    copies: Literal["fail", "count"] = "fail"
    function: str = ""
    parameters: tuple[str, ...] = ()
    verified: bool = True

    @property
    def name(self) -> str:
        """What its results are named by, beside the model."""
        return suite_name(self.function, "-".join([*filter(None, [self.target.label]), *self.parameters]))

    @property
    def plain_name(self) -> str:
        """The name without the variant: what a kept counterexample belongs to."""
        return suite_name(self.function, "-".join(self.parameters))


def marker_of(node: Any) -> Marker | None:
    """The marker nearest to a test, or None. Raises `MarkerError`.

    The file of a grammar or vocabulary is searched beside the test, then in the root folder.
    """
    mark = node.get_closest_marker("autoeval")
    if mark is None:
        return None
    marker = _read(mark)

    def found(file: Any) -> Any:
        if not isinstance(file, str | Path) or not str(file).endswith((".lark", ".toml", ".json")):
            return file
        places = (folder / file for folder in (node.path.parent, node.config.rootpath))
        return str(next((place for place in places if place.is_file()), file))

    return replace(marker, source=found(marker.source), vocabulary=found(marker.vocabulary))


def _read(mark: pytest.Mark) -> Marker:
    if len(mark.args) != 1 or not isinstance(mark.args[0], str):
        raise MarkerError(
            'give one grammar or data set: @pytest.mark.autoeval("propositional", operators=range(0, 13), samples=50)'
        )
    given = mark.kwargs
    if unknown := [keyword for keyword in given if keyword not in KEYWORDS]:
        raise MarkerError(unknown_name("marker keyword", unknown[0], KEYWORDS))
    if "operators" in given and "depth" in given:
        raise MarkerError("operators and depth both give the size; give only one")
    samples, threshold = given.get("samples"), given.get("threshold")
    if samples is not None and not (isinstance(samples, int) and samples >= 1):
        raise MarkerError(f"samples={samples!r} is not an integer ≥ 1")
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        raise MarkerError(f"threshold={threshold!r} is not a rate from 0 to 1")
    copies = given.get("copies")
    if copies not in (None, "fail", "count"):
        raise MarkerError(f'copies={copies!r} is neither "fail" nor "count"')
    if not isinstance(verified := given.get("verified", True), bool):
        raise MarkerError(f"verified={verified!r} is neither True nor False")
    trivial = given.get("trivial")
    if trivial not in (None, True, False):
        raise MarkerError(f"trivial={trivial!r} is not True or False")
    return Marker(
        source=mark.args[0],
        sizes=_sizes(given.get("operators", given.get("depth"))),
        samples=samples,
        threshold=threshold,
        horizon=_horizon(given.get("horizon")),
        vocabulary=given.get("vocabulary"),
        language=given.get("language"),
        task=given.get("task"),
        copies=copies,
        verified=verified,
        trivial=trivial,
        drawing={name: value for name, value in given.items() if name not in _OWN},
    )


#: The keywords that are not options of drawing.
_OWN = {field.name for field in fields(Marker)} | {"operators", "depth"}


def _horizon(wanted: Any) -> dict[float, float]:
    if wanted is None:
        return {}
    numbers = isinstance(wanted, Mapping) and all(_is_number(one) for pair in wanted.items() for one in pair)
    if not numbers or not wanted or not all(0 < level < 1 and 0 <= size < inf for level, size in wanted.items()):
        raise MarkerError(
            f"horizon={wanted!r} is not a dict from rates between 0 and 1 to sizes ≥ 0, such as {{0.9: 10}}"
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
