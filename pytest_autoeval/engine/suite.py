"""A pass-rate test, and a suite: a test with one model and variant."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, cast

from msgspec import Struct, field

from pytest_autoeval.engine.marker_keywords import KEYWORDS
from pytest_autoeval.engine.option_values import LARGEST_SIZE, rate, sizes
from pytest_autoeval.errors import AutoevalError, check_type, unknown_name
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.suite_names import in_id, suite_name
from pytest_autoeval.removed import removed_keyword

if TYPE_CHECKING:
    from pytest_autoeval.datasets.file_language import Doubt
    from pytest_autoeval.generation.measure_bounds import MeasureBounds, MeasureFilter
    from pytest_autoeval.generation.samples import Sample
    from pytest_autoeval.generation.vocabularies import Names
    from pytest_autoeval.languages import Formula, Vocabulary
    from pytest_autoeval.tasks.task import Task

#: The sizes of a suite, and the samples of each size, if neither the marker nor an option says others.
DEFAULT_SIZES = tuple(range(9))
DEFAULT_SAMPLES = 10
#: How many samples show which measures their formulas have. And how many times the wanted number of samples is drawn at
#: most, to find so many within bounds.
_EXAMPLES, _MOST_MISSES = 20, 100

#: The endings of files of sentences that a marker may name.
SENTENCE_FILES = (".md", ".markdown", ".txt", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")

#: Why a suite is left out: its language does not have the typed formula, the user's data have no item for it, it
#: needs a file and the user named none, its task has no prompt of the requested interface, or its model is an embedding
#: model.
Obstacle = Literal["formula", "data", "file", "interface", "model"]


class MarkerError(AutoevalError):
    """A pass-rate test cannot be carried out as its marker describes it."""


class LeftOutError(AutoevalError):
    """A test cannot be run with these options. ``obstacle`` is the kind of reason."""

    def __init__(self, obstacle: Obstacle, reason: str) -> None:
        super().__init__(reason)
        self.obstacle = obstacle

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an exception is made anew from its message alone, and would lack the obstacle.
        return type(self), (self.obstacle, str(self))


class NothingDrawnError(AutoevalError):
    """A test has no sample with any options."""


class PassRateTest(Struct, frozen=True, kw_only=True):
    """A pass-rate test as its marker describes it. The keywords are those of :func:`autoeval`.

    ``sizes``, ``samples`` and ``trivial`` are None if not given. ``drawing`` are keywords of `DrawingOptions`. ``name``
    and ``body`` are set if there is no test function of pytest.
    """

    source: str
    name: str = ""
    body: Callable[..., object] | None = None
    sizes: tuple[int, ...] | None = None
    samples: int | None = None
    threshold: float | None = None
    agreement: float | None = None
    collisions: int | None = None
    vocabulary: Vocabulary | Names | None = None
    language: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    #: Whether the sizes were given as ``depth=``.
    by_depth: bool = False
    task: str | None = None
    copies: Literal["fail", "count"] | None = None
    verified: bool = True
    trivial: bool | None = None
    drawing: Mapping[str, Any] = field(default_factory=dict)


class Target(Struct, frozen=True, kw_only=True):
    """The model that a test asks, and the variant: interface, prompting, folder of prompts, reader, and whether answers
    are constrained.

    ``prompts`` is a folder of the user's, None for the shipped prompts. ``reader`` is the model that reads the
    descriptions; empty if the model reads its own. ``label`` names what distinguishes the variant, and may be empty.
    ``left_out`` is why the test cannot be run with it, if that is known beforehand.
    """

    model: str
    reader: str = ""
    interface: str = ""
    prompting: Prompting = Prompting.ZERO_SHOT
    prompts: Path | None = None
    constrained: bool = False
    label: str = ""
    left_out: LeftOutError | None = None

    @property
    def id(self) -> str:
        """The target as part of an item's id."""
        return "-".join(filter(None, (in_id(self.model), self.label)))


