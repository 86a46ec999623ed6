"""The suites of a pass-rate test: one for each model and variant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import LeftOutError, MarkerError, PassRateTest, Suite, Target
from pytest_autoeval.engine.suite_files import shown_folder
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.suite_names import (
    ROUND_TRIP_INTERFACES,
    folder_labels,
    reader_label,
)

if TYPE_CHECKING:
    from pytest_autoeval.tasks.task import Task


def suites_of(
    test: PassRateTest, settings: Settings, *, reads: bool, prompts: Iterable[Path] = ()
) -> list[Suite | Target]:
    """The suites of a pass-rate test. For each that cannot ask anything: its target, with the reason.

    ``reads``: the body both describes and reads, so that another model may read. ``prompts`` are folders of prompts
    that all suites search after those of the settings. Raises :class:`AutoevalError`.
    """
    from pytest_autoeval.engine.sources import source_of
    from pytest_autoeval.generation.drawing_errors import DrawingError
    from pytest_autoeval.tasks import task as task_named

    # Before the source is made, which draws examples to see what the bounds can be about.
    test = _with_measures(test, settings)
    task = None if test.task is None else task_named(test.task)
    targets = targets_of(task, settings, reads=reads)
    try:
        source = source_of(test, settings.dataset, tuple((settings.columns or {}).items()))
        sizes_of_marker, samples_of_marker = test.sizes, test.samples
        # The marker's sizes and number of samples refer to its own items, not to the user's data.
        if source.is_users_data:
            sizes_of_marker = samples_of_marker = None
        suite = Suite(
            target=targets[0],
            source=source,
            task=task,
            sizes=source.sizes(settings.over_marker("operators", sizes_of_marker)),
            samples=settings.over_marker("samples", samples_of_marker) or source.default_count,
            threshold=settings.threshold if test.threshold is None else test.threshold,
            threshold_by=_threshold_by(test, settings),
            agreement=_agreement(test, task, settings),
            collisions=_collisions(test, task),
            copies=test.copies or settings.copies,
            verified=test.verified,
        )
        # Formulas that were typed must all pass: they are too few for a rate.
        if suite.threshold is None and settings.formula:
            suite = structs.replace(suite, threshold=1.0, threshold_by="option")
        if not _prompts_matter(task, source.language, settings.prompts):
            targets = targets_of(task, settings, reads=reads, folders=())
        further_folders = tuple(prompts)
        targets = [
            _left_out_without_prompt(target, task, source.language, settings, further_folders)
            for target in targets
        ]
    except DrawingError as problem:
        # The bounds of an option hold for all suites of a run, and may name a measure that one language lacks.
        if not settings.measures:
            raise
        left_out = LeftOutError("data", f"{settings.origin('measures')}: {problem}")
        return [structs.replace(target, left_out=left_out) for target in targets]
    except LeftOutError as problem:
        return [structs.replace(target, left_out=problem) for target in targets]
    except (TypeError, ValueError) as problem:
        arguments = ", ".join(f"{name}={chosen!r}" for name, chosen in test.drawing.items())
        raise MarkerError(f"the marker's {arguments} cannot be used: {problem}") from None
    return [
        target if target.left_out else structs.replace(suite, target=target) for target in targets
    ]


def _with_measures(test: PassRateTest, settings: Settings) -> PassRateTest:
    """The test with the bounds of measures that an option gives; they count instead of the marker's."""
    if not settings.measures:
        return test
    from pytest_autoeval.generation.measure_bounds import bounds_of

    bounds = {
        bound.name: bound
        for bound in (*bounds_of(test.drawing.get("measures") or ()), *settings.measures)
    }
    return structs.replace(test, drawing={**test.drawing, "measures": tuple(bounds.values())})


def _threshold_by(test: PassRateTest, settings: Settings) -> Literal["", "marker", "option"]:
    """What gives the threshold of a suite; empty without one."""
    if test.threshold is not None:
        return "marker"
    return "" if settings.threshold is None else "option"


def _agreement(test: PassRateTest, task: Task | None, settings: Settings) -> float | None:
    """The required agreement of a suite of sentences; None for another suite, or :class:`MarkerError` if it has one."""
    is_of_sentences = task is not None and task.takes_paraphrases
    if test.agreement is not None and not is_of_sentences:
        raise MarkerError(
            'agreement= is for sentences: it needs task="sentence_round_trip"; leave it out'
        )
    if not is_of_sentences:
        return None
    return settings.agreement if test.agreement is None else test.agreement


def _collisions(test: PassRateTest, task: Task | None) -> int | None:
    """The allowed collisions of a suite of sentences; None for another suite, or :class:`MarkerError` if it has any."""
    is_of_sentences = task is not None and task.takes_paraphrases
    if test.collisions is not None and not is_of_sentences:
        raise MarkerError(
            'collisions= is for sentences: it needs task="sentence_round_trip"; leave it out'
        )
    return test.collisions


