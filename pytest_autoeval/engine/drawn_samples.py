"""The samples that a suite draws from its source, and why it draws none or fewer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.sources import GrammarSource
from pytest_autoeval.engine.suite import DEFAULT_SAMPLES, LeftOutError, NothingDrawnError, Suite
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.text import count

#: A suite is large if it has this many times the samples that are drawn first.
_LARGE = 4


def draw(suite: Suite, settings: Settings) -> tuple[list[Sample], list[str]]:
    """The samples of a suite, and notes about samples that could not be drawn.

    The samples are drawn, or made of formulas from the command line. Raises :class:`LeftOutError` or
    :class:`NothingDrawnError` if there is none.
    """
    collect = typed_samples if settings.formula else _draw_sizes
    samples, notes = collect(suite, settings)
    if suite.target.prompting == Prompting.SAME_STORY:
        samples = _with_stories(samples, notes)
    return _numbered(samples), notes + _interface_notes(suite, settings)


def _with_stories(samples: Sequence[Sample], notes: list[str]) -> list[Sample]:
    """The samples whose story has another sentence; notes how many have none. Raises :class:`LeftOutError`."""
    with_stories = [sample for sample in samples if "same_story" in getattr(sample, "facts", {})]
    problem = "without another sentence of the same story: name a file of stories, or one with the column story_id"
    if not with_stories:
        raise LeftOutError("data", f"--autoeval-prompting=same-story: all sentences are {problem}")
    if len(with_stories) < len(samples):
        lacking = count(len(samples) - len(with_stories), "sentence")
        notes.append(f"--autoeval-prompting=same-story: {lacking} left out, {problem}")
    return with_stories


def _numbered(samples: Sequence[Sample]) -> list[Sample]:
    """The samples, no two of one size with the same index. Typed formulas all come as the first of their size."""
    taken: set[tuple[int, int]] = set()
    numbered = []
    for sample in samples:
        # Results name a sample by its size and index.
        index = sample.index
        while (sample.operators, index) in taken:
            index += 1
        taken.add((sample.operators, index))
        numbered.append(sample if index == sample.index else replace(sample, index=index))
    return numbered


def first_samples(suite: Suite, settings: Settings, number: int) -> list[Sample]:
    """About ``number`` samples of a large suite, of all sizes. They are asked while the others are drawn.

    A continued run has the answers to these samples already, and to some of each size. So it begins with all samples of
    the last size. Each sample is among those of :func:`draw`. Empty for a small suite, and if not all samples are drawn
    from a grammar.
    """
    source = suite.source
    # Rounded up, so that every thread of the crew has a sample.
    samples_a_size = math.ceil(number / max(len(suite.sizes), 1))
    is_large = (suite.samples or DEFAULT_SAMPLES) >= _LARGE * samples_a_size
    if settings.formula or not is_large or not isinstance(source, GrammarSource):
        return []
    if settings.resume and len(suite.sizes) > 1:
        return source.samples(suite.sizes[-1], suite.samples, settings.seed)
    return [
        sample
        for size in suite.sizes
        for sample in source.samples(size, samples_a_size, settings.seed)
    ]


def _interface_notes(suite: Suite, settings: Settings) -> list[str]:
    """A note that names the requested interfaces which the suite's task does not have."""
    interfaces = suite.task.interfaces if suite.task is not None else ()
    lacking = [name for name in settings.interface if interfaces and name not in interfaces]
    if suite.task is None or not lacking:
        return []
    return [f"the task {suite.task.name} has no interface {', '.join(lacking)}"]


def _no_samples_error(suite: Suite, settings: Settings) -> LeftOutError | NothingDrawnError:
    """The error for a suite without samples: left out if an option chose its sizes or its data, else failed."""
    source = suite.source
    prefix = "--autoeval-dataset: " if source.is_users_data else ""
    sizes = ", ".join(map(str, suite.sizes))
    shown_sizes = f"size {sizes}" if sizes else "these sizes"
    problem = f"{prefix}{source.name} has nothing of {shown_sizes}"
    if source.is_users_data or "operators" in settings.typed:
        return LeftOutError("data", problem)
    return NothingDrawnError("; ".join(filter(None, (problem, source.hint(suite.sizes)))))


def _draw_sizes(suite: Suite, settings: Settings) -> tuple[list[Sample], list[str]]:
    source, samples_a_size = suite.source, suite.samples
    samples: list[Sample] = []
    notes: list[str] = []
    for size in suite.sizes:
        drawn = source.asked(size, samples_a_size, settings.seed)
        samples += drawn
        if (
            isinstance(source, GrammarSource)
            and samples_a_size is not None
            and len(drawn) < samples_a_size
        ):
            notes += filter(None, [source.shortfall(size, len(drawn), samples_a_size)])
    if not samples:
        raise _no_samples_error(suite, settings)
    return samples, notes


def typed_samples(suite: Suite, settings: Settings) -> tuple[list[Sample], list[str]]:
    """The samples of the formulas on the command line, and notes about those that do not fit the suite.

    Raises :class:`LeftOutError` if none fits.
    """
    samples: list[Sample] = []
    notes = []
    for text in settings.formula:
        try:
            matching = suite.source.typed(text, settings.seed)
        except FormulaSyntaxError as problem:
            notes.append(
                f"--autoeval-formula: '{text}' is not a formula for {suite.source.name}: {problem}"
            )
            continue
        # One formula may be typed in two notations.
        samples += [sample for sample in matching if sample not in samples]
        if not matching:
            notes.append(
                f"--autoeval-formula: '{text}' is no formula or item of {suite.source.name}"
            )
    if not samples:
        raise LeftOutError("formula", "; ".join(notes))
    return samples, notes
