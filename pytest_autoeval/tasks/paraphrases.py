"""Paraphrases of a sentence: the model says it in other words, once for the run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.tasks.base import answer_text, complete, rendered
from pytest_autoeval.tasks.trial import MeaningLostError, Trial

STAGE = "paraphrase"
_NUMBERED = re.compile(r"[*_ \t]*(\d{1,4})[.):][*_]*[ \t]+(.*\w.*)")


def paraphrase(trial: Trial, slots: Mapping[str, str]) -> str:
    """The paraphrase that a trial is about, of the sentence in ``slots``.

    All repeats and paraphrases of the sentence ask the same question, which the model answers once. Raises
    `MeaningLostError` if the answer has no such paraphrase.
    """
    probe = trial.anew()
    probe.repeat = 0
    prompt = rendered(trial, STAGE, trial.about.language, {**slots, "number": str(trial.paraphrases)})
    reply = complete(probe, prompt)
    trial.take_calls(probe)
    text = answer_text(reply, STAGE)
    found = read_numbered(text).get(trial.paraphrase)
    if found is None:
        problem = f"{STAGE}: the answer has no line with the number {trial.paraphrase} of {trial.paraphrases}"
        raise MeaningLostError(Outcome.UNREADABLE_ANSWER, problem)
    return found


def read_numbered(text: str) -> dict[int, str]:
    """The numbered lines by their numbers; of two with one number, the last."""
    lines = (_NUMBERED.fullmatch(line.strip()) for line in text.splitlines())
    return {int(line[1]): " ".join(line[2].split()) for line in lines if line}
