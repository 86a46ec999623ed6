"""Blame (`--autoeval-blame`): which half of a failed round trip lost the meaning, the description or its reading."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from pytest_autoeval.languages import Formula
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.record.task_parts import Blame
from pytest_autoeval.tasks.round_trip import Llm, blame_of, resolved
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, in_trial

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_named_wrapper("blame", blaming)


def blaming(trial: Trial) -> Generator[None, None, None]:
    """Adds to the trial which half of a failed round trip lost the meaning."""
    try:
        yield
    except MeaningLostError as lost:
        if outcome_named(lost.outcome).of_round_trip and (found := blame(trial)) is not None:
            trial.add(found)
        raise


def blame(trial: Trial) -> Blame | None:
    """Which half of a failed round trip lost the meaning; None if there was no round trip."""
    if trial.task is not None:
        return trial.task.blame(trial)
    if trial.described is None:
        return None
    lang, formula, _ = resolved(trial.described, trial.subject)

    def read(probe: Trial, description: str) -> Formula:
        with in_trial(probe):
            return Llm().autoformalize(description, like=formula)

    return blame_of(trial, lang, lang.describe, read)
