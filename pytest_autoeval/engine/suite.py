"""What is run: a pass-rate test, and the suites that it stands for, one for each model and variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from pytest_autoeval.engine.settings import Prompting, Settings
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.names import in_id, reader_label, suite_name

if TYPE_CHECKING:
    from pytest_autoeval.engine.sources import Source
    from pytest_autoeval.generation.vocabularies import Names
    from pytest_autoeval.languages import Vocabulary
    from pytest_autoeval.tasks import Task

DEFAULT_SIZES = tuple(range(9))
DEFAULT_SAMPLES = 10

#: Why a suite is left out: its language does not have the formula that was typed, the user's data have no item for it,
#: its task has no prompt of the form that was asked for, or its model only embeds texts.
Obstacle = Literal["formula", "data", "interface", "model"]


class MarkerError(AutoevalError):
    """A pass-rate test that cannot be carried out as it is described."""


class LeftOutError(AutoevalError):
    """A test cannot be run with what was asked for; ``obstacle`` is the kind of reason."""

    def __init__(self, obstacle: Obstacle, reason: str) -> None:
        super().__init__(reason)
        self.obstacle = obstacle

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.obstacle, str(self))


class NothingDrawnError(AutoevalError):
    """A test has no sample to run, whatever is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRateTest:
    """A pass-rate test as its marker describes it; the keywords mean what they mean in :func:`autoeval`.

    ``sizes``, ``samples`` and ``trivial`` are None where nothing is given. ``drawing`` are keywords of
    `DrawingOptions`. ``name`` and ``body`` are there where no test function of pytest has them.
    """

    source: str
    name: str = ""
    body: Callable[..., object] | None = None
    sizes: tuple[int, ...] | None = None
    samples: int | None = None
    threshold: float | None = None
    horizon: Mapping[float, float] = field(default_factory=dict)
    vocabulary: Vocabulary | Names | None = None
    language: str | None = None
    task: str | None = None
    copies: Literal["fail", "count"] | None = None
    verified: bool = True
    trivial: bool | None = None
    drawing: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The model that a test asks, and the variant: the form of the task's prompt, the prompting and the reader.

    ``reader`` is the model that reads the descriptions, empty where the run names none and the model reads its own.
    ``label`` names the variant: what a run has several of, and the reader; it may be empty. ``left_out`` is why the
    test cannot be run with it, where that is known beforehand.
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

    ``name`` is the test's file, class, function and ``parameters``, with the variant's label but without the model;
    ``function`` is its file, class and function. Both are the same whatever folder the run was started in. ``samples``
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
    parameters: str | None = None
    verified: bool = True

    @property
    def name(self) -> str:
        """What its results are named by, beside the model."""
        return suite_name(
            self.function, "-".join(part for part in (self.target.label or None, self.parameters) if part is not None)
        )

    @property
    def plain_name(self) -> str:
        """The name without the variant: what a kept counterexample belongs to."""
        return suite_name(self.function, self.parameters or "")


def suites_of(test: PassRateTest, settings: Settings, *, reads: bool) -> list[Suite | Target]:
    """The suites of a pass-rate test; instead of each that has nothing to ask, its target with the reason.

    ``reads``: the body describes and reads, so that another reader may take part. Raises :class:`AutoevalError`.
    """
    from pytest_autoeval.engine.sources import source_of
    from pytest_autoeval.tasks import task as task_named

    task = None if test.task is None else task_named(test.task)
    targets = targets_of(task, settings, reads=reads)
    try:
        source = source_of(test, settings.dataset)
        # A number of the marker is about the items that it names, and not about the user's own data.
        wanted, samples = (None, None) if source.own else (test.sizes, test.samples)
        suite = Suite(
            target=targets[0],
            source=source,
            task=task,
            sizes=source.sizes(settings.over_marker("operators", wanted)),
            samples=settings.over_marker("samples", samples) or source.usual_count,
            threshold=settings.threshold if test.threshold is None else test.threshold,
            # Formulas that were typed have the sizes that somebody chose.
            horizon={} if settings.formula else test.horizon,
            copies=test.copies or settings.copies,
            verified=test.verified,
        )
        if suite.threshold is None and settings.formula:  # formulas that were typed must all pass
            suite = replace(suite, threshold=1.0)
    except LeftOutError as problem:
        return [replace(target, left_out=problem) for target in targets]
    except (TypeError, ValueError) as problem:
        given = ", ".join(f"{name}={chosen!r}" for name, chosen in test.drawing.items())
        raise MarkerError(f"the marker's {given} cannot be used: {problem}") from None
    return [target if target.left_out else replace(suite, target=target) for target in targets]


def targets_of(task: Task | None, settings: Settings, *, reads: bool) -> list[Target]:
    """The models, each with every variant that was asked for; an embedding model reads no prompt, and has one.

    Readers are for round trips: a test of a task, and one that does not read, has none.
    """
    from pytest_autoeval.models.names import is_embedder

    variants = _variants(task, settings)
    readers: Iterable[str] = settings.reader if task is None and reads else ()
    found = []
    for model in settings.model:
        if not is_embedder(model):
            for variant, reader in product(variants, readers or [""]):
                label = "-".join(filter(None, (variant.label, reader_label(reader))))
                found.append(replace(variant, model=model, reader=reader, label=label))
        elif task is not None and task.embeds:
            found.append(Target(model=model))
        else:
            reason = f"--autoeval-model: {model} is an embedding model; this test needs a chat model"
            found.append(Target(model=model, left_out=LeftOutError("model", reason)))
    return found


def _variants(task: Task | None, settings: Settings) -> list[Target]:
    """The forms of the task's prompt and the promptings that were asked for, for a model still to be named."""
    known = task.interfaces if task is not None else ()
    interfaces = [name for name in known if name in settings.interface] or known[:1] or [""]
    unfit = None
    if task is not None and known and settings.interface and interfaces[0] not in settings.interface:
        reason = f"--autoeval-interface: the task {task.name} has no such interface; it has {', '.join(known)}"
        unfit = LeftOutError("interface", reason)
    variants = []
    for interface, prompting in product(interfaces, settings.prompting):
        # The parts of which a run has several.
        several = [(interface, settings.interface), (prompting, settings.prompting)]
        label = "-".join(part for part, among in several if part and len(among) > 1)
        variants.append(Target(model="", interface=interface, prompting=prompting, label=label, left_out=unfit))
    return variants
