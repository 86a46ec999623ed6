"""Figures of the tasks, from the samples of a suite. `docs/reference/tasks.md` defines every figure.

Each suite names its kind of figures. A kind is a function like those of `registry.add_figures`: it gets the samples of
a suite, and yields figures and tables, or curves. Samples with the outcome ``error`` are left out of every figure. The
function of a user for a kind is not called here: its figures are checked and kept when the suite ends
(`added_figures.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from pytest_autoeval.built_in import provided, shipped
from pytest_autoeval.by_name import added, located
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.task_parts import Answered, First
from pytest_autoeval.report.blocks import Curve, Figures, Level, Table
from pytest_autoeval.report.task_figures.answer_figures import refinement

#: A block about the answers to a task.
TaskBlock = Figures | Table | Curve
#: What a function yields that computes figures.
Yielded = Figure | TaskBlock

#: The location of the function of the core, by its kind of figures. Others are those of shipped plugins.
_CORE = {"judged pairs": "pytest_autoeval.report.task_figures.answer_figures:judged_pairs"}


def task_blocks(suite: SuiteRecord, samples: Iterable[Sample]) -> list[TaskBlock]:
    """The blocks about the answers to the task of a suite, from the samples that count; empty for a round trip."""
    answered = [sample for sample in samples if sample.kind != OutcomeKind.ERROR]
    function = _function_of(suite.asked.figures or "")
    if function is None or not answered:
        return []
    # Samples with an error have no answer, so no figure is about them.
    return as_blocks([*function(answered), *_about_form(suite, answered)])


def kinds_of_tasks(suites: Iterable[SuiteRecord]) -> tuple[str, ...]:
    """The kinds of figures that tasks have: shipped ones, those that the run added, and those of the suites."""
    # A misspelt kind is reported against these names.
    kinds = [
        *(task.figures for task in added("task").values()),
        *(suite.asked.figures for suite in suites),
    ]
    return tuple(dict.fromkeys([*_CORE, *provided("figures"), *filter(None, kinds)]))


def _function_of(kind: str) -> Callable[[Sequence[Sample]], Iterable[Yielded]] | None:
    """What computes the figures of a kind; None for a kind that is not shipped."""
    function: Callable[[Sequence[Sample]], Iterable[Yielded]] | None = None
    if kind in _CORE:
        function = located(_CORE[kind])
    elif kind in provided("figures"):
        function = shipped("figures", kind)
    return function


def _about_form(suite: SuiteRecord, samples: Sequence[Sample]) -> Iterator[Yielded]:
    """The figures that every task has: answers that do not follow the schema, and what refinement changed."""
    if suite.asked.interface == "structured":
        in_words = sum(sample.part_or_empty(Answered).structured is False for sample in samples)
        if in_words:
            yield Figure("answered as text, not by the schema", in_words, "count", n=len(samples))
    refined = [sample for sample in samples if sample.part_or_empty(First).outcome]
    if refined:
        yield refinement(refined)


def as_blocks(yielded: Iterable[Yielded], level: Level = "default") -> list[TaskBlock]:
    """Figures and tables as blocks: figures that follow each other are one block."""
    blocks: list[TaskBlock] = []
    row: list[Figure] = []
    for value in yielded:
        if isinstance(value, Figure):
            row.append(value)
            continue
        if row:
            blocks.append(Figures(figures=tuple(row), level=level))
            row = []
        blocks.append(value)
    if row:
        blocks.append(Figures(figures=tuple(row), level=level))
    return blocks


def figures_in(blocks: Iterable[TaskBlock]) -> Iterator[Figure]:
    """The figures of some blocks, each with a name of its own: that of its block before it, if the block has one."""
    for block in blocks:
        if isinstance(block, Figures):
            for figure in block.figures:
                yield titled(figure, block.title)


def titled(figure: Figure, title: str) -> Figure:
    """The figure with the title of its block in its name."""
    return replace(figure, name=f"{title}: {figure.name}") if title else figure