class Source(ABC):
    """The origin of a suite's samples. One object serves all suites of a test."""

    #: The grammar or data set in a message.
    name: str
    #: The number of samples of a size by default; None for all that exist.
    default_count: int | None = DEFAULT_SAMPLES
    #: Whether another formula in place of a sample's makes a sample of the same kind, so that failures can be shrunk.
    can_shrink = False
    #: Whether the samples are the user's own data.
    is_users_data = False
    #: The language of the samples, if they have formulas.
    language: str = ""
    #: Those of the user's files that other suites may read in another language.
    doubts: tuple[Doubt, ...] = ()
    #: Why the user's formulas are of this language, if neither their rows nor the marker name it.
    why_language: str = ""
    #: The bounds of measures that its samples must have; None for no bounds.
    measured: MeasureFilter | None = None
    #: What a plugin must do before samples can be drawn (`registry.add_preparation`); empty if nothing.
    preparation: str = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """One line for each row of data that could not be read and is left out."""
        return ()

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """One line for each reason why readable rows make no sample, with their number."""
        return ()

    def sizes(self, requested: Sequence[int] | None) -> tuple[int, ...]:
        """Those of the requested sizes that the source has; the usual ones for None."""
        return tuple(dict.fromkeys(requested or DEFAULT_SIZES))

    def hint(self, sizes: Sequence[int]) -> str:
        """Explains why the source has no sample of these sizes; may be empty."""
        _ = sizes
        return ""

    def is_variant(self, formula: Formula, original: Sample) -> bool:
        """Whether a simpler formula may be asked in place of a sample's, as far as its meaning shows.

        A formula that is always true or always false is no variant of one that is neither.
        """
        return not _is_trivial(formula, original) or _is_trivial(original.formula, original)

    def unasked(self, samples: Sequence[Sample]) -> list[str]:
        """What a set lacks of which only these samples are asked: a line for each of the others."""
        _ = samples
        return []

    @abstractmethod
    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]: ...

    def formulas_of(self, sample: Sample) -> tuple[Formula, ...]:
        """The formulas of a sample that must lie within bounds of measures."""
        return (sample.formula,)

    def keep_within(self, bounds: tuple[MeasureBounds, ...]) -> None:
        """Asks only samples whose formulas have these measures. Raises :class:`DrawingError` for an unknown one."""
        from pytest_autoeval.generation.measure_bounds import MeasureFilter
        from pytest_autoeval.languages import language

        # A drawn data set has samples of every size, and one of stories verifies what it hands out.
        drawn = (sample for size in self.sizes(None) for sample in self.samples(size, _EXAMPLES, 0))
        examples = list(islice(drawn, _EXAMPLES))
        if examples:
            formulas = [formula for sample in examples for formula in self.formulas_of(sample)]
            self.measured = MeasureFilter(formulas, language(examples[0].language), bounds)

    def asked(self, size: int, count: int | None, seed: int) -> list[Sample]:
        """The first ``count`` samples of a size that are within the bounds; all if ``count`` is None."""
        if self.measured is None:
            return self.samples(size, count, seed)
        limit = count
        while True:
            samples = self.samples(size, limit, seed)
            within = [
                sample
                for sample in samples
                if all(map(self.measured.__contains__, self.formulas_of(sample)))
            ]
            # Draws four times as many until enough are within, or none are left.
            if count is None or limit is None or len(within) >= count:
                return within[:count]
            if len(samples) < limit or limit > _MOST_MISSES * count:
                return within
            limit *= 4

    @abstractmethod
    def typed(self, text: str, seed: int) -> list[Sample]:
        """The samples for a formula or for the name of an item. Raises :class:`FormulaSyntaxError`."""


class Suite(Struct, frozen=True, kw_only=True):
    """One pass-rate test with one target: what is asked, how often, and the gate.

    ``number`` is the place of the suite among those of its run, from 1. ``name`` is the test's file, class, function
    and ``parameters``, with the variant's label but without the model.
    ``function`` is its file, class and function. Both do not depend on the current folder. ``samples`` is the number of
    each size, None for all that a data set has. ``threshold`` is a rate from 0 to 1 or None, given by ``threshold_by``;
    ``agreement``, ``collisions`` and ``verified`` are as in the marker.
    """

    target: Target
    source: Source
    task: Task | None
    sizes: tuple[int, ...]
    samples: int | None
    threshold: float | None
    threshold_by: Literal["", "marker", "option"] = ""
    agreement: float | None = None
    collisions: int | None = None
    copies: Literal["fail", "count"] = "fail"
    number: int = 0
    function: str = ""
    parameters: str | None = None
    verified: bool = True

    @property
    def name(self) -> str:
        """The name in the results, besides the model."""
        return suite_name(
            self.function,
            # Parameters may be an empty text, which stands in pytest's id too. An empty label stands nowhere.
            "-".join(
                label for label in (self.target.label or None, self.parameters) if label is not None
            ),
        )


#: The problem with a test that has several markers.
TWO_MARKERS = (
    "the test has several markers, and only one would have an effect; write a test for each"
)
#: Keywords that are not options of drawing.
_OWN = {*PassRateTest.__struct_fields__} | {"operators", "depth"}