def targets_of(
    task: Task | None, settings: Settings, *, reads: bool, folders: Sequence[Path] | None = None
) -> list[Target]:
    """The models, each with every requested variant. An embedding model has one variant, since it reads no prompt.

    Readers apply only to round trips. ``folders`` are the folders of prompts, by default those of the settings.
    """
    from pytest_autoeval.models.model_names import is_embedder

    variants = _variants(task, settings, settings.prompts if folders is None else folders)
    readers: Iterable[str] = settings.reader if task is None and reads else ()
    targets = []
    for model in settings.model:
        if not is_embedder(model):
            for variant, reader in product(variants, readers or [""]):
                label = "-".join(filter(None, (variant.label, reader_label(reader))))
                targets.append(structs.replace(variant, model=model, reader=reader, label=label))
        # It has one variant: no prompt is sent to it.
        elif task is not None and task.embeds:
            targets.append(Target(model=model))
        else:
            reason = (
                f"--autoeval-model: {model} is an embedding model; this test needs a chat model"
            )
            targets.append(Target(model=model, left_out=LeftOutError("model", reason)))
    return targets


def _variants(task: Task | None, settings: Settings, folders: Sequence[Path]) -> list[Target]:
    """The requested interfaces, promptings and folders of prompts, without a model."""
    interfaces, lacks_interface = _interfaces(task, settings)
    tested = "a round trip" if task is None else f"the task {task.name}"
    lacks_stories = LeftOutError(
        "interface", f"--autoeval-prompting=same-story: {tested} takes no examples from stories"
    )
    # Examples from a story need sentences of that story, which only some tasks have.
    takes_stories = task is not None and task.takes_story_examples
    shown = {folder: shown_folder(folder, settings.folder) for folder in folders}
    folder_names = folder_labels(shown.values()) if len(folders) > 1 else {}
    variants = []
    for interface, prompting, folder in product(interfaces, settings.prompting, folders or (None,)):
        left_out = lacks_interface
        if prompting == Prompting.SAME_STORY and not takes_stories:
            left_out = lacks_stories
        # The label says what differs between the variants of this run. What all share would say nothing.
        labels: list[str] = []
        if interface and len(settings.interface) > 1:
            labels.append(interface)
        if len(settings.prompting) > 1:
            labels.append(prompting)
        constraints = _constraints(task, interface, settings)
        for constrained in constraints:
            own_labels = [*labels]
            if len(constraints) > 1:
                own_labels.append("constrained" if constrained else "free")
            if folder is not None and folder_names:
                own_labels.append(folder_names[shown[folder]])
            variants.append(
                Target(
                    model="",
                    interface=interface,
                    prompting=prompting,
                    prompts=folder,
                    constrained=constrained,
                    label="-".join(own_labels),
                    left_out=left_out,
                )
            )
    return variants


def _interfaces(task: Task | None, settings: Settings) -> tuple[list[str], LeftOutError | None]:
    """The requested interfaces that a test has, or its usual one; and why it is left out, if it has none of them.

    A task without interfaces takes any request. A round trip that is asked for no interface of its own has none, and
    then asks in the usual form.
    """
    task_interfaces = ROUND_TRIP_INTERFACES if task is None else task.interfaces
    requested = [name for name in task_interfaces if name in settings.interface]
    if requested:
        return requested, None
    if task is None:
        return [""], None
    usual = next(iter(task_interfaces), "")
    if not task_interfaces or not settings.interface:
        return [usual], None
    names = ", ".join(task_interfaces)
    reason = f"--autoeval-interface: the task {task.name} has no such interface; it has {names}"
    return [usual], LeftOutError("interface", reason)


def _constraints(task: Task | None, interface: str, settings: Settings) -> tuple[bool, ...]:
    """Whether answers are constrained, for each variant that differs in nothing else: one, or two if both are asked."""
    can_constrain = task is None or interface in task.constrained_interfaces
    if can_constrain and settings.constrained == "both":
        return (False, True)
    return (can_constrain and settings.constrained is not None,)


def _prompts_matter(task: Task | None, language: str, folders: Sequence[Path]) -> bool:
    """Whether folders of prompts make variants of a test: one of them has a prompt that it may ask with.

    Without one, all variants would send equal requests, and be paid for each time; and a suite would look as if it
    were asked with other prompts than in a run without these folders. A text of `parts/` may stand in any prompt, and a
    test without a language may ask in any.
    """
    if not language:
        return True
    languages = {language}
    if task is not None and task.prompt_language:
        languages.add(task.prompt_language)
    for folder in folders:
        prompt_languages = {file.name.partition(".")[0] for file in folder.glob("*/*.toml")}
        has_parts = any(folder.glob("parts/**/*.txt"))
        if has_parts or not languages.isdisjoint(prompt_languages):
            return True
    return False


def _left_out_without_prompt(
    target: Target,
    task: Task | None,
    language: str,
    settings: Settings,
    further_folders: Sequence[Path],
) -> Target:
    """The target, left out if the requested interface has prompts for other languages only.

    A round trip needs a prompt of the interface for one of its halves; the other half may be asked in the usual form.
    """
    if target.left_out is not None or target.interface not in settings.interface:
        return target
    from pytest_autoeval.prompts.template import languages_with

    stages = ("informalize", "autoformalize") if task is None else (task.name,)
    folders = further_folders if target.prompts is None else (target.prompts, *further_folders)
    languages: set[str] = set()
    for stage in stages:
        languages.update(languages_with(stage, target.interface, folders))
    prompt_language = language if task is None else task.prompt_language or language
    # No file names the interface `plain`: its prompts are the files without an interface.
    if not languages or not prompt_language or prompt_language in languages:
        return target
    subject = "the round trip" if task is None else f"the task {task.name}"
    names = ", ".join(sorted(languages))
    reason = (
        f"--autoeval-interface: {subject} has the interface {target.interface} for {names}, "
        f"not for {prompt_language}"
    )
    return structs.replace(target, left_out=LeftOutError("interface", reason))
