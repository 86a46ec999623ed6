"""The round trip, and the tasks by name. A task asks a model about one sample and judges the answer."""

from __future__ import annotations

from pytest_autoeval.by_name import find, names
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.tasks.base import Task

__all__ = ["Task", "UnknownTaskError", "task", "task_names"]

#: The tasks by module. The instance of a task is a constant of its module: its name in capitals.
_MODULES = {
    "extraction": ("propositions", "ontology_extraction"),
    "questions": ("well_formed", "judge_trace", "judge", "write_trace", "entailment_formulas", "entailment_english"),
    "translation": (
        *("translate", "translate_past", "logical_translation", "informalization"),
        *("translate_sentence", "open_translation"),
    ),
    "sentence_round_trip": ("sentence_round_trip",),
    "choices": ("most_similar_formulas", "most_similar_english", "ranking_formulas", "ranking_english"),
}
_LOCATIONS = {
    name: f"pytest_autoeval.tasks.{module}:{name.upper()}" for module, tasks in _MODULES.items() for name in tasks
}


class UnknownTaskError(AutoevalError, LookupError):
    """There is no task of that name."""


def task(name: str) -> Task:
    """The task of that name, loaded on first use; raises :class:`UnknownTaskError` listing the known names."""
    instance: Task = find("task", name, _LOCATIONS, UnknownTaskError)
    return instance


def task_names() -> tuple[str, ...]:
    """The names of the shipped tasks, then of those that the run added."""
    return names("task", _LOCATIONS)
