"""The suites of a pass-rate test: one for each model and variant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Literal

from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import LeftOutError, MarkerError, PassRateTest, Suite, Target
from pytest_autoeval.record.suite_names import reader_label

if TYPE_CHECKING:
    from pytest_autoeval.tasks import Task


def suites_of(test: PassRateTest, settings: Settings, *, reads: bool) -> list[Suite | Target]:
    """The suites of a pass-rate test. For each that cannot ask anything: its target, with the reason.

    ``reads``: the body both describes and reads, so that another model may read. Raises :class:`AutoevalError`.
    """
    from pytest_autoeval.engine.sources import source_of
    from pytest_autoeval.tasks import task as task_named

    task = None if test.task is None else task_named(test.task)
    targets = targets_of(task, settings, reads=reads)
    try:
        source = source_of(test, settings.dataset, tuple((settings.columns or {}).items()))
        # The marker's number of samples refers to its own items, not to the user's data.
        wanted, samples = (None, None) if source.is_users_data else (test.sizes, test.samples)
        suite = Suite(
            target=targets[0],
            source=source,
            task=task,
            sizes=source.sizes(settings.over_marker("operators", wanted)),
            samples=settings.over_marker("samples", samples) or source.default_count,
            threshold=settings.threshold if test.threshold is None else test.threshold,
            threshold_by=_giver(test, settings),
            # Typed formulas have the sizes that the user chose.
            agreement=_agreement(test, task, settings),
            copies=test.copies or settings.copies,
            verified=test.verified,
        )
        if suite.threshold is None and settings.formula:  # formulas that were typed must all pass
            suite = replace(suite, threshold=1.0, threshold_by="option")
    except LeftOutError as problem:
        return [replace(target, left_out=problem) for target in targets]
    except (TypeError, ValueError) as problem:
        given = ", ".join(f"{name}={chosen!r}" for name, chosen in test.drawing.items())
        raise MarkerError(f"the marker's {given} cannot be used: {problem}") from None
    return [target if target.left_out else replace(suite, target=target) for target in targets]


def _giver(test: PassRateTest, settings: Settings) -> Literal["", "marker", "option"]:
    """What gives the threshold of a suite; empty without one."""
    if test.threshold is not None:
        return "marker"
    return "" if settings.threshold is None else "option"


def _agreement(test: PassRateTest, task: Task | None, settings: Settings) -> float | None:
    """The required agreement of a suite of sentences; raises :class:`MarkerError` for another suite."""
    if task is not None and task.takes_paraphrases:
        return settings.agreement if test.agreement is None else test.agreement
    if test.agreement is not None:
        raise MarkerError(
            'agreement= is for sentences: it needs task="sentence_round_trip"; leave it out'
        )
    return None


def targets_of(task: Task | None, settings: Settings, *, reads: bool) -> list[Target]:
    """The models, each with every requested variant. An embedding model has one variant, since it reads no prompt.

    Readers apply only to round trips.
    """
    from pytest_autoeval.models.model_names import is_embedder

    variants = _variants(task, settings)
    readers: Iterable[str] = settings.reader if task is None and reads else ()
    targets = []
    for model in settings.model:
        if not is_embedder(model):
            for variant, reader in product(variants, readers or [""]):
                label = "-".join(filter(None, (variant.label, reader_label(reader))))
                targets.append(replace(variant, model=model, reader=reader, label=label))
        elif task is not None and task.embeds:
            targets.append(Target(model=model))
        else:
            reason = (
                f"--autoeval-model: {model} is an embedding model; this test needs a chat model"
            )
            targets.append(Target(model=model, left_out=LeftOutError("model", reason)))
    return targets


def _variants(task: Task | None, settings: Settings) -> list[Target]:
    """The requested interfaces and promptings, without a model."""
    known = task.interfaces if task is not None else ()
    interfaces = [name for name in known if name in settings.interface] or known[:1] or [""]
    unfit = None
    if (
        task is not None
        and known
        and settings.interface
        and interfaces[0] not in settings.interface
    ):
        reason = f"--autoeval-interface: the task {task.name} has no such interface; it has {', '.join(known)}"
        unfit = LeftOutError("interface", reason)
    variants = []
    both = settings.constrained == "both"
    for interface, prompting in product(interfaces, settings.prompting):
        constrains = task is None or interface in task.constrained_interfaces
        for constrained in (
            (False, True)
            if both and constrains
            else (settings.constrained is not None and constrains,)
        ):
            # What differs between the variants of this run.
            several = [(interface, settings.interface), (prompting, settings.prompting)]
            parts = [part for part, among in several if part and len(among) > 1]
            parts += ["constrained" if constrained else "free"] if both and constrains else []
            target = Target(
                model="", interface=interface, prompting=prompting, constrained=constrained
            )
            variants.append(replace(target, label="-".join(parts), left_out=unfit))
    return variants
