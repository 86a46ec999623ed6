"""The round trip, and the tasks by name. A task asks a model about one sample and judges the answer."""

from __future__ import annotations

from pytest_autoeval.by_name import find, names
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.tasks.task import Task

__all__ = ["Task", "UnknownTaskError", "task", "task_names"]

#: The location of the task of the core. Others are those of shipped plugins and of the run.
_CORE = {"judge": "pytest_autoeval.tasks.judge:JUDGE"}


class UnknownTaskError(AutoevalError, LookupError):
    """There is no task of that name."""


def task(name: str) -> Task:
    """The task of that name, loaded on first use; raises :class:`UnknownTaskError` listing the known names."""
    instance: Task = find("task", name, UnknownTaskError, _CORE)
    return instance


def task_names() -> tuple[str, ...]:
    """The names of the shipped tasks, then of those that the run added."""
    return names("task", _CORE)
