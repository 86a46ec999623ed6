"""What can be asked of a model about a formula or a sentence: the round trip, and the tasks, a file each."""

from __future__ import annotations

from importlib import import_module

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.tasks.base import Task

__all__ = ["Task", "UnknownTaskError", "register_task", "task", "task_names"]

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
_LOADED: dict[str, Task] = {}


class UnknownTaskError(AutoevalError, LookupError):
    """No task of that name is registered."""


def task(name: str) -> Task:
    """The task of that name, loaded on first use; raises :class:`UnknownTaskError` listing the known names."""
    if name not in _LOADED:
        if name not in _LOCATIONS:
            known = ", ".join(task_names())
            hint = did_you_mean(name, task_names())
            raise UnknownTaskError(f"there is no task {name!r}; known are: {known}.{hint}")
        module, _, attribute = _LOCATIONS[name].partition(":")
        _LOADED[name] = getattr(import_module(module), attribute)
    return _LOADED[name]


def task_names() -> tuple[str, ...]:
    """The registered names, in order of registration."""
    return tuple(dict.fromkeys((*_LOCATIONS, *_LOADED)))


def register_task(instance: Task) -> None:
    """Adds a task, or replaces the one of the same name."""
    _LOADED[instance.name] = instance
