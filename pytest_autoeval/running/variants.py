"""In which ways a suite is run: each interface and each way of asking that were wanted, one result for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_autoeval.running.options import OPTIONS, value

if TYPE_CHECKING:
    from pytest_autoeval.tasks.trial import Interface, Way

_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run a suite; ``label`` stands in its name where a run has several."""

    interface: Interface = ""
    way: Way = "zero-shot"
    label: str = ""


def variants_of(task: str | None, config: pytest.Config) -> list[Variant]:
    """The variants of a suite with this task; none where the task cannot be put as it was asked for.

    Raises :class:`UnknownTaskError`.
    """
    ways = list(dict.fromkeys(value(config, _BY_NAME["prompting"])))
    asked = list(dict.fromkeys(value(config, _BY_NAME["interface"])))
    known = interfaces_of(task)
    interfaces: list[Interface] = [name for name in known if name in asked] if asked and known else [*known[:1]] or [""]
    found = []
    for interface in interfaces:
        for way in ways:
            parts = (interface if interface and len(asked) > 1 else "", way if len(ways) > 1 else "")
            found.append(Variant(interface, way, "-".join(part for part in parts if part)))
    return found


def interfaces_of(task: str | None) -> tuple[Interface, ...]:
    """The interfaces that a task has, the default first."""
    if task is None:
        return ()
    from pytest_autoeval.tasks import task as task_named

    return task_named(task).interfaces
