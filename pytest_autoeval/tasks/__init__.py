"""What can be asked of a model about a formula or a sentence: the round trip, and the tasks, a file each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.registry import current_registry, find, names

if TYPE_CHECKING:
    from pytest_autoeval.tasks.base import Task as Task

__all__ = ["Task", "UnknownTaskError", "task", "task_names"]

#: Where each task's one instance stands.
_LOCATIONS: dict[str, str] = {
    "propositions": "pytest_autoeval.tasks.propositions:TASK",
    "well_formed": "pytest_autoeval.tasks.well_formedness:TASK",
    "translate": "pytest_autoeval.tasks.translation:FUTURE",
    "translate_past": "pytest_autoeval.tasks.translation:PAST",
    "judge_trace": "pytest_autoeval.tasks.trace_judging:TASK",
    "write_trace": "pytest_autoeval.tasks.trace_writing:TASK",
    "translate_sentence": "pytest_autoeval.tasks.sentence_translation:TASK",
    "judge": "pytest_autoeval.tasks.judge:TASK",
    "logical_translation": "pytest_autoeval.tasks.logical_translation:TASK",
    "open_translation": "pytest_autoeval.tasks.open_translation:TASK",
    "ontology_extraction": "pytest_autoeval.tasks.ontology_extraction:TASK",
    "informalization": "pytest_autoeval.tasks.informalization:TASK",
    "most_similar_formulas": "pytest_autoeval.tasks.most_similar:FORMULAS",
    "most_similar_english": "pytest_autoeval.tasks.most_similar:ENGLISH",
    "ranking_formulas": "pytest_autoeval.tasks.ranking:FORMULAS",
    "ranking_english": "pytest_autoeval.tasks.ranking:ENGLISH",
    "entailment_formulas": "pytest_autoeval.tasks.entailment:FORMULAS",
    "entailment_english": "pytest_autoeval.tasks.entailment:ENGLISH",
}


class UnknownTaskError(AutoevalError, LookupError):
    """There is no task of that name."""


def __getattr__(name: str) -> Any:
    """`Task`, on first use: the round trip needs no other task."""
    if name != "Task":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pytest_autoeval.tasks.base import Task

    return Task


def task(name: str) -> Task:
    """The task of that name, loaded on first use; raises :class:`UnknownTaskError` listing the known names."""
    return find("task", name, current_registry().tasks, _LOCATIONS, UnknownTaskError)


def task_names() -> tuple[str, ...]:
    """The names of the shipped tasks, then of those that the run added."""
    return names(current_registry().tasks, _LOCATIONS)