def read_test(source: str, keywords: Mapping[str, Any]) -> PassRateTest:
    """The test that a source and the keywords of its marker describe. Raises `MarkerError`."""
    if unknown := [keyword for keyword in keywords if keyword not in KEYWORDS]:
        raise MarkerError(
            removed_keyword(unknown[0]) or unknown_name("marker keyword", unknown[0], KEYWORDS)
        )
    # Both set the same field, and one of them would have no effect.
    if "operators" in keywords and "depth" in keywords:
        raise MarkerError("operators and depth both give the size; give only one")
    for name in ("task", "language"):
        check_type(name, keywords.get(name), str, NoneType, error=MarkerError)
    samples = keywords.get("samples")
    if samples is not None and not (isinstance(samples, int) and samples >= 1):
        raise MarkerError(f"samples={samples!r} is not an integer ≥ 1")
    copies = keywords.get("copies")
    if copies not in (None, "fail", "count"):
        raise MarkerError(f'copies={copies!r} is neither "fail" nor "count"')
    verified = keywords.get("verified", True)
    if not isinstance(verified, bool):
        raise MarkerError(f"verified={verified!r} is neither True nor False")
    trivial = keywords.get("trivial")
    if trivial not in (None, True, False):
        raise MarkerError(f"trivial={trivial!r} is not True or False")
    return PassRateTest(
        source=source,
        sizes=_sizes(keywords.get("operators", keywords.get("depth"))),
        samples=samples,
        threshold=_rate("threshold", keywords.get("threshold")),
        agreement=_rate("agreement", keywords.get("agreement")),
        collisions=_collisions(keywords.get("collisions")),
        vocabulary=keywords.get("vocabulary"),
        language=keywords.get("language"),
        columns=_columns(keywords.get("columns")),
        by_depth="depth" in keywords,
        task=keywords.get("task"),
        copies=copies,
        verified=verified,
        trivial=trivial,
        drawing={name: value for name, value in keywords.items() if name not in _OWN},
    )


def _collisions(value: Any) -> int | None:
    # True is an integer for Python, and would allow one collision.
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if value is None or is_number:
        return cast("int | None", value)
    raise MarkerError(
        f"collisions={value!r} is not an integer ≥ 0; collisions=0 allows no collision of rules"
    )


def _columns(value: Any) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        raise MarkerError(
            f'columns={value!r:.80}: write {{"sentence": "NL"}}, each column with its name in the file'
        )
    from pytest_autoeval.datasets.columns import checked_columns

    try:
        return checked_columns(value)
    except AutoevalError as problem:
        raise MarkerError(f"columns: {problem}") from None


def _rate(keyword: str, value: Any) -> float | None:
    """A rate, which may also be a text such as ``90%``, as in the option."""
    if value is None:
        return None
    if not isinstance(value, str) and not _is_number(value):
        raise MarkerError(f"{keyword}={value!r} is not a rate from 0 to 1")
    try:
        return rate(str(value))
    except argparse.ArgumentTypeError as problem:
        raise MarkerError(f"{keyword}: {problem}") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sizes(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return sizes(value)
        except argparse.ArgumentTypeError as problem:
            raise MarkerError(f"operators: {problem}") from None
    # Its sizes would fill the memory.
    if isinstance(value, range) and len(value) > LARGEST_SIZE:
        raise MarkerError(
            f"operators={value!r} has sizes above {LARGEST_SIZE:,}; write smaller ones"
        )
    # A single number may stand without a list around it.
    listed = tuple(value) if isinstance(value, Iterable) else (value,)
    if not listed:
        raise MarkerError(f"operators={value!r} is empty; write range(2, 6) for the sizes 2 to 5")
    if all(isinstance(size, int) for size in listed) and min(listed) < 0:
        raise MarkerError(f"operators={value!r} has negative sizes; a size is an integer ≥ 0")
    if not all(isinstance(size, int) for size in listed):
        raise MarkerError(
            f"operators={value!r} is not a list of sizes; give an integer, a range or a list of them"
        )
    return listed


def _is_trivial(formula: Formula, sample: Sample) -> bool:
    """Whether a formula in place of a sample's is always true or always false, as far as a brief look shows."""
    from pytest_autoeval.languages import language
    from pytest_autoeval.languages.contract import trivial_kind

    kind = trivial_kind(
        formula, language(sample.language), sample.vocabulary.alphabet, briefly=True
    )
    return kind not in (None, "undecided")
