"""Blame (`--autoeval-blame`): which half of a failed round trip lost the meaning, the description or its reading.

The model reads a faithful description of the formula in a fresh conversation. If it reads the formula, its own
description lost the meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import structs

from pytest_autoeval.languages import EnglishError, LimitError
from pytest_autoeval.models.protocols import ModelError
from pytest_autoeval.models.purposes import calls_for
from pytest_autoeval.outcomes import Outcome, outcome_named
from pytest_autoeval.record.figure_sentences import number
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.report.blocks import Figures
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.tasks.halves import Halves
from pytest_autoeval.tasks.round_trip import assert_equivalent, halves_of
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, in_trial

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

_Half = Literal["description", "reading", "undecided"]
#: The stage and the purpose of the calls for blame.
_NAME = "blame"
_SHOWN: dict[_Half, str] = {
    "description": "in the description",
    "reading": "in the reading",
    "undecided": "undecided",
}


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_named_wrapper(_NAME, blaming)
    registry.add_suite_blocks(_NAME, blocks_of_blame)


class Blame(Part, frozen=True):
    """Which half of a failed round trip lost the meaning (`--autoeval-blame`).

    Attributes:
        half: the half: the ``description``, its ``reading``, or ``undecided``.
        description: the faithful description that the model was given; null if nothing was asked.
        answer: the model's answer to it.
        translation: the formula that was read in this answer.
        outcome: how that formula compares.
    """

    is_flat: ClassVar[bool] = False

    half: _Half
    description: str | None = None
    answer: str | None = None
    translation: str | None = None
    outcome: str | None = None


def blaming(trial: Trial) -> Generator[None, None, None]:
    """Adds to the trial which half of a failed round trip lost the meaning."""
    try:
        yield
    except MeaningLostError as lost:
        # Other outcomes are of no round trip, so there are no halves to choose from.
        lost_half = blame(trial) if outcome_named(lost.outcome).of_round_trip else None
        if lost_half is not None:
            trial.add(lost_half)
        raise


def blame(trial: Trial) -> Blame | None:
    """Which half of a failed round trip lost the meaning; None if there was no round trip."""
    halves = halves_of(trial) if trial.task is None else trial.task.halves(trial)
    if halves is None:
        return None
    if trial.description is None or (trial.leaked and trial.copies == "fail"):
        return Blame(half="description")
    formula = trial.described
    assert formula is not None
    try:
        description = halves.describe(formula)
    except (EnglishError, LimitError):  # the sentence that the judge would read does not exist
        return None
    # The probe asks like the sample. The sample keeps its own answer and outcome, and gets only the calls.
    probe = trial.anew()
    with calls_for(_NAME):
        outcome = _outcome(probe, trial, halves, description)
    probe.calls = [structs.replace(call, stage=_NAME) for call in probe.calls]
    trial.take_calls(probe)
    return Blame(
        half=_half(outcome),
        description=description,
        answer=probe.answer,
        translation=None if probe.read is None else halves.language.format(probe.read),
        outcome=outcome,
    )


def _outcome(probe: Trial, trial: Trial, halves: Halves, description: str) -> str:
    """The outcome for a faithful description; the sample keeps its own outcome."""
    assert trial.described is not None
    with in_trial(probe):
        try:
            assert_equivalent(halves.read(probe, description), trial.described)
        except MeaningLostError as lost:
            return lost.outcome
        except UndecidedError:
            return Outcome.UNDECIDED
        except ModelError:
            return Outcome.ERROR
    return Outcome.EQUIVALENT


def _half(outcome: str) -> _Half:
    """The half that lost the meaning, by the outcome of reading a faithful description."""
    if outcome == Outcome.EQUIVALENT:
        return "description"
    return "reading" if outcome_named(outcome).of_round_trip else "undecided"


def blocks_of_blame(summary: SuiteSummary) -> Iterator[Figures]:
    """How many failures of a suite lost the meaning in each half."""
    blames = (sample.part(Blame) for sample in summary.samples)
    lost = Counter(blame.half for blame in blames if blame is not None)
    if lost:
        halves = [half for half in _SHOWN if half != "undecided" or lost[half]]
        figures = [number(lost[half], name=_SHOWN[half]) for half in halves]
        yield Figures(tuple(figures), title="where the meaning was lost", level="default")
