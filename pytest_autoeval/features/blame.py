"""Blame (`--autoeval-blame`): which half of a failed round trip lost the meaning, the description or its reading.

The model reads a faithful description of the formula in a fresh conversation. If it reads the formula, its own
description lost the meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import structs

from pytest_autoeval.outcomes import Outcome, outcome_named
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.report.blocks import Figures, Note
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.report.suite_summary import SuiteSummary

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry
    from pytest_autoeval.tasks.halves import Halves
    from pytest_autoeval.tasks.trial import Trial

_Half = Literal["description", "reading", "undecided"]
#: The stage and the purpose of the calls for blame.
_NAME = "blame"
_SHOWN: dict[_Half, str] = {
    "description": "in the description",
    "reading": "in the reading",
    "undecided": "undecided",
}
#: Why a half is unknown in a run that only replays.
_NOT_RECORDED = (
    "the recording of the question for --autoeval-blame is missing; "
    "--autoeval-record-mode=new_episodes records it"
)
#: How many reasons of undecided halves are shown, the most frequent ones.
_MOST_PROBLEMS = 3


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
        problem: why the model's reading of it is unknown, such as a missing recording.
    """

    is_flat: ClassVar[bool] = False

    half: _Half
    description: str | None = None
    answer: str | None = None
    translation: str | None = None
    outcome: str | None = None
    problem: str | None = None

    @property
    def was_not_asked(self) -> bool:
        """Whether the description is blamed without a call: it is a copy, or the model gave none."""
        return self.half == "description" and self.description is None


def blaming(trial: Trial) -> Generator[None, None, None]:
    """Adds to the trial which half of a failed round trip lost the meaning."""
    from pytest_autoeval.tasks.trial import MeaningLostError

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
    # A report, which only counts the halves, asks no model.
    from pytest_autoeval.languages import EnglishError, LimitError
    from pytest_autoeval.models.purposes import calls_for
    from pytest_autoeval.tasks.round_trip import halves_of

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
        outcome, problem = _outcome(probe, trial, halves, description)
    probe.calls = [structs.replace(call, stage=_NAME) for call in probe.calls]
    trial.take_calls(probe)
    return Blame(
        half=_half(outcome),
        description=description,
        answer=probe.answer,
        translation=None if probe.read is None else halves.language.format(probe.read),
        outcome=outcome,
        problem=problem,
    )


def _outcome(
    probe: Trial, trial: Trial, halves: Halves, description: str
) -> tuple[str, str | None]:
    """The outcome for a faithful description, and why it decides nothing. The sample keeps its own outcome."""
    from pytest_autoeval.models.protocols import ModelError, RecordingMissError
    from pytest_autoeval.tasks.equivalence_check import assert_equivalent
    from pytest_autoeval.tasks.trial import MeaningLostError, UndecidedError, in_trial

    assert trial.described is not None
    with in_trial(probe):
        try:
            assert_equivalent(halves.read(probe, description), trial.described)
        except MeaningLostError as lost:
            return lost.outcome, None
        except UndecidedError as undecided:
            return Outcome.UNDECIDED, _first_line(undecided)
        except RecordingMissError:
            return Outcome.ERROR, _NOT_RECORDED
        except ModelError as error:
            return Outcome.ERROR, _first_line(error)
    return Outcome.EQUIVALENT, None


def _first_line(error: Exception) -> str:
    """The first line of a message; the others repeat the formulas, or say what to do about one call."""
    return str(error).partition("\n")[0]


def _half(outcome: str) -> _Half:
    """The half that lost the meaning, by the outcome of reading a faithful description."""
    if outcome == Outcome.EQUIVALENT:
        return "description"
    return "reading" if outcome_named(outcome).of_round_trip else "undecided"


def blocks_of_blame(summary: SuiteSummary) -> Iterator[Figures | Note]:
    """How many failures of a suite lost the meaning in each half, and why this is unknown of others."""
    blames = [blame for sample in summary.samples if (blame := sample.part(Blame)) is not None]
    if not blames:
        return
    lost = Counter(blame.half for blame in blames)
    figures = [number(lost["description"], name=_SHOWN["description"])]
    not_asked = sum(blame.was_not_asked for blame in blames)
    if not_asked:
        # Such a description is no proof that the model would have read a correct one.
        figures.append(number(not_asked, name="of these not asked"))
    figures.append(number(lost["reading"], name=_SHOWN["reading"]))
    if lost["undecided"]:
        figures.append(number(lost["undecided"], name=_SHOWN["undecided"]))
    yield Figures(tuple(figures), title="where the meaning was lost", level="default")
    problems = Counter(blame.problem for blame in blames if blame.problem is not None)
    for problem, times in problems.most_common(_MOST_PROBLEMS):
        text = sentence(
            "undecided in {samples}: {problem}", samples=number(times, "sample"), problem=problem
        )
        yield note(text, level="default")
