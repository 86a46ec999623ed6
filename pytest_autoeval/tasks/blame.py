"""Which half of a failed round trip lost the meaning: the description, or the reading of it.

The second half is asked once more, with the description that the formula's language gives, which is faithful. Where the
model reads it correctly, its own description lost the meaning; where it does not, the reading did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.models.base import ModelError
from pytest_autoeval.tasks.round_trip import Llm, assert_equivalent
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, under_trial

#: Ways in which a round trip loses the meaning; an assertion of the test's own is not one.
_LOST = frozenset({"different", "unparseable", "foreign symbol", "refused or empty", "truncated"})


def blaming(body: Callable[[Trial], object]) -> Callable[[Trial], object]:
    """The body of a test that, where its round trip fails, leaves in the trial's note ``blame`` which half did it."""

    def blamed(trial: Trial) -> object:
        try:
            return body(trial)
        except MeaningLostError as lost:
            if lost.outcome in _LOST and (found := blame(trial)) is not None:
                trial.notes["blame"] = found
            raise

    return blamed


def blame(trial: Trial) -> dict[str, Any] | None:
    """What came of the question, as plain basic types; None where the trial was no round trip about its own sample.

    ``half`` is ``description``, ``reading`` or ``undecided``; ``description`` the faithful one that was given, None
    where the model wrote none and nothing had to be asked; ``answer``, ``translation`` and ``outcome`` what the model
    made of it. The call is recorded in the trial, under the stage ``blame``.
    """
    stages = {call["stage"] for call in trial.calls}
    if trial.task is not None or "informalize" not in stages:
        return None
    if trial.description is None:
        return {"half": "description", "description": None, "answer": None, "translation": None, "outcome": None}
    lang = language(trial.about.language)
    try:
        description = lang.describe(trial.about.formula)
    except EnglishError:
        return None
    probe = Trial(trial.model, trial.prompts, trial.subject, repeat=trial.repeat, verify_timeout=trial.verify_timeout)
    outcome = _outcome(probe, description)
    trial.calls += [{**call, "stage": "blame"} for call in probe.calls]
    read = probe.reading.formula if probe.reading is not None else None
    return {
        "half": "description" if outcome == "equivalent" else "reading" if outcome in _LOST else "undecided",
        "description": description,
        "answer": probe.answer,
        "translation": None if read is None else lang.format(read),
        "outcome": outcome,
    }


def _outcome(probe: Trial, description: str) -> str:
    """How the reading of a faithful description ends. No answer is nobody's fault: the sample keeps its own outcome."""
    with under_trial(probe):
        try:
            assert_equivalent(Llm().autoformalize(description), probe.about.formula)
        except MeaningLostError as lost:
            return lost.outcome
        except UndecidedError:
            return "undecided"
        except ModelError:
            return "error"
    return "equivalent"
